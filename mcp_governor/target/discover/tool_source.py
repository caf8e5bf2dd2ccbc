"""Find the definitions of tools in the source of a project, without importing it; files, bytes and time are limited.

In Python, the syntax tree shows a function with a decorator ``@….tool``, or a call with ``name="…"`` such as
``Tool(name="…")``. In TypeScript and JavaScript, searching the text (``registerTool("…"``) gives probable places only.
"""

from __future__ import annotations

import ast
import re
import time
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from mcp_governor.files import read_bytes
from mcp_governor.parsing import read_python
from mcp_governor.target.discover.python_source import MAX_BYTES, source_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

_PYTHON = (".py",)
_SCRIPTS = (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs")
_MAX_TEXT = 64_000_000
"""Most bytes that are read in total. Tools in the rest have no known place, and fixes are shown without one."""
_SECONDS = 10.0
"""Time limit for all files together, in seconds; tools in the rest have no known place."""
_MAX_NODES = 500_000
"""Most nodes of one syntax tree; hand-written files have about 10,000."""
_WORD = re.compile(r"[\w.\-/]+")
_REGISTERED = re.compile(
    r"""(?:\b(?:registerTool|addTool|tool|registerAppTool)\s*\(\s*(?:\w{1,40}\s*,\s*)?|\bname\s*:\s*)"""
    r"""["'`]([\w.\-/]{1,128})["'`]"""
)


class Parameter(Struct, frozen=True):
    """A parameter of a Python function, a field of a model, or the key of a parameter in a literal schema.

    Attributes:
        line: line number.
        annotation: source of its annotation; empty if there is none.
        default: source of its default; empty if there is none.
    """

    line: int
    annotation: str
    default: str


class ToolSource(Struct, frozen=True):
    """The place where a tool is defined.

    Attributes:
        file: path relative to the project, with forward slashes.
        line: line number, from 1.
        certain: true if the syntax tree shows it, in one place only.
        function: true if the place is the function of the tool.
        parameters: parameters of the function, or of the class or literal with the input schema, by name.
        hintable: true if it has a decorator without ``annotations``, which is a call or a name.
    """

    file: str
    line: int
    certain: bool = False
    function: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    hintable: bool = False


def tool_sources(folder: Path, names: Collection[str]) -> dict[str, ToolSource]:
    """The places of tools by name; tools that are not found are left out.

    Args:
        folder: folder of the project; files outside of it are not read, and links are not followed.
        names: names of the tools.
    """
    wanted = frozenset(names)
    found: dict[str, list[ToolSource]] = {}
    until, left = time.monotonic() + _SECONDS, _MAX_TEXT
    for path in source_paths(folder, (*_PYTHON, *_SCRIPTS), nested=True):
        if left <= 0 or time.monotonic() > until:
            break
        if path.is_symlink():
            continue
        try:
            text = read_bytes(path, limit=MAX_BYTES).decode()
        except (OSError, ValueError):
            continue
        left -= len(text)
        shown = path.relative_to(folder).as_posix()
        for name, source in (
            _in_python(text, shown, wanted) if path.suffix == ".py" else _in_script(text, shown, wanted)
        ):
            found.setdefault(name, []).append(source)
    return {name: _best(sources) for name, sources in found.items()}


def _best(sources: list[ToolSource]) -> ToolSource:
    """The best of several places, preferring functions; certain only if it is the only one."""
    best = min(sources, key=lambda one: (not one.certain, not one.function))
    rivals = [one for one in sources if one.certain and one.function == best.function]
    if len(rivals) > 1:
        return ToolSource(best.file, best.line)
    return best


# -- TypeScript and JavaScript


def _in_script(text: str, file: str, wanted: frozenset[str]) -> Iterator[tuple[str, ToolSource]]:
    for match in _REGISTERED.finditer(text):
        if match[1] in wanted:
            yield match[1], ToolSource(file, text.count("\n", 0, match.start(1)) + 1)


# -- Python


_Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Module(NamedTuple):
    """What one file defines: functions and classes by name, and constants as ``NAME`` and ``CLASS.NAME``."""

    functions: dict[str, _Function]
    classes: dict[str, ast.ClassDef]
    constants: dict[str, str]


def _in_python(text: str, file: str, wanted: frozenset[str]) -> Iterator[tuple[str, ToolSource]]:
    if wanted.isdisjoint(_WORD.findall(text)):
        return
    try:
        tree = read_python(text)
        nodes = []
        for node in ast.walk(tree):
            nodes.append(node)
            if len(nodes) > _MAX_NODES:
                return
        yield from list(_defined(tree, nodes, file, wanted))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return


def _defined(
    tree: ast.Module, nodes: list[ast.AST], file: str, wanted: frozenset[str]
) -> Iterator[tuple[str, ToolSource]]:
    functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    module = _Module(functions, classes, dict(_constants(tree)))
    decorators = set()
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for decorator in node.decorator_list:
                decorators.add(id(decorator))
                name = _decorated(decorator, node.name, module)
                if name in wanted:
                    yield name, _function(node, file, hintable=_hintable(decorator))
    for node in nodes:
        if isinstance(node, ast.Call) and id(node) not in decorators:
            named = _called(node, module)
            if named is not None and named[0] in wanted:
                name, function = named
                yield name, _function(function, file) if function else _listed(node, file, module)


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for statement in tree.body:
        yield from _assigned(statement, "")
        if isinstance(statement, ast.ClassDef):
            for inner in statement.body:
                yield from _assigned(inner, f"{statement.name}.")


def _assigned(statement: ast.stmt, prefix: str) -> Iterator[tuple[str, str]]:
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Constant):
        return
    value = statement.value.value
    for target in statement.targets:
        if isinstance(target, ast.Name) and isinstance(value, str):
            yield prefix + target.id, value


def _dotted(expression: ast.expr) -> str:
    """``a.b`` for ``a.b`` and ``a.b(…)``; empty for anything else."""
    if isinstance(expression, ast.Call):
        return _dotted(expression.func)
    if isinstance(expression, ast.Attribute):
        inner = _dotted(expression.value)
        return f"{inner}.{expression.attr}" if inner else ""
    return expression.id if isinstance(expression, ast.Name) else ""


def _text(expression: ast.expr | None, module: _Module) -> str | None:
    """The string value of an expression: a literal, or a constant of the file."""
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else None
    if expression is None:
        return None
    return module.constants.get(_dotted(expression).removesuffix(".value"))


def _hintable(decorator: ast.expr) -> bool:
    return not (isinstance(decorator, ast.Call) and any(one.arg in (None, "annotations") for one in decorator.keywords))


def _named(call: ast.Call, module: _Module) -> str | None:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "name"), None)
    return _text(given, module)


def _decorated(decorator: ast.expr, function: str, module: _Module) -> str | None:
    """The name of the tool that a decorator creates from a function."""
    if _dotted(decorator).rpartition(".")[2] not in ("tool", "mcp_tool"):
        return None
    if isinstance(decorator, ast.Call):
        if any(keyword.arg == "name" for keyword in decorator.keywords):
            return _named(decorator, module)
        if decorator.args:
            return _text(decorator.args[0], module)
    return function


def _called(call: ast.Call, module: _Module) -> tuple[str, _Function | None] | None:
    """The name of the tool that a call creates, and its function if the call names one in this file."""
    made = _dotted(call.func).rpartition(".")[2]
    name = _named(call, module)
    if made in ("Tool", "from_function", "add_tool", "tool") or (made == "" and isinstance(call.func, ast.Call)):
        # mcp.tool()(function), mcp.add_tool(function, name="…"), Tool.from_function(function)
        if isinstance(call.func, ast.Call):
            if _dotted(call.func).rpartition(".")[2] != "tool":
                return None
            name = _named(call.func, module)
        argument = call.args[0] if call.args else None
        function = module.functions.get(argument.id) if isinstance(argument, ast.Name) else None
        if name is None and function is not None:
            return function.name, function
        return (name, function) if name is not None else None
    return (name, None) if name is not None and made.endswith("Tool") else None


def _listed(call: ast.Call, file: str, module: _Module) -> ToolSource:
    """A tool that a call defines, with its parameters if the call contains their schema or names its class."""
    schema = next((one.value for one in call.keywords if one.arg in ("inputSchema", "input_schema")), None)
    parameters: dict[str, Parameter] = {}
    if isinstance(schema, ast.Dict):
        properties = _member(schema, "properties")
        for key in properties.keys if isinstance(properties, ast.Dict) else ():
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                parameters[key.value] = Parameter(key.lineno, "", "")
    elif isinstance(schema, ast.Call):
        owner, _, method = _dotted(schema).rpartition(".")
        if method in ("model_json_schema", "schema") and owner in module.classes:
            parameters = dict(_fields(module.classes[owner]))
    return ToolSource(file, call.lineno, certain=True, parameters=parameters)


def _member(value: ast.Dict, name: str) -> ast.expr | None:
    for key, member in zip(value.keys, value.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == name:
            return member
    return None


def _fields(model: ast.ClassDef) -> Iterator[tuple[str, Parameter]]:
    for statement in model.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            default = ast.unparse(statement.value) if statement.value is not None else ""
            annotation = ast.unparse(statement.annotation)
            yield statement.target.id, Parameter(statement.lineno, annotation, default)


def _function(node: _Function, file: str, *, hintable: bool = False) -> ToolSource:
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
    pairs = [
        *zip(positional, [*missing, *arguments.defaults], strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    parameters = {
        one.arg: Parameter(
            one.lineno,
            ast.unparse(one.annotation) if one.annotation else "",
            ast.unparse(default) if default else "",
        )
        for one, default in pairs
    }
    return ToolSource(file, node.lineno, certain=True, function=True, parameters=parameters, hintable=hintable)
