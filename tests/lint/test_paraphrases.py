"""The same thing said in many ways is found in all of them, and what only looks like it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

if TYPE_CHECKING:
    from mcp_governor.findings import Finding


def found(
    rule: str, properties: dict[str, Any], description: str = "Does it.", *required: str, tool: str = "do_it"
) -> list[Finding]:
    schema = {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}
    tools = [{"name": name, "description": "Does.", "inputSchema": {"type": "object"}} for name in OTHERS]
    tools.insert(0, {"name": tool, "description": description, "inputSchema": schema})
    return lint(build_surface({"tools": tools}), LintSettings(select=(rule,)))


OTHERS = ("list_items", "get_item", "delete_item")
GROUP = {"file_path": {"type": "string"}, "mode": {"enum": ["fast", "slow"]}, "limit": {"type": "integer"}}


def of(text: str, **schema: Any) -> dict[str, Any]:
    return {"type": "string", **schema, "description": text}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Options are red, green and blue", "red green blue"),
        ("either red or green", "red green"),
        ("Colour to use (red, green, or blue)", "red green blue"),
        ("Allowed: red, green, blue", "red green blue"),
        ("Supported: red, green, blue", "red green blue"),
        ("red (default), green, blue", "red green blue"),
        ("red (default) or green", "red green"),
        ("red, green, blue (default: red)", "red green blue"),
        ("'red' - paints red; 'green' - paints green", "red green"),
        ("`red` (fast), `green` (slow)", "red green"),
        ("The paint: red, green, or blue. Defaults to red.", "red green blue"),
        ("(red|green|blue)", "red green blue"),
        ("<red|green>", "red green"),
    ],
)
def test_closed_lists(text: str, values: str) -> None:
    (finding,) = found("clarity/closed-list", {"paint": of(text)})
    fragment = ", ".join(f'"{value}"' for value in values.split())
    assert f'"enum": [{fragment}]' in finding.fix


@pytest.mark.parametrize(
    "text",
    [
        "Colours to mix, such as (red|green|blue)",
        "For example red, green or blue",
        "e.g. red (default), green, blue",
        "Supported: anything that the shop sells",
        "Accepts a name, a path or an address",
        "either a name or a path",
        "Choose from the list of the shop",
        "cat file | sort | uniq",
    ],
)
def test_what_is_no_closed_list(text: str) -> None:
    assert found("clarity/closed-list", {"paint": of(text)}) == []


@pytest.mark.parametrize(
    "text",
    [
        "The paint to use. Required.",
        "The paint - required",
        "The paint, required",
        "Must be provided",
        "Must be specified",
        "Always required",
        "Required parameter. The paint.",
        "Cannot be omitted",
    ],
)
def test_what_is_required_in_prose(text: str) -> None:
    assert len(found("clarity/prose-required", {"paint": of(text)})) == 1
    assert found("clarity/prose-required", {"paint": of(text)}, "Does it.", "paint") == [], "the schema says so, too"


@pytest.mark.parametrize(
    "text", ["The paint, optional", "The paint to use. Optional.", "The paint (optional, default red)"]
)
def test_what_is_optional_in_prose(text: str) -> None:
    assert len(found("clarity/prose-required", {"paint": of(text)}, "Does it.", "paint")) == 1
    assert found("clarity/prose-required", {"paint": of(text)}) == []


@pytest.mark.parametrize(
    "text",
    ["The paint that is required by law", "The colours required", "Must be specified in RGB", "No primer is required"],
)
def test_what_only_speaks_of_being_required(text: str) -> None:
    assert found("clarity/prose-required", {"paint": of(text)}) == []


@pytest.mark.parametrize("text", ["If not provided, 10 is used", "uses 10 if not specified"])
def test_defaults_of_numbers(text: str) -> None:
    assert len(found("clarity/prose-default", {"rows": of(text, type="integer", default=20)})) == 1
    assert found("clarity/prose-default", {"rows": of(text, type="integer", default=10)}) == []


@pytest.mark.parametrize(
    "text", ["If not provided, `fast` is used", "Default: fast", "defaults to fast", "(default: fast)"]
)
def test_defaults_that_are_values_of_an_enum(text: str) -> None:
    assert len(found("clarity/prose-default", {"mode": of(text, enum=["fast", "slow"], default="slow")})) == 1
    assert found("clarity/prose-default", {"mode": of(text, enum=["fast", "slow"], default="fast")}) == []


@pytest.mark.parametrize(
    ("text", "kind", "fragment"),
    [
        ("Cap: 50", "integer", '"maximum": 50'),
        ("hard limit 50", "integer", '"maximum": 50'),
        ("The limit is 50", "integer", '"maximum": 50'),
        ("length 3-50", "string", '"minLength": 3, "maxLength": 50'),
        ("Length must be between 3 and 50", "string", '"minLength": 3, "maxLength": 50'),
    ],
)
def test_limits(text: str, kind: str, fragment: str) -> None:
    (finding,) = found("clarity/limit-without-bound", {"title": of(text, type=kind)})
    assert fragment in finding.fix


@pytest.mark.parametrize("text", ["exactly 12 characters", "12-character code"])
def test_exact_lengths(text: str) -> None:
    (finding,) = found("clarity/plain-limit", {"title": of(text, type="string")})
    assert '"minLength": 12, "maxLength": 12' in finding.fix


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("length 3-50 m", "string"),
        ("Cap: see the plan", "integer"),
    ],
)
def test_what_is_no_limit_of_the_parameter(text: str, kind: str) -> None:
    assert found("clarity/limit-without-bound", {"title": of(text, type=kind)}) == []


@pytest.mark.parametrize(
    "text",
    [
        "Requires file_id or file_path.",
        "Supply file_id or file_path",
        "file_id OR file_path must be present",
        "Must have file_id or file_path",
    ],
)
def test_one_of_two_is_needed(text: str) -> None:
    properties = {"file_id": {"type": "string"}, **GROUP}
    assert len(found("clarity/argument-dependencies", properties, f"Reads. {text}")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Needs file_path",
        "fast mode only",
        "Used with mode='fast'",
        "For mode 'fast': the id",
        "Optional if file_path is provided",
    ],
)
def test_what_a_parameter_depends_on(text: str) -> None:
    properties = {"file_id": of(text), **GROUP}
    rules = ("clarity/argument-dependencies", "clarity/argument-ignored")
    assert [one for rule in rules for one in found(rule, properties)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Use the `limit` parameter to cap.", "limit"),
        ("Pass the `cursor` parameter.", "cursor"),
        ("Set `include_archived` to true.", "include_archived"),
        ("Provide `user_id` to filter.", "user_id"),
        ("`user_id` is required.", "user_id"),
    ],
)
def test_parameters_that_do_not_exist(text: str, name: str) -> None:
    properties = {"query": {"type": "string"}, "maxResults": {"type": "integer"}}
    (finding,) = found("clarity/unknown-argument", properties, f"Searches things. {text}")
    assert name in finding.message
    properties[name] = {"type": "string"}
    assert found("clarity/unknown-argument", properties, f"Searches things. {text}") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Use `find_items` to search.", "find_items"),
        ("Takes ids from `search_items`.", "search_items"),
        ("Call listItems first.", "listItems"),
        ("See also: remove_item", "remove_item"),
        ("Use find_item instead.", "find_item"),
        ("Get it with find_items.", "find_items"),
        ("Reads it, then pass it to `update_item`.", "update_item"),
    ],
)
def test_tools_that_do_not_exist(text: str, name: str) -> None:
    (finding,) = found("clarity/unknown-tool", {}, text)
    assert name in finding.message
    assert found("clarity/unknown-tool", {}, text.replace(name, "get_item")) == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Pass null (or an empty text) to clear it.", "string"),
        ("Options of the browser. Default null.", "object"),
        ("The folder. Empty, null or omitted means the root.", "string"),
        ("Set to 0 to unassign. Null is treated as omitted.", "string"),
        ("Budget in cents, as a string", "integer"),
        ("The limit as a number.", "boolean"),
        ("If true, sorts the newest first.", "string"),
    ],
)
def test_types_in_prose(text: str, kind: str) -> None:
    assert len(found("clarity/prose-type", {"value": of(text, type=kind)})) == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The budget, returned as a string.", "integer"),
        ("Passing null is not allowed.", "string"),
        ("What to do if the default is null.", "string"),
        ("If true, the answer is shown.", "boolean"),
        ("Shown as a number of days", "string"),
    ],
)
def test_what_states_no_other_type(text: str, kind: str) -> None:
    assert found("clarity/prose-type", {"value": of(text, type=kind)}) == []
