"""Share of witnesses that a real server refuses: ``python tools/witness_replay.py [SERVER…]``.

Takes the published tools of servers of ``good_calls.py``, tightens one parameter at a time, and sends the witness of a
break to servers with the old and the new signature, made with each SDK as it is installed: the official Python SDK and
FastMCP, which coerce with pydantic, and zod with and without ``z.coerce.number()``. Reads the recordings next to the
repository.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import inspect
import json
import logging
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union

import anyio
from pydantic import Field

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from mcp_governor.change.budget import Budget  # noqa: E402
from mcp_governor.change.options import ChangeOptions  # noqa: E402
from mcp_governor.change.schemas import SchemaPair, compare_schemas  # noqa: E402
from mcp_governor.change.vocabulary import Level, Side  # noqa: E402
from mcp_governor.findings import Tier, Verdict  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CORPUS = ROOT.parent / "shared" / "corpus"
SERVERS = {
    "time": "pypi/mcp-server-time",
    "git": "pypi/mcp-server-git",
    "fetch": "pypi/mcp-server-fetch",
    "everything": "npm/modelcontextprotocol__server-everything",
    "filesystem": "npm/modelcontextprotocol__server-filesystem",
    "sequential-thinking": "npm/modelcontextprotocol__server-sequential-thinking",
}
SECONDS = 60.0
"""For one comparison: the witness matters here, not the time."""

_ZOD = """
const {z} = require(process.argv[2]);
const made = (s, coerce) => {
  if (s.anyOf) return z.union(s.anyOf.map((part) => made(part, coerce)));
  if (s.enum) return z.union(s.enum.map((value) => z.literal(value)));
  if (Array.isArray(s.type)) return z.union(s.type.map((type) => made({...s, type}, coerce)));
  let out;
  switch (s.type) {
    case "string": out = z.string();
      if (s.pattern) out = out.regex(new RegExp(s.pattern, "u"));
      if (s.minLength !== undefined) out = out.min(s.minLength);
      if (s.maxLength !== undefined) out = out.max(s.maxLength);
      return out;
    case "integer": case "number": out = coerce ? z.coerce.number() : z.number();
      if (s.type === "integer") out = out.int();
      if (s.minimum !== undefined) out = out.min(s.minimum);
      if (s.maximum !== undefined) out = out.max(s.maximum);
      return out;
    case "boolean": return z.boolean();
    case "null": return z.null();
    case "array": out = z.array(made(s.items ?? {}, coerce));
      if (s.maxItems !== undefined) out = out.max(s.maxItems);
      return out;
    case "object": return tool(s, coerce);
    default: return z.unknown();
  }
};
const tool = (s, coerce) => {
  const shape = {};
  for (const [name, part] of Object.entries(s.properties ?? {})) {
    const member = made(part, coerce);
    shape[name] = (s.required ?? []).includes(name) ? member : member.optional();
  }
  return z.looseObject(shape);
};
for (const line of require("fs").readFileSync(0, "utf8").trim().split("\\n")) {
  const {schema, value} = JSON.parse(line);
  console.log(JSON.stringify([false, true].map((coerce) => !tool(schema, coerce).safeParse(value).success)));
}
"""


def newest(server: str) -> list[dict[str, Any]]:
    """The tools of the newest recorded release; they are in order."""
    with gzip.open(CORPUS / f"{SERVERS[server]}.json.gz", "rt", encoding="utf-8") as file:
        releases = json.load(file)
    return list(releases[list(releases)[-1]]["tools"])


def tightened(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Narrower versions of a parameter, as people make them."""
    words = {key: schema[key] for key in ("description", "title") if key in schema}
    kind = schema.get("type")
    some: dict[str, list[dict[str, Any]]] = {
        "string": [
            {"type": "integer"},
            {"type": "boolean"},
            {"type": "string", "enum": ["one", "two"]},
            {"type": "string", "pattern": "^[A-Z]{3}$"},
            {"type": "string", "maxLength": 3},
            {"type": "string", "minLength": 12},
        ],
        "integer": [{"type": "boolean"}, {"type": "string"}, {"type": "integer", "minimum": 5, "maximum": 9}],
        "number": [{"type": "boolean"}, {"type": "integer"}, {"type": "string"}, {"type": "number", "maximum": 1}],
        "boolean": [{"type": "string"}, {"type": "object"}],
        "array": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}],
        "object": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
    }
    if "enum" in schema and len(schema["enum"]) > 1:
        yield "a value removed", {**schema, "enum": schema["enum"][:-1]}
    elif isinstance(kind, str):
        for new in some.get(kind, ()):
            yield f"{kind} to {json.dumps(new)}", {**words, **new}
        anything = [{"type": "string"}, {"type": "integer"}, {"type": "null"}]
        yield "anything to a union", {**words, "anyOf": anything}
    elif "anyOf" in schema:
        yield "an alternative removed", {**words, "anyOf": schema["anyOf"][:1]}


def pairs(server: str) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """What was tightened, with the old and the new input schema."""
    for tool in newest(server):
        old = tool["inputSchema"]
        for name, schema in old.get("properties", {}).items():
            for what, narrow in tightened(schema):
                before, after = copy.deepcopy(old), copy.deepcopy(old)
                after["properties"][name] = narrow
                if what == "anything to a union":
                    before["properties"][name] = {key: schema[key] for key in ("description",) if key in schema}
                yield f"{tool['name']}.{name}: {what}", before, after
            if name not in old.get("required", ()):
                yield f"{tool['name']}.{name}: required", old, {**old, "required": [*old.get("required", ()), name]}


def witness(old: dict[str, Any], new: dict[str, Any]) -> list[Any]:
    """The witness of the break, in a list; empty if there is none."""
    options = ChangeOptions(deadline=SECONDS, tool_deadline=SECONDS, run_deadline=SECONDS)
    pair = SchemaPair(old, new, Side.INPUT, "t", next(iter(Tier)), Level.DECLARED, options)
    found = compare_schemas(pair, Budget(SECONDS, "too long"))
    return [change.witness for change in found if change.verdict is Verdict.BREAKING and change.has_witness][:1]


def annotation(schema: Any) -> Any:
    """The Python type that an SDK would publish as this schema."""
    if not isinstance(schema, dict):
        return Any
    if "anyOf" in schema:
        return Union[tuple(annotation(part) for part in schema["anyOf"])]  # noqa: UP007 - made at run time
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    kind = schema.get("type")
    if isinstance(kind, list):
        return Union[tuple(annotation({**schema, "type": name}) for name in kind)]  # noqa: UP007
    limits = {
        "pattern": schema.get("pattern"),
        "min_length": schema.get("minLength"),
        "max_length": schema.get("maxLength"),
        "ge": schema.get("minimum"),
        "le": schema.get("maximum"),
    }
    given = {name: limit for name, limit in limits.items() if limit is not None}
    plain: dict[Any, Any] = {
        "string": str,
        "integer": int,
        "number": float,
        "boolean": bool,
        "null": None,
        "object": dict[str, Any],
        "array": list[annotation(schema.get("items"))],  # type: ignore[misc]
    }
    found = plain.get(kind, Any)
    return Annotated[found, Field(**given)] if given else found


def function(schema: dict[str, Any]) -> Callable[..., str]:
    """A tool with the parameters of a schema, all of them with a type, and defaults for the optional ones."""

    def tool(**_: Any) -> str:
        return "done"

    needed = schema.get("required", ())
    parameters = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=annotation(part),
            default=inspect.Parameter.empty if name in needed else None,
        )
        for name, part in schema["properties"].items()
    ]
    tool.__signature__ = inspect.Signature(parameters, return_annotation=str)  # type: ignore[attr-defined]
    tool.__annotations__ = {item.name: item.annotation for item in parameters} | {"return": str}
    return tool


async def by_sdk(schema: dict[str, Any], arguments: Any) -> bool | None:
    """True if a server of the official SDK refuses the arguments; ``None`` if it cannot have such a tool."""
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool

    try:
        tool = Tool.from_function(function(schema), name="t")
    except Exception:  # a parameter called `_x`, for example
        return None
    try:
        await tool.run(arguments, context=None)  # type: ignore[arg-type]
    except ToolError:
        return True
    return False


async def by_fastmcp(schema: dict[str, Any], arguments: Any) -> bool | None:
    """The same for a server of FastMCP."""
    from fastmcp import Client, FastMCP

    server = FastMCP("t")
    try:
        server.tool(function(schema), name="t")
    except Exception:  # as above
        return None
    async with Client(server) as client:
        result = await client.call_tool("t", arguments, raise_on_error=False)
        return bool(result.is_error)


def by_zod(cases: list[tuple[dict[str, Any], Any]], zod: Path) -> list[list[bool]]:
    """True for each case that zod refuses, without and with coercion of numbers."""
    lines = "\n".join(json.dumps({"schema": schema, "value": value}) for schema, value in cases)
    with tempfile.NamedTemporaryFile("w", suffix=".cjs", encoding="utf-8") as script:
        script.write(_ZOD)
        script.flush()
        done = subprocess.run(
            ["node", script.name, str(zod)], input=lines, capture_output=True, text=True, check=True, timeout=120
        )
    return [json.loads(line) for line in done.stdout.splitlines()]


def installed_zod(given: Path | None) -> Path | None:
    """The folder of zod, installed under ``build`` unless one is given; ``None`` without node."""
    if given is not None or shutil.which("node") is None:
        return given
    folder = ROOT / "build" / "zod"
    if not (folder / "node_modules" / "zod").is_dir():
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), "zod@4"]
        subprocess.run(command, check=True, timeout=300)
    return folder / "node_modules" / "zod"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("servers", nargs="*", metavar="SERVER", help=f"of {', '.join(SERVERS)}; default is all")
    parser.add_argument("--zod", type=Path, help="folder of an installed zod 4")
    parser.add_argument("--accepted", action="store_true", help="list the witnesses that are accepted")
    options = parser.parse_args()
    zod = installed_zod(options.zod)
    logging.disable(logging.WARNING)
    refused: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    before: Counter[bool | None] = Counter()
    for server in options.servers or SERVERS:
        made = [(what, old, new, found[0]) for what, old, new in pairs(server) if (found := witness(old, new))]
        cases = [(new, value) for _, _, new, value in made]
        javascript = by_zod(cases, zod) if zod is not None and cases else [[] for _ in cases]
        for (what, old, new, value), replies in zip(made, javascript, strict=True):
            before[anyio.run(by_sdk, old, value)] += 1
            answers = {"mcp": anyio.run(by_sdk, new, value), "fastmcp": anyio.run(by_fastmcp, new, value)}
            answers |= dict(zip(("zod", "zod, coerced"), replies, strict=False))
            for sdk, answer in answers.items():
                if answer is not None:
                    refused[sdk][answer] += 1
            took = [sdk for sdk, answer in answers.items() if answer is False]
            if took and options.accepted:
                print(f"  {server} {what}: {json.dumps(value)} accepted by {', '.join(took)}")
        print(f"{server}: {len(made)} witnesses", flush=True)
    print(f"the old side accepts {before[False]} of {before.total()}")
    for sdk, counts in refused.items():
        print(f"{sdk}: the new side refuses {counts[True]} of {counts.total()}")
    few = [sdk for sdk, counts in refused.items() if counts[True] * 10 < counts.total() * 9]
    print(f"fewer than 9 of 10: {', '.join(few)}" if few else "each refuses at least 9 of 10")
    return int(bool(few))


if __name__ == "__main__":
    sys.exit(main())
