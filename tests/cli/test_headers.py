"""``--header`` and ``--bearer``: values come from variables, and none is repeated anywhere."""

from __future__ import annotations

import json
import sys

import pytest
from commandline import governor_here
from support import SERVERS

from mcp_governor.cli.launching import headers_of
from mcp_governor.errors import UsageError

sys.path.insert(0, str(SERVERS))
from web import Web

SECRET = "sk-Zq81-0123456789abcdef"


@pytest.fixture(autouse=True)
def variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", SECRET)
    monkeypatch.delenv("API_TOKEN", raising=False)


@pytest.fixture
def here(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return lambda *words: governor_here(*words, capsys=capsys)


@pytest.mark.parametrize(
    ("typed", "bearer", "headers"),
    [
        ((), None, {}),
        ((), "API_KEY", {"Authorization": "Bearer $API_KEY"}),
        ((), "$API_KEY", {"Authorization": "Bearer $API_KEY"}),
        (("X-Key=API_KEY",), None, {"X-Key": "$API_KEY"}),
        (("Authorization=Token ${API_KEY}",), None, {"Authorization": "Token ${API_KEY}"}),
        (("X-Key=API_KEY", "X-Two=API_KEY"), "API_KEY", {
            "X-Key": "$API_KEY", "X-Two": "$API_KEY", "Authorization": "Bearer $API_KEY"
        }),
    ],
)  # fmt: skip
def test_forms(typed, bearer, headers) -> None:
    assert headers_of(typed, bearer) == headers


@pytest.mark.parametrize(
    ("typed", "bearer", "message"),
    [
        ((), "API_TOKEN", "--bearer API_TOKEN: the variable is not set."),
        (("X-Key=$API_TOKEN",), None, "--header X-Key=API_TOKEN: the variable is not set."),
        ((), SECRET, "--bearer takes the name of an environment variable"),
        (("X-Key=" + SECRET,), None, "--header takes the name of an environment variable"),
        ((), "ghp_Other1secret", "--bearer takes the name of an environment variable"),
        ((), "ABCDEFGH23456789ABCD", "--bearer takes the name of an environment variable"),
        ((), "", "--bearer takes the name of an environment variable"),
        (("X-Key",), None, "--header takes NAME=VARIABLE."),
        (("X Key=API_KEY",), None, "--header takes NAME=VARIABLE."),
        (("X-Key=API_KEY", "x-key=API_KEY"), None, "--header x-key is given twice."),
        (("authorization=API_KEY",), "API_KEY", "--bearer and --header Authorization set the same header."),
    ],
)
def test_what_is_refused_is_not_repeated(typed, bearer, message) -> None:
    with pytest.raises(UsageError) as caught:
        headers_of(typed, bearer)
    said = f"{caught.value.message} {caught.value.hint}"
    assert said.startswith(message)
    assert not any(secret in said for secret in (SECRET, "ghp_Other1secret", "ABCDEFGH23456789ABCD"))


def test_a_bearer_token_reaches_the_server_and_no_report(here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "right")
    with Web() as web:
        url = web.url("/guarded")
        outcome = here("snapshot", "-o", "-", url, "--bearer", "API_KEY", "--header", "X-Tenant=API_KEY")
        assert outcome.code == 0, outcome.err
        assert [tool["name"] for tool in json.loads(outcome.out)["tools"]] == ["t"]
        assert {seen[2]["X-Tenant"] for seen in web.seen} == {"right"}
        outcome = here("snapshot", "-o", "-", url)
        assert outcome.code == 3
        assert "it requires credentials (HTTP 401)." in outcome.err
        monkeypatch.setenv("API_KEY", SECRET)
        outcome = here("check", "--isolated", url, "--bearer", "API_KEY", "--report", "json=report.json")
        assert 'from --bearer API_KEY (HTTP 401 invalid_token: "The token "expired", it seems")' in outcome.err
        assert SECRET not in outcome.err + outcome.out


def test_typed_headers_replace_those_of_the_configuration(here, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "right")
    with Web() as web:
        table = f'[servers.s]\nurl = "{web.url("/guarded")}"\nheaders = {{ authorization = "$API_TOKEN" }}\n'
        (tmp_path / "mcp-governor.toml").write_text(table)
        outcome = here("snapshot", "-o", "-", "s", "--bearer", "API_KEY")
        assert outcome.code == 0, outcome.err


@pytest.mark.parametrize("words", [("lint", "x.json"), ("check", "--", "true"), ("lint", "pypi:x")])
def test_headers_for_what_is_not_at_a_url_are_refused(here, tmp_path, words) -> None:
    (tmp_path / "x.json").write_text('{"tools": []}')
    # before `--`, which begins the command of a server
    outcome = here(words[0], "--bearer", "API_KEY", *words[1:])
    assert outcome.code == 2
    assert "--header and --bearer work only with a server at a URL." in outcome.err


def test_init_writes_the_names_of_the_variables(here, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "right")
    with Web() as web:
        outcome = here("init", web.url("/guarded"), "--bearer", "API_KEY", "--header", "X-Key=API_KEY")
        assert outcome.code == 0, outcome.err + outcome.out
        written = (tmp_path / "mcp-governor.toml").read_text()
    assert 'bearer-token = "$API_KEY"' in written
    assert 'X-Key = "$API_KEY"' in written
    assert "right" not in written


def test_an_empty_name_is_not_the_value_of_an_empty_variable(monkeypatch) -> None:
    monkeypatch.setenv("SET_TO_NOTHING", "")
    with pytest.raises(UsageError, match="takes the name of an environment variable"):
        headers_of((), "")
