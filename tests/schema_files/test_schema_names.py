"""Names of schema files: readable where they can be, and one for each name of a tool on every file system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_governor.errors import UsageError
from mcp_governor.schema_files.documents import MAX_STEM, input_file, output_file, stems, tool_of


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("get_weather", "get_weather"),
        ("omnicell.run-command", "omnicell.run-command"),
        ("GetUser", "GetUser"),
        ("../../etc/passwd", "%2E.%2F..%2Fetc%2Fpasswd"),
        ("..", "%2E."),
        (".hidden", "%2Ehidden"),
        ("a/b", "a%2Fb"),
        ("a\\b", "a%5Cb"),
        ("C:x", "C%3Ax"),
        ("a\0b", "a%00b"),
        ("a\nb", "a%0Ab"),
        ("100%", "100%25"),
        ("con", "%63on"),
        ("NUL", "%4EUL"),
        ("com1.txt", "%63om1.txt"),
        ("console", "console"),
        ("x.output", "x%2Eoutput"),
        ("x.OUTPUT", "x%2EOUTPUT"),
        ("output", "output"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        ("\ud800", "%ED%A0%80"),
        (" ", "%20"),
    ],
)
def test_the_name_of_a_file(name: str, stem: str) -> None:
    assert stems([name]) == {name: stem}
    assert tool_of(input_file(stem)) == (name, False)
    assert tool_of(output_file(stem)) == (name, True)


def test_tools_that_differ_in_case_alone_have_files_that_do_not() -> None:
    assert stems(["Foo", "foo", "FOO", "bar", "Baz"]) == {
        "Foo": "%46oo",
        "foo": "foo",
        "FOO": "%46%4F%4F",
        "bar": "bar",
        "Baz": "Baz",
    }


def test_a_name_that_is_too_long_is_refused() -> None:
    assert stems(["a" * MAX_STEM])
    with pytest.raises(UsageError, match="too long for a file"):
        stems(["é" * MAX_STEM])


@pytest.mark.parametrize("file", ["readme.md", "%2f.json", "a b.json", "%FF.json", ".json", "é.json", "%.json"])
def test_a_file_that_is_not_named_after_a_tool(file: str) -> None:
    assert tool_of(file) is None


@given(
    st.lists(
        st.one_of(st.text(min_size=1, max_size=20), st.text("aAoO.%/conOUTPUT", min_size=1, max_size=9)), unique=True
    )
)
def test_no_two_schemas_share_a_file(names: list[str]) -> None:
    """Ignoring case, as macOS and Windows do; and each name comes back from each of its files."""
    found = stems(names)
    files = [make(found[name]) for name in names for make in (input_file, output_file)]
    assert len({file.lower() for file in files}) == len(files)
    assert [tool_of(file) for file in files] == [(name, is_output) for name in names for is_output in (False, True)]
    for file in files:
        assert file.isascii()
        assert not set(file) & set('/\\:*?"<>| \0')
        assert not file.startswith(".")
