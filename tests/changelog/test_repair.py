"""Within one cycle a surface changes more than once: what was drafted and not edited follows it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.change import compare
from mcp_governor.change.model import catalogue
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, parse
from mcp_governor.changelog.drafting import draft, draft_unreleased, is_drafted
from mcp_governor.changelog.model import Entry
from mcp_governor.findings import Severity
from mcp_governor.stage import Stage
from mcp_governor.surface import Surface, build_surface, fingerprint

STRING = {"type": "string"}


def surface(**tools: dict[str, Any]) -> Surface:
    """Tool → its parameters; one that ends in ``!`` is required, ``None`` is a tool without a title."""
    listed = []
    for name, parameters in tools.items():
        schema = {
            "type": "object",
            "properties": {key.removesuffix("!"): value for key, value in parameters.items()},
            "required": sorted(key.removesuffix("!") for key in parameters if key.endswith("!")),
        }
        listed.append({"name": name, "inputSchema": schema})
    return build_surface({"tools": listed, "serverInfo": {"name": "s", "version": "1.0.0"}})


OLD = surface(a={"x": STRING}, b={"x": STRING})
START = (
    f"# Log\n\n## 1.0.0 (current)\n\nFingerprint: `{fingerprint(OLD)}`\n\n**Added**\n\n- `a` and `b` are new tools.\n"
)


def drafted(text: str, now: Surface) -> str:
    book = parse(text, "log.md")
    top = book.sections[:1] if book.sections[0].unreleased else ()
    tools = {*OLD.by_name, *now.by_name}
    return draft_unreleased(book, compare(OLD, now), waiting=top, tools=tools, repair=True)


def after(*steps: Surface) -> str:
    """The lines above the released section, after a draft for each step."""
    text = START
    for now in steps:
        text = drafted(text, now)
    released = START.removeprefix("# Log\n\n")
    assert text.endswith(f"\n\n{released}")
    assert "\n\n\n" not in text
    return text.removeprefix("# Log\n\n").removesuffix(released).strip()


def errors(text: str, now: Surface) -> list[str]:
    found = check(
        parse(text, "log.md"),
        now,
        compare(OLD, now),
        settings=ChangelogSettings(
            expected=SchemaVersion("1.0.0", "the server"),
            baseline=OLD,
            stage=Stage("release", at_release=False),
            coming="2.0.0",
        ),
    )
    return [finding.message for finding in found if finding.severity is Severity.ERROR]


OPTIONAL = surface(a={"x": STRING, "q": STRING}, b={"x": STRING})
REQUIRED = surface(a={"x": STRING, "q!": STRING}, b={"x": STRING})
OTHER = surface(a={"x": STRING, "r": STRING}, b={"x": STRING})
BOTH = surface(a={"x": STRING, "q": STRING}, b={"x": STRING, "q": STRING})
GONE = surface(a={"x": STRING})
SHORT = surface(a={"x": {**STRING, "maxLength": 9}}, b={"x": STRING})
SHORTER = surface(a={"x": {**STRING, "maxLength": 5}}, b={"x": STRING})

TAKES_Q = "## Unreleased\n\n**Added**\n\n- `a` takes an optional `q`."


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ((OPTIONAL,), TAKES_Q),
        ((OPTIONAL, REQUIRED), "## Unreleased\n\n**Breaking**\n\n- `a` now requires the new `q`."),
        ((REQUIRED, OPTIONAL), TAKES_Q),
        ((OPTIONAL, OTHER), "## Unreleased\n\n**Added**\n\n- `a` takes an optional `r`."),
        ((OPTIONAL, OLD), "## Unreleased"),
        ((BOTH, OPTIONAL), TAKES_Q),
        ((OPTIONAL, BOTH), f"{TAKES_Q}\n- `b` takes an optional `q`."),
        ((GONE, OPTIONAL), TAKES_Q),
        (
            (SHORT, SHORTER),
            "## Unreleased\n\n**Breaking**\n\n- `a` accepts fewer values for `x`: the maximum length is now 5.",
        ),
    ],
)
def test_what_was_drafted_follows_the_surface(steps: tuple[Surface, ...], text: str) -> None:
    assert after(*steps) == text


def test_what_an_author_edited_stays() -> None:
    edited = drafted(START, OPTIONAL).replace("an optional `q`.", "an optional `q`, for long lists.")
    again = drafted(edited, REQUIRED)
    assert again == edited
    assert errors(again, REQUIRED) == [
        "This entry is under Added but describes this change: a: required parameter `q` is new."
    ]
    assert drafted(edited, OPTIONAL) == edited


def test_a_replacement_that_the_author_named_is_kept_while_the_tool_is_gone() -> None:
    text = drafted(START, GONE).replace("`REPLACEMENT`", "`a`")
    assert "- `b` is gone; use `a` instead." in text
    assert drafted(text, GONE) == text
    assert "gone" not in drafted(text, OLD)


def test_without_the_last_release_nothing_is_removed() -> None:
    text = drafted(START, OPTIONAL)
    book = parse(text, "log.md")
    kept = draft_unreleased(book, compare(OLD, OTHER), waiting=book.sections[:1], tools={"a", "b"})
    assert kept.count("takes an optional") == 2


def test_the_section_of_a_version_that_is_not_out_is_repaired_too() -> None:
    text = START
    for now in (OPTIONAL, OTHER):
        text = draft(
            parse(text, "log.md"),
            compare(OLD, now),
            version="1.1.0",
            fingerprint=fingerprint(now),
            tools={"a", "b"},
            repair=True,
        )
    assert "`a` takes an optional `r`." in text
    assert "`q`" not in text


def test_an_entry_about_a_parameter_that_no_surface_has_is_an_error_before_the_release() -> None:
    text = drafted(START, OPTIONAL).replace("an optional `q`.", "an optional `q`, for long lists.")
    assert errors(text, OPTIONAL) == []
    stale = drafted(text, OTHER)
    assert errors(stale, OTHER) == ["`q` is not a parameter or field of `a`, neither now nor in the baseline."]
    values = stale.replace("an optional `q`, for long lists", "`true` and returns `null` in the field `x`")
    assert errors(values, OTHER) == []


PARAMETERS = st.dictionaries(
    st.sampled_from(["x", "q", "r!", "q!"]),
    st.sampled_from([STRING, {**STRING, "maxLength": 5}, {"enum": ["u", "v"]}, {**STRING, "default": "u"}]),
    max_size=2,
).filter(lambda found: not {"q", "q!"} <= set(found))
SURFACES = st.dictionaries(st.sampled_from("abc"), PARAMETERS, min_size=1).map(lambda tools: surface(**tools))


@given(st.lists(SURFACES, min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_a_check_never_fails_where_the_draft_needs_no_change(steps: list[Surface]) -> None:
    text = START
    for now in steps:
        text = drafted(text, now).replace("use `REPLACEMENT` instead", "nothing replaces it")
    assert drafted(text, steps[-1]) == text
    assert errors(text, steps[-1]) == []


def test_the_templates_of_all_kinds_are_known_or_left_alone() -> None:
    """An entry of a kind with free text is the author's; most kinds have none."""
    known = 0
    for kind in catalogue().values():
        if kind.example is None or kind.example.at not in ("tool", "surface", "value", "schema"):
            continue
        for change in _changes(kind.example.at, kind.example.old, kind.example.new):
            text = change.entry()
            spans = tuple(part for index, part in enumerate(text.split("`")) if index % 2)
            known += is_drafted(Entry(text, 1, 1, spans))
            assert not is_drafted(Entry(f"{text[:-1]}, because we need it.", 1, 1, spans))
    assert known > 200


def _changes(at: str, old: Any, new: Any) -> list[Any]:
    def made(fragment: Any) -> Surface:
        if at == "surface":
            return build_surface({"tools": [], **fragment})
        tool: dict[str, Any] = {"name": "t", "inputSchema": {"type": "object"}}
        if at == "tool":
            tool |= fragment
        else:
            schema = fragment if at == "schema" else {"type": "object", "properties": {"x": fragment}}
            tool |= {"inputSchema": schema, "outputSchema": schema}
        return build_surface({"tools": [tool]})

    return list(compare(made(old), made(new)))
