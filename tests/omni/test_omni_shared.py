"""The shared schemas of the tool schema guide and the functions around them (sections 0 and 0a)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mcp_governor.call.results import server_info_breaches
from mcp_governor.call.validate import validate_response
from mcp_governor.omni import server_info, tool_result

OK = {"content": [{"type": "text", "text": "3 files"}], "isError": False}

RESULTS = [
    (OK, True),
    ({**OK, "isError": True}, True),
    ({**OK, "content": [{"type": "text", "text": ""}]}, True),
    ({**OK, "content": OK["content"] * 2}, True),
    (None, False),
    ("text", False),
    ({}, False),
    ({"content": OK["content"]}, False),
    ({"isError": False}, False),
    ({**OK, "isError": None}, False),
    ({**OK, "isError": "false"}, False),
    ({**OK, "content": None}, False),
    ({**OK, "content": []}, False),
    ({**OK, "content": [{"type": "text"}]}, False),
    ({**OK, "content": [{"type": "text", "text": None}]}, False),
    ({**OK, "content": [{"type": "image", "text": ""}]}, False),
    ({**OK, "content": [{"type": "text", "text": "", "annotations": {}}]}, False),
    ({**OK, "structuredContent": {}}, False),
]
INFO = {"name": "omni", "version": "1", "protocolVersion": "2025-11-25"}
INFOS = [
    (INFO, True),
    ({**INFO, "message": "hello"}, True),
    (None, False),
    ([], False),
    ({**INFO, "message": None}, False),
    ({**INFO, "extra": 1}, False),
    *(({key: value for key, value in INFO.items() if key != name}, False) for name in INFO),
    *(({**INFO, name: 1}, False) for name in INFO),
]


@pytest.mark.parametrize("module", [tool_result, server_info])
def test_the_schema_is_one_file(module: Any) -> None:
    path = module.get_schema_path()
    assert path.name == f"{module.NAME}.schema.json"
    schema = json.loads(path.read_text("utf-8"))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["additionalProperties"] is False
    assert module.get_validator().schema == schema


@pytest.mark.parametrize(("payload", "valid"), RESULTS)
def test_tool_results(payload: Any, valid: bool) -> None:
    assert tool_result.is_canonical(payload) is valid
    if valid:
        tool_result.validate(payload)
    else:
        with pytest.raises(ValueError, match=r"does not conform to omni\.mcp\.tool_result\.v1 at "):
            tool_result.validate(payload)


@pytest.mark.parametrize(("payload", "valid"), RESULTS)
def test_the_rules_agree_with_the_schema_of_results(payload: Any, valid: bool) -> None:
    """A result that the schema refuses is a finding of the profile, and one that it accepts is none."""
    rules = {found.rule for found in validate_response(payload, tool=None, profile="omni")}
    about = {"omni/tool-result", "call/result-shape", "call/result-type", "envelope/missing"} & rules
    assert (not about) is valid, rules


@pytest.mark.parametrize(("payload", "valid"), INFOS)
def test_server_infos(payload: Any, valid: bool) -> None:
    assert (not list(server_info_breaches(payload))) is valid
    if valid:
        server_info.validate(payload)
    else:
        with pytest.raises(ValueError, match=r"does not conform to omni\.agent\.server_info\.v1 at "):
            server_info.validate(payload)


def test_what_is_built_is_valid() -> None:
    assert tool_result.build_result("3 files") == OK
    assert tool_result.build_result(None, is_error=True) == {"content": [{"type": "text", "text": ""}], "isError": True}
    assert server_info.build_server_info("omni", "1", "2025-11-25") == INFO
    assert server_info.build_server_info("omni", "1", "2025-11-25", "hello") == {**INFO, "message": "hello"}
    with pytest.raises(ValueError, match="at /content/0/text"):
        tool_result.build_result(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at /version"):
        server_info.build_server_info("omni", 1, "x")  # type: ignore[arg-type]
