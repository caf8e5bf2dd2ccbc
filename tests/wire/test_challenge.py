"""What is said of a response 401 or 403: which credential is missing, or which one is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.wire import HttpEndpoint
from mcp_governor.wire.client import LONGEST, Challenge, challenge_of, refused

URL = "https://h.example/mcp"


@pytest.mark.parametrize(
    ("header", "schemes", "parameters"),
    [
        ("", (), {}),
        ("Bearer", ("bearer",), {}),
        ('Bearer realm="a, b=c", scope="x y"', ("bearer",), {"realm": "a, b=c", "scope": "x y"}),
        ('Basic realm="a", Bearer error=invalid_token', ("basic", "bearer"), {"realm": "a", "error": "invalid_token"}),
        ("Negotiate, Basic realm=x", ("negotiate", "basic"), {"realm": "x"}),
        (r'Bearer error_description="say \"no\", or"', ("bearer",), {"error_description": 'say "no", or'}),
        ('Bearer realm="never closed', ("bearer",), {}),
        ("=,,=", (), {}),
    ],
)
def test_challenges(header: str, schemes: tuple[str, ...], parameters: dict[str, str]) -> None:
    assert challenge_of(header) == Challenge(schemes, parameters)


@given(st.text())
def test_any_text_is_read(header: str) -> None:
    assert len(challenge_of(header * 3).schemes) <= LONGEST


BEARER = {"Authorization": "Bearer abc"}
KEY = {"X-Key": "abc"}


@pytest.mark.parametrize(
    ("headers", "origins", "status", "header", "message", "hint"),
    [
        ({}, {}, 401, "Bearer", "it requires credentials (HTTP 401).", "--bearer VARIABLE"),
        ({}, {}, 401, "", "it requires credentials (HTTP 401).", "--bearer VARIABLE"),
        ({}, {}, 401, "Basic realm=x", "it requires credentials (HTTP 401).", '"Basic …"'),
        (BEARER, {}, 401, "", "it refuses the credentials (HTTP 401).", "--bearer VARIABLE"),
        (
            BEARER,
            {"authorization": "--bearer API_TOKEN"},
            401,
            'Bearer error="invalid_token", error_description="expired"',
            'it refuses the credentials from --bearer API_TOKEN (HTTP 401 invalid_token: "expired").',
            "Check the value of API_TOKEN.",
        ),
        (
            BEARER,
            {"authorization": "servers.s.bearer-token"},
            403,
            'Bearer error="insufficient_scope", scope="read write"',
            "it refuses the credentials from servers.s.bearer-token "
            '(HTTP 403 insufficient_scope: the scope "read write" is needed).',
            "account or a token that may do this",
        ),
        (
            KEY,
            {"x-key": "--header X-Key"},
            401,
            "Bearer",
            "it refuses the credentials (HTTP 401): x-key (--header X-Key) was sent, "
            "and Authorization (Bearer) is missing.",
            "--bearer VARIABLE",
        ),
        (
            KEY,
            {"x-key": "--header X-Key"},
            401,
            "",
            "it refuses the credentials (HTTP 401): x-key (--header X-Key) was sent.",
            "Check the value of the header.",
        ),
    ],
)
def test_which_credential(headers, origins, status, header, message, hint) -> None:
    error = refused(HttpEndpoint(URL, headers, origins=origins), status, header)
    assert error.message == message
    assert hint in error.hint
    assert "abc" not in error.message + error.hint
