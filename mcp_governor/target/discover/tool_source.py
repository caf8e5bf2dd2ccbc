"""Find the definitions of tools in the source of a project, without importing it; files, bytes and time are limited.

In Python, the syntax tree shows a function with a decorator ``@….tool``, or a call with ``name="…"`` such as
``Tool(name="…")``. In TypeScript and JavaScript, searching the text (``registerTool("…"``) gives probable places only.
"""

from __future__ import annotations

import ast
import re
import time
from typing import TYPE_CHECKING

from msgspec import Struct, field

from mcp_governor.files import read_bytes
from mcp_governor.parsing import read_python
from mcp_governor.target.discover.python_source import MAX_BYTES, source_paths

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

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
    for path in source_paths(folder, (".py", *_SCRIPTS), nested=True):
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
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


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
    defined = [node for node in nodes if isinstance(node, _FUNCTIONS)]
    functions = {node.name: node for node in defined}
    classes = {node.name: node for node in nodes if isinstance(node, ast.ClassDef)}
    constants = dict(_constants(tree.body, ""))
    for node in defined:
        for decorator in node.decorator_list:
            name = _decorated(decorator, node.name, constants)
            if name in wanted:
                yield name, _function(node, file, hintable=_hintable(decorator))
    decorators = {id(decorator) for node in defined for decorator in node.decorator_list}
    for call in nodes:
        if isinstance(call, ast.Call) and id(call) not in decorators:
            name, function = _called(call, functions, constants)
            if name in wanted:
                yield name, _function(function, file) if function else _listed(call, file, classes)


def _constants(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, str]]:
    """Strings that a module and its classes name: ``NAME`` and ``CLASS.NAME``."""
    for statement in body:
        if isinstance(statement, ast.ClassDef) and not prefix:
            yield from _constants(statement.body, f"{statement.name}.")
        elif isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
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


def _text(expression: ast.expr | None, constants: Mapping[str, str]) -> str | None:
    """The string value of an expression: a literal, or a constant of the file."""
    if isinstance(expression, ast.Constant):
        return expression.value if isinstance(expression.value, str) else None
    return constants.get(_dotted(expression).removesuffix(".value")) if expression is not None else None


def _hintable(decorator: ast.expr) -> bool:
    return not (isinstance(decorator, ast.Call) and any(one.arg in (None, "annotations") for one in decorator.keywords))


def _argument(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _decorated(decorator: ast.expr, function: str, constants: Mapping[str, str]) -> str | None:
    """The name of the tool that a decorator creates from a function."""
    if _dotted(decorator).rpartition(".")[2] not in ("tool", "mcp_tool"):
        return None
    if isinstance(decorator, ast.Call):
        named = _argument(decorator, "name") or next(iter(decorator.args), None)
        return function if named is None else _text(named, constants)
    return function


def _called(
    call: ast.Call, functions: Mapping[str, _Function], constants: Mapping[str, str]
) -> tuple[str | None, _Function | None]:
    """The name of the tool that a call creates, and its function if the call names one in this file."""
    maker = call.func
    made = _dotted(maker).rpartition(".")[2]
    # mcp.tool()(function), mcp.add_tool(function, name="…"), Tool.from_function(function)
    applied = isinstance(maker, ast.Call) and made == "tool"
    name = _text(_argument(maker if applied and isinstance(maker, ast.Call) else call, "name"), constants)
    if applied or (not isinstance(maker, ast.Call) and made in ("Tool", "from_function", "add_tool", "tool")):
        argument = call.args[0] if call.args else None
        function = functions.get(argument.id) if isinstance(argument, ast.Name) else None
        return name or (function.name if function else None), function
    return (name if made.endswith("Tool") else None), None


def _listed(call: ast.Call, file: str, classes: Mapping[str, ast.ClassDef]) -> ToolSource:
    """A tool that a call defines, with its parameters if the call contains their schema or names its class."""
    schema = _argument(call, "inputSchema") or _argument(call, "input_schema")
    parameters: dict[str, Parameter] = {}
    if isinstance(schema, ast.Dict):
        members = {key.value: value for key, value in _literal_keys(schema)}
        properties = members.get("properties")
        if isinstance(properties, ast.Dict):
            parameters = {str(key.value): Parameter(key.lineno, "", "") for key, _ in _literal_keys(properties)}
    elif isinstance(schema, ast.Call):
        owner, _, method = _dotted(schema).rpartition(".")
        if method in ("model_json_schema", "schema") and owner in classes:
            parameters = dict(_fields(classes[owner]))
    return ToolSource(file, call.lineno, certain=True, parameters=parameters)


def _literal_keys(value: ast.Dict) -> list[tuple[ast.Constant, ast.expr]]:
    return [(key, item) for key, item in zip(value.keys, value.values, strict=True) if isinstance(key, ast.Constant)]


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
