"""The configuration: where it is found, what it becomes, and what a wrong one gets."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from mcp_governor.checking.reading import lint_settings
from mcp_governor.config import Config, load_config
from mcp_governor.errors import ConfigError, Exit
from mcp_governor.rules import Suppression, select

FULL = """
target = "search"
baseline = "mcp-surface.json"
profile = ["charter"]
level = "strict"
clients = ["anthropic"]

[servers.search]
command = ["python", "-m", "search_server"]
env = { API_KEY = "$API_KEY" }
list-params = [{ tier = "advanced" }]

[tiers]
facade = ["work_*"]

[lint]
ignore = ["charter/composition"]
severity = { "clarity/length" = "error" }
per-tool-ignores = { "legacy_*" = ["charter/*"] }

[policy]
zero-policy = "strict"
closed-output = "breaking"

[[calls]]
tool = "search"
arguments = { query = "a" }
status = "success"

[[accept]]
finding = "a/b:c:/d:e"
reason = "known"
until = 2027-01-31
"""


def write(folder: Path, text: str, name: str = "mcp-governor.toml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_every_table_arrives(tmp_path: Path) -> None:
    config = load_config(write(tmp_path, FULL))
    assert config.target == "search"
    assert config.profile == ("charter",)
    assert config.servers["search"].command == ("python", "-m", "search_server")
    assert config.servers["search"].list_params == ({"tier": "advanced"},)
    assert config.tiers == {"facade": ("work_*",)}
    assert config.lint.ignore == ("charter/composition",)
    assert config.lint.severity == {"clarity/length": "error"}
    assert config.lint.per_tool_ignores == {"legacy_*": ("charter/*",)}
    assert config.policy.zero_policy == "strict"
    assert config.policy.options == {"closed-output": "breaking"}
    assert config.calls[0].arguments == {"query": "a"}
    assert config.accept[0].until == date(2027, 1, 31)
    assert config.root == tmp_path.resolve()


def test_pyproject_holds_the_same_table(tmp_path: Path) -> None:
    write(tmp_path, '[tool.mcp-governor]\ntarget = "x"\n[tool.mcp-governor.tiers]\nfacade = ["a"]\n', "pyproject.toml")
    assert load_config(start=tmp_path).tiers == {"facade": ("a",)}


def test_the_nearest_file_upwards_wins_and_ours_beats_pyproject(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path, 'target = "outer"')
    assert load_config(start=inner).target == "outer"
    write(tmp_path / "a", '[tool.mcp-governor]\ntarget = "middle"', "pyproject.toml")
    assert load_config(start=inner).target == "middle"
    write(tmp_path / "a", 'target = "own"')
    assert load_config(start=inner).target == "own"
    write(inner, "[tool.other]\n", "pyproject.toml")
    assert load_config(start=inner).target == "own"


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    assert load_config(start=tmp_path) == Config(root=tmp_path.resolve(), searched=True)


def test_the_usual_changelog_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    write(tmp_path / "docs", "# Changelog", "mcp-schema-changelog.md")
    assert load_config(start=tmp_path).changelog == "docs/mcp-schema-changelog.md"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('bselin = "x"', 'unknown key "bselin". Did you mean "baseline"?'),
        ('[servers.a]\ncomand = ["x"]', 'unknown key "servers.a.comand". Did you mean "command"?'),
        (
            '[tool.mcp-governor]\nlevel = "strict"',
            "[tool.mcp-governor] belongs in pyproject.toml only; here the keys have no prefix.",
        ),
        ('[tiers]\nfacad = ["x"]', 'unknown key "tiers.facad". Did you mean "facade"?'),
        ("[servers.a]", '"servers.a" needs exactly one of command, url'),
        ('level = "stric"', '"level" cannot be "stric". Did you mean "strict"?'),
        ('[lint]\nseverity = { "a/b" = "eror" }', '"lint.severity.a/b" cannot be "eror". Did you mean "error"?'),
        ('[[accept]]\nfinding = "x"\nreason = "y"\nuntil = "soon"', '"accept.until" of x is not a date'),
        ('[[accept]]\nfinding = "x"', '"accept.0" is wrong'),
        ("x =", "is not TOML"),
    ],
)
def test_a_wrong_file_is_one_sentence_with_the_key(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    assert caught.value.message.startswith("mcp-governor.toml")
    assert message in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint
    assert caught.value.exit_code is Exit.USAGE


LINES = [
    # The statement with the wrong key or value, however it is spelled.
    ('[policy]\ngate = "change"\nwindow = 1', 'mcp-governor.toml:3: unknown key "policy.window".'),
    ('policy.gate = "change"\npolicy.calver = "mayor"', 'mcp-governor.toml:2: "policy.calver" cannot be "mayor".'),
    ('lint = { persona = "x" }', 'mcp-governor.toml:1: "lint.persona" cannot be "x".'),
    ('[[calls]]\ntool = "a"\n[[calls]]\n# b\nkind = "c"', 'mcp-governor.toml:3: "calls.1" is wrong'),
    ('contract-doc = """\nlevel = 3\n"""\nlevel = 3', 'mcp-governor.toml:4: "level" cannot be 3.'),
    ('clients = [\n  "a = b",\n  3,\n]\ntarget = ""', 'mcp-governor.toml:1: "clients.1" is wrong'),
]


@pytest.mark.parametrize(("text", "message"), LINES, ids=[message.split(": ")[1] for _, message in LINES])
@pytest.mark.parametrize("name", ["mcp-governor.toml", "pyproject.toml"])
def test_the_line_is_that_of_the_statement(text: str, message: str, name: str, tmp_path: Path) -> None:
    if name == "pyproject.toml":
        added = '[tool."mcp-governor"]\n' * (not text.startswith("["))
        text = added + re.sub(r"^(\[+)(\w)", r"\1tool.mcp-governor.\2", text, flags=re.MULTILINE)
        line = re.search(r":(\d+):", message)
        assert line is not None
        message = message.replace(f"mcp-governor.toml:{line[1]}", f"{name}:{int(line[1]) + bool(added)}")
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text, name))
    assert caught.value.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('gaet = "release"', 'unknown key "policy.gaet". Did you mean "gate"?'),
        ('closed-ouput = "breaking"', 'unknown key "policy.closed-ouput". Did you mean "closed-output"?'),
        ('closed-output = "braking"', '"policy.closed-output" cannot be "braking". Did you mean "breaking"?'),
        ("deadline = 0", '"policy.deadline" is wrong: 0 is less than or equal to the minimum of 0.'),
        ("options = {}", 'unknown key "policy.options".'),
    ],
)
@pytest.mark.parametrize("name", ["mcp-governor.toml", "pyproject.toml"])
def test_a_wrong_option_of_the_policy_has_its_line_and_a_guess(
    text: str, message: str, name: str, tmp_path: Path
) -> None:
    header = "[tool.mcp-governor.policy]" if name == "pyproject.toml" else "[policy]"
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, f'{header}\nunknown = "breaking"\n{text}\n', name))
    assert caught.value.message.startswith(f"{name}:3: {message}")
    assert "schema config" in str(caught.value.hint) or "Use one of" in str(caught.value.hint)


def test_a_named_file_must_exist_and_hold_the_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_config(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match=r"has no \[tool.mcp-governor\] table"):
        load_config(write(tmp_path, "[project]\n", "pyproject.toml"))


def test_secrets_are_not_in_a_repr(tmp_path: Path) -> None:
    text = '[servers.a]\nurl = "https://x"\nbearer-token = "hunter2"\nheaders = { X = "hunter3" }'
    assert "hunter" not in repr(load_config(write(tmp_path, text)))


def test_a_suppression_carries_its_reason(tmp_path: Path) -> None:
    text = """
[lint]
ignore = ["charter/length", { rule = "clarity/*", reason = "later" }]
per-tool-ignores = { "old_*" = [{ rule = "spec/unicode" }] }
"""
    settings = lint_settings(load_config(write(tmp_path, text)))
    parsed = [Suppression.parse(item, "lint.ignore") for item in settings.ignore]
    assert parsed == [Suppression("charter/length"), Suppression("clarity/*", "later")]
    ((glob, suppression, ids),) = select(settings).tool_ignores
    assert (glob, suppression, ids) == ("old_*", Suppression("spec/unicode"), {"spec/unicode"})


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ('ignore = [{ rule = "a/b", why = "c" }]', "lint.ignore.0"),
        ('ignore = [{ reason = "c" }]', "lint.ignore.0"),
        ("ignore = [7]", "lint.ignore.0"),
        ('per-tool-ignores = { "x" = ["a/b", { rule = "a/b", reason = 1 }] }', "lint.per-tool-ignores.x.1"),
    ],
)
def test_a_suppression_of_another_shape_is_refused(tmp_path: Path, line: str, where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, f"[lint]\n{line}\n"))
    assert f'"{where}" is not a suppression' in caught.value.message
    assert "reason" in caught.value.hint
