"""Text for people, as lines of styled spans: the same words on a terminal, in a log and in a golden file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_governor.frozen import frozen
from mcp_governor.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO


@frozen
class Span:
    """A piece of text with a rich style (``bold red``); empty for plain."""

    text: str
    style: str = ""


@frozen
class Line:
    """One line: spans after ``indent`` spaces; a terminal wraps it with a hanging indent."""

    spans: tuple[Span, ...] = ()
    indent: int = 0

    @property
    def plain(self) -> str:
        """The line without style."""
        return (" " * self.indent + "".join(span.text for span in self.spans)).rstrip()


def line(*parts: str | Span | tuple[str, str], indent: int = 0) -> Line:
    """A line from strings and ``(text, style)`` pairs."""
    spans = tuple(
        part if isinstance(part, Span) else Span(part) if isinstance(part, str) else Span(*part) for part in parts
    )
    return Line(spans, indent)


BLANK = Line()


def plain_text(lines: Iterable[Line]) -> str:
    """The lines without style, each ended by a line feed, as they may leave the process."""
    return "".join(f"{printable(item.plain)}\n" for item in lines)


def print_rich(lines: Iterable[Line], stream: IO[str]) -> None:
    """The lines with style, wrapped to the terminal's width; imports rich, so only for terminals."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(file=stream, highlight=False, force_terminal=True)
    for item in lines:
        text = Text.assemble(*((printable(span.text), span.style) for span in item.spans))
        console.print(Padding(text, (0, 0, 0, item.indent), expand=False) if item.indent else text)
