"""Values that descriptions list: what is read as all values of a parameter, and what only looks like it."""

from __future__ import annotations

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}
ITEMS = {"type": "array", "items": STRING}


def fragments(text, *, name="mode", schema=STRING, tool="", others=None, rule="closed-list"):
    """The fixes of the rule for one argument with a description."""
    properties = {name: {**schema, **({"description": text} if text else {})}, **(others or {})}
    tools = [{"name": "run", "description": tool, "inputSchema": {"type": "object", "properties": properties}}]
    found = lint(build_surface({"tools": tools}), LintSettings(select=(f"clarity/{rule}",)))
    return [finding.value for finding in found]


LISTS = [
    ("One of: fast, balanced or thorough", "mode", ["fast", "balanced", "thorough"]),
    ("Must be one of 'fast' or 'slow'.", "name", ["fast", "slow"]),
    ("Valid values: a-1, b-2", "mode", ["a-1", "b-2"]),
    ("Allowed values are `low`, `mid`, and `high`. Default: `mid`.", "query", ["low", "mid", "high"]),
    ("Sort key. Options: NAME | DATE | SIZE", "key", ["NAME", "DATE", "SIZE"]),
    ("Sort order. Options: NAME | DATE | SIZE", "order", ["NAME", "DATE", "SIZE"]),
    ("How to sort: 'up' or 'down'", "x", ["up", "down"]),
    ('Whether to keep ("keep"), drop ("drop") or mark ("mark") them', "x", ["keep", "drop", "mark"]),
    ("'a' for all, 'b' for both, or 'n' for none of them", "x", ["a", "b", "n"]),
    ("asc or desc", "order", ["asc", "desc"]),
    ("Literal['asc', 'desc']", "x", ["asc", "desc"]),
    ("Access tier (hot, cool, archive). Defaults to hot", "tier", ["hot", "cool", "archive"]),
    ("Access tier (HOT, COOL, or ARCHIVE; default HOT)", "x", ["HOT", "COOL", "ARCHIVE"]),
    ("Output format (text/csv/html)", "x", ["text", "csv", "html"]),
    ("Who sees it:\n- `team`: the team\n- `all`: everybody", "access", ["team", "all"]),
    ("Visibility. Optional values are:- `team`: the team- `all`: everybody", "x", ["team", "all"]),
    ('Must be "image"', "x", ["image"]),
    ("Output format (json, yaml, name). Defaults to json", "output", ["json", "yaml", "name"]),
    ("How far back from the current date (day, week, month)", "time_range", ["day", "week", "month"]),
    ("ONE_YEAR or THREE_YEARS. Required for buying.", "term_in_years", ["ONE_YEAR", "THREE_YEARS"]),
    ('How often. Valid frequencies: "yearly", "monthly"', "how", ["yearly", "monthly"]),
    ("Group mode**Optional values are**:- `group`: A group", "chat", ["group"]),
    ("What to make, possible values: cdk", "x", ["cdk"]),
    ("Language of the code, currently only 'python' supported", "x", ["python"]),
    ("Protocol (tcp, udp, icmp)", "Protocol", ["tcp", "udp", "icmp"]),
    ("Lowest version. The possible values are: v10, v11, v12.", "tls_version", ["v10", "v11", "v12"]),
    ("Must be one of:\nmp3_low\nmp3_high\nogg", "encoding", ["mp3_low", "mp3_high", "ogg"]),
    ('Voices. Values range ["all", "own"], with "all" being the default.', "x", ["all", "own"]),
    ("Baseline. One of NONE, SUPER, SUB", "x", ["NONE", "SUPER", "SUB"]),
    ("One of: fast, slow, none", "x", ["fast", "slow", "none"]),
    ("One of: fast, slow, None", "mode", ["fast", "slow"]),
    ("The window. 1Min, 5Min, 1H, or 1D. If omitted, 1Min.", "timeframe", ["1Min", "5Min", "1H", "1D"]),
    ("Paper size: 'A4', 'A3' or 'Letter'", "paper_size", ["A4", "A3", "Letter"]),
    ("Paper size ('A3', 'A4', 'A5'), by row", "paper_size", ["A3", "A4", "A5"]),
    ("'asc' or 'desc', or omit for the default", "order", ["asc", "desc"]),
    ("Sort order ('asc', 'desc') or null", "order", ["asc", "desc"]),
    ("Quarter: 'Q1', 'Q2', 'Q3' or 'Q4'", "quarter", ["Q1", "Q2", "Q3", "Q4"]),
    ("Supported operations (exhaustive): is, isNot, has", "operation", ["is", "isNot", "has"]),
    ("Valid scopes: 'repo', 'repo:status', 'user'", "scope", ["repo", "repo:status", "user"]),
    ("How filters are joined: 'AND' or 'OR'", "logic", ["AND", "OR"]),
    ("Kind of range: 'day', 'week' or 'month'", "range", ["day", "week", "month"]),
    ("Optional NORTH, EAST, SOUTH or WEST", "side", ["NORTH", "EAST", "SOUTH", "WEST"]),
    ("Unit system. Supported units: metric, imperial", "units", ["metric", "imperial"]),
    ("Must be one of the following: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("The value must be exactly one of fast, slow, auto.", "thing", ["fast", "slow", "auto"]),
    ("May be any of: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("Has to be 'fast', 'slow' or 'auto'.", "thing", ["fast", "slow", "auto"]),
    ("Valid values include: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("Supported run modes are fast, slow and auto.", "thing", ["fast", "slow", "auto"]),
    ("Supported categories include: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("Allowed values (case-sensitive): fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("Allowed values for this parameter: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("The following modes are available: fast, slow, auto.", "thing", ["fast", "slow", "auto"]),
    ("Valid inputs are 'fast', 'slow', and 'auto'", "thing", ["fast", "slow", "auto"]),
    ("Choose one: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("Pick one of fast, slow, auto.", "thing", ["fast", "slow", "auto"]),
    ("Pass 'fast', 'slow' or 'auto'.", "thing", ["fast", "slow", "auto"]),
    ("How to run. Enum (fast, slow, auto)", "thing", ["fast", "slow", "auto"]),
    ("Available modes are «fast», «slow» and «auto»", "thing", ["fast", "slow", "auto"]),
    ("Mode of the run: fast (default), slow, auto", "thing", ["fast", "slow", "auto"]),
    ("How to run: fast, slow, or auto", "thing", ["fast", "slow", "auto"]),
    ("How to run (default: fast; options: fast, slow, auto)", "thing", ["fast", "slow", "auto"]),
    ("Run type to apply: `fast`, `slow`, `auto`.", "thing", ["fast", "slow", "auto"]),
    ("'fast' uses the cache, 'slow' does not, 'auto' decides.", "thing", ["fast", "slow", "auto"]),
    (
        '"fast" (the default) uses the cache. "slow" does not. "auto" returns a JSON string.',
        "thing",
        ["fast", "slow", "auto"],
    ),
    ("How to run.\n- fast: uses the cache\n- slow: does not\n- auto: decides", "thing", ["fast", "slow", "auto"]),
    ("How to run:\nfast: uses the cache\nslow: does not\nauto: decides", "thing", ["fast", "slow", "auto"]),
    (
        "Valid values are:\n\n- **fast**: uses the cache\n- **slow**: does not\n- **auto**: decides",
        "thing",
        ["fast", "slow", "auto"],
    ),
    ("How to run. fast=uses the cache, slow=does not (at all), auto=decides.", "thing", ["fast", "slow", "auto"]),
    ("Run type: fast for tests, slow for builds, auto for the rest", "thing", ["fast", "slow", "auto"]),
    ("'fast'=uses the cache; 'slow'=does not; 'auto'=decides.", "thing", ["fast", "slow", "auto"]),
    (
        "Response format: 'fast' (few), 'slow' (all, with (some) more), 'auto' (either)",
        "thing",
        ["fast", "slow", "auto"],
    ),
    ("Must be one of: fast,\nslow, auto", "thing", ["fast", "slow", "auto"]),
    ("操作类型：fast=快速（缓存，内存），slow=慢速，auto=自动", "thing", ["fast", "slow", "auto"]),
    ("A custom query option. Supported values are fast, slow or auto.", "thing", ["fast", "slow", "auto"]),
    ("运行模式，可选值为 fast、slow、auto", "thing", ["fast", "slow", "auto"]),
    ("Mögliche Werte: fast, slow und auto", "thing", ["fast", "slow", "auto"]),
    ("Valeurs possibles : fast, slow ou auto", "thing", ["fast", "slow", "auto"]),
    ("Возможные значения: fast, slow, auto", "thing", ["fast", "slow", "auto"]),
    ("One of 'plain', 'regex'", "mode", ["plain", "regex"]),
    ("Match mode: plain, start or regex", "match", ["plain", "start", "regex"]),
    ("sea|sky|page (page=to read)", "plane", ["sea", "sky", "page"]),
    ("default|warm|cold", "tone", ["default", "warm", "cold"]),
    ("Done/Lost/In Transit", "run_state", ["Done", "Lost", "In Transit"]),
    ("NARROW or FULL", "width", ["NARROW", "FULL"]),
    ("by_hand or by_clock (Acme API)", "origin", ["by_hand", "by_clock"]),
    ("Time span: last_day, last_2d, last_7d", "span", ["last_day", "last_2d", "last_7d"]),
    ("Span: a_b, a_c, a_d", "span", ["a_b", "a_c", "a_d"]),
    ('Region — "north", "south" or "west"', "region", ["north", "south", "west"]),
    ('Region code — "N" (North), "S" (South), "W" (West).', "region", ["N", "S", "W"]),
    ("Region — 'a', 'b' or 'c'", "region", ["a", "b", "c"]),
    ("Required when a is 'b' — 'x' for xs or 'y' for ys", "crime_type", ["x", "y"]),
    ("'IN' or 'OUT'. In + out are counted.", "kind", ["IN", "OUT"]),
    ("Ratio. Options: 1:1, 16:9", "thing", ["1:1", "16:9"]),
    ("Can be '1', '2' or '4'", "factor", ["1", "2", "4"]),
    ("Sort order, asc or desc", "order", ["asc", "desc"]),
    ("One of issue, island or task", "thing", ["issue", "island", "task"]),
    ("Options:only_owner(The owner),all(Everybody)", "thing", ["only_owner", "all"]),
    ("Either flat or tall. Default is flat, if not deep.", "orient", ["flat", "tall"]),
    ("When. asc or desc. Defaults to desc.", "direction", ["asc", "desc"]),
    ("Must be set to 'plain' — 'rich' is gone.", "thing", ["plain"]),
    ("'on' (all sides), 'off' (left, right, or top)", "mode", ["on", "off"]),
    ("Trial:\n- IPR: Inter Partes Review\n- PGR: after the grant", "trial_type", ["IPR", "PGR"]),
    ("Way:\n- 'up': what depends on it\n- 'down': what it needs", "direction", ["up", "down"]),
    ("SIX_DAYS, TEN_DAYS, or ALL_DAYS. Required for buying.", "span_in_days", ["SIX_DAYS", "TEN_DAYS", "ALL_DAYS"]),
    ("Type of worker (G.1X, G.2X, Z.2X)", "worker_type", ["G.1X", "G.2X", "Z.2X"]),
]


@pytest.mark.parametrize(("text", "name", "values"), LISTS)
def test_a_list_of_all_values(text, name, values):
    assert fragments(text, name=name) == [values]


NONE = [
    ("What to make, possible values: any", "x"),
    ("Full type: 'base.request' or 'chain.agent'", "node_type"),
    ('Optional JSON string with "key" or "order"', "order"),
    ("Only 'python' files are read", "x"),
    ("Valid values: see the manual", "x"),
    ("The possible values are: words, lines, pages.", "version"),
    ("Must be one of:\nThe usual codes\napply here", "encoding"),
    ("Must be one of:\nred\nblue", "name"),
    ("(first, second)", "x"),
    ("'accept', 'dismiss', or string for the answer", "mode"),
    ("Position: 'top', 'bottom', or a positive number", "position"),
    ("Page format (e.g. 'A4', 'Letter')", "format"),
    ("Page format, for example 'A4' or 'Letter'", "format"),
    ("Key to press, such as 'Enter', 'Tab'", "key"),
    ("Type ('Task', 'Bug', etc.)", "type"),
    ("Type ('Task', 'Bug', ...)", "type"),
    ("Type: 'task', 'bug' or any other of the project", "type"),
    ("Either 'fast', 'slow', or a custom mode", "mode"),
    ("'fast' or 'slow'. Custom modes are taken as well.", "mode"),
    ("Identifier (ID or name) of the project", "project"),
    ("Owner (username or organization)", "owner"),
    ("One of the issues of the project, open or closed", "mode"),
    ("One of the metrics that list_metrics returns", "metric"),
    ("Must be one of China, province, city, district, or county", "name"),
    ("The first stage must be one of `$changeStream`, `$documents`", "pipeline_text"),
    ("'YYYY-MM-DD' or 'YYYY-MM'", "period"),
    ("'2024-01-15' or '2024-01'", "period"),
    ("'main' or 'master'", "branch"),
    ("Starting point (commit/branch)", "start_point"),
    ('Optional JSON text with "key" and "order"', "order"),
    ('Filter, as {"mode": "a"} or {"mode": "b"}', "mode"),
    ("Filters, as {'kind': 'a', 'size': 'b'}", "mode"),
    ("Shapes:\n- Basic: 'square', 'circle' or 'line'\n- Stars: 'star', 'sun' or 'moon'", "shape"),
    ("Only for 'start' and 'stop'.", "target"),
    ("Required when 'start' or 'stop' is the action", "target"),
    ("Extract what needs work (styling, layout, responsiveness, etc.)", "mode"),
    ("Not 'a' or 'b'", "mode"),
    ("Components (buttons, forms) the user means", "mode_text"),
    ("The mode (string, optional)", "mode"),
    ("The mode (optional, default fast)", "mode"),
    ("'a'", "mode"),
    ("Sort with 'wiki' in front", "mode"),
    ("Image size 'WxH'. Default: '600x400'. Max: '640x640'", "size"),
    ("Each string: 'color:red|label:A' or 'color:blue|label:B'", "marker"),
    ("Medicine name (brand or generic) to look up", "medicine"),
    ("In this notation (genomic, coding, or protein)", "hgvs"),
    ("Area as four floats. Order: top, left, bottom, right (comma-separated).", "box"),
    ("By folder id (accepts 'null' and 'notnull' literals)", "folder"),
    ('Length in the form /^(\\d+) +(second|minute)s?$/, default is "1 minute".', "span"),
    ("One of: shop (default), docs, wiki. For action=read, this may instead be a path.", "source"),
    ("Due date: YYYY-MM-DD, 'today' or 'tomorrow'", "due"),
    ("Due date, 'today' or 'tomorrow'", "due"),
    ("Issue id, 'latest' or 'oldest'", "issue"),
    ("Status name, 'open' or 'closed'", "status"),
    ("Two-letter code, or 'all'", "lang"),
    ("'latest', 'stable' or x.y.z", "release"),
    ("'all', 'none' or the number of rows", "rows"),
    ("Assignee: 'me', 'none', or username", "assignee"),
    ("Status (open/closed) or status ID", "status"),
    ("A friendly name ('folder', 'sheet'/'table') or any raw media type", "file_type"),
    ("One of the presets (small, large) or WIDTHxHEIGHT", "size"),
    ("Rows '3' or '3:5'; columns 'B' or 'B:D'.", "span"),
    ("Number format ('#,##0.00', '0%', 'General')", "number_format"),
    ("Color ('#ff0000', '#00ff00')", "color_mode"),
    ("Any of these values:\n- `[1-59]Min` creates minutes\n- `1Day` creates days", "frame"),
    ("Time zone: 'UTC' or 'Europe/Berlin'", "tz"),
    ("Timeout ('30s' or '5m')", "timeout"),
    ("CSS length: '10px', '50%' or 'auto'", "width"),
    ("Quarter: 'Q1 2024' or 'Q2 2024'", "quarter"),
    ("Time window; number and unit. Supported units: s, m, h, d.", "window"),
    ("Interval with suffix 's', 'm' or 'h'", "interval"),
    ("Filter string; combine with 'AND' or 'OR'", "filter"),
    ("In the service's filter syntax. Supports created and sender.name.", "message_filter"),
    ("Any combination of 'r', 'w' and 'x'", "mode"),
    ("Model to use ('large-5' or 'small-9' recommended)", "model"),
    ("Deprecated. Formerly 'a' or 'b'.", "mode"),
    ("Operation id as listed by describe (get, put)", "operation"),
    ("Unit of the result; depends on the metric ('ms', 'bytes')", "unit"),
    ("Host, cluster or region", "scope"),
    ("Level '1' to '5'", "level"),
    ("Typical values are 'day' and 'week'", "period"),
    ("Same as 'a' or 'b' there", "mode"),
    ("Equivalent to 'ls' or 'dir'", "action"),
    ("Text with 'quotes' or \"double quotes\"", "style"),
    ("'true' or 'false'", "enabled"),
    ("plain text | a regex", "mode"),
    ("One of 'plain', or a regex", "mode"),
    ("Match: the name, the id or a regex", "match"),
    ("id|slug|page", "plane"),
    ("Done/Lost/In the end it is a text", "run_state"),
    ("Narrow or full", "width"),
    ("hand or clock (Acme API)", "origin"),
    ("Time span: day, week, year", "span"),
    ('Region — "north", "south", "west"', "region"),
    ('Region code — "N", "S", "W".', "region"),
    ("Place — 'a', 'b' or 'c'", "region"),
    ("Required when a is 'x' or 'y'", "crime_type"),
    ("What:\n- note: any\n- file, etc.", "kind"),
    ("'IN' + 'OUT', 'IN' or 'OUT'", "kind"),
    ("Must be letters, digits, or underscores.", "thing"),
    ("Format: 'owner/name' or 'name'", "thing"),
    ("Set to 'none' to stop or 'all' to start; otherwise a name", "thing"),
    ("'small' or 'large'. Other models are accepted as well.", "thing"),
    ("Use `*` for anything, e.g. `.txt` for texts", "name"),
    ("Timezone (UTC, Europe/Berlin, America/New_York)", "timezone"),
    ("Filter lines by place/region.", "place_filter"),
    ("推荐取值：fast / slow", "thing"),
    ("A place, optional: hdr/exr for skies, jpg/png/exr for walls.", "file_format"),
    ("Id / URI / label for option B", "candidate_b"),
    ("Search for a user by name or email (case does not count).", "search_term"),
    ("Whose it is (User or Group)", "holder"),
    ("类型：fast=快速，slow=慢速。其他，auto=自动", "thing"),
    ('ALWAYS use FROM:TO format - "Sheet!A1:C10" or "Sheet!C1:C1"', "range"),
]


@pytest.mark.parametrize(("text", "name"), NONE)
def test_no_list_of_all_values(text, name):
    assert fragments(text, name=name) == []


CODES = [
    ("Options:0(German name. Example: @Ö),1(French (Canada)),2(Danish)", "x", [0, 1, 2]),
    ("1 = low, 2 = medium, 3 = high", "x", [1, 2, 3]),
    ("0: off, 1: on", "mode", [0, 1]),
    ("One of 0, 90, 180 or 270", "x", [0, 90, 180, 270]),
    ("0 = all, -1 = as many as fit", "rows", []),
    ("Rows (0 = none, 2 = default, -1 = unlimited)", "rows", []),
    ("0 (worst) to 5 (best)", "level", []),
    ("Port, e.g. 80 (http), 443 (https), 22 (ssh)", "port", []),
    ("1 = low, 2 = medium, 3 = high, etc.", "level", []),
    ("One of 1.5, 2.5 or 3.5", "mode", []),
    ("Lists 2 kinds and 3 orders", "kind", []),
    ("Must be 1, 2 or 3", "x", [1, 2, 3]),
    ("Allowed values: [16, 24, 32]", "x", [16, 24, 32]),
    ("Only 1 and 2 are supported.", "x", [1, 2]),
    ("1 for low, 2 for medium, 3 for high", "x", [1, 2, 3]),
    ("取值：1、2、3", "x", [1, 2, 3]),
    ("Start with 1 to see little. Use 0 for all of it.", "level", []),
    ("返回1条，最多3条", "x", []),
    ("Between 1, 2 and 3 items", "x", []),
    ("Port: 80 (http), 443 (https), 22 (ssh)", "port", []),
    ("Chain ID: 1 (one), 137 (another), 56 (a third)", "chain_id", []),
    ("HTTP status: 200 (ok), 404 (missing)", "status", []),
    ("Priority 1=urgent, 2=high, other numbers are low", "priority", []),
]


@pytest.mark.parametrize(("text", "name", "values"), CODES)
def test_numbers_that_stand_for_something(text, name, values):
    assert fragments(text, name=name, schema={"type": "integer"}) == ([values] if values else [])


def test_the_schema_says_that_there_are_more_values():
    assert fragments("'fast' or 'slow'", schema={**STRING, "default": "auto"}) == []
    assert fragments("'fast' or 'slow'", schema={**STRING, "default": "fast"}) == [["fast", "slow"]]


def test_the_values_are_of_another_argument_or_its_name_or_tools():
    text = "What 'start' or 'stop' is done to"
    assert fragments(text, name="target") == [["start", "stop"]]
    assert fragments(text, name="target", others={"action": {"enum": ["start", "stop"]}}) == []
    assert fragments(text, name="target", others={"start": STRING}) == []
    ways = "Provide exactly one of `path` or `url`."
    assert fragments(ways, name="path", others={"url": STRING}) == []
    assert fragments(ways, name="kind", others={"url": STRING, "path": STRING}) == [["path", "url"]]


def test_two_lists_that_differ_are_not_a_closed_list():
    tool = "Args:\n    mode: One of 'fast', 'slow', 'deep'\n"
    assert fragments("'fast' or 'plain'", tool=tool) == []


def test_the_description_of_the_tool_counts():
    assert fragments("", tool="Args:\n    mode: 'fast' or 'slow'\n") == [["fast", "slow"]]
    assert fragments("", tool="Runs with mode ('fast' or 'slow').") == [["fast", "slow"]]
    assert fragments("", tool="Runs it. `mode` can be 'fast' or 'slow'.") == [["fast", "slow"]]
    assert fragments("", tool='Runs it. `mode`: "fast" | "slow".') == [["fast", "slow"]]
    assert fragments("", tool="Runs it. mode: 'fast' or 'slow'. Ends.") == [["fast", "slow"]]
    assert fragments("", tool="Runs it in a mode: 'fast' or 'slow'.") == []
    assert fragments("", tool='Example: run(mode=["fast", "slow"])') == []
    assert fragments("", tool="Runs 'fast' or 'slow' with `mode`.") == []
    assert fragments("", tool='Example: mode="fast" or something else.') == []
    assert fragments("", tool="""Example: {"mode": "[{'kind': 'fast', 'or': 'slow'}]"}""") == []


def test_one_or_more_of_a_list_is_an_enum_of_the_items():
    assert fragments("As a list. One or more of CNY, USD, and EUR.", schema=ITEMS) == [["CNY", "USD", "EUR"]]


def test_items_of_a_list_may_follow_a_colon():
    text = "Filter by state: open, held, done (for 'list')"
    assert fragments(text, name="states", schema=ITEMS) == [["open", "held", "done"]]
    assert fragments(text, name="names", schema=ITEMS) == []


def test_hundreds_of_values_are_read_and_the_message_shows_some():
    names = [f"kind_{number}" for number in range(400)]
    schema = {"type": "object", "properties": {"category": {**STRING, "description": _announce(names)}}}
    tools = [{"name": "run", "inputSchema": schema}]
    (finding,) = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/closed-list",)))
    assert finding.value == names
    assert len(finding.fix) < 400


def _announce(names):
    return f"Supported categories include: {', '.join(names)}"


def test_values_that_one_string_joins_have_a_pattern():
    pattern = ["^(a\\-1|b|c)([,;] ?(a\\-1|b|c))*$"]
    assert fragments("A comma-separated list of 'a-1', 'b' and 'c'") == pattern
    assert fragments("Kinds, separated by commas. The allowed values are a-1, b and c", name="kinds") == pattern
    assert fragments("Comma-separated. Valid keys: 'a', 'b'. The modifier desc reverses the order.", name="keys") == []
    assert fragments("Comma-separated. Valid kinds: 'a', 'b'.", name="kinds", schema=ITEMS) == [["a", "b"]]


NUMBER = {"type": "integer"}


def test_codes_without_the_default_are_not_all():
    assert fragments("1 = low, 2 = high", schema={**NUMBER, "default": 3}) == []


SECTION = """Works.

**Mode types:**
- **fast**: quick, see `{'a': 'b', 'c': 'd'}`
- **slow**: takes
  its time
    - not: a mode
"""


@pytest.mark.parametrize("heading", ["**Mode types:**", "## Modes", "Supported modes:", "Valid modes include:", "MODE"])
def test_bullets_below_a_heading_that_names_the_argument(heading):
    tool = SECTION.replace("**Mode types:**", heading)
    assert fragments("", tool=tool, others={"types": STRING}) == ([["fast", "slow"]] if "types" not in heading else [])


@pytest.mark.parametrize("heading", ["## Notes on modes", "## Returned modes", "## Examples"])
def test_bullets_below_a_heading_about_something_else(heading):
    assert fragments("", tool=SECTION.replace("**Mode types:**", heading)) == []


def test_of_two_texts_the_one_with_all_values_counts():
    own = 'Kind of log. Valid values: "pod", "node".'
    tool = "Reads.\n\nArgs:\n    kind: Kind of log (pod, node, cluster).\n"
    assert fragments(own, name="kind", tool=tool) == [["pod", "node", "cluster"]]
