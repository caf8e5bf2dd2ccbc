"""schema-version is set in a configuration, and nothing else in the file changes."""

from __future__ import annotations

import pytest

from mcp_governor.config.editing import set_text
from mcp_governor.errors import ConfigError

TOOL = ("tool", "mcp-governor")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", 'schema-version = "git-tag"\n'),
        ('target = "x" # a\n\n[servers.x]\n', 'target = "x" # a\nschema-version = "git-tag"\n\n[servers.x]\n'),
        ("# only\n[servers.x]\n", '# only\nschema-version = "git-tag"\n\n[servers.x]\n'),
        ("schema-version = 'serverInfo' # why\n", 'schema-version = "git-tag" # why\n'),
        ('# schema-version = "serverInfo"\nschema-version="serverInfo"\n', None),
        ('servers = {x = {url = "serverInfo"}}\r\nschema-version = "serverInfo"\r\n', None),
        ("\ufefftarget = 'x'\n", "\ufefftarget = 'x'\nschema-version = \"git-tag\"\n"),
        ('schema-version = "server\\u0049nfo"\n', 'schema-version = "git-tag"\n'),
    ],
)
def test_our_own_file(before: str, after: str | None) -> None:
    if after is None:
        head, _, tail = before.rpartition('"serverInfo"')
        after = f'{head}"git-tag"{tail}'
    assert set_text(before, "schema-version", "git-tag", what="c.toml") == after
    assert set_text(after, "schema-version", "git-tag", what="c.toml") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '[project]\nname = "x"\n\n[tool.mcp-governor]\ntarget = "x"\n\n# next\n[tool.ruff]\n',
            '[project]\nname = "x"\n\n[tool.mcp-governor]\ntarget = "x"\n\n# next\nschema-version = "git-tag"\n'
            "[tool.ruff]\n",
        ),
        (
            "[tool.mcp-governor.servers.x]\nurl = 'u'\n",
            "[tool.mcp-governor]\nschema-version = \"git-tag\"\n\n[tool.mcp-governor.servers.x]\nurl = 'u'\n",
        ),
        (
            "[tool]\nmcp-governor = {target = 'x'}\n",
            "[tool]\nmcp-governor = {target = 'x',schema-version = \"git-tag\"}\n",
        ),
        (
            "tool.mcp-governor.schema-version = 'serverInfo'\n",
            'tool.mcp-governor.schema-version = "git-tag"\n',
        ),
    ],
)
def test_a_table_of_a_project(before: str, after: str) -> None:
    assert set_text(before, "schema-version", "git-tag", table=TOOL, what="pyproject.toml") == after


def test_a_file_that_cannot_be_edited() -> None:
    with pytest.raises(ConfigError, match=r"c\.toml is not TOML"):
        set_text("[", "schema-version", "git-tag", what="c.toml")
    with pytest.raises(ConfigError, match=r"tool\.mcp-governor is not a table"):
        set_text("tool = 1\n", "schema-version", "git-tag", table=TOOL, what="pyproject.toml")
