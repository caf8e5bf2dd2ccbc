"""Markdown of a report: server words can neither become markup nor leave their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from mcp_governor.report.markdown import code, escape, prose


@pytest.mark.parametrize(
    ("raw", "markdown"),
    [
        ("1.0.0-rc (a) + b!", "1.0.0-rc (a) + b!"),
        ("*a* _b_ `c`", r"\*a\* \_b\_ \`c\`"),
        ("<script>", "&lt;script&gt;"),
        ("a | b", r"a \| b"),
        ("[x](http://y)", r"\[x\](http:\//y)"),
        ("hi @team", "hi @<!-- -->team"),
        ("a\nb", "a b"),
        ("\x1b[31m", r"\\x1b\[31m"),
    ],
)
def test_escape(raw: str, markdown: str) -> None:
    assert escape(raw) == markdown


def test_messages_keep_their_code_spans() -> None:
    assert prose("argument `a*b` is <new>") == "argument `a*b` is &lt;new&gt;"
    assert prose("one ` alone") == r"one \` alone"


@pytest.mark.parametrize(("raw", "span"), [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), ("a|b", r"`a\|b`")])
def test_code_spans_cannot_be_ended_from_within(raw: str, span: str) -> None:
    assert code(raw) == span


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_words_become_markup(words: str) -> None:
    tokens = MarkdownIt("commonmark").parseInline(f"x{escape(words)}x")
    kinds = {child.type for child in tokens[0].children or ()}
    # An HTML comment stands in mentions; nothing else may appear.
    assert kinds <= {"text", "text_special", "html_inline", "softbreak"}
    inline = [child.content for child in tokens[0].children or () if child.type == "html_inline"]
    assert set(inline) <= {"<!-- -->"}


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_code_span_is_one_span(words: str) -> None:
    tokens = MarkdownIt("commonmark").parseInline(f"x {code(words)} x")
    assert [child.type for child in tokens[0].children or ()] == ["text", "code_inline", "text"]
