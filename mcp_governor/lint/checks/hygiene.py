"""Text that has no business in a description. Hygiene, not attack detection: regular expressions find no attacker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from mcp_governor.lint.context import Context, Hit, hit
from mcp_governor.text import char_name
from mcp_governor.vocabulary import join_pointer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.surface.model import Surface

PROSE_KEYS = ("title", "description", "$comment", "markdownDescription")

_HIDDEN = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
_JOINERS = "\u200c\u200d"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_PSEUDO_TAG = re.compile(
    r"</?(?:system|important|assistant|user|admin|secret|hidden|prompt)(?:\s[^<>\n]{0,80})?/?>",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--")
_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|every)\s+){0,2}"
    r"(?:previous|prior|above|earlier|preceding|system)\s+(?:instructions?|prompts?|rules|messages|directives?)\b",
    re.IGNORECASE,
)
_CONCEAL = re.compile(
    r"\b(?:do not|don't|don’t|never)\s+(?:tell|inform|mention|reveal|disclose|notify|alert)\b[^.\n]{0,40}\buser\b"
    r"|\bwithout\s+(?:telling|informing|notifying|alerting)\s+the\s+user\b"
    r"|\bthe user (?:must|should) not (?:know|see|notice)\b",
    re.IGNORECASE,
)
_SENSITIVE_PATH = re.compile(
    r"~/\.(?:ssh|aws|gnupg|kube|netrc|npmrc|docker)\b|\bid_(?:rsa|ed25519|ecdsa)\b|/etc/(?:passwd|shadow|sudoers)\b",
    re.IGNORECASE,
)
_SECRET = re.compile(
    r"\bsk-(?:ant-|proj-)?[A-Za-z0-9_\-]{24,}|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bAKIA(?![A-Z0-9]{9}EXAMPLE)[0-9A-Z]{16}\b"
    r"|\bxox[baprs]-[0-9A-Za-z\-]{20,}|\bAIza[0-9A-Za-z_\-]{35}\b|-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----"
    r"|\beyJ[A-Za-z0-9_\-]{10,}\.eyJ[A-Za-z0-9_\-]{10,}\.[A-Za-z0-9_\-]{10,}"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_ORDER = re.compile(
    r"\b(?:you\s+)?must\s+(?:always\s+)?(?:first\s+)?(?:call|use|invoke|run)\b|\balways\s+(?:call|use|invoke|run)\s+(?:this|it)\b"
    r"|\b(?:call|use|run|invoke)\s+this\s+(?:tool\s+)?(?:first|before (?:any|all|every))\b",
    re.IGNORECASE,
)
_CAPITALS = re.compile(r"\b(?:IMPORTANT|CRITICAL|MUST|MANDATORY|NEVER|ALWAYS|REQUIRED ACTION)\b")
_ALL_TOOLS = re.compile(
    r"\b(?:before|after|when(?:ever)?|instead of|rather than)\s+(?:using\s+|calling\s+|invoking\s+)?"
    r"(?:any|all|every|each)\s+(?:of\s+the\s+)?(?:other|subsequent|further)\s+(?:tools?|tool calls?|functions?)\b",
    re.IGNORECASE,
)


class Prose(NamedTuple):
    """One text of a surface: whose, where, and what it says."""

    tool: str | None
    path: str
    text: str


def prose(context: Context) -> list[Prose]:
    """Every text that is written for a model: titles, descriptions, instructions."""
    made: list[Prose] = context.facts.memo("prose", lambda: list(_prose(context)))
    return made


def _prose(context: Context) -> Iterator[Prose]:
    if context.surface.instructions:
        yield Prose(None, "/instructions", context.surface.instructions)
    yield from _tool_prose(context)
    for path, text in _sibling_strings(context.surface):
        if path.rpartition("/")[2] in PROSE_KEYS:
            yield Prose(None, path, text)


def _tool_prose(context: Context) -> Iterator[Prose]:
    for tool in context.surface.tools:
        for path, holder in (("", tool.raw), ("/annotations", tool.annotations)):
            for key in ("title", "description"):
                if isinstance(holder.get(key), str):
                    yield Prose(tool.name, f"{path}/{key}", holder[key])
        for node in context.facts.nodes(tool):
            if isinstance(node.schema, dict):
                for key in PROSE_KEYS:
                    if isinstance(node.schema.get(key), str):
                        yield Prose(tool.name, f"{node.pointer}/{key}", node.schema[key])


def _sibling_strings(surface: Surface) -> Iterator[tuple[str, str]]:
    """Every string of the lists beside the tools, with its pointer into the surface."""
    yield from strings(list(surface.prompts), "/prompts")
    yield from strings(list(surface.resources), "/resources")
    yield from strings(list(surface.templates), "/resourceTemplates")


def strings(value: Any, pointer: str = "") -> Iterator[tuple[str, str]]:
    """Every string in a JSON value, keys included, with its pointer."""
    stack: list[tuple[str, Any]] = [(pointer, value)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, str):
            yield here, item
        elif isinstance(item, dict):
            for key, below in reversed(item.items()):
                stack.append((join_pointer(here, key), below))
                if not key.isascii():
                    stack.append((join_pointer(here, key), key))
        elif isinstance(item, list):
            stack.extend((f"{here}/{number}", item[number]) for number in range(len(item) - 1, -1, -1))


def _everything(context: Context) -> list[Prose]:
    """Every string of the surface, names, enum values and defaults included."""

    def make() -> list[Prose]:
        surface = context.surface
        out = [Prose(tool.name, path, text) for tool in surface.tools for path, text in strings(tool.raw)]
        if surface.instructions:
            out.append(Prose(None, "/instructions", surface.instructions))
        out.extend(Prose(None, path, text) for path, text in _sibling_strings(surface))
        return out

    made: list[Prose] = context.facts.memo("every-string", make)
    return made


def hidden_characters(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No character that a reader cannot see and a model can."""
    for tool, path, text in _everything(context):
        if text.isascii():
            continue
        found = [match.group() for match in _HIDDEN.finditer(text) if not _is_writing(text, match.start())]
        if found:
            yield hit(path, text, tool=tool, found=", ".join(char_name(char) for char in dict.fromkeys(found)))


def _is_writing(text: str, position: int) -> bool:
    """Joiners within words of scripts that need them, and within emoji, are how these are written."""
    before = text[position - 1] if position else ""
    char = text[position]
    if char in _JOINERS:
        return bool(before) and not before.isascii()
    if 0xE0020 <= ord(char) <= 0xE007F:
        # A flag of a region is a black flag, then tag letters.
        start = position
        while start and 0xE0020 <= ord(text[start - 1]) <= 0xE007F:
            start -= 1
            if position - start > 8:
                return False
        return start > 0 and text[start - 1] == "\U0001f3f4"
    return False


def control_characters(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No control characters but tab and line ends, and so no terminal sequences."""
    for tool, path, text in _everything(context):
        if text.isprintable():
            continue
        found = dict.fromkeys(_CONTROL.findall(text))
        if found:
            yield hit(path, text, tool=tool, found=", ".join(f"U+{ord(char):04X}" for char in found))


def _matching(pattern: re.Pattern[str], texts: list[Prose]) -> Iterator[Hit]:
    for tool, path, text in texts:
        match = pattern.search(text)
        if match is not None:
            yield hit(path, text, tool=tool, found=match.group())


def pseudo_tags(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No markup that imitates the roles of a conversation."""
    yield from _matching(_PSEUDO_TAG, prose(context))


def comments(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No HTML comments, which a rendered page hides."""
    yield from _matching(_COMMENT, prose(context))


def override_phrases(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No phrase that asks to ignore what came before."""
    yield from _matching(_OVERRIDE, prose(context))


def concealment(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No phrase that asks to keep something from the user."""
    yield from _matching(_CONCEAL, prose(context))


def sensitive_paths(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No path to where keys and passwords are kept."""
    yield from _matching(_SENSITIVE_PATH, prose(context))


def secret_literals(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No literal of a credential, whose value is not shown either."""
    for tool, path, text in _everything(context):
        match = _SECRET.search(text)
        if match is not None:
            yield hit(path, text, tool=tool, found=f"{match.group()[:4]}… ({len(match.group())} characters)")


def base64_runs(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No long run of base64, which nobody can read in a review."""
    for tool, path, text in prose(context):
        for match in _BASE64.finditer(text) if len(text) >= 40 else ():
            run = match.group()
            # Words, hex digests and paths also make long runs; base64 mixes everything.
            if _is_base64(run):
                yield hit(path, text, tool=tool, found=f"{run[:12]}…", length=len(run))
                break


def _is_base64(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    mixed = all(any(kind(char) for char in run) for kind in kinds)
    return mixed and max(map(len, run.split("/"))) >= 24


def mandatory_order(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No order to call a tool, where a situation would do."""
    yield from _matching(_ORDER, prose(context))


def capitals(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No words in capitals to make a model obey."""
    yield from _matching(_CAPITALS, prose(context))


def cross_tool_commands(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No rule about all other tools."""
    yield from _matching(_ALL_TOOLS, prose(context))


def white_space(_surface: Surface, context: Context) -> Iterator[Hit]:
    """No run of white space that pushes text out of sight."""
    most = context.options["max"]
    pattern = re.compile(rf"[^\S\n]{{{most + 1}}}|\n(?:[^\S\n]*\n){{4}}")
    for tool, path, text in prose(context):
        match = pattern.search(text)
        if match is not None:
            yield hit(path, text, tool=tool, length=len(match.group()))
