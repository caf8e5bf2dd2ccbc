"""``schemas check``: files and server say the same, or the report says what differs, with the proof."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from commandline import governor_here
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_governor.checking.schema_files import check_folder
from mcp_governor.config import Config
from mcp_governor.schema_files.folder import export
from mcp_governor.surface import build_surface

FIND: dict[str, Any] = {
    "name": "find",
    "inputSchema": {
        "type": "object",
        "required": ["q"],
        "properties": {"q": {"type": "string", "maxLength": 9}, "n": {"enum": [1, 2]}},
    },
    "outputSchema": {"type": "object", "properties": {"hits": {"type": "array", "items": {"type": "string"}}}},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    export(build_surface({"tools": [FIND]}), Path("d"))
    return tmp_path


def rules_of(tools: list[Any]) -> list[str]:
    report = check_folder(Path("d"), build_surface({"tools": tools}, source="s.json"), Config())
    return sorted(found.rule.removeprefix("schemas/") for found in report.findings)


def published(**how: Any) -> list[dict[str, Any]]:
    """The tool of the files with another input schema."""
    changed = copy.deepcopy(FIND)
    changed["inputSchema"].update(how)
    return [changed]


PROPERTIES = FIND["inputSchema"]["properties"]


@pytest.mark.parametrize(
    ("tools", "rules"),
    [
        ([FIND], []),
        (published(required=["q"], type="object"), []),
        # written differently, and the same
        (published(description="Find it."), ["rewritten"]),
        (published(properties={**PROPERTIES, "q": {"allOf": [PROPERTIES["q"]]}}), ["rewritten"]),
        (published(**{"$schema": "https://json-schema.org/draft/2020-12/schema"}), []),
        (published(title="Find"), ["rewritten"]),
        # stricter, looser, both
        (published(properties={**PROPERTIES, "n": {"enum": [1]}}), ["differs"]),
        (published(properties={**PROPERTIES, "n": {"enum": [1, 2, 3]}}), ["differs"]),
        (published(required=[]), ["differs"]),
        (published(properties={**PROPERTIES, "new": {"type": "string"}}), ["differs"]),
        (published(additionalProperties=False), ["differs"]),
        # files and tools that are left over
        ([FIND, {"name": "b", "inputSchema": {"type": "object"}}], ["file-missing"]),
        ([{"name": "other", "inputSchema": {}}], ["file-extra", "file-extra", "file-missing"]),
        ([{**FIND, "outputSchema": None}], ["file-extra"]),
        ([{**FIND, "outputSchema": {"type": "object", "required": ["hits"]}}], ["differs"]),
        ([FIND, {"inputSchema": {}}, FIND], ["unusable-entry", "unusable-entry"]),
    ],
)
def test_what_is_found(folder: Path, tools: list[Any], rules: list[str]) -> None:
    assert rules_of(tools) == rules


@pytest.mark.parametrize(
    ("name", "text", "rules"),
    [
        ("find.json", "{", ["file-unreadable"]),
        ("find.json", "[" * 100_000, ["file-unreadable"]),
        ("find.json", '{"type": 1e999}', ["file-unreadable"]),
        ("find.json", "\xff", ["file-unreadable"]),
        ("find.json", json.dumps(FIND["inputSchema"]), ["dialect-missing"]),
        ("readme.txt", "x", []),
        ("bad name.json", "{}", ["file-extra"]),
        ("FIND.json", "{}", ["file-extra"]),
        ("%66ind.json", "{}", ["file-extra"]),
    ],
)
def test_a_file_that_somebody_changed(folder: Path, name: str, text: str, rules: list[str]) -> None:
    (Path("d") / name).write_text(text, "latin-1")
    assert rules_of([FIND]) == rules


def test_a_file_that_refers_to_another_file(folder: Path) -> None:
    schema = json.loads(Path("d/find.json").read_text())
    schema["properties"]["q"] = {"$ref": "text.json"}
    Path("d/find.json").write_text(json.dumps(schema))
    assert "reference-outside" in rules_of([FIND])


def test_a_file_that_is_missing_is_a_warning_for_an_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(json.dumps({"tools": [FIND]}))
    Path("d/find.output.json").unlink()
    done = governor_here("schemas", "check", "d", "s.json", capsys=capsys)
    assert (done.code, "schemas/output-missing" in done.out) == (0, True)
    assert governor_here("schemas", "check", "d", "s.json", "--fail-on", "warning", capsys=capsys).code == 1


def test_severities_suppressions_and_acceptances_apply(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(json.dumps({"tools": published(required=[])}))
    line = ("schemas", "check", "d", "s.json", "--format", "json")
    found = governor_here(*line, capsys=capsys).report["findings"][0]
    for table in (
        '[lint.severity]\n"schemas/differs" = "warning"',
        '[lint]\nignore = ["schemas/*"]',
        '[lint.per-tool-ignores]\nfind = [{rule = "schemas/differs", reason = "x"}]',
        f'[[accept]]\nfinding = "{found["id"]}"\nreason = "x"',
    ):
        Path("mcp-governor.toml").write_text(table)
        assert governor_here(*line, capsys=capsys).code == 0, table
    # The other commands say nothing of an acceptance that only this one needs.
    other = governor_here("check", "s.json", "--format", "json", capsys=capsys).report
    assert "policy/acceptance-unmatched" not in {found["rule"] for found in other["findings"]}


def test_the_report_has_the_changes_with_their_proof(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(
        json.dumps({"tools": published(properties={**PROPERTIES, "q": {"type": "string", "maxLength": 2}})})
    )
    done = governor_here("schemas", "check", "d", "s.json", "--format", "json", capsys=capsys)
    report = done.report
    assert (done.code, report["verdict"]) == (1, "fail")
    (change,) = report["changes"]
    assert (change["kind"], change["verdict"], change["path"]) == (
        "length-tightened",
        "breaking",
        "/inputSchema/properties/q/maxLength",
    )
    assert 2 < len(change["witness"]["q"]) <= 9
    (found,) = report["findings"]
    # the line of "maxLength" in the file
    line = next(n for n, text in enumerate(Path("d/find.json").read_text().splitlines(), 1) if "maxLength" in text)
    assert found["path"] == f"d/find.json:{line}"
    assert found["fix"] == "If the server is right: mcp-governor schemas export d"


def test_what_a_reader_sees(folder: Path, capsys: pytest.CaptureFixture[str], golden: Any) -> None:
    """One tool breaks, one only moved, one is new, one is gone, and one file is not JSON."""
    moved = {"name": "moved", "inputSchema": {"type": "object", "properties": {"p": {"type": "string"}}}}
    gone = {"name": "gone", "inputSchema": {"type": "object"}}
    text = {"name": "text", "inputSchema": {"type": "object"}}
    export(build_surface({"tools": [FIND, moved, gone, text]}), Path("d"))
    Path("d/text.json").write_text('{"type": "object",')
    tools = published(properties={"q": {"type": "string", "maxLength": 5}, "n": {"enum": [1, 2, 3]}})
    inlined = {"type": "object", "properties": {"p": {"$ref": "#/$defs/P"}}, "$defs": {"P": {"type": "string"}}}
    new = {"name": "new", "inputSchema": {"type": "object"}}
    Path("s.json").write_text(json.dumps({"tools": [*tools, {**moved, "inputSchema": inlined}, new, text]}))
    done = governor_here("schemas", "check", "d", "s.json", capsys=capsys)
    assert (done.code, done.err) == (1, "")
    golden("schemas-check.txt", done.out)


def test_what_cannot_be_decided_is_said(folder: Path) -> None:
    """A pattern that no procedure can compare: unknown is not the same."""
    for name, pattern in (("file", r"^(.+)-\1$"), ("server", r"^(.+)-(?:\1)$")):
        schema = {**FIND["inputSchema"], "properties": {"q": {"type": "string", "pattern": pattern}}}
        if name == "file":
            export(build_surface({"tools": [{**FIND, "inputSchema": schema}]}), Path("d"))
    report = check_folder(Path("d"), build_surface({"tools": [{**FIND, "inputSchema": schema}]}), Config())
    assert [found.rule for found in report.findings] == ["schemas/undecided"]
    assert report.verdict == "fail"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nodir", "s.json"], 2, "nodir does not exist"),
        (["s.json", "s.json"], 2, "s.json is not a folder"),
        ([], 2, "schemas check needs the folder"),
        (["d", "empty.json"], 4, "publishes no tools"),
        (["d", "s.json", "--models", "x"], 2, "TARGET has no effect with --models"),
        (["d", "--models", "../x"], 2, "is not package.module"),
        (["nodir", "--models", "x"], 2, "nodir does not exist"),
        (["--models", "x"], 2, "mcp-surface.json does not exist"),
    ],
)
def test_bad_input(folder: Path, words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("s.json").write_text(json.dumps({"tools": [FIND]}))
    Path("empty.json").write_text('{"tools": []}')
    done = governor_here("schemas", "check", *words, capsys=capsys)
    assert done.code == code, done.err
    assert said in done.err


schemas = st.recursive(
    st.one_of(
        st.booleans(),
        st.fixed_dictionaries({"type": st.sampled_from(["string", "integer", "object"])}),
        st.fixed_dictionaries({"enum": st.lists(st.one_of(st.integers(), st.text(max_size=3), st.none()), max_size=3)}),
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"properties": st.dictionaries(st.text(max_size=4), inner, max_size=3)}),
        st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=2)}),
        st.fixed_dictionaries({"items": inner, "$schema": st.text(max_size=3)}),
    ),
    max_leaves=5,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.text(min_size=1, max_size=8), schemas, schemas), min_size=1, max_size=4))
def test_a_check_after_an_export_is_clean(tmp_path: Path, tools: list[tuple[str, Any, Any]]) -> None:
    raw = {"tools": [{"name": name, "inputSchema": one, "outputSchema": other} for name, one, other in tools]}
    entries = {tool["name"]: tool for tool in raw["tools"]}
    surface = build_surface({"tools": list(entries.values())})
    place = tmp_path / "all"
    export(surface, place)
    assert check_folder(place, surface, Config()).findings == ()
    assert export(surface, place).changed == ()
