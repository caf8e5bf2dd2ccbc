"""Limits and permissions of a run of calls."""

from __future__ import annotations

from msgspec import Struct


class CallSettings(Struct, frozen=True):
    """Limits and permissions of one run.

    Attributes:
        allow_writes: call tools that are not read-only by their resolved hints.
        destructive: names of destructive tools that may be called; effective only together with ``allow_writes``.
        read_only: globs for names of tools that only read; annotations take precedence.
        tools: globs for tool names; empty means all tools.
        generate: make calls from the schemas; if false, make only configured and recorded calls.
        unhappy: also make calls that the schema refuses.
        quick: one good and one bad call for each tool that only reads and whose words do not contradict that, and none
            of an unknown tool. A failed good call is retried as usual; a bad call that the tool itself never receives,
            with a name that does not exist. A tool that did not respond is not called again.
        repeat: repeat calls of tools that only read, to compare the results with each other and with the metadata.
        named: make the calls of the configuration for any tool that they name.
        follow: make the call that an error's recovery suggests, once.
        seed: chooses among equally good sample values; the same seed gives the same calls.
        cases_per_tool: most generated calls per tool: generous, a tool with a dozen parameters has about forty.
            Further wrong calls are not made.
        alternatives: most retries of a failed good call with other arguments. Each one is a call to a real server, and
            the likeliest values come first.
        timeout: timeout for one call, in seconds, as ``Config.timeout``.
        budget: time limit for all calls together, in seconds; the remaining calls are reported as skipped.
        result_bytes: largest result that is checked, in bytes of compact JSON; a larger one is a finding. What is read
            for one call is more (``Limits.call_bytes``), and a call beyond that is the same finding.
    """

    allow_writes: bool = False
    destructive: frozenset[str] = frozenset()
    read_only: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    generate: bool = True
    unhappy: bool = True
    quick: bool = False
    named: bool = False
    repeat: bool = True
    follow: bool = False
    seed: int = 0
    cases_per_tool: int = 60
    alternatives: int = 3
    timeout: float = 30.0
    budget: float = 300.0
    result_bytes: int = 10 * 1024 * 1024


DEFAULT_SETTINGS = CallSettings()
