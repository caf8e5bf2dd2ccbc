"""Dependencies between parameters in the words of a message, and as keywords of a schema.

A fragment refuses only calls that the text rules out: an optional parameter that is null is not given, a flag that is
false excludes nothing, and what is read in part gives no fragment.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mcp_governor.prose.names_in_text import IDENTIFIER
from mcp_governor.subjects.schemas import types_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mcp_governor.prose.need import Need

FLAG = (frozenset({"boolean"}), frozenset({"boolean", "null"}))
"""Types of a parameter that is given if it is true."""
_MAX_NAMED = 6
"""Maximum number of alternatives or values named one by one; more are counted."""
_CONDITIONAL = ("when", "within", "mode", "only", "ignored")
_NUMBERS = {"integer": int, "number": float}


class Worded:
    """What one object of a schema says about its parameters, for wordings and fragments.

    Args:
        schema: the object, with ``properties``.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._properties: Mapping[str, Any] = schema["properties"]
        required = schema.get("required")
        self._required = len(required) if isinstance(required, list) else 0

    def sentences(self, needs: Iterable[Need]) -> Iterator[tuple[str, dict[str, Any] | None]]:
        """Each dependency in words, and its fragment; parameters under the same condition share one.

        Args:
            needs: of this object, in order.
        """
        shared: dict[tuple[object, ...], list[Need]] = {}
        for position, need in enumerate(needs):
            alone = need.kind not in _CONDITIONAL
            key = (position,) if alone else (need.kind, need.arguments[1:], self._condition(need), need.must)
            shared.setdefault(key, []).append(need)
        for group in shared.values():
            names = tuple(dict.fromkeys(need.arguments[0] for need in group))
            yield self._wording(group[0], names), self._fragment(group[0], names)

    def _wording(self, need: Need, subjects: Sequence[str]) -> str:
        if need.kind in _CONDITIONAL:
            return self._conditional(need, subjects)
        said = self._relation(need)
        return f"{said} {_quoted(need.condition)}" if need.condition and not need.state else said

    def _conditional(self, need: Need, subjects: Sequence[str]) -> str:
        named, many = _listed([f"`{name}`" for name in subjects], "and"), len(subjects) > 1
        condition = self._condition(need)
        if need.kind == "ignored":
            return f"{named} {'are' if many else 'is'} ignored {condition}"
        if need.kind == "only":
            if not need.state or (need.state == "=" and not self._literals(need)):
                return f"{named} {'have' if many else 'has'} an effect only {condition}"
            unless = self._holds(need, "is") if need.state != "absent" else f"`{need.arguments[1]}` is left out"
            return f"{named} {'have' if many else 'has'} no effect unless {unless}"
        if need.kind == "within":
            return f"{named} {'are' if many else 'is'} available only {condition}"
        if need.kind == "mode":
            return f"{named} {'are' if many else 'is'} {condition}"
        if need.must:
            return f"{named} must be {need.must} {condition}"
        if need.state == "present" and need.condition.startswith("with "):
            return f"`{need.arguments[1]}` needs {named}"
        return f"{named} {'are' if many else 'is'} required {condition}"

    def _condition(self, need: Need) -> str:
        """The condition with its preposition."""
        if need.state == "absent":
            # "Ignored unless `a` is given" would read as the opposite of a requirement.
            return f"{'when' if need.kind == 'ignored' else 'unless'} {self._given_or_not(need)}"
        if need.state == "present":
            return f"when {self._holds(need, 'is')}"
        if need.state == "=" and self._literals(need):
            if need.kind == "ignored" or self._is_flag(need.arguments[1]):
                return f"when {self._holds(need, 'is')}"
            return f"for {self._holds(need, '')}"
        quoted = _quoted(need.condition)
        others = need.arguments[1:]
        if not {match[0] for match in IDENTIFIER.finditer(need.condition)}.isdisjoint(others):
            return quoted
        return f"for some values of {_listed([f'`{name}`' for name in others], 'and')} ({quoted})"

    def _given_or_not(self, need: Need) -> str:
        name = need.arguments[1]
        if need.kind == "ignored":
            return f"`{name}` is not {'true' if self._is_flag(name) else 'given'}"
        return f"`{name}` is {'true' if self._is_flag(name) else 'given'}"

    def _holds(self, need: Need, verb: str) -> str:
        """A condition as a clause: "`mode` is "a" or "b"", "`path` is given"; without a verb, "`mode` "a" or "b""."""
        name = need.arguments[1]
        if need.state != "=":
            return f"`{name}` is {'true' if self._is_flag(name) else 'given'}"
        literals = self._literals(need)
        shown = [json.dumps(value, ensure_ascii=False) for value in literals[:_MAX_NAMED]]
        if len(literals) > len(shown):
            shown.append(f"{len(literals) - len(shown)} more")
        default = " (the default)" if self._has_default(need) and len(literals) == 1 else ""
        return " ".join(part for part in (f"`{name}`", verb, _listed(shown, "or")) if part) + default

    def _relation(self, need: Need) -> str:
        names = [f"`{name}`" for name in need.arguments]
        if need.kind == "together":
            return f"{_listed(names, 'and')} must be given together"
        if need.kind == "exclusive":
            return self._exclusive(need, names)
        if need.kind == "any" and len(names) > _MAX_NAMED:
            return f"at least one of the {len(names)} optional parameters must be given"
        ways = [" + ".join(f"`{name}`" for name in way) for way in need.ways] or names
        return f"{'exactly' if need.kind == 'one' else 'at least'} one of {_listed(ways, 'and')} must be given"

    def _exclusive(self, need: Need, names: list[str]) -> str:
        flags = [name for name in need.arguments if self._is_flag(name)]
        if need.state == "absent":
            return f"{names[0]} must not be given unless {self._given_or_not(need)}"
        if need.state == "=" and self._literals(need):
            given = "true" if self._is_flag(need.arguments[0]) else "given"
            return f"{names[0]} must not be {given} when {self._holds(need, 'is')}"
        if len(names) > 2:
            if need.ways:
                return (
                    f"at most one of {_listed(names, 'and')} may be {'true' if len(flags) == len(names) else 'given'}"
                )
            return f"{names[0]} must not be given with {_listed(names[1:], 'or')}"
        if len(flags) == 1:
            other = next(name for name in names if name != f"`{flags[0]}`")
            return f"{other} must not be given when `{flags[0]}` is true"
        return f"{names[0]} and {names[1]} must not both be {'true' if flags else 'given'}"

    def _fragment(self, need: Need, subjects: Sequence[str]) -> dict[str, Any] | None:
        """The keywords that express a dependency; ``None`` if the words leave that open."""
        if need.kind == "when":
            return self._required_when(need, subjects)
        if need.kind == "within":
            return self._available(need, subjects)
        if need.kind in _CONDITIONAL or (need.condition and not need.state):
            return None
        if need.kind == "exclusive":
            return self._excluded(need)
        if need.kind == "together":
            one, other = need.arguments
            if self._is_plain(one) and self._is_plain(other):
                return {"dependentRequired": {one: [other], other: [one]}}
            return {"if": {"anyOf": [self._given(one), self._given(other)]}, "then": self._given(one, other)}
        ways = need.ways or tuple((name,) for name in need.arguments)
        if need.kind == "any" and len(need.arguments) > _MAX_NAMED:
            return {"minProperties": self._required + 1}
        if need.kind == "any":
            return {"anyOf": [{"required": list(way)} for way in ways]}
        return {"oneOf": [self._given(*way) for way in ways]}

    def _excluded(self, need: Need) -> dict[str, Any] | None:
        head, *others = need.arguments
        if need.state == "absent":
            return {"if": self._given(head), "then": self._given(others[0])}
        if need.state == "=":
            chosen = self._chosen(need)
            return {"not": _both(chosen, self._given(head))} if chosen is not None else None
        if len(others) == 1:
            return {"not": self._given(head, *others)}
        if not need.ways:
            return {"not": {**self._given(head), "anyOf": [self._given(other) for other in others]}}
        names = need.arguments
        pairs = [self._given(one, other) for at, one in enumerate(names) for other in names[at + 1 :]]
        return {"not": {"anyOf": pairs}}

    def _required_when(self, need: Need, subjects: Sequence[str]) -> dict[str, Any] | None:
        if len(need.arguments) != 2 or not need.state or need.must == "left out":
            return None
        other = need.arguments[1]
        then: dict[str, Any] = {"required": list(subjects)}
        if need.must:
            then = {"properties": {name: {"const": need.must == "true"} for name in subjects}, **then}
        if need.state == "=":
            chosen = self._chosen(need)
            return {"if": chosen, "then": then} if chosen is not None else None
        if need.state == "absent":
            return {"anyOf": [then, self._given(other)]}
        if self._is_plain(other) and not need.must:
            return {"dependentRequired": {other: list(subjects)}}
        return {"if": self._given(other), "then": then}

    def _available(self, need: Need, subjects: Sequence[str]) -> dict[str, Any] | None:
        if len(need.arguments) != 2 or need.state not in ("=", "present"):
            return None
        then = self._chosen(need) if need.state == "=" else self._given(need.arguments[1])
        given = [self._given(name) for name in subjects]
        return {"if": given[0] if len(given) == 1 else {"anyOf": given}, "then": then} if then is not None else None

    def _chosen(self, need: Need) -> dict[str, Any] | None:
        """What a call with one of the values satisfies."""
        name, literals = need.arguments[1], self._literals(need)
        if not literals:
            return None
        value = {"const": literals[0]} if len(literals) == 1 else {"enum": list(literals)}
        # A call without the parameter has its default.
        required = {} if self._has_default(need) else {"required": [name]}
        return {"properties": {name: value}, **required}

    def _literals(self, need: Need) -> tuple[Any, ...]:
        """The values of a condition as the schema writes them; nothing if it does not have one of them."""
        schema = self._properties.get(need.arguments[1])
        found = [_literal(value, schema) for value in need.values] if isinstance(schema, dict) else []
        return tuple(dict.fromkeys(found)) if None not in found else ()

    def _has_default(self, need: Need) -> bool:
        schema = self._properties[need.arguments[1]]
        return isinstance(schema, dict) and "default" in schema and schema["default"] in self._literals(need)

    def _given(self, *names: str) -> dict[str, Any]:
        """What a call with all of these parameters satisfies: neither null nor, for a flag, false."""
        values: dict[str, Any] = {}
        for name in names:
            if self._is_flag(name):
                values[name] = {"const": True}
            elif not self._is_plain(name):
                values[name] = {"not": {"type": "null"}}
        return {**({"properties": values} if values else {}), "required": list(names)}

    def _is_flag(self, name: str) -> bool:
        schema = self._properties.get(name)
        return isinstance(schema, dict) and types_of(schema) in FLAG

    def _is_plain(self, name: str) -> bool:
        """True if a parameter that a call contains is given."""
        schema = self._properties.get(name)
        types = types_of(schema) if isinstance(schema, dict) else None
        return not self._is_flag(name) and "null" not in (types or ())


def _both(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    properties = {**one.get("properties", {}), **other.get("properties", {})}
    return {"properties": properties, "required": [*one.get("required", []), *other.get("required", [])]}


def _literal(value: str, schema: Mapping[str, Any]) -> Any:
    """A value in prose as the schema has it; ``None`` if it is none of the schema's."""
    types = (types_of(schema) or frozenset({"string"})) - {"null"}
    if types == {"boolean"}:
        return {"true": True, "false": False}.get(value.lower())
    known = schema.get("enum")
    if isinstance(known, list):
        same = (one for one in known if isinstance(one, str) and one.casefold() == value.casefold())
        return value if value in known else next(same, None)
    if len(types) == 1 and (number := _NUMBERS.get(next(iter(types)))) is not None:
        return number(value) if value.isdecimal() and value.isascii() else None
    return value if "string" in types else None


def _quoted(condition: str) -> str:
    """A condition as written, in quotes."""
    said = condition.replace('"', "'")
    return f'"{said}"'


def _listed(items: Sequence[str], link: str) -> str:
    return f"{', '.join(items[:-1])} {link} {items[-1]}" if len(items) > 1 else "".join(items)


def call_ruled_out(need: Need, schema: Mapping[str, Any]) -> str:
    """A call that breaks a dependency, as messages show it: ``{"mode": "fast", …}``; empty if its words leave it open.

    Args:
        need: stated of the object.
        schema: the object; it accepts the call, apart from what "…" stands for.
    """
    return _Broken(schema).call(need)


class _Broken:
    """Writes calls that break dependencies of one object."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._properties: Mapping[str, Any] = schema["properties"]
        required = schema.get("required")
        self._required = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []

    def call(self, need: Need) -> str:
        """See :func:`call_ruled_out`."""
        head, *others = need.arguments
        if need.condition and not need.state and need.kind not in ("together", "exclusive"):
            return ""
        if need.kind in ("any", "one"):
            return self._written({}, without=need.arguments)
        if need.kind == "together":
            return self._written({head: None}, without=others)
        if need.kind == "exclusive":
            return self._excluded(need)
        if need.kind in ("when", "mode"):
            given = {head: "false" if need.must == "true" else "true"} if need.must in ("true", "false") else {}
            if need.state == "absent":
                return self._written(given, without=need.arguments)
            chosen = self._values(need)
            return self._written({**chosen, **given}, without=[head]) if chosen and need.must != "left out" else ""
        if need.kind == "within":
            other = self._other(need)
            return self._written({**other, head: None}, without=others) if other is not None else ""
        return ""

    def _excluded(self, need: Need) -> str:
        head, *others = need.arguments
        if need.state == "absent":
            return self._written({head: None}, without=others)
        if need.state == "=":
            chosen = self._values(need)
            return self._written({**chosen, head: None}) if chosen else ""
        return self._written({head: None, others[0]: None}) if not need.condition else ""

    def _values(self, need: Need) -> dict[str, str | None]:
        """The parameter of a condition with its first value, or any."""
        name = need.arguments[1]
        if need.state != "=":
            return {name: None}
        schema = self._properties.get(name)
        value = _literal(need.values[0], schema) if isinstance(schema, dict) and need.values else None
        return {name: json.dumps(value, ensure_ascii=False)} if value is not None else {}

    def _other(self, need: Need) -> dict[str, str | None] | None:
        """The parameter of a condition with a value that does not satisfy it; empty if it is left out then."""
        if need.state == "present":
            return {}
        schema = self._properties.get(need.arguments[1])
        known = schema.get("enum") if isinstance(schema, dict) else None
        allowed = {value.casefold() for value in need.values}
        listed = known if isinstance(known, list) else []
        other = next((one for one in listed if isinstance(one, str) and one.casefold() not in allowed), None)
        return {need.arguments[1]: json.dumps(other, ensure_ascii=False)} if other is not None else None

    def _written(self, given: Mapping[str, str | None], *, without: Sequence[str] = ()) -> str:
        parts = [f'"{name}": {self._sample(name) if value is None else value}' for name, value in given.items()]
        rest = [name for name in self._required if name not in given and name not in without]
        if not parts and len(rest) <= _MAX_REQUIRED:
            rest = [f'"{name}": {self._sample(name)}' for name in rest]
        elif rest:
            rest = ["…"]
        return "{" + ", ".join((*parts, *rest)) + "}"

    def _sample(self, name: str) -> str:
        """Any value of a parameter, in short."""
        schema = self._properties.get(name)
        values = schema.get("enum") if isinstance(schema, dict) else None
        if isinstance(values, list) and values and isinstance(values[0], str):
            return json.dumps(values[0], ensure_ascii=False)
        types = (types_of(schema) if isinstance(schema, dict) else None) or frozenset({"string"})
        return next((text for kind, text in _SAMPLES.items() if kind in types), '"…"')


_MAX_REQUIRED = 2
"""Maximum number of required parameters in a call that is about others; more would hide what it is about."""
_SAMPLES = {"string": '"…"', "boolean": "true", "integer": "1", "number": "1", "array": "[…]", "object": "{…}"}


def together(fragments: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Several fragments as one: their keywords side by side, in ``allOf`` where they would collide.

    Args:
        fragments: at least one.
    """
    if len(fragments) > 1 and all(list(one) == ["dependentRequired"] for one in fragments):
        merged: dict[str, list[str]] = {}
        for one in fragments:
            for name, needed in one["dependentRequired"].items():
                merged[name] = list(dict.fromkeys((*merged.get(name, ()), *needed)))
        return {"dependentRequired": merged}
    keywords = [keyword for one in fragments for keyword in one]
    if len(set(keywords)) < len(keywords):
        return {"allOf": list(fragments)}
    return {keyword: value for one in fragments for keyword, value in one.items()}
