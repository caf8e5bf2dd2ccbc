"""What a rule may say without Python, beyond a path and a schema: conditions, names, options, several cases."""

from __future__ import annotations

import json
import textwrap

import pytest

from mcp_governor.errors import ConfigError
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

HEAD = """
id = "acme/case"
summary = "A rule."
why = "Because."
source = "House rules, 1."
severity = "warning"
since = "1.0"
fix = "Change {name}."
"""
EXAMPLES = """
[[pass]]
tool = '{"name": "a", "inputSchema": {}}'

[[fail]]
tool = '{"name": "a", "inputSchema": {}}'
"""
SCHEMA = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "12345"},
        "size": {"anyOf": [{"$ref": "#/$defs/size"}, {"type": "null"}]},
        "list": {"type": "array"},
    },
    "$defs": {"size": {"type": "integer", "description": "1234567"}},
}
TOOL = {"name": "search", "inputSchema": SCHEMA, "_meta": {"a b": 1, "c": 2}}


def run(tmp_path, body, options=None, head=HEAD):
    path = tmp_path / "rules" / "acme"
    path.mkdir(parents=True, exist_ok=True)
    (path / "case.toml").write_text(head + textwrap.dedent(body) + EXAMPLES)
    settings = LintSettings(
        select=("acme/case",), rule_paths=(tmp_path / "rules",), options={"acme/case": options} if options else {}
    )
    return [(f.path, f.value, f.message) for f in lint(build_surface({"tools": [TOOL]}), settings)]


def test_when_is_about_what_the_rule_looks_at(tmp_path):
    body = """
    on = "input"
    given = "$.description"
    when = { required = ["type"], properties.type.const = "string" }
    then = false
    message = "{name} in {argument}: {kind} of {length}."
    """
    pointer = "/inputSchema/properties/query/description"
    assert run(tmp_path, body) == [(pointer, "12345", "description in query: a string of 5.")]


def test_argument_chooses_schemas_by_the_name_of_their_argument(tmp_path):
    body = """
    on = "input"
    argument = "^l"
    then = { required = ["items"] }
    message = "{name} has no items."
    """
    assert run(tmp_path, body) == [("/inputSchema/properties/list", {"type": "array"}, "list has no items.")]


def test_names_are_judged_and_can_be_the_value_in_question(tmp_path):
    body = """
    given = "$._meta.*"
    judge = "name"
    forbid = " "
    message = "{name} is {value}."
    """
    assert run(tmp_path, body) == [("/_meta/a b", 1, "a b is 1.")]
    assert run(tmp_path / "other", body.replace("judge", 'value = "name"\n    judge')) == [
        ("/_meta/a b", "a b", "a b is a b.")
    ]


def test_a_schema_is_judged_as_it_comes_out(tmp_path):
    body = """
    on = "input"
    given = "$.properties['size', 'query']"
    resolve = true
    then = { properties = { type.const = "string", description.maxLength = 3 } }
    message = "{name}."
    """
    size = SCHEMA["properties"]["size"]
    # Two things are wrong with what size refers to, and it is one finding, where the argument is declared.
    assert run(tmp_path, body) == [
        ("/inputSchema/properties/query", SCHEMA["properties"]["query"], "query."),
        ("/inputSchema/properties/size", size, "size."),
    ]


def test_an_option_stands_for_its_value_in_schemas_and_patterns(tmp_path):
    body = """
    given = "$.inputSchema.properties.*.description"
    then = { maxLength = "{max}" }
    message = "{length} are more than {max}."

    [options.max]
    default = 5
    schema = { type = "integer" }
    summary = "The most."
    """
    assert run(tmp_path, body) == []
    place = "/inputSchema/properties/query/description"
    assert run(tmp_path, body, {"max": 4}) == [(place, "12345", "5 are more than 4.")]


def test_each_case_has_its_sentence_and_its_value(tmp_path):
    body = """
    [messages]
    none = "{tool} has no title: {kind}."
    short = "{name} is long."

    [[cases]]
    then = { required = ["title"] }
    value = "$.title"
    says = "none"

    [[cases]]
    given = "$.name"
    then = { maxLength = 3 }
    says = "short"
    """
    assert run(tmp_path, body) == [("", None, "search has no title: null."), ("/name", "search", "name is long.")]


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ('message = "m"\n[[cases]]\nthen = {}\nsays = "no"', 13, "has no message 'no'"),
        ('message = "m"\ngiven = "$"\n[[cases]]\nthen = {}', 11, "sets given next to cases"),
        ('message = "m"\nargument = "a"\nthen = {}', 11, "sets argument, but looks at a tool"),
        ('message = "m"\non = "prompt"\nresolve = true\nthen = {}', 12, "sets resolve, but looks at a prompt"),
        ('message = "m"\n[[cases]]\nthen = {}\n[[cases]]\nforbid = "("', 14, "not a regular expression"),
        ('message = "m"\nwhen = { type = "strin" }\nthen = {}', 11, "does not compile: when"),
        ('message = "m"\nvalue = "$.["\nthen = {}', 11, "not a JSONPath"),
        ('message = "m"\nvalue = "names"\nthen = {}', 11, "value"),
        ('message = "m"\n[[cases]]\ngiven = "$"', 11, "cases.0"),
    ],
)
def test_a_case_that_cannot_work_is_one_error_with_its_line(tmp_path, body, line, says):
    with pytest.raises(ConfigError) as caught:
        run(tmp_path, "\n" + body)
    assert f"case.toml:{line} " in caught.value.message
    assert says in caught.value.message


@pytest.mark.parametrize("expression", ["$.*", "$[*]", "$.a[*]", "$['a', 'b'].*", "$.a['c','b'][*]", "$.b[*][*]"])
def test_what_is_found_without_the_library_is_what_the_library_finds(expression):
    from jsonpath_rfc9535 import find

    from mcp_governor.rules.query import compile_query

    document = json.loads('{"b": [[1], {"c": 2}, "x"], "a": {"b": [3], "c": {"d": null}}}')
    assert [(way, value) for way, value in compile_query(expression)(document)] == [
        (tuple(node.location), node.value) for node in find(expression, document)
    ]
