"""What a tool does by the values of the argument that picks its operation: "action": "delete", "method": "PUT".

Such a tool does whatever one of its values can do, so its name and its description say half of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.reported_operations import filters, only_reports, sends_nothing
from mcp_governor.prose.words import MUTATING_VERBS, READING_VERBS, name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Tool

_PICKS = frozenset({"action", "mode", "operation"})
"""Names of arguments whose values are operations, if one of them is a verb that says so; a mode is mostly a manner."""
_METHODS = frozenset({"httpmethod", "method", "requestmethod"})
_LOSE = frozenset({"delete", "destroy", "drop", "erase", "prune", "purge", "remove", "revoke", "uninstall", "wipe"})
_CHANGE = MUTATING_VERBS | {"alter", "disable", "enable", "initialize", "rollback", "set", "start", "stop"}
_READ = READING_VERBS | {"discover", "download", "status", "versions"}
_PLANNED = frozenset({"deploy", "import", "install", "migrate", "publish", "restore", "send", "upload"})
"""Verbs that have no plan as their object: "uploadPlan" returns the plan of an upload."""
_REPORTED = frozenset({"attribution", "detection", "rate", "rates", "trends"})
"""Last words of what is only computed: the drop of "drop_attribution" is one of visits."""
_ONLY_VERBS = frozenset(
    [
        *("add", "cancel", "clear", "create", "delete", "destroy", "disable", "edit", "enable", "erase", "insert"),
        *("modify", "purge", "remove", "replace", "reset", "save", "send", "set", "start", "stop", "update", "wipe"),
        "write",
    ]
)
"""Verbs that are never nouns in front of another: "delete_rate" deletes a rate, as of a tax."""
_MAX_VALUES = 200
"""Maximum number of values read of one argument; no tool has as many operations."""
_MAX_DEPTH = 6
"""Maximum depth of an argument that picks the operation: it is near the top, within a wrapper and a variant or two."""
_MAX_NODES = 300
"""Maximum number of objects looked at in one schema: more variants than any known tool has."""
_ANY_METHOD = lazy_pattern(r"\b(?:PUT|DELETE|PATCH)\b", re.NOFLAG)
_MAX_TEXT = 300
"""Maximum number of characters read from a description; the methods come first."""


class Operation(NamedTuple):
    """One value of an argument that picks what a tool does.

    Attributes:
        argument: name of the argument.
        value: as the schema lists it.
    """

    argument: str
    value: str

    @property
    def loses(self) -> bool:
        """True if it removes something."""
        return _verb(self.value) in _LOSE and not self._is_of_a_report

    @property
    def changes(self) -> bool:
        """True if it changes something; one that removes does, and one that makes a plan does not."""
        verb, *things = name_words(self.value) or ("",)
        planned = verb in _PLANNED and things == ["plan"]
        return (verb in _CHANGE or self.loses) and not planned and not self._is_of_a_report

    @property
    def reads(self) -> bool:
        """True if it only reads."""
        return _verb(self.value) in _READ

    @property
    def _is_of_a_report(self) -> bool:
        verb, *things = name_words(self.value) or ("",)
        return verb not in _ONLY_VERBS and not _REPORTED.isdisjoint(things[-1:])


def operations(tool: Tool) -> list[Operation]:
    """The operations among which a call picks; empty if no value of the argument is a known verb.

    What the tool only reports is not among them ("list_audit_log" with an action "delete").
    """
    found = [
        one
        for name, schema in _arguments(tool)
        if name.lower() in _PICKS and not filters(schema)
        for one in _done(tool, name, schema)
    ]
    changes = [_verb(one.value) for one in found if one.changes]
    # Of several things that are done to values, one may be called so.
    if len(changes) == 1 and changes[0] in _COMPUTED and len(found) > _FEW and not any(map(_is_of_a_store, found)):
        return []
    return found if any(one.changes or one.reads for one in found) else []


def _is_of_a_store(one: Operation) -> bool:
    return _verb(one.value) in _OF_A_STORE


_FEW = 2
"""Number of operations up to which a tool is not taken for one that computes: "append" and "replace"."""
_COMPUTED = frozenset({"add", "replace"})
"""What is done to values as well as to what is stored: "add" to a date, "replace" in a string."""
_OF_A_STORE = frozenset({"fetch", "find", "get", "list", "query", "read", "search", "show", "status", "view"})
"""What is done to what is stored."""


def _done(tool: Tool, name: str, schema: Any) -> list[Operation]:
    found = [Operation(name, value) for value in _values(schema)]
    changes = {_verb(one.value) for one in found if one.changes}
    return [] if changes and only_reports(tool, schema, changes) else found


def takes_any_method(tool: Tool) -> bool:
    """True if a call names an HTTP method, and it may be one that changes or deletes."""
    for name, schema in _arguments(tool):
        if "".join(name_words(name)) in _METHODS and isinstance(schema, dict) and not filters(schema):
            said = schema.get("description")
            shown = (*_values(schema), said[:_MAX_TEXT] if isinstance(said, str) else "")
            if any(_ANY_METHOD.search(text) for text in shown) and not sends_nothing(tool, schema):
                return True
    return False


def _verb(value: str) -> str:
    return next(iter(name_words(value)), "")


def _values(schema: Any) -> Iterator[str]:
    listed = schema.get("enum") if isinstance(schema, dict) else None
    listed = listed if isinstance(listed, list) else [schema.get("const")] if isinstance(schema, dict) else []
    yield from (value for value in listed[:_MAX_VALUES] if isinstance(value, str))
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key) if isinstance(schema, dict) else None
        for branch in branches[:_MAX_VALUES] if isinstance(branches, list) else ():
            if isinstance(branch, dict) and isinstance(value := branch.get("const"), str):
                yield value


def _arguments(tool: Tool) -> Iterator[tuple[str, Any]]:
    """The arguments of a call: those of the tool, of an object that wraps them all, and of its variants."""
    waiting: list[tuple[Any, int]] = [(tool.input_schema, 0)]
    for _ in range(_MAX_NODES):
        if not waiting:
            return
        schema, depth = waiting.pop(0)
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            continue
        declared = schema.get("properties")
        if isinstance(declared, dict):
            yield from declared.items()
            picked = any(name.lower() in _PICKS for name in declared)
            # What an operation takes with it may hold an operation of its own; anything else is data.
            if len(declared) == 1 or (picked and isinstance(declared.get("params"), dict)):
                inner = declared["params"] if len(declared) > 1 else next(iter(declared.values()))
                waiting.append((inner, depth + 1))
        for key in ("anyOf", "oneOf", "allOf"):
            branches = schema.get(key)
            waiting += [(branch, depth + 1) for branch in branches] if isinstance(branches, list) else []
