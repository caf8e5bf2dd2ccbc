"""Which dependencies between parameters a description states, and which sentences only look like one."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.needs import unstated_ignoring, unstated_needs
from mcp_governor.subjects.context import Context, Facts
from mcp_governor.surface import build_surface

ARGUMENTS = {
    **{name: {} for name in ("file_id", "file_path", "query", "latitude", "longitude", "depth", "path")},
    "deepScan": {"type": "boolean"},
    "action": {"enum": ["move-one", "start", "list_all"]},
}


def said(arguments, description="", required=()):
    """The parameters that are tied to each other, and if one bars the other; what names alone suggest is left out."""
    schema = {"type": "object", "properties": arguments, "required": list(required)}
    surface = build_surface({"tools": [{"name": "do", "description": description, "inputSchema": schema}]})
    context = Context({}, Facts(surface))
    return [
        (set(names), bars)
        for check, bars in ((unstated_needs, False), (unstated_ignoring, True))
        for found in check(surface.tools[0], context)
        for _, *names, quote in found.value
        if quote
    ]


def of_depth(text):
    return said({**ARGUMENTS, "depth": {"description": text}})


ABOUT_ALL = [
    ("You must provide one of: file_id, query", "file_id query", False),
    ("Exactly one of `file_id` and `query`.", "file_id query", False),
    ("file_id or file_path required", "file_id file_path", False),
    ("file_id and file_path cannot both be specified", "file_id file_path", False),
    ("Either file_id or file_path must be given.", "file_id file_path", False),
    ("Provide exactly one of `file_id`, `query`.", "file_id query", False),
    ("Pass at least one of file_id, query, or file_path.", "file_id query file_path", False),
    ("Provide either file_id or query, not both.", "file_id query", False),
    ("Either query or path is required.", "query path", False),
    ("`path` or `query` must be provided.", "path query", False),
    ("Only one of file_id or file_path may be specified.", "file_id file_path", False),
    ("file_id and file_path are mutually exclusive.", "file_id file_path", False),
    ("Do not pass both `file_id` and `query`.", "file_id query", False),
    ("If `deepScan` is true, `depth` must be set.", "depth deepScan", False),
    ("file_path is required if file_id is not given.", "file_path file_id", False),
    ("'latitude' and 'longitude' must be provided together.", "latitude longitude", False),
    ("file_id, file_path and query are mutually exclusive.", "file_id file_path query", False),
    ("Raises an error if none of file_id, query or 'path' are provided.", "file_id query path", False),
    ("Applied only when both latitude and `longitude` are set.", "latitude longitude", False),
    ("Args:\n  query: Provide either query or file_id.\n  file_path: Where to.", "query file_id", False),
    ("Finds. query and file_id cannot be combined. depth: how deep.", "query file_id", False),
    ("Use EITHER file_id OR query for targeting.", "file_id query", False),
    ("At least one of {file_id} or {query} is required.", "file_id query", False),
    ("Fails if neither file_id nor `query` is given.", "file_id query", False),
    ("Takes file_id or query (one is required).", "file_id query", False),
    ("At least one of {file_id+file_path} or {query} is required.", "file_id file_path query", False),
    ("Specify EXACTLY ONE of file_id or query. depth is optional.", "file_id query", False),
    ("Providing 'file_id' without 'query' will fail.", "query file_id", False),
    ("If both file_id and query are passed, only file_id is used.", "query file_id", True),
    ("If both file_id and query are passed, query will be ignored.", "query file_id", True),
    ("Always pass either the \\`file_id\\` or \\`query\\` field.", "file_id query", False),
    ("When `file_id` is given, provide file_path.", "file_path file_id", False),
    ("With action='start', `depth` must be given.", "depth action", False),
    ("Requires `depth` when `action` is 'start'.", "depth action", False),
    ("The 'start' action requires depth.", "depth action", False),
    ("- `move-one` — must include a `file_id`", "file_id action", False),
    ("Pass `file_id` with its prefix, or `file_path` with a relative path.", "file_id file_path", False),
    ("file_id requires file_path.", "file_path file_id", False),
    ("Notes:- If `file_id` is passed, `query` must also be passed.- Else not.", "query file_id", False),
]


@pytest.mark.parametrize(("text", "names", "bars"), ABOUT_ALL)
def test_a_description_of_all_parameters(text, names, bars):
    assert (set(names.split()), bars) in said(ARGUMENTS, text)


ABOUT_ONE = [
    ("Cannot be used with `query`.", "depth query", False),
    ("The depth (alternative to file_id).", "depth file_id", False),
    ("Conflicts with file_id.", "depth file_id", False),
    ("Omit if deepScan is true.", "depth deepScan", False),
    ("Must be specified along with file_id.", "file_id depth", False),
    ("Can be omitted if file_id is provided.", "depth file_id", False),
    ("If not provided, file_id must be provided.", "depth file_id", False),
    ("Mutually exclusive with query.", "depth query", False),
    ("Cannot be used together with the query parameter.", "depth query", False),
    ("Either this or file_id must be provided.", "depth file_id", False),
    ("Paired with `latitude`.", "depth latitude", False),
    ("Incompatible with query.", "depth query", False),
    ("How far to look (use this OR file_id)", "depth file_id", False),
    ("Pass this or query.", "depth query", False),
    ("Use instead of path.", "depth path", False),
    ("Required for reports (and always required if query is set).", "depth query", False),
    ("Applies only if deepScan is true.", "depth deepScan", True),
    ("Required when query is set.", "depth query", False),
    ("Required unless file_id is provided.", "depth file_id", False),
    ("Required if no query is given", "depth query", False),
    ("How deep (required when action='start').", "depth action", False),
    ("Required for 'move-one'. Up to 3.", "depth action", False),
    ("Required for list_all.", "depth action", False),
    ("Required for start and list_all.", "depth action", False),
    ("Required if query not given.", "depth query", False),
    ("Required for start action.", "depth action", False),
    ("Required for all actions except 'move-one'.", "depth action", False),
    ("Must be set if deepScan is true.", "depth deepScan", False),
    ("Requires file_id.", "file_id depth", False),
    ("At most one of depth, file_id or path should be given.", "depth file_id path", False),
    ("Only used when deepScan is true.", "depth deepScan", True),
    ("Ignored unless query is set.", "depth query", True),
    ("Required if the `query` field is passed.", "depth query", False),
    ("Required if `query` has a value.", "depth query", False),
    ("Required when action is 'start', 'go on' or 'list_all'.", "depth action", False),
    ("Required for 'start', optional for 'move-one'.", "depth action", False),
    ("Required for all that begin or move (start, move-one).", "depth action", False),
    ("Required for 'start' on slow machines.", "depth action", False),
    ("Required when action is not 'start'.", "depth action", False),
    ("Required when action is 'start' on slow machines.", "depth action", False),
    ("Required with query when the file is long.", "depth query", False),
    ("Required when query is set and long.", "depth query", False),
    ("Ignored if query is set.", "depth query", True),
    ("Takes precedence over file_id if both are provided.", "file_id depth", True),
    ("Mutually exclusive with all other filters (file_id, query).", "depth file_id query", False),
    ("Must be true when deepScan is true.", "depth deepScan", False),
    ("Requires file_id when true", "file_id depth", False),
    ("If given, file_id is ignored.", "file_id depth", True),
    ("No effect without file_id.", "depth file_id", True),
    ("Only with file_id: how deep.", "depth file_id", True),
    ("Only available for the 'start' action.", "depth action", True),
    ("Not supported by list_all.", "depth action", False),
    ("How deep (requires deepScan=true).", "deepScan depth", False),
    ("Requires action='start'.", "depth action", False),
    ("Alternative to file_id: how deep.", "depth file_id", False),
    ("Provide this instead of file_id to look deeper.", "depth file_id", False),
    ("How deep. Not allowed with file_id (see there).", "depth file_id", False),
    ("If you pass this query parameter, you must also pass the `file_id` query parameter.", "file_id depth", False),
    ("When action is 'start', this is required.", "depth action", False),
    ("Required without file_id.", "depth file_id", False),
    ("If you look deeper, you must specify one file in file_path.", "file_path depth", False),
]


@pytest.mark.parametrize(("text", "names", "bars"), ABOUT_ONE)
def test_a_description_of_one_parameter(text, names, bars):
    assert of_depth(text) == [(set(names.split()), bars)]


NOTHING = [
    "Cannot be used with a query.",
    "Overrides `query`.",
    "'managed' (start only): how it is found.",
    "Do not use with care.",
    "Returns ids instead of query results.",
    "Not required when file_id is set.",
    "Both file_id and file_path are optional.",
    "Required to start the query.",
    "Required for start up.",
    "Either way path or query.",
    "Give file_id, or omit query.",
    "Give file_id or a query of your own.",
    "Give the best file_id or leave a query open.",
    "Nobody gives file_id or a free-text query.",
    "The path is required for a query.",
    "Where the query ran; only available in the path that was given.",
    "A deep query is not ignored if deepScan is true.",
    "Use it or query the table.",
    "Required for start up.",
    "Used as an alternative to `file_id` and more.",
    "Without an offset, supply file_id or file_path.",
    "Looks for the start of a query.",
    "If deepScan is true, query is used as well.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_no_need(text):
    assert of_depth(text) == []
    assert said(ARGUMENTS, text) == []
