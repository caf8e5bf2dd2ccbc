"""Arguments that the sources give together, for tools as servers publish them."""

from __future__ import annotations

from datetime import date

import pytest

from mcp_governor.call.candidates import Supply
from mcp_governor.call.cases import CallSettings, Purpose
from mcp_governor.call.plan import called_first, plan_calls
from mcp_governor.call.sandbox import Sandbox
from mcp_governor.surface import build_surface

DAY = date(2026, 11, 23)
READ = {"readOnlyHint": True}
WRITE = {"readOnlyHint": False, "destructiveHint": False}


@pytest.fixture
def sandbox(tmp_path):
    with Sandbox(tmp_path, DAY) as made:
        yield made


def tool(called="get_it", description="", hints=READ, /, **properties):
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": called, "description": description, "inputSchema": schema, "annotations": hints}


def planned(sandbox, *tools, server="server", **settings):
    surface = build_surface({"serverInfo": {"name": server}, "tools": list(tools)})
    return plan_calls(surface, settings=CallSettings(**settings), sandbox=sandbox)


def said(sandbox, *tools, **settings):
    """The arguments of the first call, as messages say them."""
    return dict(planned(sandbox, *tools, **settings).cases[0].portable_arguments)


def text(description="", **more):
    return {"type": "string", **({"description": description} if description else {}), **more}


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        # The schema's own offers come first.
        ("day", text("e.g. '2020-01-01'", examples=["2021-02-03"]), "2021-02-03"),
        ("zone", text(default="Asia/Tokyo"), "Asia/Tokyo"),
        ("unit", {"enum": ["metric", "imperial"]}, "metric"),
        # Prose.
        ("timezone", text("IANA timezone name (e.g., 'Europe/Berlin')."), "Europe/Berlin"),
        ("repository", text("Full name, e.g. octocat/Hello-World"), "octocat/Hello-World"),
        ("count", {"type": "integer", "description": "How many (e.g. 5)"}, 5),
        ("labels", {"type": "array", "items": text(), "description": "Such as ['a', 'b']"}, ["a", "b"]),
        ("ids", {"type": "array", "items": text(), "description": "Ids, e.g. 'PROJ-1', 'PROJ-2'"}, ["PROJ-1"]),
        ("mode", text("Must be 'fast' or 'slow'"), "fast"),
        # Days, in the notation that is asked for.
        ("day", text("e.g. '2020-01-01'"), "{today}"),
        ("start_date", text(), "{today}"),
        ("until", text("e.g. 'next week'"), "{today}"),
        ("date", text("in the format DD.MM.YYYY"), "{today:%d.%m.%Y}"),
        ("since", text(format="date"), "{today}"),
        ("at", text(format="date-time"), "{today}T12:00:00Z"),
        ("time", text("24-hour format (HH:MM)"), "16:30"),
        # Names.
        ("tz", text(), "UTC"),
        ("sourceTimezone", text(), "UTC"),
        ("currency", text(), "EUR"),
        ("email", text(), "someone@example.com"),
        ("page_url", text(), "https://example.com/"),
        ("latitude", {"type": "number"}, 51.5),
        ("is_open", {"description": "Whether it is open"}, False),
        # Places.
        ("path", text(), "{sandbox}/notes.txt"),
        ("file_path", text("Path to a JSON file"), "{sandbox}/data.json"),
        ("filePath", text("The .csv file"), "{sandbox}/table.csv"),
        ("directory", text(), "{sandbox}"),
        ("repo_path", text(), "{sandbox}/repository"),
        ("paths", {"type": "array", "items": text()}, ["{sandbox}/notes.txt"]),
        ("json_path", text("A JSONPath"), "example"),
        # Hostile examples.
        ("path", text("e.g. '/etc/passwd'"), "{sandbox}/notes.txt"),
        ("path", text("e.g. '../../x'"), "{sandbox}/notes.txt"),
        ("path", text(default="/etc/passwd"), "{sandbox}/notes.txt"),
        ("path", text(examples=["~/.ssh/id_rsa"]), "{sandbox}/notes.txt"),
        ("url", text("e.g. 'http://169.254.169.254/latest/'"), "https://example.com/"),
        ("url", text("e.g. 'http://localhost:8080/'"), "https://example.com/"),
        ("url", text(default="file:///etc/passwd"), "https://example.com/"),
        ("query", text("e.g. 'cat /etc/passwd'"), "example"),
        ("note", text("e.g. '" + "x" * 1_000_000 + "'"), "example"),
        # Nothing is known.
        ("thing", text(), "example"),
    ],
)  # fmt: skip
def test_one_argument_of_a_tool_that_reads(sandbox, name, schema, expected):
    assert said(sandbox, tool(**{name: schema})) == {name: expected}


@pytest.mark.parametrize(
    ("name", "schema", "expected"),
    [
        ("path", text(default="."), "{sandbox}/notes.txt"),
        ("path", text("e.g. 'src/main.py'"), "{sandbox}/notes.txt"),
        ("path", text(examples=["/home/me/x"]), "{sandbox}/notes.txt"),
        ("command", text("e.g. 'rm -rf build'"), "echo example"),
        ("sql", text(default="DROP TABLE users"), "SELECT 1"),
        ("name", text("e.g. 'orders'"), "orders"),
    ],
)
def test_one_argument_of_a_tool_that_writes(sandbox, name, schema, expected):
    assert said(sandbox, tool("put_it", "", WRITE, **{name: schema}), allow_writes=True) == {name: expected}


def test_a_place_that_no_path_of_the_sandbox_fits_is_not_invented_for_a_tool_that_writes(sandbox):
    odd = text(pattern="^[a-z]{3}$")
    assert planned(sandbox, tool("put_it", "", WRITE, path=odd), allow_writes=True, unhappy=False).cases == ()


@pytest.mark.parametrize("bounds", [{"minLength": 4}, {"maxLength": 200}, {"pattern": "^/"}])
def test_wrong_calls_of_a_tool_that_writes_name_no_place_outside(sandbox, bounds):
    cases = planned(sandbox, tool("put_it", "", WRITE, path=text(**bounds)), allow_writes=True).cases
    paths = [case.arguments["path"] for case in cases if isinstance(case.arguments.get("path"), str)]
    assert len(paths) > 1
    assert all(path.startswith(f"{sandbox.root}/") and ".." not in path for path in paths)


def test_a_tool_that_makes_a_file_gets_a_path_with_nothing_there(sandbox):
    making = tool("create_workbook", "", WRITE, filepath=text())
    assert said(sandbox, making, allow_writes=True, server="excel") == {"filepath": "{sandbox}/created.xlsx"}
    moving = tool("move_file", "Move files.", WRITE, source=text(), destination=text())
    assert said(sandbox, moving, allow_writes=True) == {
        "source": "{sandbox}/notes.txt",
        "destination": "{sandbox}/created.txt",
    }


def test_arguments_of_a_docstring(sandbox):
    described = "Weather.\n\nArgs:\n    spot: a place, e.g. 'Bergen'\n    unit: one of 'c' or 'f'"
    assert said(sandbox, tool("get_it", described, spot=text(), unit=text())) == {"spot": "Bergen", "unit": "c"}


def test_an_object_is_sent_as_an_object_where_its_text_would_do_as_well(sandbox):
    node = {"type": "object", "properties": {"label": text()}, "required": ["label"]}
    assert said(sandbox, tool(node={"anyOf": [text(), node]})) == {"node": {"label": "example"}}


def test_arguments_are_the_same_in_another_folder(tmp_path):
    tools = [tool("list_it"), tool(path=text(), day=text(), zone=text("e.g. 'a', 'b'"))]
    reported = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with Sandbox(tmp_path / name, DAY) as sandbox:
            reported.append(
                [(case.tool, dict(case.portable_arguments), case.label) for case in planned(sandbox, *tools).cases]
            )
    assert reported[0] == reported[1]


def test_good_calls_come_first_and_producers_before_all(sandbox):
    tools = [
        tool("delete_note", "", WRITE, note_id=text()),
        tool("clear_notes", "", WRITE),
        tool("get_note", note_id=text()),
        tool("update_note", "", WRITE, note_id=text()),
        tool("search_notes", query=text()),
        tool("create_note", "", WRITE, title=text()),
        tool("list_notes"),
    ]
    cases = planned(sandbox, *tools, allow_writes=True).cases
    good = [case.tool for case in cases if case.purpose is Purpose.REQUIRED]
    assert good == [
        "list_notes",
        "create_note",
        "search_notes",
        "get_note",
        "update_note",
        "delete_note",
        "clear_notes",
    ]
    first_bad = next(index for index, case in enumerate(cases) if not case.good)
    assert not any(case.good for case in cases[first_bad:])


def test_a_tool_that_another_names_comes_before_it(sandbox):
    tools = [
        tool("get_docs", "Get docs. Call `resolve_library` first.", library_id=text()),
        tool("resolve_library", "Resolve a library for get_docs.", library_name=text()),
        tool("a_loop", "See b_loop.", x=text()),
        tool("b_loop", "See a_loop.", x=text()),
    ]
    surface = build_surface({"tools": tools})
    names = [item.name for item in called_first(surface.tools, Supply(surface, sandbox))]
    assert names.index("resolve_library") < names.index("get_docs")
    assert sorted(names) == ["a_loop", "b_loop", "get_docs", "resolve_library"]


def test_a_thousand_tools_that_name_each_other_are_ordered(sandbox):
    tools = [tool(f"tool_{number}", f"After tool_{number + 1}.", x=text()) for number in range(1_000)]
    surface = build_surface({"tools": tools})
    assert next(iter(called_first(surface.tools, Supply(surface, sandbox)))).name == "tool_999"
