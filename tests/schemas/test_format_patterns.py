"""The formats as patterns, next to the checks of a validator, and with the examples of the RFCs."""

from __future__ import annotations

import re

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_governor.schemas.formats import EXAMPLES, UNMODELLED, WIDER, asserting, format_patterns

NAMES = sorted(EXAMPLES)
MODELLED = [name for name in NAMES if name not in UNMODELLED]

# From RFC 3339, 3986, 4291, 5321, 6570 and 6901, with what people get wrong.
GOOD = {
    "date": ["2024-02-29", "2000-02-29", "0001-12-31"],
    "date-time": [
        "1985-04-12T23:20:50.52Z",
        "1996-12-19T16:39:57-08:00",
        "1990-12-31T23:59:60Z",
        "2026-01-15t12:00:00z",
    ],
    "time": ["12:00:27.87+00:20"],
    "duration": ["P1Y2M3DT4H5M6S", "PT36H", "P4W", "PT0S"],
    "email": ['"some one"@example.com', "a@b", "a+b@[192.0.2.1]", "a@[IPv6:2001:db8::1]", "!#$%@x.y"],
    "hostname": ["a", "1.2", "x" * 63, ".".join(["x" * 62] * 4)],
    "ipv4": ["0.0.0.0", "255.255.255.255"],
    "ipv6": ["::", "1::", "2001:DB8:0:0:8:800:200C:417A", "::FFFF:129.144.52.38", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8"],
    "json-pointer": ["", "/", "/a~1b", "/m~0n", "/ "],
    "relative-json-pointer": ["0#", "2/highly/nested"],
    "uri": ["ftp://ftp.is.co.za/rfc/rfc1808.txt", "ldap://[2001:db8::7]/c=GB?objectClass?one", "news:comp.lang", "a:"],
    "uri-reference": ["", "../a", "#f", "?q", "//h:1/"],
    "uri-template": ["{+path}/here", "{?x,y,empty}", "{var:30}", "{/list*}"],
    "uuid": ["00000000-0000-0000-0000-000000000000", "F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6"],
}
BAD = {
    "date": ["2026-02-29", "1900-02-29", "2026-13-01", "2026-1-1", "26-01-15"],
    "date-time": ["2026-01-15 12:00:00Z", "2026-01-15T12:00:00", "2026-01-15T12:00Z", "2026-01-15T12:00:60Z"],
    "time": ["24:00:00Z", "12:00:00"],
    "duration": ["P", "PT", "P1YT", "P1Y1D", "P1W2D", "1D"],
    "email": ["a", "a@", "a..b@c.d", ".a@c.d", "a b@c.d", "a@-b.c"],
    "hostname": ["", "-a", "a-", "a_b", "a.", "x" * 64, ".".join(["x" * 63] * 4)],
    "ipv4": ["256.0.0.1", "01.2.3.4", "1.2.3"],
    "ipv6": [":::", "1:2:3:4:5:6:7", "1::2::3", "12345::", "1:2:3:4:5:6:7:8:9"],
    "json-pointer": ["a", "/~", "/~2"],
    "relative-json-pointer": ["01", "-1", "/a"],
    "uri": ["/a", "//h", "1:b", "http://a b", "http://a/%zz", ""],
    "uri-reference": ["a b", "\\", "1:b%"],
    "uri-template": ["{", "{a b}", "{var:0}"],
    "uuid": ["00000000000000000000000000000000", "g0000000-0000-0000-0000-000000000000"],
}


def fits(name: str, text: str) -> bool:
    # Python's `$` also matches before a line feed at the end
    return all(
        re.search(pattern.replace("$", r"\Z") if pattern.count("$") == 1 else pattern, text)
        for pattern in format_patterns(name)
    )


@pytest.mark.parametrize("name", GOOD)
def test_what_the_source_allows(name: str) -> None:
    assert [text for text in GOOD[name] if not fits(name, text)] == []
    assert [text for text in BAD[name] if fits(name, text)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_have_their_format(name: str) -> None:
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    assert all(map(validator.is_valid, EXAMPLES[name]))
    assert all(fits(name, text) for text in EXAMPLES[name])
    assert bool(format_patterns(name)) is (name not in UNMODELLED)


# Where the validator takes more than the RFC: signs and dots inside of numbers, leap seconds in any zone.
LAX = {"date", "date-time", "time"}


@pytest.mark.parametrize("name", [name for name in MODELLED if name not in LAX])
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_validator_agrees_on_mutations(name: str, data: st.DataObject) -> None:
    validator = jsonschema_rs.Draft202012Validator({"format": name}, validate_formats=True)
    text = list(data.draw(st.sampled_from([*EXAMPLES[name], *GOOD.get(name, []), *BAD.get(name, [])])))
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(text)))
        text[at : at + data.draw(st.integers(0, 1))] = data.draw(st.sampled_from(["", *'a0Z:/.-~%#?@[]"{}T é']))
    mutated = "".join(text)
    # Hyphens in the third and fourth place are for A-labels, whose rest is Punycode (RFC 5891, 4.2.3.1), which no
    # regular expression reads; RFC 1123 knows no such rule.
    if name in ("email", "hostname") and re.search(r"(?:^|[.@])[^.@]{2}--", mutated):
        return
    assert fits(name, mutated) is validator.is_valid(mutated)


@pytest.mark.parametrize("name", MODELLED)
def test_a_wider_format_has_all_its_strings(name: str) -> None:
    for pattern in format_patterns(name):
        for wider in WIDER[pattern]:
            assert all(re.search(wider, text) for text in (*EXAMPLES[name], *GOOD.get(name, [])))


def test_formats_become_patterns_wherever_schemas_are() -> None:
    uuid = {"type": "string", "format": "uuid"}
    [pattern] = format_patterns("uuid")
    schema = {"properties": {"format": uuid}, "items": uuid, "anyOf": [uuid], "const": uuid, "format": "regex"}
    asserted = {**uuid, "allOf": [{"pattern": pattern}]}
    expected = {**schema, "properties": {"format": asserted}, "items": asserted, "anyOf": [asserted], "allOf": []}
    assert {**asserting(schema), "allOf": []} == expected
    assert asserting({"format": "date", "allOf": [{"minLength": 1}]})["allOf"][0] == {"minLength": 1}
