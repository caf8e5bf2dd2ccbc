"""git runs nothing that a repository configures, fetches nothing, and ends: with the git that is installed here."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest
from attack import MEGABYTE, attack
from support import Leash
from traps import TOOL, Trap, put, surface

from mcp_governor.errors import TargetError, UsageError
from mcp_governor.target.git_door import ask_git, ask_remote, name_commit

NAMES = {"GIT_AUTHOR_NAME": "t", "GIT_AUTHOR_EMAIL": "t@h.example", "GIT_COMMITTER_NAME": "t"}
WHO = {**NAMES, "GIT_COMMITTER_EMAIL": "t@h.example", "GIT_CONFIG_GLOBAL": os.devnull}


def git(folder: Path, *arguments: str, code: int = 0, asked: bytes = b"") -> str:
    done = subprocess.run(
        ("git", "-C", str(folder), *arguments),
        env={**os.environ, **WHO},
        input=asked,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code or code < 0, done.stderr
    return done.stdout.decode(errors="replace").strip()


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path / "sprung")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one release."""
    folder = put(tmp_path / "repo", {"mcp-surface.json": surface(), "mcp-governor.toml": ""})
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "one")
    git(folder, "tag", "v1.0.0")
    return folder


LINES = ["check --offline", "diff git:v1.0.0 git:HEAD", "lint git:HEAD", "changelog draft mcp-surface.json --diff"]


def everything_that_runs(trap: Trap) -> str:
    """A configuration that names a program wherever one can be named, and the promisor remote of a partial clone."""
    names = {
        "core": ["fsmonitor", "sshCommand", "gitProxy", "pager", "editor", "askPass", "alternateRefsCommand"],
        "diff": ["external"],
        "gpg": ["program"],
        "credential": ["helper"],
        "sequence": ["editor"],
        "uploadpack": ["packObjectsHook"],
        "pager": ["rev-parse", "cat-file", "for-each-ref", "show", "tag"],
        "alias": ["rev-parse", "cat-file", "for-each-ref"],
        'filter "f"': ["clean", "smudge", "process"],
        'diff "f"': ["textconv", "command"],
    }
    text = "[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
    for section, keys in names.items():
        bang = "!" if section in ("alias", "credential") else ""
        text += f"[{section}]\n" + "".join(f'\t{key} = "{bang}{trap.shell(key)}"\n' for key in keys)
    text += f'[core]\n\thooksPath = "{trap.folder.parent / "hooks"}"\n'
    text += '[extensions]\n\tpartialClone = evil\n[remote "evil"]\n\tpromisor = true\n'
    return text + f'\turl = "{trap.folder.parent / "nowhere"}"\n\tuploadpack = "{trap.shell("uploadpack")}"\n'


def lose_objects(folder: Path) -> None:
    """Everything but the commits: the next look at a file would fetch it."""
    kept = set(git(folder, "rev-list", "--all").split())
    for file in (folder / ".git" / "objects").glob("??/*"):
        if file.parent.name + file.name not in kept:
            file.unlink()


def plant_hooks(trap: Trap) -> None:
    for name in ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman"):
        hook = trap.folder.parent / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\n{trap.shell(name)}\n")
        hook.chmod(0o755)


@pytest.mark.parametrize("line", LINES)
def test_a_shipped_configuration_runs_nothing(repo: Path, trap: Trap, line: str) -> None:
    (repo / ".git" / "config").write_text(everything_that_runs(trap))
    put(repo, {".gitattributes": "* filter=f diff=f\n", ".git/info/attributes": "* filter=f diff=f\n"})
    plant_hooks(trap)
    attack(*line.split(), cwd=repo).held(0, 1)
    assert trap.sprung == []
    lose_objects(repo)
    done = attack(*line.split(), cwd=repo).held(0, 2)
    assert trap.sprung == []
    assert done.code == 2 or "draft" in line  # a file that git cannot give is never taken for one that is not there


def test_the_git_trap_is_armed(repo: Path, trap: Trap) -> None:
    (repo / ".git" / "config").write_text(everything_that_runs(trap))
    lose_objects(repo)
    git(repo, "cat-file", "-p", "v1.0.0:mcp-surface.json", code=-1)
    assert "uploadpack" in trap.sprung
    git(repo, "status", code=-1)
    assert "fsmonitor" in trap.sprung


@pytest.mark.parametrize("bare", [True, False])
@pytest.mark.parametrize("line", LINES[:3])
def test_a_folder_that_is_laid_out_as_a_repository_is_none(
    repo: Path, trap: Trap, tmp_path: Path, bare: bool, line: str
) -> None:
    """It comes with an ordinary clone: nothing in it is called ``.git``."""
    lose_objects(repo)
    inner = tmp_path / "clone" / "sub"
    shutil.copytree(repo / ".git", inner)
    config = everything_that_runs(trap)
    config = config.replace("bare = false", "bare = true" if bare else "bare = false\n\tworktree = ..")
    put(inner, {"config": config, "mcp-surface.json": surface(), "mcp-governor.toml": ""})
    plant_hooks(trap)
    git(inner, "cat-file", "-p", "v1.0.0:mcp-surface.json", code=-1)
    assert "uploadpack" in trap.sprung, "the trap is not armed"
    for file in trap.folder.iterdir():
        file.unlink()
    done = attack(*line.split(), cwd=inner).held(0, 2)
    assert trap.sprung == []
    assert "--offline" in line or "sub is not in a git repository" in done.err
    git(inner.parent, "init", "-q")
    attack(*line.split(), cwd=inner).held(0, 2)
    assert trap.sprung == []


def test_an_older_git_is_not_asked_about_such_a_folder(repo: Path, trap: Trap, tmp_path: Path) -> None:
    """git before 2.38 has no ``safe.bareRepository``; we look ourselves, so git is not even started."""
    inner = tmp_path / "clone"
    shutil.copytree(repo / ".git", inner)
    put(inner, {"mcp-surface.json": surface()})
    program = put(tmp_path / "bin", {"git": f"#!/bin/sh\n{trap.shell('git')}\nexit 128\n"}) / "git"
    program.chmod(0o755)
    env = {"PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}"}
    attack("check", "--offline", cwd=inner, env=env).held(0)
    assert trap.sprung == []
    attack("check", "--offline", cwd=repo, env=env).held(2)
    assert trap.sprung == ["git"]


@pytest.mark.parametrize("path", [".{}{}", "{}{}", "bin{}{}", "{1}{0}bin{0}."])
def test_the_git_that_a_repository_brings_is_not_the_git_that_is_asked(repo: Path, trap: Trap, path: str) -> None:
    for program in ("git", "bin/git"):
        put(repo, {program: f"#!/bin/sh\n{trap.shell()}\nexit 1\n"})
        (repo / program).chmod(0o755)
    env = {"PATH": path.format(os.pathsep, os.environ["PATH"])}
    for line in LINES:
        attack(*line.split(), cwd=repo, env=env).held(0)
    assert trap.sprung == []


REFUSED = {
    "a configuration that is none": lambda git: (git / "config").write_text("[[["),
    "no HEAD that git could follow": lambda git: (git / "HEAD").write_text("nonsense"),
    "the folder of somebody else": lambda git: [os.chown(file, 12345, 12345) for file in (git, git.parent)],
}


@pytest.mark.parametrize("how", REFUSED)
@pytest.mark.parametrize("line", ["check --offline", "check mcp-surface.json", "changelog diff 0.9.0 1.0.0"])
def test_a_repository_that_git_does_not_read_is_not_one_without_releases(repo: Path, how: str, line: str) -> None:
    """Without a baseline nothing breaks, so every one of them passed."""
    put(repo, {"mcp-surface.json": surface({**TOOL, "name": "search"})})
    if "somebody" in how and os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    put(
        repo,
        {
            "mcp-governor.toml": 'changelog = "changes.md"\n',
            "changes.md": "# Changelog\n\n## 1.0.0 (current)\n\n## 0.9.0\n",
        },
    )
    REFUSED[how](repo / ".git")
    done = attack(*line.split(), cwd=repo, env={"SUDO_UID": ""}).held(2)
    assert "error: git " in done.err
    assert "git status" in done.err or "git fsck" in done.err


@pytest.mark.parametrize("kind", ["tree", "commit"])
def test_a_release_with_a_folder_or_a_submodule_in_the_place_of_the_file(repo: Path, kind: str) -> None:
    """It was called a file that a partial clone leaves out."""
    mode, what = ("040000", "HEAD^{tree}") if kind == "tree" else ("160000", "HEAD")
    entry = f"{mode} {kind} {git(repo, 'rev-parse', what)}\tmcp-surface.json\n"
    commit = git(repo, "commit-tree", git(repo, "mktree", asked=entry.encode()), "-m", "two", "-p", "HEAD")
    git(repo, "tag", "v2.0.0", commit)
    git(repo, "update-ref", "refs/heads/main", commit)
    assert "mcp-surface.json at v2.0.0 is not a file" in attack("check", "--offline", cwd=repo).held(2).err


@pytest.mark.parametrize("name", ["--output=x", "-x", "a b", "a\nb", "HEAD\n", "v1.0.0^{commit}\n-", "@{u}", "\x1b[1m"])
def test_a_ref_is_neither_an_option_nor_a_second_question(repo: Path, name: str) -> None:
    done = attack("lint", f"git:{name}", cwd=repo).held(2)
    assert "\x1b" not in done.reported
    assert not (repo / "x").exists()


@pytest.mark.parametrize("path", ["a\nv1.0.0:mcp-surface.json", "../../etc/passwd", "/etc/passwd", "-", "\x00", "."])
def test_a_path_in_git_is_a_path_in_git(repo: Path, path: str) -> None:
    put(repo, {"mcp-governor.toml": f"target = {json.dumps(f'git:HEAD:{path}')}\n"})
    attack("lint", cwd=repo).held(2)


def big_object(folder: Path, kind: str, size: int) -> str:
    """A loose object of ``size`` zeros; it takes a thousandth of that on disk."""
    piece = bytes(MEGABYTE)
    digest, packer = hashlib.sha1(usedforsecurity=False), zlib.compressobj(1)
    packed = []
    for part in (f"{kind} {size}\0".encode(), *[piece] * (size // MEGABYTE)):
        digest.update(part)
        packed.append(packer.compress(part))
    name = digest.hexdigest()
    put(folder / ".git" / "objects", {f"{name[:2]}/{name[2:]}": b"".join([*packed, packer.flush()])})
    return name


@pytest.mark.parametrize("kind", ["blob", "tree"])
def test_an_object_that_is_small_only_when_stored(repo: Path, kind: str) -> None:
    big = big_object(repo, kind, 320 * MEGABYTE)
    tree = big if kind == "tree" else git(repo, "mktree", asked=f"100644 blob {big}\tmcp-surface.json\n".encode())
    commit = git(repo, "commit-tree", tree, "-m", "big", "-p", "HEAD")
    git(repo, "update-ref", "refs/tags/v2.0.0", commit)
    git(repo, "update-ref", "refs/heads/main", commit)
    for line in LINES[:3]:
        done = attack(*line.replace("v1.0.0", "v2.0.0").split(), cwd=repo).held(2)
        assert ("is larger than 56 MiB" if kind == "blob" else "git ") in done.err


def test_many_tags(repo: Path) -> None:
    """30,000 tags, of which every one holds the file: a changelog is held to those that it tells of."""
    head = git(repo, "rev-parse", "HEAD")
    tags = "".join(f"{head} refs/tags/v{number // 1000}.{number % 1000}.0\n" for number in range(1000, 31_000))
    put(repo, {".git/packed-refs": f"# pack-refs with: peeled fully-peeled sorted \n{tags}"})
    sections = "".join(f"\n## {number}.999.0\n\n**Added**\n- `find`\n" for number in range(29, 1, -1))
    put(repo, {"docs/mcp-schema-changelog.md": f"# Changelog\n\n## 31.0.0 (current)\n{sections}"})
    done = attack("check", "--offline", "--format", "json", cwd=repo, seconds=12).held(0, 1)
    assert done.report["baseline"]["source"] == "git:v30.999.0"


def test_a_configuration_that_includes_what_never_ends(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(repo / "fifo")
    with (repo / ".git" / "config").open("a") as config:
        config.write(f"[include]\n\tpath = {repo / 'fifo'}\n")
    leash = Leash()
    monkeypatch.setenv("MCP_GOVERNOR_TEST", leash.mark)
    monkeypatch.setattr("mcp_governor.target.git_door.SECONDS", 1.0)
    with pytest.raises(TargetError, match="git did not answer within 1 seconds"):
        ask_git(repo, "rev-parse", "HEAD")
    assert leash.left_behind() == []


@pytest.mark.parametrize("line", ["check --offline", "check mcp-surface.json"])
def test_a_repository_without_a_git_to_read_it_is_not_one_without_releases(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    put(repo, {"mcp-surface.json": surface({**TOOL, "name": "other"})})
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    run = attack(*line.split(), cwd=repo).held(2)
    assert "git is not installed" in run.err


class TestFetching:
    """The one way to a remote, which jobs of CI use with a token."""

    @pytest.fixture
    def clone(self, repo: Path, tmp_path: Path) -> Path:
        git(repo, "commit", "-q", "--allow-empty", "-m", "two")
        git(tmp_path, "clone", "-q", "--depth=1", repo.as_uri(), "clone")
        return tmp_path / "clone"

    @pytest.mark.parametrize(
        "key",
        [
            "remote.origin.uploadpack",
            "remote.origin.proxy",
            "credential.https://example.org.helper",
            "url.ext::sh.insteadOf",
            "http.sslVerify",
            "transfer.bundleURI",
            "protocol.ext.allow",
            "uploadpack.packObjectsHook",
        ],
    )
    def test_a_clone_that_configures_how_to_fetch_is_refused(self, clone: Path, trap: Trap, key: str) -> None:
        git(clone, "config", key, trap.shell("key"))
        with pytest.raises(UsageError, match="Nothing is fetched: the configuration of this clone has ") as raised:
            ask_remote(clone, "fetch", "--unshallow", "origin")
        assert key.split(".")[0] in raised.value.message
        assert not trap.sprung

    def test_an_included_file_counts_and_the_user_is_trusted(
        self, clone: Path, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        more = tmp_path / "more"
        more.write_text(f'[remote "origin"]\n\tuploadpack = "{trap.shell("key")}"\n')
        git(clone, "config", "include.path", str(more))
        with pytest.raises(UsageError, match=r"remote\.origin\.uploadpack"):
            ask_remote(clone, "fetch", "--unshallow", "origin")
        more.write_text("[credential]\n\thelper = store\n")
        git(clone, "config", "--unset", "include.path")
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(more))
        assert ask_remote(clone, "fetch", "--unshallow", "origin").code == 0

    def test_what_a_checkout_configures_does_not_hinder(self, clone: Path, trap: Trap) -> None:
        """What actions/checkout, git-lfs and husky write; hooks do not run."""
        hook = put(clone.parent / "hooks", {"reference-transaction": f"#!/bin/sh\n{trap.shell('hook')}\n"})
        (hook / "reference-transaction").chmod(0o755)
        for key, value in (
            ("core.hooksPath", str(hook)),
            ("core.fsmonitor", trap.shell("fsmonitor")),
            ("core.sshCommand", trap.shell("ssh")),
            ("http.https://github.com/.extraheader", "AUTHORIZATION: basic x"),
            ("filter.lfs.smudge", trap.shell("smudge")),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("branch.main.merge", "refs/heads/main"),
            ("gc.auto", "1"),
        ):
            git(clone, "config", key, value)
        assert ask_remote(clone, "fetch", "--unshallow", "origin").code == 0
        assert git(clone, "rev-list", "--count", "HEAD") == "2"
        assert name_commit(clone, "refs/remotes/origin/base", git(clone, "rev-parse", "HEAD~1"))
        assert not trap.sprung

    @pytest.mark.parametrize("address", ["ext::sh -c {}", "ssh://localhost/x", "git://localhost:9/x"])
    def test_a_transport_that_is_a_program_is_not_used(self, clone: Path, trap: Trap, address: str) -> None:
        git(clone, "config", "remote.origin.url", address.format(trap.shell("transport")))
        git(clone, "config", "core.sshCommand", trap.shell("ssh"))
        answer = ask_remote(clone, "fetch", "origin", "main")
        assert answer.code != 0
        assert "not allowed" in answer.problem
        assert not trap.sprung

    def test_the_token_is_in_the_environment_of_git_alone(
        self, clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told = tmp_path / "told"
        programs = put(tmp_path / "bin", {"git": f'#!/bin/sh\necho "$@" >>{told}\nenv >>{told}\n'})
        (programs / "git").chmod(0o755)
        monkeypatch.setattr("mcp_governor.target.git_door._refuse_configured", lambda _: None)
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
        monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
        ask_remote(clone, "fetch", "origin", header=("https://github.com", "AUTHORIZATION: basic c2Vj"))
        words, *rest = told.read_text().splitlines()
        assert "c2Vj" not in words
        assert {"GIT_CONFIG_COUNT=2", "GIT_CONFIG_VALUE_1=AUTHORIZATION: basic c2Vj"} <= set(rest)
        assert "GIT_CONFIG_KEY_1=http.https://github.com/.extraheader" in rest
