"""Values for the results of discovery."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_PLAIN_TARGET = re.compile(r"[\w./:@-][\w./:@#-]*")


class Way(Struct, frozen=True):
    """One way to start a server.

    Attributes:
        keys: its ``[servers.NAME]`` table; empty if ``target`` is enough.
        target: the TARGET of a server in a client's configuration.
        prepare: the command that creates a missing environment (``npm ci``); may be empty.
        missing: a file that it starts but that does not exist, relative to the project; it is not tried then.
        installs: true if it installs packages before it starts.
        says: what stands behind ``target`` or an npm script: a command, an address, or why it has neither.
    """

    keys: Mapping[str, Any]
    target: str = ""
    prepare: str = ""
    missing: str = ""
    installs: bool = False
    says: str = ""

    @property
    def typed(self) -> str:
        """Its form on the command line of ``init``."""
        if self.target:
            # "#" inside a word does not need quotes.
            return self.target if _PLAIN_TARGET.fullmatch(self.target) else shlex.quote(self.target)
        if "object" in self.keys:
            return f"python:{self.keys['object']}"
        return f"-- {self.shown}"

    @property
    def shown(self) -> str:
        """Its form in output: the command, or what is imported."""
        if "command" in self.keys:
            return shlex.join(self.keys["command"])
        return self.says or self.typed


SCRIPTS, MODULES, OBJECTS, DOCKER, CLIENTS = range(5)
"""Stages: users of a package start its scripts, developers its modules or start scripts; objects, the command of a
Dockerfile, and the entries of client configurations are guesses."""


class Candidate(Struct, frozen=True):
    """A probable server of a project.

    Attributes:
        name: its name in the configuration, which is the name of the project.
        folder: folder of the project, where its configuration will be written.
        found_in: the file that mentions it, relative to the repository.
        ways: how to start it, best first.
        stage: candidates of a later stage are tried only if none of an earlier stage responds.
    """

    name: str
    folder: Path
    found_in: str
    ways: tuple[Way, ...]
    stage: int


class Found(Struct, frozen=True):
    """The result of discovery in a repository.

    Attributes:
        candidates: servers to try, in order.
        others: other possible servers, which are started only if the user names them.
        variables: environment variable of the server → the file that mentions it.
    """

    candidates: tuple[Candidate, ...] = ()
    others: tuple[Way, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
