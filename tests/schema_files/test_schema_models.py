"""``schemas check --models``: the Python types of a project, derived in a process of its own."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
from commandline import governor, governor_here

from mcp_governor.checking.schema_files import check_models
from mcp_governor.config import load_config
from mcp_governor.schema_files.folder import export
from mcp_governor.surface import build_surface

MODELS = """
    from __future__ import annotations
    from dataclasses import dataclass, field
    from enum import Enum
    from typing import Annotated, Literal, Optional, TypedDict
    from pydantic import BaseModel, Field

    print("imported", end=" ", flush=True)  # stdout is for messages

    class Settings: ...
    class ConfigPaths: ...
    class Repo: ...

    class Color(Enum):
        RED = "red"
        BLUE = "blue"

    class Place(BaseModel):
        lat: float = Field(ge=-90)
        label: str | None = None

    class FindShopArguments(BaseModel):
        query: str = Field(alias="q")
        place: Place
        color: Color = Color.RED
        _cache: dict = {}

    @dataclass
    class AddItem:
        name: str
        tags: list[str] = field(default_factory=list)
        settings: Settings | None = None

    class PayBill(TypedDict, total=False):
        amount: int
        note: str

    # Section 3 of the tool schema guide.
    def search_code(
        query: str,
        file_pattern: str = "*.py",
        case_sensitive: bool = False,
        max_results: int = 100,
        encoding: Literal["utf-8", "gbk"] = "utf-8",
        exclude_patterns: list[str] | None = None,
    ) -> str: ...

    # Section 7 and 8: what a server fills in itself.
    async def my_command(
        message: str, settings: Settings, paths: Optional[ConfigPaths] = None, _depth: int = 0, *args: int,
        **kwargs: str,
    ) -> str: ...

    def rename(
        schema: str, copy: Annotated[int, Field(gt=0, description="Copies")] = 1, model_x: int = Field(2)
    ) -> str: ...
    def git_log(repo: Repo, count: int) -> str: ...
    def broken_hint(x: Nowhere) -> str: ...
    TABLE = {"by-table": AddItem, "not-a-type": 3}
"""

TEXT = {"type": "string"}


def tool(name: str, properties: Any, required: list[str], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
    return {"name": name, "inputSchema": schema, **more}


PLACE = {"type": "object", "properties": {"lat": {"type": "number"}, "label": TEXT}, "required": ["lat"]}
COLOR = {"type": "string", "enum": ["red", "blue"]}
SEARCH = {
    "query": TEXT,
    "file_pattern": TEXT,
    "case_sensitive": {"type": "boolean"},
    "max_results": {"type": "integer"},
    "encoding": {"type": "string", "enum": ["utf-8", "gbk"]},
    "exclude_patterns": {"type": "array", "items": TEXT},
}
AGREED = [
    tool("find_shop", {"q": TEXT, "place": PLACE, "color": COLOR}, ["q", "place"]),
    tool("add_item", {"name": TEXT, "tags": {"type": "array", "items": TEXT}}, ["name"]),
    tool("pay_bill", {"amount": {"type": "integer"}, "note": TEXT}, []),
    tool("search_code", SEARCH, ["query"]),
    tool("my_command", {"message": TEXT}, ["message"]),
    tool("rename", {"schema": TEXT, "copy": {"type": "integer"}, "model_x": {"type": "integer"}}, ["schema"]),
]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src" / "shop").mkdir(parents=True)
    (tmp_path / "src" / "shop" / "__init__.py").touch()
    (tmp_path / "src" / "shop" / "models.py").write_text(textwrap.dedent(MODELS))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(tools: list[Any], *words: str, config: str = "") -> list[tuple[str, str | None, str]]:
    Path("mcp-governor.toml").write_text(config)
    Path("s.json").write_text(json.dumps({"tools": tools}))
    report = check_models("s.json", words or ("shop.models",), load_config())
    return [(found.rule.removeprefix("schemas/"), found.tool, found.message) for found in report.findings]


def test_schemas_and_types_that_agree(project: Path) -> None:
    """Pydantic, dataclass, TypedDict and functions; aliases, enums, nested models, and what is not published."""
    assert said(AGREED) == []


DIFFERENCES = """
key find_shop: FindShopArguments has "q", which is not published.
key find_shop: "query" is published, but FindShopArguments does not have it.
required find_shop: FindShopArguments requires "place.lat", but the published schema does not.
enum find_shop: "color" accepts "blue" in FindShopArguments, which is not published.
injected add_item: "settings" is published, but AddItem excludes it: Settings is injected.
required add_item: AddItem requires "name", but the published schema does not.
type add_item: The items of "tags" are published without a schema, but AddItem defines one.
type search_code: "max_results" is published as number, but search_code defines integer.
required search_code: The published schema requires "encoding", but search_code does not.
injected my_command: "paths" is published, but my_command excludes it: ConfigPaths is injected.
injected my_command: "_depth" is published, but my_command excludes it: its name is private.
injected my_command: "kwargs" is published, but my_command excludes it: **kwargs collects what has no name.
"""


def test_each_difference_is_found(project: Path) -> None:
    found = said(
        [
            tool(
                "find_shop", {"query": TEXT, "place": {**PLACE, "required": []}, "color": {"enum": ["red"]}}, ["place"]
            ),
            tool("add_item", {"name": TEXT, "tags": {"type": "array"}, "settings": {}}, []),
            tool("search_code", {**SEARCH, "max_results": {"type": "number"}}, ["query", "encoding"]),
            tool("my_command", {"message": TEXT, "paths": {}, "_depth": {}, "kwargs": {}}, ["message"]),
        ]
    )
    said_of = [f"{rule.removeprefix('parity-')} {name}: {message}" for rule, name, message in found]
    assert "\n".join(said_of).replace("shop.models:", "") == DIFFERENCES.strip()


def test_tools_without_a_model(project: Path) -> None:
    """git_log takes a Repo, which no caller can send: a function that the tool calls, and not the tool."""
    marked = {"annotations": {"schemaSource": "zod-derived"}}
    by_hand = {"annotations": {"schemaSource": "hand-written"}}
    found = said([AGREED[0], tool("git_log", {}, []), tool("a", {}, [], **marked), tool("b", {}, [], **by_hand)])
    assert found == [
        ("no-model", "git_log", "No model of shop.models belongs to the tool."),
        (
            "model-missing",
            "a",
            'The schema says that it is "zod-derived", but no model of shop.models belongs to the tool.',
        ),
    ]


def test_models_that_the_configuration_names(project: Path) -> None:
    config = '[schemas.models]\nadd = "shop.models:AddItem"\nhint = "shop.models:broken_hint"'
    tools = [tool("add", {"name": TEXT}, ["name"]), tool("hint", {}, []), tool("by-table", {"name": TEXT}, ["name"])]
    found = said(tools, "shop.models:TABLE", config=config)
    assert [(rule, name) for rule, name, _ in found] == [
        ("parity-key", "add"),
        ("model-broken", "hint"),
        ("parity-key", "by-table"),
    ]
    assert "its annotations cannot be resolved (NameError: name 'Nowhere' is not defined" in found[1][2]


def test_a_schema_that_is_marked_as_derived_equals_the_derivation(project: Path) -> None:
    marked = {"annotations": {"schemaSource": "pydantic-derived"}}
    derived = {
        "name": {"type": "string", "title": "Name"},
        "tags": {"type": "array", "items": TEXT, "title": "Any title"},
    }
    assert said([tool("add_item", derived, ["name"], **marked)]) == []
    longer = {**derived, "name": {"type": "string", "maxLength": 5}}
    assert said([tool("add_item", longer, ["name"])]) == [], "bounds count for derived schemas alone"
    assert said([tool("add_item", longer, ["name"], **marked)]) == [
        (
            "parity-stale",
            "add_item",
            'The schema says that it is "pydantic-derived", but differs from shop.models:AddItem: length-tightened.',
        )
    ]


def test_allowed_differences_have_a_reason_and_an_effect(project: Path) -> None:
    tools = [tool("pay_bill", {"amount": TEXT}, []), AGREED[1]]
    config = """
        injected = ["note"]
        [[allow]]
        tool = "pay_bill"
        parameter = "amount"
        rule = "schemas/parity-type"
        reason = "cents as text since 2019"
        [[allow]]
        tool = "add_item"
        reason = "was open"
    """
    table = "[schemas]" + config.replace("[[allow]]", "[[schemas.allow]]")
    assert said(tools, config=table) == [
        ("allow-unused", None, 'This entry of schemas.allow allows nothing: tool = "add_item".')
    ]
    assert [rule for rule, _, _ in said(tools, config="")] == ["parity-key", "parity-type"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('[[schemas.allow]]\ntool = "a"', "reason"),
        ('[[schemas.allow]]\ntool = "a"\nreason = ""', "reason"),
        ('[schemas.models]\na = "no-colon"', "schemas.models.a"),
        ("[schemas]\nmodel = 1", 'unknown key "schemas.model". Did you mean "models"?'),
    ],
)
def test_a_configuration_that_is_wrong(project: Path, config: str, message: str, capsys: Any) -> None:
    Path("mcp-governor.toml").write_text(config)
    done = governor_here("schemas", "check", "--models", "shop.models", capsys=capsys)
    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("module", "code", "message"),
    [
        ("nowhere", 2, "--models: nowhere cannot be imported in "),
        ("shop.models:Nobody", 2, "--models: shop.models has no Nobody."),
        ("raises", 2, "ValueError: boom"),
        ("exits", 2, "exits cannot be imported in "),
        ("dies", 3, "error: the models: it exited with status 7"),
        ("sleeps", 3, "error: the models: no response to `initialize` within 2 s."),
        ("floods", 3, "error: the models: "),
    ],
)
def test_modules_of_a_stranger_end(project: Path, module: str, code: int, message: str) -> None:
    Path("raises.py").write_text("raise ValueError('boom')")
    Path("exits.py").write_text("import sys; sys.exit(0)")
    Path("dies.py").write_text("import os; os._exit(7)")
    Path("sleeps.py").write_text("import time, subprocess; subprocess.Popen(['sleep', '300']); time.sleep(300)")
    Path("floods.py").write_text("import os\nwhile True: os.write(1, b'x' * 65536)")
    Path("s.json").write_text(json.dumps({"tools": AGREED}))
    done = governor("schemas", "check", "s.json", "--timeout", "2", "--models", module, cwd=project)
    assert done.code == code, done.err
    assert message in done.err
    assert done.left == []
    assert not done.unsafe()


def test_nothing_to_compare(project: Path, capsys: Any) -> None:
    Path("s.json").write_text(json.dumps({"tools": [tool("other", {}, [])]}))
    done = governor_here("schemas", "check", "s.json", "--models", "shop.models", capsys=capsys)
    assert done.code == 4
    assert "No tool of s.json has a model in shop.models." in done.err


def test_no_other_command_imports_a_model(project: Path, capsys: Any) -> None:
    Path("mcp-governor.toml").write_text('[schemas.models]\nadd_item = "trap:Model"')
    Path("trap.py").write_text("open('sprung', 'w').close()\nclass Model: pass")
    Path("mcp-surface.json").write_text(json.dumps({"tools": AGREED}))
    for line in (["check", "--offline"], ["lint", "mcp-surface.json"], ["schemas", "export", "d", "mcp-surface.json"]):
        governor_here(*line, capsys=capsys)
    governor_here("schemas", "check", "d", "mcp-surface.json", capsys=capsys)
    assert not Path("sprung").exists()
    governor_here("schemas", "check", "d", "--models", "shop.models", capsys=capsys)
    assert Path("sprung").exists()


FASTMCP = """
    from typing import Annotated, Literal
    from fastmcp import Context, FastMCP
    from fastmcp.dependencies import Depends
    from pydantic import BaseModel, Field

    class Place(BaseModel):
        lat: float
        lon: float = 0

    mcp = FastMCP("weather", version="1.0.0")

    @mcp.tool
    def forecast(
        place: Place, ctx: Context, unit: Literal["c", "f"] = "c", days: Annotated[int, Field(ge=1)] = 3
    ) -> str:
        return ""

    @mcp.tool(name="other-name")
    async def stations(
        near: Place | None = None, tags: list[str] = [], user: str = Depends(lambda: "x")
    ) -> dict[str, int]:
        return {}
"""
SDK = """
    from typing import Literal
    from mcp.server.mcpserver import Context, MCPServer

    app = MCPServer("sdk")

    @app.tool()
    def add(a: int, b: float = 2.0, mode: Literal["x", "y"] | None = None, *, ctx: Context) -> float:
        return a + b

    @app.tool(name="other-name")
    def tree(paths: list[dict[str, str]], json: bool = False, copy: str | None = None) -> str:
        return ""
"""


@pytest.mark.parametrize(
    ("code", "target", "word"), [(FASTMCP, "mcp", "server_module"), (SDK, "app", "server_module:app")]
)
def test_the_schemas_of_both_frameworks_agree_with_their_functions(
    project: Path, code: str, target: str, word: str
) -> None:
    Path("server_module.py").write_text(textwrap.dedent(code))
    exported = governor("schemas", "export", "d", f"python:server_module:{target}", cwd=project)
    assert exported.code == 0, exported.err
    done = governor("schemas", "check", "d", "--models", word, "--format", "json", cwd=project)
    assert (done.code, done.report["summary"]["models"], done.report["findings"]) == (0, 2, []), done.out
    # A parameter that somebody adds to the code, and not to the files.
    added = "(a: int, new: str," if target == "app" else "place: Place, new: str,"
    drifted = textwrap.dedent(code).replace(added.replace(" new: str,", ""), added)
    Path("server_module.py").write_text(drifted)
    found = governor("schemas", "check", "d", "--models", word, cwd=project)
    assert (found.code, 'has "new", which is not published' in found.out) == (1, True), found.out


def test_what_an_export_wrote_says_what_it_is_derived_from(project: Path) -> None:
    surface = build_surface({"tools": [{**AGREED[1], "annotations": {"schemaSource": "pydantic-derived"}}]})
    export(surface, Path("d"))
    schema = json.loads(Path("d/add_item.json").read_text())
    schema["properties"]["name"]["maxLength"] = 5
    Path("d/add_item.json").write_text(json.dumps(schema, indent=2))
    report = check_models("d", ["shop.models"], load_config())
    line = next(n for n, text in enumerate(Path("d/add_item.json").read_text().splitlines(), 1) if "maxLength" in text)
    assert [(found.rule, found.path) for found in report.findings] == [
        ("schemas/parity-stale", f"d/add_item.json:{line}")
    ]
