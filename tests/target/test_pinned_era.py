"""``era`` of a configured server: how the session begins, over each kind of endpoint, whatever the server can do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from support import SERVERS, free_port, listening

from mcp_governor.checking.reading import read_surface
from mcp_governor.config import load_config
from mcp_governor.errors import ConfigError, ServerError
from mcp_governor.target import resolve
from mcp_governor.wire import Era

PROTOCOLS = {"modern": "2026-07-28", "legacy": "2025-11-25", "auto": "2026-07-28"}
COMMAND = [sys.executable, str(SERVERS / "plain.py")]


def spoken(folder: Path, era: str, how: str) -> str:
    """The protocol version in which a server with a table of these keys is read."""
    (folder / "mcp-governor.toml").write_text(f'[servers.it]\nera = "{era}"\n{how}\n')
    config = load_config(folder / "mcp-governor.toml")
    return str(read_surface("it", config=config).protocol)


@pytest.mark.parametrize(("era", "protocol"), PROTOCOLS.items())
def test_a_child_is_spoken_to_in_the_era_of_its_table(tmp_path: Path, era: str, protocol: str) -> None:
    how = json.dumps({"version": "2025-11-25"})
    assert spoken(tmp_path, era, f"command = {json.dumps([*COMMAND, how])}") == protocol


def test_an_object_has_the_era_of_its_table(tmp_path: Path) -> None:
    (tmp_path / "mcp-governor.toml").write_text('[servers.it]\nera = "legacy"\nobject = "shop:server"\n')
    source = resolve("it", load_config(tmp_path / "mcp-governor.toml"))
    assert source.endpoint.era is Era.LEGACY


def test_a_server_over_http_is_spoken_to_in_the_era_of_its_table(tmp_path: Path) -> None:
    port = free_port()
    with listening([sys.executable, "-m", "mcp_governor", "serve", "--http", "--port", str(port)], port):
        for era, protocol in PROTOCOLS.items():
            assert spoken(tmp_path, era, f'url = "http://127.0.0.1:{port}/mcp"') == protocol


@pytest.mark.parametrize(("era", "other"), [("modern", "legacy"), ("legacy", "modern")])
def test_a_server_of_the_other_era_is_not_read(tmp_path: Path, era: str, other: str) -> None:
    command = json.dumps([*COMMAND, json.dumps({"era": other})])
    with pytest.raises(ServerError):
        spoken(tmp_path, era, f"command = {command}")


def test_a_transport_of_the_other_era_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"HTTP\+SSE is legacy"):
        spoken(tmp_path, "modern", 'url = "http://127.0.0.1:9/sse"\ntransport = "sse"')
