"""Where a project defines its tools: found in its text, whatever else lies there."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from mcp_governor.target.discover import tool_source
from mcp_governor.target.discover.tool_source import tool_sources


def found(folder: Path, *names: str) -> dict[str, tuple[str, int, bool]]:
    return {name: (one.file, one.line, one.certain) for name, one in tool_sources(folder, names).items()}


def written(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("@mcp.tool()\ndef find(query: str): ...\n", 2),
        ("@mcp.tool\nasync def find(query: str): ...\n", 2),
        ("@tool\ndef find(query: str): ...\n", 2),
        ("class S:\n    @app.tool(title='x')\n    def find(self): ...\n", 3),
        ("@mcp.tool(name='find')\ndef find_all(): ...\n", 2),
        ("@mcp.tool('find')\ndef find_all(): ...\n", 2),
        ("TOOLS = [\n    Tool(name='find', inputSchema={}),\n]\n", 2),
        ("def make():\n    return [types.Tool(\n        name='find')]\n", 2),
        ("class Names(str, Enum):\n    FIND = 'find'\n\n\nTool(name=Names.FIND)\n", 5),
        ("class Names(Enum):\n    FIND = 'find'\n\n\nTool(name=Names.FIND.value)\n", 5),
        ("FIND = 'find'\nTool(name=FIND)\n", 2),
        ("def find(a): ...\n\n\nmcp.add_tool(find)\n", 1),
        ("def find_all(a): ...\n\n\nmcp.add_tool(find_all, name='find')\n", 1),
        ("def find_all(a): ...\n\n\nmcp.tool(name='find')(find_all)\n", 1),
        ("def find(a): ...\n\n\nmcp.tool()(find)\n", 1),
    ],
)
def test_python_says_where_a_tool_is_defined(tmp_path, text, line):
    written(tmp_path, "src/pkg/server.py", text)
    assert found(tmp_path, "find") == {"find": ("src/pkg/server.py", line, True)}


@pytest.mark.parametrize(
    "text",
    [
        "def find(query): ...\n",  # no tool
        "@functools.cache\ndef find(query): ...\n",
        "@mcp.tool(name=make_name())\ndef find(query): ...\n",  # another name, whatever it is
        "@mcp.prompt()\ndef find(query): ...\n",
        "Person(name='find')\n",
        "text = 'Tool(name=\"find\")'\n",
        "# @mcp.tool()\n# def find(): ...\n",
    ],
)
def test_what_only_looks_like_a_tool_is_none(tmp_path, text):
    written(tmp_path, "server.py", text)
    assert found(tmp_path, "find") == {}


def test_two_definitions_of_one_name_are_not_certain(tmp_path):
    written(tmp_path, "a.py", "@mcp.tool()\ndef find(): ...\n")
    written(tmp_path, "b.py", "\n@mcp.tool()\ndef find(): ...\n")
    assert found(tmp_path, "find")["find"][2] is False


def test_a_function_is_preferred_to_a_description_of_it(tmp_path):
    written(tmp_path, "a.py", "Tool(name='find')\n")
    written(tmp_path, "b.py", "@mcp.tool()\ndef find(): ...\n")
    assert found(tmp_path, "find") == {"find": ("b.py", 2, True)}


@pytest.mark.parametrize(
    "text",
    [
        "server.registerTool(\n  'find', {\n",
        'server.tool(\n  "find", "Finds.",\n',
        "registerAppTool(server,\n  `find`, {})\n",
        "export const TOOL = {\n  name: 'find',\n",
    ],
)
def test_typescript_is_likely_only(tmp_path, text):
    written(tmp_path, "src/index.ts", text)
    assert found(tmp_path, "find") == {"find": ("src/index.ts", 2, False)}


def test_parameters_are_read_as_they_are_written(tmp_path):
    written(tmp_path, "s.py", "@mcp.tool()\ndef find(a: str, *,\n    b: 'int | None' = None, c=1): ...\n")
    one = tool_sources(tmp_path, ["find"])["find"]
    assert {name: (p.line, p.annotation, p.default) for name, p in one.parameters.items()} == {
        "a": (2, "str", ""),
        "b": (3, "'int | None'", "None"),
        "c": (3, "", "1"),
    }


def test_arguments_are_found_in_a_literal_schema_and_in_a_model(tmp_path):
    text = """Tool(
    name="find",
    inputSchema={
        "type": "object",
        "properties": {
            "query": {"type": "string"},
            **more,
        },
    },
)


class Read(BaseModel):
    path: str
    limit: Annotated[int, Field(gt=0)] = 5


Tool(name="read", inputSchema=Read.model_json_schema())
Tool(name="other", inputSchema=Elsewhere.model_json_schema())
"""
    written(tmp_path, "s.py", text)
    sources = tool_sources(tmp_path, ["find", "read", "other"])
    assert {name: one.line for name, one in sources.items()} == {"find": 1, "read": 18, "other": 19}
    assert {name: p.line for name, p in sources["find"].parameters.items()} == {"query": 6}
    assert {name: (p.line, p.annotation, p.default) for name, p in sources["read"].parameters.items()} == {
        "path": (14, "str", ""),
        "limit": (15, "Annotated[int, Field(gt=0)]", "5"),
    }
    assert sources["other"].parameters == {}


def test_nothing_is_run_and_nothing_outside_is_read(tmp_path):
    project, outside = tmp_path / "project", tmp_path / "outside"
    mark = tmp_path / "ran"
    tool = "@mcp.tool()\ndef find(): ...\n"
    written(project, "run.py", f"open({str(mark)!r}, 'w')\nimport nothing_like_it\n")
    secret = written(outside, "secret.py", tool)
    (project / "link.py").symlink_to(secret)
    (project / "folder").symlink_to(outside)
    (project / "loop").symlink_to(project)
    for skipped in (".venv/x.py", "node_modules/x.js", "tests/x.py", ".hidden/x.py", "dist/x.js"):
        written(project, skipped, tool + "registerTool('find')")
    assert found(project, "find") == {}
    assert not mark.exists()


def test_files_that_cannot_be_read_hide_no_others(tmp_path):
    written(tmp_path, "a.py", "def find(:\n  'find'")
    written(tmp_path, "b.py", "find = " + "(" * 50_000)
    written(tmp_path, "c.py", "find = " + "-" * 100_000 + "1")
    (tmp_path / "d.py").write_bytes(b"find \xff\xfe\x00")
    (tmp_path / "e.py").write_text("find\n" + "x = 1\n" * 200_000)
    os.mkfifo(tmp_path / "f.py")
    written(tmp_path, "z.py", "@mcp.tool()\ndef find(): ...\n")
    started = time.process_time()
    assert found(tmp_path, "find") == {"find": ("z.py", 2, True)}
    assert time.process_time() - started < 30


def test_beyond_a_number_of_bytes_nothing_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(tool_source, "_MAX_TEXT", 100)
    for index in range(5):
        written(tmp_path, f"a{index}.py", "#" * 60)
    written(tmp_path, "z.py", "@mcp.tool()\ndef find(): ...\n")
    assert found(tmp_path, "find") == {}
