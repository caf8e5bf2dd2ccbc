"""Parts of a tool's description about single parameters: sections, bullets, tables, and mentions in sentences.

Only the exact name of a parameter matches. Text below a heading about results ("Returns:") or examples is never about a
parameter, even if its bullets have the same names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.guarded import Guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

LETTER = r"[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
"""A letter of a name: in Chinese, Japanese and Korean, the next word follows the name without a space."""


def of_script(source: str) -> Callable[[str], re.Pattern[str]]:
    """An expression with :data:`LETTER`, for a given text: its ranges take 5 ms to compile, and are seldom needed."""
    plain, full = lazy_pattern(source.replace(LETTER, r"\w")), lazy_pattern(source)
    return lambda text: plain if text.isascii() or max(text) < "\u3040" else full


_SECTION = Guarded(
    r"#{0,6}\s?[*_]{0,2}(?:required|optional|input|key|tool|all|main|additional)?\s?"
    r"(?:args|arguments|parameters|params|inputs?|(?:simple|basic|common|advanced|request)\s(?:fields|options))(?:\s\((?:all\s)?(?:required|optional)\))?[*_]{0,2}\s?:?[*_]{0,2}"
    r"|<(?:args|arguments|parameters|params|inputs?)>"
    r"|#{0,6}\s?[*_]{0,2}[【\[]?(?:必填|必须|可选|输入|输入的|请求|主要)?(?:参数|參數|入参|引数|パラメーター?|매개변수|파라미터|인자|인수)(?:说明|說明)?[】\]]?"
    r"[*_]{0,2}\s?[:：]?[*_]{0,2}"
    r"|#{0,6}\s?[*_]{0,2}(?:par[áa]metros|argumentos|param[èe]tres|parametri|параметры|аргументы)[*_]{0,2}\s?:[*_]{0,2}",
    *(
        "args",
        "arg",
        "par",
        "input",
        "fields",
        "options",
        "пар",
        "арг",
        "参",
        "參",
        "引数",
        "パラ",
        "매개",
        "파라",
        "인",
    ),
)
"""Headings of parameters: in English, and in the languages in which servers are described most often."""
_LONGEST_SECTION = 60
"""Maximum length of a section heading in characters: "###### **Additional parameters (all required)**:" and some
more."""
_HEADING = lazy_pattern(
    r"#{1,6}\s.*|[*_]{0,2}[^\W\d_a-z][\w ]{0,40}[*_]{0,2}[:：][*_]{0,2}"
    r"|[【\[][^\W\d_a-z]\w{0,20}[】\]][:：]?|-{3,}.*|</?[\w_]{1,40}>",
    re.NOFLAG,
)
_APART = Guarded(
    r"\b(?:returns?|response|outputs?|results?|yields|raises|errors?|examples?|fields|columns|see also)\b"
    r"|返回|响应|结果|输出|示例|例如|错误|戻り値|返り値|出力|결과|반환|응답|예시|retorna|devuelve|ejemplo|exemple|возвращает|пример",
    *(
        "return",
        "response",
        "output",
        "result",
        "yields",
        "raises",
        "error",
        "example",
        "fields",
        "columns",
        "see also",
    ),
    *(
        "返",
        "响应",
        "结果",
        "输出",
        "示例",
        "例如",
        "错误",
        "戻り値",
        "出力",
        "결과",
        "반환",
        "응답",
        "예시",
        "retorna",
    ),
    *("devuelve", "ejemplo", "exemple", "возвращает", "пример"),
)
_NOTE = (
    r"(?P<note>\((?:[^()\n]|\([^()\n]{0,40}\)){0,80}\)|（[^（）\n]{0,80}）"
    r"|\[[^\[\]\n]{0,80}\]|<[\w ,|]{1,40}>|\{[\w ,|]{1,40}\})?"
)
"""A type and a need in brackets, such as "(string, required)", "[int]" and "<path>"."""
_SIGN = r"(?::|：|–|—|→|--?\s|[-=]>\s)"
_ENTRY = lazy_pattern(
    r"(?P<mark>[-*•+]\s|[・·]\s?|\d{1,2}[.)]\s|:(?:param|parameter|arg|argument|key|keyword)\s(?:\w{1,20}\s)?)?"
    r"(?P<open>[`*\"']{0,3})(?P<name>[A-Za-z_$][A-Za-z0-9_.\-$]{0,63})\??[`*\"']{0,3}"
    rf"\s?{_NOTE}\**\s?{_SIGN}\s?\**\s?(?P<text>.*)"
)
_tag = of_script(
    r"[@\\](?:param|arg|argument)(?:\[[a-z,]{1,6}\])?\s(?:\{[^{}\n]{0,80}\}\s)?"
    rf"\[?(?P<name>[A-Za-z_$](?:{LETTER}|\$){{0,63}}+)(?![.\[])(?:\s?=[^\]\n]{{0,80}})?\]?\s?(?:[:：–—]\s?|--?\s)?(?P<text>.*)"
)
"""JSDoc, Javadoc and Doxygen: "@param {string} [host=localhost] - The host", "@param host The host"."""
_TAG_APART = lazy_pattern(r"[@\\:](?:returns?|rtype|throws|raises?|exception|type|example|see)\b")
"""A line of theirs that is not about what a parameter takes."""
_COLUMNS = lazy_pattern(r"(?P<name>[A-Za-z_$][\w$]{0,63})(?:\t|\s\s)\s{0,40}(?P<text>\S.*)")
"""A line of a section that aligns the text behind the name."""
_NAME = r"[`*\"']{0,3}[A-Za-z_$][\w$]{0,63}[`*\"']{0,3}"
_MAX_JOINT = 20
"""Maximum number of names in one line or list of lines that has one text for all."""
_JOINT = lazy_pattern(
    rf"(?P<mark>[-*•+]\s|\d{{1,2}}[.)]\s)?"
    rf"(?P<names>{_NAME}(?:\s?(?:,|/|&|\+|,?\sand|\sor)\s?{_NAME}){{1,{_MAX_JOINT - 1}}})"
    rf"\s?{_NOTE}\**\s?{_SIGN}\s?\**\s?(?P<text>.*)"
)
"""One line for several parameters: "start_day, end_day: a range of days", "day_from/to: …"."""
_MARKS = "-*•+0123456789"
_JOINTS = lazy_pattern(r"\s?(?:[,/&+]|,?\sand\s|\sor\s)\s?")
_BULLET = lazy_pattern(r"[-*•+]\s|[・·]\s?|\d{1,2}[.)]\s")
_CELL = lazy_pattern(r"(?<!\\)\|")
_RULE = lazy_pattern(r":?-+:?")
_TYPE_COLUMN = frozenset({"type", "data type"})
_NEED_COLUMN = frozenset({"required", "required?", "mandatory"})
_YES = frozenset({"yes", "true", "required", "✓", "✅", "y"})
_NO = frozenset({"no", "false", "optional", "n", "❌"})

_identifier = of_script(rf"[A-Za-z_$](?:{LETTER}|\$)*+(?:-(?:{LETTER}|\$)++)*+")
_LISTED = lazy_pattern(r"\s?\(\s?[`'\"“]|\s?=")
_VALUES_OF = lazy_pattern(r"\b(?:values|options|choices)\s(?:for|of)\s(?:the\s)?[`'\"]?$", re.IGNORECASE)
_LONGEST_LEAD = 20
"""Number of characters in "choices for the" before a name, with its quote."""
_SENTENCE_ENDS = lazy_pattern(r"[.!?](?=\s+[A-Z`*\"'(]|\s*$)|\n(?=\s*[-*•#|\d]|\s*\n)")
_FEW_NAMES = 50
"""Maximum number of parameters for which the text is first searched by name, which is faster than reading its words."""
_MAX_MENTION = 400
"""Maximum number of characters in a mention: one sentence. Later text is about something else."""
_MAX_MENTIONS = 4
"""Maximum number of mentions per parameter; a description with more is narrative. Twice as many if its values are
announced."""
_MAX_LISTED = 4_000
"""Number of characters after a mention that are searched for its bullets."""
_MAX_BULLETS = 60
"""Maximum number of bullets per list; a longer one belongs in a document."""
_MAX_SECTIONS = 40
"""Maximum number of headings with bullets per description; each is compared with each parameter."""
_TITLE = lazy_pattern(r"(?:#{1,6}\s|\*\*)?(?P<words>[A-Za-z][\w` ]{1,50}?)\s?(?::|\*\*)?\s?(?:\*\*)?\s?:?")


class Outline(Struct, frozen=True):
    """A tool's description, by parameter.

    Attributes:
        entries: the section, bullet or table row about a parameter, in the form of a description of its own, with a
            note ("(string, required)") in front. Parameters with two entries are omitted.
        mentions: for each parameter that a sentence elsewhere certainly names, the rest of that sentence after the
            name; with the bullets that follow if it ends in a colon.
        sections: the bullets below a heading or a short line with a colon, as ("Filter types", "- a: …\\n- b: …").
    """

    entries: Mapping[str, str]
    mentions: Mapping[str, tuple[str, ...]]
    sections: tuple[tuple[str, str], ...] = ()


def outline(description: str, names: Collection[str]) -> Outline:
    """What a tool's description says about the parameters with these names; time linear in the description."""
    if not names or not description:
        return Outline({}, {})
    reader = _Reader(names)
    for line in description.splitlines():
        reader.read(line)
    entries = {name: "\n".join(lines) for name, lines in reader.entries.items() if name not in reader.twice}
    mentions = _mentions("\n".join(reader.rest), names)
    return Outline(entries, mentions, tuple(_sections(reader.rest, reader.indents)))


def _sections(lines: Sequence[str], indents: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Headings with the bullets that follow them."""
    kept = 0
    for position, line in enumerate(lines):
        if kept == _MAX_SECTIONS:
            return
        if not line or len(line) > _MAX_TITLE or _BULLET.match(line) or (title := _TITLE.fullmatch(line)) is None:
            continue
        # A blank line may separate the heading from its bullets.
        start = position + 2 if not "".join(lines[position + 1 : position + 2]) else position + 1
        found = zip(_bullets(lines, start), indents[start:], strict=False)
        bullets = [line for line, indent in found if indent <= indents[start]]
        if bullets and not _APART.search(title["words"]):
            kept += 1
            yield title["words"], "\n".join(bullets)


_MAX_TITLE = 60
"""Maximum number of characters in a heading line."""


def _bullets(lines: Sequence[str], start: int) -> list[str]:
    """The bullets from a line on, without bold marks."""
    out = []
    for line in lines[start : start + _MAX_BULLETS]:
        if not _BULLET.match(line):
            break
        out.append(_BULLET.sub("- ", line, count=1).replace("**", ""))
    return out


class _Reader:
    """Reads a description line by line: entries with the lines that belong to them, and the rest."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names
        self.entries: dict[str, list[str]] = {}
        self.twice: set[str] = set()
        self.rest: list[str] = []
        self.indents: list[int] = []  # of each line in the rest
        self._within = False  # in a section about parameters
        self._apart = False  # in a section about results or examples
        self._apart_indent = 0  # of its heading
        self._open: list[str] | None = None  # the current entry
        self._indent = 0
        self._bulleted: int | None = None  # indent of the bullet to which the last line belongs
        self._columns: list[str] = []
        self._code = False  # in a fenced code block
        self._names = ""  # a list of names that the next line continues

    def read(self, line: str) -> None:
        flat = " ".join(line.split())
        indent = len(line) - len(line.lstrip())
        if flat.startswith("```"):
            self._code = not self._code and not flat.endswith("```", 3)
        if self._code:
            # A call, an answer or a schema: '"limit": 10' does not describe the parameter.
            flat, self._open = "", None
        if self._open is not None and flat and indent > self._indent:
            self._continue(flat)
            return
        self._open = None
        if len(flat) <= _LONGEST_SECTION and _SECTION.fullmatch(flat):
            self._within, self._apart = True, False
        elif (flat[:1] in "#-<" or flat[-1:] in ":：*_】]") and _HEADING.fullmatch(flat):
            # "Dictionary containing:" below "Returns:" belongs to it.
            if not (self._apart and indent > self._apart_indent):
                self._within, self._apart = False, _APART.search(flat) is not None
                self._apart_indent = indent
        elif flat.startswith("|"):
            self._row(flat)
            return
        elif not self._apart and self._takes(line, flat, indent):
            return
        self._columns = []
        if self._bulleted is not None and flat and indent > self._bulleted and not _BULLET.match(flat):
            self.rest[-1] = f"{self.rest[-1]} {flat}"  # a bullet with several lines
            return
        self._bulleted = indent if _BULLET.match(flat) and not self._apart else None
        # A blank line separates sentences; text below "Returns:" is never about a parameter.
        self.rest.append("" if self._apart else flat)
        self.indents.append(indent)

    def _continue(self, flat: str) -> None:
        assert self._open is not None
        if _BULLET.match(flat):
            self._open.append(flat)
        else:
            self._open[-1] = f"{self._open[-1]} {flat}".strip()

    def _takes(self, line: str, flat: str, indent: int) -> bool:
        """Read a line about one parameter or several; false if it is about none."""
        if flat.startswith(("@", "\\", ":")) and self._tag(flat, indent):
            return True
        if self._within and flat[-1:] == "," and self._all_named(f"{self._names} {flat}"):
            self._names = f"{self._names} {flat}".strip()
            return True
        if self._names:
            flat, self._names = f"{self._names} {flat}", ""
        if len(self.names) <= _FEW_NAMES and not any(name in flat for name in self.names):
            return False
        return self._entry(flat, indent) or (self._within and self._aligned(line, indent))

    def _all_named(self, listed: str) -> bool:
        """True for a list of names that goes on in the next line."""
        names = [name.strip(" `*\"'") for name in listed.split(",", _MAX_JOINT)[:-1]]
        return len(names) < _MAX_JOINT and all(name in self.names for name in names)

    def _tag(self, flat: str, indent: int) -> bool:
        """Read "@param name text"; what "@return" says is not about a parameter."""
        if _TAG_APART.match(flat):
            self._open, self._indent = [""], indent
            return True
        tag = _tag(flat).fullmatch(flat)
        if tag is None or tag["name"] not in self.names or not tag["text"].strip():
            return False
        self._take(tag["name"], tag["text"].strip())
        self._open, self._indent = self.entries[tag["name"]], indent
        return True

    def _aligned(self, line: str, indent: int) -> bool:
        entry = _COLUMNS.fullmatch(line.strip())
        if entry is None or entry["name"] not in self.names:
            return False
        self._take(entry["name"], " ".join(entry["text"].split()))
        self._open, self._indent = self.entries[entry["name"]], indent
        return True

    def _entry(self, flat: str, indent: int) -> bool:
        entry = _ENTRY.fullmatch(flat)
        if entry is None:
            return self._joint(flat, indent)
        if entry["name"] not in self.names:
            return False
        # Outside a section, a line such as "type: …" is about the parameter only if it is marked as a name.
        if not self._within and not entry["mark"] and not entry["open"]:
            return False
        self._take(entry["name"], f"{entry['note'] or ''} {entry['text']}".strip())
        self._open, self._indent = self.entries[entry["name"]], indent
        return True

    def _joint(self, flat: str, indent: int) -> bool:
        """Read a line about several parameters."""
        entry = _JOINT.fullmatch(flat) if self._within or flat[:1] in _MARKS else None
        if entry is None or not (self._within or entry["mark"]):
            return False
        first, *others = [name.strip("`*\"'") for name in _JOINTS.split(entry["names"]) if name]
        # "day_from/to" are day_from and day_to.
        front = first.rpartition("_")[0]
        names = [first, *(name if name in self.names else f"{front}_{name}" for name in others)]
        if not all(name in self.names for name in names):
            return False
        for name in names:
            self._take(name, f"{entry['note'] or ''} {entry['text']}".strip())
            # What the next lines add is about all of them.
            self.entries[name] = self.entries[first]
        self._open, self._indent = self.entries[first], indent
        return True

    def _take(self, name: str, text: str) -> None:
        if name in self.entries:
            self.twice.add(name)
        self.entries[name] = [text]

    def _row(self, flat: str) -> None:
        cells = [cell.strip(" `*") for cell in _CELL.split(flat.strip("|"))]
        if all(_RULE.fullmatch(cell) for cell in cells if cell):
            return
        if self._apart or cells[0] not in self.names:
            self._columns = [cell.lower() for cell in cells]
            return
        notes, text = [], []
        for position, cell in enumerate(cells[1:], 1):
            column = self._columns[position] if position < len(self._columns) else ""
            if column in _TYPE_COLUMN:
                notes.append(cell)
            elif column in _NEED_COLUMN and cell.lower() in _YES | _NO:
                notes.append("required" if cell.lower() in _YES else "optional")
            elif column == "default" and cell and cell not in "-–—":
                text.append(f"Default: {cell}.")
            elif cell:
                text.append(cell)
        note = f"({', '.join(notes)}) " if notes else ""
        self._take(cells[0], note + " ".join(text))


def _mentions(text: str, names: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """For each name of a parameter, the rest of its sentence, up to the next parameter that is named."""
    if len(names) <= _FEW_NAMES and not any(name in text for name in names):
        return {}
    found = [
        (match, after)
        for match in _identifier(text).finditer(text)
        if match[0] in names and (after := _named(text, match))
    ]
    out: dict[str, tuple[str, ...]] = {}
    for position, (match, after) in enumerate(found):
        limit = found[position + 1][0].start() if position + 1 < len(found) else len(text)
        limit = min(limit, after + _MAX_MENTION)
        stop = _SENTENCE_ENDS.search(text, after, limit)
        # The quote that opens before the next name does not belong to this text.
        passage = text[after : stop.start()] if stop else text[after:limit].rstrip("`'\"")
        passage = passage.strip()
        if stop and passage.endswith(":"):
            behind = text[stop.start() + 1 : stop.start() + _MAX_LISTED].split("\n")
            passage = "\n".join((passage, *_bullets(behind, 0 if behind[0] else 1)))
        # "Valid values for mode are: …" announces values before the name.
        most = _MAX_MENTIONS
        if _VALUES_OF.search(text, max(0, match.start() - _LONGEST_LEAD), match.start()):
            passage, most = f"values {passage}", 2 * most
        known = out.get(match[0], ())
        if passage and len(known) < most:
            out[match[0]] = (*known, passage)
    return out


def _named(text: str, match: re.Match[str]) -> int:
    """Start of the text after a name, if the word is certainly the name of a parameter; else 0."""
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    if before in ("`", "'", '"') and after == before:
        return match.end() + 1
    word = match[0]
    if before in (".", "/", "-", "@", "$", "{", "<") or after in ("/", "@", "}", ">"):
        return 0
    if _VALUES_OF.search(text, max(0, match.start() - _LONGEST_LEAD), match.start()):
        return match.end()
    # "position ('before' or 'after')", "mode='fast'"; a name of several words cannot be a plain word.
    listed = _LISTED.match(text, match.end())
    return match.end() if listed or "_" in word.strip("_") or not (word.islower() or word.istitle()) else 0
