"""How mcp-governor is installed: the one place that spells it, for messages, for files that ``init`` writes, for pages.

The package index has a 0.0.0 of this name that is a placeholder and not this program. Until a release replaces it,
a bare ``pip install`` of the name gets that placeholder, so nothing may print one. Messages and ``init`` go by what
this installation says of itself (PEP 610); pages go by :data:`SOURCE`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from mcp_governor._version import __version__
from mcp_governor.frozen import frozen
from mcp_governor.programs import find_program

NAME = "mcp-governor"

SOURCE = "/path/to/mcp-governor"
"""Where readers of the pages get mcp-governor: the folder of their clone, because there is no public address yet.

Change it to ``git+https://HOST/PATH`` when the repository is public, and to :data:`NAME` when a release is on the
package index; then run ``make docs``. Nothing else in the tree spells an installation
(``tests/integration/test_installation.py``).
"""

REQUIRED = {"inprocess": "mcp>=1.9", "run": "uv>=0.9", "serve": "mcp>=2.1"}
"""What each extra adds, as ``pyproject.toml`` declares it; a missing one can be installed by itself."""

VARIABLE = "MCP_GOVERNOR"
"""The variable that says where CI gets mcp-governor, where ``init`` does not know an address that others can reach."""


@frozen
class Origin:
    """Where this installation came from.

    Attributes:
        url: what pip was given: ``git+https://…``, an archive, or ``file://…``; empty: the package index.
        commit: the commit of a git address; empty elsewhere.
    """

    url: str
    commit: str = ""

    @property
    def folder(self) -> Path | None:
        """The local folder or wheel; ``None`` where it came from elsewhere."""
        if not self.url.startswith("file:"):
            return None
        from urllib.request import url2pathname

        return Path(url2pathname(urlsplit(self.url).path))


def origin() -> Origin:
    """Where the installed package came from (``direct_url.json``, PEP 610); a source tree that is only on the path is
    its own origin."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        recorded = distribution(NAME).read_text("direct_url.json")
        found = json.loads(recorded) if recorded else {}
    except PackageNotFoundError:
        return Origin(Path(__file__).resolve().parent.parent.as_uri())
    except ValueError:
        found = {}
    if not isinstance(found, dict) or not isinstance(found.get("url"), str):
        return Origin("")
    git = found.get("vcs_info")
    if not isinstance(git, dict) or git.get("vcs") != "git":
        return Origin(found["url"])
    return Origin(f"git+{found['url']}", str(git.get("commit_id", "")))


def requirement(where: Origin, *extras: str) -> str | None:
    """What pip or uv can install on another machine to get this mcp-governor.

    Args:
        where: as :func:`origin` says, or with the address of the clone's remote.
        extras: names from :data:`REQUIRED`.

    Returns:
        A requirement; ``None`` where only this machine has the source.
    """
    wanted = f"{NAME}[{','.join(extras)}]" if extras else NAME
    if not where.url or (where.folder is not None and SOURCE == NAME):
        return f"{wanted}~={__version__}"
    if where.folder is not None:
        return None
    return f"{wanted} @ {_public(where.url)}{f'@{where.commit}' if where.commit else ''}"


def git_address(remote: str) -> str | None:
    """The address of a git remote as pip takes it; ``None`` where it is a folder of this machine.

    ``git@HOST:PATH`` becomes ``https://HOST/PATH``: CI has no key for the other, and forges answer both.
    """
    short = re.fullmatch(r"(?:[\w.-]+@)?([\w-]+\.[\w.-]+):(?!/)(\S+)", remote)
    if short is not None:
        return f"git+https://{short[1]}/{short[2]}"
    parts = urlsplit(remote)
    return f"git+{_public(remote)}" if parts.scheme in ("https", "http", "ssh") and parts.hostname else None


def _public(url: str) -> str:
    """Without a password, or a token in the place of a user. ``git@`` of an ssh address is neither."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    kept = f"{user}{at}" if parts.scheme.endswith("ssh") and ":" not in user else ""
    return urlunsplit((parts.scheme, f"{kept}{host}", parts.path, "", ""))


def install_extra(extra: str) -> str:
    """The hint of a message that misses what an extra brings; it works however mcp-governor was installed.

    Args:
        extra: a name from :data:`REQUIRED`.
    """
    wanted = f"'{REQUIRED[extra]}'"
    if any(part.startswith("archive-v") for part in Path(sys.prefix).parts):  # the throw-away environment of uvx
        return f"Run it with: uvx --with {wanted} --from …"
    return f"Install it in the environment of {NAME}: {_installer()} {wanted}"


def _installer() -> str:
    """The command that installs into the environment of this process, whatever environment the shell is in."""
    from importlib.util import find_spec

    here = Path(sys.executable).parent
    if (pip := find_program("pip")) and Path(pip).parent == here:
        return "pip install"
    if find_spec("pip") is not None:
        return f"{sys.executable} -m pip install"
    return f"uv pip install --python {sys.executable}"


def upgrade() -> str:
    """The hint of a message that needs a newer version."""
    where = origin()
    if where.folder is not None:
        return f"Install a newer {NAME}; this one was installed from {where.folder}."
    newest = f"{NAME} @ {_public(where.url)}" if where.url else NAME
    return f"Install a newer {NAME}: {_installer()} --upgrade '{newest}'"


def as_documented(page: str) -> str:
    """A page with every installation spelled as :data:`SOURCE` has it.

    Args:
        page: Markdown that may say ``uvx mcp-governor``, ``pip install "mcp-governor[run]"`` or, for pre-commit,
            ``additional_dependencies: ["mcp-governor"]``, with any source.
    """
    page = _RUN.sub(lambda _: f"uvx {NAME}" if SOURCE == NAME else f"uvx --from {SOURCE} {NAME}", page)
    page = _INSTALL.sub(lambda found: f"{found['before']}{_documented(found['extras'] or '')}", page)
    return _HOOK.sub(lambda found: f'{found["before"]}["{_documented("").strip(chr(34))}"]', page)


_SPELLED = r"(?:[^\s\"'`]*/)?mcp-governor(?P<extras>\[[\w,-]+\])?(?:~=[\w.]+| @ [^\s\"'`]+)?"
_RUN = re.compile(r"\buvx (?:--from \S+ )?mcp-governor(?![\w-])")
_INSTALL = re.compile(rf"(?P<before>\b(?:pip|tool|pipx) install )[\"']?{_SPELLED}[\"']?(?![\w/-])")
_HOOK = re.compile(rf"(?P<before>\badditional_dependencies: )\[[\"']{_SPELLED}[\"']\]")


def _documented(extras: str) -> str:
    """What pages give to ``pip install``, quoted for a shell where that is necessary."""
    if SOURCE.startswith("git+"):
        return f'"{NAME}{extras} @ {SOURCE}"'
    return f'"{SOURCE}{extras}"' if extras else SOURCE


def note() -> str:
    """What pages say about where mcp-governor comes from; empty once a release says it all."""
    if SOURCE == NAME:
        return ""
    place = "" if SOURCE.startswith("git+") else f"`{SOURCE}` stands for your clone of this repository. "
    return (
        f"{place}{NAME} is not on the package index yet: the 0.0.0 of that name there is a placeholder and not this "
        "program.\n"
    )
