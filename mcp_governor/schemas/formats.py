r"""The formats of JSON Schema as regular expressions, for comparing schemas with ``format`` as an assertion.

Source: JSON Schema 2020-12, validation, section 7.3, and the RFCs that it names. The expressions are ECMA-262 without
flags, which Python and Rust read alike. ``regex`` and ``idn-hostname`` are not regular languages in practice (nested
groups; tables of Unicode), so they are not here. A leap second is ``23:59:60Z`` only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.schemas.walking import rebuilt

if TYPE_CHECKING:
    from collections.abc import Mapping

UNMODELLED = frozenset({"idn-hostname", "regex"})
"""Registered formats without an expression."""

# RFC 3339, sections 5.6 and 5.7; leap years have 29 February.
_LEAP = "(?:[0-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:0[048]|[2468][048]|[13579][26])00)"
_DATE = (
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    f"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP}-02-29)"
)
_TIME = (
    r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
    r"|23:59:60(?:\.[0-9]+)?[Zz])"
)
# RFC 3339, appendix A.
_CLOCK = "T(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DAYS = "[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D"
# RFC 1123, section 2.1; its lengths are in `_PATTERNS`.
_LABEL = "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*"
_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
# RFC 4291, section 2.2, in the grammar of RFC 3986, section 3.2.2.
_HEX = "[0-9A-Fa-f]{1,4}"
_LOW = f"(?:{_HEX}:{_HEX}|{_IPV4})"
_IPV6 = "(?:" + "|".join([
    f"(?:{_HEX}:){{6}}{_LOW}",
    f"::(?:{_HEX}:){{5}}{_LOW}",
    f"(?:{_HEX})?::(?:{_HEX}:){{4}}{_LOW}",
    *(f"(?:(?:{_HEX}:){{0,{most}}}{_HEX})?::(?:{_HEX}:){{{3 - most + 1}}}{_LOW}" for most in (1, 2, 3)),
    f"(?:(?:{_HEX}:){{0,4}}{_HEX})?::{_LOW}",
    f"(?:(?:{_HEX}:){{0,5}}{_HEX})?::{_HEX}",
    f"(?:(?:{_HEX}:){{0,6}}{_HEX})?::",
]) + ")"  # fmt: skip
# RFC 5321, section 4.1.2: a mailbox, without obsolete forms.
_ATOM = "[0-9A-Za-z!#$%&'*+/=?^_`{|}~-]+"
_QUOTED = r'"(?:[ !#-\[\]-~]|\\[ -~])*"'
_LITERAL = rf"\[(?:{_IPV4}|IPv6:{_IPV6})\]"
_WIDE = "\u0080-\ud7ff\uf900-\ufdcf\ufdf0-\uffef\U00010000-\U000efffd"
"""RFC 6532 and 3987 allow characters beyond ASCII."""


def _mailbox(more: str) -> str:
    atom, quoted = _ATOM.replace("[0-9", f"[{more}0-9"), _QUOTED.replace("[ !", f"[{more} !", 1)
    label = _LABEL.replace("[0-9", f"[{more}0-9")
    return rf"^(?:{atom}(?:\.{atom})*|{quoted})@(?:{label}(?:\.{label})*|{_LITERAL})$"


def _uri(more: str, *, relative: bool = False) -> str:
    """RFC 3986, appendix A; with more characters, RFC 3987."""
    escaped = "%[0-9A-Fa-f]{2}"
    plain = rf"{more}A-Za-z0-9._~!$&'()*+,;=\-"
    char = f"(?:[{plain}:@]|{escaped})"
    host = rf"(?:\[(?:{_IPV6}|[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:\-]+)\]|(?:[{plain}]|{escaped})*)"
    authority = f"//(?:(?:[{plain}:]|{escaped})*@)?{host}(?::[0-9]*)?(?:/{char}*)*"
    rooted = f"/(?:{char}+(?:/{char}*)*)?"
    scheme = "[A-Za-z][A-Za-z0-9+.-]*:"
    rest = rf"(?:\?(?:{char}|[/?])*)?(?:#(?:{char}|[/?])*)?"
    whole = f"{scheme}(?:{authority}|{rooted}|{char}+(?:/{char}*)*|)"
    if relative:
        first = f"(?:[{plain}@]|{escaped})+"
        whole = f"(?:{whole}|{authority}|{rooted}|{first}(?:/{char}*)*|)"
    return f"^{whole}{rest}$"


def _template() -> str:
    """RFC 6570, section 2."""
    name = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*"
    variable = rf"{name}(?::[1-9][0-9]{{0,3}}|\*)?"
    literal = rf"(?:[!#$&(-;=?-\[\]_a-z~{_WIDE}]|%[0-9A-Fa-f]{{2}})"
    return rf"^(?:{literal}|\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}})*$"


_PATTERNS: Mapping[str, tuple[str, ...]] = {
    "date": (f"^{_DATE}$",),
    "date-time": (f"^{_DATE}[Tt]{_TIME}$",),
    "time": (f"^{_TIME}$",),
    "duration": (f"^P(?:(?:{_DAYS})(?:{_CLOCK})?|{_CLOCK}|[0-9]+W)$",),
    "email": (_mailbox(""),),
    "idn-email": (_mailbox(_WIDE),),
    "hostname": (f"^{_HOST}$", r"^[\s\S]{1,253}$"),
    "ipv4": (f"^{_IPV4}$",),
    "ipv6": (f"^{_IPV6}$",),
    "uri": (_uri(""),),
    "uri-reference": (_uri("", relative=True),),
    "iri": (_uri(_WIDE),),
    "iri-reference": (_uri(_WIDE, relative=True),),
    "uuid": ("^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",),
    "uri-template": (_template(),),
    "json-pointer": (r"^(?:/(?:[^~/]|~[01])*)*$",),
    "relative-json-pointer": (r"^(?:0|[1-9][0-9]*)(?:#|(?:/(?:[^~/]|~[01])*)*)$",),
}

_WIDER = {
    "email": ("idn-email",),
    "ipv4": ("hostname",),
    "iri": ("iri-reference",),
    "uri": ("uri-reference", "iri", "iri-reference"),
    "uri-reference": ("iri-reference",),
}
"""Format → formats that all its strings have, by its RFC."""
WIDER: Mapping[str, tuple[str, ...]] = {
    pattern: tuple(wider for other in _WIDER.get(name, ()) for wider in _PATTERNS[other])
    for name, patterns in _PATTERNS.items()
    for pattern in patterns
}
"""Pattern of a format → patterns that match all its strings, which would take seconds to prove."""

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "date": ("2026-01-15", "2024-02-29", "1999-12-31"),
    "date-time": ("2026-01-15T12:00:00Z", "2026-01-15T12:00:00+01:00", "2026-01-15T12:00:00.5Z"),
    "time": ("12:00:00Z", "12:00:00+01:00", "12:00:00.5Z"),
    "duration": ("P1D", "PT1H", "P1Y2M3DT4H5M6S"),
    "email": ("someone@example.com", "some+one@mail.example.com", "some!one@example.com"),
    "idn-email": ("someone@example.com", "jos\u00e9@example.com"),
    "hostname": ("example.com", "localhost", "xn--bcher-kva.example"),
    "idn-hostname": ("example.com", "b\u00fccher.example"),
    "ipv4": ("192.0.2.1", "127.0.0.1"),
    "ipv6": ("2001:db8::1", "::1", "::ffff:192.0.2.1"),
    "iri": ("https://example.com/", "https://example.com/b\u00fccher", "urn:example:1"),
    "iri-reference": ("/example", "https://example.com/b\u00fccher"),
    "json-pointer": ("/example", ""),
    "regex": ("example", "^[a-z]+$"),
    "relative-json-pointer": ("0", "1/example"),
    "uri": ("https://example.com/", "http://example.com:8080/a?b=c#d", "urn:example:1", "mailto:someone@example.com"),
    "uri-reference": ("/example", "https://example.com/", "?b=c"),
    "uri-template": ("https://example.com/{id}", "/example"),
    "uuid": (
        "123e4567-e89b-42d3-a456-426614174000",
        "00000000-0000-0000-0000-000000000001",
        "123E4567-E89B-42D3-A456-426614174000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
}
"""Values for each format, the usual one first, with reserved names and addresses only."""


def format_patterns(name: Any) -> tuple[str, ...]:
    """The patterns that all strings of a format match, and no others; none for a format without an expression."""
    return _PATTERNS.get(name, ()) if isinstance(name, str) else ()


def asserting(schema: Any) -> Any:
    """The schema with its formats as patterns, which validators assert. Values of keywords are shared."""
    if not isinstance(schema, dict):
        return schema
    out = rebuilt(schema, asserting)
    patterns = [{"pattern": pattern} for pattern in format_patterns(schema.get("format"))]
    if patterns and isinstance(out.setdefault("allOf", []), list):
        out["allOf"] = [*out["allOf"], *patterns]
    return out
