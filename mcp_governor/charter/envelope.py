"""Does one envelope keep the charter? Structural checks on plain dicts, fast enough for every response.

What the models refuse to build (see :mod:`mcp_governor.charter.v1_2`) and what validation reports about a
server's responses is decided here and nowhere else. Checks that need the server's surface are in
:mod:`mcp_governor.charter.recovery`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mcp_governor.charter import facts
from mcp_governor.charter.breach import Breach
from mcp_governor.charter.message import leak, sentence_problem
from mcp_governor.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_VERSION_FORM = re.compile(r"\d+\.\d+", re.ASCII)
_KEYS = frozenset(facts.ENVELOPE_KEYS)


def looks_like_envelope(value: Any) -> bool:
    """Whether a JSON value is meant as an envelope: an object with a known status, or with two of its keys."""
    if not isinstance(value, dict):
        return False
    status = value.get("status")
    return (isinstance(status, str) and status in facts.STATUSES) or len(_KEYS & value.keys()) > 1


def envelope_breaches(envelope: Mapping[str, Any], *, kinds: Iterable[str] | None = facts.KINDS) -> list[Breach]:
    """Every promise that an envelope breaks on its own, whatever the server publishes.

    Args:
        envelope: the envelope as JSON; keys that are absent count as ``null``.
        kinds: the known error kinds, ``None`` to accept any.

    Returns:
        Breaches with pointers into the envelope, in the order of its keys.
    """
    out: list[Breach] = []
    status = envelope.get("status")
    if not isinstance(status, str) or status not in facts.STATUSES:
        out.append(
            Breach("envelope/status", "/status", f"The status is {_shown(status)}, which is none of the six.", status)
        )
        status = None
    _pairing(envelope, status, out)
    error = envelope.get("error")
    if isinstance(error, dict):
        _error(error, status, kinds, out)
    elif error is not None:
        out.append(_type("/error", "an object or null", error))
    _confidence(envelope, out)
    _provenance(envelope.get("provenance"), out)
    _hints(envelope.get("follow_up_hints"), out)
    _degradation(envelope, status, out)
    _version(envelope, out)
    out.extend(
        Breach(
            "envelope/unknown-key",
            f"/{_token(key)}",
            f"The envelope has a key {_shown(key)} that the charter does not know.",
            key,
        )
        for key in sorted(envelope.keys() - _KEYS)
    )
    return out


def _pairing(envelope: Mapping[str, Any], status: str | None, out: list[Breach]) -> None:
    """Which of data and error goes with which status (enforced upstream)."""
    data, error = envelope.get("data"), envelope.get("error")
    if status is None:
        return
    if status in facts.FAILURE_STATUSES:
        if error is None:
            out.append(
                Breach("envelope/error-missing", "/error", f'The status is "{status}" and there is no error.', status)
            )
        if data is not None:
            out.append(
                Breach(
                    "envelope/data-with-error",
                    "/data",
                    f'The status is "{status}" and there is data all the same.',
                    status,
                )
            )
        return
    if error is not None:
        out.append(
            Breach(
                "envelope/error-unexpected",
                "/error",
                f'The status is "{status}" and there is an error all the same.',
                status,
            )
        )
    if status == "success" and data is None:
        out.append(Breach("envelope/data-missing", "/data", 'The status is "success" and there is no data.', status))


def _error(error: dict[str, Any], status: str | None, kinds: Iterable[str] | None, out: list[Breach]) -> None:
    kind = error.get("kind")
    if not isinstance(kind, str):
        out.append(_type("/error/kind", "a string", kind))
        kind = None
    elif kinds is not None and kind not in kinds:
        out.append(
            Breach("envelope/error-kind", "/error/kind", f"The error kind {_shown(kind)} is not registered.", kind)
        )
    elif kind in facts.DISPATCH_KINDS:
        out.append(
            Breach("envelope/dispatch-kind", "/error/kind", f'The kind "{kind}" belongs to the protocol layer.', kind)
        )
    if kind is not None and status is not None:
        _refusal(kind, status, out)
    _message(error.get("message"), out)
    _recovery(error.get("recovery"), kind, out)
    _pii(error.get("pii_categories"), kind, out)


def _refusal(kind: str, status: str, out: list[Breach]) -> None:
    if status == "refused" and kind not in facts.REFUSAL_KINDS:
        out.append(
            Breach(
                "envelope/refused-kind",
                "/error/kind",
                f"A refusal gives the kind {_shown(kind)}, which is none of the three.",
                kind,
            )
        )
    elif status == "error" and kind in facts.REFUSAL_KINDS:
        out.append(
            Breach(
                "envelope/refusal-status", "/status", f'The kind "{kind}" is a refusal and the status is "error".', kind
            )
        )


def _message(message: Any, out: list[Breach]) -> None:
    path = "/error/message"
    if not isinstance(message, str):
        out.append(_type(path, "a string", message))
        return
    problem = sentence_problem(message)
    if problem is not None:
        out.append(Breach("envelope/message-sentence", path, f"The message {problem}: {_quoted(message)}.", message))
    shows = leak(message)
    if shows is not None:
        out.append(
            Breach(
                "envelope/message-leak", path, f"The message shows {one_line(shows, 80)}: {_quoted(message)}.", message
            )
        )


def _recovery(recovery: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/recovery"
    if not isinstance(recovery, dict):
        out.append(_type(path, "an object", recovery))
        return
    tool, args, fuzzy = (recovery.get(key) for key in ("suggested_tool", "suggested_args", "fuzzy_matches"))
    if tool is not None and not (isinstance(tool, str) and tool):
        out.append(_type(f"{path}/suggested_tool", "a tool's name or null", tool))
    if args is not None and not isinstance(args, dict):
        out.append(_type(f"{path}/suggested_args", "an object or null", args))
    if fuzzy is not None and not _strings(fuzzy):
        out.append(_type(f"{path}/fuzzy_matches", "a list of strings", fuzzy))
    for key in ("suggested_rewrite", "widening_hint"):
        value = recovery.get(key)
        if value is None:
            continue
        if not isinstance(value, dict):
            out.append(_type(f"{path}/{key}", "an object or null", value))
        if kind is not None and kind not in facts.REFUSAL_KINDS:
            out.append(_refusal_only(f"{path}/{key}", key, kind))
    if not any(recovery.get(key) for key in facts.RECOVERY_KEYS):
        out.append(Breach("envelope/recovery-empty", path, "The recovery block says nothing to try next.", recovery))


def _pii(categories: Any, kind: str | None, out: list[Breach]) -> None:
    path = "/error/pii_categories"
    if not categories:
        if categories is not None and categories != []:
            out.append(_type(path, "a list of strings", categories))
        return
    if not _strings(categories):
        out.append(_type(path, "a list of strings", categories))
        return
    for index, name in enumerate(categories):
        if name not in facts.PII_CATEGORIES:
            out.append(
                Breach(
                    "envelope/pii-category",
                    f"{path}/{index}",
                    f"The PII category {_shown(name)} is not registered.",
                    name,
                )
            )
    if kind is not None and kind not in facts.REFUSAL_KINDS:
        out.append(_refusal_only(path, "pii_categories", kind))


def _refusal_only(path: str, key: str, kind: str) -> Breach:
    return Breach(
        "envelope/refusal-fields", path, f'"{key}" belongs to a refusal, and the kind is {_shown(kind)}.', [key, kind]
    )


def _provenance(provenance: Any, out: list[Breach]) -> None:
    if provenance is None:
        return
    if not isinstance(provenance, dict):
        out.append(_type("/provenance", "an object or null", provenance))
        return
    source = provenance.get("source")
    if not isinstance(source, str) or source not in facts.SOURCES:
        out.append(
            Breach(
                "envelope/provenance",
                "/provenance/source",
                f"The source {_shown(source)} is not one of {_list(facts.SOURCES)}.",
                source,
            )
        )
        source = None
    for key, known in (("inference_method", facts.INFERENCE_METHODS), ("validation_state", facts.VALIDATION_STATES)):
        value = provenance.get(key)
        if value is not None and not (isinstance(value, str) and value in known):
            out.append(
                Breach(
                    "envelope/provenance",
                    f"/provenance/{key}",
                    f"The {key} {_shown(value)} is not one of {_list(known)}.",
                    value,
                )
            )
    for key, wanted, name in (("model", str, "a string"), ("observed_in", dict, "an object")):
        value = provenance.get(key)
        if value is not None and not isinstance(value, wanted):
            out.append(_type(f"/provenance/{key}", f"{name} or null", value))
    _source(provenance, source, out)


def _source(provenance: dict[str, Any], source: str | None, out: list[Breach]) -> None:
    method = provenance.get("inference_method")
    implied = facts.DERIVED[method][3] if isinstance(method, str) and method in facts.DERIVED else None
    if source is not None and implied is not None and source != implied:
        out.append(
            Breach(
                "envelope/provenance-source",
                "/provenance/source",
                f'The source is "{source}", and "{method}" implies "{implied}".',
                [source, method],
            )
        )
    if source == "llm" and not provenance.get("model"):
        out.append(
            Breach(
                "envelope/provenance-model",
                "/provenance/model",
                "The source is a language model that is not named.",
                None,
            )
        )


def _hints(hints: Any, out: list[Breach]) -> None:
    if hints is None:
        return
    if not _strings(hints):
        out.append(_type("/follow_up_hints", "a list of tool names or null", hints))
        return
    low, high = facts.HINT_RANGE
    if not low <= len(hints) <= high:
        out.append(
            Breach(
                "envelope/hint-count",
                "/follow_up_hints",
                f"There are {len(hints)} follow-up hints, where {low} to {high} help.",
                hints,
            )
        )


def _degradation(envelope: Mapping[str, Any], status: str | None, out: list[Breach]) -> None:
    reason = envelope.get("degradation_reason")
    path = "/degradation_reason"
    if reason is None:
        if status == "degraded" and not _older(envelope, facts.SINCE["field degradation_reason"]):
            out.append(Breach("envelope/degraded-reason", path, "The result is degraded and no reason is given.", None))
        return
    if not isinstance(reason, str):
        out.append(_type(path, "a string or null", reason))
        return
    if reason not in facts.DEGRADATION_REASONS:
        out.append(
            Breach(
                "envelope/degradation-reason",
                path,
                f"The degradation reason {_shown(reason)} is not registered.",
                reason,
            )
        )
    if status in ("success", "empty", "partial"):
        out.append(
            Breach(
                "envelope/reason-unexpected",
                path,
                f'The status is "{status}" and a degradation reason is given.',
                [status, reason],
            )
        )


def _version(envelope: Mapping[str, Any], out: list[Breach]) -> None:
    version = envelope.get("charter_version")
    path = "/charter_version"
    if not isinstance(version, str):
        out.append(
            Breach(
                "envelope/charter-version", path, "The response does not say which charter version it follows.", version
            )
        )
        return
    if _VERSION_FORM.fullmatch(version) is None:
        out.append(
            Breach(
                "envelope/charter-version",
                path,
                f"The charter version {_shown(version)} is not of the form major.minor.",
                version,
            )
        )
        return
    if version not in facts.VERSIONS:
        known = ", ".join(facts.VERSIONS)
        out.append(
            Breach(
                "envelope/charter-version",
                path,
                f"The charter version {_shown(version)} is not known (known: {known}).",
                version,
            )
        )
        return
    if version != facts.LATEST:
        out.extend(_newer_features(envelope, version))


def _older(envelope: Mapping[str, Any], than: str) -> bool:
    version = envelope.get("charter_version")
    return isinstance(version, str) and version in facts.VERSIONS and version < than


def _newer_features(envelope: Mapping[str, Any], version: str) -> list[Breach]:
    """What an envelope uses that its own charter version does not have yet."""
    used: list[tuple[str, str]] = []
    error, provenance = envelope.get("error"), envelope.get("provenance")
    if envelope.get("status") == "refused":
        used.append(("status refused", "/status"))
    if envelope.get("degradation_reason") is not None:
        used.append(("field degradation_reason", "/degradation_reason"))
    if isinstance(error, dict):
        if isinstance(error.get("kind"), str):
            used.append((f"kind {error['kind']}", "/error/kind"))
        used += [(f"field {key}", f"/error/{key}") for key in ("pii_categories", "anchor_entity") if error.get(key)]
        recovery = error.get("recovery")
        if isinstance(recovery, dict):
            used += [
                (f"field {key}", f"/error/recovery/{key}")
                for key in sorted(facts.REFUSAL_RECOVERY_KEYS)
                if recovery.get(key)
            ]
    if isinstance(provenance, dict):
        used += [
            (f"field {key}", f"/provenance/{key}")
            for key in ("inference_method", "validation_state")
            if provenance.get(key)
        ]
    return [
        Breach(
            "envelope/version-feature",
            path,
            f"The response says charter {version} and uses {what}, which came with {facts.SINCE[what]}.",
            [version, what],
        )
        for what, path in used
        if facts.SINCE.get(what, "1.0") > version
    ]


def _confidence(envelope: Mapping[str, Any], out: list[Breach]) -> None:
    confidence = envelope.get("confidence")
    if confidence is not None and not (isinstance(confidence, str) and confidence in facts.CONFIDENCES):
        out.append(
            Breach(
                "envelope/confidence",
                "/confidence",
                f"The confidence {_shown(confidence)} is not HIGH, MEDIUM, LOW or null.",
                confidence,
            )
        )
        return
    expected, lowered = expected_confidence(envelope)
    if expected is None or confidence == expected or (lowered is not None and confidence == lowered):
        return
    said = "none" if confidence is None else confidence
    out.append(
        Breach(
            "envelope/confidence-derivation",
            "/confidence",
            f"The confidence is {said}, and the trust signal gives {lowered or expected}.",
            [confidence, expected],
        )
    )


def expected_confidence(envelope: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """The confidence that an envelope's own trust signal gives.

    Returns:
        What is derived from the provenance and, for a list, its worst item, ``None`` where the envelope does
        not carry both axes; and a second value that is right as well, because the result is redacted and
        redaction caps at MEDIUM, else ``None``. A degraded result is capped without a choice.
    """
    provenance, data = envelope.get("provenance"), envelope.get("data")
    found = [derived for item in _facts_in(provenance, data) if (derived := _derived(item)) is not None]
    worst = min(found, key=facts.CONFIDENCE_RANK.__getitem__, default=None)
    if worst != "HIGH":
        return worst, None
    if envelope.get("status") == "degraded":
        return "MEDIUM", None
    return worst, "MEDIUM" if _redacted(data) else None


def _facts_in(provenance: Any, data: Any) -> Iterable[Any]:
    yield provenance
    if isinstance(data, list):
        yield from data


def _derived(item: Any) -> str | None:
    if not isinstance(item, dict):
        return None
    method, state = item.get("inference_method"), item.get("validation_state")
    if not (isinstance(method, str) and isinstance(state, str)):
        return None
    if method not in facts.DERIVED or state not in facts.VALIDATION_STATES:
        return None
    return facts.derive_confidence(method, state)  # type: ignore[arg-type]


def _redacted(data: Any) -> bool:
    """Whether the data says that something was left out: ``redacted`` or ``redacted_…`` that is not empty."""
    items = data if isinstance(data, list) else [data]
    return any(
        isinstance(item, dict) and any(value and key.startswith("redacted") for key, value in item.items())
        for item in items
    )


def _strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _type(path: str, wanted: str, value: Any) -> Breach:
    field = path.rsplit("/", 1)[1]
    return Breach("envelope/field-type", path, f'"{field}" is {_kind_of(value)}, not {wanted}.', value)


def _kind_of(value: Any) -> str:
    if value is None:
        return "null or absent"
    if isinstance(value, bool):
        return "a boolean"
    names = {str: "a string", dict: "an object", list: "a list", int: "a number", float: "a number"}
    return names.get(type(value), "something else")


def _shown(value: Any) -> str:
    return f'"{one_line(value, 60)}"' if isinstance(value, str) else _kind_of(value)


def _quoted(message: str) -> str:
    return f'"{one_line(message, 100)}"'


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _token(key: Any) -> str:
    return one_line(str(key), 60).replace("~", "~0").replace("/", "~1")
