"""What counts as found: own-written surfaces and labels, no corpus."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import quality_corpus
import quality_labels
import recall
from quality_corpus import Linted, release, releases
from quality_labels import (
    SPLITS,
    Label,
    Place,
    Repairs,
    Server,
    is_about,
    labelled_servers,
    labels,
    place_of,
    repairs_of_rules,
)
from replacing import replace

from mcp_governor.findings import Finding, Severity, Spot
from mcp_governor.surface import build_surface

TEXT = {"type": "string"}
SURFACE = build_surface(
    {
        "instructions": "Look before you move.",
        "prompts": [{"name": "tidy"}],
        "tools": [
            {
                "name": "move_box",
                "description": "Moves a box to a shelf.",
                "inputSchema": {
                    "type": "object",
                    "properties": {
                        "shelf": {**TEXT, "description": "Where to."},
                        "lift": {"type": "object", "properties": {"speed": TEXT, "description": TEXT}},
                    },
                },
            },
            {"name": "find_box", "inputSchema": {"type": "object", "properties": {"shelf": TEXT}}},
        ],
    }
)
SHELF = "/inputSchema/properties/shelf"
LIFT = "/inputSchema/properties/lift"


def finding(tool: str | None, path: str, message: str = "Something is wrong.", rule: str = "own/rule") -> Finding:
    return Finding(rule, Severity.WARNING, message, tool=tool, path=path)


def label(*places: tuple[str, str], kind: str = "units", trap: bool = False, words: str = "", **more: str) -> Label:
    reported = {"importance": "" if trap else "minor", "reach": "" if trap else "rule", **more}
    return Label("boxes", tuple(Place(*place) for place in places), kind, trap, words=words, **reported)


@pytest.mark.parametrize(
    ("found", "noted", "expected"),
    [
        (SHELF, SHELF, True),
        (f"{SHELF}/description", SHELF, True),
        (f"{SHELF}/default", SHELF, True),
        (SHELF, f"{SHELF}/description", True),
        (LIFT, f"{LIFT}/properties/speed", True),
        (f"{LIFT}/properties/speed", LIFT, True),
        (f"{LIFT}/description", f"{LIFT}/properties/speed", True),
        # An argument that is called like a keyword is no description of what holds it.
        (f"{LIFT}/properties/description", f"{LIFT}/properties/speed", False),
        (f"{LIFT}/properties/speed", SHELF, False),
        (f"{SHELF}s", SHELF, False),
        # Above the arguments: a finding about the tool has to name the argument.
        ("/inputSchema", SHELF, False),
        ("/description", SHELF, False),
        ("", SHELF, False),
        ("/inputSchema/required/0", "/inputSchema", True),
        ("", "/annotations", True),
        ("/annotations/readOnlyHint", "/annotations", True),
        ("/description", "/annotations", False),
    ],
)
def test_pointers_meet_within_one_argument(found: str, noted: str, expected: bool) -> None:
    assert is_about(finding("move_box", found), label(("move_box", noted)), SURFACE) is expected


def test_a_finding_about_the_tool_finds_the_argument_that_it_names() -> None:
    noted = label(("move_box", SHELF))
    assert is_about(finding("move_box", "/description", "The unit of shelf is missing."), noted, SURFACE)
    assert not is_about(finding("move_box", "/description", "The unit of shelf-life is missing."), noted, SURFACE)
    assert not is_about(finding("move_box", "/description", "The unit of re-shelf is missing."), noted, SURFACE)
    assert not is_about(finding("find_box", "/description", "The unit of shelf is missing."), noted, SURFACE)


def test_a_finding_about_an_argument_finds_what_is_noted_about_the_tool_and_names_it() -> None:
    assert is_about(
        finding("move_box", SHELF), label(("move_box", "/description"), words="shelf in which unit"), SURFACE
    )
    assert not is_about(finding("move_box", SHELF), label(("move_box", "/description"), words="which unit"), SURFACE)


def test_two_sides_of_one_contradiction_meet_in_the_argument_that_both_name() -> None:
    noted = label(("move_box", "/inputSchema"), words="shelf or lift\nrequire one of them")
    assert is_about(finding("move_box", "/description", "shelf and lift exclude each other."), noted, SURFACE)
    assert not is_about(finding("move_box", "/description", "The text is too long."), noted, SURFACE)
    assert not is_about(finding("move_box", "/annotations", "shelf is not read-only."), noted, SURFACE)


def test_one_cause_is_found_at_any_of_its_places() -> None:
    noted = label(("find_box", SHELF), ("move_box", SHELF))
    assert is_about(finding("move_box", SHELF), noted, SURFACE)


def test_a_finding_about_the_server_has_to_name_the_tool_and_the_argument() -> None:
    of_tool, of_argument = label(("move_box", "/annotations")), label(("move_box", SHELF))
    assert is_about(finding(None, "/tools", "No hints: move_box, find_box."), of_tool, SURFACE)
    assert not is_about(finding(None, "/tools", "No hints: find_box."), of_tool, SURFACE)
    assert is_about(finding(None, "/tools", "shelf of move_box has another name."), of_argument, SURFACE)
    assert not is_about(finding(None, "/tools", "move_box has no hints."), of_argument, SURFACE)


def test_instructions_prompts_and_entries_have_places_of_their_own() -> None:
    assert place_of(finding(None, "/instructions"), SURFACE) == ("server", "/instructions")
    assert place_of(finding(None, "/prompts/0/description"), SURFACE) == ("prompt/tidy", "/description")
    assert place_of(finding(None, "/tools/1/description"), SURFACE) == ("find_box", "/description")
    assert place_of(finding("find_box", SHELF), SURFACE) == ("find_box", SHELF)


def test_a_rule_repairs_the_kinds_that_it_lists_and_of_a_catch_all_what_it_is_about(tmp_path: Path) -> None:
    file = tmp_path / "kinds.toml"
    file.write_text(
        '"a/units" = ["units"]\n"a/null" = { kinds = ["schema-defect"], about = "\\\\bnull\\\\b" }\n', "utf-8"
    )
    repairs = repairs_of_rules(file)
    place = ("move_box", SHELF)
    assert repairs["a/units"].covers(label(place))
    assert not repairs["a/units"].covers(label(place, kind="hints"))
    assert repairs["a/null"].covers(label(place, kind="schema-defect", words="default Null is refused"))
    assert not repairs["a/null"].covers(label(place, kind="schema-defect", words="nullable"))
    # A trap may not be talked away by what a rule says that it is about.
    assert repairs["a/null"].covers(label(place, kind="schema-defect", trap=True, words="open on purpose"))


@pytest.mark.parametrize("entry", ['["unit"]', '["other"]', '{ kinds = ["units", "schema-defect"] }'])
def test_a_table_of_kinds_that_would_credit_anything_is_refused(tmp_path: Path, entry: str) -> None:
    file = tmp_path / "kinds.toml"
    file.write_text(f'"a/b" = {entry}\n', "utf-8")
    with pytest.raises(ValueError, match="a/b"):
        repairs_of_rules(file)


def outcome(findings: list[Finding], noted: list[Label]) -> recall.Outcome:
    server = Server("boxes", "npm", "dev", "1.0.0", "")
    return recall.judge(server, SURFACE, Linted(tuple(findings), 3, 5), noted, {"own/rule": Repairs(("units",))})


def test_findings_are_credited_to_problems_and_charged_to_traps() -> None:
    problem = label(("move_box", SHELF), importance="important")
    missed = label(("find_box", SHELF))
    hit, avoided = label(("move_box", LIFT), trap=True), label(("find_box", "/description"), trap=True)
    other_kind = label(("move_box", SHELF), kind="hints", reach="meaning")
    found = [
        finding("move_box", SHELF),
        finding("move_box", f"{SHELF}/description"),
        finding("move_box", LIFT),
        finding("move_box", "/name"),
        finding("find_box", SHELF, rule="other/rule"),
    ]
    seen = outcome(found, [problem, missed, hit, avoided, other_kind])
    assert list(seen.found) == [problem]
    assert seen.missed == [missed, other_kind]
    assert list(seen.alarms) == [hit]
    assert seen.avoided == [avoided]
    assert [credit for credit, _ in seen.credit] == ["found", "found", "trap", "", ""]
    assert recall.traps([seen]) == (1, 2)
    measured = recall.figures([seen])
    assert {name: (share["hits"], share["total"]) for name, share in measured["recall"].items()} == {
        "important": (1, 1),
        "important, reach rule": (1, 1),
        "all": (1, 3),
        "all, reach rule": (1, 2),
    }
    assert measured["kinds"]["units"]["traps"]["hits"] == 1
    assert measured["kinds"]["hints"]["all"] == {"hits": 0, "total": 1, "share": 0.0, "low": 0.0, "high": 0.7935}
    assert measured["rules"]["own/rule"] == {"findings": 4, "found": 2, "trap": 1}
    assert measured["lines"] == {"median": 3, "max": 3}


def test_a_finding_that_lists_places_is_right_in_one_and_falls_into_a_trap_in_another() -> None:
    problem, trap = label(("move_box", SHELF)), label(("find_box", SHELF), trap=True)
    listed = replace(finding(None, "/tools"), spots=(Spot("move_box", SHELF), Spot("find_box", SHELF)))
    seen = outcome([listed], [problem, trap])
    assert (seen.found, seen.alarms) == ({problem: [listed]}, {trap: [listed]})
    assert seen.credit == [("found", listed)]
    assert outcome([finding(None, "/tools")], [problem, trap]).missed == [problem]


def test_what_finds_a_problem_is_not_a_false_alarm() -> None:
    text = ("move_box", "/description")
    seen = outcome([finding(*text)], [label(text), label(text, trap=True)])
    assert (len(seen.found), len(seen.alarms)) == (1, 0)


def corpus(folder: Path) -> Path:
    recorded = {version: {"tools": [{"name": version, "inputSchema": {}}]} for version in ("1.9.0", "1.10.0")}
    (folder / "npm").mkdir(parents=True)
    (folder / "npm" / "boxes.json.gz").write_bytes(gzip.compress(json.dumps(recorded).encode()))
    return folder


def test_releases_are_read_from_the_corpus(tmp_path: Path) -> None:
    folder = corpus(tmp_path / "corpus")
    (found,) = releases(folder)
    assert (found.registry, found.server, found.version) == ("npm", "boxes", "1.10.0")
    assert [tool.name for tool in found.surface.tools] == ["1.10.0"]
    assert release("npm", "boxes", "1.9.0", folder) is not None
    assert release("npm", "boxes", "1.11.0", folder) is None
    assert release("pypi", "boxes", "1.9.0", folder) is None


def own_labels(folder: Path, digest: str) -> Path:
    (folder / "dev").mkdir(parents=True)
    entry = {"server": "boxes", "registry": "npm", "split": "dev", "version": "1.10.0", "surface_sha256": digest}
    (folder / "servers.json").write_text(json.dumps([entry, {**entry, "split": "held", "server": "other"}]), "utf-8")
    problem = {
        "server": "boxes",
        "version": "1.10.0",
        "split": "dev",
        "tool": "1.10.0",
        "pointer": "/inputSchema",
        "kind": "schema-defect",
        "trap": False,
        "importance": "important",
        "reach": "rule",
        "evidence": "e",
        "fix": "say the type at the root",
        "also": [{"tool": "x", "pointer": "/name"}],
    }
    trap = {"tool": "1.10.0", "pointer": "/name", "kind": "units", "trap": True, "evidence": "", "why": "a version"}
    lines = (json.dumps(record) for record in (problem, {"server": "boxes", **trap}))
    (folder / "dev" / "boxes.jsonl").write_text("\n".join(lines), "utf-8")
    return folder


def test_labels_are_read_with_their_other_places(tmp_path: Path) -> None:
    folder = own_labels(tmp_path, "d")
    (server,) = labelled_servers("dev", folder)
    problem, trap = labels(server, folder)
    assert problem.places == (("1.10.0", "/inputSchema"), ("x", "/name"))
    assert (problem.importance, problem.reach, problem.words) == ("important", "rule", "e\nsay the type at the root")
    assert (trap.trap, trap.importance, trap.words) == (True, "", "\na version")


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, digest: str | None, *arguments: str) -> int:
    at = corpus(tmp_path / "corpus")
    recorded = release("npm", "boxes", "1.10.0", at)
    assert recorded is not None
    noted = own_labels(tmp_path / "recall", recorded.sha256 if digest is None else digest)
    monkeypatch.setattr(recall, "CORPUS", at)
    monkeypatch.setattr(recall, "corpus_of", lambda split: at)
    monkeypatch.setattr(recall, "labelled_servers", lambda split: labelled_servers(split, noted))
    monkeypatch.setattr(recall, "labels", lambda server: labels(server, noted))
    return recall.main(list(arguments))


def test_the_command_prints_tables_misses_and_figures(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path / "a", None) == 0
    shown = capsys.readouterr().out
    assert "Recall on dev: 1 servers" in shown
    assert "1/1 100%" in shown
    assert run(monkeypatch, tmp_path / "b", None, "--findings", "spec/input-root-type") == 0
    assert capsys.readouterr().out.startswith("found spec/input-root-type boxes 1.10.0 /inputSchema")
    assert run(monkeypatch, tmp_path / "c", None, "--json") == 0
    assert json.loads(capsys.readouterr().out)["recall"]["important"]["hits"] == 1


def test_figures_of_the_splits_that_are_recorded_as_a_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = tmp_path / "figures.json"
    monkeypatch.setattr(recall, "record", lambda parts: quality_corpus.record(parts, figures))
    monkeypatch.setattr(recall, "splits", lambda: {"boxes": "held"})
    # The held half names a server that this corpus does not hold.
    assert run(monkeypatch, tmp_path / "a", None, "--update") == 0
    assert "held keeps its figures:\n  other 1.10.0: the corpus does not hold this release" in capsys.readouterr().out
    now = quality_corpus.read_figures(figures)["now"]["recall"]
    assert now["held"] == quality_corpus.read_figures()["now"]["recall"]["held"]
    assert now["dev"]["recall"]["important"]["hits"] == 1
    monkeypatch.setattr(recall, "measure", lambda split: ([outcome([], [label(("move_box", SHELF))])], []))
    assert recall.main(["--update"]) == 0
    now = quality_corpus.read_figures(figures)["now"]
    assert {split: found["recall"]["all"]["total"] for split, found in now["recall"].items()} == dict.fromkeys(
        SPLITS, 1
    )
    assert now["corpus"]["held"]["servers"] == 1


def test_another_recording_is_said_and_not_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, tmp_path, "of another surface") == 1
    reported = capsys.readouterr()
    assert "boxes 1.10.0: the corpus holds another recording" in reported.err
    assert "nothing was measured" in reported.out


@pytest.mark.parametrize("split", quality_labels.HIDDEN)
def test_hidden_splits_are_never_listed(split: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--misses"], ["--findings", "all"]):
        with pytest.raises(SystemExit):
            recall.main(["--split", split, *option])
    assert f"{split} is never listed: rules would be written for it" in capsys.readouterr().err


def test_without_a_corpus_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(recall, "corpus_of", lambda split: tmp_path / "none")
    assert recall.main([]) == 0
    assert "nothing was measured" in capsys.readouterr().out


def test_our_table_of_kinds_names_rules_that_are_there() -> None:
    repairs = repairs_of_rules()
    rules = quality_corpus.ROOT / "rules"
    assert [rule for rule in repairs if not (rules / f"{rule}.toml").is_file()] == []
    assert list(repairs) == sorted(repairs)
    assert quality_labels.NOTHING.kinds == ()
