"""What prose says of an argument, read only where it leaves no doubt.

A description claims a type, a list of values, a default, bounds, or whether an argument may be left out. Each
reader here knows the few forms in which people write such a claim ("(string)", "one of: a, b", "defaults to 10",
"max 100", "Required.") and returns nothing where the sentence could mean something else: a claim that contradicts
its schema is an error, so one that was misread is worse than one that was missed.

All patterns are bounded and run on text without runs of white space, so that reading stays linear in the text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from mcp_governor.lazy import lazy_pattern
from mcp_governor.linting.guarded import Guarded
from mcp_governor.linting.units import unit_of, unit_of_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# -- types

_TYPES = {
    "string": "string",
    "str": "string",
    "integer": "integer",
    "int": "integer",
    "number": "number",
    "float": "float",
    "double": "float",
    "boolean": "boolean",
    "bool": "boolean",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
    "dictionary": "object",
}
_TYPE = rf"(?:{'|'.join(_TYPES)})"
_LISTED = lazy_pattern(
    rf"(?:array|list)(?:\s+of\s+|\[|<)({_TYPE})s?[\]>]?|({_TYPE})\[\]|optional\[({_TYPE})\]"
    rf"|({_TYPE})\s*(?:\||or)\s*(?:none|null)|(?:an?\s+|optional\s+|required\s+)*({_TYPE})",
    re.IGNORECASE,
)
_NOTE = r"\(([^()\n]{2,60})\)"
# In front, or behind a phrase without lists or fields.
_TYPE_NOTE = Guarded(rf"^{_NOTE}|^[^:,(\n.]{{0,200}}{_NOTE}(?=\s*(?:[.:;]?\s*$|\.\s))", "(")
_TYPE_LABEL = Guarded(rf"(?:^|[.\n]\s?)type\s?[:=]\s?({_TYPE})\b(?!\s?(?:or\b|[|/\[<]|of\b))", "type")
_TYPE_LEAD = Guarded(
    r"^(?:an?\s)?(string|integer|boolean)(?:\s(?:value|flag))?"
    r"(?:\s?[,.:;](?:\s|$)|\s(?:that|which|indicating|specifying|representing|containing|describing)\b|$)",
    "string",
    "integer",
    "boolean",
)
_ARRAY_LEAD = Guarded(r"^(?:an?\s)array\sof\s|^array\sof\s(?:strings|numbers|integers|objects|ids|names)\b", "array of")
_OBJECT_LEAD = Guarded(
    r"^(?:an?\s|the\s)?(?:optional\s)?(?:record|map|mapping|dictionary|dict|hash)\s(?:of|from|mapping)\s",
    "record",
    "map",
    "dict",
    "hash",
)
_TYPE_ORDER = Guarded(
    rf"(?:^|[.;\n]\s?|,\s)(?:(?:it|this|value|the value)\s)?(?:must|should|has to|needs to)\sbe\san?\s"
    rf"(?:valid\s|positive\s|non-negative\s|whole\s)?({_TYPE})\b(?!\s?(?:or\b|[|/,\[<]|of\b|that\b|literal\b|id\b|ID\b))",
    " be a",
)
_TEXTUAL = lazy_pattern(r"comma|separat|delimit|json|string|text|encoded|serial|newline|space", re.IGNORECASE)
_COMMA_LIST = Guarded(r"\bcomma[- ](?:separated|delimited)\s(?:string|list|values)\b", "comma")
_JSON_TEXT = Guarded(
    r"\bJSON(?:[- ](?:encoded|formatted|serialized|stringified))?\sstring\b|\bstringified\sJSON\b", "json"
)
_HEDGE = lazy_pattern(
    r"\b(?:not|never|no|without|instead of|rather than|unlike|or|also|each|every|either|item|items|element|elements)\b"
    r"|n't\b",
    re.IGNORECASE,
)


class TypeClaim(NamedTuple):
    """A stated type; ``item`` is that of the items of a list, where it was said."""

    kind: str
    item: str | None = None

    @property
    def shown(self) -> str:
        """As a message names it."""
        return f"{self.kind} of {self.item}" if self.item else self.kind


def _note_type(note: str) -> TypeClaim | None:
    """The type in a parenthesised note such as ``string, optional``; ``None`` where it is not only a type."""
    parts = [part.strip() for part in re.split(r"[,;]", note)]
    if parts and parts[0].lower() in ("optional", "required"):
        parts = parts[1:]
    if not parts:
        return None
    match = _LISTED.fullmatch(parts[0])
    if match is None or not all(_REMARK.fullmatch(part) for part in parts[1:]):
        return None
    item = match[1] or match[2]
    if item:
        return TypeClaim("array", _TYPES[item.lower()])
    return TypeClaim(_TYPES[(match[3] or match[4] or match[5]).lower()])


_REMARK = lazy_pattern(
    r"(?:optional|required|nullable|default\b.{0,40}|max\b.{0,20}|min\b.{0,20}|\d.{0,20})", re.IGNORECASE
)


def stated_type(text: str, argument: str) -> TypeClaim | None:
    """The type that a description states for the argument as a whole."""
    match = _TYPE_NOTE.search(text)
    claim = _note_type(match[1] or match[2]) if match is not None else None
    if claim is not None:
        return claim
    match = _TYPE_LABEL.search(text) if argument != "type" else None
    match = match or _TYPE_LEAD.search(text)
    if match is not None:
        return TypeClaim(_TYPES[match[1].lower()])
    if _OBJECT_LEAD.search(text) and not _TEXTUAL.search(text):
        return TypeClaim("object")
    return TypeClaim("array") if _ARRAY_LEAD.search(text) and not _TEXTUAL.search(text) else None


def ordered_type(text: str) -> TypeClaim | None:
    """The type of "must be a number"; for arguments that are no containers, whose items it may speak of."""
    match = _TYPE_ORDER.search(text)
    return TypeClaim(_TYPES[match[1].lower()]) if match is not None else None


def states_comma_list(text: str) -> bool:
    """Whether the description wants one string with commas."""
    return _plainly(_COMMA_LIST, text)


def states_json_text(text: str) -> bool:
    """Whether the description wants JSON within a string."""
    return _plainly(_JSON_TEXT, text)


def _plainly(pattern: Guarded, text: str) -> bool:
    """Whether there is a match that its sentence does not deny, offer as an alternative or say of the items."""
    return any(
        not _HEDGE.search(text[max(_sentence_start(text, match.start()), match.start() - 80) : match.start()])
        for match in pattern.finditer(text)
    )


def _sentence_start(text: str, at: int) -> int:
    return max(text.rfind(". ", 0, at), text.rfind("\n", 0, at), 0)


# -- values

_QUOTED = r"(?:`[^`\n]{1,60}`|'[^'\n]{1,60}'|\"[^\"\n]{1,60}\"|“[^”\n]{1,60}”)"
_ITEM = lazy_pattern(rf"({_QUOTED})|([+\-]?[A-Za-z0-9_][\w.+\-/]{{0,59}})")
_ITEM_OF_SLASHES = lazy_pattern(rf"({_QUOTED})|([A-Za-z0-9_][\w.+\-]{{0,59}})")
_SEPARATOR = lazy_pattern(r"\s?(?:,\s?(?:(?:or|and)\s)?|;\s?|\|\s?|(?:or|and)\s)|\s/\s")
_SLASH = lazy_pattern(r"/")
_BAR = lazy_pattern(r"\s?\|\s?")
_REMARKS = lazy_pattern(r"\s?\([^()\n]{0,80}\)|\s?=\s?\w{1,30}")
_INTRO = Guarded(
    r"\b(?:(one of|any of|(?:allowed|valid|possible|accepted|supported|available) (?:values?|options?))"
    r"(?:\sthe\sfollowing)?|values|options|choices|must be|can be|either)"
    r"(?:\s(?:are|is|includes?)\b)?\s?(:|=)?\s?[(\[{]?\s?",
    "one of",
    "any of",
    "value",
    "option",
    "choices",
    "must be",
    "can be",
    "either",
)
_OPENED = Guarded(r"[(\[]\s?(?=[\w`'\"“])|\w:\s(?=[\w`'\"“])", "(", "[", ":")
_LIST_ENDS = lazy_pattern(r"\s?(?:$|[.;)\]}\n]|[,:]\s)")
_AND_SO_ON = frozenset({"etc", "more", "other", "others"})
_NO_VALUES = frozenset({"null", "none", "empty", "omitted", "unset", "default", "defaults", "undefined"})


class ValuesClaim(NamedTuple):
    """A stated list of values.

    Attributes:
        values: as written, without quotes.
        complete: it says that these are the values ("one of: …"), so that it need not share one with an enum.
        shared: how many values it shares with an enum that it is about, at least.
    """

    values: tuple[str, ...]
    complete: bool
    shared: int


def stated_values(text: str) -> Iterator[ValuesClaim]:
    """Every list of values in a description, with what it takes to be about the enum."""
    for match in _INTRO.finditer(text):
        values, quoted = _items(text, match.end())
        complete = match[1] is not None and match[1].lower() != "any of" and (quoted or match[2] is not None)
        # Bare words behind "must be" are a sentence more often than a list.
        if quoted or match[1] is not None or match[2] is not None:
            yield from _claims(values, complete, 1)
            yield from _claims(_items(text, match.end(), _ITEM_OF_SLASHES, _SLASH)[0], False, 1)
    for at in (0, *(match.end() for match in _OPENED.finditer(text))):
        values, quoted = _items(text, at)
        if at:
            yield from _claims(values, False, 1 if quoted else 2)
        yield from _claims(_items(text, at, separator=_BAR)[0], False, 1)
        yield from _claims(_items(text, at, _ITEM_OF_SLASHES, _SLASH)[0], False, 2)


def _claims(values: tuple[str, ...], complete: bool, shared: int) -> Iterator[ValuesClaim]:
    if len(values) > 1:
        yield ValuesClaim(values, complete, shared)


def _items(
    text: str, at: int, item: re.Pattern[str] = _ITEM, separator: re.Pattern[str] = _SEPARATOR
) -> tuple[tuple[str, ...], bool]:
    """The items of a list that begins at a place, and whether they are quoted: either all are, or none."""
    out: list[str] = []
    quoted: bool | None = None
    while match := item.match(text, at):
        if quoted is not (match[1] is not None) and quoted is not None:
            break
        quoted = match[1] is not None
        # A full stop at the end of a bare word ends the sentence.
        value = match[1][1:-1] if quoted else match[2].rstrip(".")
        stopped = not quoted and value != match[2]
        remark = _REMARKS.match(text, match.end())
        end = remark.end() if remark else match.end()
        step = None if stopped else separator.match(text, end)
        clean = stopped or step is not None or _LIST_ENDS.match(text, end) is not None
        if value.lower() in _AND_SO_ON:
            return (), False
        # A bare word that goes on is the first of a phrase and no value.
        if quoted or (clean and value.lower() not in _NO_VALUES):
            out.append(value)
        if step is None:
            break
        at = step.end()
    return tuple(out), bool(quoted)


# -- numbers

_NUMBER = r"-?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?"
_COUNTED = (
    r"(?:results?|items?|rows?|entries|records?|lines|pages?|messages|files|commits|matches|documents|events|issues"
    r"|hits|nodes|posts|images|users|words|tokens|elements)"
)
_END = (
    rf"(?!,? (?:or|but|except|unless)\b)(?=\s?(?:$|[);\]\n]|[.,](?:\s|$)|\((?:max|min|range|optional)|{_COUNTED}"
    rf"(?:\s(?:per (?:page|request|call)|to return|returned))?\s?(?:$|[);\]\n]|[.,](?:\s|$))))"
)


_DIGIT = lazy_pattern(r"\d")


def number(text: str) -> float:
    """A number as people write it, with commas between thousands."""
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


# -- defaults

_DEFAULT = Guarded(
    rf"(?<!['\"`“])\bdefault(?:s\sto|\svalue(?:\sis)?|\sis)?\s?[:=]?\s?(?:({_QUOTED})|(true|false|{_NUMBER}){_END})"
    rf"|\b(true|false|{_NUMBER})\sby\sdefault\b",
    "default",
)
_CHANGED = lazy_pattern(r"\b(?:was|were|previously|formerly|originally|until|used to)\b", re.IGNORECASE)


_DEFAULT_OF_UNIT = Guarded(
    rf"\bdefault(?:s\sto|\svalue(?:\sis)?|\sis)?\s?[:=]?\s?()({_NUMBER})\s?()(?P<unit>[A-Za-z]{{1,12}})"
    r"(?=\s?(?:$|[);\]\n(]|[.,](?:\s|$)))(?!,? (?:or|but|except|unless)\b)",
    "default",
)


def stated_default(text: str, argument: str = "") -> tuple[str, bool] | None:
    """The one default that a description states, and whether it was quoted.

    Two defaults in one description are two cases, which a schema cannot say.

    Args:
        text: a description.
        argument: whose; a default with a unit ("600 seconds") counts where the name ends in that unit.
    """
    found = list(_DEFAULT.finditer(text))
    if not found and (unit := unit_of_name(argument)) is not None:
        found = [match for match in _DEFAULT_OF_UNIT.finditer(text) if unit_of(match["unit"]) == unit]
    if len(found) != 1 or _CHANGED.search(text[max(0, found[0].start() - 40) : found[0].start()]):
        return None
    quoted = found[0][1]
    return (quoted[1:-1], True) if quoted else (found[0][2] or found[0][3], False)


# -- bounds

_RANGE = Guarded(
    rf"\bbetween\s({_NUMBER})\sand\s({_NUMBER})(?:\s?\(inclusive\)|\sinclusive)?{_END}"
    rf"|\(({_NUMBER})\s?(?:-|–|to|\.\.)\s?({_NUMBER})\)"
    rf"|\brange\s?(?:is|of|from)?\s?[:=]?\s?[(\[]?({_NUMBER})\s?(?:-|–|to|,|\.\.\.?)\s?({_NUMBER})(?:[)\]]|{_END})"
    rf"|\b(?:must be |^)from\s({_NUMBER})\sto\s({_NUMBER}){_END}",
    "between",
    "(",
    "range",
    "from",
)
_MOST = Guarded(
    rf"(?:\bmax(?:imum)?\.?(?:\s(?:is|of|value|allowed|limit))*\s?[:=]?|\bat most|\bno more than|\bnot exceed"
    rf"|(?:^|\()up to|≤|(?<![<>=])<=)\s?({_NUMBER}){_END}",
    "max",
    "at most",
    "no more",
    "exceed",
    "up to",
    "≤",
    "<=",
)
_LEAST = Guarded(
    rf"(?:\bmin(?:imum)?\.?(?:\s(?:is|of|value|allowed))*\s?[:=]?|\bat least|\bno less than|≥|(?<![<>=])>=)"
    rf"\s?({_NUMBER}){_END}",
    "min",
    "at least",
    "no less",
    "≥",
    ">=",
)
_BELOW = Guarded(rf"\bmust be (?:less than|below|under)\s({_NUMBER}){_END}", "must be")
_ABOVE = Guarded(rf"\bmust be (?:greater than|more than|above|over)\s({_NUMBER}){_END}", "must be")
_SIZE_END = r"(?:\s(?:long|in length|max(?:imum)?|allowed))?\s?(?=$|[);\]\n]|[.,](?:\s|$))"
_LONGEST = r"(?:max(?:imum)?(?:\sof)?|at most|up to|no more than|limited to)\s?:?\s?(\d{1,9})"
_MOST_CHARACTERS = Guarded(
    rf"\b{_LONGEST}\schar(?:acter)?s{_SIZE_END}|\bmax(?:imum)?\s?length(?:\sis|\sof)?\s?[:=]?\s?(\d{{1,9}})"
    rf"(?:\schar(?:acter)?s)?{_SIZE_END}|(?<![\d\-–])(?<!to )(?<!and )\b(\d{{1,9}})\schar(?:acter)?s\smax(?:imum)?\b",
    "char",
    "length",
)
_LEAST_CHARACTERS = Guarded(
    rf"\b(?:min(?:imum)?(?:\sof)?|at least|no less than)\s?:?\s?(\d{{1,9}})\schar(?:acter)?s{_SIZE_END}"
    rf"|\bmin(?:imum)?\s?length(?:\sis|\sof)?\s?[:=]?\s?(\d{{1,9}})(?:\schar(?:acter)?s)?{_SIZE_END}",
    "char",
    "length",
)
_RANGE_CHARACTERS = Guarded(
    rf"(?:\bbetween\s(\d{{1,9}})\sand\s|\b(\d{{1,9}})\s?(?:-|–|to)\s?)(\d{{1,9}})\schar(?:acter)?s{_SIZE_END}", "char"
)
_MOST_ITEMS = Guarded(
    rf"\b{_LONGEST}\s(?:items|elements|entries|values|ids|urls){_SIZE_END}",
    "items",
    "elements",
    "entries",
    "values",
    "ids",
    "urls",
)
_LEAST_ITEMS = Guarded(
    rf"\b(?:min(?:imum)?(?:\sof)?|at least)\s?:?\s?(\d{{1,9}})\s(?:items?|elements?|entry|entries|values?){_SIZE_END}",
    "item",
    "element",
    "entr",
    "value",
)


class BoundClaim(NamedTuple):
    """A stated bound: ``side`` is ``lower`` or ``upper``, of a ``number``, of ``characters`` or of ``items``."""

    of: str
    side: str
    value: float
    exclusive: bool = False


def stated_bounds(text: str, types: Iterable[str]) -> Iterator[BoundClaim]:
    """The bounds that a description states; a bound that is stated twice with two values is left out."""
    if not _DIGIT.search(text):
        return
    for kind, of, claims in (
        ({"integer", "number"}, "number", _number_bounds),
        ({"string"}, "characters", _character_bounds),
        ({"array"}, "items", _item_bounds),
    ):
        if not kind.isdisjoint(types):
            found = {BoundClaim(of, side, value, exclusive) for side, value, exclusive in claims(text)}
            for side in ("lower", "upper"):
                one = [claim for claim in found if claim.side == side]
                if len(one) == 1:
                    yield one[0]


_ALTERNATIVE = re.compile(r"\bor\s(?:an?\s|as\s|in\s)?[a-z%]{1,20}\s?$", re.IGNORECASE)


def of_alternative(text: str, start: int) -> bool:
    """Whether the range that begins at ``start`` is that of the last of several units: "items, or percent (1-100)"."""
    return _ALTERNATIVE.search(text[max(0, start - 40) : start]) is not None


# "Use a small value (3-5)" is advice, and no limit.
_ADVISED = re.compile(
    r"\b(?:recommend\w*|suggest\w*|typical\w*|usual\w*|ideal\w*|prefer\w*|optimal\w*|small\w*|large\w*|good|best|try)\b",
    re.IGNORECASE,
)


def _number_bounds(text: str) -> Iterator[tuple[str, float, bool]]:
    for match in _RANGE.finditer(text):
        if _ADVISED.search(text, max(_sentence_start(text, match.start()), match.start() - 80), match.start()):
            continue
        low, high = (number(group) for group in match.groups() if group is not None)
        if low < high and not of_alternative(text, match.start()):
            yield from (("lower", low, False), ("upper", high, False))
    for pattern, side, exclusive in (
        (_MOST, "upper", False),
        (_LEAST, "lower", False),
        (_BELOW, "upper", True),
        (_ABOVE, "lower", True),
    ):
        yield from ((side, number(match[1]), exclusive) for match in pattern.finditer(text))


def _character_bounds(text: str) -> Iterator[tuple[str, float, bool]]:
    for match in _RANGE_CHARACTERS.finditer(text):
        yield from (("lower", int(match[1] or match[2]), False), ("upper", int(match[3]), False))
    for pattern, side in ((_MOST_CHARACTERS, "upper"), (_LEAST_CHARACTERS, "lower")):
        yield from ((side, int(next(filter(None, match.groups()))), False) for match in pattern.finditer(text))


def _item_bounds(text: str) -> Iterator[tuple[str, float, bool]]:
    yield from (("upper", int(match[1]), False) for match in _MOST_ITEMS.finditer(text))
    yield from (("lower", int(match[1]), False) for match in _LEAST_ITEMS.finditer(text))


# -- required

# In front, or in brackets where a phrase ends; not before a noun ("required scopes") or a condition.
_SAYS = Guarded(
    r"^[\[(]?(required|mandatory|optional)\b[\])]?\s?(?:[.:,;–](?:\s|$)|-\s|$|(?<=[\])]))"
    r"|^[^:\n(\[]{0,200}[\[(](required|mandatory|optional)[\])](?=\s?(?:$|[.:\n]))"
    r"|\bthis\s(?:field|argument|parameter|property|value|option)?\s?is\s(required|mandatory|optional)(?=\s?(?:$|[.\n]))",
    "required",
    "mandatory",
    "optional",
)
_CONDITIONAL = Guarded(
    r"\b(?:required|mandatory|optional)\)?,?\s(?:if|when|for|unless|with|in|only|but|by|on|to|except|or|and)\b"
    r"|\b(?:required|optional)\b.{0,200}\b(?:required|optional)\b",
    "required",
    "mandatory",
    "optional",
)


_ORDERED = Guarded(
    r"\bthis\s(?:field|argument|parameter|property|value|option)\sis\s(required|mandatory)\s?(?:,\s?)?(?:and|so|as|because)\s"
    r"(?!optional\b|only\b)",
    "required",
    "mandatory",
)


def stated_necessity(text: str) -> str | None:
    """``required`` or ``optional``, where a description says so of the argument and without a condition."""
    if _ORDERED.search(text):
        return "required"
    if _CONDITIONAL.search(text):
        return None
    match = _SAYS.search(text)
    if match is not None:
        said = next(filter(None, match.groups())).lower()
        return "optional" if said == "optional" else "required"
    note = _TYPE_NOTE.search(text)
    if note is None or _note_type(note[1] or note[2]) is None:
        return None
    parts = {part.strip().lower() for part in re.split(r"[,;]", note[1] or note[2])}
    return next((word for word in ("required", "optional") if word in parts), None)


def without_name(text: str, argument: str) -> str:
    """Text in single blanks, without empty lines, bold marks, and the argument's own name in front of a claim."""
    flat = _lines(text) if "\n" in text or "**" in text else " ".join(text.split())
    bare = flat.lstrip("`'\"")
    if bare.startswith(argument):
        rest = bare[len(argument) :].lstrip("`'\" ")
        if rest.startswith("("):
            return rest
        if rest.startswith((":", "–", "—", "- ")):
            return rest[1:].lstrip()
    return flat


def _lines(text: str) -> str:
    lines = (" ".join(line.replace("**", "").split()) for line in text.split("\n"))
    return "\n".join(line for line in lines if line)
