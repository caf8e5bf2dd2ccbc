"""A number is written down together with its reason: what it counts, why so many, what happens beyond it."""

import ast
from pathlib import Path

import pytest

import mcp_governor

PACKAGE = Path(mcp_governor.__file__).parent


def is_number(value):
    """Whether an expression is a number, or a row of numbers, that somebody chose."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    if isinstance(value, ast.BinOp):
        sides = (value.left, value.right)
        return any(map(is_number, sides)) and all(is_number(side) or isinstance(side, ast.Name) for side in sides)
    # A row of rows is a table, whose numbers are data.
    rows = isinstance(value, ast.Tuple) and value.elts
    return bool(rows) and all(is_number(item) and not isinstance(item, ast.Tuple) for item in rows)


def cache_size(decorator):
    """The chosen size of a cache, which is a limit without a name."""
    if not isinstance(decorator, ast.Call) or "lru_cache" not in ast.unparse(decorator.func):
        return False
    return any(keyword.arg == "maxsize" and is_number(keyword.value) for keyword in decorator.keywords)


def without_reason(source):
    """Names of constants and cached functions whose number has neither a docstring below nor a comment above it."""
    tree, lines = ast.parse(source), source.splitlines()

    def has_comment(node):
        return lines[node.lineno - 2].lstrip().startswith("#") or "  # " in lines[node.lineno - 1]

    missing = []
    for statement, following in zip(tree.body, [*tree.body[1:], None], strict=False):
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or not is_number(statement.value):
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        is_reported = isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant)
        # What changes while the program runs is not a constant.
        if ast.unparse(target).replace("_", "").isupper() or isinstance(target, ast.Tuple):
            missing += [] if is_reported or has_comment(statement) else [ast.unparse(target)]
    for node in ast.walk(tree) if "maxsize" in source else ():
        if isinstance(node, ast.FunctionDef):
            sizes = [decorator for decorator in node.decorator_list if cache_size(decorator)]
            missing += [node.name for decorator in sizes if not has_comment(decorator)]
    return missing


ROOMS = [path for path in PACKAGE.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]


@pytest.mark.parametrize("room", sorted(ROOMS), ids=lambda room: room.name)
def test_each_number_says_why_it_is_that_one(room):
    paths = room.rglob("*.py") if room.is_dir() else [room]
    missing = {str(path): without_reason(path.read_text(encoding="utf-8")) for path in paths}
    assert {path: names for path, names in missing.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("import math\nMOST = 5\n", ["MOST"]),
        ("import math\n_BYTES: int = 4 * KIB\n", ["_BYTES"]),
        ("import math\nSHORT, LONG = 1, -2.5\n", ["(SHORT, LONG)"]),
        ('import math\nMOST = 5\n"""Hands have five fingers."""\n', []),
        ("# Hands have five fingers.\nMOST = 5\n", []),
        ("import math\nMOST = 5  # fingers\n", []),
        ('import math\nFIRST = 5\nSECOND = 6\n"""Only the second says why."""\n', ["FIRST"]),
        ("import math\nNAMES = {'a': 5}\ntimes = 0\nFLAG = True\n", []),
        ("import math\n@lru_cache(maxsize=16)\ndef known(): ...\n", ["known"]),
        ("import math\n# two per tool\n@functools.lru_cache(maxsize=16)\ndef known(): ...\n", []),
        ("import math\n@lru_cache(maxsize=None)\ndef known(): ...\n", []),
    ],
)
def test_a_number_without_a_reason_is_seen(source, missing):
    assert without_reason(source) == missing
