"""The top-level blocks of a Markdown document, each with its lines.

markdown-it-py decides what is a heading, a paragraph or a list item. With it an offline check takes 7 % more CPU where
the changelog has one release, 12 % with 41 and 23 % with 500 (295 → 362 ms, Python 3.11), though a release that keeps
the grammar uses so little of Markdown that its blocks can be found line by line. So the document is cut where a release
starts; :func:`plain_blocks` reads what is plain and gives up at the first line that could mean anything else, and
that release goes to markdown-it. The tests hold the two ways to the same answer.
"""

from __future__ import annotations

import bisect
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lazy import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEADING = lazy_pattern(r"(#{1,6}) (\S.*)")
# A start that opens no block of its own: a letter, bold or code.
_WORDS = r"(?:[^\W\d_]|\*\*[^\W\d_]|`[^`])"
_ITEM = lazy_pattern(rf"- ({_WORDS}.*)")
_MORE = lazy_pattern(rf"  ({_WORDS}.*)")
_TEXT = lazy_pattern(rf"{_WORDS}.*")
_RELEASE = "## "
_SENTINEL = "## ."
_ODD = lazy_pattern(r"[\t\0\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")


class Text(NamedTuple):
    """A run of inline Markdown and the line (from 0) it starts on."""

    text: str
    line: int


class Block(NamedTuple):
    """One block.

    Attributes:
        kind: ``heading``, ``paragraph``, ``item`` (one item of a top-level list) or ``html``.
        start, end: first line and the line after the last that is not blank, from 0.
        inlines: the inline strings; one, except for an item with several paragraphs or nested lists.
        level: of a heading, 1 to 6.
    """

    kind: str
    start: int
    end: int
    inlines: tuple[Text, ...]
    level: int = 0

    def moved(self, by: int) -> Block:
        """The block, moved down by ``by`` lines."""
        inlines = tuple(Text(text, line + by) for text, line in self.inlines)
        return Block(self.kind, self.start + by, self.end + by, inlines, self.level)


class Blocks(NamedTuple):
    """The blocks of a document.

    Attributes:
        blocks: in order.
        code: line ranges (from 0, end excluded) with code, in order.
        unclosed: the line (from 0) of a code fence or comment that is never closed, ``None`` if there is none:
            it hides all that follows.
    """

    blocks: tuple[Block, ...]
    code: tuple[tuple[int, int], ...]
    unclosed: int | None = None

    def is_code(self, line: int) -> bool:
        """True if a line (from 0) contains code."""
        index = bisect.bisect_right(self.code, line, key=_start_of) - 1
        return index >= 0 and line < self.code[index][1]


def _start_of(span: tuple[int, int]) -> int:
    return span[0]


def read_blocks(lines: Sequence[str]) -> Blocks:
    """The blocks of a document; quotations and rules are left out."""
    starts = [0, *(number for number, line in enumerate(lines) if number and line.startswith(_RELEASE))]
    blocks: list[Block] = []
    code: list[tuple[int, int]] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        part = plain_blocks(lines[start:end]) or _closed_blocks(lines[start:end])
        if part is None:
            return markdown_blocks(lines)
        blocks += [block.moved(start) for block in part.blocks] if start else part.blocks
        code += [(first + start, last + start) for first, last in part.code]
    return Blocks(tuple(blocks), tuple(code))


def _closed_blocks(lines: Sequence[str]) -> Blocks | None:
    """The blocks of a part; ``None`` if a fence or a comment is still open at its end."""
    part = markdown_blocks([*lines, _SENTINEL])
    last = part.blocks[-1] if part.blocks else None
    if last is None or last.kind != "heading" or last.start != len(lines):
        return None
    return Blocks(part.blocks[:-1], part.code)


def plain_blocks(lines: Sequence[str]) -> Blocks | None:
    """The blocks of a document of headings, paragraphs and flat lists; ``None`` if it holds more."""
    blocks: list[Block] = []
    kind, start, gathered = "", 0, [""]  # the block that the next line may continue
    for number, line in enumerate(lines):
        if not line:
            kind = _finish(blocks, kind, start, number, gathered)
        elif line[-1].isspace() or _ODD.search(line):
            return None
        elif heading := _HEADING.fullmatch(line):
            if line.endswith("#"):
                return None
            kind = _finish(blocks, kind, start, number, gathered)
            blocks.append(Block("heading", number, number + 1, (Text(heading[2], number),), len(heading[1])))
        elif item := _ITEM.fullmatch(line):
            _finish(blocks, kind, start, number, gathered)
            kind, start, gathered = "item", number, [item[1]]
        elif kind == "item":
            more = _MORE.fullmatch(line)
            if more is None:
                return None
            gathered.append(more[1])
        elif _TEXT.fullmatch(line):
            if not kind:
                kind, start, gathered = "paragraph", number, []
            gathered.append(line)
        else:
            return None
    _finish(blocks, kind, start, len(lines), gathered)
    return Blocks(tuple(blocks), ())


def _finish(blocks: list[Block], kind: str, start: int, end: int, gathered: list[str]) -> str:
    if kind:
        blocks.append(Block(kind, start, end, (Text("\n".join(gathered), start),)))
    return ""


@functools.cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


def markdown_blocks(lines: Sequence[str]) -> Blocks:
    """The blocks as CommonMark defines them."""
    tokens = _markdown().parse("\n".join(lines))
    blocks: list[Block] = []
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "blockquote_open":
            index = _closing(tokens, index)
        elif token.type == "list_item_open":
            close = _closing(tokens, index)
            blocks.append(_block("item", tokens[index:close], lines))
            index = close
        elif token.type == "heading_open":
            blocks.append(_block("heading", tokens[index : index + 2], lines, level=int(token.tag[1])))
        elif token.type == "paragraph_open":
            blocks.append(_block("paragraph", tokens[index : index + 2], lines))
        elif token.type == "html_block":
            start, end = token.map
            blocks.append(Block("html", start, end, (Text(token.content.strip(), start),)))
        index += 1
    code = tuple(_without_blanks(token.map, lines) for token in tokens if token.type in {"fence", "code_block"})
    return Blocks(tuple(blocks), code, _unclosed(tokens, lines))


def _unclosed(tokens: Sequence[Any], lines: Sequence[str]) -> int | None:
    last = tokens[-1] if tokens else None
    if last is None or last.map is None or last.level:
        return None
    if last.type == "fence":
        end = lines[last.map[1] - 1].strip() if last.map[1] > last.map[0] + 1 else ""
        closed = end.startswith(last.markup) and not end.strip(last.markup[0])
        return None if closed else int(last.map[0])
    comment = last.type == "html_block" and last.content.lstrip().startswith("<!--") and "-->" not in last.content
    return int(last.map[0]) if comment else None


def _block(kind: str, tokens: Sequence[Any], lines: Sequence[str], *, level: int = 0) -> Block:
    start, end = _without_blanks(tokens[0].map, lines)
    inlines = tuple(Text(token.content, token.map[0]) for token in tokens if token.type == "inline")
    return Block(kind, start, end, inlines, level)


def _without_blanks(span: Sequence[int], lines: Sequence[str]) -> tuple[int, int]:
    """A range of lines without the blank ones at its end: an open fence has more or fewer of them, by what follows."""
    start, end = span
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    return start, end


def _closing(tokens: Sequence[Any], index: int) -> int:
    """The index of the token that closes the block opened at ``index``."""
    level, position = tokens[index].level, index + 1
    while tokens[position].level != level or tokens[position].nesting != -1:
        position += 1
    return position
