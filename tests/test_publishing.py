"""The files around a release agree with each other and name only what is there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import portable
import pytest
import release_tag
import tomli
import yaml

from mcp_governor._version import __version__
from mcp_governor.installation import NAME, REQUIRED

ROOT = Path(__file__).resolve().parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def steps(path: Path) -> list[dict[str, Any]]:
    return [step for job in load(path)["jobs"].values() for step in job.get("steps", ())]


class TestWorkflows:
    def test_they_are_there(self) -> None:
        assert [path.stem for path in WORKFLOWS] == ["ci", "nightly", "release"]

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_actions_are_pinned_by_commit_and_name_their_release(self, path: Path) -> None:
        used = re.findall(r"uses: (\S+)(.*)", path.read_text("utf-8"))
        assert used
        for action, comment in used:
            if action.startswith("$/"):
                assert (ROOT / action.removeprefix("$/")).is_file()
            else:
                assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
                assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), action

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_they_run_what_is_there(self, path: Path) -> None:
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        run = "\n".join(step["run"] for step in steps(path) if "run" in step)
        assert set(re.findall(r"\bmake ([\w-]+)", run)) <= set(targets)
        for script in re.findall(r"(?:^|\s)((?:tools|\.ci)/[\w./-]+)", run):
            assert (ROOT / script).is_file(), script

    @pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
    def test_no_expression_is_pasted_into_a_shell(self, path: Path) -> None:
        assert not [step for step in steps(path) if "${{" in step.get("run", "")]

    def test_a_release_holds_no_token(self) -> None:
        release = load(ROOT / ".github" / "workflows" / "release.yml")
        assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")
        jobs = release["jobs"]
        assert release["permissions"] == {}
        signing = {name for name, job in jobs.items() if "id-token" in job.get("permissions", {})}
        assert signing == {"attest", "publish"}
        # A job that may sign runs nothing of ours.
        assert not [step for name in signing for step in jobs[name]["steps"] if "run" in step]
        assert jobs["publish"]["environment"]["name"] == "pypi"
        assert {"build", "attest"} <= set(jobs["publish"]["needs"])

    def test_what_runs_on_every_system_is_there(self) -> None:
        assert [place for place in portable.PLACES if not (ROOT / place).exists()] == []


class TestSources:
    """The sdist: what its tests and pages need."""

    INCLUDED = tomli.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["sdist"][
        "include"
    ]

    def test_what_it_includes_is_there(self) -> None:
        assert [place for place in self.INCLUDED if not (ROOT / place).exists()] == []

    def test_it_has_what_links_lead_to(self) -> None:
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("README.md")]
        links = {
            (page.parent / link).resolve().relative_to(ROOT).parts[0]
            for page in pages
            for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8"))
            if (page.parent / link).resolve().is_relative_to(ROOT) and (page.parent / link).exists()
        }
        assert links >= {"contracts", "examples"}
        # The license is included by itself.
        assert links - {*self.INCLUDED, "LICENSE"} == set()


class TestVersions:
    def test_every_place_states_the_version(self) -> None:
        found = release_tag.stated()
        # The changelog has no section before the first release.
        assert {place: version for place, version in found.items() if version != __version__} in (
            {},
            {"CHANGELOG.md": ""},
        )

    def test_a_tag_is_refused_that_names_another(self, monkeypatch, capsys) -> None:
        monkeypatch.setattr(sys, "argv", ["release_tag.py", "v99.0.0"])
        with pytest.raises(SystemExit) as ended:
            release_tag.main()
        assert ended.value.code == 1
        assert f"server.json, packages states {__version__}, but the tag is v99.0.0." in capsys.readouterr().out

    def test_a_tag_is_accepted_where_all_agree(self, monkeypatch, capsys) -> None:
        monkeypatch.setattr(release_tag, "stated", lambda: {"a": "1.0.0"})
        monkeypatch.setattr(sys, "argv", ["release_tag.py", "v1.0.0"])
        with pytest.raises(SystemExit) as ended:
            release_tag.main()
        assert (ended.value.code, capsys.readouterr().out) == (0, "")


class TestManifest:
    """``server.json``; that it states the version of our surface is ``policy/manifest-version`` in `make check`."""

    MANIFEST = json.loads((ROOT / "server.json").read_text("utf-8"))

    def test_it_starts_our_server_from_the_package(self) -> None:
        (package,) = self.MANIFEST["packages"]
        assert (package["registryType"], package["identifier"]) == ("pypi", NAME)
        given = [(one["name"], one["value"]) for one in package["runtimeArguments"]]
        assert given == [("--with", REQUIRED["serve"])]
        assert [one["value"] for one in package["packageArguments"]] == ["serve"]

    def test_the_readme_names_it(self) -> None:
        """The registry takes this mark on the package's page as the proof that the package is ours."""
        assert f"<!-- mcp-name: {self.MANIFEST['name']} -->" in (ROOT / "README.md").read_text("utf-8")


class TestImage:
    TEXT = (ROOT / "Dockerfile").read_text("utf-8")

    def test_what_it_copies_is_there_and_reaches_the_builder(self) -> None:
        copied = [
            place
            for words in re.findall(r"^COPY (?!--from)(.+)$", self.TEXT, re.MULTILINE)
            for place in words.split()[:-1]
        ]
        assert [place for place in copied if not (ROOT / place).exists()] == []
        ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        assert sorted(copied) == sorted(line[1:] for line in ignored if line.startswith("!"))

    def test_it_does_not_run_as_root(self) -> None:
        assert re.search(r"^USER (?!0|root)", self.TEXT, re.MULTILINE)
