"""Checks of the error in an envelope against principle 3: kind, message, recovery, and the fields of a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, are_strings, wrong_type
from mcp_governor.charter.keys import unknown_keys
from mcp_governor.charter.message import leak, sentence_problem, strings_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def error_breaches(error: dict[str, Any], status: str | None, kinds: Iterable[str] | None) -> list[Breach]:
    """All violations in an error object.

    Args:
        error: the envelope's error.
        status: the envelope's status; ``None`` if it is not one of the six.
        kinds: the known error kinds; ``None`` to accept any.
    """
    out: list[Breach] = []
    kind = error.get("kind")
    if not isinstance(kind, str):
        out.append(wrong_type("/error/kind", "a string", kind))
        kind = None
    elif kinds is not None and kind not in kinds:
        out.append(Breach("envelope/error-kind", "/error/kind", kind))
    elif kind in facts.DISPATCH_KINDS:
        out.append(Breach("envelope/dispatch-kind", "/error/kind", kind))
    if kind is not None and status is not None:
        _refusal(kind, status, out)
    _message(error.get("message"), out)
    _recovery(error.get("recovery"), kind, out)
    _pii(error.get("pii_categories"), kind, out)
    anchor = error.get("anchor_entity")
    if anchor is not None and not isinstance(anchor, str):
        out.append(wrong_type("/error/anchor_entity", "a string or null", anchor))
    _others("error", error, facts.ERROR_KEYS, "/error", out)
    return out


def _others(part: str, given: dict[str, Any], known: Iterable[str], path: str, out: list[Breach]) -> None:
    """Keys that the charter does not define; a key that shows internals is reported as that instead."""
    for breach in unknown_keys(part, given, known, path):
        shows = leak(strings_of(given[breach.value]))
        if shows is None:
            out.append(breach)
        else:
            out.append(_shown(breach.path, given[breach.value], shows))


def _shown(path: str, value: Any, shows: str) -> Breach:
    field = path.rsplit("/", 1)[1]
    return Breach.of("envelope/message-leak", path, value, says="field", field=field, shown=shows)


def _refusal(kind: str, status: str, out: list[Breach]) -> None:
    if status == "refused" and kind not in facts.REFUSAL_KINDS:
        out.append(Breach("envelope/refused-kind", "/error/kind", kind))
    elif status == "error" and kind in facts.REFUSAL_KINDS:
        out.append(Breach("envelope/refusal-status", "/status", kind))


def _message(message: Any, out: list[Breach]) -> None:
    path = "/error/message"
    if not isinstance(message, str):
        out.append(wrong_type(path, "a string", message))
        return
    problem = sentence_problem(message)
    if problem is not None:
        out.append(Breach.of("envelope/message-sentence", path, message, problem=problem))
    shows = leak(message)
    if shows is not None:
        out.append(Breach.of("envelope/message-leak", path, message, says="message", shown=shows))


def _recovery(recovery: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/recovery"
    if not isinstance(recovery, dict):
        out.append(wrong_type(path, "an object", recovery))
        return
    tool, args, fuzzy = (recovery.get(key) for key in ("suggested_tool", "suggested_args", "fuzzy_matches"))
    if tool is not None and not (isinstance(tool, str) and tool):
        out.append(wrong_type(f"{path}/suggested_tool", "a tool's name or null", tool))
    if args is not None and not isinstance(args, dict):
        out.append(wrong_type(f"{path}/suggested_args", "an object or null", args))
    if fuzzy is not None and not are_strings(fuzzy):
        out.append(wrong_type(f"{path}/fuzzy_matches", "a list of strings", fuzzy))
    for key, members in _REFUSAL_MEMBERS.items():
        _offer(recovery.get(key), f"{path}/{key}", members, kind, out)
    if kind != facts.NO_RETRY_KIND and not any(recovery.get(key) for key in facts.RECOVERY_KEYS):
        out.append(Breach("envelope/recovery-empty", path, recovery))
    _others("recovery", recovery, facts.RECOVERY_KEYS, path, out)


_REFUSAL_MEMBERS = {"suggested_rewrite": facts.REWRITE_MEMBERS, "widening_hint": facts.WIDENING_MEMBERS}


def _offer(value: Any, path: str, members: Mapping[str, str], kind: str | None, out: list[Breach]) -> None:
    """A suggestion in a refusal: an object, or a plain string, since the sources name no type."""
    if value is None:
        return
    key = path.rsplit("/", 1)[1]
    if isinstance(value, dict):
        _members(value, path, members, out)
        _others(key, value, members, path, out)
    elif not isinstance(value, str) or not value:
        out.append(wrong_type(path, "an object, a string or null", value))
    if kind is None:
        return
    if kind not in facts.REFUSAL_KINDS:
        out.append(_refusal_only(path, key, kind))
    elif key == "widening_hint" and kind != facts.WIDENING_KIND:
        out.append(Breach("envelope/widening-kind", path, kind))


def _members(value: dict[str, Any], path: str, members: Mapping[str, str], out: list[Breach]) -> None:
    for key, wanted in members.items():
        given = value.get(key)
        fits = isinstance(given, bool) if wanted == "a boolean" else isinstance(given, str) and bool(given)
        if not fits:
            out.append(wrong_type(f"{path}/{key}", wanted, given))
    shows = leak(reason) if isinstance(reason := value.get("reason"), str) else None
    if shows is not None:
        out.append(_shown(f"{path}/reason", value["reason"], shows))


def _pii(categories: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/pii_categories"
    if not categories:
        if categories is not None and categories != []:
            out.append(wrong_type(path, "a list of strings", categories))
        return
    if not are_strings(categories):
        out.append(wrong_type(path, "a list of strings", categories))
        return
    for index, name in enumerate(categories):
        if name not in facts.PII_CATEGORIES:
            out.append(Breach("envelope/pii-category", f"{path}/{index}", name))
    if kind is not None and kind not in facts.REFUSAL_KINDS:
        out.append(_refusal_only(path, "pii_categories", kind))


def _refusal_only(path: str, key: str, kind: str) -> Breach:
    return Breach.of("envelope/refusal-fields", path, [key, kind], field=key, kind=kind)
