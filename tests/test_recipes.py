"""The recipes of ARCHITECTURE.md and docs/own-rules.md, followed literally.

A copy of the repository gets one of each thing, in exactly the files that its recipe names. Then everything is used
through the command line, the pages are generated, and the tests that look at all rules, kinds, profiles and commands
run in the copy: they fail if one more file were needed.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socketserver
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from recipe_parts import RECIPES, Line

ROOT = Path(__file__).resolve().parent.parent
COPIED = (
    "mcp_governor",
    "rules",
    "contracts",
    "docs",
    "tools",
    "tests",
    "fixtures/quality/precision",
    "fixtures/sources",
    "README.md",
    "ARCHITECTURE.md",
    "pyproject.toml",
)
GENERATED = re.compile(
    r"README\.md|docs/(?:changes|commands|compatibility|configuration|formats|overview|project/(?:coverage|quality)|rules/[\w-]+)\.md|contracts/.+\.json"
    r"|mcp_governor/builtin_rules\.py"
)


def test_architecture_counts_the_files_as_they_are() -> None:
    section = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("\n## How to add\n")[2].partition("\n## ")[0]
    titles = re.findall(r"^\*\*An? ([\w -]+) \((\d) files?\)\.\*\*", section, re.M)
    counts = {name: int(count) for name, count in titles}
    assert counts == {name: len(files) for name, files in RECIPES.items()}
    written = {
        name: [file for file in files if file.startswith(("mcp_governor/", "rules/"))]
        for name, files in RECIPES.items()
    }
    assert max(map(len, written.values())) <= 2
    for name, files in RECIPES.items():
        reported = re.search(rf"^\*\*An? {name} \(.*?(?=^\*\*An? |\Z)", section, re.M | re.S)
        assert reported is not None
        assert [file for file in files if named(file) not in reported[0]] == []


def named(file: str) -> str:
    """How a recipe calls a file: one that is there by its path, a new one with names for the reader to choose."""
    if (ROOT / file).exists():
        return f"`{file}`"
    folder = Path(file).parent
    new = {"rules": "rules/PACK/NAME.toml", "mcp_governor/cli": "mcp_governor/cli/NAME_command.py"}
    new["mcp_governor/packs/clarity"] = "mcp_governor/packs/PACK/MODULE.py"
    return f"`{new.get(folder.parts[0]) or new.get(folder.as_posix()) or f'{folder}/NAME.py'}`"


def write(tree: Path, file: str, parts: list[str | Line]) -> None:
    path = tree / file
    path.parent.mkdir(exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    for part in parts:
        if isinstance(part, Line):
            assert text.count(f"{part.after}\n") == 1, (file, part.after)
            text = text.replace(f"{part.after}\n", f"{part.after}\n{part.text}")
        else:
            text += part.lstrip("\n") if not text else part
    path.write_text(text, "utf-8")


def files_of(tree: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(tree)): path.read_bytes()
        for path in tree.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def run(tree: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    # A run of tests takes 25 s, and once took more than two minutes next to tests that flood the machine.
    return subprocess.run(
        [sys.executable, *words], cwd=cwd or tree, env=env, capture_output=True, text=True, check=False, timeout=300
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with one more of everything."""
    tree = tmp_path_factory.mktemp("recipes") / "repository"
    tree.mkdir()
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    for files in RECIPES.values():
        for file, parts in files.items():
            write(tree, file, parts)
    return tree


@pytest.fixture(scope="module")
def surfaces(tree: Path) -> Path:
    """A folder with two recordings that differ in what is new."""
    folder = tree.parent / "server"
    folder.mkdir()
    for name, size, unit in (("old", 1, "m"), ("new", 2, "km")):
        far = {"type": "number", "description": "How far it may be from here.", "x-unit": unit}
        schema = {"type": "object", "properties": {"far": far}}
        tool = {"name": "find", "description": "Finds a zzyzx.", "inputSchema": schema, "sizeHint": size}
        (folder / f"{name}.json").write_text(json.dumps({"tools": [tool]}))
    return folder


def test_nothing_but_generated_pages_is_written_besides(tree: Path) -> None:
    before = files_of(tree)
    done = run(tree, "tools/docs.py")
    assert done.returncode == 0, done.stderr
    after = files_of(tree)
    changed = {name for name in after if after[name] != before.get(name)}
    assert {"docs/overview.md", "docs/commands.md", "docs/changes.md", "docs/rules/recipe.md"} <= changed
    assert [name for name in sorted(changed) if not GENERATED.fullmatch(name)] == []
    assert "| `tcp:HOST:PORT` | a server behind a port |" in (tree / "docs" / "overview.md").read_text("utf-8")
    # The tests that look at everything there is, and at the pages that were just written.
    every = "recipe or hello or test_docs or test_selection or test_a_command_offers or test_catalogue or documented"
    chosen = f"({every}) and not inert"
    files = ("lint/test_docs.py", "lint/test_selection.py", "lint/test_examples.py", "change/test_catalogue.py")
    more = ("change/test_sentences.py", "cli/test_options.py", "cli/test_exit_codes.py", "report/test_hostile_words.py")
    done = run(tree, "-m", "pytest", "-q", "-x", "-k", chosen, *(f"tests/{file}" for file in files + more))
    assert done.returncode == 0, done.stdout + done.stderr


def governor(tree: Path, folder: Path, *words: str) -> str:
    done = run(tree, "-m", "mcp_governor", *words, cwd=folder)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def test_rules_a_check_a_profile_and_a_format(tree: Path, surfaces: Path) -> None:
    named = ["hygiene/recipe-words", "recipe/words", "clarity/recipe-check"]
    words = [word for rule in named for word in ("--select", rule)]
    assert governor(tree, surfaces, "lint", "old.json", *words, "--format", "recipe") == (
        "pass: clarity/recipe-check, hygiene/recipe-words, recipe/words\n"
    )
    reported = governor(tree, surfaces, "lint", "old.json", "--profile", "recipe-calm", "--format", "recipe")
    assert "recipe/words" in reported
    assert "hygiene/" not in reported


def test_kinds_of_changes(tree: Path, surfaces: Path) -> None:
    report = json.loads(governor(tree, surfaces, "diff", "old.json", "new.json", "--format", "json"))
    assert {(change["kind"], change["verdict"], change["message"]) for change in report["changes"]} == {
        ("recipe-unit-changed", "breaking", 'x-unit of `far` changed from "m" to "km"'),
        ("recipe-size-changed", "compatible", "sizeHint changed from 1 to 2"),
    }


def test_a_key_of_the_configuration(tree: Path, surfaces: Path) -> None:
    own = surfaces / "mcp-governor.toml"
    own.write_text("greeting = 5\n", "utf-8")
    done = run(tree, "-m", "mcp_governor", "lint", "old.json", cwd=surfaces)
    assert (done.returncode, "greeting" in done.stderr, "string" in done.stderr) == (2, True, True), done.stderr
    own.write_text('greeting = "Hello"\n', "utf-8")
    assert '"greeting"' in governor(tree, surfaces, "schema", "config")
    own.unlink()


def test_a_command(tree: Path, surfaces: Path) -> None:
    assert governor(tree, surfaces, "hello", "old.json") == "Hello old.json\n"


class Speaker(socketserver.StreamRequestHandler):
    """A server of the older era, one message a line."""

    def handle(self) -> None:
        for text in self.rfile:
            message = json.loads(text)
            if "id" not in message:
                continue
            results = {
                "initialize": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "far", "version": "1.0.0"},
                },
                "tools/list": {"tools": [{"name": "find", "inputSchema": {"type": "object"}}]},
            }
            result = results.get(message["method"])
            answer = {"result": result} if result else {"error": {"code": -32601, "message": "No such method."}}
            self.wfile.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}).encode() + b"\n")


def test_a_transport(tree: Path, tmp_path: Path) -> None:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Speaker) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        target = f"tcp:127.0.0.1:{server.server_address[1]}"
        governor(tree, tmp_path, "snapshot", target, "--output", "here.json")
        server.shutdown()
    recorded = json.loads((tmp_path / "here.json").read_text("utf-8"))
    assert recorded["serverInfo"]["name"] == "far"
    assert [tool["name"] for tool in recorded["tools"]] == ["find"]
    done = run(tree, "-m", "mcp_governor", "snapshot", target, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (
        3,
        f"error: {target[4:]}: nothing listens there.\nhint: Start the server.\n",
    )


def blocks(language: str) -> list[str]:
    page = (ROOT / "docs" / "own-rules.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.M | re.S)


def test_a_rule_of_a_repository_of_its_own(tmp_path: Path) -> None:
    """Every command, configuration and module of docs/own-rules.md, in its order."""
    begin, examples, trusted = blocks("console")
    settings, check, _entry_point = blocks("toml")
    [module] = blocks("python")
    tool = {"name": "a", "description": "TODO: say it.", "inputSchema": {"type": "object"}}
    (tmp_path / "s.json").write_text(json.dumps({"tools": [tool]}))
    (tmp_path / ".git").mkdir()

    def follow(line: str, *more: str) -> subprocess.CompletedProcess[str]:
        program, *words = line.split()
        assert program == "mcp-governor"
        # As the console script starts: the current folder is not looked into for modules.
        start = "import sys; from mcp_governor.cli import main; main()"
        done = run(ROOT, "-P", "-c", start, *words, *more, cwd=tmp_path)
        assert done.returncode in (0, 1), done.stderr
        return done

    reported = follow(begin).stdout
    assert all(line in reported for line in settings.splitlines())
    (tmp_path / "mcp-governor.toml").write_text(settings)
    assert "acme/finished" in follow("mcp-governor lint s.json").stdout
    for line in examples.splitlines():
        follow(line)

    rule = tmp_path / "rules" / "acme" / "finished.toml"
    text = re.sub(r"^forbid = .*\n", "", rule.read_text(), flags=re.M)
    rule.write_text(re.sub(r"^given = .*\n", check, text, flags=re.M))
    trap = tmp_path / "imported"
    (tmp_path / "rules" / "acme_checks.py").write_text(f"{module}\nopen({str(trap)!r}, 'w').close()\n")
    done = follow("mcp-governor lint s.json")
    assert "acme/finished" not in done.stdout
    assert "because they are not trusted (acme/finished)" in done.stderr
    follow("mcp-governor rule acme/other --new rules")
    assert not trap.exists()
    assert "acme/finished" in follow(f"{trusted.strip()} s.json").stdout
    assert "All rule examples passed." in follow("mcp-governor rules --test").stdout
