"""Text for people, as lines of styled spans: the same words on a terminal, in a log and in a golden file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from mcp_governor.text import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO

    from rich.console import Console
    from rich.text import Text


Fit = Literal["wrap", "cut", "whole"]


class Span(Struct, frozen=True):
    """A piece of text with a rich style (``bold red``); empty for plain.

    ``unbroken`` keeps the words of a command on one line, so that it can be copied from a terminal. ``link`` says what
    the text names, for terminals with links: ``rule:PACK/NAME`` or ``file:PATH``.
    """

    text: str
    style: str = ""
    unbroken: bool = False
    link: str = ""


class Line(Struct, frozen=True):
    """One line: spans after ``indent`` spaces.

    Attributes:
        hang: additional indent of continuation lines, in columns.
        fit: what a terminal does with a line that is too long: ``wrap`` it between words; ``cut`` it where its
            columns mean something, as in an excerpt of a file; leave it ``whole`` where it is copied.
    """

    spans: tuple[Span, ...] = ()
    indent: int = 0
    hang: int = 0
    fit: Fit = "wrap"

    @property
    def plain(self) -> str:
        """The line without style."""
        return (" " * self.indent + "".join(span.text for span in self.spans)).rstrip()


def line(*parts: str | Span | tuple[str, str], indent: int = 0, hang: int = 0, fit: Fit = "wrap") -> Line:
    """A line from strings and ``(text, style)`` pairs."""
    spans = tuple(
        part if isinstance(part, Span) else Span(part) if isinstance(part, str) else Span(*part) for part in parts
    )
    return Line(spans, indent, hang, fit)


BLANK = Line()


def plain_text(lines: Iterable[Line]) -> str:
    """The lines without style, each ended by a line feed, as they may leave the process."""
    return "".join(f"{printable(item.plain)}\n" for item in lines)


def print_rich(
    lines: Iterable[Line],
    stream: IO[str],
    *,
    color: bool,
    width: int | None,
    spell: Callable[[str], str] = str,
    url_of: Callable[[str], str] | None = None,
) -> None:
    """The lines as a terminal shows them; imports rich, so only for terminals.

    Args:
        lines, stream: what to write, and where to.
        color: with style, in the 16 colors that every terminal theme makes readable.
        width: maximum length of a line, in characters; longer lines are wrapped between words. ``None`` for no
            wrapping.
        spell: changes a string into one that the terminal can show; what it returns is measured and wrapped.
        url_of: the address of a link, encoded, or an empty string; ``None`` for a terminal without links.
    """
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    # With the height as well, rich asks neither the terminal nor the environment.
    console = Console(
        file=stream,
        highlight=False,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        width=width or _ENDLESS,
        height=25,
    )

    def style_of(span: Span) -> Style | str:
        url = url_of(span.link) if url_of is not None and span.link else ""
        return Style.parse(span.style) + Style(link=url) if url else span.style

    for item in lines:
        shown = ((spell(printable(span.text)), span) for span in item.spans)
        text = Text.assemble(
            *((said.replace(" ", _JOINT) if span.unbroken else said, style_of(span)) for said, span in shown)
        )
        for indent, part in _rows(text, item, console, spell("…")):
            part.rstrip()
            if any(span.unbroken for span in item.spans):
                part.plain = part.plain.replace(_JOINT, " ")
            console.print(Text(" " * indent).append_text(part) if part else part, soft_wrap=True)


_JOINT = "\ue000"
"""Stands for a non-breaking space: an unused character that is one column wide."""

_ENDLESS = 1_000_000
"""Characters of a line that is not wrapped; :func:`printable` leaves no line as long."""

_NARROWEST = 20
"""Minimum width for text next to an indent, in characters; on narrower terminals, the indent is dropped."""


def _rows(text: Text, item: Line, console: Console, ellipsis: str) -> Iterator[tuple[int, Text]]:
    """What fits into each row of the terminal, with its indent."""
    indent = item.indent if console.width - item.indent >= _NARROWEST else 0
    if item.fit != "wrap":
        if item.fit == "cut" and text.cell_len > console.width - indent:
            text.truncate(console.width - indent - len(ellipsis))
            text.append(ellipsis)
        yield indent, text
        return
    first = text.wrap(console, console.width - indent)[:1]
    yield from ((indent, part) for part in first)
    rest = text[sum(len(part) for part in first) :]
    rest = rest[len(rest.plain) - len(rest.plain.lstrip()) :]
    if rest:
        further = indent + item.hang
        if console.width - further < _NARROWEST:
            further = indent + min(item.hang, 2)
        yield from ((further, part) for part in rest.wrap(console, console.width - further))
