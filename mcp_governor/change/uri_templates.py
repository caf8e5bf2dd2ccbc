"""URI templates (RFC 6570): their variables, and the addresses that they promise."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    import jsonschema_rs

_EXPRESSION = lazy_pattern(r"\{([+#./;?&=,!@|]?)([^{}]+)\}")
_QUERY = lazy_pattern(r"\{[?&][^{}]*\}")
_LARGEST = 100_000
"""Maximum size of a compiled template in bytes: some tens of expressions."""
_MODIFIER = lazy_pattern(r"(\*|:\d+)$")

# operator → what its variables may expand to (RFC 6570, section 3.2); a variable without a value expands to nothing
_PLAIN, _ANYTHING = "[^\\x00-\\x20/?#]", "[^\\x00-\\x20]"
_EXPANSIONS = {
    "": f"{_PLAIN}+",
    "+": f"{_ANYTHING}+",
    "#": f"(#{_ANYTHING}*)?",
    ".": f"(\\.{_PLAIN}+)?",
    "/": f"(/{_PLAIN}+)*",
    ";": f"(;{_PLAIN}+)?",
    "?": "(\\?[^\\x00-\\x20#]*)?",
    "&": "(&[^\\x00-\\x20#]*)?",
}


def variables(template: str) -> list[str]:
    """The variables of a template, in order, without modifiers."""
    found = (part for _, group in _EXPRESSION.findall(template) for part in group.split(","))
    return list(dict.fromkeys(_MODIFIER.sub("", name.strip()) for name in found))


def without_names(template: str) -> str:
    """The template without those names of variables that its addresses do not contain: all but the ones of a query and
    of parameters (RFC 6570, section 3.2.7 to 3.2.9)."""

    def nameless(match: re.Match[str]) -> str:
        operator, names = match.groups()
        if operator in (";", "?", "&"):
            return match[0]
        modifiers = (found[0] if (found := _MODIFIER.search(name.strip())) else "" for name in names.split(","))
        return f"{{{operator}{','.join(modifiers)}}}"

    return _EXPRESSION.sub(nameless, template)


def without_query(template: str) -> str:
    """The template without optional variables at its end."""
    return _QUERY.sub("", template)


def covers_address(template: str, uri: str) -> bool:
    """True if a URI is certainly one of the template's addresses; the time is linear in its length."""
    validator = _validator(template)
    return validator is not None and validator.is_valid(uri)


def covers_template(outer: str, inner: str) -> bool:
    """True if every address of one template is certainly one of another's."""
    from mcp_governor.containment import contains

    one, other = ({"type": "string", "pattern": _pattern(template)} for template in (outer, inner))
    return contains(one, other, witness=False).verdict == "yes"


# Each template is compared with every removed resource; at most 25 MB, see _LARGEST.
@lru_cache(maxsize=256)
def _validator(template: str) -> jsonschema_rs.Validator | None:
    """A validator for the template's addresses; ``None`` if the template is too large."""
    import jsonschema_rs

    options = jsonschema_rs.RegexOptions(size_limit=_LARGEST)
    try:
        return jsonschema_rs.Draft202012Validator({"pattern": _pattern(template)}, pattern_options=options)
    except jsonschema_rs.ValidationError:
        return None


def _pattern(template: str) -> str:
    return f"^{''.join(_parts(template))}$"


def _parts(template: str) -> Iterator[str]:
    end = 0
    for match in _EXPRESSION.finditer(template):
        yield _literal(template[end : match.start()])
        operator, names = match.groups()
        expansion = _EXPANSIONS.get(operator)
        if expansion is None:
            yield "\\b\\B"  # reserved operators, whose expansion is undefined
        elif operator in ("", "+"):
            yield ",".join([expansion] * len(names.split(",")))
        else:
            yield expansion
        end = match.end()
    yield _literal(template[end:])


def _literal(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", text)
