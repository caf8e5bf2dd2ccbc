"""``--header`` and ``--bearer``: headers whose values are in environment variables.

A command line is seen by every process of the machine, and kept by shells and CI, so it names the variables only.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from mcp_governor.errors import UsageError
from mcp_governor.secret_detection import is_token, learn_header

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}")  # RFC 9110, 5.6.2
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_REFERENCE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_SURELY_A_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


def headers_of(typed: Iterable[str], bearer: str | None) -> dict[str, str]:
    """The headers of a command line, with ``$NAME`` for the values of variables, as the configuration writes them.

    Args:
        typed: values of ``--header``: ``NAME=VARIABLE``, or ``NAME=TEXT`` with ``$VARIABLE`` in the text.
        bearer: value of ``--bearer``: a variable.

    Raises:
        UsageError: a word has another form, or a variable is not set.
    """
    headers: dict[str, str] = {}
    for word in typed:
        name, equals, value = word.partition("=")
        if not equals or not value or not _TOKEN.fullmatch(name):
            raise UsageError(
                "--header takes NAME=VARIABLE.",
                "Name the header and a variable, for example: --header X-Api-Key=API_KEY",
            )
        if name.lower() in map(str.lower, headers):
            raise UsageError(f"--header {name} is given twice.", "Remove one of them.")
        headers[name] = _template("--header", value, f"{name}=", name)
    if bearer is not None:
        if "authorization" in map(str.lower, headers):
            raise UsageError("--bearer and --header Authorization set the same header.", "Remove one of them.")
        headers["Authorization"] = f"Bearer {_template('--bearer', bearer, '', 'Authorization')}"
    return headers


def _template(option: str, value: str, before: str, header: str) -> str:
    """The value of an option as a string with references to variables that are set.

    Whatever is not the name of a variable may be its value, which the shell has put there, and is never repeated.
    """
    named = _VARIABLE.fullmatch(value) is not None
    text = f"${value}" if named else value
    found = [match[1] or match[2] for match in _REFERENCE.finditer(text)]
    missing = next((name for name in found if not os.environ.get(name)), None)
    if found and missing is None:
        return text
    variable = next(
        (name for name, content in os.environ.items() if content and content == value and name != "_"), None
    )
    if variable is not None:
        learn_header(header, value)
        raise UsageError(
            f"{option} got the value of ${variable}, because the shell replaced the name.",
            f"Write the name without the dollar sign: {option} {before}{variable}",
        )
    if missing is not None and (not named or (_SURELY_A_NAME.fullmatch(value) and not is_token(value))):
        raise UsageError(f"{option} {before}{missing}: the variable is not set.", f"Set it: export {missing}=…")
    learn_header(header, value)
    raise UsageError(
        f"{option} takes the name of an environment variable, so that no secret is on the command line; it got "
        "something else, which is not shown.",
        f"Put the value into a variable and name it: export API_TOKEN=…, then {option} {before}API_TOKEN",
    )
