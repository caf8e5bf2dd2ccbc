"""What a command line says about how a server is started or reached, as values."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mcp_governor.config import Launch
from mcp_governor.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def launch_of(
    args: tuple[str, ...],
    with_: tuple[str, ...],
    env: Sequence[str],
    env_files: Iterable[Path],
    headers: tuple[Sequence[str], str | None],
    *,
    resolves: bool,
) -> Launch:
    """The values of the options of a command that takes a TARGET.

    Args:
        args: the words after ``--``, for a package.
        with_, env, env_files: values of ``--with``, ``--env`` and ``--env-file``.
        headers: values of ``--header``, and that of ``--bearer``.
        resolves: false with ``--no-resolve``.

    Raises:
        UsageError: a variable is not set, or a value has another form.
    """
    named = frozenset(text for text in env if "=" not in text)
    return Launch(args, with_, _environment(env, env_files), named, _headers(*headers), resolves)


def _headers(typed: Sequence[str], bearer: str | None) -> dict[str, str]:
    if not typed and bearer is None:
        return {}
    from mcp_governor.cli.headers import headers_of

    return headers_of(typed, bearer)


def _environment(named: Iterable[str], files: Iterable[Path]) -> dict[str, str]:
    """Variables from the files, then ``NAME=VALUE`` as given, and ``NAME`` from our environment."""
    values: dict[str, str] = {}
    for file in files:
        from mcp_governor.cli.env_file import read_env_file

        values |= read_env_file(file)
    for word in named:
        name, equals, value = word.partition("=")
        if not name.replace("_", "a").isalnum():
            raise UsageError("--env takes NAME or NAME=VALUE.", "Name the variable, for example: --env API_KEY")
        if not equals and name not in os.environ:
            raise UsageError(f"--env {name}: the variable is not set.", f"Set it: export {name}=…")
        values[name] = value if equals else os.environ[name]
    return values
