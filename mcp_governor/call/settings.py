"""What a run of calls may do, as values."""

from __future__ import annotations

from mcp_governor.frozen import frozen


@frozen
class CallSettings:
    """Limits and permissions of one run.

    Attributes:
        allow_writes: call tools that are not read-only by their resolved hints.
        destructive: names of tools that may be called although they are destructive; each one by name, and only
            together with ``allow_writes``.
        read_only: globs over names of tools that only read, where their annotations do not say; what they say counts.
        tools: globs over tool names; empty: all.
        generate: make calls from the schemas; ``False``: only configured and recorded calls.
        unhappy: also make the calls that the schema refuses.
        follow: make the call that an error's recovery suggests, once.
        seed: chooses among equally good sample values; the same seed gives the same calls.
        cases_per_tool: most generated calls per tool: generous, a tool with a dozen arguments gives some forty. Further
            wrong calls are not made.
        alternatives: how often a good call that failed is made again with other arguments; each costs a call of a real
            server, and the likeliest values come first.
        timeout: seconds for one call, as ``Config.timeout``.
        budget: seconds for all calls together; those that are left then are reported as skipped.
        result_bytes: largest result that is looked into, in bytes of JSON: somewhat more than the wire lets through
            (``Limits.call_bytes``), as it is written anew here; a larger one is a finding.
    """

    allow_writes: bool = False
    destructive: frozenset[str] = frozenset()
    read_only: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    generate: bool = True
    unhappy: bool = True
    follow: bool = False
    seed: int = 0
    cases_per_tool: int = 60
    alternatives: int = 3
    timeout: float = 30.0
    budget: float = 300.0
    result_bytes: int = 10 * 1024 * 1024


DEFAULT_SETTINGS = CallSettings()
