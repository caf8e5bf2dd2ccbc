"""What a run measured: each answer judged, then counted by kind, tool and confusion.

The first call of an answer decides: it is right if its tool is one of the query's gold tools and no forbidden tool is
called after it. A query that no tool fits is right if nothing is called. A failure of the provider is neither right nor
wrong and is not counted. A proxy cannot abstain, so its answers to such queries are not judged.

How far models agree, and how far families differ, says nothing about being right, because models share mistakes; it is
always shown next to accuracy. Proxies never take part: they are not models.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import combinations
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from mcp_governor.documents import Count  # noqa: TC001 - msgspec reads the types
from mcp_governor.evaluation.model import Kind, Usage
from mcp_governor.evaluation.queries import ABSENT, matches
from mcp_governor.evaluation.statistics import Ends, alpha_of_counts, bootstrap, wilson

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mcp_governor.evaluation.model import Answer, Choice, Executed, Query, QuerySet, Run, RunnerInfo


class Pair(Struct, frozen=True):
    """How often two models chose the same tool.

    Attributes:
        both_right: Queries that both answered rightly, among those that both answered.
    """

    models: tuple[str, ...]
    same: Share
    both_right: Share


class Family(Struct, frozen=True):
    """The models of one provider: the mean of their accuracies."""

    name: str
    accuracy: float
    models: Count


class Agreement(Struct, frozen=True):
    """Several models compared on the same queries.

    Attributes:
        alpha: Krippendorff's alpha of the chosen tools, nominal; null if it is not defined.
        interval: Of alpha, by drawing queries.
        pairs: Each two models.
        families: By name.
        deviation: Standard deviation of the accuracies of families; null with fewer than two.
        spread: The highest accuracy of a family minus the lowest; null as above.
        split: Queries, answered by every family, that some families answer rightly and others do not.
    """

    alpha: float | None
    interval: Ends | None
    pairs: tuple[Pair, ...]
    families: tuple[Family, ...]
    deviation: float | None
    spread: float | None
    split: Share


def agreement(measured: Sequence[Metrics], *, seed: int = 0) -> Agreement | None:
    """Compare models on the queries that they answered.

    Args:
        measured: the runs over one query set; proxies are left out.
        seed: of the bootstrap.

    Returns:
        ``None`` with fewer than two models.
    """
    models = [one for one in measured if not one.runner.is_proxy]
    if len(models) < 2:
        return None
    labels: dict[str, dict[str, str]] = {}
    for one in models:
        for score in one.scores:
            if score.failure is None:
                labels.setdefault(score.query.id, {})[one.runner.name] = score.label
    units = [tuple(sorted(given.values())) for given in labels.values() if len(given) > 1]
    families = _families(models)
    accuracies = [family.accuracy for family in families]
    several = len(families) > 1
    return Agreement(
        pairs=tuple(_pair(one, other) for one, other in combinations(models, 2)),
        alpha=alpha_of_counts(Counter(units)),
        interval=bootstrap(units, alpha_of_counts, seed=seed),
        families=families,
        deviation=pstdev(accuracies) if several else None,
        spread=max(accuracies) - min(accuracies) if several else None,
        split=_split(models),
    )


def _pair(one: Metrics, other: Metrics) -> Pair:
    of_other = {score.query.id: score for score in other.scores if score.failure is None}
    shared = [
        (score, of_other[score.query.id])
        for score in one.scores
        if score.failure is None and score.query.id in of_other
    ]
    return Pair(
        (one.runner.name, other.runner.name),
        Share.of(left.label == right.label for left, right in shared),
        Share.of(left.right is True and right.right is True for left, right in shared),
    )


def _families(models: Sequence[Metrics]) -> tuple[Family, ...]:
    found: dict[str, list[float]] = {}
    for one in models:
        if one.accuracy.value is not None:
            found.setdefault(one.runner.family, []).append(one.accuracy.value)
    return tuple(Family(name, fmean(values), len(values)) for name, values in sorted(found.items()))


def _split(models: Sequence[Metrics]) -> Share:
    """A family answers a query rightly if most of its models do."""
    votes: dict[str, dict[str, list[bool]]] = {}
    families = {one.runner.family for one in models}
    for one in models:
        for score in one.scores:
            if score.right is not None:
                votes.setdefault(score.query.id, {}).setdefault(one.runner.family, []).append(score.right)
    complete = [by_family for by_family in votes.values() if by_family.keys() == families]
    if len(families) < 2:
        return share(0, 0)
    return Share.of(len({2 * sum(rights) > len(rights) for rights in by_family.values()}) > 1 for by_family in complete)


NO_TOOL = ""
"""The label of an answer without a call, which no tool has as its name."""


class Score(Struct, frozen=True):
    """One answer, judged.

    Attributes:
        query: the query.
        label: tool of the first call, or :data:`NO_TOOL`.
        right: ``None`` if the answer is not judged: a failure, or a proxy's answer to a query that no tool fits.
        failure: kind of failure, as in the answer.
        refused: the model refused.
        unknown: tools that were called and do not exist.
        forbidden: forbidden tools that were called.
        arguments: of the first call, if its tool is right: ``valid``, ``invalid``, ``malformed`` (not a JSON object) or
            ``undecided`` (no validator could say); ``None`` if there is no such call, and for proxies.
        matched: the arguments are what the query expects; ``None`` as above, or if it expects nothing.
        outcome: what came of the first call on the live server; ``None`` if that was not tried.
    """

    query: Query
    label: str
    right: bool | None
    failure: str | None = None
    refused: bool = False
    unknown: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    arguments: str | None = None
    matched: bool | None = None
    outcome: Executed | None = None


class Share(Struct, frozen=True):
    """How many of how many, with Wilson's interval."""

    hits: Count
    trials: Count
    value: float | None = field(name="share")
    interval: Ends | None

    @classmethod
    def of(cls, values: Iterable[bool | None]) -> Share:
        """The share of true values among those that are known."""
        known = [value for value in values if value is not None]
        return share(sum(known), len(known))


def share(hits: int, trials: int) -> Share:
    """So many of so many."""
    return Share(hits, trials, hits / trials, wilson(hits, trials)) if trials else Share(hits, trials, None, None)


class Confusion(Struct, frozen=True):
    """A tool that was chosen, or none, where another one is right.

    Attributes:
        gold: The right tools of those queries, sorted; empty if no tool fits.
        chosen: The tool; null for none.
        queries: Ids of the queries.
    """

    gold: tuple[str, ...] = field(name="right")
    chosen: str | None
    queries: tuple[str, ...]


class Metrics(Struct, frozen=True, dict=True):
    """One run, measured.

    Attributes:
        runner: who answered.
        scores: one for each answer, in the order of the answers.
        asked: number of queries of the set, more than answers if the run ended early.
        usage: of all answers.
        served: ids of the models that the provider says have answered, sorted; empty if it does not say.
    """

    runner: RunnerInfo
    scores: tuple[Score, ...]
    asked: int
    usage: Usage
    served: tuple[str, ...] = ()

    @cached_property
    def accuracy(self) -> Share:
        """Right answers among those that are judged."""
        return Share.of(score.right for score in self.scores)

    def accuracy_of(self, kind: Kind) -> Share:
        """The same for the queries of one kind."""
        return Share.of(score.right for score in self.scores if score.query.kind is kind)

    @cached_property
    def by_tool(self) -> dict[str, Share]:
        """Accuracy of the queries of which a tool is the only right one, by tool."""
        judged: dict[str, list[bool | None]] = {}
        for score in self.scores:
            if len(score.query.gold) == 1:
                judged.setdefault(score.query.gold[0], []).append(score.right)
        return {tool: Share.of(values) for tool, values in sorted(judged.items())}

    @property
    def failures(self) -> Counter[str]:
        """Queries without an answer, by kind of failure."""
        return Counter(score.failure for score in self.scores if score.failure is not None)

    @property
    def abstained(self) -> Share:
        """Queries that a tool fits, for which nothing was called."""
        fitting = (score for score in self.scores if score.query.gold and score.right is not None)
        return Share.of(score.label == NO_TOOL for score in fitting)

    @property
    def refused(self) -> int:
        """Queries that the model refused."""
        return sum(score.refused for score in self.scores)

    @property
    def forbidden(self) -> int:
        """Queries for which a forbidden tool was called."""
        return sum(bool(score.forbidden) for score in self.scores)

    @property
    def unknown(self) -> Counter[str]:
        """Called tools that do not exist, by the number of queries."""
        return Counter(name for score in self.scores for name in dict.fromkeys(score.unknown))

    @property
    def arguments(self) -> Share:
        """Calls of right tools whose arguments the input schema accepts."""
        judged = (score.arguments for score in self.scores if score.arguments not in (None, "undecided"))
        return Share.of(said == "valid" for said in judged)

    @property
    def undecided(self) -> int:
        """Calls of right tools whose arguments no validator could judge."""
        return sum(score.arguments == "undecided" for score in self.scores)

    @property
    def matched(self) -> Share:
        """Calls of right tools whose arguments are what the query expects."""
        return Share.of(score.matched for score in self.scores)

    @property
    def executed(self) -> bool:
        """Chosen calls were made, or it is known why they were not."""
        return any(score.outcome is not None for score in self.scores)

    @property
    def end_to_end(self) -> Share:
        """Tasks that succeeded (right tool, valid arguments, good status) among those of which that is known."""
        return Share.of(score.outcome.task for score in self.scores if score.outcome is not None)

    @property
    def statuses(self) -> Counter[str]:
        """Calls that were made, by the status of their results."""
        outcomes = (score.outcome for score in self.scores if score.outcome is not None)
        return Counter(outcome.status for outcome in outcomes if outcome.made)

    @property
    def not_called(self) -> Counter[str]:
        """Tasks that are not counted because no call was made, by the reason."""
        outcomes = (score.outcome for score in self.scores if score.outcome is not None)
        return Counter(outcome.kind for outcome in outcomes if outcome.task is None)

    @cached_property
    def confusions(self) -> tuple[Confusion, ...]:
        """Wrong choices, the most frequent first."""
        found: dict[tuple[tuple[str, ...], str], list[str]] = {}
        for score in self.scores:
            if score.right is False:
                found.setdefault((tuple(sorted(score.query.gold)), score.label), []).append(score.query.id)
        order = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
        return tuple(Confusion(gold, chosen or None, tuple(queries)) for (gold, chosen), queries in order)


def measure(run: Run, queries: QuerySet, tools: Sequence[Mapping[str, Any]], *, split: str | None = None) -> Metrics:
    """Judge every answer of a run.

    Args:
        run: the answers.
        queries: what was asked.
        tools: the tools that were offered: ``name`` and ``inputSchema`` of each.
        split: only queries of this split.
    """
    # Queries about other tools were not asked.
    asked = {one.id: one for one in queries.queries if not one.tools_file and (split is None or one.split == split)}
    schemas = {str(tool["name"]): tool.get("inputSchema") for tool in tools}
    answers = [answer for answer in run.answers if answer.query in asked]
    return Metrics(
        run.runner,
        tuple(judge(asked[answer.query], answer, schemas, is_proxy=run.runner.is_proxy) for answer in answers),
        len(asked),
        Usage.of([answer.usage for answer in answers]),
        tuple(sorted({answer.served for answer in answers if answer.served})),
    )


def judge(query: Query, answer: Answer, schemas: Mapping[str, Any], *, is_proxy: bool = False) -> Score:
    """Judge one answer.

    Args:
        query: what was asked.
        answer: what came back.
        schemas: tool → input schema of the tools that were offered.
        is_proxy: the calls are a ranking, of which only the first place is an answer.
    """
    if answer.failure is not None:
        return Score(query, NO_TOOL, None, failure=answer.failure)
    choices = answer.choices[:1] if is_proxy else answer.choices
    names = [choice.tool for choice in choices]
    label = names[0] if names else NO_TOOL
    if is_proxy and query.kind is Kind.ABSTAIN:
        return Score(query, label, None)
    unknown = tuple(dict.fromkeys(name for name in names if name not in schemas))
    forbidden = tuple(dict.fromkeys(name for name in names if name in query.forbidden))
    right = (label in query.gold if query.gold else not names) and not forbidden
    arguments, matched = None, None
    if names and label in query.gold and not is_proxy:
        arguments = _validity(choices[0], schemas.get(label))
        matched = _matched(query, choices[0])
    return Score(query, label, right, None, answer.refused, unknown, forbidden, arguments, matched, answer.outcome)


def _validity(choice: Choice, schema: Any) -> str:
    if choice.arguments is None:
        return "malformed"
    from mcp_governor.containment.validators import compiled

    # A tool without a readable schema says nothing about its arguments; the linter reports the schema.
    validator = compiled(schema)
    accepted = validator.accepts(dict(choice.arguments)) if validator is not None else None
    return "undecided" if accepted is None else "valid" if accepted else "invalid"


def _matched(query: Query, choice: Choice) -> bool | None:
    if not query.arguments:
        return None
    given = choice.arguments if choice.arguments is not None else {}
    return all(matches(matcher, given.get(name, ABSENT)) for name, matcher in query.arguments.items())
