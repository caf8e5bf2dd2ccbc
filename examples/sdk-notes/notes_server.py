"""Notes in a folder: a server on the official SDK whose tools return typed data."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations
from pydantic import BaseModel, Field, ValidationError

FOLDER = Path(os.environ.get("NOTES_DIR", Path(__file__).parent / "notes"))

NoteName = Annotated[str, Field(description="Name of a note, for example release-plan", pattern="^[a-z0-9-]{1,60}$")]


class Hit(BaseModel):
    name: str = Field(description="Name of the note, for read_note")
    line: str = Field(description="First line that matches")


class Hits(BaseModel):
    hits: list[Hit] = Field(description="Notes that match, by name")
    total: int = Field(description="Number of notes that match, including those beyond the limit")


class Note(BaseModel):
    name: str = Field(description="Name of the note")
    text: str = Field(description="The whole note, as Markdown")
    changed: datetime = Field(description="When it was last changed, in UTC")


class Notes(MCPServer[Any]):
    """Refuses wrong arguments in one sentence, instead of with the words of a library."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                wrong = error.__cause__.errors()[0]["loc"]
                raise ToolError(f"{name}: {wrong[0]} does not fit the input schema.") from None
            raise


mcp = Notes("notes", version="0.3.0", instructions="Notes of a team. Search first, then read.")
reads = ToolAnnotations(read_only_hint=True, open_world_hint=False)
writes = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


@mcp.tool(annotations=reads)
def search_notes(
    query: Annotated[str, Field(description="Words that a note has to contain, for example release", min_length=1)],
    limit: Annotated[int, Field(description="Most notes to return", ge=1, le=50)] = 10,
) -> Hits:
    """Search the notes for words. Returns the names of the notes and the first matching line of each."""
    words = query.lower().split()
    found = []
    for file in sorted(FOLDER.glob("*.md")):
        text = file.read_text("utf-8")
        if all(word in text.lower() for word in words):
            line = next((line for line in text.splitlines() if words[0] in line.lower()), "") if words else ""
            found.append(Hit(name=file.stem, line=line))
    return Hits(hits=found[:limit], total=len(found))


@mcp.tool(annotations=reads)
def read_note(name: NoteName) -> Note:
    """Read one note in full. Fails if there is no note of this name."""
    file = FOLDER / f"{name}.md"
    if not file.is_file():
        raise ToolError(f"There is no note {name!r}. Find the name with search_notes.")
    changed = datetime.fromtimestamp(int(file.stat().st_mtime), UTC)
    return Note(name=name, text=file.read_text("utf-8"), changed=changed)


@mcp.tool(annotations=writes)
def add_note(
    name: NoteName,
    text: Annotated[str, Field(description="The note, as Markdown", min_length=1, max_length=20_000)],
) -> Note:
    """Write a new note. Fails if there is a note of this name already; notes are never overwritten."""
    file = FOLDER / f"{name}.md"
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise ToolError(f"The note {name!r} exists. Choose another name.") from None
    return read_note(name)


if __name__ == "__main__":
    mcp.run()
