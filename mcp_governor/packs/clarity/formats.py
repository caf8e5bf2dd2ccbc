"""Parameters whose format only the description gives, while the schema accepts any string."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.lazy import lazy_pattern
from mcp_governor.packs.clarity.lists import closed_list
from mcp_governor.packs.clarity.open_text import open_text
from mcp_governor.prose.claims import claims_about
from mcp_governor.prose.formats import read_formats
from mcp_governor.prose.passages import passages_about
from mcp_governor.prose.shown_values import declared_values, shown_values
from mcp_governor.rules.scope import about
from mcp_governor.subjects.context import hit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.packs.clarity.open_text import OpenText
    from mcp_governor.prose.claims import Claim
    from mcp_governor.subjects.context import Context, Hit, SchemaPlace


@about(argument=True, types={"array", "string"})
def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A format that the description gives is a pattern."""
    found = open_text(node, context)
    claim = _stated(found, context) if found is not None else None
    if found is None or claim is None or any(closed_list(node, context)):
        return
    pattern = claim.said["pattern"]
    if all(re.search(pattern, value) for value in _shown(found, context)):
        yield hit(
            node.pointer, pattern, argument=found.name, said=claim.sentence, fragment=found.fragment("pattern", pattern)
        )


def _stated(found: OpenText, context: Context) -> Claim | None:
    """The one format that is stated; ``None`` for two, and for several values in one string."""
    claims = [
        claim
        for passage, claim in claims_about(found.node, context, read_formats, mentions=True)
        if (passage.where != "mention" or claim.span[0] < _AT_ONCE)
        and (found.items or not passage.text.lower().startswith(_IN_A_ROW))
    ]
    claims = [claim for claim in claims if claim.sure] or claims  # "ISO 8601 (YYYY-MM-DD)": the drawing says more.
    return claims[0] if len({claim.said["pattern"] for claim in claims}) == 1 else None


_AT_ONCE = 3
"""Where a format begins that stands behind the name of the parameter: "day (MM-YYYY)"."""
_IN_A_ROW = ("list of", "a list of", "array of", "an array of", "comma", "several ")


def _shown(found: OpenText, context: Context) -> Iterator[str]:
    """The values that the schema of a parameter and the words about it show, except drawings of the format."""
    yield from declared_values(found.schema)
    for said in passages_about(found.node, context):
        yield from (value for value in shown_values(said.text) if _DRAWING.fullmatch(value) is None)


_DRAWING = lazy_pattern(r"[A-Za-z<>{}\[\]_]+(?:[./:#@=,-][A-Za-z<>{}\[\]_]+)+")
