"""The recorded schemas of our own document formats: ``contracts/``, written by `make docs` (docs/formats.md).

``contracts/NAME-VERSION.schema.json`` is the schema of today. ``contracts/frozen/`` keeps how each version began, and
is never written twice. A schema that breaks what either of them promises is not recorded: the format needs the next
number.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.change import ChangeOptions, Side, Verdict, compare  # noqa: E402
from mcp_governor.change.graph import parse  # noqa: E402
from mcp_governor.change.reading import Reading, render  # noqa: E402
from mcp_governor.checking.formats import DOCUMENT_FORMATS, DocumentFormat  # noqa: E402
from mcp_governor.containment import contains  # noqa: E402
from mcp_governor.surface import Surface, build_surface  # noqa: E402

FOLDER = ROOT / "contracts"
DEADLINE = 60.0
"""Seconds for one question. Each takes less than 0.1 s; a busy machine must not make an answer unknown."""


@dataclass(frozen=True)
class Contract:
    """A format, its schema of today, and the files that keep it.

    Attributes:
        form: the format.
        live: the schema of today.
        folder: where the files are.
    """

    form: DocumentFormat
    live: dict[str, Any]
    folder: Path = FOLDER

    @property
    def title(self) -> str:
        """Name and version as a document states them."""
        return str(self.live["title"])

    @property
    def recorded(self) -> Path:
        """The file of the schema of today."""
        return self.folder / f"{self.title.removeprefix('mcp-governor/')}.schema.json"

    @property
    def frozen(self) -> Path:
        """The file of the schema with which this version began."""
        return self.folder / "frozen" / self.recorded.name

    @property
    def text(self) -> str:
        """The schema of today as its file has it, which is what `mcp-governor schema NAME` prints."""
        return json.dumps(self.live, indent=2) + "\n"

    def problems(self) -> list[str]:
        """Sentences about what breaks a promise of this version; empty if the schema of today may be recorded."""
        found = []
        for file in (self.frozen, self.recorded):
            if file.is_file():
                found += breaks(self.form, json.loads(file.read_text("utf-8")), self.live)
        return list(dict.fromkeys(found))


def contracts(folder: Path = FOLDER) -> list[Contract]:
    """Every format with its schema of today."""
    return [Contract(form, form.schema(), folder) for form in DOCUMENT_FORMATS.values()]


def closed(schema: dict[str, Any]) -> Any:
    """A schema that allows declared members only: what mcp-governor itself writes."""
    return render(parse(schema, drop_safe_integers=False).root, Reading.CLOSED)


def breaks(form: DocumentFormat, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Sentences about what a change of a schema breaks within one version of a format.

    Documents that mcp-governor writes are an output: the old schema, which allows more members, must contain the new
    one, which has no others, and no member may disappear. Documents that it reads are an input: the new schema must
    contain the old one. What cannot be decided counts as a break.
    """
    if old == new:
        return []
    found = []
    if form.read:
        answer = contains(new, closed(old), deadline=DEADLINE)
        breaking = _named_breaks(Side.INPUT, old, new)
        if answer.verdict != "yes" and not breaking:
            breaking = [f"a document that was valid is refused ({_proof(answer)})"]
        found += [f"read: {one}" for one in breaking]
    if form.written:
        answer = contains(old, closed(new), deadline=DEADLINE)
        breaking = _named_breaks(Side.OUTPUT, old, new)
        if answer.verdict != "yes" and not breaking:
            breaking = [f"a document is written that the old schema refuses ({_proof(answer)})"]
        found += [f"written: {one}" for one in breaking]
    return found


def _named_breaks(side: Side, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What the comparison of surfaces calls breaking or cannot decide, of a tool with this schema."""
    options = ChangeOptions(deadline=DEADLINE, tool_deadline=DEADLINE, run_deadline=DEADLINE)
    changes = compare(_surface(side, old), _surface(side, new), options=options)
    return [
        f"{change.kind} at {change.path.partition(_PLACE)[2] or change.path}"
        for change in changes
        if change.verdict is not Verdict.COMPATIBLE
    ]


_PLACE = "/properties/document"
"""Where the schema is in the one of the tool."""


def _surface(side: Side, schema: dict[str, Any]) -> Surface:
    # `anyOf` and `type` at the root are for tools only; a document is the one member of an object here.
    held = {"type": "object", "properties": {"document": schema}, "required": ["document"]}
    tool = {"name": "document", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}
    return build_surface({"tools": [{**tool, "inputSchema" if side is Side.INPUT else "outputSchema": held}]})


def _proof(answer: Any) -> str:
    return json.dumps(answer.witness)[:200] if answer.has_witness else answer.reason or "proved"


def refusal(contract: Contract, problems: list[str]) -> str:
    """What to do about a change that this version of the format does not allow."""
    name, number = contract.title.rpartition("-")[::2]
    return "\n  ".join(
        [
            f"The schema of {contract.title} breaks what {contract.recorded.name} promises:",
            *problems,
            f'Keep it compatible (a new member is optional), or step the format to "{name}-{int(number) + 1}" where '
            f"{contract.form.source} takes its title from, then run: make docs",
        ]
    )


def wanted(folder: Path = FOLDER) -> dict[Path, str]:
    """The files as they are to be.

    Raises:
        ValueError: a schema breaks a promise of its version; the message says which, and what to do.
    """
    out: dict[Path, str] = {}
    refused = []
    for contract in contracts(folder):
        if problems := contract.problems():
            refused.append(refusal(contract, problems))
        out[contract.recorded] = contract.text
        if not contract.frozen.is_file():
            out[contract.frozen] = contract.text
    if refused:
        raise ValueError("\n".join(refused))
    return out
