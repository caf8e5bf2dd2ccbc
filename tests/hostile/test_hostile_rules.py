"""A folder of rules that a stranger wrote: data, and it costs no more than data may."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attack import attack
from traps import TOOL, put

RULE = """
id = "own/rule"
summary = "A rule."
why = "Because."
source = "Nowhere."
severity = "warning"
since = "1"
message = "The value is wrong."
fix = "Change it."
"""
EXAMPLES = '[[pass]]\ntool = {name = "x"}\n[[fail]]\ntool = {name = "find"}\n'
CONFIG = '[lint]\nrules = ["rules"]\nselect = ["own/*"]\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A configuration with a folder of rules, and a recording of thirty tools with nested schemas."""
    schema: dict = {"type": "string"}
    for _ in range(20):
        schema = {"type": "object", "properties": {"a": schema, "b": {"type": "string"}}}
    tools = [{**TOOL, "name": f"find{number}", "inputSchema": schema} for number in range(30)]
    return put(tmp_path, {"mcp-governor.toml": CONFIG, "s.json": json.dumps({"tools": tools})})


def rule(more: str, examples: str = EXAMPLES) -> dict[str, str | bytes]:
    return {"rules/rule.toml": f"{RULE}{more}\n{examples}"}


def selected(name: str, count: int) -> str:
    return f"[{','.join([name] * count)}]"


QUERIES = {
    "a long list of selectors": "$" + selected("*", 400) * 3,
    "lists of selectors": "$" + selected("*", 30) * 8,
    "one name in many lists": "$" + selected("'inputSchema'", 20) + selected("'properties'", 20) * 2,
    "descents with lists": "$" + f"..{selected('*', 50)}" * 4,
    "descents": "$" + "..*" * 30,
    "filters that find nothing": "$" + f"..[{','.join(['?@..[?@..x]'] * 50)}]",
    "parentheses": f"$[?{'(' * 450}@.a{')' * 450}]",
    "more parentheses": f"$[?{'(' * 5000}@.a{')' * 5000}]",
    "negations": f"$[?{'!' * 900}@.a]",
    "more negations": f"$[?{'!' * 60_000}@.a]",
    "a long condition": f"$[?{'&&'.join(['@.a'] * 20_000)}]",
    "a large index": f"$[{'9' * 900}]",
    "a larger index": f"$[{'9' * 6_000}]",
    "a number that is infinite": "$[?@.a==1e99999]",
    "a number of many digits": f"$[?@.a=={'1' * 900}]",
}


@pytest.mark.parametrize("query", QUERIES)
def test_a_query_neither_hangs_nor_grows(folder: Path, query: str) -> None:
    """Took 2 GB, or had no end, or was a bug of ours."""
    put(folder, rule(f'given = {json.dumps(QUERIES[query])}\nforbid = "x"'))
    attack("lint", "s.json", cwd=folder, seconds=15).held(0, 2)


def test_queries_that_may_be_written_find_what_they_did(folder: Path) -> None:
    put(folder, rule("given = \"$['name', 'name', 'title']\"\nforbid = '^find7$'"))
    found = attack("lint", "s.json", "--format", "json", cwd=folder).held(0).report["findings"]
    assert [(one["tool"], one["path"]) for one in found] == [("find7", "/name")] * len(found) != []
    put(folder, rule("given = \"$..[?@.type == 'string' && !@.title]\"\nforbid = 'x'\n"))
    attack("lint", "s.json", cwd=folder).held(0)


BRANCH = '{type = "integer"},'

OTHERS = {
    "an option with a schema without end": (
        "options.a.default = 1\noptions.a.summary = 'x'\n"
        "[options.a.schema]\n'$ref' = '#/$defs/d0'\n[options.a.schema.'$defs']\n"
        + "".join(
            f"d{n} = {{allOf = [{{'$ref' = '#/$defs/d{n + 1}'}}, {{'$ref' = '#/$defs/d{n + 1}'}}]}}\n"
            for n in range(40)
        )
        + "d40 = {type = 'integer'}\n",
        EXAMPLES,
        "options.a.schema: it could run forever, because it repeats itself too often",
    ),
    "an option whose schema has many branches, and whose default is long": (
        f"options.a.default = [{'0,' * 20_000}]\noptions.a.summary = 'x'\n"
        f"[options.a.schema]\nanyOf = [{BRANCH * 2_000}]\n",
        EXAMPLES,
        "has a default that its schema refuses",
    ),
    "a message that is filled in for every finding": (
        f"messages.a = '{'{value:all}' * 20_000}'\n",
        EXAMPLES,
        '"messages.a" is wrong: ',
    ),
    "an example without end": (
        "",
        f"[[pass]]\ntool = '{'[' * 60_000}{']' * 60_000}'\n",
        "nested deeper than 200 levels",
    ),
    "an example that is infinite": ("", "[[pass]]\ntool = '{\"a\": 1e999}'\n", "too large"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_rule_file_costs_what_a_file_costs(folder: Path, what: str) -> None:
    more, examples, reported = OTHERS[what]
    put(folder, rule(f'forbid = "x"\n{more}', examples if "[[fail]]" in examples else examples + EXAMPLES))
    assert reported in attack("lint", "s.json", cwd=folder, seconds=15).held(2).err
