"""What ``init`` writes for CI and as a hook: a workflow, a job, an entry for pre-commit."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from beginnings import HOOKS, SECRET, WORKFLOW, begun, parsed, plain, steps_of
from projects import committed, contents, git, governor, repository, write
from support import REPO

from mcp_governor.cli.init_files import HOOK_FILES, _ours, ci_offers
from mcp_governor.wire import StdioEndpoint

OURS = _ours()
"""What CI installs us from: it depends on where this checkout came from (``test_installation.py`` tries them all)."""
ASKED = {"MCP_GOVERNOR": "${{ vars.MCP_GOVERNOR }}"}
COREPACK = "npm install --global --force corepack"
PROJECT = '[project]\nname = "stock"\n'
APART = "python -m venv .venv && .venv/bin/pip install"

FUTURE = "from __future__ import annotations\n"
SPY = """
import os, pathlib
pid = os.getppid()
with open("../seen", "a") as seen:
    while pid > 1:
        seen.write(pathlib.Path(f"/proc/{pid}/environ").read_text(errors="replace"))
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
"""
"""A server that reads the variables of every process above it."""


def offered(root, *command):
    """The workflow that ``init`` writes for a server with this command."""
    (offer,) = ci_offers(root, StdioEndpoint(command))
    return {WORKFLOW: offer.text.encode()}


class TestWorkflow:
    """What ``init`` writes for CI."""

    @pytest.mark.parametrize(
        ("files", "install"),
        [
            ({}, []),
            ({"pyproject.toml": PROJECT}, [f"{APART} ."]),
            (
                {"pyproject.toml": "[tool.ruff]\n", "requirements.txt": "fastmcp\n"},
                [f"{APART} -r requirements.txt"],
            ),
            ({"pyproject.toml": PROJECT, "uv.lock": ""}, ["pip install 'uv>=0.9'", "uv sync --locked"]),
            (
                {"pyproject.toml": PROJECT, "poetry.lock": ""},
                ["pip install poetry", "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install"],
            ),
        ],
        ids=["bare", "project", "requirements", "uv", "poetry"],
    )
    def test_a_python_server_is_installed_in_an_environment_of_its_own(self, tmp_path, files, install):
        written = offered(write(tmp_path, {"stock.py": "", **files}), sys.executable)
        commands, job = steps_of(written)
        assert commands == install
        assert job["steps"][2]["run"].endswith(f"pip install {OURS}")
        assert job["steps"][2].get("env") == (ASKED if "${MCP_GOVERNOR" in OURS else None)
        assert (b"Also install what the server needs" in written[WORKFLOW]) == (not files)

    @pytest.mark.parametrize(
        ("lock", "commands"),
        [
            ("package-lock.json", ["npm ci", "npm run build --if-present"]),
            ("pnpm-lock.yaml", [COREPACK, "pnpm install --frozen-lockfile", "pnpm run build"]),
            ("yarn.lock", [COREPACK, "yarn install --immutable", "yarn run build"]),
        ],
    )
    def test_the_lock_file_says_how_a_node_server_is_built(self, tmp_path, lock, commands):
        write(tmp_path, {"package.json": '{"scripts": {"build": "tsc"}}', lock: "{}"})
        written = offered(tmp_path, "node", "index.js")
        found, job = steps_of(written)
        assert found == commands
        assert any(step.get("uses", "").startswith("actions/setup-node@") for step in job["steps"])

    def test_the_branch_of_the_clone_is_the_one_that_is_checked(self, tmp_path):
        root = repository(tmp_path / "shop", {"README.md": "a"})
        git(root, "branch", "-m", "trunk")
        git(tmp_path, "clone", "-q", str(root), str(tmp_path / "clone"))
        assert governor(tmp_path / "clone", "init", "--", *plain()).returncode == 0
        workflow = parsed(contents(tmp_path / "clone")[WORKFLOW])
        assert workflow[True]["push"]["branches"] == ["trunk"]

    @pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc")
    def test_the_server_finds_the_token_in_no_process_above_it(self, tmp_path):
        """The steps as GitHub runs them, for a commit on the main branch."""
        python, server, how = plain()
        root = repository(tmp_path / "shop", {"server.py": Path(server).read_text().replace(FUTURE, FUTURE + SPY)})
        begun(root, "--", python, "server.py", how)
        committed(root, "governed")
        (tmp_path / "temp/governor/bin").mkdir(parents=True)
        (tmp_path / "temp/governor/bin/mcp-governor").symlink_to(Path(sys.executable).with_name("mcp-governor"))
        variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "RUNNER_TEMP": str(tmp_path / "temp")}
        variables |= {"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "push", "GITHUB_REPOSITORY": "us/shop"}
        variables |= {"GITHUB_REF": "refs/heads/main", "GITHUB_OUTPUT": str(tmp_path / "output")}
        variables["GITHUB_SHA"] = git(root, "rev-parse", "HEAD").stdout.strip()
        (tmp_path / "output").touch()
        (tmp_path / "seen").unlink()
        for step in steps_of(contents(root))[1]["steps"]:
            if "--phase" in step.get("run", ""):
                env = dict.fromkeys(step.get("env", {}), SECRET)
                done = subprocess.run(
                    ["bash", "-e", "-c", step["run"]],
                    cwd=root,
                    env={**variables, **env},
                    capture_output=True,
                    check=False,
                )
                assert done.returncode == 0, done.stdout + done.stderr
        assert "verdict=pass" in (tmp_path / "output").read_text()
        seen = (tmp_path / "seen").read_text()
        assert "RUNNER_TEMP" in seen
        assert SECRET not in seen

    def test_a_server_in_a_folder_of_a_repository(self, tmp_path):
        """Its jobs and hooks have names of their own, and run when its own files change."""
        root = repository(tmp_path / "mono", {"README.md": "a", ".gitlab-ci.yml": "a", ".github/x": ""})
        folder = write(root / "packages" / "the stock", {"README.md": "a"})
        reported, _ = begun(folder, "--", *plain())
        name = "mcp-governor-packages-the-stock"
        file = f".github/workflows/{name}.yml"
        _, job = steps_of(contents(root), file, paths=["packages/the stock/**", file])
        assert parsed(contents(root)[file])["name"] == name
        assert job["defaults"]["run"]["working-directory"] == "packages/the stock"
        (pasted,) = re.findall(rf"^    {name}:\n(?:    .*\n)+", reported, re.MULTILINE)
        changes = [rule.get("changes") for rule in parsed(textwrap.dedent(pasted))[name]["rules"]]
        assert changes == [["packages/the stock/**/*"], ["packages/the stock/**/*"], None]
        text = (root / HOOKS).read_text()
        (hook,) = parsed(text)["repos"][0]["hooks"]
        (_, more) = parsed(re.sub(r"(?m)^( +)#(-|  )", r"\1\2", text))["repos"][0]["hooks"]
        for files, own in ((hook["files"], "mcp-surface.json"), (more["files"], "src/a.py")):
            names = [f"packages/the stock/{own}", f"packages/the stock/sub/{own}", f"packages/other/{own}", own]
            assert [bool(re.search(files, one)) for one in names] == [True, True, False, False]
        _, *arguments = shlex.split(hook["entry"])
        assert arguments == ["check", "--offline", "--new-only", "--config", "packages/the stock/mcp-governor.toml"]
        assert governor(root, *arguments).returncode == 0

    def test_gitlab_gets_a_job_to_paste_and_nothing_is_touched(self, tmp_path):
        write(tmp_path, {".gitlab-ci.yml": "stages: [test]\n"})
        reported, written = begun(tmp_path, "--", *plain())
        assert WORKFLOW not in written
        assert ".gitlab-ci.yml was not changed; add this job" in reported
        start = reported.index("    mcp-governor:\n")
        job = parsed(textwrap.dedent(reported[start : reported.index("Next: commit")]))["mcp-governor"]
        reports = "--report gitlab=gl-code-quality.json --report junit=governor.xml"
        assert job["script"] == [f"pip install {OURS}", f"mcp-governor ci -- {reports}"]
        assert job["artifacts"]["reports"] == {"codequality": "gl-code-quality.json", "junit": "governor.xml"}
        assert job["variables"] == {"GIT_DEPTH": "0"}

    def test_what_is_there_stays_and_what_is_not_wanted_is_not_written(self, tmp_path):
        write(tmp_path, {WORKFLOW: "mine\n", HOOKS: "mine\n"})
        reported, written = begun(tmp_path, "--", *plain())
        assert f"{WORKFLOW}  exists, not changed" in reported
        assert "add this to its `repos`:" in reported
        assert written[WORKFLOW] == written[HOOKS] == b"mine\n"
        reported, written = begun(write(tmp_path / "other", {"a": ""}), "--no-ci", "--no-hook", "--", *plain())
        assert not {WORKFLOW, HOOKS} & set(written)
        assert "pre-commit" not in reported


class TestHook:
    """What ``init`` writes for pre-commit; the hook itself is tried in ``test_precommit.py``."""

    OTHER = "- repo: https://example.org/hooks\n  rev: v1\n  hooks:\n    - id: other\n"

    def test_the_files_are_those_of_the_hook_that_we_publish(self):
        (published,) = [
            hook for hook in parsed((REPO / ".pre-commit-hooks.yaml").read_text()) if hook["id"] == "mcp-governor"
        ]
        assert published["files"] == HOOK_FILES

    @pytest.mark.parametrize(
        "text",
        [
            "repos:\n" + OTHER,
            "default_stages: [pre-commit]\nrepos: # ours\n\n" + textwrap.indent(OTHER, "  ") + "  # the end\n",
            "repos:\n" + textwrap.indent(OTHER, "    ").rstrip("\n"),
        ],
        ids=["no-indent", "indented", "no-line-feed"],
    )
    def test_an_existing_list_gets_one_more(self, tmp_path, text):
        write(tmp_path, {HOOKS: text})
        done = governor(tmp_path, "init", "--", *plain())
        assert "gets one more hook" in done.stdout
        new = (tmp_path / HOOKS).read_text()
        assert new.startswith(text)
        before, after = parsed(text), parsed(new)
        assert after["repos"][:-1] == before["repos"]
        assert after["repos"][-1]["hooks"][0]["entry"] == "mcp-governor check --offline --new-only"
        assert {**after, "repos": before["repos"]} == before

    @pytest.mark.parametrize(
        "text",
        [
            "repos: []\n",
            "",
            "repos:\n" + OTHER + "ci:\n  autofix_prs: false\n",
            "repos:\r\n" + OTHER.replace("\n", "\r\n"),
            "repos: &all\n" + OTHER,
            "\ufeffrepos:\n" + OTHER,
        ],
    )
    def test_a_file_in_another_style_is_left_and_the_hook_is_shown(self, tmp_path, text):
        (tmp_path / HOOKS).write_bytes(text.encode())
        done = governor(tmp_path, "init", "--", *plain())
        assert done.returncode == 0
        assert (tmp_path / HOOKS).read_bytes() == text.encode()
        shown = done.stdout[done.stdout.index("    - repo: local") : done.stdout.index("Next: commit")]
        ((item),) = parsed(textwrap.dedent(shown))
        assert item["hooks"][0]["id"] == "mcp-governor"

    def test_a_hook_that_is_there_is_not_added_again(self, tmp_path):
        text = "repos:\n" + self.OTHER.replace("other", "mcp-governor")
        write(tmp_path, {HOOKS: text})
        done = governor(tmp_path, "init", "--", *plain())
        assert f"{HOOKS}             already has the hook" in done.stdout
        assert (tmp_path / HOOKS).read_text() == text
