"""What a repository seems to hold, as values."""

from __future__ import annotations

import re
import shlex
from dataclasses import field
from typing import TYPE_CHECKING, Any

from mcp_governor.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_PLAIN_TARGET = re.compile(r"[\w./:@-][\w./:@#-]*")


def typed_target(target: str) -> str:
    """A TARGET as it is typed into a shell: a ``#`` inside of a word needs no quotation marks."""
    return target if _PLAIN_TARGET.fullmatch(target) else shlex.quote(target)


@frozen
class Way:
    """One way to start a server.

    Attributes:
        keys: its ``[servers.NAME]`` table; empty where ``target`` says it all.
        target: the TARGET of a server that a client's configuration names.
        prepare: the command that makes the way work where its environment is missing (``npm ci``); may be empty.
        missing: a file that it starts and that is not there, relative to the project; such a way is not tried.
        installs: the environment that it makes, and installs packages into, before it starts; empty where it makes
            none.
    """

    keys: Mapping[str, Any]
    target: str = ""
    prepare: str = ""
    missing: str = ""
    installs: str = ""

    @property
    def typed(self) -> str:
        """How a user names it on the command line of ``init``."""
        if self.target:
            return typed_target(self.target)
        if "object" in self.keys:
            return f"python:{self.keys['object']}"
        return f"-- {self.shown}"

    @property
    def shown(self) -> str:
        """How a line of output names it: the command itself, or the TARGET."""
        if "command" in self.keys:
            return shlex.join(self.keys["command"])
        return self.target or self.typed


@frozen
class Candidate:
    """A server that a project seems to hold.

    Attributes:
        name: what to call it in the configuration: the name of the project.
        folder: of the project; its configuration will be written there.
        found_in: the file that says so, relative to the repository.
        ways: how to start it, the best first.
        stage: candidates of a later stage are tried where none of an earlier stage answers.
    """

    name: str
    folder: Path
    found_in: str
    ways: tuple[Way, ...]
    stage: int


@frozen
class Found:
    """What was found in a repository.

    Attributes:
        candidates: servers to try, in order.
        others: what could be a server and is not tried, as a user would name it on the command line.
        variables: names of environment variables that the repository says its server takes, with the file.
    """

    candidates: tuple[Candidate, ...] = ()
    others: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
