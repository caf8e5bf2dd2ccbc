"""Published schemas that say all they mean: the dialect, closed objects, ``required``, bounded arrays.

Pydantic derives the schemas; what it leaves out is added here, and holds: models of the charter refuse unknown fields,
``app`` refuses unknown arguments, and a result that is larger than the bounds is not sent at all.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from mcp_governor.charter.facts import HINT_RANGE, PII_CATEGORIES
from mcp_governor.schemas.dialects import DIALECT_2020_12
from mcp_governor.schemas.walking import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MATCHES = 50
"""Most alternatives that a recovery lists; three times the packs of rules, which is the longest of our lists."""

_MOST = {"follow_up_hints": HINT_RANGE[1], "fuzzy_matches": MATCHES, "pii_categories": len(PII_CATEGORIES)}
"""The longest lists of the envelope, which the models of the charter leave open because other servers use them."""


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema that says all that it means."""
    done = copy.deepcopy(dict(schema))
    for _, node in list(walk(done)):
        if isinstance(node, dict) and isinstance(node.get("properties"), dict):
            node.setdefault("additionalProperties", False)
            node.setdefault("required", [])
            for name in _MOST.keys() & node["properties"].keys():
                for array in _arrays(node["properties"][name]):
                    array.setdefault("maxItems", _MOST[name])
    return {"$schema": DIALECT_2020_12, **done}


def _arrays(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for branch in (schema, *schema.get("anyOf", ())):
        if branch.get("type") == "array":
            yield branch
