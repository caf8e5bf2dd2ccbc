"""Our own documents are types: one :class:`msgspec.Struct` each is read from, written as, and described by a schema.

A document's type states what msgspec can say: names (``rename``), defaults, literals, bounds (``Meta``). Its format is
the tag: ``Struct, tag_field="format", tag="mcp-governor/load-1"``. Four habits make the published schema
(``mcp-governor schema``, ``contracts/``) the one that readers expect:

- The first paragraph of a docstring describes the object, and its line under ``Attributes:`` a member.
- A member with the default ``None`` is left out and never null; one without a default may be null, and is always there.
  In a document that is only written (``schema_of(…, written=True)``) every member is always there, unless its Struct
  has ``omit_defaults``.
- Literals and enums keep the order in which they are declared.
- What msgspec cannot say is stated as :data:`ALSO` at the member, and replaces what msgspec says.

What a run measured seldom has the shape of its document, but has all that the document says. :func:`written` reads each
member from the attribute of its name; ``field(name=…)`` is for a member that is called differently, :func:`joined` for
one that is elsewhere.

Reading is msgspec's, which is fast and loads nothing. Only a wrong document is read again, by a validator of its
schema: that knows the key, its neighbours and the values that it takes, and every document gets the same sentences.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from enum import Enum
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from mcp_governor._version import __version__
from mcp_governor.lazy import lazy_pattern
from mcp_governor.parsing import read_toml
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.text import did_you_mean, one_line, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Schema = dict[str, Any]
    Path = Sequence[str | int]

ALSO = "also"
"""In ``Meta(extra_json_schema={ALSO: {…}})``: keywords that replace those of msgspec; one that is ``None`` goes."""

Count = Annotated[int, Meta(ge=0)]
Amount = Annotated[float, Meta(ge=0)]

_T = TypeVar("_T")


class Governor(Struct, frozen=True):
    """The program that wrote a document."""

    version: str = __version__


def schema_of(kind: Any, title: str = "", *, written: bool = False) -> Schema:
    """The JSON Schema (2020-12) of a document, without references.

    Args:
        kind: its type.
        title: name and version of the format, of a document that does not state them.
        written: the schema describes what :func:`written` makes, and not what may be read.
    """
    (root,), parts = msgspec.json.schema_components([kind])
    structs, orders = _parts_of(kind)
    for part in parts.values():
        if "enum" in part:
            part.pop("description", None)  # for programmers
    for struct in structs:
        part = parts[struct.__name__]
        part["description"], members = described(struct)
        always = written and not struct.__struct_config__.omit_defaults
        for field in msgspec.structs.fields(struct):
            member = part["properties"][field.encode_name]
            if field.name in members:
                member.setdefault("description", members[field.name])
            if always:
                member.pop("default", None)
        if always:
            part["required"] = list(part["properties"])
    title = title or kind.__struct_config__.tag
    return {"$schema": DIALECT_2020_12, "title": title, **_published(root, parts, orders)}


_ATTRIBUTE = lazy_pattern(r"(\w+): (.*)")


def described(struct: type[Struct]) -> tuple[str, dict[str, str]]:
    """What a docstring says of an object, and of its members by name; those that it inherits included."""
    base = struct.__base__
    name, members = "", described(base)[1] if base is not None and base is not Struct else dict[str, str]()
    doc = inspect.cleandoc(struct.__doc__ or "").replace("``", "`")
    attributes = doc.partition("\nAttributes:\n")[2].partition("\n\n")[0]
    for line in textwrap.dedent(attributes).splitlines():
        if line.startswith(" "):
            members[name] += f" {line.strip()}"
        elif found := _ATTRIBUTE.match(line):
            name, members[name] = found[1], found[2]
    return " ".join(doc.partition("\n\n")[0].split()), members


_REFERENCE = "#/$defs/"


def _published(schema: Schema, parts: Mapping[str, Schema], orders: Mapping[frozenset[Any], list[Any]]) -> Schema:
    """A schema of msgspec as we publish it; our types are trees, so references end."""
    out = dict(schema)
    if "$ref" in out:
        part = parts[out.pop("$ref").removeprefix(_REFERENCE)]
        out = {**{key: value for key, value in part.items() if key != "title"}, **out}
    for key, value in out.items():
        if key == "properties":
            out[key] = {name: _published(_of_member(item), parts, orders) for name, item in value.items()}
        elif key in ("items", "additionalProperties") and isinstance(value, dict):
            out[key] = _published(value, parts, orders)
        elif key in ("anyOf", "prefixItems"):
            out[key] = [_published(item, parts, orders) for item in value]
        elif key == "enum":
            out[key] = orders.get(frozenset(value), value)
    if len(out.get("enum", ())) == 1:
        out["const"] = out.pop("enum")[0]
    out = _joined(out)
    out.update(out.pop(ALSO, {}))
    # `items` of a tuple forbids what its length forbids already.
    idle = {"items": False, "required": [], "description": ""}
    return {key: value for key, value in out.items() if value is not None and (key, value) not in idle.items()}


def _of_member(schema: Schema) -> Schema:
    """The schema of a member, which is left out where it has its default."""
    out = dict(schema)
    if out.pop("default", ...) is None and "anyOf" in out:
        out["anyOf"] = [one for one in out["anyOf"] if one != {"type": "null"}]
    return out


def _joined(schema: Schema) -> Schema:
    """``anyOf`` of one schema as that schema, and of a plain one and null as its type or null."""
    alternatives = schema.get("anyOf", ())
    if {"type": "number"} in alternatives:
        alternatives = [one for one in alternatives if one != {"type": "integer"}]
    held = [one for one in alternatives if one != {"type": "null"}]
    if len(held) != 1 or not ({"type", "enum"} & held[0].keys() or len(alternatives) == 1):
        return schema
    (one,) = held
    out = {**one, **{key: value for key, value in schema.items() if key != "anyOf"}}
    if len(alternatives) > 1:
        out |= {"enum": [*one["enum"], None]} if "enum" in one else {"type": [one["type"], "null"]}
    return out


def _parts_of(kind: Any) -> tuple[list[type[Struct]], dict[frozenset[Any], list[Any]]]:
    """The Structs in a type, and values of each literal and enum → the order in which they are declared.

    msgspec sorts the values.
    """
    structs: list[type[Struct]] = []
    orders: dict[frozenset[Any], list[Any]] = {}
    rest = [kind]
    while rest:
        part = rest.pop()
        if get_origin(part) is Literal:
            orders[frozenset(get_args(part))] = list(get_args(part))
        elif not isinstance(part, type):
            rest += get_args(part)
        elif issubclass(part, Enum):
            orders[frozenset(one.value for one in part)] = [one.value for one in part]
        elif issubclass(part, Struct) and part not in structs:
            structs.append(part)
            rest += get_type_hints(part, include_extras=True).values()
        else:
            rest += get_args(part)
    return structs, orders


def written(kind: type[Struct], value: Any, *, digits: int | None = 3) -> dict[str, Any]:
    """A value as a document.

    Args:
        kind: the type of the document.
        value: has its members as attributes, or as keys.
        digits: digits after the point of a number, ``None`` for all; of milliseconds, no clock knows more than three.
    """
    document: dict[str, Any] = _plain(msgspec.to_builtins(msgspec.convert(value, kind, from_attributes=True)), digits)
    return document


def joined(*values: Any, **attributes: Any) -> Any:
    """Several values as one: an attribute is the one stated here, else that of the first value that has it."""
    return _Joined((SimpleNamespace(**attributes), *values))


class _Joined:
    def __init__(self, values: Sequence[Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        for value in self._values:
            if hasattr(value, name):
                return getattr(value, name)
        raise AttributeError(name)


def _plain(value: Any, digits: int | None) -> Any:
    """With lists for tuples, and rounded."""
    if isinstance(value, dict):
        return {key: _plain(item, digits) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, digits) for item in value]
    return round(value, digits) if isinstance(value, float) and digits is not None else value


class Wrong(NamedTuple):
    """What is wrong with a document, in words for its author.

    Attributes:
        where: keys and indexes on the way to the value.
        keyword: the keyword of JSON Schema that it breaks.
        problem: a sentence without its full stop, with the place in it.
        guess: ``" Did you mean …?"``, or empty.
        hint: what to do; empty if only a reader of the schema could say.
    """

    where: tuple[str | int, ...]
    keyword: str
    problem: str
    guess: str = ""
    hint: str = ""

    @property
    def sentence(self) -> str:
        """Problem and guess."""
        return f"{self.problem}.{self.guess}"


def read(kind: type[_T], value: Any, *, written: Any = None, schema: Callable[[], Schema] | None = None) -> _T | Wrong:
    """A document as its type, or what is wrong with it.

    Args:
        kind: the type.
        value: the document, as the parsers of JSON and TOML give it.
        written: the document that its author wrote, where it is not the value.
        schema: gives the schema that explains a wrong one; by default that of the type.
    """
    tagged: Any = kind
    field = tagged.__struct_config__.tag_field
    try:
        if field is None or (isinstance(value, dict) and field in value):
            return msgspec.convert(value, kind)
        problem = f'it states no "{field}"'
    except msgspec.ValidationError as error:
        problem = str(error)
    explaining = schema() if schema is not None else schema_of(kind, "document")
    wrong = wrong_in(value if written is None else written, explaining)
    if wrong is not None:
        return wrong
    try:
        # JSON has no integers: 1.0 is one to JSON Schema.
        return msgspec.convert(_with_integers(value), kind)
    except msgspec.ValidationError:
        return Wrong((), "", one_line(problem))


def _with_integers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def wrong_in(value: Any, schema: Schema) -> Wrong | None:
    """What is wrong with a value by the schema of a document, which has no references; ``None`` if nothing is."""
    import jsonschema_rs

    from mcp_governor.schemas.patterns import encodable

    try:
        # Only the first error: the engine creates all of them at once, with 2 KB for each.
        jsonschema_rs.validator_for(schema).validate(encodable(_without_dates(value)))
    except jsonschema_rs.ValidationError as error:
        return _explained(error, schema)
    return None


def _without_dates(value: Any) -> Any:
    """TOML dates as strings, because JSON Schema has none."""
    if isinstance(value, dict):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_without_dates(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def _explained(error: Any, schema: Schema) -> Wrong:
    kind = error.kind
    where = tuple(error.instance_path)
    keyword = str(error.schema_path[-1])
    holder: Any = schema
    for step in list(error.schema_path)[:-1]:
        holder = holder[step]
    if kind.name == "additionalProperties":
        unknown = kind.unexpected[0]
        where = (*where, unknown)
        guess = did_you_mean(unknown, holder.get("properties", {}))
        return Wrong(where, keyword, f'unknown key "{shown_path(where)}"', guess)
    if kind.name == "enum":
        known = [str(item) for item in holder.get("enum", ())]
        problem = f'"{shown_path(where)}" cannot be {one_line(json.dumps(error.instance, default=str))}'
        guess = did_you_mean(str(error.instance), known)
        return Wrong(where, keyword, problem, guess, f"Use one of {', '.join(known)}.")
    place = f'"{shown_path(where)}" is wrong: ' if where else ""
    return Wrong(where, keyword, f"{place}{one_line(error.message)}")


def shown_path(where: Path) -> str:
    """Keys and indexes with dots between them, safe to print."""
    return visible(".".join(map(str, where)))


_MAX_PARSED = 2_000_000
"""Most characters that are parsed for the number of a line, some tenths of a second."""


def toml_line(text: str, path: Path) -> int:
    """The line, from 1, of the statement of a TOML document that writes a value, or the nearest table or value that
    holds it; 0 if none does, or that would take long to find.

    A document that ends behind the statement has the value. So any spelling of a key counts (dotted, quoted, in an
    inline table), and no line of a string is mistaken for one.

    Args:
        text: the document, which is TOML.
        path: keys and indexes on the way to the value.
    """
    path = path[: _depth(read_toml(text), path)]
    names = [step for step in path if isinstance(step, str)]
    lines = text.split("\n")
    # A statement begins with a key or a header. What else looks so is in a value of several lines, and does not parse.
    starts = [number for number, line in enumerate(lines) if "=" in line or line.lstrip().startswith("[")]
    begin, left = starts[0] if starts else 0, _MAX_PARSED
    for end in (*starts[1:], len(lines)) if names else ():
        if any(name in line for line in lines[begin:end] for name in names):
            part = "\n".join(lines[:end])
            left -= len(part)
            try:
                if left < 0 or _depth(read_toml(part), path) == len(path):
                    return begin + 1 if left >= 0 else 0
            except ValueError:
                continue
        begin = end
    return 0


def _depth(value: Any, path: Path) -> int:
    """How many steps of a path a value has."""
    for depth, step in enumerate(path):
        if isinstance(value, list) and isinstance(step, int):
            value = dict(enumerate(value))
        if not isinstance(value, dict) or step not in value:
            return depth
        value = value[step]
    return len(path)
