"""Export, check and parity on servers as PyPI has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from commandline import governor
from support import missing, uv

pytestmark = pytest.mark.live

RELEASES = {
    # their models: GitStatus, GitLog … for git_status, git_log …; Fetch for fetch; time has none
    "git": ("mcp-server-git==2025.9.25", 12),
    "fetch": ("mcp-server-fetch==2025.4.7", 1),
    "time": ("mcp-server-time==2025.9.25", 0),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose environment has the three servers."""
    root = tmp_path_factory.mktemp("published")
    (root / ".git").mkdir()
    packages = [package for package, _ in RELEASES.values()]
    for command in (
        [uv(), "venv", "--quiet", "--python", sys.executable, ".venv"],
        [uv(), "pip", "install", "--quiet", "--python", ".venv/bin/python", *packages, "mcp<2"],
    ):
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode:
            missing(f"the servers cannot be installed: {done.stderr.strip()[-300:]}")
    return root


@pytest.mark.parametrize("name", RELEASES)
def test_a_published_server(project: Path, name: str) -> None:
    # The environment of the tests is not the one of the project.
    env = {"VIRTUAL_ENV": str(project / ".venv"), "PATH": os.environ["PATH"]}
    target = ("--", f".venv/bin/mcp-server-{name}")
    folder, models = f"schemas/{name}", RELEASES[name][1]
    assert governor("schemas", "export", folder, *target, cwd=project, env=env).code == 0
    assert governor("schemas", "check", folder, *target, cwd=project, env=env).code == 0
    line = ("schemas", "check", folder, "--models", f"mcp_server_{name}.server", "--format", "json")
    parity = governor(*line, cwd=project, env=env)
    if not models:
        assert parity.code == 4, parity.out
        return
    assert (parity.code, parity.report["summary"]["models"], parity.report["findings"]) == (0, models, []), parity.out
    # A required parameter becomes optional in one file.
    file = next(path for path in sorted((project / folder).glob("*.json")) if not path.name.startswith("."))
    schema = json.loads(file.read_text())
    lost = schema["required"].pop()
    file.write_text(json.dumps(schema))
    found = governor("schemas", "check", folder, "--format", "json", *target, cwd=project, env=env)
    assert (found.code, found.report["findings"][0]["rule"]) == (1, "schemas/differs")
    parity = governor(*line, cwd=project, env=env)
    assert [one["rule"] for one in parity.report["findings"]] == ["schemas/parity-required"]
    assert f'requires "{lost}"' in parity.report["findings"][0]["message"]
