"""A violation in one response, the result type of every check of an envelope; and the checks of an envelope's keys."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.schemas.pointers import escape_pointer
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


_ROOT = frozenset(facts.ENVELOPE_KEYS)
_SINCE = {key: facts.SINCE.get(f"field {key}", "1.0") for key in facts.ENVELOPE_KEYS}


def is_excerpt(envelope: Mapping[str, Any]) -> bool:
    """True if an envelope contains only the keys of interest, like the examples of both sources.

    Such examples have no charter version and lack other keys as well. The response to a call is never an excerpt.
    """
    return "charter_version" not in envelope and any(
        key not in envelope for key, since in _SINCE.items() if key != "charter_version" and since == "1.0"
    )


def absent_keys(envelope: Mapping[str, Any]) -> Iterator[Breach]:
    """Keys that an envelope's charter version requires and that are missing, as one breach.

    The sources show all of them in "every response", but omit most in their examples, which have no version; so this
    applies to envelopes with a version. Other rules report missing data of a success and a missing error of a failure.
    """
    version = envelope.get("charter_version")
    if not isinstance(version, str) or version not in facts.VERSIONS:
        return
    status = envelope.get("status")
    exempt = "data" if status == "success" else "error" if status in ("error", "refused") else "status"
    absent = [key for key, since in _SINCE.items() if since <= version and key not in envelope and key != exempt]
    if absent:
        yield Breach.of("envelope/keys-absent", "", absent, version=version)


def unknown_keys(part: str, given: Mapping[str, Any], known: Iterable[str], path: str = "") -> Iterator[Breach]:
    """Keys of one part of an envelope that no charter version defines.

    Args:
        part: its name in messages: ``envelope``, ``error``, ``recovery`` and so on.
        given: the part.
        known: the keys that any version defines; another check reports those of later versions.
        path: JSON pointer to the part.
    """
    says = "root" if part == "envelope" else "part"
    for key in itertools.islice(sorted(given.keys() - frozenset(known), key=str), MAX_BREACHES):
        yield Breach.of("envelope/unknown-key", f"{path}/{pointer_token(key)}", key, says=says, part=part)


def root_keys(envelope: Mapping[str, Any]) -> Iterator[Breach]:
    """Keys at the root that the charter does not define."""
    return unknown_keys("envelope", envelope, _ROOT)


def pointer_token(key: Any) -> str:
    """A key from a server as a token of a JSON pointer, shortened and safe to print."""
    return escape_pointer(one_line(str(key), 60))


MAX_BREACHES = 20
"""Maximum number of breaches of one kind per response: a server with so many has them everywhere. The rest are dropped,
or a response with 60,000 hints would be 60,000 findings."""


@dataclass(frozen=True, slots=True)
class Breach:
    """One violation in one response; the messages are in the rule's file.

    Attributes:
        rule: id of the rule in the catalogue (``envelope/…`` or ``call/…``).
        path: JSON pointer into the checked document.
        value: the JSON value in question.
        says: key of the message in the rule's ``messages``, if it has several.
        facts: named values for placeholders in that message, besides ``path`` and ``value``.
    """

    rule: str
    path: str
    value: Any = field(default=None, compare=False, repr=False)
    says: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, rule: str, path: str, value: Any = None, /, *, says: str = "", **facts: Any) -> Breach:
        """Create a breach from keyword facts."""
        return cls(rule, path, value, says, facts)

    @property
    def message(self) -> str:
        """One sentence, safe to print."""
        from mcp_governor.rules.catalogue import own_rule
        from mcp_governor.rules.finding import sentence

        return sentence(own_rule(self.rule), {"path": self.path, "value": self.value, **self.facts}, self.says)

    def under(self, prefix: str) -> Breach:
        """The same breach relative to a document that contains this one at ``prefix``."""
        return Breach(self.rule, prefix + self.path, self.value, self.says, self.facts)


def wrong_type(path: str, wanted: str, value: Any) -> Breach:
    """A field of an envelope does not have the JSON type ``wanted``."""
    return Breach.of("envelope/field-type", path, value, field=path.rsplit("/", 1)[1], wanted=wanted)


def are_strings(value: Any) -> bool:
    """True if a JSON value is a list of strings."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
