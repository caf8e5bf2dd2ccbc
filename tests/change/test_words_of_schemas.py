"""Words in schemas: what is lost altogether is told as such, labels of choices are words, media types have no case."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.change import Side, Verdict
from mcp_governor.findings import Bump
from tests.change.conftest import Comparer

STR = {"type": "string"}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def told(text: str, **more: Any) -> dict[str, Any]:
    return {**STR, "description": text, **more}


LOST = "argument-descriptions-lost"
REWORDED = "schema-description-changed"
DESCRIPTIONS: dict[str, tuple[Any, Any, list[tuple[str, str]]]] = {
    "all": (
        obj(a=told("A."), b=told("B.")),
        obj(a=STR, b=STR),
        [(LOST, "the descriptions of all parameters are gone: `a` and `b`")],
    ),
    "an empty one is none": (
        obj(a=told("A.")),
        obj(a=told(" ")),
        [(LOST, "the descriptions of all parameters are gone: `a`"), (REWORDED, "description of `a` is reworded")],
    ),
    "all but one": (
        obj(a=told("A."), b=told("B.")),
        obj(a=told("A."), b=STR),
        [(REWORDED, "description of `b` is gone")],
    ),
    "one moved": (
        obj(a=told("A."), b=STR),
        obj(a=STR, b=told("A.")),
        [(REWORDED, "description of `a` is gone"), (REWORDED, "description of `b` is new")],
    ),
    "in a nested object too": (
        obj(a=told("A."), q=obj(b=told("B."))),
        obj(a=STR, q=obj(b=STR)),
        [(LOST, "the descriptions of all parameters are gone: `a` and `q.b`")],
    ),
    "with the parameter": (obj(a=told("A.")), obj(), [("argument-removed", "parameter `a` is gone")]),
}


@pytest.mark.parametrize("name", DESCRIPTIONS)
def test_lost_descriptions(comparer: Comparer, name: str) -> None:
    old, new, expected = DESCRIPTIONS[name]
    changes = comparer.schemas(old, new)
    assert sorted((change.kind, change.message) for change in changes) == sorted(expected)
    for change in changes:
        if change.kind == LOST:
            assert (change.verdict, change.bump, change.wording) == (Verdict.COMPATIBLE, Bump.PATCH, False)


def choice(**labels: str) -> dict[str, Any]:
    return {"oneOf": [{"const": value, "title": label} for value, label in labels.items()]}


LABELS: dict[str, tuple[Any, Any, str]] = {
    "one": (choice(a="A", b="B"), choice(a="A", b="C"), 'changed from {"b":"B"} to {"b":"C"}'),
    "lost with the form": (choice(a="A"), {"enum": ["a"]}, "are gone, were"),
    "new": ({"enum": ["a"]}, {"enum": ["a"], "enumNames": ["A"]}, "are new"),
    "beside the list": ({"enum": ["a"], "x-enumNames": ["A"]}, {"enum": ["a"], "x-enumNames": ["B"]}, "changed from"),
    "in another form": ({"enum": ["a"], "enumNames": ["A"]}, choice(a="A"), ""),
    "too few": ({"enum": ["a", "b"], "enumNames": ["A"]}, {"enum": ["a", "b"], "enumNames": ["A", 7]}, ""),
}


@pytest.mark.parametrize("side", list(Side)[:2], ids=str)
@pytest.mark.parametrize("name", LABELS)
def test_labels_of_choices_are_words(comparer: Comparer, name: str, side: Side) -> None:
    old, new, said = LABELS[name]
    changes = [c for c in comparer.schemas(obj(x=old), obj(x=new), side) if not c.kind.endswith("schema-rewritten")]
    assert all(change.wording and change.bump is Bump.PATCH for change in changes)
    assert [said in change.message for change in changes] == ([True] if said else [])


MEDIA_TYPES = [
    ("text/plain", "Text/PLAIN", True),
    ("text/plain;charset=utf-8", "text/plain; Charset=UTF-8", True),
    ("text/plain;charset=utf-8", 'text/plain ;\tcharset="utf-8"', True),
    ("a/b;x=1;y=2", "a/b; y=2; x=1;", True),
    ('a/b;x="1;\\"2"', 'a/b;x="1;\\"2" ', True),
    ("a/b;x=A", "a/b;x=a", False),
    ("text/plain", "text/plain;charset=utf-8", False),
    ("a/b;x=1;x=2", "a/b;x=1", False),
    ("text", "TEXT", False),
    ("a/b;=", "A/b;=", False),
    (7, 8, False),
]


@pytest.mark.parametrize(("old", "new", "same"), MEDIA_TYPES)
@pytest.mark.parametrize("thing", ["resource", "template"])
def test_media_types(comparer: Comparer, old: Any, new: Any, same: bool, thing: str) -> None:
    key, uri = ("resources", "uri") if thing == "resource" else ("resourceTemplates", "uriTemplate")
    for one, other in ((old, new), (new, old)):
        [change] = comparer.surfaces(
            *({"tools": [], key: [{uri: "file:///a", "name": "a", "mimeType": value}]} for value in (one, other))
        )
        expected = "prompt-or-resource-wording-changed" if same else f"{thing}-media-type-changed"
        assert change.kind == expected


def test_so_is_the_media_type_of_a_string(comparer: Comparer) -> None:
    old, new, other = (obj(x={**STR, "contentMediaType": text}) for text in ("text/html", "Text/HTML", "text/plain"))
    assert [change.kind for change in comparer.schemas(old, new)] == ["schema-rewritten"]
    assert [change.kind for change in comparer.schemas(old, other)] == ["format-changed"]
