"""What the tools do that need no server: each runs in a process of :mod:`mcp_governor.server.worker`."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from mcp_governor.charter.facts import ResponseFormat  # noqa: TC001  (the SDK reads it at run time)
from mcp_governor.charter.v1_2 import ToolResponse
from mcp_governor.server import answers
from mcp_governor.server.project import MAX_URI, MissingError, OutsideError, config_here, path_of, read_inside
from mcp_governor.server.quoting import Quoter, names_in, prose_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp_governor.config import Config
    from mcp_governor.findings import Finding
    from mcp_governor.rules.rule import Example
    from mcp_governor.surface import Surface

MAX_TOOLS = 500
"""Tools in one argument: a comparison of two surfaces of 500 takes half of what a worker may use (``worker.DATA``).
More are refused by the input schema; the command line takes any number."""


def _json_object(values: str) -> WithJsonSchema:
    """The schema of a JSON object of a stranger, whose members may be anything."""
    return WithJsonSchema({"type": "object", "additionalProperties": {"description": values}})


RawTool = Annotated[dict[str, Any], _json_object("A field of the tool as in tools/list: name, inputSchema, …")]


def _tools(which: str) -> Any:
    return Field(default=None, max_length=MAX_TOOLS, description=f"Tools of the {which} surface, from tools/list.")


def _uri(which: str) -> Any:
    what = f"Recorded {which} surface in the project: a file: URI, or relative, e.g. mcp-surface.json."
    return Field(default=None, max_length=MAX_URI, description=what)


def lint_description(
    name: Annotated[str, Field(min_length=1, max_length=128, description="Name of the tool.")],
    description: Annotated[str, Field(max_length=20_000, description="The description to judge.")],
    other_tools: Annotated[
        list[str] | None,
        Field(default=None, max_length=MAX_TOOLS, description="Names of the other tools of the same server."),
    ] = None,
) -> ToolResponse[answers.LintData]:
    """See the metadata; models read that."""
    from mcp_governor.rules import LintSettings
    from mcp_governor.rules.run import lint
    from mcp_governor.surface import build_surface

    schema = {"type": "object"}
    siblings = [{"name": other, "inputSchema": schema} for other in other_tools or () if other != name]
    tools = [{"name": name, "description": description, "inputSchema": schema}, *siblings]
    settings = LintSettings(profiles=("charter",), select=("charter/*", "clarity/*", "hygiene/*"))
    findings = _found(
        (
            found
            for found in lint(build_surface({"tools": tools}), settings, only=name)
            if found.path.startswith("/description")
        ),
        [name, *prose_in(other_tools)],
    )
    if not findings:
        return ToolResponse[answers.LintData].empty(answers.LintData(findings=[]))
    return ToolResponse[answers.LintData].success(answers.LintData(findings=findings), follow_up_hints=["list_rules"])


def _found(findings: Iterable[Finding], names: Iterable[str]) -> list[answers.FoundIn]:
    """The findings, with the names of a server in quotes."""
    quoted = Quoter(names)

    def marked(found: Finding, text: str) -> str:
        return quoted(text, found.tool, found.path, prose_in(found.value))

    return [
        answers.FoundIn(
            rule=found.rule,
            severity=found.severity.value,
            path=found.path,
            message=marked(found, found.message),
            fix=marked(found, found.fix),
        )
        for found in findings
    ]


def compare_surfaces(
    old_tools: Annotated[list[RawTool] | None, _tools("older")] = None,
    new_tools: Annotated[list[RawTool] | None, _tools("newer")] = None,
    old_uri: Annotated[str | None, _uri("older")] = None,
    new_uri: Annotated[str | None, _uri("newer")] = None,
) -> ToolResponse[answers.CompareData]:
    """See the metadata; models read that."""
    from mcp_governor.checking.diff import compared
    from mcp_governor.errors import ConfigError, GovernorError

    answer = ToolResponse[answers.CompareData]
    wrong = _objection(old_tools, old_uri, "old") or _objection(new_tools, new_uri, "new")
    if wrong:
        return answer.fail("malformed_name", wrong, **_SAMPLE)
    try:
        config = config_here()
        # Tiers of the configuration are for the surface of the project, and for what replaces an older one.
        old, new = _surface(old_tools, old_uri), _surface(new_tools, new_uri, config)
        judged = compared(old, new, config)
    except OutsideError as error:
        widening = {"scope_requested": "files outside of the project", "would_unblock": False, "reason": str(error)}
        return answer.refuse("allowlist_violation", str(error), widening_hint=widening)
    except ConfigError:
        recovery: dict[str, Any] = {"suggested_tool": "check_server", "suggested_args": {"offline": True}}
        return answer.fail("index_not_ready", "The configuration of the project cannot be read.", **recovery)
    except MissingError:
        return answer.fail("unknown_name", "The project has no file at that URI.", **_SAMPLE)
    except OSError:
        return answer.fail("malformed_name", "The file cannot be read, or is too large.", **_SAMPLE)
    except GovernorError:
        return answer.fail("malformed_name", "The file is not a recorded surface.", **_SAMPLE)
    quoted = Quoter(name for surface in (old, new) for tool in surface.tools for name in names_in(tool.raw))
    found = [
        answers.ChangeData(
            kind=change.kind,
            tool=change.tool,
            path=change.path,
            verdict=change.verdict.value,
            message=quoted(change.message, change.tool, change.path),
            witness_json=json.dumps(change.witness) if change.has_witness else None,
        )
        for change in judged.changes
    ]
    data = answers.CompareData(required_bump=judged.required.value, changes=found)
    return answer.success(data) if found else answer.empty(data)


def _objection(tools: Any, uri: Any, side: str) -> str | None:
    """What is wrong with the two arguments of one side, which no schema that clients accept can say."""
    if (tools is None) != (uri is None):
        return None
    many = "both were" if tools is not None else "none was"
    return f"Exactly one of {side}_tools and {side}_uri is needed, and {many} given."


_SAMPLE: dict[str, Any] = {
    "suggested_tool": "compare_surfaces",
    "suggested_args": {"old_tools": [{"name": "find", "inputSchema": {"type": "object"}}], "new_tools": []},
}
"""A call that works everywhere: one tool that goes away."""


def _surface(tools: list[dict[str, Any]] | None, uri: str | None, config: Config | None = None) -> Surface:
    """The surface of one side; the tiers of a configuration, if one is given, are laid over a recording."""
    from mcp_governor.surface import NO_TIER_RULES, build_surface, parse_surface
    from mcp_governor.target import tier_rules

    if uri is None:
        return build_surface({"tools": tools})
    tiers = tier_rules(config) if config is not None else NO_TIER_RULES
    return parse_surface(read_inside(path_of(uri)), "the file", tiers=tiers)


def validate_response(
    result: Annotated[
        dict[str, Any],
        _json_object("A field of the result or of the envelope."),
        Field(description="A tools/call result: content, structuredContent, isError; or the envelope."),
    ],
    tool: Annotated[
        RawTool | None, Field(default=None, description="The tool that responded, as tools/list gives it.")
    ] = None,
    arguments: Annotated[
        Annotated[dict[str, Any], _json_object("The value of one argument.")] | None,
        Field(default=None, description="The arguments of the call."),
    ] = None,
    profile: Annotated[
        Literal["charter", "surface", "schema-md", "omni"],
        Field(default="charter", description="The response contract: charter, surface, schema-md or omni."),
    ] = "charter",
) -> ToolResponse[answers.ValidateData]:
    """See the metadata; models read that."""
    from mcp_governor.call.validate import validate_response as validated
    from mcp_governor.surface import build_surface

    surface = build_surface({"tools": [tool]}) if tool is not None else None
    known = next(iter(surface.tools), None) if surface is not None else None
    findings = _found(validated(result, tool=known, surface=None, profile=profile, arguments=arguments), names_in(tool))
    data = answers.ValidateData(valid=all(found.severity != "error" for found in findings), findings=findings)
    if not findings:
        return ToolResponse[answers.ValidateData].empty(data)
    return ToolResponse[answers.ValidateData].success(data, follow_up_hints=["list_rules"])


def list_rules(
    pack: Annotated[
        str | None, Field(default=None, max_length=64, description="Only this pack, e.g. charter; all if left out.")
    ] = None,
    response_format: Annotated[
        ResponseFormat, Field(default="concise", description="concise: ids and severities; detailed: summaries too.")
    ] = "concise",
) -> ToolResponse[answers.RulesData]:
    """See the metadata; models read that."""
    from mcp_governor.rules import load_catalogue

    catalogue = load_catalogue()
    packs = sorted(catalogue.packs)
    if pack is not None and pack not in packs:
        # The name itself stays out of the message: it is whatever the caller wrote.
        return ToolResponse[answers.RulesData].fail(
            "unknown_name",
            "There is no pack of rules of that name.",
            suggested_tool="list_rules",
            suggested_args={},
            fuzzy_matches=get_close_matches(pack, packs, n=3, cutoff=0.5) or packs,
        )
    summaries = response_format == "detailed"
    rules = [
        answers.RuleData(id=rule.id, severity=rule.severity.value, summary=rule.summary if summaries else None)
        for rule in catalogue
        if pack is None or rule.pack == pack
    ]
    return ToolResponse[answers.RulesData].success(answers.RulesData(rules=rules), follow_up_hints=["lint_description"])


def explained(item: dict[str, Any]) -> ToolResponse[answers.ExplainData]:
    """``explain_finding`` for an item of a report that is there."""
    from mcp_governor.change.model import catalogue
    from mcp_governor.rules import load_catalogue
    from mcp_governor.text import command_line

    rule = next((rule for rule in load_catalogue() if rule.id == item["rule"]), None)
    kind = catalogue().get(item["rule"])
    data = answers.ExplainData(
        finding=answers.ItemData(**item),
        why=rule.why if rule is not None else kind.explanation if kind is not None else None,
        source=rule.source if rule is not None else None,
        passing_example_json=_example(rule.passes) if rule is not None else None,
        failing_example_json=_example(rule.fails) if rule is not None else None,
        accept_command=command_line(["mcp-governor", "accept", item["id"], "--reason", "WHY"]),
    )
    return ToolResponse[answers.ExplainData].success(data, follow_up_hints=["check_server"])


def _example(examples: Iterable[Example]) -> str | None:
    """The first example: the tool alone, if it is nothing else."""
    for example in examples:
        recording: Any = example.recording()
        tools = recording.get("tools")
        alone = set(recording) == {"tools"} and isinstance(tools, list) and len(tools) == 1
        return json.dumps(tools[0] if alone else recording, ensure_ascii=False)
    return None


def rule_page(rule: str) -> str:
    """The page of a rule, in Markdown; empty if there is none of that id."""
    from mcp_governor.rules import load_catalogue
    from mcp_governor.rules.docs import rule_section

    found = next((one for one in load_catalogue() if one.id == rule), None)
    return rule_section(found) if found is not None else ""


WORK: dict[str, Callable[..., Any]] = {
    "lint_description": lint_description,
    "compare_surfaces": compare_surfaces,
    "validate_response": validate_response,
    "list_rules": list_rules,
    "explain_finding": explained,
    "rule_page": rule_page,
}
"""What workers do, by name."""
