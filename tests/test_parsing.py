"""Python code of strangers: its warnings are not ours."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from mcp_governor.parsing import read_python, read_python_expression


def test_escapes_that_python_warns_of_are_read_in_silence(recwarn: pytest.WarningsRecorder) -> None:
    assert ast.unparse(read_python("FORM = '\\d'\n")) == r"FORM = '\\d'"
    assert ast.unparse(read_python_expression("'\\d'")) == r"'\\d'"
    assert list(recwarn) == []


def test_a_project_with_such_escapes_leaves_standard_error_alone(tmp_path) -> None:
    (tmp_path / "server.py").write_text("from fastmcp import FastMCP\nmcp = FastMCP('x')\nFORM = '\\d'\n", "utf-8")
    script = (
        "import sys; from pathlib import Path; from mcp_governor.target.discover.python_source import find_objects\n"
        "print([name for _, name in find_objects(Path(sys.argv[1]))])"
    )
    ran = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert ran.stdout == "['server:mcp']\n"
    assert ran.stderr == ""


def test_what_is_not_python_is_an_error() -> None:
    for read in (read_python, read_python_expression):
        with pytest.raises(SyntaxError):
            read("def (")
