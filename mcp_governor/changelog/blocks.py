"""The top-level blocks of a Markdown document, each with its lines, as markdown-it-py sees them."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


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


class Blocks(NamedTuple):
    """The blocks of a document.

    Attributes:
        blocks: in order.
        code: the lines (from 0) with code.
        unclosed: the line (from 0) of a code fence or comment that is never closed, ``None`` if there is none:
            it hides all that follows.
    """

    blocks: tuple[Block, ...]
    code: frozenset[int]
    unclosed: int | None = None


@functools.cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


def read_blocks(lines: Sequence[str]) -> Blocks:
    """The blocks of a document; quotations and rules are left out."""
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
    code = (token.map for token in tokens if token.type in {"fence", "code_block"})
    return Blocks(tuple(blocks), frozenset(line for span in code for line in range(*span)), _unclosed(tokens, lines))


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
    start, end = tokens[0].map
    # An open fence in it has more or fewer blank lines at its end, by what follows.
    while end > start + 1 and not lines[end - 1].strip():
        end -= 1
    inlines = tuple(Text(token.content, token.map[0]) for token in tokens if token.type == "inline")
    return Block(kind, start, end, inlines, level)


def _closing(tokens: Sequence[Any], index: int) -> int:
    """The index of the token that closes the block opened at ``index``."""
    level, position = tokens[index].level, index + 1
    while tokens[position].level != level or tokens[position].nesting != -1:
        position += 1
    return position
