"""Names that show what the data of a response contains: matches, a caveat, a score, a log.

No source defines these names; they are those that servers use. Each set says how the checks use it
(:mod:`mcp_governor.charter.meaning`, :mod:`mcp_governor.charter.fields`). Names are compared as
:func:`member_name` spells them.
"""

from __future__ import annotations

import re
from typing import Final

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def member_name(key: object) -> str:
    """A member's name as these sets spell it: ``relevanceScore`` is ``relevance_score``."""
    return _HUMP.sub("_", str(key)).lower()


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


# -- was anything found

HITS: Final = _set("rows items results matches hits records entries documents docs objects data resources nodes found")
"""Lists that contain the matches, whatever the tool is about."""

QUERIED: Final = _set("rows results matches hits found")
"""Names used only for the answer to a question: members next to them repeat it. A described thing may well have no
items."""

HELP: Final = _set(
    "suggestions alternatives similar candidates available known hints did_you_mean fuzzy_matches suggested columns "
    "fields headers header filters sources query searched tried scanned checked skipped excluded ignored warnings "
    "notes errors related near nearest closest recommendations next options examples params arguments terms tokens "
    "schema languages sort order_by group_by facets stats"
)
"""Lists that an empty result may well contain: where it searched, what is similar, the columns of the rows."""

GOOD_NEWS: Final = _set(
    "errors warnings issues violations problems findings conflicts failures diff diffs changes differences missing "
    "alerts vulnerabilities blockers incidents duplicates cycles orphans unused outdated drift deviations anomalies "
    "breaches broken failed failing invalid bad mismatches stale expired overdue dead unreachable unhealthy down "
    "blocked bugs collisions corrupt corrupted crashes dangling deadlocks defects discrepancies exceptions faults "
    "flaws gaps hazards inconsistencies "
    "infringements leaks malformed misspellings noncompliant obsolete overlaps redundant "
    "regressions risks threats typos unexpected unmatched unresolved weaknesses"
)
"""Words in the names of lists that are supposed to be empty: a check that found nothing wrong is a success."""

DEFECTS: Final = GOOD_NEWS - _set("issues changes alerts incidents findings problems missing bugs down bad warnings")
"""Of these, the words that mean defects in the names of tools as well; the others are things that people track."""

DONE: Final = _set(
    "command statement action operation executed affected rows_affected created updated inserted deleted removed saved "
    "sent"
)
"""Members that say what was done; a list next to them is not the answer to a question."""

LOOKING: Final = _set("list search find query lookup browse discover")
"""First words of tools that look for things: an empty object means that there is none."""

MESSAGES: Final = _set("message text result summary answer note info")
"""Members that may be all that a result says."""

NOTHING_FOUND: Final = re.compile(
    r"\s*(?:(?:no|0|zero) (?:\w+ ){0,2}(?:results?|match(?:es)?|rows?|records?|items?|entries|hits|data)\b"
    r"(?: (?:was|were|are|is))?(?: (?:found|available|matched|returned))?"
    r"|nothing (?:was |has been )?(?:found|matched|matches))[^.]{0,80}\.?\s*$",
    re.IGNORECASE,
)
"""A whole text that says that nothing was found."""

FAILURE_MEMBERS: Final = _set(
    "error err errors error_code error_message message msg code kind reason detail details success ok status type hint"
)
"""Members of a failure; data with no others is one."""

READING: Final = _set("get describe show read fetch view open stat inspect")
"""First words of tools that return one thing, which exists even if what belongs to it does not."""

CHECKING: Final = _set(
    "check validate verify lint audit scan detect test diff compare analyze analyse monitor watch diagnose"
)
"""First words of tools that look for what is wrong: finding nothing is the result."""

COUNT: Final = re.compile(r"(?:^|_)(?:count|total|hits|found|returned)(?:_|$)|^(?:n|num)(?:_|$)", re.ASCII)
"""Members that count what was found."""

ECHO: Final = re.compile(
    r"(?:^|_)(?:query|q|search|pattern|filter|term|keyword|text|limit|offset|page|cursor|sort|order|next|per|more|took"
    r"|elapsed|ms|seconds|truncated|scanned|searched|examined|checked|complete|message|note|reason|hint|scope|since"
    r"|until|from|to|within|path|folder|directory|root|project|schema|source|database|dataset|repository|repo|channel"
    r"|account|kind|type|case|depth)(?:_|$)",
    re.ASCII,
)
"""Members that repeat the question or paginate the answer."""


# -- does a partial result say what is missing

CAVEAT: Final = re.compile(
    r"warn|caveat|note|notice|skip|miss|trunc|incomplet|partial|fail|error|unavail|omit|remain|pending|left|limit"
    r"|timed?[ _-]?out|timeout|unreach|unread|denied|permi|cut|abort|interrupt|stopp|exceed|reason|because|only|not[ _]"
    r"|n't|unable|could|without|stale|outdated|progress|resum|continu|cursor|next|more|total|coverage|complete|requested"
    r"|expected|of \d|page|(?:^|_)un[a-z]|processed|covered|excluded|ignored|lost|unknown|redact|sample|approx|estimat"
    r"|until|so far|await|queue|drop|retr|unresolved|unsupported|quota|budget|deadline|percent|ratio|gap|absent|lack"
    r"|message|hint",
    re.IGNORECASE,
)
"""Names and words for a caveat. The list is wide, because no source says where a caveat belongs."""

CONTENT: Final = _set(
    "title name names description content text body snippet excerpt query question answer label path url "
    "rows items results records entries documents docs data lines quote quotes titles headline "
    "headlines address author"
)
"""Members whose strings are what was asked for, so that prose in them is not a remark."""

ITEM_CAVEAT: Final = re.compile(
    r"warn|caveat|skip|missing|trunc|incomplet|partial|fail|error|unavail|pending|timed?_?out|reason|complete|status"
    r"|state",
    re.IGNORECASE,
)
"""Members with which an item of a list says that it is incomplete."""


# -- is a figure the confidence in a fact

STATISTICS: Final = _set(
    "low high lower upper interval ci lower_bound upper_bound margin margin_of_error support lift p_value alpha"
)
"""Members that make a confidence next to them a statistical figure (an interval, an association)."""

RANKINGS: Final = _set(
    "relevance relevancy similarity certainty relevance_score similarity_score match_score confidence_score "
    "confidence_value cosine_similarity semantic_score semantic_similarity rerank_score reranker_score search_score "
    "retrieval_score embedding_score vector_score hybrid_score certainty_score raw_score _score"
)
"""Names used only for the figures of a ranking."""

CONFIDENCES: Final = _set("confidence_score confidence_value certainty certainty_score")
"""Names of raw confidences, which need no described thing next to them."""

DESCRIBED: Final = _set(
    "description name title summary text snippet content excerpt table column entity document chunk passage "
    "answer match"
)
"""Members that say what a score is about, if it ranks a fact."""

SCORED: Final = _set(
    "max max_score min_score maximum out_of total weight unit threshold grade rank team player home away home_team "
    "away_team opponent round game season points wins losses student exam candidate metric metrics benchmark dataset "
    "precision recall f1 accuracy support severity vector cve passed scoredisplaymode displayvalue audit audits rating "
    "stars votes likes upvotes sentiment polarity"
)
"""Members that make a score next to them a figure of the domain: of a game, an exam, an audit, a benchmark."""

SCORING_TOOLS: Final = _set(
    "audit audits lighthouse game games league match matches sport sports exam exams quiz grade grades rating ratings "
    "benchmark benchmarks evaluation evaluations leaderboard sentiment coverage credit risk health"
)
"""Words in the names of tools whose purpose is scores."""


# -- does the server speak, or is it data

FAILURE_TOOLS: Final = _set(
    "log logs logging trace traces traceback tracebacks stack stacktrace error errors exception exceptions crash "
    "crashes debug debugger build builds compile lint test tests pytest ci pipeline pipelines exec execute eval "
    "evaluate shell command console terminal python script code diagnostics sentry incident incidents jobs job "
    "workflow workflows event events alert alerts"
)
"""Words in the names of tools for logs, code and failures, whose data may contain internals."""

REMARKS: Final = _set("warning warnings caveat caveats notice notices note notes degraded_because fallback_reason")
"""Members at the root of the data in which a server comments on its own result."""

OUTPUT: Final = _set("lines log logs stdout stderr output exit_code returncode diagnostics")
"""Members that make a warning next to them part of a program's output."""

FAILURES: Final = _set("error err errors exception traceback stack stacktrace stack_trace exc failure")
"""Members in which servers report what went wrong."""

FAILED_THINGS: Final = OUTPUT | _set(
    "level timestamp severity job run build task test state id status name path file url code events key number commit "
    "workflow type kind"
)
"""Members that attribute a failure to a requested thing: a job, a test, an event."""

LEFT_OUT: Final = _set("skipped failed failures errors incomplete unavailable missing omitted not_processed")
"""Members of a partial result that list what is missing, each item with its reason."""

REASONS: Final = _set("reason error message detail details cause why")
"""Members of such an item with the reason."""
