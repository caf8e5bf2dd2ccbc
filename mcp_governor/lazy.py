"""Regular expressions that are compiled when they are first used.

A command imports some two hundred of them and uses a few dozen; compiling one costs as much as importing a module.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _Pattern:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self._source, self._flags), name)
        # Found without this function from now on.
        setattr(self, name, value)
        return value


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """``re.compile``, put off until a method or an attribute of the pattern is asked for.

    An expression that does not compile raises ``re.error`` only then: for expressions of our own, which tests run.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(source, flags))
