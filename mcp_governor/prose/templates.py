"""Formats that a description draws as a template: YYYY-MM-DD, owner/repo, {width}x{height}, 1234567890.123456."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.form import Form
from mcp_governor.prose.form_makers import read_dates
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_DRAWN = r"[\w<>{}\[\]./:#@=,+\-]{3,80}"
_MARKED = r"(?:form(?:at)?|pattern|syntax|structure|notation|shape)"
_IN_FORM = Guarded(
    # "in the format 'a/b'", "formatted as a/b", "of the form a/b"
    rf"\b(?:in|as|using|has|have|of|with|follow(?:s|ing)?|is|must\sbe)\s(?:the\s|a\s"
    rf"|this\s)?(?:[a-z]{{1,12}}\s)?{_MARKED}(?:\sof)?:?\s?"
    rf"(?:[`'\"](?P<behind>[^`'\"\n]{{3,80}})[`'\"]|(?P<plain>{_DRAWN}))"
    rf"|\b(?:formatted|written|specified|expressed|given|provided)\s(?:as|like"
    rf"|in)\s(?:[`'\"](?P<as>[^`'\"\n]{{3,80}})[`'\"]|(?P<asplain>{_DRAWN}))"
    # "format: a/b", "format is a/b"
    rf"|\b(?:expected\s|required\s|valid\s)?(?:format|pattern|syntax)(?:\sstring)?(?:\sis)?(?:\s?[:=]\s?"
    rf"|\sis\s)(?:[`'\"](?P<quoted>[^`'\"\n]{{3,80}})[`'\"]|(?P<label>{_DRAWN}))"
    # "'a/b' format"
    rf"|[`'\"](?P<front>{_DRAWN})[`'\"]\s(?:{_MARKED}\b|qualified\sname|references?\b|style\b|pairs?\b)"
    rf"|(?<![\w/.:\"'`])(?P<bare>[a-z<{{][\w<>{{}}]{{1,30}}(?:[/:=][\w<>{{}}]{{1,30}}){{1,4}})\s(?:form(?:at)?"
    rf"|notation|syntax)\b",
    "format",
    "form ",
    "form:",
    "pattern",
    "syntax",
    "structure",
    "notation",
    "shape",
    "qualified",
    "reference",
    "style",
    "pairs",
    "pair ",
    "written ",
    "specified as",
    "specified in",
    "specified like",
    "expressed ",
    "given as",
    "given in",
    "given like",
    "provided as",
    "provided in",
    "provided like",
)
# Names for the two halves of what is joined by a slash, a dot, or a colon; others may be alternatives ("and/or").
_OWNER = (
    r"(?:owner|org|organi[sz]ation|user|username|namespace|workspace|group|team|account|vendor|project"
    r"|project[_-]?(?:key|id)|author|publisher)"
)
_OWNED = (
    r"(?:repo|repository|name|repo[-_]?(?:name|slug)|project|project[-_]?name|package|model|dataset|space"
    r"|image|app|slug|stack|charm|collection)"
)
_PAIRS = Guarded(
    rf"(?<![\w/.:]){_OWNER}/{_OWNED}(?![\w/]|\.[a-z])(?:/[a-z_]{{2,20}}(?![\w/]))?"
    r"|(?<![\w/.])(?:(?:catalog|database|db|project)\.)?(?:schema|dataset|database|db)\.(?:table|view"
    r"|table[-_]?name)(?:\.column)?(?![\w.]|\()"
    r"|(?<![\w:/])(?:key[:=]value|host:port|image:tag|name:tag|ip:port|hostname:port|field:value"
    r"|field:direction|field:order)(?!\w|\spairs|:)"
    r"|(?<![\w<])<[a-z_\- ]{1,24}>(?:[/:.@=_x\-]<[a-z_\- ]{1,24}>){1,5}(?![/:.@<\w])"
    r"|(?<![\w{])\{[a-z_\- ]{1,24}\}(?:[/:.@=_x\-]\{[a-z_\- ]{1,24}\}){1,5}(?![/:.@{\w])",
    "owner/",
    "org/",
    "organization/",
    "organisation/",
    "user/",
    "username/",
    "namespace/",
    "workspace/",
    "group/",
    "team/",
    "account/",
    "vendor/",
    "project/",
    "key/",
    "id/",
    "author/",
    "publisher/",
    ".table",
    ".view",
    ".column",
    "key:value",
    "key=value",
    "host:port",
    "hostname:port",
    "ip:port",
    "image:tag",
    "name:tag",
    "field:",
    "}",
    ">",
)
_SIZES = Guarded(
    r"(?<!\w)(?:W(?:IDTH)?\s?[x×]\s?H(?:EIGHT)?|(?:\{width\}|<width>|\[width\]|width)\s?[x×]\s?(?:\{height\}"
    r"|<height>|\[height\]|height))(?!\w)",
    "width",
    "wxh",
    "w x h",
)
_RATIOS = Guarded(r"(?<!\w)(?:W:H|width:height|\{width\}:\{height\})(?!\w)", "w:h", "width")
_DIRECTED = Guarded(
    r"[`'\"(\s](?:field|column|attribute|property|key|name|<field>|\{field\}|[a-z_]{2,20})(?P<by>[: ]|:)(?:asc"
    r"|desc)\b(?:[`'\"]?,?\s?(?:or|/|\|)\s?[`'\"]?(?:[a-z_]{2,20}[: ])?desc\b)",
    "asc",
)
_PART = r"(?:<[\w \-]{1,30}>|\{[\w \-]{1,30}\}|[A-Za-z][A-Za-z_]{1,30})"
_PLACEHOLDER = lazy_pattern(_PART)
_WHOLE = lazy_pattern(rf"[/#@]?(?:{_PART}(?:[./:#@=,]|://)){{1,8}}{_PART}")
_BRACKETED = lazy_pattern(r"[/#@]?[\w.\-]{0,20}(?:(?:<[\w \-]{1,30}>|\{[\w \-]{1,30}\})[\w./:#@=,x\-]{0,30}){2,6}")
_STANDS_FOR = lazy_pattern(r"[<{]|(?<![A-Za-z])[A-Z][A-Z_]+(?![a-z])")
_ALSO = lazy_pattern(r"[`'\"]?\s?,?\s(?:or|and|/)\s[`'\"](?P<also>[^`'\"\n]{3,60})[`'\"]")
_FILE = lazy_pattern(r"\.(?:json|ya?ml|xml|md|txt|csv|py|jsx?|tsx?|html?|toml|ini|com|org|net|io)$", re.IGNORECASE)
_NUMBERS = lazy_pattern(r"(?=.*\d{3})\d{1,20}(?:[.:\-/]\d{1,20}){1,4}")
_ISO_SAMPLE = lazy_pattern(r"\d{4}-\d\d-\d\d(?P<time>T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+\-]\d\d:?\d\d)?)?")
_ONE_OF_SEVERAL = lazy_pattern(r"\b(?:such as|for example) an?\s", re.IGNORECASE)
_EITHER = lazy_pattern(r"\bor\s(?:[\w-]+\s){1,3}$", re.IGNORECASE)
"""In front of "in the format …": the format of the last of several things, "an id or a full name in the format"."""
_ANOTHER = lazy_pattern(r"[`'\"]?\s?(?:,|or)\s\d")
_ALTERNATIVES = lazy_pattern(
    r"(?:and|or|read|write|input|output|png|jpe?g|search|json|ya?ml|xml|csv|true|yes|on|markdown|html|text"
    r"|plain|request|http|https)[/]",
    re.IGNORECASE,
)
_SEVERAL_PAIRS = lazy_pattern(r"\bpairs\b|\bcomma|separated|\blist\sof\b|\beach\s(?:line|entry)\b|;", re.IGNORECASE)


def templates(text: str) -> Iterator[tuple[Form, int, int]]:
    """The templates in a description, each with where it begins and ends."""
    yield from _dates(text)
    seen: set[int] = set()
    for match in _IN_FORM.finditer(text):
        group = next(name for name, found in match.groupdict().items() if found)
        drawn = match[group].rstrip(".,;:").strip()
        end = match.start(group) + len(drawn)
        if group == "bare":
            end = match.end()
        if _EITHER.search(text, max(0, match.start() - 40), match.start()) or drawn.lower().startswith("http"):
            seen.add(match.start(group))
            continue
        if group in ("label", "quoted") and _OTHER_FORMAT.search(text, max(0, match.start() - 40), match.start()):
            seen.add(match.start(group))
            continue  # "Output format: …"
        form = _drawn(drawn, text, end, plain=group in _PLAIN)
        if form is not None:
            seen.add(match.start(group))
            also = _ALSO.match(text, end) if " or " in form.said else None
            yield (
                form,
                match.start(),
                also.end() if also is not None else max(end, match.end() if group == "front" else end),
            )
    yield from _pairs(text, seen)
    for pattern, said, shape, wrong in (
        (_SIZES, "WIDTHxHEIGHT", r"^\d+\s?[x×]\s?\d+$", "1920 by 1080"),
        (_RATIOS, "width:height", r"^\d+(\.\d+)?:\d+(\.\d+)?$", "1.5"),
    ):
        found = pattern.search(text)
        form = _with_options(Form(said, shape, wrong=(wrong,)), text, found.end()) if found is not None else None
        if found is not None and form is not None:
            yield form, found.start(), found.end()
    found = _DIRECTED.search(text)
    if found is not None and not _SEVERAL_PAIRS.search(text):
        by = found["by"]
        yield Form(f"field{by}asc or field{by}desc", f"^[^{by}]+{by}(asc|desc)$", wrong=("name",)), *found.span()


def _pairs(text: str, seen: set[int]) -> Iterator[tuple[Form, int, int]]:
    """Names with separators that no word for a form introduces: "owner/repo", "<name>:<tag>".

    Args:
        text: the description.
        seen: where the templates begin that were read.
    """
    pairs = _PAIRS.finditer(text)
    first = next(pairs, None)
    if first is None or _SEVERAL_PAIRS.search(text):
        return
    for match in chain((first,), pairs):
        if _EXAMPLE.search(text, max(0, match.start() - 60), match.start()):
            continue
        if _SIZES.search(match[0]) or _RATIOS.search(match[0]):
            continue  # Of numbers, which are read by themselves.
        if any(at <= match.start() < at + 80 for at in seen) or _in_one_case(text, match.start(), match.end()):
            continue
        form = _with_options(_joined(match[0]), text, match.end())
        if form is not None:
            yield form, match.start(), match.end()


def _in_one_case(text: str, start: int, end: int) -> bool:
    """True if a template is the last of several forms, or for some calls: "a bare name, or database.table", "use
    database.table for queries across databases"."""
    return _OR.search(text, max(0, start - 40), start) is not None or (
        _USE.search(text, max(0, start - 8), start) is not None and _FOR_SOME.match(text, end) is not None
    )


_OR = lazy_pattern(r"\bor\s(?:[\w-]+\s){0,3}[`'\"(]?$", re.IGNORECASE)
_USE = lazy_pattern(r"\buse\s[`'\"]?$", re.IGNORECASE)
_FOR_SOME = lazy_pattern(rf"[`'\"]?\s(?:{_MARKED}\s)?(?:for|if|to|when)\s", re.IGNORECASE)


def _with_options(form: Form, text: str, end: int) -> Form | None:
    """The form with what may follow: "<width>x<height>[,mobile][,touch]"; ``None`` if that is not clear."""
    options = _OPTIONS.match(text, end)
    if options is None:
        return form if text[end : end + 1] not in ("[", "(") else None
    if _OPTIONAL.fullmatch(options[0]):
        # "<width>x<height>[@scale]": the scale is a part of it, while ",mobile" is one of several words.
        return _with_optional(form, f"{form.said}{options[0]}", options[0])
    if _PART_OF_IT.search(options[0]):
        return None  # "[@sha256:digest]"
    each = "|".join(_plain(option) for option in options[0][1:-1].split("]["))
    return form._replace(said=f"{form.said}{options[0]}", pattern=f"{form.pattern[:-1]}({each})*$")


_PART_OF_IT = lazy_pattern(r"\[[./:#@=]")
_OPTIONS = lazy_pattern(r"(?:\[[^\[\]\s<>{}`'\"]{1,30}\]){1,8}(?=$|[\s`'\".,;)])")


def _dates(text: str) -> Iterator[tuple[Form, int, int]]:
    written = [
        match
        for match in read_dates(text)
        if not _ONE_OF_SEVERAL.search(text, max(0, match.start() - 50), match.start())
    ]
    found = dict.fromkeys(match[0].strip() for match in written)
    dates = {template: date for template in found if (date := _date_pattern(template))}
    if len(dates) == 1:
        template, pattern = next(iter(dates.items()))
        yield Form(template, f"^{pattern}$", wrong=_wrong_dates(template)), written[0].start(), written[-1].end()
    elif dates:
        # "YYYY-MM-DD or YYYY-MM": either matches; the longest comes first.
        either = "|".join(dates[template] for template in sorted(dates, key=len, reverse=True))
        yield (
            Form(" or ".join(dates), f"^(?:{either})$", wrong=_wrong_dates(next(iter(dates)))),
            written[0].start(),
            written[-1].end(),
        )


def _wrong_dates(template: str) -> tuple[str, ...]:
    """Dates and times that another convention writes."""
    if "y" not in template.lower():
        return ("9am", "9:30 am")
    timed = "h" in template.lower()
    return ("2026-01-02", "2026-01-02T09:30:00Z") if timed else ("01/02/2026", "2026-01-02", "yesterday")


_EXAMPLE = lazy_pattern(
    r"\b(?:e\.g|examples?|such as|like|i\.e)\b[^.\n]{0,50}$|\bexamples?:[^\n]{0,50}$", re.IGNORECASE
)
_ORDERED = lazy_pattern(r"[: ](?:asc|desc)$", re.IGNORECASE)
_PLAIN = ("plain", "asplain", "label", "bare")
"""The groups of what has no quotes around it."""
_OTHER_FORMAT = lazy_pattern(
    r"\b(?:output|response|result|return|returned|ssh|https?|file|export|image|video|audio|text|message|patch)\s$",
    re.IGNORECASE,
)


def _drawn(template: str, text: str, end: int, *, plain: bool) -> Form | None:
    """The format that one template stands for; ``None`` if it is not a template."""
    if _NUMBERS.fullmatch(template):
        if _ANOTHER.match(text, end):
            return None  # "2100-12-31, 23:59": one of several forms.
        pattern = re.sub(r"\d+", lambda digits: rf"\d{{{len(digits[0])}}}", template.replace(".", r"\."))
        return Form(template, f"^{pattern}$", wrong=("yesterday", "1767312000"))
    sample = _ISO_SAMPLE.fullmatch(template)
    if sample is not None and sample["time"]:
        return Form(
            template,
            r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+\-]\d{2}:?\d{2})?$",
            wrong=("2026-01-02", "yesterday"),
        )
    if _ORDERED.search(template):
        return None  # "name:asc", which is read with its other half.
    if _SEVERAL_PAIRS.search(text) and re.search(r"^[^:=]+[:=][^:=]+$", template):
        return None
    optional = _OPTIONAL.search(template)
    if optional is not None:
        form = _drawn(template[: optional.start()], text, end, plain=plain)
        return _with_optional(form, template, optional[0]) if form is not None else None
    if not _names(template) or (plain and not _marked(template)):
        return None
    # "'/org/project' or '/org/project/version'": either matches; the longest comes first.
    also = _ALSO.match(text, end)
    if also is not None and _names(also["also"]):
        one, other = _joined(template), _joined(also["also"])
        longest, shorter = sorted((one.pattern, other.pattern), key=len, reverse=True)
        if longest == shorter:
            return one._replace(said=f"{template} or {also['also']}")
        return Form(f"{template} or {also['also']}", f"^(?:{longest[1:-1]}|{shorter[1:-1]})$", wrong=one.wrong)
    return _joined(template)


_OPTIONAL = lazy_pattern(r"(?:\[[./:#@=][\w <>{}\-]{1,30}\]){1,6}$")
"""Parts at the end that may be left out, each with its separator: "groupId:artifactId[:version][:packaging]"."""


def _with_optional(form: Form, template: str, parts: str) -> Form:
    # A path has slashes of its own.
    more = "".join(
        f"({_plain(part[0])}{'.' if part[0] == '/' else f'[^{part[0]}]'}+)?" for part in parts[1:-1].split("][")
    )
    return form._replace(said=template, pattern=f"{form.pattern[:-1]}{more}$")


def _marked(template: str) -> bool:
    """True if a template without quotes is one: it has brackets, an underscore, or names that stand for something."""
    return bool(re.search(r"[<{_]|[A-Z]{2}", template)) or _PAIRS.search(template) is not None or ":" in template[1:-1]


def _names(template: str) -> bool:
    """True if a template consists of names with separators, and is neither a date nor a file nor a choice of two."""
    if _PLACE.search(template):
        return False  # Numbers, not names.
    if _date_pattern(template) or _FILE.search(template) or _ALTERNATIVES.match(template) or "://" in template:
        return False
    return bool(_WHOLE.fullmatch(template) or _BRACKETED.fullmatch(template))


_PLACE = lazy_pattern(r"\b(?:lat|lon|lng)(?:itude|g|gitude)?\b|\b(?:west|south|min_?l)", re.IGNORECASE)


def _joined(template: str) -> Form:
    """The form of names with separators: "owner/repo" is two strings without a slash, joined by one."""
    first = template[0] if template[0] in "/#@" else ""
    body = template[len(first) :]
    # "projects/PROJECT_ID": where some parts visibly stand for something, the others are meant literally.
    literal = bool(_STANDS_FOR.search(body)) and bool(re.search(r"(?:^|[./:#@=,])[a-z][a-z_]+(?:[./:#@=,]|$)", body))
    parts: list[str] = []
    marks: list[str] = []
    at = 0
    for match in _PLACEHOLDER.finditer(body):
        if match.start() > at or parts:
            marks.append(body[at : match.start()])
        parts.append(match[0])
        at = match.end()
    signs = "".join(dict.fromkeys("".join(marks)))
    loose = bool(re.search(r"[\w\-]", signs))  # Signs that names contain themselves.
    hole = ".+" if loose else f"[^{''.join(re.escape(sign) if sign in '-]^' + chr(92) else sign for sign in signs)}]+"
    out = "".join(
        (_plain(mark) if at else "")
        + (_plain(part) if literal and not _STANDS_FOR.search(part) else _NUMERIC.get(_last_word(part), hole))
        for at, (mark, part) in enumerate(zip(["", *marks], parts, strict=False))
    )
    last = parts[-1].strip("<>{}").lower() if parts else "to"
    # "FROM:TO accepts "to"" would read oddly.
    odd = last in ("to", "end") or _last_word(parts[-1]) in _NUMERIC
    wrong = ("example", "a b") if odd else (last, "example", "a b")
    return Form(template, f"^{first}{out}$", wrong=wrong)


def _last_word(part: str) -> str:
    """The last word of a name in brackets; empty if there are no brackets, where "scale:width" may be literal."""
    words = name_words(part.strip("<>{}")) if part[0] in "<{" else ()
    return words[-1] if words else ""


_NUMERIC = {
    **dict.fromkeys(("height", "port", "width"), r"\d+"),
    **dict.fromkeys(("ratio", "scale", "zoom"), r"\d+(\.\d+)?"),
}
"""The patterns for parts that are numbers, by the last word of their names."""


def _plain(text: str) -> str:
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


def _date_pattern(template: str) -> str:
    """The pattern for a date in letters; empty if the template is not a date with a year or a time."""
    out, at = [], 0
    letters = template.rstrip(".-/: ")
    if not re.search(r"[Yy]{4}", letters) and not re.fullmatch(r"[Hh]{2}:[Mm]{2}(?::[Ss]{2})?", letters):
        return ""
    while at < len(letters):
        char = letters[at]
        run = len(letters[at:]) - len(letters[at:].lstrip(char + char.swapcase()))
        if char in "YyMmDdHhSs" and char.upper() != "T":
            out.append(rf"\d{{{run}}}")
            at += run
        else:
            out.append({"T": "T", "Z": "Z", ".": r"\."}.get(char, char))
            at += 1
    # The end of a time is seldom spelled out: fractions of a second, and the time zone.
    zone = r"(\.\d+)?(Z|[+\-]\d{2}:?\d{2})?" if "T" in out and len(out) == 11 else ""
    return "".join(out) + zone if len(out) > 1 or len(letters) == _YEAR else ""


_YEAR = 4
"""Number of letters of a year: "in YYYY format"."""
