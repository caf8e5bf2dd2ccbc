"""Our own interpreter is started through one door, so that nothing of a checkout can take the place of our code."""

from __future__ import annotations

import ast

from support import REPO

DOOR = "mcp_governor/programs/finding.py"

NAMED = {
    "mcp_governor/cli/demo_command.py",  # the command of the example server, as a user would type it
    "mcp_governor/cli/eval_run.py",  # runs an object that the user named
    "mcp_governor/load/opened.py",  # the same
    "mcp_governor/target/discover/own.py",  # compares: a runner of this name may be ours
    "mcp_governor/schema_files/parity_check.py",  # runs models that the user named
    "mcp_governor/installation.py",  # in a hint
    "mcp_governor/target/packages.py",  # the folder in which uv is
}
"""Modules that need the path of the interpreter, and why it starts nothing of ours there."""


def uses(*names):
    """For each name, the files that mention an attribute or a function, the installer of the action among them."""
    found = {name: set() for name in names}
    for file in [*REPO.glob("mcp_governor/**/*.py"), *REPO.glob("action/*.py")]:
        text = file.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if any(name in text for name in names) else ():
            for name in {getattr(node, "attr", None), getattr(node, "id", None)} & found.keys():
                found[name].add(file.relative_to(REPO).as_posix())
    return found


def test_the_interpreter_is_known_to_one_module():
    assert uses("executable", "our_interpreter") == {
        "executable": {DOOR, "action/install.py"},
        "our_interpreter": NAMED,
    }


def test_the_installer_of_the_action_starts_it_isolated_and_elsewhere():
    """It runs before mcp-governor is there, so it has no door to use."""
    (call,) = [
        node
        for node in ast.walk(ast.parse((REPO / "action/install.py").read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "subprocess.run"
    ]
    assert {word.arg: ast.unparse(word.value) for word in call.keywords}["cwd"] == "temporary"
    starts = [ast.unparse(node.elts[1]) for node in ast.walk(ast.parse((REPO / "action/install.py").read_text("utf-8")))
              if isinstance(node, ast.List) and len(node.elts) > 3]  # fmt: skip
    assert starts == ["'-I'", "'-I'"]
