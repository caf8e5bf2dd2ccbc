"""Keep secrets out of the files that ``init`` writes: values of variables, tokens in commands and addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.config import OWN_FILE
from mcp_governor.errors import UsageError
from mcp_governor.secret_detection import is_plain, learn_command
from mcp_governor.secrets import redact
from mcp_governor.target.remote import TOKEN_VARIABLE
from mcp_governor.text import check_unicode, command_line, visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mcp_governor.wire.endpoint import Endpoint

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_ASSIGNMENT = re.compile(rf"({_NAME})=(.*)", re.DOTALL)
_OPTION = re.compile(rf"(?:-e|--env)=?({_NAME})=(.*)", re.DOTALL)
_IN_SCRIPT = re.compile(rf"(?:^|[\s;&|(])({_NAME})=([^\s;&|)]+)")


def see_words(keys: Mapping[str, Any]) -> None:
    """Check that the command line of a server can be written into a file that is committed.

    Args:
        keys: the server's table.

    Raises:
        UsageError: it contains the value of a variable or a secret, or it is not UTF-8.
    """
    command = (*(keys.get("command") or ("",)), *keys.get("args", ()))
    for word in command:
        check_unicode(word, "the command")
    for name, value in _assignments(command):
        if not is_plain(value, name):
            # For docker, -e without a value passes on the variable of its own environment.
            rest = "sh -c '…'" if any(" " in word for word in command) else f"… -e {name} …"
            raise UsageError(
                f"The command contains the value of {name}, and init would write it into a file.",
                f"Set {name} in your environment, and remove its value from the command: "
                f"mcp-governor init --env {name} -- {rest}",
            )
    learn_command(command)
    if any(redact(word) != word for word in command):
        raise UsageError(
            f"The command {command_line(command, 120)} contains a secret, and init would write it into a file.",
            f'Remove it, and pass it as a variable: set NAME in your environment, and write env = {{ NAME = "$NAME" }} '
            f"into the server's table in {OWN_FILE}.",
        )


def _assignments(command: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Each variable that a command sets, with its value: ``-e NAME=VALUE``, ``env NAME=VALUE``, a script for a shell;
    references to variables (``$NAME``) are not values."""
    before = ""
    for word in command:
        found = [match.groups() for match in _IN_SCRIPT.finditer(word)] if " " in word else []
        assigned = _ASSIGNMENT.fullmatch(word)
        if assigned and not (before in ("-e", "--env", "env") or assigned[1].isupper()):
            assigned = None
        if match := _OPTION.fullmatch(word) or assigned:
            found.append((match[1], match[2]))
        for name, value in found:
            bare = value.strip("\"'")
            if bare and not bare.startswith("$"):
                yield name, bare
        before = word


_CREDENTIAL = re.compile(r"[?&][^=&]*(?:key|token|secret|passw|auth|sig)[^=&]*=", re.IGNORECASE)


def see_address(url: str, endpoint: Endpoint) -> None:
    """Check that an address can be written into a file.

    Raises:
        UsageError: it contains credentials, which must not be in a file that is committed.
    """
    if redact(url) != url or "@" in url.split("/")[2] or _CREDENTIAL.search(url):
        raise UsageError(
            f"The address {visible(endpoint.shown)} contains credentials, and init would write them into a file.",
            f"Remove them from the address. For a bearer token, set {TOKEN_VARIABLE}; for others, "
            f'configure the server in {OWN_FILE} with headers = {{ NAME = "$VARIABLE" }}.',
        )
