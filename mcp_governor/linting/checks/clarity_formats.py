"""Arguments whose form the prose gives, and whose schema takes any text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mcp_governor.linting.checks.clarity_lists import closed_list, sibling_list
from mcp_governor.linting.formats import Form, stated_form
from mcp_governor.linting.open_text import OpenText, open_text
from mcp_governor.linting.said import said_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp_governor.linting.context import Context, Hit, SchemaPlace


def stated_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A form that the description gives is a pattern."""
    yield from _found(node, context, widespread=False)


def widespread_format(node: SchemaPlace, context: Context) -> Iterator[Hit]:
    """A form that everybody knows (URL, e-mail address, UUID) is a pattern as well."""
    yield from _found(node, context, widespread=True)


def _found(node: SchemaPlace, context: Context, *, widespread: bool) -> Iterator[Hit]:
    found = open_text(node, context)
    form = _form(found, context) if found is not None else None
    if found is None or form is None or form.widespread is not widespread:
        return
    # An enum says more than a pattern.
    if next(closed_list(node, context), None) is None and next(sibling_list(node, context), None) is None:
        yield found.hit("pattern", form.pattern, form=form.said)


def _form(found: OpenText, context: Context) -> Form | None:
    """The form that the texts about an argument give: all that give one give the same."""
    forms = {
        form.pattern: form for said in said_of(found.node, context) if (form := stated_form(said.text)) is not None
    }
    if len(forms) != 1:
        return None
    form = next(iter(forms.values()))
    return form if not found.default or re.search(form.pattern, found.default) else None
