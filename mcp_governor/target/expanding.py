"""Values of environment variables in place of references to them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mcp_governor.errors import ConfigError
from mcp_governor.lazy import lazy_pattern
from mcp_governor.secret_detection import learn_reference
from mcp_governor.text import visible

if TYPE_CHECKING:
    import re
    from collections.abc import Mapping

    from mcp_governor.config import Config

_REFERENCE = lazy_pattern(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")


def expand(values: Mapping[str, str], config: Config, where: str) -> dict[str, str]:
    """Replace ``$NAME`` and ``${NAME}`` with values from the environment.

    Raises:
        ConfigError: a variable is not set; the message contains the variable and the key, but no values.
    """

    def value_of(key: str, match: re.Match[str]) -> str:
        variable = match[1] or match[2]
        if variable not in os.environ:
            raise ConfigError(
                f"{config.shown}: {visible(where)}.{visible(key)} needs the environment variable {variable}, "
                "which is not set.",
                f"Set it: export {variable}=…",
            )
        learn_reference(os.environ[variable], variable)
        return os.environ[variable]

    return {
        key: _REFERENCE.sub(lambda match, key=key: value_of(key, match), value)  # type: ignore[misc]
        for key, value in values.items()
    }
