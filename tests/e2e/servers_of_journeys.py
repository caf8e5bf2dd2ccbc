"""The servers of the journeys, and what their maintainers do to them: an edit of each kind, and two releases."""

from __future__ import annotations

from dataclasses import dataclass, field

from journeys import Package


@dataclass(frozen=True)
class Edit:
    """Writes ``new`` where ``old`` stands in a file."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Cycle:
    """One release.

    Attributes:
        edit: the change of the surface that it brings.
        rule: what `check` reports about it.
        entry: the line that `draft` writes about it.
        pending: what `check` says until it is released.
        version: what it is released as.
        stated: the edits that set the version.
        accepted: the rule whose finding about this change the team accepts.
    """

    edit: Edit
    rule: str
    entry: str
    pending: str
    version: str
    stated: tuple[Edit, ...]
    accepted: str = ""


@dataclass(frozen=True)
class Server:
    """A server of a registry, and its story.

    Attributes:
        package: where its sources are.
        name: what `init` calls it.
        command: how `init` starts it.
        tools: how many tools it has.
        source: the value of ``schema-version`` that `init` writes.
        reason: why it does not take the version that the server reports.
        place: file and line in which the version is stated.
        wording: an edit that no client sees.
        cycles: its two releases.
        env: variables that it needs.
    """

    package: Package
    name: str
    command: str
    tools: int
    source: str
    reason: str
    place: str
    wording: Edit
    cycles: tuple[Cycle, Cycle]
    env: dict[str, str] = field(default_factory=dict)


def _python_version(old: str, new: str) -> Edit:
    return Edit("pyproject.toml", f'version = "{old}"', f'version = "{new}"')


def _json_version(old: str, new: str, file: str = "package.json") -> Edit:
    return Edit(file, f'"version": "{old}",\n  "', f'"version": "{new}",\n  "')


GIT = Server(
    Package(
        "pypi",
        "mcp-server-git",
        "0.6.2",
        "45fecea22dea292245afda91d86108723384a9812d1398e6706bf1eaaefdeae0",
        # The SDK that its lock file pins never answers `server/discover`, which costs each run 12 s.
        pins=("mcp==1.12.4",),
    ),
    name="mcp-server-git",
    command="uv run mcp-server-git",
    tools=8,
    source="pyproject.toml",
    reason="The server reports 1.12.4, the version of the MCP SDK: "
    "Server(…) in src/mcp_server_git/server.py line 110 sets no version.",
    place="pyproject.toml line 3",
    wording=Edit("src/mcp_server_git/server.py", '"Shows the working tree status"', '"Shows what git status says"'),
    cycles=(
        Cycle(
            Edit(
                "src/mcp_server_git/server.py",
                "class GitStatus(BaseModel):\n    repo_path: str\n",
                "class GitStatus(BaseModel):\n    repo_path: str\n    short: bool = False\n",
            ),
            "argument-added",
            "- `git_status` takes an optional `short`.",
            "pending: minor, release as 0.7.0",
            "0.7.0",
            (_python_version("0.6.2", "0.7.0"),),
        ),
        Cycle(
            Edit(
                "src/mcp_server_git/server.py",
                "class GitReset(BaseModel):\n    repo_path: str\n",
                "class GitReset(BaseModel):\n    repo_path: str\n    mode: str\n",
            ),
            "required-argument-added",
            "- `git_reset` now requires the new `mode`.",
            "pending: minor, release as 0.8.0",
            "0.8.0",
            (_python_version("0.7.0", "0.8.0"),),
        ),
    ),
)
"""A low-level server of the Python SDK: serverInfo reports the version of the installed SDK."""

CODETREE = Server(
    Package(
        "pypi",
        "mcp-server-codetree",
        "0.2.0",
        "0a640661352dc0202ae9d111cc15ef5f973a059224765562a887c46cd85eae9f",
        pins=("fastmcp==4.1.2",),
        # Its first start in a checkout reads every source file there, which takes ten seconds with these.
        left_out=("tests",),
    ),
    name="mcp-server-codetree",
    command="uv run codetree",
    tools=23,
    source="pyproject.toml",
    reason="The server reports 4.1.2, the version of FastMCP: "
    "FastMCP(…) in src/codetree/server.py line 8 sets no version.",
    place="pyproject.toml line 3",
    wording=Edit(
        "src/codetree/server.py",
        '"""Get the full source code of a specific function or class by name.',
        '"""Get the full source code of one function or class, found by its name.',
    ),
    cycles=(
        Cycle(
            Edit(
                "src/codetree/server.py",
                "def get_symbol(file_path: str, symbol_name: str) -> str:",
                "def get_symbol(file_path: str, symbol_name: str, numbered: bool = False) -> str:",
            ),
            "argument-added",
            "- `get_symbol` takes an optional `numbered`.",
            "pending: minor, release as 0.3.0",
            "0.3.0",
            (_python_version("0.2.0", "0.3.0"),),
        ),
        Cycle(
            Edit(
                "src/codetree/server.py",
                "def find_references(symbol_name: str) -> str:",
                "def find_references(symbol_name: str, directory: str) -> str:",
            ),
            "required-argument-added",
            "- `find_references` now requires the new `directory`.",
            "pending: minor, release as 0.4.0",
            "1.0.0",
            (_python_version("0.3.0", "1.0.0"),),
        ),
    ),
)
"""FastMCP without ``version=``: serverInfo reports the version of FastMCP."""

MEMORY = Server(
    Package(
        "npm",
        "@modelcontextprotocol/server-memory",
        "0.6.2",
        "e4921b490d0c4096f29adef240c532e74b3d8476c60d922eeb32037251e07f5c",
    ),
    name="server-memory",
    command="node dist/index.js",
    tools=9,
    source="package.json",
    reason="The server reports 1.0.0, and package.json line 3 says 0.6.2.",
    place="package.json line 3",
    wording=Edit("dist/index.js", '"Read the entire knowledge graph"', '"Read the whole knowledge graph"'),
    cycles=(
        Cycle(
            Edit(
                "dist/index.js",
                'query: { type: "string", description: "The search query',
                'limit: { type: "integer", description: "How many nodes to return" },\n'
                '                        query: { type: "string", description: "The search query',
            ),
            "argument-added",
            "- `search_nodes` takes an optional `limit`.",
            "pending: minor, release as 0.7.0",
            "0.7.0",
            (_json_version("0.6.2", "0.7.0"),),
        ),
        Cycle(
            Edit("dist/index.js", 'required: ["query"],', 'required: ["query", "limit"],'),
            "argument-required",
            "- `search_nodes` now requires `limit`.",
            "pending: minor, release as 0.8.0",
            "0.8.0",
            (_json_version("0.7.0", "0.8.0"),),
        ),
    ),
)
"""A TypeScript server: serverInfo is a literal that nobody has changed since the first day."""

FILESYSTEM = Server(
    Package(
        "npm",
        "@modelcontextprotocol/server-filesystem",
        "2026.8.31",
        "a239da270c403c42eb03e1ca7cca07c858085819797b74856ddbb91b50491b1a",
    ),
    name="server-filesystem",
    command="node dist/index.js",
    tools=14,
    source="package.json",
    reason="The server reports 0.2.0, and package.json line 3 says 2026.8.31.",
    place="package.json line 3",
    wording=Edit("dist/index.js", '"Returns the list of directories that', '"Returns the directories that'),
    cycles=(
        Cycle(
            Edit(
                "dist/index.js",
                '"without reading the actual content. Only works within allowed directories.",\n'
                "    inputSchema: {\n        path: z.string()\n",
                '"without reading the actual content. Only works within allowed directories.",\n'
                "    inputSchema: {\n        path: z.string(),\n        links: z.boolean().optional()\n",
            ),
            "argument-added",
            "- `get_file_info` takes an optional `links`.",
            "pending: minor, release under the next date",
            "2026.10.1",
            (_json_version("2026.8.31", "2026.10.1"),),
        ),
        Cycle(
            Edit("dist/index.js", "links: z.boolean().optional()", "links: z.boolean()"),
            "argument-required",
            "- `get_file_info` now requires `links`.",
            "pending: major, release under the next date",
            "2026.11.20",
            (_json_version("2026.10.1", "2026.11.20"),),
            accepted="policy/calver-too-small",
        ),
    ),
)
"""Versions are dates, and serverInfo is a literal."""

AURA = Server(
    Package(
        "pypi",
        "mcp-neo4j-aura-manager",
        "0.4.8",
        "ea67061e4c9c59a9173e779109092303b102e168c03635c8821d3ee4f792c7f7",
    ),
    name="mcp-neo4j-aura-manager",
    command="uv run mcp-neo4j-aura-manager",
    tools=12,
    source="pyproject.toml",
    reason="The server reports 1.10.1, the version of the MCP SDK: "
    "FastMCP(…) in src/mcp_neo4j_aura_manager/server.py line 22 sets no version.",
    place="pyproject.toml line 3",
    wording=Edit(
        "src/mcp_neo4j_aura_manager/server.py",
        '"""List all Neo4j Aura database instances."""',
        '"""List the Neo4j Aura database instances of every tenant."""',
    ),
    cycles=(
        Cycle(
            Edit(
                "src/mcp_neo4j_aura_manager/server.py",
                "async def get_instance_by_name(name: str) -> dict:",
                "async def get_instance_by_name(name: str, exact: bool = False) -> dict:",
            ),
            "argument-added",
            "- `get_instance_by_name` takes an optional `exact`.",
            "pending: minor, release as 0.5.0",
            "0.5.0",
            (
                _python_version("0.4.8", "0.5.0"),
                Edit("server.json", '"version": "0.4.8",\n  "packages"', '"version": "0.5.0",\n  "packages"'),
            ),
        ),
        Cycle(
            Edit(
                "src/mcp_neo4j_aura_manager/server.py",
                "async def get_tenant_details(tenant_id: str) -> dict:",
                "async def get_tenant_details(tenant_id: str, fields: List[str]) -> dict:",
            ),
            "required-argument-added",
            "- `get_tenant_details` now requires the new `fields`.",
            "pending: minor, release as 0.6.0",
            "0.6.0",
            (
                _python_version("0.5.0", "0.6.0"),
                Edit("server.json", '"version": "0.5.0",\n  "packages"', '"version": "0.6.0",\n  "packages"'),
            ),
        ),
    ),
    env={"NEO4J_AURA_CLIENT_ID": "id-of-a-test", "NEO4J_AURA_CLIENT_SECRET": "secret-of-a-test"},
)
"""FastMCP 2 on an SDK whose version it reports; without two variables it does not start."""

SERVERS = {"sdk": GIT, "fastmcp": CODETREE, "typescript": MEMORY, "calver": FILESYSTEM, "variable": AURA}
