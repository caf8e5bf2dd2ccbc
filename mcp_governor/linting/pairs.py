"""Short phrases that relate two parameters: "conflicts with", "alternative to", "along with".

The sentence comes from :mod:`~mcp_governor.linting.needs`, and the parameters are those that it certainly names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from mcp_governor.linting.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Sequence

Relation = Literal["exclusive", "follows", "any", ""]

GUARD = (
    "not ",
    "n't ",
    "cannot",
    "conflict",
    "alternative",
    "instead",
    "along",
    "accompan",
    "combined",
    "omit",
    "used with",
    "this or ",
    "xor ",
    "it or ",
)
"""In lower case: every sentence with such a phrase contains one of these."""

_NAME = r"(?:the\s)?(?:argument\s|parameter\s)?[`'\"]?(?P<name>[A-Za-z_$][\w$\-]{0,63})[`'\"]?"
_GIVEN = r"(?:\s(?:is|are)\s(?:also\s)?(?:set|given|provided|specified|used|passed|true|present|supplied))?"
_ENDS = r"(?=\s?(?:$|[.,;)]))"
_EXCLUDES = Guarded(
    rf"\b(?:conflicts? with|(?:do not|don't|never|not) (?:be )?(?:use[d]?|combine[d]?|set|specif(?:y|ied)|provide[d]?"
    rf"|allowed)(?:\s(?:this|it|together))?\s(?:with|together with|alongside|if|when)"
    rf"|cannot be (?:used|combined|set|specified|provided)(?:\stogether)?\s(?:with|if|when|alongside))"
    rf"\s{_NAME}{_GIVEN}{_ENDS}|(?:^|[(;,]\s?)(?:an?\s)?alternative to\s{_NAME.replace('name', 'other')}{_ENDS}"
    rf"|(?:^|[(;,]\s?)used? (?:this )?instead of\s{_NAME.replace('name', 'third')}{_ENDS}"
    rf"|(?:^|[(;,]\s?)xor\s{_NAME.replace('name', 'fifth')}{_ENDS}"
    rf"|(?:^|[(;,]\s?)omit (?:this )?(?:if|when)\s{_NAME.replace('name', 'fourth')}{_GIVEN}{_ENDS}"
)
_GOES_WITH = Guarded(
    rf"\b(?:(?:must|has to|have to|needs? to|should) be (?:used|specified|set|provided|given|combined|passed)"
    rf"\s(?:along\s|together\s)?with"
    rf"|(?:must|has to|needs? to) be accompanied by|required along with"
    rf"|(?:use|give|pass|provide|specify|set|supply)\s(?:this\s|it\s)?(?:only\s)?together with)\s{_NAME}{_ENDS}"
)
_SPARES = Guarded(
    rf"\b(?:can be omitted|may be omitted|not needed|not necessary|optional) (?:if|when)\s{_NAME}"
    rf"\s(?:is|are)\s(?:set|given|provided|specified|used|passed|present|supplied)\b"
    rf"|\bif (?:omitted|not (?:provided|specified|given|set)),\s{_NAME.replace('name', 'other')}\s(?:is required"
    rf"|must be (?:provided|specified|given|set))\b"
    rf"|\b(?:use|provide|pass|specify|set|give|supply|send) (?:either )?(?:this|it) or"
    rf"\s{_NAME.replace('name', 'third')}{_ENDS}"
)


def relation(sentence: str, subject: str, named: Sequence[str]) -> tuple[Relation, str]:
    """How a sentence about one parameter relates it to another, and that other one; empty if it does not.

    ``follows``: the other one is required if the first is given. ``any``: one of the two is required.

    Args:
        sentence: with single spaces.
        subject: the parameter that it is about.
        named: the parameters that it certainly names.
    """
    forms: tuple[tuple[Relation, Guarded], ...] = (("exclusive", _EXCLUDES), ("follows", _GOES_WITH), ("any", _SPARES))
    for kind, form in forms:
        match = form.search(sentence)
        other = next((name for name in match.groups() if name), "") if match is not None else ""
        if other in named and other != subject:
            return kind, other
    return "", ""
