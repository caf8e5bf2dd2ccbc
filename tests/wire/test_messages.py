"""The table of message members against the official schemas, and against what the official clients refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from referees import VERDICTS, verdicts
from specimens import LEGACY, MODERN, Mutation, conversation, mutations

from mcp_governor.surface.messages import mismatches, table

KINDS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "prompts/list": "ListPromptsResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "tools/call": "CallToolResult",
}
MEMBERS = json.loads((Path(__file__).parent / "protocol_members.json").read_text())
"""Type → member → the first version that has it, the last one if it is gone, and if it is required."""
NOT_IN_ONE_PLACE = {
    # The schemas gave them to the content types, each with an object of its own.
    ("Annotations", "audience"): "2024-11-05",
    ("Annotations", "priority"): "2024-11-05",
}
OF_ANOTHER_RULE = (
    # call/output-schema and spec/schema-valid: what a schema says of a value, and what a schema may say.
    r"tools/call /structuredContent",
    r"tools/list /tools/0/outputSchema/properties/n/type",
    # The handshake: no version that both speak.
    r"(initialize /protocolVersion|server/discover /supportedVersions/0) = \"x\"",
    # spec/list-result-type, call/result-type and spec/list-caching: values that are of the right type.
    r"/resultType = \"x\"",
    r"/ttlMs = -1",
)
"""What clients refuse, and the table leaves to other rules."""
STRICTER = (
    # The specification requires a URI, and the three members of a result; the clients do not look.
    r"resources/list /resources/0/uri = \"x\"",
    r"server/discover /(resultType|ttlMs|cacheScope) = absent",
    r"server/discover /ttlMs = true",
)
"""What the table refuses, and no client does."""


def named(mutation: Mutation) -> str:
    return f"{mutation.place} = {mutation.change}"


@pytest.mark.parametrize("name", MEMBERS)
def test_the_table_is_that_of_the_official_schemas(name: str) -> None:
    ours = {
        member: [row.since, row.last, row.required]
        for member, row in table()[name].items()
        if (name, member) not in NOT_IN_ONE_PLACE
    }
    theirs = {member: row for member, row in MEMBERS[name].items() if (name, member) not in NOT_IN_ONE_PLACE}
    if name == "CallToolResult":
        # Of any type since 2026-07-28, so the table ends there.
        assert theirs.pop("structuredContent") == ["2025-06-18", "", False]
        assert ours.pop("structuredContent") == ["2025-06-18", LEGACY, False]
    if name == "InitializeResult":
        assert {row.pop(1) for row in [*ours.values(), *theirs.values()]} == {"", LEGACY}
    assert ours == theirs


def test_the_table_is_that_of_the_official_python_types() -> None:
    types = pytest.importorskip("mcp_types")
    for name in MEMBERS:
        if (model := getattr(types, name, None)) is None:
            continue
        fields = {field.alias or key: field.is_required() for key, field in model.model_fields.items()}
        for member, row in table()[name].items():
            # The package gives the caching members defaults, so that one class serves both eras.
            if not row.last and member not in ("type", "resultType", "ttlMs", "cacheScope", "requestState"):
                assert fields[member] == row.required, (name, member)


@pytest.mark.parametrize("protocol", ["2024-11-05", "2025-03-26", "2025-06-18", LEGACY, MODERN])
def test_nothing_is_found_in_a_conversation_with_every_member(protocol: str) -> None:
    for method, result in conversation(protocol).items():
        assert list(mismatches(result, KINDS[method], protocol)) == []
        assert list(mismatches(result, KINDS[method], None)) == []


@pytest.mark.parametrize("protocol", [LEGACY, MODERN])
def test_every_change_is_judged_as_the_official_clients_do(protocol: str) -> None:
    refused = {
        f"{place} = {change}"
        for place, changes in json.loads(VERDICTS.read_text()).items()
        for of_clients in changes.values()
        for change in of_clients
    }
    theirs, ours, stricter = set(), set(), set()
    for mutation in mutations(protocol):
        name = named(mutation)
        if re.search("|".join(OF_ANOTHER_RULE), name):
            continue
        found = list(mismatches(mutation.result(), KINDS[mutation.method], protocol))
        if re.search("|".join(STRICTER), name):
            assert found, name
            assert name not in refused, name
            stricter.add(name)
            continue
        if name in refused:
            theirs.add(name)
        if found:
            ours.add(name)
            # It is told in the object that was changed: without a blob, text is missing.
            holder = mutation.path[:-1]
            assert all(m.path[: len(holder)] == holder for m in found), name
    assert ours == theirs
    assert len(ours) > 1000
    assert len(stricter) in (1, 5)


def test_what_is_said_of_a_place() -> None:
    found = [*mismatches({"content": [{"type": "text", "text": "a", "annotations": None}]}, "CallToolResult", LEGACY)]
    assert [(m.path, m.shown, m.wanted) for m in found] == [(("content", 0, "annotations"), "null", "an object")]
    said = {
        (m.path[-1], m.shown, m.wanted)
        for m in mismatches({"audience": ["all"], "priority": 5, "lastModified": "x" * 41}, "Annotations", None)
    }
    assert said == {
        (0, '"all"', '"assistant" or "user"'),
        ("priority", "5", "a number from 0 to 1"),
        ("lastModified", "a string", "a date and time with a time zone (ISO 8601)"),
    }


def test_a_version_that_does_not_have_a_member_does_not_require_it() -> None:
    assert [m.path for m in mismatches({"tools": []}, "ListToolsResult", MODERN)] == [
        ("resultType",),
        ("ttlMs",),
        ("cacheScope",),
    ]
    assert not [*mismatches({"tools": []}, "ListToolsResult", LEGACY)]
    assert not [*mismatches({"tools": []}, "ListToolsResult", None)]
    # A newer version is read as the newest known one.
    assert [*mismatches({"tools": []}, "ListToolsResult", "2027-01-01")]


@pytest.mark.parametrize("value", [None, 7, "x", [], True])
def test_what_is_no_object_is_one_mismatch(value: object) -> None:
    assert [m.path for m in mismatches(value, "Tool", LEGACY)] == [()]


@pytest.mark.live
@pytest.mark.slow
def test_the_clients_still_judge_as_they_are_recorded_to() -> None:
    assert verdicts() == json.loads(VERDICTS.read_text())
