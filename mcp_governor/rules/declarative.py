"""Rules without Python code: a JSONPath finds values, and a JSON Schema or a pattern judges them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import ConfigError
from mcp_governor.findings import Correction, Edit, Effect
from mcp_governor.rules.query import compile_query, first_name
from mcp_governor.schemas import plain
from mcp_governor.schemas.patterns import compile_schema, errors, linear_pattern, with_options
from mcp_governor.schemas.pointers import join_pointer, resolve_pointer
from mcp_governor.subjects.context import Check, Context, Hit, SchemaPlace, about, hit
from mcp_governor.subjects.schemas import effective, root_of
from mcp_governor.surface.model import Surface, Tool
from mcp_governor.text import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mcp_governor.rules.rule import Case, Rule

Way = tuple["str | int", ...]
_Problems = list[tuple[list["str | int"], str]]
_Test = Callable[[Any], bool]


def declarative_check(rule: Rule, options: Mapping[str, Any]) -> Check:
    """Compile the cases of a rule to a check.

    Args:
        rule: a rule with cases.
        options: of the rule, with defaults filled in.

    Raises:
        ConfigError: an expression, a schema or a pattern does not compile. The message names the rule.
    """
    # Tests compile our rules, and a user's rule is compiled when it is read; another option may not compile.
    sound = options == rule.defaults
    try:
        searches = [_Case(case, options, sound=sound, ours=not rule.folder).search() for case in rule.cases]
    except ConfigError as error:
        raise _about(rule, error) from None
    document_of = _DOCUMENTS.get(rule.on, attrgetter("raw"))
    first = searches[0]

    def check(subject: Any, _context: Context) -> Iterable[Hit]:
        document = document_of(subject)
        try:
            if len(searches) == 1:
                return first(subject, document)
            return [found for search in searches for found in search(subject, document)]
        except ConfigError as error:
            raise _about(rule, error) from None

    firsts = [first_name(case.given) for case in rule.cases]
    return about(keys=filter(None, firsts))(check) if all(firsts) else check


def _about(rule: Rule, error: ConfigError) -> ConfigError:
    return ConfigError(f"Rule {rule.id} ({rule.origin}): {error.message}", error.hint)


class _Case:
    """One compiled case: maps a subject to the places in it that violate the case."""

    def __init__(self, case: Case, options: Mapping[str, Any], *, sound: bool, ours: bool) -> None:
        self._case = case
        self._query = compile_query(case.given)
        self._is_right, self._problems = _judge(case, options, sound=sound, ours=ours)
        self._applies = _predicate(with_options(case.when, options), sound=sound) if case.when is not None else None
        argument = with_options(case.argument, options)
        self._named = _named(argument, sound=sound, ours=ours) if argument is not None else None
        self._value = compile_query(case.value) if case.value.startswith("$") else None
        self._is_one = case.judge == "name" or case.resolve or bool(case.value)

    def search(self) -> Callable[[Any, Any], Iterable[Hit]]:
        """A function that returns the hits for a subject and its JSON, as fast as possible: most subjects have none."""
        query, named, applies, judged = self._query, self._named, self._applies, self._judged

        def search(subject: Any, document: Any) -> Iterable[Hit]:
            found = query(document)
            if not found or (named is not None and (subject.argument is None or not named(subject.argument))):
                return ()
            return judged(subject, document, found) if applies is None or applies(document) else ()

        return search

    def _judged(self, subject: Any, document: Any, found: Iterable[tuple[Way, Any]]) -> list[Hit]:
        out: list[Hit] = []
        judge, resolve, is_right = self._case.judge, self._case.resolve, self._is_right
        for way, value in found:
            judged: Any = value
            if judge == "name":
                judged = _name(subject, way)
            elif resolve and isinstance(value, dict):
                root = root_of(subject) if isinstance(subject, SchemaPlace) else document[way[0]]
                judged = effective(root, value)
            if not is_right(judged):
                out.extend(self._hits(subject, way, value, self._problems(judged)))
        return out

    def _hits(self, subject: Any, way: Way, value: Any, problems: _Problems) -> Iterator[Hit]:
        base = "" if isinstance(subject, Tool | Surface) else subject.pointer
        place, name = join_pointer(base, *way), _name(subject, way)
        if not self._is_one:
            for where, error in problems:
                pointer = join_pointer("", *where)
                yield self._hit(place + pointer, resolve_pointer(value, pointer), name, subject, error)
            return
        if self._value is not None:
            value = next((item for _, item in self._value(value)), None)
        elif self._case.value == "name":
            value = name
        yield self._hit(place, value, name, subject, problems[0][1] if problems else "")

    def _hit(self, place: str, value: Any, name: Any, subject: Any, error: str) -> Hit:
        """A hit with the facts that every rule without Python code may name."""
        argument = subject.argument if isinstance(subject, SchemaPlace) else None
        length = len(value) if isinstance(value, str | list | dict) else None
        says, kind = self._case.says, kind_of(value)
        correction = self._correction(place) if isinstance(subject, Tool | SchemaPlace) else None
        return hit(
            place,
            value,
            says=says,
            correction=correction,
            name=name,
            argument=argument,
            kind=kind,
            length=length,
            error=error,
        )

    def _correction(self, place: str) -> Correction | None:
        declared = self._case.correction
        if declared is None:
            return None
        removed = declared.get("remove", ())
        edits = [Edit(join_pointer(place, key), value) for key, value in declared.get("set", {}).items()]
        edits += [
            Edit(place if removed is True else join_pointer(place, key), op="remove")
            for key in ([""] if removed is True else removed)
        ]
        return Correction(tuple(edits), Effect(declared["effect"]))


def _name(subject: Any, way: Way) -> Any:
    """The name of the matched member; for a schema itself, that of its parameter."""
    return way[-1] if way else subject.argument if isinstance(subject, SchemaPlace) else None


def _judge(
    case: Case, options: Mapping[str, Any], *, sound: bool, ours: bool
) -> tuple[_Test, Callable[[Any], _Problems]]:
    """A test for valid values, and a function that returns the paths to invalid parts with the engine's messages."""
    if case.pattern is not None or case.forbid is not None:
        expression = with_options(case.pattern or case.forbid or "", options)
        search = (_named if case.judge == "name" else _search)(expression, sound=sound, ours=ours)
        wanted, cues = case.pattern is not None, case.cues
        problems: _Problems = [([], "does not match" if wanted else "matches")]
        return (
            lambda value: (
                not isinstance(value, str)
                or (bool(cues) and not any(cue in value.lower() for cue in cues))
                or search(value) is wanted
            ),
            lambda _: problems,
        )
    schema = with_options(case.then, options)
    return _predicate(schema, sound=sound), lambda value: errors(compile_schema(schema), value)


def _predicate(schema: Any, *, sound: bool) -> _Test:
    """A function that returns true if a value satisfies a schema; one that is sound is compiled for the first value."""
    test = plain.condition(schema) if sound else None
    if test is not None:
        return test
    make = functools.cache(lambda: compile_schema(schema))
    if not sound:
        make()

    def is_valid(value: Any) -> bool:
        try:
            return make().is_valid(value)
        except UnicodeEncodeError:
            return not errors(make(), value)

    return is_valid


def _named(expression: str, *, sound: bool, ours: bool) -> Callable[[str], bool]:
    # The parameters of a surface have few different names.
    return functools.lru_cache(maxsize=4096)(_search(expression, sound=sound, ours=ours))


def _search(expression: str, *, sound: bool, ours: bool) -> Callable[[str], bool]:
    """A function that looks for an expression; one that is sound is compiled for the first text."""
    if not sound:
        return linear_pattern(expression).search
    return plain.search(expression, ours=ours)


def _surface(surface: Surface) -> dict[str, Any]:
    return {
        "serverInfo": dict(surface.server),
        "protocolVersion": surface.protocol,
        "capabilities": dict(surface.capabilities),
        "instructions": surface.instructions,
        "tools": list(surface.entries),
        "prompts": list(surface.prompts),
        "resources": list(surface.resources),
        "resourceTemplates": list(surface.templates),
    }


_DOCUMENTS: Mapping[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("schema", "input", "output"), attrgetter("schema")),
    **dict.fromkeys(("text", "prose"), attrgetter("value")),
    "surface": _surface,
}
"""The JSON form of a subject, by ``on``; for other subjects it is the raw entry."""
