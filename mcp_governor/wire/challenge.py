"""Why a server refuses a request with 401 or 403: which credential is missing, or which one it does not accept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from mcp_governor.errors import UnreachableError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcp_governor.wire.endpoint import HttpEndpoint

LONGEST = 2_000
"""Characters of a WWW-Authenticate header that are read: four times that of the longest in use."""

LOGIN = "the login"
"""Origin of a header that ``mcp-governor login`` provides."""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_STRINGS = lazy_pattern(_QUOTED)
_SCHEME = lazy_pattern(r"(?:^|,)\s*([A-Za-z][A-Za-z0-9-]*)(?=\s+[\w-]+\s*=|\s*(?:,|$))")
_PARAMETER = lazy_pattern(rf'([A-Za-z_]+)\s*=\s*({_QUOTED}|[^\s,"]+)')


class Challenge(Struct, frozen=True):
    """What a ``WWW-Authenticate`` header says (RFC 9110, 11.6.1; RFC 6750, 3).

    Attributes:
        schemes: the ways to authenticate, in lower case.
        parameters: of all of them, by name in lower case; the first of each name.
    """

    schemes: tuple[str, ...] = ()
    parameters: Mapping[str, str] = {}


def challenge_of(header: str) -> Challenge:
    """Read a ``WWW-Authenticate`` header; what is not one says nothing."""
    text = header[:LONGEST]
    schemes = [found[1].lower() for found in _SCHEME.finditer(_STRINGS.sub('""', text))]
    parameters: dict[str, str] = {}
    for found in _PARAMETER.finditer(text):
        value = found[2][1:-1].replace('\\"', '"') if found[2].startswith('"') else found[2]
        parameters.setdefault(found[1].lower(), value)
    return Challenge(tuple(schemes), parameters)


def refused(endpoint: HttpEndpoint, status: int, header: str) -> UnreachableError:
    """The error for a response 401 or 403.

    Args:
        endpoint: the server, with what is sent to it.
        status: the HTTP status.
        header: the value of ``WWW-Authenticate``; empty if there is none.
    """
    challenge = challenge_of(header)
    sent = {name.lower(): endpoint.origins.get(name.lower(), "") for name in endpoint.headers}
    reason = _reason(status, challenge)
    if "authorization" in sent:
        origin = sent["authorization"]
        what = f"the credentials from {one_line(origin, 100)}" if origin else "the credentials"
        return UnreachableError(f"it refuses {what} ({reason}).", _check(origin, endpoint, status))
    known = [f"{name} ({origin})" for name, origin in sent.items() if origin]
    wanted = challenge.schemes[0].title() if challenge.schemes else ""
    if known:
        missing = f", and Authorization ({wanted}) is missing" if wanted else ""
        message = f"it refuses the credentials ({reason}): {one_line(', '.join(known), 200)} was sent{missing}."
        return UnreachableError(message, _pass(endpoint, challenge) if wanted else "Check the value of the header.")
    return UnreachableError(f"it requires credentials ({reason}).", _pass(endpoint, challenge))


def _reason(status: int, challenge: Challenge) -> str:
    """``HTTP 401 invalid_token: "expired"``, as far as the server says it."""
    error = challenge.parameters.get("error", "")
    said = f"HTTP {status}{f' {one_line(error, 40)}' if error else ''}"
    described = challenge.parameters.get("error_description", "")
    scope = challenge.parameters.get("scope", "")
    if error == "insufficient_scope" and scope:
        return f'{said}: the scope "{one_line(scope, 100)}" is needed'
    return f'{said}: "{one_line(described, 100)}"' if described else said


def _check(origin: str, endpoint: HttpEndpoint, status: int) -> str:
    if origin == LOGIN:
        return f"Sign in again: mcp-governor login {endpoint.shown}"
    if status == 403:
        return "Use an account or a token that may do this."
    variable = origin.rpartition(" ")[2] if origin.startswith("--bearer") else origin
    return f"Check the value of {one_line(variable, 100)}." if origin else _pass(endpoint, Challenge())


def _pass(endpoint: HttpEndpoint, challenge: Challenge) -> str:
    """How to give a server what it asks for."""
    if challenge.schemes and "bearer" not in challenge.schemes:
        scheme = one_line(challenge.schemes[0].title(), 40)
        return (
            f'Set a variable to "{scheme} …", and name it: --header Authorization=VARIABLE; or set headers = '
            '{ Authorization = "$VARIABLE" } for this server in the configuration.'
        )
    login = f"Sign in: mcp-governor login {endpoint.shown}\nOr: " if challenge.schemes else ""
    return (
        f"{login}Name the environment variable that contains a token: --bearer VARIABLE (--header NAME=VARIABLE for "
        'another header); or set bearer-token = "$VARIABLE" for this server in the configuration.'
    )
