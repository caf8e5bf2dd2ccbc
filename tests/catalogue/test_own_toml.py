"""Our own TOML files are parsed once per installation."""

from __future__ import annotations

import os
import sys

import pytest

from mcp_governor import kept
from mcp_governor.rule_names import own_toml, rules_folder
from mcp_governor.rules.catalogue import load_catalogue
from mcp_governor.writing import write_file


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """An empty file, and a process that remembers."""
    file = tmp_path / "kept.bin"
    monkeypatch.setattr(kept, "_place", lambda: str(file))
    monkeypatch.setattr(kept, "_made", {})
    monkeypatch.setattr(kept._Process, "remembers", True)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    kept._kept.cache_clear()
    yield file
    kept._kept.cache_clear()


def _next_run():
    written = kept.unkept()
    assert written is not None
    write_file(*written)
    kept._kept.cache_clear()


def test_a_file_is_parsed_again_when_it_changes(tmp_path):
    file = tmp_path / "rules" / "one.toml"
    file.parent.mkdir()
    file.write_text("a = 1\n[[pass]]\nb = 2\n")
    os.utime(file, (1, 1))
    assert own_toml(file) == {"a": 1, "pass": [{"b": 2}]}
    assert own_toml(file, "[[pass]]") == {"a": 1}
    _next_run()
    # Same size and time: as for bytecode, it is taken for the same file.
    file.write_text("a = 3\n[[pass]]\nb = 2\n")
    os.utime(file, (1, 1))
    assert own_toml(file, "[[pass]]") == {"a": 1}
    assert own_toml(file) == {"a": 3, "pass": [{"b": 2}]}
    os.utime(file, (2, 2))
    assert own_toml(file, "[[pass]]") == {"a": 3}
    file.write_text("a = 30\n[[pass]]\nb = 2\n")
    os.utime(file, (1, 1))
    assert own_toml(file, "[[pass]]") == {"a": 30}


def test_all_rules_fit_and_are_read_from_what_was_kept(monkeypatch):
    def read():
        load_catalogue.cache_clear()
        return {rule.id: rule for rule in load_catalogue().rules.values()}

    rules = read()
    assert len(kept._made) >= len(rules)
    written = kept.unkept()
    assert written is not None
    # The expressions take three times as much (tests/test_compiled.py).
    assert len(written[1]) < kept._LIMIT / 8
    write_file(*written)
    kept._kept.cache_clear()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "tomli", None)
        assert read() == rules
    # The examples are not kept, and are read from the file.
    assert rules["clarity/typed-argument"].fails


def test_a_file_that_is_missing_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        own_toml(tmp_path / "none.toml")
    assert own_toml(rules_folder() / "profiles.toml")["recommended"]
