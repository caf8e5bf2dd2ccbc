"""Which strings a check can say something about, so that the engine does not ask it about all the others.

Most strings of a surface are short lines of ASCII without any of the words that the checks of hygiene look for. Asking
each check about every string took a third of the time that all strings take.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mcp_governor.prose.guarded import Cues, Guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcp_governor.rules.scope import Runner
    from mcp_governor.subjects.context import Check

_Marked = TypeVar("_Marked", bound="Callable[..., Any]")


class TextScope(NamedTuple):
    """The strings that a check is about.

    Attributes:
        words: only strings that contain one of these in lower case; all, if there are none.
        unusual: only strings with a character that is not printable ASCII, such as a line break.
    """

    words: tuple[str, ...] = ()
    unusual: bool = False


_EVERYTHING = TextScope()


def about_text(*forms: Guarded, unusual: bool = False) -> Callable[[_Marked], _Marked]:
    """A decorator that gives a check of strings its :class:`TextScope`.

    Args:
        forms: the expressions, one of which matches wherever the check has something to say.
        unusual: see :class:`TextScope`.
    """
    words = tuple(word for form in forms for word in form.cues.words)
    # An expression without words has the empty one, which is everywhere.
    scope = TextScope(() if "" in words else words, unusual)

    def marked(check: _Marked) -> _Marked:
        vars(check)["text_scope"] = scope
        return check

    return marked


def _scope_of(check: Check) -> TextScope:
    found: TextScope = getattr(check, "text_scope", _EVERYTHING)
    return found


# A run over several surfaces has the same rules, and compiling their words takes as long as reading a small surface.
@lru_cache(maxsize=8)
def _cues_of(words: tuple[str, ...]) -> Cues:
    return Cues(*words)


class TextPlan:
    """The checks for each string of a surface.

    Args:
        runners: all of them.
    """

    def __init__(self, runners: Sequence[Runner]) -> None:
        scoped = [(_scope_of(check), (active, check, context)) for active, check, context in runners]
        # One search for all words decides about all checks that need one.
        self._cues = _cues_of(tuple(dict.fromkeys(word for scope, _ in scoped for word in scope.words)))
        self._chosen = {
            (worded, unusual): [
                runner for scope, runner in scoped if (worded or not scope.words) and (unusual or not scope.unusual)
            ]
            for worded in (False, True)
            for unusual in (False, True)
        }

    def checks(self, text: str) -> Sequence[Runner]:
        """The checks that may have something to say about a string."""
        return self._chosen[self._cues.are_in(text.lower()), not (text.isascii() and text.isprintable())]
