"""Markdown → :class:`Changelog`, through the block structure that markdown-it-py sees.

Only blocks are parsed: a heading inside a code fence, a quotation or a comment is none, and a fingerprint in
a list item is still a fingerprint. The reader never gives up on odd Markdown; what the grammar does not know
becomes a :class:`Problem` with its line. Only bytes that are no text are an error.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from mcp_governor.changelog.model import Changelog, Entry, Fingerprint, Problem, Section, Subsection
from mcp_governor.errors import FileFormatError
from mcp_governor.text import one_line, visible
from mcp_governor.versions import Version

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_BYTES = 64 * 1024 * 1024

_LINE_END = re.compile(r"\r\n|\n|\r")
_CODE_SPAN = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_IDENTIFIER = re.compile(r"[^\W\d][\w-]*(?:[./][\w-]+)*")
_CONFLICT = re.compile(r"(?:<{7}|>{7}|\|{7})(?: |$)")


def load(path: str | Path) -> Changelog:
    """The changelog in a file.

    Raises:
        FileFormatError: it is missing, unreadable, larger than ``MAX_BYTES``, or not UTF-8 (with the line).
    """
    file, shown = Path(path), visible(str(path))
    try:
        if file.stat().st_size > MAX_BYTES:
            raise FileFormatError(f"{shown} is larger than {MAX_BYTES >> 20} MiB.", "Split it.")
        data = file.read_bytes()
    except FileNotFoundError:
        raise FileFormatError(f"{shown} does not exist.", "Start one with: mcp-governor changelog draft") from None
    except OSError as error:
        raise FileFormatError(f"{shown} cannot be read: {error.strerror}.", "Check the path.") from None
    return parse(data, shown)


def decode(data: bytes, what: str) -> str:
    """The text of a changelog, byte order mark and line ends kept.

    Raises:
        FileFormatError: it is not UTF-8, or holds a NUL; the message names the line.
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


def parse(text: str | bytes, what: str) -> Changelog:
    """The changelog that a document holds.

    Args:
        text: Markdown; line ends of any kind, a byte order mark may lead.
        what: how messages name it (``"docs/mcp-schema-changelog.md"``).

    Raises:
        FileFormatError: ``text`` is bytes and not UTF-8.
    """
    source = decode(text, what) if isinstance(text, bytes) else text
    lines = _LINE_END.split(source.removeprefix("\ufeff"))
    reader = _Reader(lines)
    reader.read(_markdown().parse("\n".join(lines)))
    return Changelog(source, what, *reader.result())


@functools.cache
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark")
    markdown.core.ruler.enableOnly(["normalize", "block"])
    return markdown


def code_spans(text: str) -> tuple[str, ...]:
    """The texts in backticks, as CommonMark pairs them."""
    if "`" not in text:
        return ()
    return tuple(match[2].strip() for match in _CODE_SPAN.finditer(text))


def names_in(spans: Sequence[str]) -> frozenset[str]:
    """Every name that texts in backticks may mean.

    ``search.filter.limit`` names itself and each run of its parts; ``search(limit=5)`` names ``search`` and
    ``limit``. A whole text is a name too, whatever its characters.
    """
    names: set[str] = set()
    for span in spans:
        names.add(span)
        for token in _IDENTIFIER.findall(span):
            names.add(token)
            parts = re.split(r"[./]", token)[:8]
            for start in range(len(parts)):
                names.update(".".join(parts[start:end]) for end in range(start + 1, len(parts) + 1))
    return frozenset(names)


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

    def read(self, tokens: Sequence[Any]) -> None:
        outside_fences = set(range(len(self.lines)))
        skip = 0
        for index, token in enumerate(tokens):
            if token.type in {"fence", "code_block"}:
                outside_fences.difference_update(range(*token.map))
            if index < skip:
                continue
            if token.type in {"bullet_list_open", "ordered_list_open"}:
                skip = self._list(tokens, index)
            elif token.type == "blockquote_open":
                skip = _closing(tokens, index)
            elif token.type == "heading_open":
                self._heading(int(token.tag[1]), tokens[index + 1].content, token)
            elif token.type == "paragraph_open":
                self._paragraph(tokens[index + 1].content, *token.map)
            elif token.type == "html_block" and not token.content.lstrip().startswith("<!--"):
                self._problem("html", token.map[0], found=one_line(token.content, 60))
        self._close_section(len(self.lines))
        for number in sorted(outside_fences):
            if _CONFLICT.match(self.lines[number]):
                self._problem("merge-conflict", number, found=self.lines[number][:7])

    def result(self) -> tuple[tuple[Section, ...], tuple[Problem, ...]]:
        return tuple(self.sections), tuple(sorted(self.problems, key=lambda problem: problem.line))

    def _problem(self, rule: str, line: int, **values: str) -> None:
        """``line`` from 0, as the tokens count."""
        self.problems.append(Problem(rule, line + 1, values))

    def _heading(self, level: int, text: str, token: Any) -> None:
        line, heading = token.map[0], read_heading(text)
        if heading is not None and (level <= 2 or heading.version):
            self._close_section(line)
            self.section = _OpenSection(heading, line)
            if heading.version and not (heading.strict and self.lines[line].startswith("## ")):
                self._problem("heading-form", line, found=one_line(self.lines[line], 80))
        elif level <= 2:
            if self.section is not None:
                self._problem("heading-unknown", line, found=one_line(text, 60))
                self._close_section(line)
        elif self.section is not None:
            label = read_label(text)
            if label is not None:
                self._open_part(label, line, strict=label.strict and level == 3, shown=self.lines[line])

    def _paragraph(self, text: str, start: int, end: int) -> None:
        if self.section is None or self._fingerprints(text, start):
            return
        label = read_bold_label(text)
        if label is not None:
            self._open_part(label, start, strict=label.strict, shown=text)
        elif self.part is not None and (spans := code_spans(text)):
            self._problem("entry-form", start, found=one_line(text, 60))
            self.entries.append(Entry(text, start + 1, end, names_in(spans), spans, bullet=False))

    def _open_part(self, label: Label, line: int, *, strict: bool, shown: str) -> None:
        self._close_part()
        name = label.kind.value if label.kind else label.tail
        self.part = Subsection(label.kind, name, line + 1, line + 1)
        if label.kind is None:
            self._problem("label-unknown", line, found=one_line(name, 40))
        elif not strict:
            self._problem("label-form", line, found=one_line(shown, 60), label=label.kind.value)
            spans = code_spans(label.tail)
            if spans:
                self.entries.append(Entry(label.tail, line + 1, line + 1, names_in(spans), spans, bullet=False))

    def _list(self, tokens: Sequence[Any], index: int) -> int:
        """Reads a list at top level; returns the index of the token after it."""
        depth, position, stop = tokens[index].level + 1, index + 1, _closing(tokens, index)
        while position < stop:
            token = tokens[position]
            if token.type == "list_item_open" and token.level == depth:
                close = _closing(tokens, position)
                inlines = [inner for inner in tokens[position:close] if inner.type == "inline"]
                self._item([(inner.content, inner.map[0]) for inner in inlines], token.map)
                position = close
            else:
                position += 1
        return stop

    def _item(self, texts: list[tuple[str, int]], span: tuple[int, int]) -> None:
        if self.section is None:
            return
        stated = [self._fingerprints(text, line) for text, line in texts]
        if any(stated):
            texts = [text for text, is_stated in zip(texts, stated, strict=True) if not is_stated]
            if not texts:
                return
        if self.part is None:
            self._problem("entry-outside", span[0], found=one_line(texts[0][0] if texts else "", 60))
            self.part = Subsection(None, "", span[0] + 1, span[0] + 1)
        start, end = span[0], span[1]
        while end > start + 1 and not self.lines[end - 1].strip():
            end -= 1
        text = "\n".join(content for content, _ in texts)
        spans = code_spans(text)
        self.entries.append(Entry(text, start + 1, end, names_in(spans), spans))

    def _fingerprints(self, text: str, line: int) -> bool:
        """Collects the digests that a block states; whether it is about the fingerprint at all."""
        if self.section is None or "fingerprint" not in text.lower():
            return False
        found = False
        for offset, part in enumerate(text.split("\n")):
            strict = FINGERPRINT.fullmatch(part)
            values = [strict[1]] if strict else [*DIGEST.findall(part), *BARE_DIGEST.findall(part)]
            for value in values:
                self.section.fingerprints.append(Fingerprint(value, line + offset + 1, strict is not None))
                if strict is None:
                    self._problem("fingerprint-form", line + offset, found=one_line(part, 80))
                found = True
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
        while end > self.section.line + 1 and not self.lines[end - 1].strip():
            end -= 1
        self.sections.append(
            Section(
                version_text=heading.version,
                version=Version.parse(heading.version),
                current=heading.current,
                date=heading.date,
                line=self.section.line + 1,
                end=end,
                subsections=tuple(self.section.subsections),
                fingerprints=tuple(self.section.fingerprints),
            )
        )
        self.section = None


def _closing(tokens: Sequence[Any], index: int) -> int:
    """The index of the token that closes the block opened at ``index``."""
    level, position = tokens[index].level, index + 1
    while tokens[position].level != level or tokens[position].nesting != -1:
        position += 1
    return position
