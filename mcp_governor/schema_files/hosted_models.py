"""Derive the schemas of a project's own Python types, in the environment in which the project is installed.

This script runs under another Python, where mcp-governor is not installed, so it imports only the standard library,
pydantic, and the project's own modules. To its parent it is an MCP server over stdio, with one tool for each type: so
everything that bounds a server bounds this too. It starts no server of the project.

Its argument is a JSON object with ``modules`` (``package.module`` or ``package.module:NAME``), ``folders`` to import
from, and ``injected``, names of parameters that the server fills in. Each tool of the list has the derived schema as
``inputSchema``, and in ``_meta`` what else is known of the type (:func:`_described`).
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    # Modules in this folder would hide standard library modules with the same names.
    _HERE = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]

import asyncio
import dataclasses
import importlib
import inspect
import json
import typing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

META = "models"
"""The key of ``_meta`` with the description of a type."""

MAX_TYPES = 5_000
"""Most types of all modules; a module of models has some hundred."""

_INJECTED_TYPES = ("Settings", "ConfigPaths")
"""Types that the tool schema guide injects (section 8), by name."""
_FRAMEWORKS = ("mcp", "fastmcp", "uncalled_for", "docket", "fast_depends")
"""Packages whose contexts, sessions and dependencies a server gets from its framework."""


class _Refused(Exception):  # noqa: N818  (a private signal)
    """A type has no schema; ``str()`` says why."""


def _candidates(words: list[str]) -> Iterator[tuple[str, str, Any]]:
    """The named types: ``module:NAME``, the tool that a mapping names (else empty), and the type."""
    for word in words:
        module_name, _, attribute = word.partition(":")
        try:
            module: Any = importlib.import_module(module_name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  (code of the project)
            raise _Refused(f"{module_name} cannot be imported in {sys.prefix}: {_said(error)}") from None
        if not attribute:
            for name, value in list(vars(module).items()):
                if not name.startswith("_"):
                    yield from _registered(value)
            for name in _public(module):
                yield f"{module_name}:{name}", "", getattr(module, name)
            continue
        found = module
        for step in attribute.split("."):
            if not hasattr(found, step):
                raise _Refused(f"{module_name} has no {attribute}")
            found = getattr(found, step)
        tools = list(_registered(found))
        if tools:
            yield from tools
        elif isinstance(found, dict):
            for tool, model in found.items():
                yield f"{word}[{json.dumps(str(tool))}]", str(tool), model
        else:
            yield word, "", found


def _registered(server: Any) -> Iterator[tuple[str, str, Any]]:
    """The functions that a server object has registered as tools, if it is one; it is not started."""
    listed: Any = ()
    if inspect.isclass(server):
        return
    try:
        manager = getattr(server, "_tool_manager", None)
        if manager is not None:
            listed = manager.list_tools() if hasattr(manager, "list_tools") else manager.get_tools()
        elif hasattr(server, "_mcp_server") and inspect.iscoroutinefunction(getattr(server, "list_tools", None)):
            listed = server.list_tools(run_middleware=False)
        if inspect.isawaitable(listed):
            listed = asyncio.run(_awaited(listed))
    except Exception:  # noqa: BLE001  (another version of the framework; its functions are found by their names)
        return
    listed = list(listed.values()) if isinstance(listed, dict) else listed
    for tool in listed if isinstance(listed, (list, tuple)) else ():
        function, name = getattr(tool, "fn", None), getattr(tool, "name", None)
        if callable(function) and isinstance(name, str):
            own = getattr(function, "__qualname__", name)
            source = f"{getattr(function, '__module__', '')}:{own}"
            yield source if own == name else f"{source} ({name})", name, function


async def _awaited(value: Any) -> Any:
    return await value


def _public(module: Any) -> list[str]:
    """The names of a module's own types and functions: those in ``__all__``, and those that are defined in it."""
    listed = getattr(module, "__all__", None)
    if isinstance(listed, (list, tuple)):
        names = [name for name in listed if isinstance(name, str) and hasattr(module, name)]
    else:
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(_function(value), "__module__", None) == module.__name__
        ]
    return [name for name in names if _kind(getattr(module, name))]


def _function(value: Any) -> Any:
    """The function behind the tool object that a decorator made of it."""
    for name in ("fn", "func", "__wrapped__"):
        inner = None if inspect.isclass(value) else inspect.getattr_static(value, name, None)
        if inspect.isroutine(inner) or inspect.iscoroutinefunction(inner):
            return getattr(value, name)
    return value


def _kind(value: Any) -> str:
    """``pydantic``, ``dataclass``, ``typeddict`` or ``function``; empty for anything else."""
    if inspect.isclass(value):
        if callable(getattr(value, "model_json_schema", None)):
            return "pydantic"
        if dataclasses.is_dataclass(value):
            return "dataclass"
        return "typeddict" if issubclass(value, dict) and hasattr(value, "__required_keys__") else ""
    return "function" if inspect.isroutine(_function(value)) else ""


def _described(source: str, tool: str, value: Any, injected: list[str]) -> dict[str, Any]:
    """One entry of the list: the schema, or why there is none.

    ``_meta`` has ``source``, ``tool``, ``kind``, ``label`` (its own name), ``excluded`` (name → why) and ``error``.
    """
    kind = _kind(value)
    about: dict[str, Any] = {"source": source, "tool": tool, "kind": kind, "excluded": {}}
    entry: dict[str, Any] = {"name": source, "_meta": {META: about}}
    about["label"] = getattr(_function(value), "__name__", "") or source.rpartition(":")[2]
    try:
        if not kind:
            raise _Refused(f"{type(value).__name__} is not a model, a dataclass, a TypedDict or a function")
        entry["inputSchema"] = _schema(kind, value, about, injected)
        json.dumps(entry)
    except (Exception, SystemExit) as error:  # noqa: BLE001  (code of the project)
        entry.pop("inputSchema", None)
        about["error"] = str(error) if isinstance(error, _Refused) else _said(error)
    return entry


def _schema(kind: str, value: Any, about: dict[str, Any], injected: list[str]) -> Any:
    import pydantic

    if kind == "function":
        return _of_function(_function(value), about, injected)
    hints = _hints(value)
    excluded = {name: why for name, hint in hints.items() if (why := _why_excluded(name, hint, None, injected))}
    about["excluded"] = excluded
    if excluded or (kind == "typeddict" and sys.version_info < (3, 12)):
        # pydantic may know no schema for what is excluded, and takes only the TypedDict of typing_extensions there.
        members = _members(kind, value, hints)
        return _model(value.__name__, {name: one for name, one in members.items() if name not in excluded})
    if kind == "pydantic":
        return value.model_json_schema(by_alias=True)
    return pydantic.TypeAdapter(value).json_schema(by_alias=True)


def _members(kind: str, value: Any, hints: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Each member of a model with its type and its default."""
    if kind == "pydantic":
        return {name: (hints.get(name, field.annotation), field) for name, field in value.model_fields.items()}
    if kind == "typeddict":
        required = value.__required_keys__
        return {name: (hint, _MISSING if name in required else None) for name, hint in hints.items()}
    members = {}
    for one in dataclasses.fields(value):
        has_default = one.default is not dataclasses.MISSING or one.default_factory is not dataclasses.MISSING
        default = None if one.default is dataclasses.MISSING else one.default
        if one.init:
            members[one.name] = (hints[one.name], default if has_default else _MISSING)
    return members


_MISSING: Any = inspect.Parameter.empty


def _of_function(function: Any, about: dict[str, Any], injected: list[str]) -> Any:
    """The schema of the arguments that a caller sends."""
    hints = _hints(function)
    members: dict[str, tuple[Any, Any]] = {}
    parameters = list(inspect.signature(function).parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    for parameter in parameters:
        hint = hints.get(parameter.name, typing.Any)
        why = _why_excluded(parameter.name, hint, parameter.default, injected)
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            why = f"{stars}{parameter.name} collects what has no name"
        if why:
            about["excluded"][parameter.name] = why
        else:
            members[parameter.name] = (hint, parameter.default)
    return _model(f"{function.__name__}Arguments", members)


def _model(name: str, members: dict[str, tuple[Any, Any]]) -> Any:
    """The schema of an object with these members: a type and a default each."""
    import warnings

    import pydantic

    fields: Any = {
        member: (hint, ... if default is _MISSING else default) for member, (hint, default) in members.items()
    }
    with warnings.catch_warnings():
        # A member may be called as a method of pydantic's models is.
        warnings.simplefilter("ignore")
        model: Any = pydantic.create_model(name, **fields)
    return model.model_json_schema(by_alias=True)


def _hints(value: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(value, include_extras=True)
    except Exception as error:  # noqa: BLE001  (an annotation that names something that is not there)
        raise _Refused(f"its annotations cannot be resolved ({_said(error)})") from None


def _why_excluded(name: str, hint: Any, default: Any, injected: list[str]) -> str:
    """Why a parameter is not a caller's; empty if it is."""
    if name.startswith("_"):
        return "its name is private"
    if name in injected:
        return "schemas.injected names it"
    for part in _types(hint):
        if part.__name__ in _INJECTED_TYPES or any(base.__name__ == "BaseSettings" for base in part.__mro__):
            return f"{part.__name__} is injected"
        package = (part.__module__ or "").partition(".")[0]
        if package in _FRAMEWORKS and part.__module__ != "mcp.types":
            return f"{part.__name__} comes from {package}"
    if default is not None and default is not _MISSING:
        package = (getattr(type(default), "__module__", "") or "").partition(".")[0]
        if package in _FRAMEWORKS:
            return f"{type(default).__name__} of {package} fills it in"
    return ""


def _types(hint: Any, depth: int = 4) -> Iterator[type]:
    """The classes in an annotation, at the level of the parameter itself: of a union each, of ``X[Y]`` only ``X``."""
    origin = typing.get_origin(hint)
    if inspect.isclass(hint) and origin is None:
        yield hint
    elif depth and origin is not None:
        if origin is typing.Union or getattr(origin, "__name__", "") == "UnionType":
            for argument in typing.get_args(hint):
                yield from _types(argument, depth - 1)
        elif inspect.isclass(origin):
            yield origin
        else:  # Annotated and its like: the type, and what injects it
            first, *more = typing.get_args(hint) or (None,)
            yield from _types(first, depth - 1)
            yield from (type(extra) for extra in more if type(extra).__module__.partition(".")[0] in _FRAMEWORKS)


def _said(error: BaseException) -> str:
    """The error on one line, and the line that raised it, without the frames of the import system."""
    import traceback

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<frozen")]
    where = f" ({frames[-1].filename}, line {frames[-1].lineno})" if len(frames) > 2 else ""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return " ".join(text.split())[:400] + where


def _answer(request: dict[str, Any], entries: list[dict[str, Any]]) -> dict[str, Any]:
    method = request.get("method")
    if method == "initialize":
        version = request.get("params", {}).get("protocolVersion", "2025-06-18")
        info = {"name": "models", "version": "1"}
        return {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": entries}}
    if method == "ping":
        return {"result": {}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def _serve(words: dict[str, Any]) -> None:
    # From now on, print goes to stderr, because stdout is for messages.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.path[:0] = words["folders"]
    entries: list[dict[str, Any]] = []
    try:
        try:
            import pydantic  # noqa: F401
        except ImportError as error:
            raise _Refused(f"{sys.prefix} has no pydantic that can be imported: {error}") from None
        for source, tool, value in _candidates(words["modules"]):
            if len(entries) >= MAX_TYPES:
                raise _Refused(f"the modules have more than {MAX_TYPES} types; name the ones to compare")
            entries.append(_described(source, tool, value, words["injected"]))
    except _Refused as error:
        entries = [{"name": "error", "_meta": {META: {"fatal": str(error)}}}]
    for line in sys.stdin:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if isinstance(request, dict) and "id" in request and "method" in request:
            out.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **_answer(request, entries)}) + "\n")
            out.flush()


if __name__ == "__main__":
    _serve(json.loads(sys.argv[1]))
