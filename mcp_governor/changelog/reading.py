"""Markdown → :class:`Changelog`, through the block structure that markdown-it-py sees.

Only blocks are parsed: a heading inside a code fence, a quotation or a comment is none, and a fingerprint in
a list item is still a fingerprint. The reader never gives up on odd Markdown; what the grammar does not know
becomes a :class:`Problem` with its line. Only bytes that are not text are an error.
"""

from __future__ import annotations

import functools
import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from mcp_governor.changelog.grammar import (
    BARE_DIGEST,
    DIGEST,
    FINGERPRINT,
    Heading,
    Label,
    read_bold_label,
    read_heading,
    read_label,
)
from mcp_governor.changelog.model import LINE_END, Changelog, Entry, Fingerprint, Kind, Problem, Section, Subsection
from mcp_governor.errors import FileFormatError
from mcp_governor.files import MEBIBYTE, read_bytes
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line, visible

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


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


MAX_BYTES = 2 * MEBIBYTE
"""Bytes of a changelog; see ``MAX_LINES``."""
MAX_LINES = 50_000
"""What a changelog may have: five hundred releases have a fifth of the one and two fifths of the other. A line of
Markdown can take 2 KB of memory, and a byte of dotted names 200, so that what is larger is refused."""

_BACKTICKS = lazy_pattern(r"`+")
_LABEL_LINE = lazy_pattern(r"\*\*(?:" + "|".join(Kind) + r")\*\*")
_FINGERPRINT_CUE = lazy_pattern(r"fingerprint|\bsha256:[0-9a-f]{64}\b", re.IGNORECASE)
_CONFLICT = lazy_pattern(r"(?:<{7}|>{7}|\|{7})(?: |$)")


def load(path: str | Path, *, what: str | None = None) -> Changelog:
    """The changelog in a file.

    Raises:
        FileFormatError: it is missing, unreadable, larger than ``MAX_BYTES``, or not UTF-8 (with the line).
    """
    shown = visible(what or str(path))
    try:
        data = read_bytes(path, limit=MAX_BYTES)
    except FileNotFoundError:
        raise FileFormatError(f"{shown} does not exist.", "Start one with: mcp-governor changelog draft") from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    return parse(data, shown)


def decode(data: bytes, what: str) -> str:
    """The text of a changelog, byte order mark and line ends kept.

    Raises:
        FileFormatError: it is not UTF-8, or it contains a NUL; the message has the line.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileFormatError(
            f"{what}:{line} is not UTF-8 (byte 0x{data[error.start]:02x}).", "Save the file as UTF-8."
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileFormatError(f"{what}:{line} holds a NUL character.", "Save the file as UTF-8 text.")
    return text


@functools.lru_cache(maxsize=2)  # a run asks several times for the one of the work tree and that of its base
def parse(text: str | bytes, what: str) -> Changelog:
    """Parse a changelog.

    Args:
        text: Markdown; line ends of any kind, a byte order mark may lead.
        what: how messages name it (``"docs/mcp-schema-changelog.md"``).

    Raises:
        FileFormatError: ``text`` is bytes and not UTF-8, or has more than ``MAX_LINES`` lines.
    """
    source = decode(text, what) if isinstance(text, bytes) else text
    lines = LINE_END.split(source.removeprefix("\ufeff"))
    if len(lines) > MAX_LINES:
        raise FileFormatError(f"{what} has more than {MAX_LINES} lines.", "Split it: move old releases elsewhere.")
    reader = _Reader(lines)
    reader.read(read_blocks(lines))
    problems = sorted(reader.problems, key=lambda problem: problem.line)
    return Changelog(source, what, tuple(reader.sections), tuple(problems))


def code_spans(text: str) -> tuple[str, ...]:
    """The strings in backticks, as CommonMark pairs them."""
    if "`" not in text:
        return ()
    runs = [match.span() for match in _BACKTICKS.finditer(text)]
    # The next run of the same length, looked up from behind: a search from every run would take quadratic time.
    ends: list[int | None] = []
    known: dict[int, int] = {}
    for number, (start, end) in reversed(list(enumerate(runs))):
        ends.append(known.get(end - start))
        known[end - start] = number
    ends.reverse()
    spans: list[str] = []
    number = 0
    while number < len(runs):
        start, after = runs[number]
        closing = ends[number] if text[start - 1 : start] != "\\" else None
        if closing is not None:
            spans.append(text[after : runs[closing][0]].strip())
            number = closing
        number += 1
    return tuple(spans)


@dataclass
class _OpenSection:
    heading: Heading
    line: int
    subsections: list[Subsection] = field(default_factory=list)
    fingerprints: list[Fingerprint] = field(default_factory=list)


@dataclass
class _Reader:
    """Walks the top-level blocks once, keeping the open section and the open subsection."""

    lines: list[str]
    sections: list[Section] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    section: _OpenSection | None = None
    part: Subsection | None = None
    entries: list[Entry] = field(default_factory=list)

    def read(self, document: Blocks) -> None:
        for block in document.blocks:
            if block.kind == "heading":
                self._heading(block.level, block.inlines[0].text, block.start)
            elif block.kind == "paragraph":
                self._paragraph(block)
            elif block.kind == "item":
                self._item(block)
            elif not block.inlines[0].text.lstrip().startswith("<!--"):
                self._problem("html", block.start, found=one_line(block.inlines[0].text, 60))
        self._close_section(len(self.lines))
        if document.unclosed is not None:
            self._problem("unclosed", document.unclosed, found=one_line(self.lines[document.unclosed], 30))
        for number, line in enumerate(self.lines):
            # In code, a conflict marker is an example.
            if _CONFLICT.match(line) and number not in document.code:
                self._problem("merge-conflict", number, found=line[:7])

    def _problem(self, rule: str, line: int, **values: str) -> None:
        """``line`` from 0, as the tokens count."""
        self.problems.append(Problem(rule, line + 1, values))

    def _heading(self, level: int, text: str, line: int) -> None:
        heading = read_heading(text)
        # Below the second level only a version makes a section; other words there are labels.
        if heading is not None and (level <= 2 or heading.version):
            self._close_section(line)
            self.section = _OpenSection(heading, line)
            if heading.version and not (heading.strict and self.lines[line].startswith("## ")):
                self._problem("heading-form", line, found=one_line(self.lines[line], 80))
        elif self.section is not None:
            label = read_label(text)
            if label is not None and (level > 2 or (label.kind is not None and not label.tail)):
                self._open_part(label, line, strict=label.strict and level == 3)
            elif level <= 2:
                self._problem("heading-unknown", line, found=one_line(text, 60))
                self._close_section(line)

    def _paragraph(self, block: Block) -> None:
        for text, line in _split_at_labels(block.inlines):
            if self.section is None or self._fingerprints(text, line):
                continue
            label = read_bold_label(text)
            if label is not None:
                self._open_part(label, line, strict=label.strict)
            elif self.part is not None:
                self._prose(text, line)

    def _prose(self, text: str, line: int) -> None:
        """An entry that is not in a list."""
        spans = code_spans(text)
        if spans:
            self._problem("entry-form", line, found=_ended(text))
            self.entries.append(Entry(text, line + 1, line + text.count("\n") + 1, spans, bullet=False))

    def _open_part(self, label: Label, line: int, *, strict: bool) -> None:
        self._close_part()
        name = label.kind.value if label.kind else label.tail
        self.part = Subsection(label.kind, name, line + 1, line + 1)
        if label.kind is None:
            self._problem("label-unknown", line, found=one_line(name, 40))
        elif not strict:
            self._problem("label-form", line, found=one_line(self.lines[line], 60), label=label.kind.value)
            spans = code_spans(label.tail)
            if spans:
                self.entries.append(Entry(label.tail, line + 1, line + 1, spans, bullet=False))

    def _item(self, block: Block) -> None:
        if self.section is None:
            return
        inlines = [text for text in block.inlines if not self._fingerprints(*text)]
        if not inlines:
            return
        first, *rest = _split_at_labels(inlines)
        label = read_bold_label(first.text)
        if label is not None and label.kind is not None and not label.tail:
            self._open_part(label, first.line, strict=False)
            ends = [*(text.line for text in rest[1:]), block.end][: len(rest)]
            for (text, line), end in zip(rest, ends, strict=True):
                self.entries.append(Entry(text, line + 1, end, code_spans(text)))
            return
        if self.part is None:
            self._problem("entry-without-label", block.start, found=_ended(first.text))
            # It is kept all the same: it mentions a change, in the wrong place.
            self.part = Subsection(None, "", block.start + 1, block.start + 1)
        swallowed = next((text for text in rest if _LABEL_LINE.fullmatch(text.text)), None)
        own = [text for text in (first, *rest) if swallowed is None or text.line < swallowed.line]
        text = "\n".join(part.text for part in own)
        end = swallowed.line if swallowed else block.end
        self.entries.append(Entry(text, block.start + 1, end, code_spans(text)))
        if swallowed is not None:
            label = read_bold_label(swallowed.text)
            self._problem("label-without-blank-line", swallowed.line, found=swallowed.text)
            if label is not None:
                self._open_part(label, swallowed.line, strict=True)

    def _fingerprints(self, text: str, line: int) -> bool:
        """Collects the digests that a block states; true if it states any."""
        if self.section is None or not _FINGERPRINT_CUE.search(text):
            return False
        found = False
        for offset, part in enumerate(text.split("\n")):
            strict = FINGERPRINT.fullmatch(part)
            values = [strict[1]] if strict else [*DIGEST.findall(part), *BARE_DIGEST.findall(part)]
            number = line + offset + 1
            self.section.fingerprints += [Fingerprint(value, number, strict is not None) for value in values]
            if values and strict is None:
                self._problem("fingerprint-form", number - 1, found=one_line(part[:200], 80))
            found = found or bool(values)
        return found

    def _close_part(self) -> None:
        if self.part is None or self.section is None:
            return
        last = max([self.part.line, *(entry.end for entry in self.entries)])
        self.section.subsections.append(replace(self.part, end=last, entries=tuple(self.entries)))
        if not self.entries and self.part.kind is not None:
            self._problem("subsection-empty", self.part.line - 1, label=self.part.label)
        self.part, self.entries = None, []

    def _close_section(self, line: int) -> None:
        self._close_part()
        if self.section is None:
            return
        heading, end = self.section.heading, line
        # Blank lines are not part of a block, so drafts are inserted after the last non-blank line.
        while end > self.section.line + 1 and not self.lines[end - 1].strip():
            end -= 1
        self.sections.append(
            Section(
                version_text=heading.version,
                current=heading.current,
                date=heading.date,
                line=self.section.line + 1,
                end=end,
                subsections=tuple(self.section.subsections),
                fingerprints=tuple(self.section.fingerprints),
                yanked=heading.yanked,
            )
        )
        self.section = None


def _ended(text: str) -> str:
    """An entry on one line, without its full stop: the message has one."""
    return one_line(text, 60).rstrip(".")


def _split_at_labels(inlines: Sequence[Text]) -> list[Text]:
    """The strings, cut before and after each line that is a label: Markdown joins it to the lines around it."""
    out: list[Text] = []
    for text, line in inlines:
        lines = list(enumerate(text.split("\n"), line))
        for is_label, group in itertools.groupby(lines, lambda one: _LABEL_LINE.fullmatch(one[1]) is not None):
            run = list(group)
            runs = [[one] for one in run] if is_label else [run]
            out += [Text("\n".join(part for _, part in one), one[0][0]) for one in runs]
    return out
