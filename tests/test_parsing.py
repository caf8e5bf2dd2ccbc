"""Python code of strangers: its warnings are not ours."""

from __future__ import annotations

import ast

import pytest

from mcp_governor.parsing import read_python, read_python_expression


def test_escapes_that_python_warns_of_are_read_in_silence(recwarn: pytest.WarningsRecorder) -> None:
    assert ast.unparse(read_python("FORM = '\\d'\n")) == r"FORM = '\\d'"
    assert ast.unparse(read_python_expression("'\\d'")) == r"'\\d'"
    assert list(recwarn) == []


def test_what_is_not_python_is_an_error() -> None:
    for read in (read_python, read_python_expression):
        with pytest.raises(SyntaxError):
            read("def (")
