"""``contracts/``: a format changes with a step of its version, or in a way that nobody has to notice."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tomli
from commandline import governor_here
from documents import closed, exactly
from support import REPO

import contracts as recording
from mcp_governor.checking.formats import DOCUMENT_FORMATS
from mcp_governor.demo.server import RELEASES
from mcp_governor.rules.governing import dump_baseline
from mcp_governor.rules.rule_schema import RULE_SCHEMA
from mcp_governor.schema_files.documents import manifest_of, schema_files
from mcp_governor.surface import build_surface, dump_surface

Schema = dict[str, Any]
Edit = Callable[[Schema], object]
FOLDER = REPO / "contracts"
NAMES = sorted(DOCUMENT_FORMATS)


@cache
def files() -> dict[str, Path]:
    """The file in which the schema of today of each format is recorded."""
    return {one.form.name: one.recorded for one in recording.contracts()}


def recorded(name: str) -> Schema:
    """The recorded schema of today."""
    schema: Schema = json.loads(files()[name].read_text("utf-8"))
    return schema


def plain(file: Path) -> Any:
    """A TOML file as JSON has it: dates are strings."""
    return json.loads(json.dumps(tomli.loads(file.read_text("utf-8")), default=str))


class TestRecorded:
    def test_the_schema_of_today_is_recorded(self) -> None:
        """If this fails, ``make docs`` records the change, or says what it breaks and which number to step."""
        wanted = recording.wanted()
        stale = [path.name for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
        assert stale == [], "run: make docs"

    @pytest.mark.parametrize("name", NAMES)
    def test_it_is_what_is_printed(self, name: str, capsys) -> None:
        assert governor_here("schema", name, capsys=capsys).stdout == files()[name].read_bytes()

    @pytest.mark.parametrize("folder", [FOLDER, FOLDER / "frozen"], ids=lambda folder: folder.name)
    def test_every_version_of_every_format_stays(self, folder: Path) -> None:
        numbers = {form.name: range(1, form.version + 1) for form in DOCUMENT_FORMATS.values()}
        expected = {f"{name}-{number}.schema.json" for name, versions in numbers.items() for number in versions}
        assert {file.name for file in folder.glob("*.json")} == expected

    @pytest.mark.parametrize(
        "file", sorted(FOLDER.rglob("*.json")), ids=lambda file: file.parent.name + "-" + file.name
    )
    def test_each_file_is_a_schema_of_its_version(self, file: Path) -> None:
        schema = json.loads(file.read_text("utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        assert f"{schema['title']}.schema.json" == f"mcp-governor/{file.name}"
        name, _, number = file.name.removesuffix(".schema.json").rpartition("-")
        form = DOCUMENT_FORMATS[name]
        if form.stated:
            assert schema["properties"]["format"] == {"const": f"mcp-governor/{name}-{number}"}
            assert "format" in schema["required"]

    @pytest.mark.parametrize("name", [name for name in NAMES if DOCUMENT_FORMATS[name].written])
    def test_what_is_written_leaves_room_for_new_members(self, name: str) -> None:
        assert 'additionalProperties": false' not in json.dumps(recorded(name))

    @pytest.mark.parametrize("name", ["config", "rule", "queries"])
    def test_a_key_that_does_not_exist_is_refused_in_what_people_write(self, name: str) -> None:
        assert recorded(name)["additionalProperties"] is False


ALLOWED: list[tuple[str, Edit]] = [
    ("report", lambda s: _finding(s)["properties"].update(line={"type": "integer"})),
    ("report", lambda s: s["required"].append("tokens")),
    ("report", lambda s: s["properties"]["stage"].update(description="Otherwise.")),
    ("config", lambda s: _call(s)["properties"].update(more={"type": "string"})),
    ("config", lambda s: s["properties"]["profile"]["anyOf"][0]["enum"].append("mine")),
    ("config", lambda s: _call(s)["required"].remove("tool")),
    ("surface", lambda s: s["properties"].update(more={"type": "string"})),
    ("call", lambda s: s["anyOf"][0]["properties"].update(more={"type": "string"})),
]
"""What is written may say more and always; what is read may be more; what is both, only more that is optional."""

REFUSED: list[tuple[str, Edit, str]] = [
    # What is written: nothing disappears, becomes optional, or has more values.
    ("report", lambda s: _finding(s)["properties"].pop("fix"), "output-field-removed at /properties/findings/items"),
    ("report", lambda s: s["required"].remove("target"), "output-field-optional at /properties/target"),
    ("report", lambda s: s["properties"]["verdict"]["enum"].append("skip"), "output-enum-value-added"),
    # What is read: nothing is refused, or means something else.
    ("config", lambda s: s.update(required=["target"]), "argument-required at /properties/target"),
    ("config", lambda s: s["properties"]["fail-on"]["enum"].remove("never"), "enum-value-removed"),
    ("rule", lambda s: s["properties"]["enabled"].update(default=False), "default-changed at /properties/enabled"),
    # What is both.
    (
        "surface",
        lambda s: (s["properties"].update(more={}), s["required"].append("more")),
        "read: required-argument-added at /properties/more",
    ),
    ("surface", lambda s: s["properties"].pop("tiers"), "written: output-field-removed at /properties/tiers"),
    ("call", lambda s: s["anyOf"][1]["items"].update(minProperties=2), "read: "),
    ("lint-baseline", lambda s: s["properties"]["findings"]["items"].update(type="integer"), "read: "),
]
"""The comparison itself is tested in tests/change."""


def _finding(schema: Schema) -> Schema:
    found: Schema = schema["properties"]["findings"]["items"]
    return found


def _call(schema: Schema) -> Schema:
    found: Schema = schema["properties"]["calls"]["items"]
    return found


def _remove(schema: Schema, name: str) -> None:
    del schema["properties"][name]
    schema["required"].remove(name)


class TestSteps:
    """A changed schema is recorded if it keeps the promise of its version, and refused with the place if not."""

    @pytest.fixture
    def change(self, tmp_path: Path, monkeypatch) -> Callable[[str, Edit], tuple[Path, Schema]]:
        shutil.copytree(FOLDER, tmp_path / "contracts")
        shown = {name: recorded(name) for name in NAMES}
        monkeypatch.setattr(recording.DocumentFormat, "schema", lambda form: shown[form.name])

        def changed(name: str, edit: Edit) -> tuple[Path, Schema]:
            # The formats that stay are compared once, in TestRecorded.
            monkeypatch.setattr(recording, "DOCUMENT_FORMATS", {name: DOCUMENT_FORMATS[name]})
            # Through JSON: what the code shares between two places is changed in one.
            shown[name] = json.loads(json.dumps(shown[name]))
            edit(shown[name])
            return tmp_path / "contracts", shown[name]

        return changed

    @pytest.mark.parametrize(("name", "edit"), ALLOWED)
    def test_what_nobody_has_to_notice_is_recorded(self, change, name: str, edit: Edit) -> None:
        folder, schema = change(name, edit)
        wanted = recording.wanted(folder)
        stale = [path for path, text in wanted.items() if path.read_text("utf-8") != text]
        # It is not recorded yet, which fails as well; how the version began stays.
        assert [path.relative_to(folder).as_posix() for path in stale] == [f"{name}-1.schema.json"]
        assert json.loads(wanted[stale[0]]) == schema

    @pytest.mark.parametrize(("name", "edit", "said"), REFUSED)
    def test_what_breaks_needs_the_next_number(self, change, name: str, edit: Edit, said: str) -> None:
        folder, _ = change(name, edit)
        with pytest.raises(ValueError) as refused:
            recording.wanted(folder)
        text = str(refused.value)
        assert f"The schema of mcp-governor/{name}-1 breaks what {name}-1.schema.json promises:" in text
        assert said in text
        assert f'step the format to "mcp-governor/{name}-2"' in text
        assert text.count("promises:") == 1

    def test_the_next_number_begins_again(self, change) -> None:
        def stepped(schema: Schema) -> None:
            _remove(schema, "target")
            schema["title"] = "mcp-governor/report-2"

        folder, schema = change("report", stepped)
        wanted = recording.wanted(folder)
        new = {path.relative_to(folder).as_posix() for path in wanted if not path.exists()}
        assert new == {"report-2.schema.json", "frozen/report-2.schema.json"}
        assert folder / "report-1.schema.json" not in wanted
        assert json.loads(wanted[folder / "frozen" / "report-2.schema.json"]) == schema

    def test_a_member_that_came_later_stays_as_well(self, change) -> None:
        """The beginning of the version does not have it; the record does."""
        folder, _ = change("report", lambda s: s["properties"].update(more={"type": "string"}))
        for path, text in recording.wanted(folder).items():
            path.write_text(text, "utf-8")
        change("report", lambda s: s["properties"].pop("more"))
        with pytest.raises(ValueError, match="output-field-removed at /properties/more"):
            recording.wanted(folder)

    def test_a_record_that_somebody_edits_does_not_help(self, change) -> None:
        folder, schema = change("report", lambda s: s["properties"].pop("reproduce"))
        (folder / "report-1.schema.json").write_text(json.dumps(schema, indent=2) + "\n", "utf-8")
        with pytest.raises(ValueError, match="output-field-removed at /properties/reproduce"):
            recording.wanted(folder)

    def test_what_containment_alone_sees_is_refused(self, change, monkeypatch) -> None:
        """The comparison gives the names; the verdict does not depend on it."""
        monkeypatch.setattr(recording, "_named_breaks", lambda *_: [])
        folder, _ = change("config", lambda s: s["properties"]["level"]["enum"].remove("strict"))
        with pytest.raises(ValueError, match=r'a document that was valid is refused \(\{"level": "strict"\}\)'):
            recording.wanted(folder)


class TestDocuments:
    """What exists satisfies its schema, without a member that the schema does not declare.

    Reports of every command are in ``tests/checking/test_report_json.py``, fix plans in ``tests/cli/test_fix_plan.py``.
    """

    def test_our_configurations(self) -> None:
        found = [*REPO.glob("examples/*/mcp-governor.toml"), *REPO.glob("examples/*/pyproject.toml")]
        own = [plain(file) for file in [REPO / "pyproject.toml", *found]]
        tables = [one.get("tool", {}).get("mcp-governor", {}) if "project" in one else one for one in own]
        assert len([table for table in tables if table]) >= 1
        for table in tables:
            exactly(recorded("config"), table)

    def test_recorded_surfaces(self) -> None:
        found = [
            REPO / "mcp-surface.json",
            *REPO.glob("docs/mcp-surface/*.json"),
            *REPO.glob("examples/*/*surface.json"),
        ]
        assert len(found) >= 2
        for file in found:
            exactly(recorded("surface"), json.loads(file.read_text("utf-8")))

    @pytest.mark.parametrize(
        "raw",
        [
            {
                "tools": [{"name": "a"}, {"name": "b", "_meta": {"tier": "facade"}}],
                "optIn": {"a": {"catalog": "all"}},
                "tierLists": {"b": "advanced"},
            },
            {**RELEASES[1], "prompts": [{"name": "p"}], "resources": [{"uri": "x:y"}], "instructions": "Say so."},
        ],
        ids=["tiers", "siblings"],
    )
    def test_surfaces_with_everything(self, raw: dict[str, Any]) -> None:
        document = json.loads(dump_surface(build_surface(raw)))
        assert raw.keys() - {"serverInfo"} <= document.keys()
        exactly(recorded("surface"), document)

    def test_all_rules(self) -> None:
        rules = [rule for file in (REPO / "rules").glob("*/*.toml") if "id" in (rule := plain(file))]
        assert len(rules) > 200
        validator = jsonschema.Draft202012Validator(recorded("rule"))
        assert [rule["id"] for rule in rules if not validator.is_valid(rule)] == []
        assert recorded("rule") == RULE_SCHEMA

    def test_a_baseline_and_a_list_of_schema_files(self) -> None:
        exactly(recorded("lint-baseline"), json.loads(dump_baseline([])))
        surface = build_surface(RELEASES[1])
        files = {file.name: file.text.encode() for file in schema_files(surface)}
        exactly(recorded("schemas"), json.loads(manifest_of(files, surface).text))

    def test_recorded_calls(self, tmp_path: Path, monkeypatch, capsys) -> None:
        monkeypatch.chdir(tmp_path)
        server = (sys.executable, "-m", "mcp_governor.demo.server")
        outcome = governor_here("call", "--record", "calls", "--", *server, capsys=capsys)
        found = sorted((tmp_path / "calls").glob("*.json"))
        assert found, outcome.out + outcome.err
        for file in found:
            call = json.loads(file.read_text("utf-8"))
            exactly(recorded("call"), call)
            exactly(recorded("call"), [call])
        assert not jsonschema.Draft202012Validator(recorded("call")).is_valid({"arguments": {}})

    def test_closed_forbids_what_is_not_declared_at_any_depth(self) -> None:
        schema = closed(recorded("report"))
        assert schema["additionalProperties"] is False
        assert schema["properties"]["findings"]["items"]["additionalProperties"] is False


def test_the_page_names_every_format() -> None:
    page = (REPO / "docs" / "formats.md").read_text("utf-8")
    assert re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE) == list(DOCUMENT_FORMATS)
    assert page.count("](../contracts/") == len(DOCUMENT_FORMATS)
