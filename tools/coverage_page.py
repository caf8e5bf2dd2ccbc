"""The tables of docs/project/coverage.md, and the links to it on the rules' pages, from ``fixtures/sources``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from source_statements import STATES, documents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from source_statements import Document, Statement

    from mcp_governor.rules import Catalogue


def tables() -> dict[str, str]:
    """What the page says of each statement."""
    lines = [*_counts(), "", *_gaps()]
    severities = _Severities()
    for document in documents():
        lines += [f"## {document.title}", ""]
        for section in document.sections:
            # Two documents may have sections of the same name; the line above says which one this is.
            lines += [f"### {section}", "", "| | statement | enforced by | severity | state | cases |"]
            lines += ["| --- | --- | --- | --- | --- | --- |"]
            rows = (statement for statement in document.statements if statement.section == section)
            lines += [_row(statement, severities, document) for statement in rows]
            lines.append("")
    return {"statements": "\n".join(lines).rstrip() + "\n"}


def _counts() -> Iterator[str]:
    yield "| document | statements | " + " | ".join(STATES) + " |"
    yield "| --- |" + " ---: |" * (len(STATES) + 1)
    total: Counter[str] = Counter()
    for document in documents():
        now = Counter(statement.state for statement in document.statements)
        total.update(now)
        link = f"[{document.title}](#{_anchor(document.title)})"
        yield _count_row(link, len(document.statements), now)
    yield _count_row("**all**", total.total(), total)


def _gaps() -> Iterator[str]:
    """Statements that a server may violate without a finding, by document."""
    rows = [
        f"- [{one.document} {one.number}](#{one.id}) ({one.state}): {one.says} {_reason(one)}".rstrip()
        for document in documents()
        for one in document.statements
        if one.state in ("partly", "declined", "open")
    ]
    yield from ("## Not enforced, or with a gap", "", *(rows or ["None."]), "")


def _reason(statement: Statement) -> str:
    return f"*{statement.reason[1]}*" if statement.reason is not None else ""


def _count_row(name: str, statements: int, counts: Counter[str]) -> str:
    cells = [statements, *(counts[state] for state in STATES)]
    return f"| {name} | " + " | ".join(map(str, cells)) + " |"


def _anchor(heading: str) -> str:
    """The anchor that GitHub generates for a heading."""
    kept = "".join(char for char in heading.lower() if char.isalnum() or char in " -_")
    return kept.replace(" ", "-")


def _row(statement: Statement, severities: _Severities, document: Document) -> str:
    says = statement.says
    if statement.reason is not None:
        says += f"<br>*{statement.state[0].upper()}{statement.state[1:]}:* {statement.reason[1]}"
    by = [_rule_link(rule) if "/" in rule else f"[`{rule}`](../changes.md)" for rule in statement.rules]
    by += [f"`{statement.command}`"] if statement.command else []
    worth = [severities.of(rule, document) for rule in statement.rules]
    cells = (
        f'<a id="{statement.id}"></a>{statement.number}',
        says,
        "<br>".join(by),
        "<br>".join(worth),
        statement.state,
        "<br>".join(_evidence(statement)),
    )
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def _rule_link(rule: str) -> str:
    pack, _, name = rule.partition("/")
    return f"[`{rule}`](../rules/{pack}.md#{name})"


def _evidence(statement: Statement) -> Iterator[str]:
    if statement.cases:
        parts = [f"{len(cases)} {side}" for side, cases in (("bad", statement.bad), ("good", statement.good)) if cases]
        yield f"[{', '.join(parts)}](../../fixtures/sources/{statement.document}.toml#L{statement.line})"
    for test in statement.tests:
        file, *names = test.split("::")
        yield f"[`{names[-1] if names else file}`](../../{file})"


class _Severities:
    """Severities of rules by profile, in words."""

    def __init__(self) -> None:
        from mcp_governor.change import catalogue
        from mcp_governor.rules import LintSettings, load_catalogue, select
        from mcp_governor.rules.rule import ALWAYS_RUN

        self.always_run = ALWAYS_RUN
        self.rules: Catalogue = load_catalogue(entry_points=False)
        self.kinds = catalogue()
        self.profiles = {name: select(LintSettings(profiles=(name,)), self.rules) for name in self.rules.profiles}

    def of(self, rule: str, document: Document) -> str:
        """The severities of a rule or a kind of change: ``error; recommended: warning``."""
        if "/" not in rule:
            kind = self.kinds[rule]
            return f"{kind.verdict.value}, {kind.bump.value}"
        found = self.rules.get(rule)
        if found.station in self.always_run:
            return f"{found.severity.value} in every profile"
        by_profile = {
            name: active.severity.value
            for name, selection in self.profiles.items()
            if (active := selection.get(rule)) is not None
        }
        if not by_profile:
            return f"{found.severity.value}, {'pedantic' if found.persona != 'regular' else 'if selected by name'}"
        own = next((name for name in document.profile if name in by_profile), None)
        if own is None:
            return "; ".join(f"{name}: {severity}" for name, severity in by_profile.items())
        others = [f"{name}: {severity}" for name, severity in by_profile.items() if severity != by_profile[own]]
        return "; ".join([by_profile[own], *others])


def stated() -> Mapping[str, str]:
    """Rule id → the statements that it enforces, with links from its page."""
    by_rule: dict[str, list[Statement]] = {}
    for document in documents():
        for statement in document.statements:
            for rule in statement.rules:
                by_rule.setdefault(rule, []).append(statement)
    return {rule: ", ".join(_links(statements)) for rule, statements in by_rule.items() if "/" in rule}


def _links(statements: Iterable[Statement]) -> Iterator[str]:
    for one in statements:
        yield f"[{one.document} {one.number}](../project/coverage.md#{one.id})"
