"""Judges a case of a statement the way a user would have it judged: linter, response rules, or the command line."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import scripted_server
from source_statements import Case

from mcp_governor.call.validate import validate_response
from mcp_governor.checking.reading import lint_settings
from mcp_governor.cli import run
from mcp_governor.config import load_config
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface, fingerprint
from mcp_governor.target import tier_rules

OLD, NEW, CHANGELOG = "old.json", "mcp-surface.json", "CHANGELOG-schema.md"


@dataclass(frozen=True)
class Verdict:
    """What was said of a case.

    Attributes:
        rules: of the findings.
        breaks: kinds of the changes that break, or that could not be decided.
        kinds: kinds of all changes.
        severities: of the findings.
        said: each finding and change as a line, for a test that fails.
    """

    rules: frozenset[str]
    breaks: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    severities: frozenset[str] = frozenset()
    said: str = ""


def judge(case: Case, folder: Path) -> Verdict:
    """What the product says of a case.

    Args:
        case: of a statement.
        folder: an empty one, for a project.
    """
    if case.kind in ("tool", "surface"):
        return _linted(case, folder)
    if case.kind in ("result", "raw"):
        return _response(case)
    return _project(case, folder)


def _linted(case: Case, folder: Path) -> Verdict:
    raw = case.content.get("surface") or {"tools": [case.content["tool"]]}
    if "config" not in case.content:
        return _of_findings(lint(build_surface(raw), profile=case.profile))
    (folder / "mcp-governor.toml").write_text(_config(case), "utf-8")
    config = load_config(start=folder)
    return _of_findings(lint(build_surface(raw, tiers=tier_rules(config)), lint_settings(config)))


def _response(case: Case) -> Verdict:
    content = case.content
    tool, raw = content.get("tool"), content.get("surface") or {"tools": content.get("tools", [])}
    if isinstance(tool, dict):
        raw, tool = {"tools": [tool]}, tool["name"]
    known = any(key in content for key in ("surface", "tools")) or isinstance(content.get("tool"), dict)
    result = content.get("raw")
    if result is None:
        text = content.get("text", json.dumps(content["result"]))
        result = {"content": [{"type": "text", "text": text}], "structuredContent": content["result"], "isError": False}
    return _of_findings(
        validate_response(
            result,
            tool=tool,
            surface=build_surface(raw) if known else None,
            profile=case.profile,
            arguments=content.get("arguments"),
        )
    )


def _of_findings(findings: list[Any]) -> Verdict:
    said = "\n".join(f"{found.severity.value} {found.rule} {found.path}: {found.message}" for found in findings)
    severities = frozenset(found.severity.value for found in findings)
    return Verdict(frozenset(found.rule for found in findings), severities=severities, said=said)


def _project(case: Case, folder: Path) -> Verdict:
    """``mcp-governor check`` in a folder with what the case brings, or the command that it names."""
    content, live = case.content, case.kind == "server"
    (folder / "mcp-governor.toml").write_text(_config(case, live=live), "utf-8")
    for key, name in (("old", OLD), ("new", NEW)):
        if key in content:
            (folder / name).write_text(json.dumps(content[key]), "utf-8")
    if "changelog" in content:
        (folder / CHANGELOG).write_text(_changelog(case, folder), "utf-8")
    for name, text in content.get("files", {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    if live:
        scripted_server.play(content["server"])
    words = shlex.split(content.get("run", "check" if live else "check --offline"))
    if "old" in content and words[0] == "check" and "--against" not in words:
        words += ["--against", OLD]
    return _reported(words, folder)


def _changelog(case: Case, folder: Path) -> str:
    """The changelog of a case, with the fingerprints of its surfaces in their places."""
    content, text = case.content, str(case.content["changelog"])
    tiers = tier_rules(load_config(start=folder))
    for place, raw in (
        ("{fingerprint}", content.get("new") or content.get("server")),
        ("{fingerprint of old}", content.get("old")),
    ):
        if place in text:
            text = text.replace(place, fingerprint(build_surface(raw, tiers=tiers)))
    return text


def _config(case: Case, *, live: bool = False) -> str:
    lines = [f"profile = {json.dumps(case.profile)}"]
    if "changelog" in case.content:
        lines.append(f'changelog = "{CHANGELOG}"')
    # Dotted keys, so that a case can add keys of its own.
    lines += ['target = "scripted"', 'servers.scripted.command = ["scripted"]'] if live else []
    lines.append(case.content.get("config", ""))
    return "\n".join(lines) + "\n"


def _reported(words: list[str], folder: Path) -> Verdict:
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
    # The server of a case is in this process.
    ours = mock.patch("mcp_governor.target.forms.source_of_server", side_effect=scripted_server.current)
    with ours, contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        run([*words, "--format", "json"])
    out.flush()
    err.flush()
    text = out.buffer.getvalue().decode()
    assert text, err.buffer.getvalue().decode()
    report = json.loads(text)
    findings, changes = report["findings"], report["changes"]
    lines = [f"{one['severity']} {one['rule']} {one.get('path', '')}: {one['message']}" for one in findings]
    lines += [f"{one['verdict']} {one['kind']} {one['path']}: {one['message']}" for one in changes]
    return Verdict(
        frozenset(one["rule"] for one in findings),
        frozenset(one["kind"] for one in changes if one["verdict"] != "compatible"),
        frozenset(one["kind"] for one in changes),
        frozenset(one["severity"] for one in findings),
        "\n".join([*lines, err.buffer.getvalue().decode()]),
    )
