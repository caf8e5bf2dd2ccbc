"""Packages of a registry: how they are named, and the command lines of uvx (``pypi:``) and npx (``npm:``)."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import MissingDependencyError, TargetError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.programs import find_program, our_interpreter, program_in
from mcp_governor.secret_detection import holds_credentials
from mcp_governor.text import one_line
from mcp_governor.versions import is_semver

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# A PyPI project name (the grammar of PEP 508) with a version (PEP 440).
_RELEASE = r"(?:\d+!)?\d+(?:\.\d+)*"
_PRE = r"(?:[-_.]?(?:alpha|a|beta|b|preview|pre|c|rc)[-_.]?\d*)?"
_POST = r"(?:-\d+|[-_.]?(?:post|rev|r)[-_.]?\d*)?"
_DEV = r"(?:[-_.]?dev[-_.]?\d*)?"
_LOCAL = r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?"
_PYPI_NAME = r"[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?"
_PYPI = lazy_pattern(
    rf"(?P<name>{_PYPI_NAME})(?P<extras>\[{_PYPI_NAME}(?:,{_PYPI_NAME})*\])?"
    rf"(?:==(?P<version>v?{_RELEASE}{_PRE}{_POST}{_DEV}{_LOCAL}))?(?::(?P<script>[a-z0-9_][\w.-]*))?",
    re.ASCII | re.IGNORECASE,
)

# An npm package with a semver version, a range with one operator, or a tag. This grammar excludes everything that npm
# would treat as a file (".", "..", "~/x", "x.tgz"), a URL or an alias.
_NUMBER = r"(?:\d+|[xX*])"
_SEMVER = rf"v?{_NUMBER}(?:\.{_NUMBER}){{0,2}}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z.-]+)?"
_NPM_WORD = r"[a-z0-9][a-z0-9._~-]*"
_NPM = lazy_pattern(
    rf"(?P<name>(?:@{_NPM_WORD}/)?[A-Za-z0-9][A-Za-z0-9._~-]*)(?:@(?P<version>[\^~]?{_SEMVER}|[A-Za-z][\w.-]*))?"
    r"(?::(?P<script>[A-Za-z0-9_][\w.-]*))?",
    re.ASCII,
)
_REQUIREMENT = lazy_pattern(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?(?:\[[A-Za-z0-9._,-]+\])?"
    r"(?: ?(?:===?|[<>!~]=|[<>]) ?[A-Za-z0-9.*!+_-]+(?:, ?(?:===?|[<>!~]=|[<>]) ?[A-Za-z0-9.*!+_-]+)*)?",
    re.ASCII,
)
_MAX_LENGTH = 214
"""Longest package name that npm accepts, in characters; PyPI does not have a longer one."""

_ARCHIVE = lazy_pattern(r"\.(?:tgz|tar|gz|bz2|xz|zip|whl)$", re.IGNORECASE)
"""Suffixes with which the runners treat a word as a file, if such a file exists in their working directory."""

# Variables with which package runners find their registry, proxy, interpreter and caches. They are listed by name and
# not by prefix, because other variables with UV_ or NPM_CONFIG_ may be tokens for publishing, and NODE_OPTIONS loads
# code.
_RUNNER_NAMES = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"),
    *("UV_INDEX", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX_STRATEGY"),
    *("UV_CACHE_DIR", "UV_NO_CACHE", "UV_CONFIG_FILE", "UV_NO_CONFIG", "UV_OFFLINE", "UV_HTTP_TIMEOUT"),
    *("UV_NATIVE_TLS", "UV_INSECURE_HOST", "UV_KEYRING_PROVIDER", "UV_LINK_MODE", "UV_EXCLUDE_NEWER", "UV_PRERELEASE"),
    *("UV_PYTHON", "UV_PYTHON_DOWNLOADS", "UV_PYTHON_INSTALL_DIR", "UV_PYTHON_INSTALL_MIRROR", "UV_PYTHON_PREFERENCE"),
    *("UV_TOOL_DIR", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_NO_PROGRESS"),
    *("PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_CERT", "PIP_CONFIG_FILE", "PIP_CACHE_DIR"),
    *("PIP_DEFAULT_TIMEOUT", "PIP_NO_INDEX", "PIP_TRUSTED_HOST", "PIPX_HOME", "PIPX_DEFAULT_PYTHON"),
)
# npm accepts these in upper and lower case.
_NPM_NAMES = frozenset(
    f"npm_config_{name}"
    for name in (
        *("registry", "userconfig", "globalconfig", "cache", "prefix", "cafile", "strict_ssl", "proxy", "https_proxy"),
        *("noproxy", "offline", "prefer_offline", "fetch_timeout", "fetch_retries", "update_notifier", "fund", "audit"),
    )
)


RUNNERS = frozenset({"npm", "npx", "pipx", "uv", "uvx"})
"""Programs that fetch a server from a registry before starting it."""


def runner_environment() -> dict[str, str]:
    """The part of our environment that uvx and npx need to reach their registries.

    The server inherits it, so variables with credentials are left out: see :func:`withheld`.
    """
    return dict(_runner_variables(credentials=False))


def withheld(given: Mapping[str, str]) -> tuple[str, ...]:
    """Variables that a runner may need but does not get, because the server would see the credentials in them.

    Args:
        given: variables that the configuration or the command line passes on by name.
    """
    return tuple(sorted(name for name, _ in _runner_variables(credentials=True) if name not in given))


def _runner_variables(*, credentials: bool) -> Iterator[tuple[str, str]]:
    for name, value in os.environ.items():
        if (name in _RUNNER_NAMES or name.lower() in _NPM_NAMES) and holds_credentials(value) is credentials:
            yield name, value


@cache
def neutral_folder() -> str:
    """The working directory of package runners: an empty folder, which this process removes at its end.

    It is not a checkout, because the runner would prefer its ``node_modules``, its ``.npmrc`` or a file with the
    package's name to the registry. It is not the home folder itself, because a server may index that
    (mcp-server-codetree reads all source files below its working directory, which took minutes). It is below the home
    folder, because npx searches all parent folders for ``node_modules``, and anybody can create one in the system's
    temporary folder.
    """
    import atexit
    from shutil import rmtree
    from tempfile import mkdtemp

    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
        return Path(our_interpreter()).anchor
    try:
        caches = home / ".cache"
        caches.mkdir(exist_ok=True)
        made = mkdtemp(prefix="mcp-governor-", dir=caches)
    except OSError:  # a read-only home folder, as in some containers
        return str(home)
    atexit.register(rmtree, made, ignore_errors=True)
    return made


def _is_name(name: str) -> bool:
    return len(name) <= _MAX_LENGTH and not _ARCHIVE.search(name)


def _is_npm(match: re.Match[str]) -> bool:
    return _is_name(match["name"]) and not _ARCHIVE.search(match["version"] or "")


class Package(Struct, frozen=True):
    """The parts of a TARGET that is a package.

    Attributes:
        scheme: ``pypi`` or ``npm``.
        name: name with extras.
        version: version, or empty.
        script: name of the script, or empty.
    """

    scheme: str
    name: str
    version: str
    script: str

    def pinned(self, version: str) -> str:
        """The TARGET for one release of the package."""
        sign = "==" if self.scheme == "pypi" else "@"
        return f"{self.scheme}:{self.name}{sign}{version}" + (f":{self.script}" if self.script else "")

    def of(self, script: str) -> str:
        """The TARGET for one script of the package."""
        version = self.version and f"{'==' if self.scheme == 'pypi' else '@'}{self.version}"
        return f"{self.scheme}:{self.name}{version}:{script}"


def package_parts(target: str) -> Package:
    """Parse ``pypi:…`` or ``npm:…``.

    Raises:
        TargetError: it is not valid.
    """
    scheme, _, spec = target.partition(":")
    match = _pypi_match(spec) if scheme == "pypi" else _npm_match(spec)
    extras = (match["extras"] or "") if scheme == "pypi" else ""
    return Package(scheme, match["name"] + extras, match["version"] or "", match["script"] or "")


def is_package(target: str | None) -> bool:
    """True if a TARGET is a package from a registry."""
    return target is not None and target.startswith(("pypi:", "npm:"))


def is_open(target: str | None) -> bool:
    """True if a TARGET is a package without a version, which stands for the newest release before ours."""
    return target is not None and is_package(target) and not package_parts(target).version


def pypi_command(spec: str, with_: Sequence[str] = (), python: str = "") -> tuple[str, ...]:
    """``NAME[==VERSION][:SCRIPT]`` → a uvx command line.

    Raises:
        TargetError: the spec or a requirement in ``with_`` is not valid.
        MissingDependencyError: uv is not installed.
    """
    match = _pypi_match(spec)
    for other in with_:
        if _REQUIREMENT.fullmatch(other) is None:
            raise TargetError(
                f'"{one_line(other, 60)}" is not a requirement.', "Write NAME or NAME<VERSION, for example mcp<2."
            )
    requirement = match["name"] + (match["extras"] or "") + (f"=={match['version']}" if match["version"] else "")
    others = [word for other in with_ for word in ("--with", other)]
    chosen = ("--python", python) if python else ()
    return (*_uvx(), *chosen, "--from", requirement, *others, match["script"] or match["name"])


def _pypi_match(spec: str) -> re.Match[str]:
    match = _PYPI.fullmatch(spec)
    if match is None or not _is_name(match["name"]):
        raise TargetError(
            f'"pypi:{one_line(spec, 60)}" is not pypi:NAME[==VERSION][:SCRIPT].', "For example: pypi:mcp-server-git"
        )
    return match


def _npm_match(spec: str) -> re.Match[str]:
    match = _NPM.fullmatch(spec)
    if match is None or not _is_npm(match):
        raise TargetError(
            f'"npm:{one_line(spec, 60)}" is not npm:NAME[@VERSION][:COMMAND].', "For example: npm:mongodb-mcp-server"
        )
    return match


def in_our_environment(name: str) -> str | None:
    """A program in our own Python environment, such as those of the extra ``run``."""
    # The one file of `make dist` has its programs next to its modules, and an interpreter that does not know them.
    folders = (os.path.dirname(our_interpreter()), str(Path(__file__).parents[2] / "bin"))  # noqa: PTH120
    return next(filter(None, (program_in(folder, name) for folder in folders)), None)


def _uvx() -> tuple[str, ...]:
    if found := in_our_environment("uvx") or find_program("uvx"):
        return (found,)
    if uv := find_program("uv"):
        return (uv, "tool", "run")
    from mcp_governor.installation import install_extra

    raise MissingDependencyError("pypi: targets run through uvx, which is not installed.", install_extra("run"))


def npm_command(spec: str, with_: Sequence[str] = ()) -> tuple[str, ...]:
    """``NAME[@VERSION][:COMMAND]`` → an npx command line.

    Raises:
        TargetError: the spec is not valid, or one of ``with_`` is not NAME[@VERSION].
        MissingDependencyError: node's npx is not installed.
    """
    match = _npm_match(spec)
    for other in with_:
        found = _NPM.fullmatch(other)
        if found is None or found["script"] or not _is_npm(found):
            raise TargetError(f'"{one_line(other, 60)}" is not NAME[@VERSION].', "Name an npm package.")
    npx = find_program("npx")
    if npx is None:
        raise MissingDependencyError(
            "npm: targets run through npx, which is not installed.",
            "Install Node.js, which brings npx: https://nodejs.org/en/download",
        )
    package = match["name"] + (f"@{match['version']}" if match["version"] else "")
    if not with_ and not match["script"]:
        return (npx, "--yes", package)
    packages = [f"--package={name}" for name in (package, *with_)]
    return (npx, "--yes", *packages, "--", match["script"] or match["name"].rpartition("/")[2])


_NAME = lazy_pattern(r"(?:@[A-Za-z0-9._~-]+/)?[A-Za-z0-9][A-Za-z0-9._~-]*(?=$|[\[@=<>!~])")


def started_package(command: Sequence[str]) -> Package | None:
    """The package that a command line starts with ``uvx`` or ``npx``, without extras and with the one release that the
    command line names, if it does; ``None`` if it starts none that is known.

    Args:
        command: the command of a stdio server, starting with the program.
    """
    if not command:
        return None
    program = PurePath(command[0]).name.removesuffix(".cmd").removesuffix(".exe")
    arguments = list(command[1:])
    if program == "uv" and arguments[:2] == ["tool", "run"]:
        program, arguments = "uvx", arguments[2:]
    if program not in ("uvx", "npx"):
        return None
    word = _package_word(arguments, program)
    name = _NAME.match(word)
    if name is None:
        return None
    # uvx takes NAME@VERSION as well.
    match = _PYPI.fullmatch(word.replace("@", "==", 1)) if program == "uvx" else _NPM.fullmatch(word)
    version = match["version"] if match is not None else None
    # A range or tag (^1.2, latest) does not name one release; npm requires all three numbers.
    exact = version if version and (program == "uvx" or is_semver(version)) else ""
    return Package("pypi" if program == "uvx" else "npm", name[0], exact, "")


def _package_word(arguments: Sequence[str], program: str) -> str:
    """The word that names the package; empty if that is unclear, because options of uvx may take values."""
    options = ("--from",) if program == "uvx" else ("-p", "--package")
    for index, argument in enumerate(arguments):
        if not argument.startswith("-"):
            # Behind other options, it may be the value of one.
            if index == 0 or program == "npx":
                return argument
            continue
        if argument in options:
            return "".join(arguments[index + 1 : index + 2])
        if argument.startswith(f"{options[-1]}="):
            return argument.partition("=")[2]
    return ""
