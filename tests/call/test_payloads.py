"""Which errors say CAP_EXCEEDED where the schema has the cap, wherever they say it (SCHEMA.md, section 5.2)."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_governor.call.validate import validate_response
from mcp_governor.surface import build_surface

SCHEMA = {"type": "object", "properties": {"pageSize": {"type": "integer", "maximum": 200}}}
SURFACE = build_surface({"tools": [{"name": "find", "inputSchema": SCHEMA}]})


def answer(code: int, message: str = "It was refused.", data: Any = None) -> dict[str, Any]:
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return {"jsonrpc": "2.0", "id": 1, "error": error}


def places(result: Any, page_size: int) -> list[str]:
    found = validate_response(
        result, tool="find", surface=SURFACE, profile="schema-md", arguments={"pageSize": page_size}
    )
    assert {finding.rule for finding in found} <= {"schema-md/error-code"}
    return [finding.path for finding in found]


@pytest.mark.parametrize(
    ("result", "path"),
    [
        (answer(-32000, data={"code": "CAP_EXCEEDED"}), "/error/code"),
        (answer(-32602, "CAP_EXCEEDED: pageSize"), "/error/message"),
        (answer(-32602, data={"code": "CAP_EXCEEDED"}), "/error/data/code"),
        (answer(-32602, data={"kind": "MY_CAP_EXCEEDED"}), "/error/data/kind"),
        (answer(-32602, data={"error": {"type": "CAP_EXCEEDED"}}), "/error/data/error/type"),
        (answer(-32602, data="CAP_EXCEEDED"), "/error/data"),
    ],
)
def test_a_value_over_a_cap_of_the_schema_is_not_a_runtime_cap(result, path):
    assert places(result, 201) == [path]


@pytest.mark.parametrize(
    "result",
    [
        answer(-32602),
        answer(-32602, "pageSize is over its maximum of 200."),
        answer(-32602, data={"code": "INVALID_PARAMS", "limit": 200}),
        answer(-32602, data={"note": "not CAP_EXCEEDED"}),
        answer(-32602, "The handicap_exceeded argument is unknown."),
    ],
)
def test_invalid_params_is_right(result):
    assert places(result, 201) == []


def test_a_runtime_cap_may_say_so():
    assert places(answer(-32000, "CAP_EXCEEDED", {"code": "CAP_EXCEEDED"}), 200) == []
