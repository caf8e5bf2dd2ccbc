"""Skills as a part of a surface: what an entry says, what is recorded, and what the digests cover."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_governor.surface import build_surface
from mcp_governor.surface.file import dump_surface, parse_surface
from mcp_governor.surface.fingerprint import fingerprint, wording_fingerprint
from mcp_governor.surface.skills import EXTENSION, allowed_tools

URI = "skill://acme/refunds/SKILL.md"
DECLARED = {"extensions": {EXTENSION: {}}}


def entry(**changes: Any) -> dict[str, Any]:
    whole = {
        "uri": URI,
        "frontmatter": {"name": "refunds", "description": "Refund.", "allowed-tools": "a b", "license": "MIT"},
        "resources": [{"uri": URI, "digest": f"sha256:{'1' * 64}", "size": 3}],
    }
    return {**whole, **changes}


def surface(*skills: Any, **more: Any):
    return build_surface({"tools": [], "skills": list(skills), "capabilities": DECLARED, **more})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("add", ("add",)),
        ("add  Bash(git add:*) , Read", ("add", "Bash(git add:*)", "Read")),
        (["add", " Bash(git:*) ", "", 7, "add"], ("add", "Bash(git:*)")),
        ("Bash(a", ("Bash(a",)),
        (") a", (")", "a")),
        (None, ()),
        ({"add": True}, ()),
    ],
)
def test_allowed_tools_are_a_string_or_a_list(value: Any, expected: tuple[str, ...]) -> None:
    assert allowed_tools(value) == expected


def test_an_entry_says_its_name_folder_and_files() -> None:
    [skill] = surface(entry(), 7, {"uri": ""}, entry()).skills
    assert (skill.name, skill.segment, skill.root) == ("refunds", "refunds", "skill://acme/refunds")
    assert skill.allowed_tools == ("a", "b")
    assert list(skill.files) == [URI]
    assert not skill.dynamic
    assert skill.text is None
    [bare] = surface({"uri": "skill://x/SKILL.md", "resources": "dynamic"}).skills
    assert (bare.name, bare.dynamic, bare.files) == ("x", True, {})


def test_a_recording_keeps_them() -> None:
    files = {URI: {"digest": f"sha256:{'2' * 64}", "size": 4, "text": "Do it."}}
    read = parse_surface(dump_surface(surface(entry(), skillFiles=files)), "a.json")
    assert read.skill_entries == (entry(),)
    assert read.skills[0].text == "Do it."
    assert read.skills[0].digest(URI) == f"sha256:{'2' * 64}", "what was read counts, not what the entry says"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"tools": []}, False),
        ({"tools": [], "capabilities": DECLARED}, False),
        ({"tools": [], "capabilities": {"tools": {}}}, True),
        ({"tools": [], "capabilities": DECLARED, "skills": []}, True),
        ({"tools": [], "skills": []}, True),
        ({"tools": [], "skills": {}}, False),
    ],
)
def test_without_skills_it_says_if_there_are_none(raw: dict[str, Any], expected: bool) -> None:
    assert build_surface(raw).skills_recorded is expected
    assert parse_surface(dump_surface(build_surface(raw)), "a.json").skills_recorded is expected


def test_without_skills_the_digests_are_those_of_earlier_versions() -> None:
    # from a recording of 0.1.0: no tools at all
    assert fingerprint(build_surface({"tools": []})) == fingerprint(surface())
    assert "skills" not in json.loads(dump_surface(build_surface({"tools": []})))


CONTRACT = {
    "uri": entry(uri="skill://refunds/SKILL.md"),
    "allowed tools": entry(frontmatter={**entry()["frontmatter"], "allowed-tools": "a"}),
    "another field": entry(frontmatter={**entry()["frontmatter"], "license": "MPL-2.0"}),
    "no digests": entry(resources="dynamic"),
}
WORDING = {
    "description": entry(frontmatter={**entry()["frontmatter"], "description": "Refund it."}),
    "text": entry(resources=[{"uri": URI, "digest": f"sha256:{'3' * 64}", "size": 3}]),
    "a file": entry(resources=[*entry()["resources"], {"uri": "skill://acme/refunds/A.md", "digest": "x", "size": 1}]),
}


@pytest.mark.parametrize("name", CONTRACT)
def test_the_contract_digest_covers(name: str) -> None:
    assert fingerprint(surface(entry())) != fingerprint(surface(CONTRACT[name]))


@pytest.mark.parametrize("name", WORDING)
def test_the_wording_digest_covers(name: str) -> None:
    assert fingerprint(surface(entry())) == fingerprint(surface(WORDING[name]))
    assert wording_fingerprint(surface(entry())) != wording_fingerprint(surface(WORDING[name]))


def test_the_order_and_the_form_of_allowed_tools_do_not_count() -> None:
    listed = entry(frontmatter={**entry()["frontmatter"], "allowed-tools": ["b", "a"]})
    assert fingerprint(surface(entry())) == fingerprint(surface(listed))
