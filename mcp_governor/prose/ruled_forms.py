"""Formats that a description gives as a rule ("must not start with '-'", "starts with ou_") or a name implies.

Such a rule is about one character or a prefix, so asking for most of these patterns one by one is petty: see
``Form.widespread``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.prose.form import Form
from mcp_governor.prose.form_makers import hexadecimal
from mcp_governor.prose.guarded import Guarded
from mcp_governor.prose.words import name_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = (
    r"(?:[`'\"“(]{1,2}(?P<mark>[^\w\s`'\"()]{1,3})[`'\"”)]{1,2}|(?P<sign>@|\$|#)(?=[\s.,;)]|$)"
    r"|(?P<named>(?:forward\s)?slash|hash(?:tag)?|at\ssign|dollar\ssign|hyphen|dash|dot|period|colon|plus\ssign)\b)"
)
_SIGN_NAMES = {
    "slash": "/",
    "dot": ".",
    "period": ".",
    "hash": "#",
    "hashtag": "#",
    "at sign": "@",
    "dollar sign": "$",
    "hyphen": "-",
    "dash": "-",
} | {
    "colon": ":",
    "plus sign": "+",
}


def _alike(source: str, *, number: int) -> str:
    """The expression for a mark with its groups numbered, so that it can occur several times."""
    return re.sub(r"\?P<(\w+)>", lambda match: f"?P<{match[1]}{number}>", source)


_NOT = r"(?:must\snot|may\snot|cannot|can't|should\snot|shouldn't|do\snot|don't|not|never)"
_NOT_IN_FRONT = Guarded(
    rf"\b{_NOT}\s(?:start|begin)\swith\s(?:an?\s|the\s)?{_alike(_MARK, number=1)}"
    rf"|\b(?:no|without|omit|excluding|exclude|strip|drop)\s(?:the\s|an?\s|any\s|its\s)?(?:leading"
    rf"|initial)\s{_alike(_MARK, number=2)}"
    rf"|\b(?:without|omit|no|exclude|excluding|{_NOT}\sinclude|{_NOT}\suse)\s(?:the\s|a\s|an\s"
    rf"|any\s)?{_alike(_MARK, number=3)}\s(?:prefix|sign|symbol|character|in\sfront)"
    rf"|\bwithout\s(?:the\s|a\s)?{_alike(_MARK, number=4)}(?=[\s.,;)]|$)",
    "start with",
    "begin with",
    "leading",
    "initial",
    "without",
    "prefix",
    "sign",
    "symbol",
    "in front",
    "character",
)
_WITHOUT = Guarded(r"\bwithout\s(?:the\s|a\s)?[`'\"](?P<head>[A-Za-z][\w./\-]{0,20}[/_:])[`'\"]", "without")
_NOT_AT_END = Guarded(
    rf"\b(?:no|without|omit|excluding|exclude|strip)\s(?:the\s|an?\s|any\s)?trailing\s{_MARK}"
    rf"|\b{_NOT}\send\swith\s(?:an?\s|the\s)?{_alike(_MARK, number=2)}",
    "trailing",
    "end with",
)
_NO_SCHEME = Guarded(
    rf"\b(?:without|no|omit|exclude|excluding|{_NOT}\sinclude|not\sincluding)\s(?:the\s|a\s"
    rf"|any\s)?(?:URL\s)?[`'\"(]?(?:https?(?:://)?|scheme|protocol)\b",
    "http",
    "scheme",
    "protocol",
)
_COLONS = Guarded(r"\bwithout\s(?:the\s)?(?:colons|::?)(?=$|[\s.,;)])", "without")
_NOT_WITHIN = Guarded(
    rf"\b{_NOT}\s(?:contain|include|have|use)\s(?:any\s)?(?P<what>"
    r"white\s?space|spaces|slashes|dots|periods|commas|colons|hyphens|dashes|underscores"
    r"|semicolons)\b(?!\s(?:and|or|at|in\sfront)\b)"
    r"|\b(?:without|no)\s(?:any\s)?(?P<less>white\s?space|spaces|slashes|dots|periods|commas"
    r"|semicolons)(?=\s?(?:$|[.,;)]))"
    r"|\bcharacters?\s(?P<marks>(?:[^\w\s.,;()]\s?){1,8})\s?(?:is|are)\snot\sallowed\b",
    "space",
    "slashes",
    "dots",
    "periods",
    "commas",
    "colons",
    "hyphens",
    "dashes",
    "underscores",
    "not allowed",
)
_KINDS = {
    "whitespace": r"\s",
    "spaces": " ",
    "slashes": "/",
    "dots": ".",
    "periods": ".",
    "commas": ",",
    "colons": ":",
    "semicolons": ";",
    "hyphens": r"\-",
    "dashes": r"\-",
    "underscores": "_",
}
_QUOTED = r"[`'\"“](?P<%s>[^`'\"”\s]{1,40})[`'\"”]"
_BARE = r"(?P<%s>[A-Za-z0-9]{1,20}(?:[_\-:/]|://)[A-Za-z0-9_\-:/]{0,20}|(?-i:[A-Z])(?=[\s.,;)(]|$)|/(?=[\s.,;)(]|$))"
_SLASH = r"(?P<%s>(?:forward\s)?slash)\b"
_THAT = r"(?:(?:the|an?)\s)?(?:(?:prefix|literal|string|letter|character|scheme|protocol)\s)?"
_MORE = rf"(?:,?\s(?:or|/)\s(?:with\s)?{_QUOTED % 'more'})?"
_MORE_2 = _MORE.replace("<more>", "<more2>")
_MORE_3 = _MORE.replace("<more>", "<more3>")
# The thing itself, or its noun, begins with it; "names that begin with it" are a filter.
_SUBJECT = (
    r"(?:\b(?:must|should|always|has\sto|have\sto|needs?\sto|will|usually)\s|(?:^|[(,;:.–—-]\s?|\b(?:it|they"
    r"|which|values?)\s)(?:always\s)?"
    r"|\b(?:ids?|keys?|tokens?|names?|numbers?|sid|codes?|values?|addresse?s?|hash(?:es)?|urls?|uris?|paths?"
    r"|slugs?|identifiers?)[,:]?\s(?:\(|-\s|–\s|that\s|which\s)?)"
)
_PREFIX = Guarded(
    rf"{_SUBJECT}(?:start|begin)(?:s|ning|ing)?\swith\s{_THAT}(?:{_QUOTED % 'one'}{_MORE}|{_BARE % 'plain'}"
    rf"|{_SLASH % 'slash'})"
    rf"|\b(?:must|should|needs?\sto|has\sto)\s(?:have|include|contain|be\sgiven\swith)\s(?:an?\s"
    rf"|the\s)?leading\s(?:{_QUOTED % 'lead'}|{_SLASH % 'slash2'})"
    rf"|\bwith\s(?:an?\s|the\s)?leading\s(?:{_QUOTED % 'lead2'}|{_SLASH % 'slash3'})"
    rf"|\bprefix(?:ed)?\s(?:with|by)\s{_THAT}(?:{_QUOTED % 'two'}{_MORE_2}|{_BARE % 'plain2'})"
    rf"|\b(?:with|including|include|has|have)\s(?:the|an?|its)\s(?:either\s)?"
    rf"(?:{_QUOTED % 'three'}{_MORE_3}|{_BARE % 'plain3'})\sprefix\b"
    rf"|\bwith\s(?:the\s)?prefix\s(?:{_QUOTED % 'four'}|{_BARE % 'plain4'})",
    "start with",
    "starts with",
    "starting with",
    "begin",
    "prefix",
    "leading",
)
_FILTERS = lazy_pattern(
    r"\b(?:filter|matching|match|only\s(?:return|include|list|show)|search|starting|those|files|tables|names"
    r"|keys|objects|exclude|skip|ignore|lines|if|when|unless|whose)\s?(?:\w{1,12}\s){0,3}$",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(r"\b(?:if|when|unless|outside|depending|e\.g)\b", re.IGNORECASE)
_MEANS = lazy_pattern(r"\s?\(?(?:for|to|if|when|means?|=|in\sorder|indicates?)\b|\s?[→=]", re.IGNORECASE)
_SUFFIX = Guarded(
    r"\b(?:(?:must|should|has\sto|needs?\sto)\s(?:end|have|include|use)|always\sends?|ends|ending"
    r"|file\s?name\sends)\s(?:in|with|an?|the)\s(?:(?:an?|the)\s)?(?:(?:file\s)?(?:extension|suffix)\s)?"
    r"[`'\"(]?\.(?P<end>[a-z0-9]{2,8}(?:\.[a-z0-9]{2,5})?)\b[`'\"]?(?P<more>(?:,?\s?(?:or|/"
    r"|,)\s?[`'\"]?\.[a-z0-9]{2,8}[`'\"]?){0,6})"
    r"|\binclud(?:e|ing)\s(?:the\s)?[`'\"]?\.(?P<incl>[a-z0-9]{2,8})[`'\"]?\s(?:file\s)?(?:extension|suffix)\b",
    " .",
    "'.",
    '".',
    "`.",
    "(.",
)
_FILE = Guarded(
    r"(?:^|\b[Pp]ath\s(?:of|to|for)\s)(?:[Tt]he\s|[Aa]n?\s)?(?:[a-z]{2,12}\s){0,2}[`'\"]?\.(?P<end>[a-z][a-z0-9]{1,7})\b[`'\"]?"
    r"(?P<more>(?:(?:,\s|,?\sor\s|/)[`'\"]?\.[a-z][a-z0-9]{1,7}\b[`'\"]?){0,6})\sfile\b(?!\sor\b|s|/)",
    " .",
    ignore_case=False,
)
"""A file by its extension: "Path to the .csv or .tsv file"."""
_HIDDEN = frozenset({"aws", "env", "git", "github", "gitignore", "npmrc", "ssh", "vscode"})
"""Names of hidden files, which look like extensions."""
_ABSOLUTE = Guarded(
    r"^(?:the\s|an?\s|full\s){0,2}absolute\s(?:file\s|local\s|filesystem\s|directory\s|folder\s)?path\b(?!s)(?!\s?(?:or|/|,))"
    r"|\b(?:must|has\sto|should)\sbe\s(?:an\s)?absolute(?:\s(?:file\s|local\s)?path)?(?=\s?(?:$|[.,;)]))"
    r"|\((?:an\s|full\s)?absolute(?:\spath)?\)",
    "absolute",
)
_RELATIVE = lazy_pattern(r"\brelative\b|\bUR[LI]s?\b|://", re.IGNORECASE)
_BRANCH = lazy_pattern(r"branch|(?<![a-z])tags?(?![a-z])", re.IGNORECASE)
_OPTIONAL_END = lazy_pattern(
    r"\b(?:(?:is|are|be|gets?)\s(?:added|appended)|extension\sis\soptional|if\s(?:missing|absent)|with\sor\swithout)\b",
    re.IGNORECASE,
)
_FOLLOWED = Guarded(
    r"[`'\"](?P<head>[^`'\"\s]{2,30})[`'\"]\s(?:followed\sby|and\sthen|plus)\s(?:an?\s|the\s)?(?P<what>number"
    r"|digits|numeric|integer|[\w\s]{0,12}(?:id|name|key))",
    "followed",
    "and then",
    "plus",
)
_EXAMPLE_PREFIX = Guarded(
    r"(?:e\.?g\.?,?|such\sas|example:?|format:?|form|i\.e\.)\s?[`'\"(]{0,2}"
    r"(?P<head>refs/(?:heads|tags)/|(?:s3|gs|gcs|abfss?|hdfs|ipfs|spotify|vstfs|jdbc|file|ssh|redis|bolt|neo4j)://)",
    *("refs/", "://"),
)
_STORES = {"s3": "s3", "gcs": "gs", "gs": "gs", "google cloud storage": "gs", "vstfs": "vstfs", "ipfs": "ipfs"}
_STORE = Guarded(
    r"\b(?P<store>s3|gcs|gs|google\scloud\sstorage|vstfs|ipfs)\s(?:URI|URL|path|location)\b(?!s\b|\sor\b|/)",
    *("s3 ", "gcs ", "gs ", "storage ", "vstfs ", "ipfs "),
)
_DOMAIN = Guarded(
    r"\b(?:must\sbe|has\sto\sbe|only|needs\sto\sbe)\s(?:an?\s)?(?:(?:URLs?\s)?(?:from|on|at|within|under"
    r"|in)\s(?:the\s)?)?"
    r"(?P<host>(?:[a-z0-9\-]{1,40}\.){1,4}[a-z]{2,10})(?=\s(?:domain|URLs?|links?|pages?|host)\b)",
    "domain",
    "url",
    "link",
    "page",
    "host",
)
_SECONDS = lazy_pattern(r"\bin\s(?P<milli>milli)?seconds\b", re.IGNORECASE)
_TIMES = frozenset({"time", "timestamp", "since", "until", "date", "at", "ts", "before", "after"})
_OR = lazy_pattern(
    r"\b(?:or|and|name|id|username|domain|subject|body|template|message|alias|pattern|list)\b", re.IGNORECASE
)


def ruled_forms(text: str, name: str) -> Iterator[tuple[Form, int, int]]:
    """The formats that a description gives as a rule, or that follow from the parameter's name and a word in it, each
    with where it begins and ends.

    Args:
        text: the description of a parameter.
        name: of the parameter.
    """
    if match := _NOT_IN_FRONT.search(text):
        mark = _mark(match)
        petty = mark not in ("@", "#", "$", "/")
        yield (
            Form(f'text without a leading "{mark}"', rf"^(?!{_escaped(mark)})", petty, (f"{mark}example",)),
            *match.span(),
        )
    if match := _WITHOUT.search(text):
        head = match["head"]
        yield Form(f"text without {head} in front", f"^(?!{_escaped(head)})", wrong=(f"{head}main",)), *match.span()
    if match := _NOT_AT_END.search(text):
        mark = _mark(match)
        yield (
            Form(f'text without "{mark}" at the end', rf"(^|[^{_in_class(mark[-1])}])$", True, (f"example{mark}",)),
            *match.span(),
        )
    if (match := _NO_SCHEME.search(text)) and not _OWN_SCHEME.search(text):
        shape = r"^(?![A-Za-z][A-Za-z0-9+.\-]*://)"
        yield Form("text without https://", shape, wrong=("https://example.com",)), *match.span()
    if match := _COLONS.search(text):
        yield Form("text without colons", "^[^:]+$", True, (":example:",)), *match.span()
    if match := _NOT_WITHIN.search(text):
        kind = match["what"] or match["less"]
        marks = _KINDS[kind.lower().replace(" ", "")] if kind else "".join(map(_in_class, match["marks"].split()))
        said = f"text without {kind}" if kind else f"text without {match['marks'].strip()}"
        sample = {r"\s": "a b", r"\-": "a-b"}.get(marks, f"a{marks[-1]}b")
        yield Form(said, f"^[^{marks}]*$", True, (sample, f"a{(match['marks'] or ' ')[0]}b")), *match.span()
    yield from _ends(text, name.lower())
    if match := _EXAMPLE_PREFIX.search(text):
        head = match["head"].lower()
        # A ref may be a tag as well; a branch is none.
        head = "refs/" if head.startswith("refs") and not _BRANCH.search(f"{name} {text}") else head
        yield _front(head, petty=not head.startswith("refs")), *match.span()
    elif match := _STORE.search(text):
        yield _front(f"{_STORES[match['store'].lower()]}://", petty=True), *match.span()
    if match := _DOMAIN.search(text):
        host = match["host"]
        yield (
            Form(f"a URL of {host}", rf"^https?://{_escaped(host)}(/|$)", wrong=("https://example.com/",)),
            *match.span(),
        )
    yield from _of_name(text, name)


_OWN_SCHEME = lazy_pattern(r"\b(?:with\sor\swithout|optional(?:ly)?|either)\b", re.IGNORECASE)


def _mark(match: re.Match[str]) -> str:
    found: str = next(filter(None, match.groups()))
    named = found.lower().removeprefix("forward ")
    return _SIGN_NAMES.get(named, found)


def _front(*starts: str, petty: bool = False) -> Form:
    """The form of text that begins with one of some strings."""
    escaped = [_escaped(start) for start in dict.fromkeys(starts)]
    pattern = escaped[0] if len(escaped) == 1 else f"({'|'.join(escaped)})"
    wrong = {"refs/heads/": "main", "/": "issues"}.get(starts[0], "example")
    return Form(f"text that starts with {' or '.join(dict.fromkeys(starts))}", f"^{pattern}", petty, (wrong, "12345"))


def _ends(text: str, name: str) -> Iterator[tuple[Form, int, int]]:
    """What the text has to begin and to end with."""
    examples = text.lower().find("xample")
    for match in _PREFIX.finditer(text):
        if 0 <= examples < match.start() or "prefix" in name or _MEANS.match(text, match.end()):
            break
        # Only the words in front decide if it is the thing itself.
        words = text[max(0, match.start() - 40) : match.start() + 1]
        begin = max(text.rfind(". ", 0, match.start()), text.rfind("\n", 0, match.start()), 0)
        if _CONDITION.search(text[begin : match.start() + 1]):
            continue
        if _FILTERS.search(words) or re.match(r"\W*(?:names?|keys?)\s(?:that|which)\s", match[0], re.IGNORECASE):
            continue
        groups = match.groupdict()
        starts = ["/" if key.startswith("slash") else part for key, part in groups.items() if part]
        starts = [start.rstrip(".,;)") if len(start) > 1 else start for start in starts]
        if re.fullmatch(r"https?://?|https?:?", starts[0]):
            if _DEMANDED.match(match[0]) and starts[0].endswith("://"):
                yield from _addressed(text, match)
                break
            continue  # A URL, which its own form describes.
        if re.match(r"\sor\s(?![`'\"])", text[match.end() :]):
            continue  # "or others"
        more = _ELSE_BEGINS.search(text, match.end())
        yield _front(*starts, *([more["head"]] if more is not None else [])), *match.span()
        break
    end = _SUFFIX.search(text)
    if end is not None and not _OPTIONAL_END.search(text):
        ends = [end["end"] or end["incl"], *re.findall(r"\.([a-z0-9]{2,8})", end["more"] or "")]
        # "must end with .json, or if it is compressed, .json.gz"
        otherwise = _OR_IF.match(text, end.end())
        ends += [one.removeprefix(".") for one in _ENDINGS.findall(otherwise[0])] if otherwise is not None else []
        shape = _escaped(ends[0]) if len(ends) == 1 else f"({'|'.join(map(_escaped, ends))})"
        said = " or ".join(f".{one}" for one in ends)
        yield Form(f"text that ends in {said}", rf"\.{shape}$", wrong=("example",)), *end.span()
    file = _FILE.search(text) if end is None else None
    if file is not None and file["end"] not in _HIDDEN and not _OPTIONAL_END.search(text):
        ends = list(dict.fromkeys([file["end"], *re.findall(r"\.([a-z0-9]{2,8})", file["more"])]))
        shape = ends[0] if len(ends) == 1 else f"({'|'.join(ends)})"
        said = f"text that ends in {' or '.join(f'.{one}' for one in ends)}"
        yield Form(said, rf"\.{shape}$", True, ("example",)), *file.span()
    if (path := _ABSOLUTE.search(text)) is not None and not _RELATIVE.search(text):
        yield Form("an absolute path", r"^(/|~|[A-Za-z]:|\\\\)", True, ("data/example.txt",)), *path.span()
    both = _FOLLOWED.search(text)
    if both is not None and re.search(r"[/:_\-#]$", both["head"]):
        digits = both["what"].lower().startswith(("num", "dig", "int"))
        shape = rf"^{_escaped(both['head'])}" + (r"\d+$" if digits else "")
        said = f"{both['head']} and a number" if digits else f"text that starts with {both['head']}"
        yield Form(said, shape, wrong=("12345", "example")), *both.span()


_ELSE_BEGINS = lazy_pattern(
    r"\b(?:start|begin)(?:s|ning|ing)?\swith\s[`'\"]?(?P<head>[A-Za-z0-9]{1,20}[_\-:/][\w\-:/]{0,20})", re.IGNORECASE
)
"""What others of the same sort begin with: "Ids of tests begin with test_"."""
_DEMANDED = lazy_pattern(r"(?:must|has to|have to)\s", re.IGNORECASE)
_SCHEME = lazy_pattern(r"(?<![\w.])([a-z][a-z0-9+]{1,15})://")


def _addressed(text: str, match: re.Match[str]) -> Iterator[tuple[Form, int, int]]:
    """The form of text that has to start with https://, or with another scheme that the sentence names behind it."""
    stop = text.find(". ", match.end())
    stop = min(match.end() + 120, len(text)) if stop < 0 else min(match.end() + 120, stop)
    named = list(_SCHEME.finditer(text, match.start(), stop))
    schemes = list(dict.fromkeys(f"{one[1]}://" for one in named))
    if " or " not in text[named[-1].end() : stop]:
        yield _front(*schemes)._replace(wrong=("example.com", "example")), match.start(), named[-1].end()


_OR_IF = lazy_pattern(r",?\sor\s(?:if|when)\s[^.\n]{1,80}\s[`'\"]?(?:\.[a-z0-9]{2,8}){1,3}\b")
_ENDINGS = lazy_pattern(r"(?:\.[a-z0-9]{2,8}){1,3}\b")


def _of_name(text: str, name: str) -> Iterator[tuple[Form, int, int]]:
    words = name_words(name)
    if not words:
        return
    seconds = _SECONDS.search(text) if _TIMES.intersection(words[-1:]) else None
    if seconds is not None:
        if not _OTHER_TIME.search(text):
            unit = "milliseconds" if seconds["milli"] else "seconds"
            yield Form(f"a time in {unit}", r"^\d+$", wrong=("2026-01-02", "yesterday")), *seconds.span()
    elif (colour := _HEX.search(text)) is not None and _COLOURS.intersection(words):
        yield hexadecimal(colour, text), *colour.span()
    elif words[-1] == "cell" and (cell := _CELL.search(text)) is not None:
        yield Form("a cell such as A1", r"^(.*!)?\$?[A-Za-z]{1,3}\$?\d{1,7}$", True, ("row 1",)), *cell.span()
    elif words[-1] in ("email", "emails", "mail") and not _OR.search(text[:120].partition(".")[0]):
        yield Form("an e-mail address", r"^[^@\s]+@[^@\s]+$", True), 0, 0


_CELL = lazy_pattern(
    r"\bcells?\b[^.:\n]{0,20}(?:\be\.g\.,?|\bsuch\sas|\blike)\s[`'\"]?[A-Z]{1,2}\d{1,3}\b(?!:)", re.IGNORECASE
)
_COLOURS = frozenset({"color", "colors", "colour", "colours"})
_HEX = lazy_pattern(r"\bhex(?:adecimal)?\b", re.IGNORECASE)
_OTHER_TIME = lazy_pattern(r"\b(?:unix|epoch|posix|taken|took|elapsed|duration|how\slong)\b", re.IGNORECASE)
"""Words about a point in time that has its own form, or about a duration."""


def _escaped(text: str) -> str:
    """The text as a pattern for both ECMA 262 with the ``u`` flag and Python, with necessary escapes only."""
    return re.sub(r"([\\^$.|?*+()\[\]{}])", r"\\\1", text)


def _in_class(mark: str) -> str:
    return "".join(f"\\{sign}" if sign in "\\]^-[" else sign for sign in mark)
