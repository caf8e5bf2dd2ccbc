"""Types that say less than the description: lists that may be empty, objects without keys, structure in strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.claims import sentence_start
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.keys import is_language
from mcp_governor.prose.vocabulary import MAPS
from mcp_governor.prose.words import name_words
from mcp_governor.subjects.schemas import branches_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# -- lists that an empty list makes useless

_TUPLE = lazy_pattern(
    r"\[\s?(?P<parts>[a-z_]{1,16}(?:,\s?[a-z_]{1,16}){1,5})\s?\]|\((?P<round>[a-z],\s?[a-z](?:,\s?[a-z]){0,2})\)"
)
_SEVERAL = lazy_pattern(
    r"\b(?:lists?\sof|arrays?\sof|each|e\.g|such\sas|example|default|like|pairs|or)\b|\.\.\.|…", re.IGNORECASE
)


def tuple_length(text: str, schema: Mapping[str, Any]) -> int | None:
    """The length of a list of numbers whose parts a description lists ("as [r, g, b]"), if no bound gives it."""
    items = schema.get("items")
    numbers = isinstance(items, dict) and items.get("type") in ("integer", "number")
    if not numbers or schema.keys() & {"minItems", "maxItems", "prefixItems"}:
        return None
    match = _TUPLE.search(text[:_MAX_TUPLE])
    if match is None or _SEVERAL.search(text[: match.start()]):
        return None
    return (match["parts"] or match["round"]).count(",") + 1


_MAX_TUPLE = 200
"""Maximum number of characters of a description searched for the parts of a list."""

# -- objects without keys

_OWN_KEYS = lazy_pattern(
    r"\{\s?[\"'](?P<key>[A-Za-z_]\w{0,40})[\"']\s?:"
    r"|\{\s?(?P<plain>[a-z_]\w{0,40})(?:,\s?[a-z_]\w{0,40}){1,8}\s?\}"
    # The first key of a shape, whose others may hold objects: "{mode?: 'fast'|'slow', steps: [{from, to}]}".
    r"|\{\s?(?P<shape>[A-Za-z_]\w{0,40})(?:\?\s?:|\s?:\s?[^{}\[\],:]{1,60},\s?[A-Za-z_]\w{0,40}\??\s?:)\s"
    r"|\b(?i:(?:objects?|dict(?:ionar(?:y|ies))?|list|each(?:\s\w{1,20}){0,2})\s(?:with|of|containing|accepts|has|contains)|(?:should|must)\sinclude)"
    r"\s?:?\s(?:(?:the|keys?|fields?|following|properties)\s?:?\s){0,2}[`'\"](?P<quoted>[A-Za-z_]\w{0,40})[`'\"]"
    r"|\b(?i:each)(?:\s\w{1,20})?\s(?:containing|with|has|contains):\s?-\s[`'\"]?(?P<listed>[A-Za-z_]\w{0,40})[`'\"]?:"
    r"|\b(?i:each)(?:\s\w{1,20})?\s(?:accepts|takes|has)\s(?P<bare>[A-Z][a-z]+(?:[A-Z][a-z]+)+|[a-z]+_[a-z_]{1,30})\b"
)
_ANY_KEYS = lazy_pattern(
    r"\b(?:key[-/ ]values?|keyed\s(?:by|on)|arbitrary|any\s(?:key|field|object|valid|json|additional)|free-?form"
    r"|maps?\sof|mapping|map\sfrom|custom|depend(?:s|ing)\son|varies|e\.g\.,?\s\{|headers?|variables|environment|columns?|metadata_field|user-defined)\b",
    re.IGNORECASE,
)
_ONE_CASE = lazy_pattern(r"\{[^{}]{0,200}\}[`'\"]?\sfor\s\w")
"""An example of one case: "{…} for mail"."""
_SAMPLE_KEYS = frozenset(
    {
        "key",
        "field",
        "name_of_field",
        "metadata_field",
        "column",
        "foo",
        "bar",
        "a",
        "x",
        "k",
        "key1",
        "field1",
        "column1",
    }
)


_ROWS = frozenset({"rows", "records", "documents", "metadatas", "headers", "env", "variables", "vars"})
"""Objects whose keys belong to the user, whatever an example shows."""
_CONTENTS = frozenset({"body", "context", "data", "document", "input", "metadata", "payload", "state"})
"""Words for objects of which only an example with objects inside shows the structure."""


_OF_THE_USER = frozenset({"document", "entity", "fields", "item", "record", "row"})
"""Objects with keys of the user's own; a declared identifier alone does not help."""


def lacks_keys(schema: Mapping[str, Any]) -> bool:
    """True if a schema is for an object or a list of objects, and declares no keys."""
    items = schema.get("items")
    if schema.get("type") == "array" and isinstance(items, dict):
        return lacks_keys(items)
    if schema.get("type") != "object" or schema.get("additionalProperties") not in (None, True, {}):
        return False
    if any(branch.keys() & {"properties", "required", "$ref", "allOf"} for branch in branches_of(schema)):
        return False
    return not schema.get("properties") and not said_keys(schema, _KEYS_SAID)


def said_keys(schema: Mapping[str, Any], keywords: frozenset[str]) -> bool:
    """True if a schema has one of some keywords. Generators write ``"propertyNames": {"type": "string"}``, which is
    true of every name."""
    said = schema.keys() & keywords
    return bool(said) and (said != {"propertyNames"} or schema["propertyNames"] != {"type": "string"})


_KEYS_SAID = frozenset({"patternProperties", "propertyNames", "$ref", "allOf", "if", "required", "enum", "const"})


def stated_key(name: str, text: str, description: str, siblings: Iterable[str] = ()) -> str | None:
    """A key that a description gives for an object without declared keys; ``None`` if it leaves the keys open.

    Args:
        name: of the parameter.
        text: everything that is said about it.
        description: of the tool, which may show example calls.
        siblings: the names of all parameters around it, which may have examples of their own.
    """
    own = _OWN_KEYS.search(text)
    last = "".join(name_words(name)[-1:])
    if is_language(text) or (own is not None and _ONE_CASE.match(text, own.start())):
        return None
    if last in _ROWS or _ANY_KEYS.search(text, 0, own.start() if own is not None else len(text)):
        return None
    sample = own is not None and own["key"] is not None and not _TYPE_OR_MORE.match(text, own.end())
    if (last in MAPS and (own is None or sample)) or (last in _CONTENTS and sample):
        return None
    key: str | None = next(filter(None, own.groups()), None) if own is not None else None
    if own is not None and key == name:
        key = _inner_key(text, own.end())
    if key is None and name in description:
        others = frozenset(siblings) - {name}
        key = _key_shown(name, description[:_MAX_DESCRIPTION], others, nested=last in _CONTENTS)
    if key is None or key.lower() in _SAMPLE_KEYS or (key == "id" and last in _OF_THE_USER):
        return None
    return key


def _inner_key(text: str, at: int) -> str | None:
    """The first key of the value of a parameter: an example may show the parameter's name around its value."""
    inner = _INNER.match(text, at)
    return inner["key"] if inner is not None else None


_INNER = lazy_pattern(r"\s{0,40}\[?\s{0,40}\{\s{0,40}[\"'](?P<key>[A-Za-z_]\w{0,40})[\"']\s?:")


def _key_shown(name: str, description: str, siblings: frozenset[str], *, nested: bool) -> str | None:
    """The first key of an object in an example call, or below the name of the parameter; of an object with others
    inside, if ``nested``."""
    at = description.find(name)
    for _ in range(_MAX_PLACES):
        if at < 0:
            return None
        end = at + len(name)
        shown = _SHOWN.match(description, end)
        alone = shown is not None and siblings.isdisjoint(_NAME.findall(description, end, shown.start("key")))
        if shown is not None and alone and (not nested or _INSIDE.match(description, shown.end())):
            return shown["key"] if shown["key"] != name else _inner_key(description, shown.end())
        at = description.find(name, at + 1)
    return None


_NAME = lazy_pattern(r"\w+")
_INSIDE = lazy_pattern(r"[^{}]{0,300}\{\s{0,80}[\"']")
_TYPE_OR_MORE = lazy_pattern(
    r"\s?(?:\.\.\.|…|\[(?:\.\.\.|…)|[\"']?<|[\"']?(?:str|string|int|integer|number|float|bool|boolean|array|list|object)\b)",
    re.IGNORECASE,
)
"""What stands for any value in a shape."""
_SHOWN = lazy_pattern(
    r"[\"'`]?(?:\s?[=:]\s?|[^{}]{0,160}?\n\s{0,40})\[?\s{0,40}\{\s{0,40}[\"'](?P<key>[A-Za-z_]\w{0,40})[\"']\s?:"
)
_MAX_PLACES = 20
"""Maximum number of occurrences of the name where an example is looked for."""
_MAX_DESCRIPTION = 20_000
"""Maximum number of characters of a tool's description searched for an example."""

# -- structure packed into a string

_JSON = Guarded(
    r"\bJSON[- ](?:(?:encoded|formatted|serialized|stringified)[- ]?\s?)?(?:string|array|object|list|text)\b"
    r"|\bstringified\sJSON\b|\bserialized\s(?:from\s)?(?:an?\s)?JSON\b|\bJSON-encoded\b|\bas\sJSON\b",
    "json",
)
_JOINED = Guarded(
    r"\b(?P<by>comma|space|semicolon|pipe|newline)[- ](?:separated|delimited)\b"
    r"|\b(?:(?:separated|delimited|split)\s(?:by|with)|joined\s(?:by|with|using))\s(?:an?\s)?(?P<sign>commas?|spaces?|semicolons?|pipes?|newlines?)\b|[`'\"](?P<mark>[|;,])[`'\"]\sas\s(?:the\s|a\s)?(?:delimiter|separator)\b",
    *("separated", "delimited", "delimiter", "separator", "joined", "split"),
)
_TRUTH = Guarded(
    r"[`'\"](?:true|false)[`'\"]\s?(?:or|/|\||,)\s?[`'\"](?:true|false)[`'\"]|^(?:true|false)\s?(?:or|/|\|)\s?(?:true|false)\b"
    r"|\((?:true|false)\s?(?:or|/|\||,)\s?(?:true|false)\)",
    "true",
)
_NUMBER_OF = lazy_pattern(
    r"(?:optional:?\s|the\s){0,2}(?:(?:approximate|desired|estimated|exact|maximum|minimum|total)\s)?number\sof\s"
    r"(?:[a-z]{2,16}\s)?(?:columns|days|entries|events|hits|hours|images|items|lines|matches|messages|minutes|months"
    r"|nodes|pages|records|replicas|results|retries|rows|seconds|steps|threads|weeks|words|workers|years)\b",
    re.IGNORECASE,
)
_AS_TEXT = lazy_pattern(
    r"[`'\"]|\b(?:or|e\.g|like|such as|all|range|string|decimals?|fraction\w*)\b"
    r"|\bof\s(?:\w{1,20}\s)?(?:coins?|contracts?|lots?|shares?|tokens?|units?)\b",
    re.IGNORECASE,
)
"""Words that make a number of things text: "number of days, or 'all'"; and things that are traded in fractions."""
_FLAG = lazy_pattern(r"(?:whether|if\strue|set\sto\strue|(?:en|dis)able[sd]?)\b", re.IGNORECASE)
_OR_JSON = lazy_pattern(
    r"\bor\s(?:an?\s|will\sbe\s)?(?:JSON|comma|plain|single|raw|wildcard|pattern|glob|auto\w*|converted)"
    r"|^(?:(?:the|raw|json)\s){0,3}request\sbody\b|\b(?:file|path|URL|SQL|code|schema|document|template|payload)\b",
    re.IGNORECASE,
)

COMMON_JOINTS = frozenset({"comma-separated", "semicolon-separated", "newline-separated"})
"""Lists in strings as many services take them: models write them correctly, so an array is only nicer."""
_OF_OTHERS = lazy_pattern(
    r"[.;]\s(?!(?:also|can|give|has|is|it|may|must|pass|provide|put|should|specify|this|use)\b)[^.;]{0,60}\b(?:go(?:es)?|pass(?:ed)?|given|put)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
"""What a later sentence says of something else: "Variables go to the next parameter, as JSON"."""
_SEARCH = lazy_pattern(r"\b(?:search|keywords?|terms)\b", re.IGNORECASE)
"""Words about what people type into a search box, which is text however many words it has."""


def _is_truth(text: str) -> bool:
    """True if the words name true and false for every case, not for one: "If it is a checkbox, 'true' or 'false'"."""
    found = _TRUTH.search(text)
    if found is None or _FOR_SOME.match(text, found.end()):
        return False
    before = text[sentence_start(text, found.start()) : found.start()]
    return _CASE.search(before) is None and _FOR_ONE.search(before) is None


_CASE = lazy_pattern(
    r"\b(?:if|when|unless|while)\s(?!(?:it is |this is )?(?:provided|specified|set|given|present|omitted|not)\b)"
    r"[^.,;\n]{2,60},\s(?:[\w ]{1,40}\s)?$",
    re.IGNORECASE,
)
"""What restricts a sentence to a case: "If the field is a box, the value should be …"."""
_FOR_SOME = lazy_pattern(r"\s(?:for|if|when)\s", re.IGNORECASE)
_FOR_ONE = lazy_pattern(r"\bfor\s(?:an?\s)?[\w\-]{1,30}:\s?$", re.IGNORECASE)


def packed(text: str, schema: Mapping[str, Any]) -> str | None:
    """Content of a string parameter that has a JSON type: "JSON", "comma-separated", "true or false"; or ``None``."""
    default = schema.get("default")
    if "enum" in schema or "const" in schema or "pattern" in schema or "format" in schema:
        return None
    if _is_truth(text) or (default in ("true", "false") and _FLAG.match(text)):
        return "true or false"
    if _NUMBER_OF.match(text) and not _AS_TEXT.search(text) and not isinstance(default, str):
        return "a number"
    if (found := _JSON.search(text)) and not _OR_JSON.search(text) and not _OF_OTHERS.search(text, 0, found.start()):
        return "JSON"
    joined = _JOINED.search(text)
    if joined is not None and not _OR_JSON.search(text):
        by = (joined["by"] or joined["sign"] or {"|": "pipe", ";": "semicolon", ",": "comma"}[joined["mark"]]).rstrip(
            "s"
        )
        if by.lower() == "space" and _SEARCH.search(text):
            return None
        return f"{by.lower()}-separated"
    return None


# -- patterns that every string matches

_LOOSE_PATTERN = lazy_pattern(r"[\[\\]")


def unanchored(schema: Mapping[str, Any]) -> str | None:
    """The pattern of a schema if it describes a whole value and lacks both ``^`` and ``$``; else ``None``."""
    pattern = schema.get("pattern")
    if not isinstance(pattern, str) or not 3 < len(pattern) <= _MAX_PATTERN or not _LOOSE_PATTERN.search(pattern):
        return None
    if re.search(r"(?<!\[)\^|\$|\\[AZzbB]|\(\?[=!<]|^\.\*|\.\*$", pattern):
        return None
    return pattern


_MAX_PATTERN = 400
"""Maximum length of a pattern that is checked."""
