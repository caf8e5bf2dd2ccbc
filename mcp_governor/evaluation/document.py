"""What was measured as a JSON document, the same bytes for the same evaluation, and its schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp_governor.evaluation.model import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.agreement import Agreement
    from mcp_governor.evaluation.assessment import Assessment
    from mcp_governor.evaluation.comparison import Comparison, Moved
    from mcp_governor.evaluation.metrics import Metrics, Score, Share
    from mcp_governor.evaluation.model import Run
    from mcp_governor.evaluation.statistics import Interval

FORMAT = "mcp-governor/evaluation-1"
"""Format and version of the document."""

_DIGITS = 6
"""Decimal places of computed numbers: the last digits of a double differ between systems."""


def document(
    made: Assessment, comparison: Comparison | None, *, failures: Sequence[str] = (), code: int = 0
) -> dict[str, Any]:
    """The document.

    Args:
        made: the evaluation, measured.
        comparison: with a baseline.
        failures: why it does not pass.
        code: the exit code.
    """
    evaluation = made.evaluation
    return {
        "format": FORMAT,
        "server": evaluation.server,
        "fingerprint": evaluation.fingerprint,
        "wording": evaluation.wording,
        "queries": {"name": evaluation.queries.name, "digest": evaluation.queries.digest},
        "split": evaluation.split or None,
        "seed": evaluation.seed,
        "started": evaluation.started,
        "runners": [_runner(one, run) for one, run in zip(made.measured, evaluation.runs, strict=True)],
        "agreement": None if made.agreement is None else _agreement(made.agreement),
        "comparison": None if comparison is None else _comparison(comparison),
        "failures": list(failures),
        "verdict": "pass" if code == 0 else "fail",
    }


def _number(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _interval(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [round(end, _DIGITS) for end in interval]


def _share(share: Share) -> dict[str, Any]:
    return {
        "hits": share.hits,
        "trials": share.trials,
        "share": _number(share.value),
        "interval": _interval(share.interval) if share.trials else None,
    }


def _runner(one: Metrics, run: Run) -> dict[str, Any]:
    info = one.runner
    return {
        "name": info.name,
        "family": info.family,
        "model": info.model,
        "proxy": info.is_proxy,
        "temperature": info.temperature,
        "version": info.version,
        "served": list(one.served),
        "asked": one.asked,
        "answered": len(one.scores) - one.failures.total(),
        "ended": run.ended,
        "accuracy": _share(one.accuracy),
        "kinds": {kind.value: _share(one.accuracy_of(kind)) for kind in Kind},
        "tools": {tool: _share(share) for tool, share in one.by_tool.items()},
        "arguments": {"valid": _share(one.arguments), "expected": _share(one.matched), "undecided": one.undecided},
        "end_to_end": _end_to_end(one) if one.executed else None,
        "abstained": _share(one.abstained),
        "refused": one.refused,
        "forbidden": one.forbidden,
        "unknown": dict(sorted(one.unknown.items())),
        "failures": dict(sorted(one.failures.items())),
        "confusions": [
            {"right": list(each.gold), "chosen": each.chosen or None, "queries": list(each.queries)}
            for each in one.confusions
        ],
        "usage": {
            "input_tokens": one.input_tokens,
            "output_tokens": one.output_tokens,
            "cached_tokens": one.cached_tokens,
            "requests": one.requests,
            "dollars": _number(one.dollars),
        },
        "answers": [_answer(score) for score in one.scores],
    }


def _end_to_end(one: Metrics) -> dict[str, Any]:
    return {
        "success": _share(one.end_to_end),
        "statuses": dict(sorted(one.statuses.items())),
        "not_called": dict(sorted(one.not_called.items())),
    }


def _answer(score: Score) -> dict[str, Any]:
    return {
        "query": score.query.id,
        "chosen": score.label or None,
        "right": score.right,
        "failure": score.failure,
        "arguments": score.arguments,
        "expected": score.matched,
        "outcome": None if score.outcome is None else {"status": score.outcome.status, "kind": score.outcome.kind},
    }


def _agreement(made: Agreement) -> dict[str, Any]:
    return {
        "alpha": _number(made.alpha),
        "interval": _interval(made.interval),
        "pairs": [
            {"models": [pair.one, pair.other], "same": _share(pair.same), "both_right": _share(pair.both_right)}
            for pair in made.pairs
        ],
        "families": [
            {"name": one.name, "accuracy": _number(one.accuracy), "models": one.models} for one in made.families
        ],
        "deviation": _number(made.deviation),
        "spread": _number(made.spread),
        "split": _share(made.split),
    }


def _comparison(made: Comparison) -> dict[str, Any]:
    return {
        "verdict": made.verdict.value,
        "deciding": list(made.deciding),
        "tolerated": _number(made.tolerated),
        "interval": _interval(made.interval),
        "not_compared": made.not_compared,
        "same_tools": made.same_tools,
        "runners": [_moved(one) for one in made.moved],
    }


def _moved(one: Moved) -> dict[str, Any]:
    return {
        "runner": one.runner,
        "queries": one.queries,
        "before": one.before,
        "after": one.after,
        "lost": list(one.lost),
        "gained": list(one.gained),
        "p": _number(one.p),
        "adjusted": _number(one.adjusted),
        "interval": _interval(one.interval),
        "detectable": _number(one.detectable),
        "served_before": list(one.served_before),
        "served_after": list(one.served_after),
        "model_changed": one.model_changed,
    }


def evaluation_schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    maybe = {"type": ["string", "null"]}
    number = {"type": ["number", "null"]}
    interval = {"type": ["array", "null"], "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    names = {"type": "array", "items": text}
    share = {"$ref": "#/$defs/share"}
    shares = {"type": "object", "additionalProperties": share}
    counts = {"type": "object", "additionalProperties": count}
    runner = {
        "name": text,
        "family": text,
        "model": text,
        "proxy": {"type": "boolean", "description": "A ranking by words, which is never model agreement."},
        "temperature": number,
        "version": text,
        "served": {**names, "description": "Ids of the models that the provider says have answered."},
        "asked": count,
        "answered": count,
        "ended": {**maybe, "description": "Why it ended early."},
        "accuracy": share,
        "kinds": shares,
        "tools": shares,
        "arguments": _closed({"valid": share, "expected": share, "undecided": count}),
        "end_to_end": {
            "anyOf": [_closed({"success": share, "statuses": counts, "not_called": counts}), {"type": "null"}],
            "description": "Tasks that succeeded on the live server; null if no calls were made (without --execute).",
        },
        "abstained": share,
        "refused": count,
        "forbidden": count,
        "unknown": counts,
        "failures": counts,
        "confusions": _list(_closed({"right": names, "chosen": maybe, "queries": names})),
        "usage": _closed(
            {
                "input_tokens": count,
                "output_tokens": count,
                "cached_tokens": count,
                "requests": count,
                "dollars": number,
            }
        ),
        "answers": _list(
            _closed(
                {
                    "query": text,
                    "chosen": maybe,
                    "right": {"type": ["boolean", "null"]},
                    "failure": maybe,
                    "arguments": {**maybe, "description": "valid, invalid, malformed or undecided; others may come."},
                    "expected": {"type": ["boolean", "null"]},
                    "outcome": {"anyOf": [_closed({"status": text, "kind": text}), {"type": "null"}]},
                }
            )
        ),
    }
    agreement = {
        "alpha": number,
        "interval": interval,
        "pairs": _list(_closed({"models": names, "same": share, "both_right": share})),
        "families": _list(_closed({"name": text, "accuracy": number, "models": count})),
        "deviation": number,
        "spread": number,
        "split": share,
    }
    moved = {
        "runner": text,
        "queries": count,
        "before": count,
        "after": count,
        "lost": names,
        "gained": names,
        "p": number,
        "adjusted": number,
        "interval": interval,
        "detectable": {**number, "description": "The smallest drop that is found in four of five cases."},
        "served_before": names,
        "served_after": names,
        "model_changed": {"type": "boolean", "description": "Another model has answered than before."},
    }
    comparison = {
        "verdict": {"enum": ["pass", "regressed", "not sensitive enough"]},
        "deciding": names,
        "tolerated": number,
        "interval": interval,
        "not_compared": count,
        "same_tools": {"type": "boolean", "description": "Both offered the same tools, so no wording is the cause."},
        "runners": _list(_closed(moved)),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": FORMAT,
        "description": "What an evaluation measured (`mcp-governor eval run --json-out`).",
        **_closed(
            {
                "format": {"const": FORMAT},
                "server": text,
                "fingerprint": text,
                "wording": text,
                "queries": _closed({"name": text, "digest": text}),
                "split": maybe,
                "seed": count,
                "started": text,
                "runners": _list(_closed(runner)),
                "agreement": {"anyOf": [_closed(agreement), {"type": "null"}]},
                "comparison": {"anyOf": [_closed(comparison), {"type": "null"}]},
                "failures": names,
                "verdict": {"enum": ["pass", "fail"]},
            }
        ),
        "$defs": {"share": _closed({"hits": count, "trials": count, "share": number, "interval": interval})},
    }


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    """Every member is always there; others may come."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
