"""The phases of a job: ``prepare`` what is compared, ``check``, and write the ``comment``.

They hand over what they found in a folder, so that they can be steps of their own: only ``check`` runs the server, and
it needs no token. Each returns remarks; nothing here prints.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from mcp_governor.checking.against.base_branch import key_of_all
from mcp_governor.ci.comment import KEY, MAX_KEYS, MAX_SUMMARY, Memory, find_approval, fitted, post_comment
from mcp_governor.ci.history import Clone, fetch_base, fetch_release
from mcp_governor.ci.job import GITHUB, TOKEN, Job, read_job
from mcp_governor.errors import Exit, UsageError
from mcp_governor.files import MEBIBYTE, read_bytes, repository_of
from mcp_governor.programs import our_python
from mcp_governor.programs.child import our_environment
from mcp_governor.text import one_line
from mcp_governor.writing import write_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

VARIABLES = "MCP_GOVERNOR_CI_"
"""Every option of ``mcp-governor ci`` has a variable that begins so."""

_MAX_REPORT = 64 * MEBIBYTE
"""Largest report that is read back, in bytes; 10,000 changes and findings have some 10 MB."""

_PLAN, _APPROVED, _JSON, _MARKDOWN = "plan.json", "approved.txt", "report.json", "report.md"
_RESULT, _COMMENT = "result.json", "comment.md"

_MAX_SHOWN = 10
"""Approved breaks that the log names; the report has all of them."""

_NO_PLAN: dict[str, Any] = {"base": "", "approval": "", "approved": [], "labelled": False}
"""What ``prepare`` hands over: the base, ``--approval``, the keys of approved breaks, and if the label is there."""


class Wanted(Struct, frozen=True):
    """What the workflow asks for.

    Attributes:
        command: ``check``, ``lint`` or another command that writes reports.
        arguments: further words for it, as on a command line.
        label: name of the label that approves breaks; empty if none does.
        comment: write a comment on the pull request.
        sarif: file for a SARIF report; empty for none.
        name: of the server, for a repository with several; by default its folder.
        folder: where the phases leave their files.
    """

    command: str = "check"
    arguments: tuple[str, ...] = ()
    label: str = "mcp-breaking-approved"
    comment: bool = True
    sarif: str = ""
    name: str = ""
    folder: Path = Path()

    @property
    def title(self) -> str:
        """The name of the server in the comment."""
        here = Path.cwd()
        return self.name or here.relative_to(repository_of(here)).as_posix()


class Remark(Struct, frozen=True):
    """One line for the log.

    Attributes:
        level: ``error``, ``warning`` or ``notice``.
        text: one sentence or two, which may contain words of strangers.
    """

    level: str
    text: str


def prepare(wanted: Wanted) -> tuple[Remark, ...]:
    """Fetch what the check compares with, and find out if the breaks of the pull request are approved."""
    job = read_job(os.environ)
    remarks: list[Remark] = []
    plan: dict[str, Any] = {**_NO_PLAN}
    if job.system and wanted.command == "check":
        clone = Clone(Path.cwd(), job)
        plan["base"] = fetch_base(clone, job)
        remarks += [Remark("warning", missing)] if (missing := fetch_release(clone)) else []
    if plan["base"] and wanted.label and job.number:
        found = find_approval(job, wanted.label, wanted.title)
        plan["approval"] = "given" if found.everything else "required"
        plan |= {"approved": list(found.keys), "labelled": found.labelled}
        remarks += [Remark("notice" if found.labelled else "warning", found.remark)] if found.remark else []
    _write(wanted, _PLAN, json.dumps(plan))
    _write(wanted, _APPROVED, "\n".join(plan["approved"]))
    return tuple(remarks)


def command_line(wanted: Wanted, plan: dict[str, Any], job: Job) -> list[str]:
    """The words after ``mcp-governor``, without reports."""
    words = wanted.command.split()
    typed = {word.partition("=")[0] for word in _before_command(wanted.arguments)}
    if wanted.command == "check":
        of_pull_request = job.of_pull_request or bool(plan["base"])
        if of_pull_request and not typed & {"--new-only", "--only", "--isolated"}:
            words.append("--new-only")
        if plan["base"] and not typed & {"--base", "--isolated"}:
            words += ["--base", str(plan["base"])]
            words += ["--approval", plan["approval"]] if plan["approval"] else []
            words += ["--approved", str(wanted.folder / _APPROVED)] if plan.get("approved") else []
    return [*words, *wanted.arguments]


def _before_command(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments that are ours; those after ``--`` belong to a server."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def gives_up_token(wanted: Wanted) -> bool:
    """True if this process has the token and is about to start a server, which could read it from ``/proc``."""
    return TOKEN in os.environ and "--offline" not in _before_command(wanted.arguments)


def check_without_token(wanted: Wanted) -> None:
    """Become a process that has no token and goes on with the phase ``check`` alone.

    Windows cannot replace a process; there this returns, and the server is merely not given the token.
    """
    if os.name == "nt":
        return
    words = ["--command", wanted.command, "--approval-label", wanted.label or "none", "--folder", str(wanted.folder)]
    words += ["--sarif", wanted.sarif] if wanted.sarif else []
    command = our_python("-m", "mcp_governor", "ci", "--phase", "check", *words, "--", *wanted.arguments)
    # The variables of the options are in the words already.
    kept = {key: value for key, value in our_environment().items() if key != TOKEN and not key.startswith(VARIABLES)}
    sys.stdout.flush()
    os.execve(command[0], command, kept)  # noqa: S606  (no shell)


def check(wanted: Wanted) -> int:
    """Run the command, which prints to our own output; the exit code is its own. The token is kept from it.

    Raises:
        UsageError: a pull request is checked, and the phase ``prepare`` has not said with what.
    """
    job = read_job(os.environ)
    prepared = _read(wanted, _PLAN)
    if prepared is None and wanted.command == "check" and (job.of_pull_request or job.in_queue):
        raise UsageError(
            f"The phase prepare left nothing in {wanted.folder}: what the pull request is compared with is unknown.",
            "Run it in an earlier step, with the same --folder.",
        )
    plan = {**_NO_PLAN, **(prepared or {})}
    for name in (_JSON, _MARKDOWN):
        (wanted.folder / name).unlink(missing_ok=True)
    exact = command_line(wanted, plan, job)
    count = len(wanted.command.split())
    reports = ["--report", f"json={wanted.folder / _JSON}", "--report", f"markdown={wanted.folder / _MARKDOWN}"]
    reports += ["--report", f"sarif={wanted.sarif}"] if wanted.sarif else []
    form = ["--format", "github"] if job.system == GITHUB else []
    environ = {name: value for name, value in our_environment().items() if name != TOKEN}
    done = subprocess.run(
        our_python("-m", "mcp_governor", *exact[:count], *form, *reports, *exact[count:]),
        env=environ,
        check=False,
    )
    return done.returncode if done.returncode >= 0 else int(Exit.BUG)


def conclude(wanted: Wanted, code: int) -> tuple[str, tuple[Remark, ...]]:
    """Write the summary and the outputs of the step, after a check with this exit code.

    Returns:
        The verdict, ``error`` if nothing was judged, and remarks for the log.
    """
    job = read_job(os.environ)
    plan = {**_NO_PLAN, **(_read(wanted, _PLAN) or {})}
    report = _read(wanted, _JSON) if code in (Exit.PASS, Exit.FINDINGS) else None
    base = (report or {}).get("base") or {}
    new, breaks = set(base.get("new") or ()), list(base.get("breaks") or ())
    changes = (report or {}).get("changes") or []
    asks, approved = ({one["id"]: one["key"] for one in base.get(part) or ()} for part in ("asks", "approved"))
    changed = any(change["id"] in new and not change["wording"] for change in changes) if base else bool(changes)
    changed = changed or bool(asks or approved)
    text, remarks = _approval(wanted, plan, asks, approved, job)
    body = _read_text(wanted, _MARKDOWN)
    if report is None or not body:
        why = f"The check did not run (exit code {code}); the log"
        body = f"## MCP surface: not checked\n\n{why} of the job says why.\n"
        remarks = (*remarks, Remark("error", f"{why} says why."))
    markdown = f"{text}\n{body}" if text else body
    verdict = str(report["verdict"]) if report else "error"
    keys = {"asks": list(asks.values()), "approved": list(approved.values())}
    if len(asks) > MAX_KEYS:
        keys["asks"] = [key_of_all(asks.values())]
    _write(wanted, _RESULT, json.dumps({"changed": changed, "verdict": verdict, **keys}))
    _write(wanted, _COMMENT, markdown)
    shown = fitted(
        markdown, MAX_SUMMARY, "see the log of the job", size=lambda text: len(text.encode("utf-8", "replace"))
    )
    outputs = {
        "verdict": verdict,
        "exit-code": str(code),
        "changed": str(changed).lower(),
        "breaks": str(len(breaks) if base else sum(change["verdict"] == "breaking" for change in changes)),
        "required-bump": str(report["required_bump"]) if report else "",
        "json": str(wanted.folder / _JSON),
        "markdown": str(wanted.folder / _COMMENT),
        "sarif": wanted.sarif if wanted.sarif and Path(wanted.sarif).is_file() else "",
    }
    _append(job.summary, f"{shown}\n")
    _append(job.output, "".join(f"{name}={' '.join(value.split())}\n" for name, value in outputs.items()))
    return verdict, remarks


def _approval(
    wanted: Wanted, plan: dict[str, Any], asks: Mapping[str, str], approved: Mapping[str, str], job: Job
) -> tuple[str, tuple[Remark, ...]]:
    """What is said about the label: in Markdown, and in the log."""
    remarks: list[Remark] = []
    if approved:
        shown = "; ".join(one_line(name, 200) for name in list(approved)[:_MAX_SHOWN])
        more = f"; and {len(approved) - _MAX_SHOWN:,} more" if len(approved) > _MAX_SHOWN else ""
        remarks.append(Remark("notice", f'Approved by the label "{one_line(wanted.label, 100)}": {shown}{more}.'))
    if not asks or not plan["approval"]:
        return "", tuple(remarks)
    from mcp_governor.report.markdown import code as span

    single = len(asks) == 1
    kind = "change" if any(name.startswith("policy/") for name in asks) else "breaking change"
    what = f"1 {kind} needs approval" if single else f"{len(asks):,} {kind}s need approval"
    it = "it" if single else "them"
    # On GitLab nobody says when a label was set, and a fork has no comment that knows what was shown.
    exact = f"{wanted.label}:{key_of_all(asks.values())}"
    label = wanted.label if job.system == GITHUB else exact
    way = f"Add the label {{}} to approve {it}."
    if plan["labelled"] and job.system == GITHUB:
        way = f"The label {{}} was set before {it} {'was' if single else 'were'} shown: remove it, and add it again."
    said = way.format(f'"{one_line(label, 150)}"')
    if job.system == GITHUB and job.fork:
        said += f' After a push, it has to be added again; "{one_line(exact, 150)}" stays valid for exactly {it}.'
    remarks.append(Remark("error", f"{what}. {said}"))
    return f"> **{what}.** {way.format(span(label))}\n", tuple(remarks)


def comment(wanted: Wanted) -> tuple[Remark, ...]:
    """Write the comment on the pull request from what ``check`` left. It never fails the job."""
    job = read_job(os.environ)
    result = _read(wanted, _RESULT)
    plan = {**_NO_PLAN, **(_read(wanted, _PLAN) or {})}
    if not wanted.comment or result is None or job.system != GITHUB or result.get("verdict") == "error":
        return ()
    body = _read_text(wanted, _COMMENT)
    if not body:
        return ()
    changed = result.get("changed") is True
    if not changed:
        body = "## MCP surface: no changes\n\nThis pull request no longer changes what clients see.\n"
    remark = post_comment(job, wanted.title, body, changed=changed, memory=_memory(plan, result, job))
    return (Remark("notice", remark),) if remark else ()


def _memory(plan: dict[str, Any], result: dict[str, Any], job: Job) -> Memory:
    """What the comment has to know for the next run: what it shows as not approved, and what the label approved."""

    def keys(value: object) -> list[str]:
        return [one for one in value if isinstance(one, str) and KEY.fullmatch(one)] if isinstance(value, list) else []

    approved = [*keys(result.get("approved")), *keys(plan["approved"])] if plan["labelled"] else []
    asked = tuple(keys(result.get("asks"))[:MAX_KEYS])
    return Memory(asked, tuple(dict.fromkeys(approved))[:MAX_KEYS], job.head)


def _append(file: Path | None, text: str) -> None:
    if file is not None:
        with contextlib.suppress(OSError), file.open("a", encoding="utf-8") as opened:
            opened.write(text)


def _write(wanted: Wanted, name: str, text: str) -> None:
    try:
        wanted.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"{wanted.folder} cannot be written: {error.strerror}.", "Name another folder with --folder."
        ) from None
    write_below(wanted.folder, name, text)


def _read_text(wanted: Wanted, name: str) -> str:
    """The text of a file that an earlier phase left; empty if there is none."""
    try:
        return read_bytes(wanted.folder / name, limit=_MAX_REPORT).decode("utf-8", "replace")
    except OSError:
        return ""


def _read(wanted: Wanted, name: str) -> dict[str, Any] | None:
    try:
        found = json.loads(_read_text(wanted, name))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
