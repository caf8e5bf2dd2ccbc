"""Does the error of an envelope keep the charter (principle 3)? Kind, message, recovery, what a refusal carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach, are_strings, wrong_type
from mcp_governor.charter.message import leak, sentence_problem

if TYPE_CHECKING:
    from collections.abc import Iterable


def error_breaches(error: dict[str, Any], status: str | None, kinds: Iterable[str] | None) -> list[Breach]:
    """Every promise that an error object breaks.

    Args:
        error: the envelope's error.
        status: the envelope's status, ``None`` where it is none of the six.
        kinds: the known error kinds, ``None`` to accept any.
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
    return out


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
        out.append(Breach.of("envelope/message-leak", path, message, shown=shows))


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
    for key in ("suggested_rewrite", "widening_hint"):
        value = recovery.get(key)
        if value is None:
            continue
        if isinstance(value, dict):
            _members(value, f"{path}/{key}", _REFUSAL_MEMBERS[key], out)
        else:
            out.append(wrong_type(f"{path}/{key}", "an object or null", value))
        if kind is not None and kind not in facts.REFUSAL_KINDS:
            out.append(_refusal_only(f"{path}/{key}", key, kind))
    if args and isinstance(args, dict) and tool is None:
        out.append(Breach("envelope/recovery-tool", f"{path}/suggested_tool", sorted(args), "absent"))
    if not any(recovery.get(key) for key in facts.RECOVERY_KEYS):
        out.append(Breach("envelope/recovery-empty", path, recovery))


_REFUSAL_MEMBERS = {
    "suggested_rewrite": {"rewritten": "a string", "reason": "a string"},
    "widening_hint": {"scope_requested": "a string", "would_unblock": "a boolean", "reason": "a string"},
}


def _members(value: dict[str, Any], path: str, members: dict[str, str], out: list[Breach]) -> None:
    for key, wanted in members.items():
        given = value.get(key)
        fits = isinstance(given, bool) if wanted == "a boolean" else isinstance(given, str) and bool(given)
        if not fits:
            out.append(wrong_type(f"{path}/{key}", wanted, given))


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
