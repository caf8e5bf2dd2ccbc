"""Turn the output of a program that did not start as a server into a hint.

Most servers that do not start print the reason: a missing argument or variable, another script, an older SDK. This
module recognises the messages of common frameworks and says what to type next. Only names that match a strict pattern
are repeated, so that hostile output cannot get into a command.
"""

from __future__ import annotations

import re
import shlex
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from mcp_governor.wire.advice_rows import AT_WORK, INSTALLED, MODULES, NAME, PYTHON

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

_ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def advice(said: str, package: str = "", *, given: Collection[str] = (), with_: Collection[str] = ()) -> str:
    """One or two sentences about what to do next; empty if the output is not recognised.

    Args:
        said: stdout and stderr of the program.
        package: ``pypi:NAME…`` or ``npm:NAME…`` as the user wrote it, empty for a command.
        given: names of variables that the program gets already.
        with_: requirements that are installed with it already.
    """
    text = _ANSI.sub("", said)
    needed = package_of(sdk_needed(text))
    if wanted := next((one for one in with_ if package_of(one) == needed), ""):
        return f"It does not fit {shlex.quote(wanted)} either. Try another version of {package_of(wanted)}, or of it."
    return (
        _script(text, package)
        or _row(INSTALLED, text, package)
        or _registry(text, package)
        or _command(text, package)
        or _older_sdk(text, package)
        or _row(MODULES, text, package)
        or _variables(text, given)
        or _arguments(text, package)
        or _row(AT_WORK, text, package)
        or _node(text, package)
        or (_no_reason(text, package) if package else "")
    )


def installed_with(command: Sequence[str]) -> list[str]:
    """The packages that a package runner installs with a server: those of uvx, or of npx after the server's own."""
    npm = [word.partition("=")[2] for word in command if word.startswith("--package=")]
    return npm[1:] or [word for option, word in pairwise(command) if option == "--with"]


def package_of(requirement: str) -> str:
    """The package that a requirement names."""
    return re.split(r"(?<=.)@|[^@/A-Za-z0-9._-]", requirement, maxsplit=1)[0].lower()


_OF_RUNNERS = re.compile(
    r"\s*(?:npm (?:warn|WARN|notice)|warning: |(?:Installed|Resolved|Prepared|Audited) \d"
    r"|(?:Download|Build|Updat)(?:ed|ing) |Built )"
)
"""Lines of package runners, which say nothing of the server."""


def _no_reason(text: str, package: str) -> str:
    said = any(line.strip() and not _OF_RUNNERS.match(line) for line in text.splitlines())
    return _SAID if said else _NO_REASON + (_NPX_LOG if package.startswith("npm:") else "")


_ADDRESS = re.compile(r"https?://(?:127\.0\.0\.1|localhost|0\.0\.0\.0|\[::1?\])(?::\d{1,5})?(?:/[\w/-]{0,60})?")
_LISTENS = re.compile(r"(?i:\b(?:listening|running|serving|started|available)\b[^\n]{0,60}?\bport\b[ :]{1,3}(\d{2,5}))")


def serves_http(said: str) -> str:
    """A hint for a program that listens on a port instead of reading stdin; empty if its output names no port."""
    text = _ANSI.sub("", said)
    addresses = _ADDRESS.findall(text)
    where = next((found for found in addresses if found.endswith(("/mcp", "/sse"))), "".join(addresses[:1]))
    if not where and (match := _LISTENS.search(text)):
        where = f"http://127.0.0.1:{match[1]}/mcp"
    if not where:
        return ""
    return (
        f"It seems to serve HTTP at {where} and nothing on stdin. Start it by hand and use that address as the "
        "TARGET, or pass the argument that makes it speak stdio."
    )


STILL_INSTALLING = (
    "It may still be installing. Run it again, because what is downloaded is kept, or raise --timeout; if that changes "
    "nothing, run it by hand to see what it waits for."
)
_SAID = "Its output says why it ended; its documentation may say what it needs."
_NO_REASON = (
    "Servers that exit at once usually need arguments (write them after --) or variables (--env NAME). See its "
    "documentation, or start it by hand."
)
_NPX_LOG = " npx ends like this, too, if an install script fails; its log then says which: the newest in ~/.npm/_logs"


def _with(requirement: str, package: str) -> str:
    """How to install another package together with the server."""
    if package.startswith("pypi:"):
        return f"Add: --with '{requirement}' (in the configuration: with = [\"{requirement}\"])"
    return f"Install '{requirement}' where it runs; with uvx: uvx --with '{requirement}' …"


def _base(package: str) -> str:
    """A package without the name of a script."""
    scheme, _, rest = package.partition(":")
    return f"{scheme}:{rest.partition(':')[0]}"


_SCRIPTS = re.compile(
    rf"executables? named [`'\"]{NAME}[`'\"] is not provided by package [`'\"]({NAME})[`'\"]"
    rf"(?:[^\n]*\n){{1,3}}?((?:[ ]*-[ ]{NAME}[^\n]*(?:\n|$)){{1,40}})"
)
_SCRIPT = re.compile(rf"- ({NAME})")


def scripts_named(said: str) -> list[str]:
    """The scripts of a package that has none of the name that was asked for; empty if that is not the trouble."""
    match = _SCRIPTS.search(_ANSI.sub("", said))
    return _SCRIPT.findall(match[2]) if match else []


def main_script(scripts: Collection[str]) -> str:
    """The only script, or the one that the names of all others extend (``x-cli`` and ``x-doctor`` extend ``x``)."""
    shortest = min(scripts, key=len, default="")
    others = [name for name in scripts if name != shortest]
    return shortest if all(name.startswith((f"{shortest}-", f"{shortest}_")) for name in others) else ""


def _script(text: str, package: str) -> str:
    if match := _SCRIPTS.search(text):
        start = _base(package) if package.startswith("pypi:") else ""
        return scripts_offered(
            [f"{start}:{script}" if start else f"uvx --from {match[1]} {script}" for script in scripts_named(text)]
        )
    return ""


def scripts_offered(ways: Sequence[str]) -> str:
    """The hint to name one of the scripts of a package.

    Args:
        ways: how each is named.
    """
    return f"Use {'its script' if len(ways) == 1 else 'one of its scripts'}: {' or '.join(ways[:8])}"


def python_needed(said: str) -> str:
    """The Python version that a package asks for, if it is not that of this machine; empty otherwise."""
    match = PYTHON.search(_ANSI.sub("", said))
    return match["needed"] if match else ""


_NODE_STATED = re.compile(
    r"(?:[Rr]equires? Node(?:\.js)?(?: version)? |Node(?:\.js)? version )((?:>=|\^|v|~)? ?\d[\d.]*)"
)
_NODE_ENGINE = re.compile(
    r"EBADENGINE +package: '(?P<package>[^'\n]{1,220})@[^'@\n]{1,80}',\n"
    r"[^\n]*EBADENGINE +required: \{ node: '(?P<node>(?:>=|\^|~)? ?\d[\d.]*)"
)
_NODE_LACKS = re.compile(
    r"No such built-in module: node:|ReferenceError: \w+ is not defined|SyntaxError: |ERR_REQUIRE_ESM"
    r"|TypeError: [\w.]+ is not a function|ERR_UNKNOWN_BUILTIN_MODULE"
)
"""What a program says that uses more than this Node.js has."""


def _node_asked(text: str, package: str) -> str:
    """The Node.js that a package asks for. npm warns about the engines of packages that work, too: that of a
    dependency counts only if something is missing that an engine brings."""
    if "equire" in text and (match := _NODE_STATED.search(text)):
        return match[1].strip()
    engines = list(_NODE_ENGINE.finditer(text))
    if not _NODE_LACKS.search(text):
        engines = [one for one in engines if one["package"].lower().replace("_", "-") == _bare(package)]
    return engines[0]["node"] if engines else ""


def _node(text: str, package: str) -> str:
    if wanted := _node_asked(text, package):
        return f"It asks for Node.js {wanted}. Install that version and put it first in PATH."
    return ""


_NODE_HERE = re.compile(r"^\s*Node\.js v(\d+)\.(\d+)\.(\d+)\s*$", re.MULTILINE)
_NODE_FROM = re.compile(r"(?:>=|\^|~|v)? ?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?(?:\.x)?")


def node_needed(said: str, package: str, engine: Callable[[], str] = str) -> str:
    """The major version of Node.js that a package needs, if it failed for the lack of it; empty otherwise.

    Args:
        said: its output.
        package: its target.
        engine: asks what its author wrote (``>=24.12``), for a package that npm has kept from an earlier start: of that
            it does not warn again.
    """
    text = _ANSI.sub("", said)
    lacks = _NODE_LACKS.search(text)
    wanted = _node_asked(text, package) if lacks or _NODE_STATED.search(text) else ""
    if not wanted and lacks and (here := _NODE_HERE.search(text)) and (least := _NODE_FROM.fullmatch(engine().strip())):
        newer = tuple(int(part or 0) for part in least.groups()) > tuple(map(int, here.groups()))
        wanted = least[0] if newer else ""
    return wanted.lstrip(">=^~v ").partition(".")[0]


_NO_PACKAGE = re.compile(
    rf"(?P<pypi>{NAME}) was not found in the package registry|npm (?:error|ERR!) code E404"
    rf"(?:[^\n]*\n){{1,8}}?[^\n]{{0,80}}404 [^\n']{{0,300}}'(?P<npm>(?:@{NAME}/)?{NAME})@|npm (?:error|ERR!) code E404"
)
_NO_VERSION = re.compile(rf"there is no version of {NAME}|npm (?:error|ERR!) code ETARGET|No matching version found")


def _bare(package: str) -> str:
    """The name of a package without scheme, version, extras and script."""
    return package_of(package.partition(":")[2]).replace("_", "-")


def _registry(text: str, package: str) -> str:
    name = shlex.quote(package or "it")
    if match := _NO_PACKAGE.search(text):
        missing = match["pypi"] or match["npm"] or ""
        if missing and package and missing.lower().replace("_", "-") != _bare(package):
            return f"The registry does not have {missing}, which it depends on. Try another version of it."
        return f"The registry does not have this package. Check the spelling of {name} and the configured registry."
    if _NO_VERSION.search(text):
        return "The registry does not have this version. Check it, or leave it out for the latest one."
    return ""


_NO_COMMAND = re.compile(
    # of npx, and of the shell that it starts
    r"could not determine executable to run|sh: (?:\d+: |line \d+: )?[\w@./-]+: (?:command )?not found"
)


def lacks_command(said: str) -> bool:
    """True if npx does not find the command that it starts in a package."""
    return _NO_COMMAND.search(_ANSI.sub("", said)) is not None


def _command(text: str, package: str) -> str:
    if not lacks_command(text):
        return ""
    if package.startswith("npm:"):
        base = _base(package)
        name = base.removeprefix("npm:")
        return (
            f"It has no command with the package's name. List its commands with: npm view {name} bin; "
            f"then write {base}:COMMAND"
        )
    return "The package has no command with this name. List its commands with: npm view NAME bin"


_SDK_MODULE = re.compile(
    r"No module named '(mcp|fastmcp)\.|cannot import name '\w+' from '(mcp|fastmcp)['.]"
    r"|module '(mcp|fastmcp)[\w.]*' has no attribute"
)
_SDK_CLASS = re.compile(
    r"AttributeError: '(?:Server|FastMCP|MCPServer|ServerSession|RequestContext)' object has no attribute"
    r"|'Server' object has no attribute '(?:list_|call_|get_|read_)\w+'"
    r"|TypeError: (?:Server|FastMCP|MCPServer|ServerSession|Tool)\.\w+\(\) (?:got an unexpected|missing|takes)"
    r"|pin '?mcp<2"
)
_LOWER = {"mcp": "mcp<2", "fastmcp": "fastmcp<3"}


def sdk_needed(said: str) -> str:
    """The requirement for the version of an MCP SDK that a server was written for; empty if that is not the trouble."""
    text = _ANSI.sub("", said)
    if "No module named 'mcp.server.mcpserver'" in text:
        return "mcp>=2"
    if match := _SDK_MODULE.search(text):
        return _LOWER[next(filter(None, match.groups()))]
    if _SDK_CLASS.search(text):
        return _LOWER["fastmcp" if "import fastmcp" in text or "from fastmcp" in text else "mcp"]
    return ""


def _older_sdk(text: str, package: str) -> str:
    wanted = sdk_needed(text)
    if not wanted:
        return ""
    sdk, age = wanted.rstrip("0123456789<>="), "a newer" if ">" in wanted else "an older"
    return f"It was written for {age} version of {sdk} than the one installed with it. {_with(wanted, package)}"


_NOT_INSTALLED = re.compile(
    r"No module named|ModuleNotFoundError|ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:module|package)"
    r"|: not found$|command not found|(?m:^\s*error: )|npm (?:error|ERR!)|is not installed|virtual environment"
)


def lacks_environment(said: str) -> bool:
    """True if a program did not start because something is not installed or built in its environment."""
    return _NOT_INSTALLED.search(_ANSI.sub("", said)) is not None


_RUNNER_FAILS = re.compile(
    r"Request failed after \d+ retries|(?:error|cause|Caused by): Failed to (?:download|fetch)\b"
    r"|No interpreter found for|npm (?:error|ERR!) code E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|CONNRESET|TIMEDOUT)"
)


def runner_fails(said: str) -> bool:
    """True if a package runner cannot fetch what it needs, whatever it is to start."""
    return _RUNNER_FAILS.search(_ANSI.sub("", said)) is not None


_ERROR_LINE = re.compile(
    r"^\s*(?:[\w.]*(?:Error|Exception)\b|[Ee]rror\b|ERROR\b|[Ff]atal\b|[\w./-]{1,80}: (?:error|fatal):)", re.MULTILINE
)


def error_line(said: str) -> str:
    """The last line that looks like an error, or else the last line, with its first and its last cause; empty without
    output."""
    lines = [line.strip() for line in _ANSI.sub("", said).splitlines() if line.strip()]
    for form, order in ((_ERROR_LINE, reversed(lines)), (_USAGE, lines)):
        if found := next(filter(form.match, order), ""):
            causes = list(takewhile(_CAUSE.match, lines[lines.index(found) + 1 :]))
            return "; ".join(dict.fromkeys((found, *causes[:1], *causes[-1:])))
    return lines[-1] if lines else ""


_CAUSE = re.compile(r"cause: |Caused by: ")
_USAGE = re.compile(r"\s*usage\b", re.IGNORECASE)


def _row(rows: Sequence[tuple[re.Pattern[str], str]], text: str, package: str) -> str:
    """The sentence of the first row whose expression is in a program's output."""
    for form, words in rows:
        if match := form.search(text):
            found = match.groupdict()
            return words.format(
                **found,
                add=_with(found.get("name", ""), package),
                other=_other(package),
                option="--with" if package.startswith("pypi:") else "uvx --with",
            )
    return ""


_VERSION = re.compile(r"(?<=[^:])(?:@[^@/]*|==.*)$")


def _other(package: str) -> str:
    if not package:
        return ""
    return f": {_VERSION.sub('', _base(package))}{'==' if package.startswith('pypi:') else '@'}VERSION"


_ASKS = re.compile(
    r"environment|\benv\b|[Rr]equire|REQUIRED|[Mm]issing|\b[Nn]ot (?:set|provided|found|defined|specified|configured)"
    r"|\bunset\b|[Pp]lease (?:set|provide|export)|\b(?:must|need)|\bundefined\b|\bSet\b|is empty|No \w+"
)
_VARIABLE = re.compile(
    r"(?<![\w./\\-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w(])",
)
_FIELD = re.compile(r"(?m)^([A-Za-z][A-Za-z0-9_]{2,60})\n[ ]+(?:Field required|Input should)")
"""A variable of pydantic's settings."""

_MISSING = re.compile(
    r"(?:KeyError: '|\"path\": ?\[\s{0,20}\"|(?:environment variable|env var)s?:? [`'\"]?)([A-Z][A-Z0-9_]{2,60})\b"
    r"|\b([A-Z][A-Z0-9_]{2,60})[`'\"]? (?:environment variable|env var)"
)
"""A variable that a program names as such: of ``os.environ``, zod, or a sentence."""
_LISTED = re.compile(r"[\s*•-]{1,12}[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_READ = re.compile(r"\bos\.(?:getenv\(|environ\.get\()['\"]([A-Z][A-Z0-9_]{2,60})['\"]")
"""A variable in the line of a traceback that takes it for a number or a string."""

_NO_VARIABLES = ("ERR_", "MODULE_NOT_FOUND", "E_", "UV_", "NPM_", "NODE_", "UND_ERR", "SIG")
_MAX_LENGTH = 60
"""Longest variable name, in characters; a longer word is something else."""

_NAMED = 3
"""Most variables that a hint names; the server asks for the others when these are set."""


def asked_variables(said: str, *, given: Collection[str] = ()) -> tuple[list[str], bool]:
    """The first few variables that a program asks for, and true if one of them is enough.

    Args:
        said: stdout and stderr of the program.
        given: names of variables that the program gets already.
    """
    text = _ANSI.sub("", said)
    found: dict[str, None] = {}
    one_is_enough = False
    listing = False
    for line in text.splitlines():
        # A list below the line that asks: a variable on each line.
        listing = listing and _LISTED.match(line) is not None
        if (listing or _ASKS.search(line)) and not line.lstrip().startswith(("at ", "File ", "raise ")):
            named = list(_VARIABLE.finditer(line))
            between = " ".join(line[one.end() : other.start()] for one, other in pairwise(named))
            one_is_enough = (one_is_enough or not found) and "or" in between.split()
            found.update(dict.fromkeys(match[1] for match in named))
            listing = listing or line.rstrip().endswith(":")
    if "ettings" in text:
        found.update(dict.fromkeys(name.upper() for name in _FIELD.findall(text)))
    found.update(dict.fromkeys(match[1] or match[2] for match in _MISSING.finditer(text)))
    if "NoneType" in text:
        found.update(dict.fromkeys(_READ.findall(text)))
    names = [
        name for name in found if len(name) <= _MAX_LENGTH and not name.startswith(_NO_VARIABLES) and name not in given
    ][:_NAMED]
    return names, one_is_enough and len(names) > 1


def _variables(text: str, given: Collection[str]) -> str:
    """The hint to pass variables on; if a line names alternatives, one of them is enough."""
    names, one_is_enough = asked_variables(text, given=given)
    if not names:
        return ""
    asked = _listed(names)
    if one_is_enough:
        asked, names = " or ".join(names), names[:1]
    options = " ".join(f"--env {name}" for name in names)
    table = ", ".join(f'{name} = "${name}"' for name in names)
    which = "one" if one_is_enough else "it" if len(names) == 1 else "them"
    return (
        f"It asks for {asked}. Servers get no variables but those that are named: "
        f"set {which} and add {options} (in the configuration: env = {{ {table} }})"
    )


_FLAG = r"\b(?:[Pp]rovide|[Ss]pecify|[Pp]ass|[Ss]upply|[Uu]se)\b[^\n]{0,80}?[ '\"`(](--[A-Za-z][\w-]{1,40})"
_NEEDS_ARGUMENTS = re.compile(
    r"arguments? (?:are|is) required|[Mm]issing (?:required )?(?:argument|option|parameter)"
    r"|required (?:option|argument)|command[- ]line argument|as an argument|[Nn]ot enough (?:non-option )?arguments"
    rf"|(?im:^\s*usage\b)|{_FLAG}"
)
_REQUIRED = re.compile(
    r"arguments are required: ([\w<>\[\]{}|/=, -]{1,120})|[Mm]issing (?:required )?(?:option|argument)s?:? ['\"`]?"
    r"(--[\w-]{1,40}|[A-Za-z_<>][\w<>-]{0,40})|required (?:option|argument) ['\"`](--[\w-]{1,40})"
    rf"|{_FLAG}"
)


_SERVES = re.compile(
    rf"\b[Rr]un:? [`'\"]?{NAME} ((?:--)?[a-z][a-z0-9-]{{0,30}})[`'\"]? "
    r"to (?:start|run|launch) (?:the|an) (?:MCP )?server"
)


def needs_arguments(said: str) -> bool:
    """True if a program ended because it needs arguments."""
    return _NEEDS_ARGUMENTS.search(_ANSI.sub("", said)) is not None


def _arguments(text: str, package: str) -> str:
    way = f"{package} -- " if package else "-- COMMAND "
    if match := _SERVES.search(text):
        return f"It serves with an argument, as its output says: {way}{match[1]}"
    if not needs_arguments(text):
        return ""
    match = _REQUIRED.search(text)
    wanted = next(filter(None, match.groups())).strip() if match else ""
    asks = f"It needs arguments ({wanted})." if wanted else "It seems to need arguments."
    shown = " ".join(f"{word} …" if word.startswith("-") else word.upper() for word in wanted.replace(",", " ").split())
    table = ' (in the configuration: args = ["…"])' if package else ""
    return f"{asks} Write them after --: {way}{shown or 'ARGUMENTS'}{table}"


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
