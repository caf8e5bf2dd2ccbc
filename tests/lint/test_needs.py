"""Which dependencies between arguments a text states, and which sentences only look like one."""

from __future__ import annotations

import json

import pytest

from mcp_governor.packs.clarity.needs import unstated_ignoring, unstated_needs
from mcp_governor.prose.need import Group, Need
from mcp_governor.prose.needs import stated_needs
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface

NAMES = ("file_id", "file_path", "query", "latitude", "longitude", "deepScan", "depth", "action", "path")
GROUP = Group(frozenset(NAMES), {"move-one": "action", "start": "action", "list_all": "action"})

ABOUT_ALL = [
    ("You must provide one of: file_id, query", ("any", "file_id", "query")),
    ("Exactly one of `file_id` and `query`.", ("one", "file_id", "query")),
    ("file_id or file_path required", ("any", "file_id", "file_path")),
    ("file_id and file_path cannot both be specified", ("exclusive", "file_id", "file_path")),
    ("Either file_id or file_path must be given.", ("any", "file_id", "file_path")),
    ("Provide exactly one of `file_id`, `query`.", ("one", "file_id", "query")),
    ("Pass at least one of file_id, query, or file_path.", ("any", "file_id", "query", "file_path")),
    ("Provide either file_id or query, not both.", ("one", "file_id", "query")),
    ("Either query or path is required.", ("any", "query", "path")),
    ("`path` or `query` must be provided.", ("any", "path", "query")),
    ("Only one of file_id or file_path may be specified.", ("exclusive", "file_id", "file_path")),
    ("file_id and file_path are mutually exclusive.", ("exclusive", "file_id", "file_path")),
    ("Do not pass both `file_id` and `query`.", ("exclusive", "file_id", "query")),
    ("When `deepScan` is true, `query` should be false.", ("exclusive", "query", "deepScan")),
    ("If `deepScan` is true, `depth` must be set.", ("when", "depth", "deepScan")),
    ("file_path is required if file_id is not given.", ("when", "file_path", "file_id")),
    ("'latitude' and 'longitude' must be provided together.", ("together", "latitude", "longitude")),
    ("file_id, file_path and query are mutually exclusive.", ("exclusive", "file_id", "file_path", "query")),
    ("Raises an error if none of file_id, query or 'path' are provided.", ("any", "file_id", "query", "path")),
    ("Applied only when both latitude and `longitude` are set.", ("together", "latitude", "longitude")),
    ("Args:\n  query: Provide either query or file_id.\n  file_path: Where to.", ("any", "query", "file_id")),
    ("Finds. query and file_id cannot be combined. depth: how deep.", ("exclusive", "query", "file_id")),
    ("Use EITHER file_id OR query for targeting.", ("any", "file_id", "query")),
    ("At least one of {file_id} or {query} is required.", ("any", "file_id", "query")),
    ("Fails if neither file_id nor `query` is given.", ("any", "file_id", "query")),
    ("Takes file_id or query (one is required).", ("any", "file_id", "query")),
    ("Provide file_id or, alternatively, a query.", ("any", "file_id", "query")),
    ("At least one of {file_id+file_path} or {query} is required.", ("any", "file_id", "file_path", "query")),
    ("Specify EXACTLY ONE of file_id or query. depth is optional.", ("one", "file_id", "query")),
    ("Providing 'file_id' without 'query' will fail.", ("when", "query", "file_id")),
    ("If both file_id and query are passed, only file_id is used.", ("ignored", "query", "file_id")),
    ("If both file_id and query are passed, query will be ignored.", ("ignored", "query", "file_id")),
    ("Always pass either the \\`file_id\\` or \\`query\\` field.", ("any", "file_id", "query")),
    ("Always pass BOTH file_id AND file_path together!", ("together", "file_id", "file_path")),
    ("When `file_id` is given, provide file_path.", ("when", "file_path", "file_id")),
    ("With action='start', `depth` must be given.", ("when", "depth", "action")),
    ("Requires `depth` when `action` is 'start'.", ("when", "depth", "action")),
    ("The 'start' action requires depth.", ("when", "depth", "action")),
    ("- `move-one` — must include a `file_id`", ("when", "file_id", "action")),
    ("Only list_all and move-one accept `depth`.", ("within", "depth", "action")),
    ("Give file_id OR a free-text query.", ("any", "file_id", "query")),
    ("Pass `file_id` with its prefix, or `file_path` with a relative path.", ("any", "file_id", "file_path")),
    ("Give file_id (as listed) or the full path for local ones.", ("any", "file_id", "path")),
    ("The 'start' action requires a non-empty depth list.", ("when", "depth", "action")),
    ("file_id requires file_path.", ("when", "file_path", "file_id")),
    ("Notes:- If `file_id` is passed, `query` must also be passed.- Else not.", ("when", "query", "file_id")),
    (
        "Finds by 'latitude' or 'longitude'. With neither, 'query' is required.",
        ("any", "query", "latitude", "longitude"),
    ),
]


@pytest.mark.parametrize(("text", "need"), ABOUT_ALL)
def test_a_description_of_all_arguments(text, need):
    assert [(found.kind, *found.arguments) for found in stated_needs(text, GROUP)] == [need]


def test_what_a_choice_requires_is_read_in_its_own_description():
    text = "What to do: 'start' — begin (requires file_id), 'move-one' — go on (requires file_id and depth)."
    needs = [(need.arguments, need.values) for need in stated_needs(text, GROUP, "action")]
    assert needs == [(("file_id", "action"), ("start",)), (("depth", "action"), ("move-one",))]


def test_parameters_that_exclude_each_other_are_one_dependency():
    text = {"type": "string"}
    others = {"a_id": "b_id and c_id", "b_id": "a_id and c_id", "c_id": "a_id and b_id"}
    properties = {name: {**text, "description": f"Mutually exclusive with {rest}."} for name, rest in others.items()}
    assert [said for said, _ in needs_said(properties)] == ["at most one of `a_id`, `b_id` and `c_id` may be given"]
    properties["b_id"], properties["c_id"] = text, text
    assert [said for said, _ in needs_said(properties)] == ["`a_id` must not be given with `b_id` or `c_id`"]


def test_what_several_choices_require_is_one_dependency():
    kind = {
        "enum": ["fast", "slow", "deep"],
        "description": "- fast: quick (requires a_id)\n- slow: more (requires a_id)",
    }
    assert [said for said, _ in needs_said({"kind": kind, "a_id": {"type": "string"}})] == [
        '`a_id` is required for `kind` "fast" or "slow"'
    ]


def test_two_ways_are_known_by_words_of_the_names():
    text = "Identify the note either by ID (1, 2, 3, etc.) or by searching for text near it."
    group = Group(("file", "note_id", "search_text"), {})
    assert list(stated_needs(text, group)) == [
        Need("any", ("note_id", "search_text"), ways=(("note_id",), ("search_text",)))
    ]
    assert not list(stated_needs(text, Group(("file", "note_id", "search_text", "search_case"), {})))


def test_alternatives_may_take_two_arguments():
    text = "Provide either query or the combination of latitude and longitude."
    assert [need.ways for need in stated_needs(text.replace("query", "`query`"), GROUP)] == [
        (("query",), ("latitude", "longitude"))
    ]


ABOUT_ONE = [
    ("Cannot be used with `query`.", ("exclusive", "depth", "query"), ""),
    ("The depth (alternative to file_id).", ("exclusive", "depth", "file_id"), ""),
    ("Conflicts with file_id.", ("exclusive", "depth", "file_id"), ""),
    ("Omit if deepScan is true.", ("exclusive", "depth", "deepScan"), ""),
    ("Must be specified along with file_id.", ("when", "file_id", "depth"), "present"),
    ("Can be omitted if file_id is provided.", ("any", "depth", "file_id"), ""),
    ("If not provided, file_id must be provided.", ("any", "depth", "file_id"), ""),
    ("Mutually exclusive with query.", ("exclusive", "depth", "query"), ""),
    ("Cannot be used together with the query parameter.", ("exclusive", "depth", "query"), ""),
    ("Either this or file_id must be provided.", ("any", "depth", "file_id"), ""),
    ("Paired with `latitude`.", ("together", "depth", "latitude"), ""),
    ("Incompatible with query.", ("exclusive", "depth", "query"), ""),
    ("How far to look (use this OR file_id)", ("any", "depth", "file_id"), ""),
    ("Pass this or query.", ("any", "depth", "query"), ""),
    ("Use instead of path.", ("exclusive", "depth", "path"), ""),
    ("Required for reports (and always required if query is set).", ("when", "depth", "query"), "present"),
    ("Applies only if deepScan is true.", ("only", "depth", "deepScan"), "=true"),
    ("Required when query is set.", ("when", "depth", "query"), "present"),
    ("Required unless file_id is provided.", ("when", "depth", "file_id"), "absent"),
    ("Required if no query is given", ("when", "depth", "query"), "absent"),
    ("How deep (required when action='start').", ("when", "depth", "action"), "=start"),
    ("Required for 'move-one'. Up to 3.", ("when", "depth", "action"), "=move-one"),
    ("Required for list_all.", ("when", "depth", "action"), "=list_all"),
    ("Required for start and list_all.", ("when", "depth", "action"), "=start,list_all"),
    ("Required if query not given.", ("when", "depth", "query"), "absent"),
    ("Required for start action.", ("when", "depth", "action"), "=start"),
    ("Required for all actions except 'move-one'.", ("when", "depth", "action"), ""),
    ("Must be set if deepScan is true.", ("when", "depth", "deepScan"), "=true"),
    ("Requires file_id.", ("when", "file_id", "depth"), "present"),
    ("Required on its own and with file_id; else optional.", ("when", "depth", "file_id"), "present"),
    ("At most one of depth, file_id or path should be given.", ("exclusive", "depth", "file_id", "path"), ""),
    ("Only used when deepScan is true.", ("only", "depth", "deepScan"), "=true"),
    ("Ignored unless query is set.", ("only", "depth", "query"), "present"),
    ("Required if the `query` field is passed.", ("when", "depth", "query"), "present"),
    ("Required if `query` has a value.", ("when", "depth", "query"), "present"),
    ("Required when action is 'start', 'go on' or 'list_all'.", ("when", "depth", "action"), "=start,go on,list_all"),
    ("Required for 'start', optional for 'move-one'.", ("when", "depth", "action"), "=start"),
    ("Required for all that begin or move (start, move-one).", ("when", "depth", "action"), "=start,move-one"),
    ("Required for start operations; optional for others when query is given.", ("when", "depth", "action"), "=start"),
    # What is read in part is quoted as a whole.
    ("Required for 'start' on slow machines.", ("when", "depth", "action"), ""),
    ("Required when action is not 'start'.", ("when", "depth", "action"), ""),
    ("Required when action is 'start' on slow machines.", ("when", "depth", "action"), ""),
    ("Required with query when the file is long.", ("when", "depth", "query"), ""),
    ("Required when query is set and long.", ("when", "depth", "query"), ""),
    ("Ignored if query is set.", ("ignored", "depth", "query"), "present"),
    ("Takes precedence over file_id if both are provided.", ("ignored", "file_id", "depth"), "present"),
    ("Mutually exclusive with all other filters (file_id, query).", ("exclusive", "depth", "file_id", "query"), ""),
    ("Must be true when deepScan is true.", ("when", "depth", "deepScan"), "=true"),
    ("Required for the start procedure.", ("when", "depth", "action"), "=start"),
    ("Requires file_id when true", ("when", "file_id", "depth"), "present"),
    ("If given, file_id is ignored.", ("ignored", "file_id", "depth"), "present"),
    ("No effect without file_id.", ("only", "depth", "file_id"), "present"),
    ("Only with file_id: how deep.", ("only", "depth", "file_id"), "present"),
    ("Only available for the 'start' action.", ("within", "depth", "action"), "=start"),
    ("Not supported by list_all.", ("exclusive", "depth", "action"), "=list_all"),
    ("How deep (requires deepScan=true).", ("when", "deepScan", "depth"), "present"),
    ("Requires action='start'.", ("within", "depth", "action"), "=start"),
    ("Alternative to file_id: how deep.", ("exclusive", "depth", "file_id"), ""),
    ("Provide this instead of file_id to look deeper.", ("exclusive", "depth", "file_id"), ""),
    ("How deep. Not allowed with file_id (see there).", ("exclusive", "depth", "file_id"), ""),
    ("How deep - use with file_id", ("when", "file_id", "depth"), "present"),
    (
        "If you pass this query parameter, you must also pass the `file_id` query parameter.",
        ("when", "file_id", "depth"),
        "present",
    ),
    ("When action is 'start', this is required.", ("when", "depth", "action"), "=start"),
    ("Required without file_id.", ("when", "depth", "file_id"), "absent"),
    ("If you look deeper, you must specify one file in file_path.", ("when", "file_path", "depth"), ""),
]


@pytest.mark.parametrize(("text", "need", "state"), ABOUT_ONE)
def test_a_description_of_one_argument(text, need, state):
    (found,) = stated_needs(text, GROUP, "depth")
    assert ((found.kind, *found.arguments), found.state + ",".join(found.values)) == (need, state)


NOTHING = [
    "Cannot be used with a query.",
    "Overrides `query`.",
    "'managed' (start only): how it is found.",
    "Of both ends; overridden per end by `file_id`/`file_path`.",
    "Do not use with care.",
    "Not allowed with the path.",
    "Returns ids instead of query results.",
    "Not required when file_id is set.",
    "Both file_id and file_path are optional.",
    "At least one of file_id or query, optional.",
    "Required to start the query.",
    "Required for start up.",
    "Either way path or query.",
    "Give file_id, or omit query.",
    "Give file_id or a query of your own.",
    "Give the best file_id or leave a query open.",
    "Nobody gives file_id or a free-text query.",
    "If path or query is required, ask.",
    "Required when file_id is a name instead of a number.",
    "RESOURCE must be included in either file_id or query.",
    "The path is required for a query.",
    "Where the query ran; only available in the path that was given.",
    "A deep query is not ignored if deepScan is true.",
    "Use it or query the table.",
    "MUST NOT be included if both `file_id` and `file_path` are provided.",
    "Required for start up.",
    "Used as an alternative to `file_id` and more.",
    "How often it may occur before it stops being ignored when action is 'start'.",
    "RESOURCE must be in either file_id or file_path.",
    "Without an offset, supply file_id or file_path.",
    "Not used with care for the 'start' of a query.",
    "Use together with `file_id` to page.",
    "Looks for the start of a query.",
    "For 'start': the first one. For others: the last one.",
    "If deepScan is true, query is used as well.",
    "A title that must match exactly one) whose file to read instead of file_id/file_path",
]


@pytest.mark.parametrize("text", NOTHING)
@pytest.mark.parametrize("subject", ["", "depth"])
def test_what_states_no_need(text, subject):
    assert not list(stated_needs(text, GROUP, subject))


def test_what_excludes_others_has_to_be_named():
    text = "- depth: how deep. Mutually exclusive with `query`/`path`."
    assert not list(stated_needs(text, GROUP))
    assert [need.arguments for need in stated_needs(text, GROUP, "depth")] == [("depth", "query", "path")]


FRAGMENTS = [
    ({"x_id": {"description": "Mutually exclusive with y_id."}, "y_id": {}}, {"not": {"required": ["x_id", "y_id"]}}),
    (
        {"x_id": {"description": "Not compatible with `flag`."}, "flag": {"type": "boolean"}},
        {"not": {"properties": {"flag": {"const": True}}, "required": ["x_id", "flag"]}},
    ),
    ({"x_id": {"description": "Required if y_id is set."}, "y_id": {}}, {"dependentRequired": {"y_id": ["x_id"]}}),
    (
        {"x_id": {"description": "Required if y_id is omitted."}, "y_id": {}},
        {"anyOf": [{"required": ["x_id"]}, {"required": ["y_id"]}]},
    ),
    (
        {"x_id": {"description": "Required when flag=true."}, "flag": {"type": "boolean"}},
        {"if": {"properties": {"flag": {"const": True}}, "required": ["flag"]}, "then": {"required": ["x_id"]}},
    ),
    (
        {"x_id": {}, "y_id": {"description": "When moving, either x_id or y_id must be given."}},
        None,
    ),
    (
        {"x_id": {"description": "Paired with y_id"}, "y_id": {}},
        {"dependentRequired": {"x_id": ["y_id"], "y_id": ["x_id"]}},
    ),
]


@pytest.mark.parametrize(("arguments", "fragment"), FRAGMENTS)
def test_the_fix_is_a_fragment_of_the_schema(arguments, fragment):
    tool = {"name": "a", "inputSchema": {"type": "object", "properties": arguments}}
    surface = build_surface({"tools": [tool]}, source="test")
    context = Context({}, Facts(surface))
    (found,) = (*unstated_needs(surface.tools[0], context), *unstated_ignoring(surface.tools[0], context))
    if fragment is None:
        # It holds in one case only, which no fragment can tell.
        assert found.values["advice"] == 'a condition ("if" and "then")'
        assert found.values["needs"] == 'at least one of `x_id` and `y_id` must be given "when moving"'
    else:
        assert json.loads("{" + found.values["advice"] + "}") == fragment


@pytest.mark.parametrize(
    "text", ["either file_id or query must. " * 40_000, "if query " * 100_000, ". " * 400_000, "\n \n" * 300_000]
)
def test_a_long_text_is_read_in_linear_time(text):
    assert len(list(stated_needs(text + "must", GROUP, "depth"))) <= 2_000


OPTIONAL = Group(("id", "name", "color", "url", "keys", "profile", "all"), {}, ("name", "color"))
SOME = [
    ("Changes it. Provide id plus at least one other field to change.", True),
    ("At least one field must be provided.", True),
    ("You must specify at least one optional parameter.", True),
    ("Returns at least one field of each.", False),
    ("At least one field of the answer must match.", False),
]


@pytest.mark.parametrize(("text", "stated"), SOME)
def test_at_least_one_field_is_any_of_the_optional_ones(text, stated):
    need = Need("any", ("name", "color"), ways=(("name",), ("color",)))
    assert list(stated_needs(text, OPTIONAL)) == ([need] if stated else [])
    assert list(stated_needs(text, OPTIONAL._replace(optional=("name",)))) == []


def test_an_argument_in_capitals_is_named():
    assert list(stated_needs("Required when not using a URL.", OPTIONAL, "id")) == [
        Need("when", ("id", "url"), "when not using a url", "absent")
    ]
    assert list(stated_needs("Required when not using a URL.", OPTIONAL._replace(names=("id", "name")), "id")) == []


def test_a_slash_may_separate_two_names():
    assert list(stated_needs("Cannot be combined with keys/profile.", OPTIONAL, "all")) == [
        Need("exclusive", ("all", "keys", "profile"))
    ]
    assert list(stated_needs("Cannot be combined with keys/values.", OPTIONAL, "all")) == []


def needs_said(properties, required=()):
    schema = {"type": "object", "required": list(required), "properties": properties}
    surface = build_surface({"tools": [{"name": "t", "inputSchema": schema}]})
    context = Context({}, Facts(surface))
    found = (*unstated_needs(surface.tools[0], context), *unstated_ignoring(surface.tools[0], context))
    return [(one.values["needs"], one.values["advice"]) for one in found]


CHOSEN = [
    ("element_type", 'What to insert ("table", "list")', "Rows (required for table)", "table"),
    (
        "resourceType",
        "Type of resource: dashboard, panel, or explore",
        "The panel (required for panel type)",
        "panel",
    ),
    (
        "operation",
        "What to do. Valid values:\n- create: a\n- drop: b",
        "Required for create operations.",
        "create",
    ),
]


@pytest.mark.parametrize(("chooser", "text", "dependent", "value"), CHOSEN)
def test_values_in_prose_are_choices_as_those_of_an_enum_are(chooser, text, dependent, value):
    properties = {
        chooser: {"type": "string", "description": text},
        "rows": {"type": "integer", "description": dependent},
    }
    assert [said for said, _ in needs_said(properties, [chooser])] == [f'`rows` is required for `{chooser}` "{value}"']
    open_ended = {**properties, chooser: {"type": "string", "description": "What, e.g. a table or a panel"}}
    assert needs_said(open_ended, [chooser]) == []


def test_a_list_of_everything_that_is_supported_is_no_choice():
    formats = {"type": "string", "description": "Hint ('md', 'txt')"}
    path = {"type": "string", "description": "Path for any supported format (MD, TXT). Required with a hint."}
    assert needs_said({"source_format": formats, "path": path}) == []


def test_many_alternatives_are_counted():
    properties = {name: {"type": "string"} for name in "abcdefgh"}
    surface = build_surface(
        {
            "tools": [
                {
                    "name": "t",
                    "description": "At least one field must be provided.",
                    "inputSchema": {"type": "object", "required": ["a"], "properties": properties},
                }
            ]
        }
    )
    [one] = unstated_needs(surface.tools[0], Context({}, Facts(surface)))
    assert one.values["needs"] == "at least one of the 7 optional parameters must be given"
    assert one.values["advice"] == '"minProperties": 2'


def test_short_words_for_one_of_two():
    group = Group(("projectPath", "workspacePath", "prompt", "metadata"), {})
    assert list(stated_needs("Path of the project (xor workspacePath)", group, "projectPath")) == [
        Need("exclusive", ("projectPath", "workspacePath"))
    ]
    assert list(stated_needs("What to add. Required unless only updating metadata.", group, "prompt")) == [
        Need("when", ("prompt", "metadata"), "unless only updating metadata")
    ]
    assert not list(stated_needs("What to add. Required unless the metadata says so.", group, "prompt"))


@pytest.mark.parametrize(
    ("check", "said"),
    [(unstated_needs, "Required when `query` is set."), (unstated_ignoring, "Ignored if query is set.")],
)
def test_only_what_is_stated_makes_it_another_finding(check, said):
    def of(**more):
        arguments = {"path": {"type": "string", "description": said}, "query": {"type": "string"}, **more}
        tool = {"name": "t", "inputSchema": {"type": "object", "properties": arguments}}
        surface = build_surface({"tools": [tool]})
        (found,) = check(surface.tools[0], Context({}, Facts(surface)))
        return found

    before, after = of(), of(depth={"type": "integer", "description": "How deep."})
    assert before.value == after.value
    assert before.former != after.former
    assert of(depth={"type": "integer", "description": said}).value != before.value


def test_the_example_is_a_dependency_that_a_call_shows():
    arguments = {
        "price": {"type": "string", "description": "Required for small orders of kind 'limit'."},
        "kind": {"enum": ["limit", "market"]},
        "path": {"type": "string"},
        "query": {"type": "string", "description": "Mutually exclusive with path."},
    }
    surface = build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": arguments}}]})
    (found,) = unstated_needs(surface.tools[0], Context({}, Facts(surface)))
    assert found.values["gist"].startswith('t takes {"query": "…", "path": "…"}, but')
    assert "`price` is required" in found.values["needs"]


def test_no_schema_can_say_that_words_in_another_argument_count_more():
    arguments = {
        "trashed": {"type": "boolean", "description": "Ignored when `query` already has its own clause about it."},
        "query": {"type": "string"},
    }
    surface = build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object", "properties": arguments}}]})
    assert not list(unstated_ignoring(surface.tools[0], Context({}, Facts(surface))))


APART = {"type": "string", "description": "Mutually exclusive with file_id."}


@pytest.mark.parametrize(
    ("schema", "warned"),
    [
        # The text says it, and a model has to give both.
        ({"properties": {"path": APART, "file_id": {}}}, False),
        ({"properties": {"path": APART, "file_id": {"default": ""}}}, False),
        # A call with one of them has both.
        ({"properties": {"path": APART, "file_id": {"default": "me"}}}, True),
        # The object can say it for every client.
        ({"properties": {"of": {"type": "object", "properties": {"path": APART, "file_id": {}}}}}, True),
        # A call fails without another one.
        ({"properties": {"path": APART, "file_id": {}, "query": {"description": "Required without path."}}}, True),
    ],
)
def test_what_only_both_break_is_a_remark(schema, warned):
    surface = build_surface({"tools": [{"name": "t", "inputSchema": {"type": "object", **schema}}]})
    context = Context({}, Facts(surface))
    found = [len(list(check(surface.tools[0], context))) for check in (unstated_needs, unstated_ignoring)]
    assert found == ([1, 0] if warned else [0, 1])
