"""What is said of a change follows from its kind and its facts, and nobody reads it to learn what the change is."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace
from test_catalogue import KINDS, WITH_EXAMPLE, surface_of

from mcp_governor.change import Change, Kind, catalogue, compare
from mcp_governor.change.facts import Facts
from mcp_governor.change.making import make
from mcp_governor.change.terms import MISSING, Event, Side, Verdict
from mcp_governor.change.wording import _FILLER, _FORMS, _NUMBER, NOTHING, Words
from mcp_governor.changelog import ChangelogSettings, SchemaVersion, check, draft, parse
from mcp_governor.changelog.history import check_history
from mcp_governor.changelog.subjects import homes, subject_of
from mcp_governor.findings import Severity
from mcp_governor.surface import build_surface, fingerprint

if TYPE_CHECKING:
    from mcp_governor.surface import Surface


def templates(kind: Kind) -> list[str]:
    sentences = ((one,) if isinstance(one, str) else one for one in (kind.message, kind.entry))
    return [template for sentence in sentences for template in sentence]


def changes_of(kind: Kind) -> list[Change]:
    assert kind.example is not None
    return compare(surface_of(kind, kind.example.old), surface_of(kind, kind.example.new))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_has_a_sentence_whose_words_exist(kind: Kind) -> None:
    assert kind.message
    for template in templates(kind):
        for filler in _FILLER.findall(template):
            assert filler not in ("report", "entry", "names_the_tool")
            assert callable(getattr(Words, filler)), filler
        bare = _FORMS.sub("", _NUMBER.sub("", _FILLER.sub("", template)))
        assert not set(bare) & set("{}[]<>|"), template
        forms = [match.count("|") + 1 for match in _FORMS.findall(_NUMBER.sub("", template))]
        assert all(count in (2, 3, 4) for count in forms)


@pytest.mark.parametrize("kind", WITH_EXAMPLE, ids=lambda kind: kind.name)
def test_an_entry_names_the_tool_and_agrees_with_one_and_with_several(kind: Kind) -> None:
    [change] = changes_of(kind)
    assert change.message[0].islower() or change.message[0] in "`_"
    assert change.message[-1] != "."
    one, many = change.entry(), change.entry(tools=["a", "b"])
    assert one.endswith(".")
    if change.tool is not None:
        assert kind.entry, "a changelog speaks of tools in sentences of its own"
        assert f"`{change.tool}`" in one
        assert "`a` and `b`" in many
        assert all(name in one for name in change.facts.fields[-1:])


@pytest.mark.parametrize(
    ("kind", "one", "many"),
    [
        ("tool-added", "`a` is a new tool.", "`a` and `b` are new tools."),
        ("output-schema-added", "`a` declares what it returns.", "`a` and `b` declare what they return."),
        ("icons-changed", "`a` has different icons.", "`a` and `b` have different icons."),
    ],
)
def test_one_tool_and_several(kind: str, one: str, many: str) -> None:
    change = make(kind, "a", "")
    assert (change.entry(), change.entry(tools=["a", "b"])) == (one, many)


@pytest.mark.parametrize(
    ("kind", "new", "replacement", "instead"),
    [
        ("tool-removed", MISSING, NOTHING, "nothing replaces it"),
        ("tool-removed", MISSING, "find", "use `find` instead"),
        ("tool-deprecated", {"nothing": True}, None, "nothing replaces it"),
        ("tool-deprecated", {"nothing": True, "replacement": "find"}, None, "use `find` instead"),
    ],
)
def test_what_replaces_a_tool(kind: str, new: Any, replacement: str | None, instead: str) -> None:
    assert make(kind, "a", "", new=new).entry(replacement=replacement).endswith(f"; {instead}.")


# A value that two alternatives list is refused where exactly one may hold.
ONCE, TWICE = (
    {"oneOf": [{"type": "string", "enum": values}, {"type": "string", "pattern": "^b"}]}
    for values in (["a", "c"], ["a", "b", "c"])
)


@pytest.mark.parametrize(
    ("side", "old", "new", "kind", "message"),
    [
        ("inputSchema", ONCE, TWICE, "enum-value-removed", "`k` now accepts fewer values"),
        ("outputSchema", TWICE, ONCE, "output-enum-value-added", "`k` may now have more values"),
    ],
)
def test_a_list_that_gets_longer_and_accepts_less(side: str, old: Any, new: Any, kind: str, message: str) -> None:
    def surface(schema: Any) -> Surface:
        inner = {"type": "object", "properties": {"k": schema}, "required": ["k"]}
        outer = {"type": "object", "properties": {"around": inner}}
        return build_surface({"tools": [{"name": "it", "inputSchema": {"type": "object"}, side: outer}]})

    [change] = compare(surface(old), surface(new))
    assert (change.kind, change.verdict, change.message) == (kind, Verdict.BREAKING, message)
    assert change.entry() == f"`it`: {message}."


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_a_kind_says_that_happened_agrees_with_its_mirrors(kind: Kind) -> None:
    back = catalogue()[kind.reverse or ""].event
    if kind.event in (Event.ARRIVED, Event.ADDED):
        assert back is Event.REMOVED
        assert kind.thing or kind.name.startswith("output-schema")
    elif kind.event is Event.REMOVED:
        assert back in (Event.ARRIVED, Event.ADDED)
    elif kind.event is Event.RENAMED:
        assert kind.reverse == kind.name
    assert (kind.event is Event.RENAMED) == kind.name.endswith("-renamed")
    if kind.other_side and kind.name != "required-argument-added":
        assert catalogue()[kind.other_side].event is kind.event


def test_a_kind_without_a_sentence_cannot_be_declared() -> None:
    with pytest.raises(TypeError, match="message"):
        Kind("a-kind", Side.INPUT, "Why.", KINDS[0].verdict)  # type: ignore[call-arg]


@cache
def silent() -> dict[str, Kind]:
    """The catalogue with other sentences."""
    return {name: replace(kind, message="it is not what it was", entry="") for name, kind in catalogue().items()}


@pytest.mark.parametrize("kind", WITH_EXAMPLE, ids=lambda kind: kind.name)
def test_nobody_reads_the_sentence(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all sentences say nothing, the changelog still knows what a change is about, and where it belongs."""
    assert kind.example is not None
    old, new = surface_of(kind, kind.example.old), surface_of(kind, kind.example.new)
    [change] = compare(old, new)
    known = subject_of(change), homes(change)
    monkeypatch.setattr("mcp_governor.change.registry.catalogue", silent)
    [change] = compare(old, new)
    assert "it is not what it was" in change.message
    assert (subject_of(change), homes(change)) == known
    assert f"`{change.tool}`" in change.entry() or change.tool is None
    assert all(f"`{name}`" in change.entry() for name in known[0].fields[-1:])


def test_where_no_sentence_names_the_field_its_own_name_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcp_governor.change.registry.catalogue", silent)
    change = make("bound-tightened", "it", "/inputSchema/properties/around/properties/n/maximum")
    assert change.facts.fields == ("around", "n")
    assert change.entry() == "`it`, `n`: it is not what it was."


HOSTILE = [
    *("a`b", "``", "`", "a\nb", "a\n- b", "a  b", "\x1b[1m", "", " "),
    *("{x}", "{old}", "{0.__class__}", "[a|b]", "<p|q|r>", "%s\\1"),
]
S = {"type": "string"}
EDITS = [
    (S, MISSING),
    (MISSING, S),
    (S, {"type": "integer"}),
    (S, {**S, "default": "{new}`"}),
    ({**S, "default": " "}, {**S, "default": ""}),
    (S, {**S, "enum": ["`[a|b]"]}),
]


def with_argument(name: str, schema: Any, version: str, tool: str = "it") -> Surface:
    properties = {name: schema} if schema is not MISSING else {}
    tools = [{"name": tool, "inputSchema": {"type": "object", "properties": {"keep": S, **properties}}}]
    return build_surface({"serverInfo": {"name": "s", "version": version}, "tools": tools})


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(("before", "after"), EDITS)
def test_names_of_a_server_are_text_whatever_they_look_like(name: str, before: Any, after: Any) -> None:
    """A drafted entry is one line that says what it says: the check reads the name in it, and finds nothing to add."""
    old, new = with_argument(name, before, "1.0.0"), with_argument(name, after, "2.0.0")
    changes = compare(old, new)
    assert changes
    assert all(change.message.isprintable() and change.entry().isprintable() for change in changes)
    log = parse("# Log\n\n## 1.0.0 (current)\n", "log.md")
    text = draft(log, changes, version="2.0.0", fingerprint=fingerprint(new), tools={"it"})
    again = parse(text, "log.md")
    settings = ChangelogSettings(SchemaVersion("2.0.0", "the server"), old)
    found = check(again, new, changes, settings=settings)
    assert [finding.message for finding in found if finding.severity is not Severity.INFO] == []
    assert draft(again, changes, version="2.0.0", fingerprint=fingerprint(new), tools={"it"}) == text


@pytest.mark.parametrize("name", HOSTILE)
def test_a_rename_is_identified_by_its_facts(name: str) -> None:
    facts = Facts((name,), successor="{name}")
    change = make("argument-renamed", "it", "/inputSchema/properties/{name}", old=name, new="{name}", facts=facts)
    assert "`{name}`" in change.message
    assert subject_of(change).successor == "{name}"
    assert len(subject_of(change).fields) == 1
    assert catalogue()[change.kind].event is Event.RENAMED


def test_a_name_with_a_slash_is_reported_as_it_is() -> None:
    old, new = with_argument("user/id", S, "1.0.0"), with_argument("user/Id", S, "2.0.0")
    [change] = compare(old, new)
    assert change.message == "parameter `user/id` was renamed to `user/Id`"
    assert subject_of(change).fields == ("user/id",)


@pytest.mark.parametrize(
    ("inside", "fields", "entry"),
    [
        (False, ("late",), "`it` now requires `late`."),
        (True, ("around", "late"), "`it` now requires `around.late`."),
    ],
)
def test_a_required_argument_that_is_not_declared_is_named(inside: bool, fields: tuple[str, ...], entry: str) -> None:
    """Its place is the list of required keys, on which its name does not stand."""

    def surface(required: list[str]) -> Surface:
        schema = {"type": "object", "properties": {"a": S}, "required": required}
        outer = {"type": "object", "properties": {"around": schema}} if inside else schema
        return build_surface({"tools": [{"name": "it", "inputSchema": outer}]})

    [change] = compare(surface([]), surface(["late"]))
    assert (change.facts.fields, change.message, change.entry()) == (
        fields,
        "parameter `late` is now required",
        entry,
    )


@pytest.mark.parametrize("kind", WITH_EXAMPLE, ids=lambda kind: kind.name)
def test_the_entry_of_what_breaks_nobody_does_not_read_as_a_break(kind: Kind) -> None:
    """Once released, an entry is read without the change: what we drafted ourselves must not be found."""
    for change in changes_of(kind):
        if change.verdict is Verdict.COMPATIBLE:
            text = f"# Log\n\n## 1.1.0 (current)\n\n**Changed**\n\n- {change.entry()}\n\n## 1.0.0\n"
            history = check_history(parse(text, "log"), tiers={}, zero_policy="major", settled=frozenset())
            assert [found.message for found in history if found.rule == "changelog/unmarked-break"] == []
