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

from mcp_governor.ci.api import ApiError, PullRequest
from mcp_governor.ci.comment import MAX_SUMMARY, fitted, post_comment
from mcp_governor.ci.history import Clone, fetch_base, fetch_release
from mcp_governor.ci.job import GITHUB, TOKEN, Job, read_job
from mcp_governor.errors import Exit, UsageError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.frozen import frozen
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS = ("check", "lint", "diff", "call", "changelog check")
"""The commands that write reports."""

LABEL = "mcp-breaking-approved"
"""Default name of the label that approves the breaking changes of a pull request."""

_MAX_REPORT = 64 * MEBIBYTE
"""Largest report that is read back, in bytes; 10,000 changes and findings have some 10 MB."""

_PLAN, _JSON, _MARKDOWN = "plan.json", "report.json", "report.md"


@frozen
class Wanted:
    """What the workflow asks for.

    Attributes:
        command: one of :data:`COMMANDS`.
        arguments: further words for it, as on a command line.
        label: name of the label that approves breaks; empty if none does.
        comment: write a comment on the pull request.
        sarif: file for a SARIF report; empty for none.
        name: of the server, for a repository with several; by default its folder.
        folder: where the phases leave their files.
    """

    command: str = "check"
    arguments: tuple[str, ...] = ()
    label: str = LABEL
    comment: bool = True
    sarif: str = ""
    name: str = ""
    folder: Path = Path()

    @property
    def title(self) -> str:
        """The name of the server in the comment."""
        if self.name:
            return self.name
        here = Path.cwd()
        top = next((place for place in (here, *here.parents) if (place / ".git").exists()), here)
        return here.relative_to(top).as_posix()


@frozen
class Remark:
    """One line for the log.

    Attributes:
        level: ``error``, ``warning`` or ``notice``.
        text: one sentence or two, which may contain words of strangers.
    """

    level: str
    text: str


def prepare(wanted: Wanted) -> tuple[Remark, ...]:
    """Fetch what the check compares with, and find out if the breaks of the pull request are approved.

    Raises:
        UsageError: the base of the pull request cannot be had, or the event is not one to run on.
    """
    job = read_job(os.environ)
    remarks: list[Remark] = []
    plan: dict[str, Any] = {"base": "", "approval": ""}
    if job.system and wanted.command == "check":
        clone = Clone(Path.cwd(), job)
        plan["base"] = fetch_base(clone, job)
        if missing := fetch_release(clone):
            remarks.append(Remark("warning", missing))
    if plan["base"] and wanted.label and job.of_pull_request:
        labels, remark = _labels(job, wanted.label)
        plan["approval"] = "given" if wanted.label in labels else "required"
        remarks += [remark] if remark else []
    _write(wanted, _PLAN, plan)
    return tuple(remarks)


def _labels(job: Job, label: str) -> tuple[tuple[str, ...], Remark | None]:
    """The labels now; those of the event where they cannot be had, but never an approval from an old event."""
    if job.system != GITHUB or not (job.token and job.repository):
        trusted = job.labels if not job.rerun else ()
        return trusted, _stale(job, label, "there is no token to read the labels")
    try:
        return PullRequest(job).labels(), None
    except ApiError as error:
        why = f"the labels cannot be read ({error}); the job needs the permission pull-requests: read"
        if not job.rerun:
            return job.labels, Remark("notice", f"The labels of the event count: {why}.")
        return (), _stale(job, label, why)


def _stale(job: Job, label: str, why: str) -> Remark | None:
    if not (job.rerun and label in job.labels):
        return None
    text = f'The label "{label}" does not count when a job is run again: it may have been removed, and {why}.'
    return Remark("warning", text)


def command_line(wanted: Wanted, plan: dict[str, Any], job: Job) -> list[str]:
    """The words after ``mcp-governor``, without reports.

    Args:
        wanted, job: of the run.
        plan: from ``prepare``.
    """
    words = wanted.command.split()
    typed = {word.partition("=")[0] for word in _before_command(wanted.arguments)}
    if wanted.command == "check":
        of_pull_request = job.of_pull_request or bool(plan["base"])
        if of_pull_request and not typed & {"--new-only", "--only", "--isolated"}:
            words.append("--new-only")
        if plan["base"] and not typed & {"--base", "--isolated"}:
            words += ["--base", str(plan["base"])]
            words += ["--approval", plan["approval"]] if plan["approval"] else []
    return [*words, *wanted.arguments]


def _before_command(arguments: Sequence[str]) -> Sequence[str]:
    """The arguments that are ours; those after ``--`` belong to a server."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def check(wanted: Wanted) -> int:
    """Run the command, which prints to our own output; the exit code is its own. The token is kept from it."""
    job = read_job(os.environ)
    plan = _read(wanted, _PLAN) or {"base": "", "approval": ""}
    for name in (_JSON, _MARKDOWN):
        (wanted.folder / name).unlink(missing_ok=True)
    exact = command_line(wanted, plan, job)
    count = len(wanted.command.split())
    reports = ["--report", f"json={wanted.folder / _JSON}", "--report", f"markdown={wanted.folder / _MARKDOWN}"]
    reports += ["--report", f"sarif={wanted.sarif}"] if wanted.sarif else []
    form = ["--format", "github"] if job.system == GITHUB else []
    environ = {name: value for name, value in os.environ.items() if name != TOKEN}
    done = subprocess.run(
        [sys.executable, "-m", "mcp_governor", *exact[:count], *form, *reports, *exact[count:]],
        env=environ,
        check=False,
    )
    return done.returncode if done.returncode >= 0 else int(Exit.BUG)


@frozen
class Result:
    """What a run came to, for the log, the summary and the comment.

    Attributes:
        verdict: ``pass``, ``fail``, or ``error`` if nothing was judged.
        changed: the pull request changes the surface in more than words.
        breaks: number of new breaking changes.
        bump: the required version step; empty if there is none.
        markdown: the report for people.
        remarks: for the log.
    """

    verdict: str
    changed: bool
    breaks: int
    bump: str
    markdown: str
    remarks: tuple[Remark, ...] = ()


def conclude(wanted: Wanted, code: int) -> Result:
    """Write the summary and the outputs of the step.

    Args:
        wanted: what the workflow asks for.
        code: exit code of the check.
    """
    job = read_job(os.environ)
    plan = _read(wanted, _PLAN) or {"base": "", "approval": ""}
    report = _read(wanted, _JSON) if code in (Exit.PASS, Exit.FINDINGS) else None
    base = (report or {}).get("base") or {}
    new, breaks = set(base.get("new") or ()), list(base.get("breaks") or ())
    changes = (report or {}).get("changes") or []
    changed = any(change["id"] in new and not change["wording"] for change in changes) if base else bool(changes)
    waiting = sum(change["id"] in breaks and "accepted" not in change for change in changes)
    text, remarks = _approval(wanted, plan, waiting, len(breaks), code)
    try:
        body = read_bytes(wanted.folder / _MARKDOWN, limit=_MAX_REPORT).decode("utf-8", "replace")
    except OSError:
        body = ""
    if report is None or not body:
        body = (
            f"## MCP surface: not checked\n\nThe check did not run (exit code {code}); the log of the job says why.\n"
        )
        remarks = (*remarks, Remark("error", f"The check did not run (exit code {code}); the log says why."))
    markdown = f"{text}\n{body}" if text else body
    result = Result(
        verdict=str(report["verdict"]) if report else "error",
        changed=changed,
        breaks=len(breaks) if base else sum(change["verdict"] == "breaking" for change in changes),
        bump=str(report["required_bump"]) if report else "",
        markdown=markdown,
        remarks=remarks,
    )
    _write(wanted, "result.json", {"changed": changed, "verdict": result.verdict})
    (wanted.folder / "comment.md").write_text(markdown, encoding="utf-8")
    _append_summary(job, markdown)
    _append_outputs(job, wanted, result, code)
    return result


def _approval(
    wanted: Wanted, plan: dict[str, Any], waiting: int, breaks: int, code: int
) -> tuple[str, tuple[Remark, ...]]:
    """What is said about the label: in Markdown, and in the log."""
    label = one_line(wanted.label, 100)
    if plan["approval"] == "required" and waiting:
        what = "1 breaking change needs" if waiting == 1 else f"{waiting:,} breaking changes need"
        them = "it" if waiting == 1 else "them"
        from mcp_governor.report.markdown import code as span

        markdown = f"> **{what} approval.** Add the label {span(wanted.label)} to approve {them}.\n"
        return markdown, (Remark("error", f'{what} approval. Add the label "{label}" to approve {them}.'),)
    if plan["approval"] == "given" and breaks and code == Exit.PASS:
        return "", (Remark("notice", f'The breaking changes are approved by the label "{label}".'),)
    return "", ()


def comment(wanted: Wanted) -> tuple[Remark, ...]:
    """Write the comment on the pull request from what ``check`` left. It never fails the job."""
    job = read_job(os.environ)
    result = _read(wanted, "result.json")
    if not wanted.comment or result is None or job.system != GITHUB or result.get("verdict") == "error":
        return ()
    try:
        body = read_bytes(wanted.folder / "comment.md", limit=_MAX_REPORT).decode("utf-8", "replace")
    except OSError:
        return ()
    changed = result.get("changed") is True
    if not changed:
        body = "## MCP surface: no changes\n\nThis pull request no longer changes what clients see.\n"
    remark = post_comment(job, wanted.title, body, changed=changed)
    return (Remark("notice", remark),) if remark else ()


def _append_summary(job: Job, markdown: str) -> None:
    if job.summary is None:
        return

    def size(text: str) -> int:
        return len(text.encode("utf-8", "replace"))

    text = fitted(markdown, MAX_SUMMARY, "see the log of the job", size=size)
    with contextlib.suppress(OSError), job.summary.open("a", encoding="utf-8") as file:
        file.write(f"{text}\n")


def _append_outputs(job: Job, wanted: Wanted, result: Result, code: int) -> None:
    if job.output is None:
        return
    values = {
        "verdict": result.verdict,
        "exit-code": str(code),
        "changed": str(result.changed).lower(),
        "breaks": str(result.breaks),
        "required-bump": result.bump,
        "json": str(wanted.folder / _JSON),
        "markdown": str(wanted.folder / "comment.md"),
        "sarif": wanted.sarif if wanted.sarif and Path(wanted.sarif).is_file() else "",
    }
    with contextlib.suppress(OSError), job.output.open("a", encoding="utf-8") as file:
        file.writelines(f"{name}={' '.join(value.split())}\n" for name, value in values.items())


def _write(wanted: Wanted, name: str, value: dict[str, Any]) -> None:
    try:
        wanted.folder.mkdir(parents=True, exist_ok=True)
        (wanted.folder / name).write_text(json.dumps(value), encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{wanted.folder} cannot be written: {error.strerror}.", "Name another folder with --folder."
        ) from None


def _read(wanted: Wanted, name: str) -> dict[str, Any] | None:
    try:
        found = json.loads(read_bytes(wanted.folder / name, limit=_MAX_REPORT))
    except (OSError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
