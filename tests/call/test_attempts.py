"""What a tool is called with after a refusal."""

from __future__ import annotations

from datetime import date

import pytest

from mcp_governor.call.candidates import Supply
from mcp_governor.call.good import Attempts
from mcp_governor.call.prose import read_lesson
from mcp_governor.call.sandbox import Sandbox
from mcp_governor.surface import build_surface

DAY = date(2026, 11, 23)
TEXT = {"type": "string"}


@pytest.fixture
def after(tmp_path):
    """Arguments of the second call of a tool, as messages say them, ``None`` where there is none."""

    def second(refusal, properties, required, *, name="do_it", full=False, writes=False):
        hints = {"readOnlyHint": not writes, "destructiveHint": False}
        schema = {"type": "object", "properties": properties, "required": required}
        surface = build_surface({"tools": [{"name": name, "inputSchema": schema, "annotations": hints}]})
        with Sandbox(tmp_path, DAY) as sandbox:
            attempts = Attempts(surface.tools[0], Supply(surface, sandbox).of(surface.tools[0]))
            first = attempts.first(full=full)
            lesson = read_lesson(refusal, attempts.declared, first, DAY)
            return sandbox.portable(attempts.after(first, lesson))

    return second


def test_another_name_where_one_is_taken(after):
    reported = after("'example' already exists", {"path": TEXT, "label": TEXT}, ["path", "label"], writes=True)
    assert reported == {"path": "{sandbox}/notes.txt", "label": "example-2"}


def test_another_kind_of_file_where_one_is_asked_for(after):
    reported = after("path must point to an Excel file (.xlsx, .xlsm)", {"path": TEXT}, ["path"])
    assert reported == {"path": "{sandbox}/workbook.xlsx"}


def test_a_value_that_is_asked_for(after):
    assert after("mode must be one of: fast, slow", {"mode": TEXT}, ["mode"]) == {"mode": "fast"}
    assert after("level must be one of: 3, 4", {"level": {"type": "integer"}}, ["level"]) == {"level": 3}


def test_an_optional_argument_that_is_missing_after_all(after):
    assert after("day is required", {"q": TEXT, "day": TEXT}, ["q"]) == {"q": "example", "day": "{today}"}


def test_an_optional_argument_that_is_too_much(after):
    assert after("unit is not supported here", {"q": TEXT, "unit": TEXT}, ["q"], full=True) == {"q": "example"}


@pytest.mark.parametrize("asked", ["/etc/passwd", "../../x", "~/.ssh/id_rsa", "http://127.0.0.1/"])
def test_a_refusal_does_not_lead_out_of_the_sandbox(after, asked):
    refusal = f"target_path must be one of: '{asked}'. Pass target_path='{asked}'."
    for writes in (False, True):
        reported = after(refusal, {"target_path": TEXT}, ["target_path"], writes=writes)
        assert reported is None or reported["target_path"].startswith("{sandbox}")


def test_nothing_is_tried_twice(after):
    assert after("no", {"q": {"enum": ["only"]}}, ["q"]) is None
