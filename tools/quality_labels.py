"""Problems that reviewers noted on recorded servers, and matching findings with them: fixtures/quality/recall."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

import tomli
from quality_corpus import CORPUS, QUALITY, RECORDED

from mcp_governor.schemas.pointers import pointer_tokens

if TYPE_CHECKING:
    from pathlib import Path

    from mcp_governor.findings import Finding
    from mcp_governor.surface import Surface

RECALL = QUALITY / "recall"

SPLITS = ("dev", "later", "fresh", "more", "unseen", "blind", "wider", "distant", "held", "sealed", "apart", "remote")
"""Sets of labels, see fixtures/quality/recall/README.md. Authors of rules read the first eight only, *unseen* since
2026-11-24, *blind*, *wider* and *distant* since 2026-11-26."""
HIDDEN = ("held", "sealed", "apart", "remote")
"""Splits that are measured and never listed."""
RECORDED_SPLITS = ("fresh", "more", "unseen", "blind", "wider", "distant", "sealed", "apart", "remote")
"""Splits whose servers ``make recordings`` records; those of the others are in the corpus."""


def corpus_of(split: str) -> Path:
    """The folder with the recordings of a split: next to the repository, or recorded by ``make recordings``."""
    return RECORDED if split in RECORDED_SPLITS else CORPUS


KINDS = (
    "closed-list-without-enum",
    "limit-without-bound",
    "format-without-pattern",
    "description-vs-schema",
    "unknown-tool-named",
    "one-thing-several-spellings",
    "hints",
    "copied-or-empty-words",
    "schema-defect",
    "units",
    "undocumented-argument",
    "overlapping-tools",
    "other",
)
"""Kinds of problems, in the order of the README."""


class Place(NamedTuple):
    """A tool (``server`` for the instructions, ``prompt/NAME`` for a prompt) and a JSON pointer into it."""

    tool: str
    pointer: str


class Server(NamedTuple):
    """A labelled server, as ``servers.json`` lists it."""

    server: str
    registry: str
    split: str
    version: str
    surface_sha256: str


class Label(NamedTuple):
    """A problem that a reviewer noted, or a trap, which only looks like one.

    Attributes:
        server: the server's name in ``servers.json``.
        places: the first is the reviewer's, the others have the same cause.
        kind: one of :data:`KINDS`.
        trap: true if it is a trap.
        importance: ``important`` or ``minor``; empty for a trap.
        reach: ``rule`` or ``meaning``; empty for a trap.
        words: evidence and fix, or evidence and why: names the parameters in question.
    """

    server: str
    places: tuple[Place, ...]
    kind: str
    trap: bool
    importance: str
    reach: str
    words: str


def labelled_servers(split: str, folder: Path = RECALL) -> list[Server]:
    """The servers of one of the :data:`SPLITS`, in the order in which they were drawn."""
    listed = json.loads((folder / "servers.json").read_text("utf-8"))
    return [Server(*(entry[name] for name in Server._fields)) for entry in listed if entry["split"] == split]


def splits(folder: Path = RECALL) -> dict[str, str]:
    """Server → ``held`` or ``dev``: authors of rules may read every server that is not held."""
    listed = json.loads((folder / "servers.json").read_text("utf-8"))
    return {entry["server"]: "held" if entry["split"] in HIDDEN else "dev" for entry in listed}


def labels(server: Server, folder: Path = RECALL) -> list[Label]:
    """Everything that reviewers noted about a server."""
    lines = (folder / server.split / f"{server.server}.jsonl").read_text("utf-8").splitlines()
    return [_label(json.loads(line)) for line in lines]


def _label(record: dict[str, object]) -> Label:
    also = record.get("also") or []
    assert isinstance(also, list)
    text = {name: str(record.get(name) or "") for name in ("server", "kind", "importance", "reach", "evidence")}
    return Label(
        server=text["server"],
        places=tuple(Place(place["tool"], place["pointer"]) for place in (record, *also)),
        kind=text["kind"],
        trap=record["trap"] is True,
        importance=text["importance"],
        reach=text["reach"],
        words=f"{text['evidence']}\n{record.get('fix') or record.get('why') or ''}",
    )


CATCH_ALL = ("schema-defect", "other")
"""Kinds with diverse problems: a rule fixes only those whose evidence or fix mentions its topic."""


class Repairs(NamedTuple):
    """The problems that the findings of a rule fix.

    Attributes:
        kinds: of :data:`KINDS`.
        about: for :data:`CATCH_ALL` kinds, a pattern for the evidence or fix of the problems.
    """

    kinds: tuple[str, ...]
    about: re.Pattern[str] | None = None

    def covers(self, label: Label) -> bool:
        """True if a finding at the place of a label fixes it; a trap counts for every rule of its kind."""
        if label.kind not in self.kinds:
            return False
        if label.trap or label.kind not in CATCH_ALL:
            return True
        return self.about is not None and self.about.search(label.words) is not None


NOTHING = Repairs(())


def repairs_of_rules(file: Path = QUALITY / "kinds.toml") -> dict[str, Repairs]:
    """Rule → the problems that its findings fix; a rule that is not listed fixes none.

    Raises:
        ValueError: a kind is unknown, or a catch-all kind is not narrowed by ``about``.
    """
    out = {}
    for rule, entry in tomli.loads(file.read_text("utf-8")).items():
        table = entry if isinstance(entry, dict) else {"kinds": entry}
        kinds, about = tuple(table["kinds"]), table.get("about")
        unknown = sorted(set(kinds) - set(KINDS))
        if unknown:
            raise ValueError(f"{file.name}: {rule}: unknown kind {', '.join(unknown)}; known are {', '.join(KINDS)}")
        if about is None and set(kinds) & set(CATCH_ALL):
            raise ValueError(f"{file.name}: {rule}: {' and '.join(CATCH_ALL)} need `about`, see the head of the file")
        out[rule] = Repairs(kinds, None if about is None else re.compile(about, re.IGNORECASE))
    return out


def place_of(finding: Finding, surface: Surface) -> Place:
    """The place of a finding, in the terms of the labels; an empty tool is the server as a whole."""
    if finding.tool is not None:
        return Place(finding.tool, finding.path)
    if finding.path == "/instructions":
        return Place("server", finding.path)
    tokens = finding.path.split("/")
    if len(tokens) > 2 and tokens[1] in ("prompts", "tools"):
        named = _entry_name(surface.prompts if tokens[1] == "prompts" else surface.entries, tokens[2])
        below = "/".join(["", *tokens[3:]])
        return Place(f"prompt/{named}" if tokens[1] == "prompts" else named, below)
    return Place("", finding.path)


def _entry_name(entries: tuple[object, ...], token: str) -> str:
    """The name of an entry that a pointer identifies by its position or by its name."""
    if token.isdecimal() and int(token) < len(entries):
        entry = entries[int(token)]
        return str(entry.get("name")) if isinstance(entry, dict) else ""
    return pointer_tokens(f"/{token}")[0]


def is_about(finding: Finding, label: Label, surface: Surface) -> bool:
    """True if a finding and a label are about the same place, whatever the kind.

    They are if one of the two pointers leads to the other within one parameter; if one of them is about the tool and
    names the parameter of the other; and if both are about the tool, from two sides, and name the same parameter. A
    finding about the whole server has to name the tool. Only the message counts: a fix may list whatever is there, as
    that of clarity/unknown-argument lists the declared parameters.
    """
    at = place_of(finding, surface)
    return any(_meets(at, finding.message, place, label.words, surface) for place in label.places)


def _meets(at: Place, said: str, place: Place, words: str, surface: Surface) -> bool:
    if at.tool != place.tool and not (at.tool == "" and _names(said, place.tool)):
        return False
    found, noted = _whole(at.pointer), _whole(place.pointer)
    of_found, of_noted = _arguments(found), _arguments(noted)
    if at.tool == "":
        return not of_noted or _names(said, of_noted[-1])
    if of_found and of_noted:
        return _one_leads_to_the_other(found, noted)
    if of_noted:
        return _names(said, of_noted[-1])
    if of_found:
        return any(_names(words, name) for name in of_found)
    if _one_leads_to_the_other(found, noted):
        return True
    tool = surface.by_name.get(at.tool)
    declared = tool.raw.get("inputSchema", {}).get("properties") if tool is not None else None
    common = [name for name in declared or () if _names(said, name) and _names(words, name)]
    return bool(common) and all(_top(pointer) in ("description", "inputSchema") for pointer in (found, noted))


def _top(pointer: str) -> str:
    return pointer.split("/")[1] if pointer else ""


def _whole(pointer: str) -> str:
    """The pointer to the subject of a description: a parameter's description is about the parameter."""
    tokens = pointer.split("/")
    inside = tokens[1:2] in (["inputSchema"], ["outputSchema"]) and len(tokens) > 2
    if inside and tokens[-1] in ("description", "title") and tokens[-2] != "properties":
        return "/".join(tokens[:-1])
    return pointer


def _arguments(pointer: str) -> list[str]:
    """The names of the parameter at a pointer and of those nested in it, outermost first."""
    tokens = pointer_tokens(pointer)
    if tokens[:2] != ["inputSchema", "properties"]:
        return []
    # Keywords and names alternate; whatever follows "properties" is a name.
    out, at = [], 1
    while at + 1 < len(tokens):
        if tokens[at] == "properties":
            out.append(tokens[at + 1])
            at += 1
        at += 1
    return out


def _one_leads_to_the_other(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")


def _names(text: str, name: str) -> bool:
    """True if a string contains a name as a separate word."""
    return bool(name) and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None
