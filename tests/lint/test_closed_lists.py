"""Closed lists in prose: the forms that people write, and their near misses, which must stay silent."""

from __future__ import annotations

import pytest

from mcp_governor.prose.closed_lists import closed_lists
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

STRING = {"type": "string"}


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
    (
        "Valid values — AWS: 'S3', 'MSK'. Azure: 'HUB', 'MSK'. Defaults to GENERIC.",
        "x",
        ["S3", "MSK", "HUB", "GENERIC"],
    ),
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
]


@pytest.mark.parametrize(("text", "name", "values"), LISTS)
def test_a_list_of_all_values(text, name, values):
    assert fragments(text, name=name) == ([values] if values else [])


NONE = [
    ("What to make, possible values: any", "x"),
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
]


@pytest.mark.parametrize(("text", "name"), NONE)
def test_no_list_of_all_values(text, name):
    assert fragments(text, name=name) == []


def test_the_schema_says_that_there_are_more_values():
    assert fragments("'fast' or 'slow'", schema={**STRING, "default": "auto"}) == []
    assert fragments("'fast' or 'slow'", schema={**STRING, "default": "fast"}) == [["fast", "slow"]]


def test_the_values_are_of_another_argument_or_its_name_or_tools():
    text = "What 'start' or 'stop' is done to"
    assert fragments(text, name="target") == [["start", "stop"]]
    assert fragments(text, name="target", others={"action": {"enum": ["start", "stop"]}}) == []
    assert fragments(text, name="target", others={"start": STRING}) == []
    assert fragments("Give 'run' or 'walk'") == []  # a tool
    ways = "Provide exactly one of `path` or `url`."
    assert fragments(ways, name="path", others={"url": STRING}) == []
    assert fragments(ways, name="kind", others={"url": STRING, "path": STRING}) == [["path", "url"]]


def test_two_lists_that_differ_are_not_a_closed_list():
    tool = "Args:\n    mode: One of 'fast', 'slow', 'deep'\n"
    assert fragments("'fast' or 'plain'", tool=tool) == []


def test_the_description_of_the_tool_counts():
    assert fragments("", tool="Args:\n    mode: 'fast' or 'slow'\n") == [["fast", "slow"]]
    assert fragments("", tool="Runs with mode ('fast' or 'slow').") == [["fast", "slow"]]
    assert fragments("", tool="Runs 'fast' or 'slow' with `mode`.") == []
    assert fragments("", tool='Example: mode="fast" or something else.') == []
    assert fragments("", tool="""Example: {"mode": "[{'kind': 'fast', 'or': 'slow'}]"}""") == []


@pytest.mark.parametrize(
    "piece", ["'a', ", "a or ", "(a, ", "'a' for b ", "- `a`: b", "one of ", "values: ", "'", "\n- a", "a: "]
)
def test_a_hostile_description_is_read_to_a_limit(piece):
    assert len(list(closed_lists(piece * (1_000_000 // len(piece))))) < 5_000


ITEMS = {"type": "array", "items": STRING}


def test_one_or_more_of_a_list_is_an_enum_of_the_items():
    assert fragments("As a list. One or more of CNY, USD, and EUR.", schema=ITEMS) == [["CNY", "USD", "EUR"]]


ANNOUNCED = [
    "Must be one of the following: fast, slow, auto",
    "The value must be exactly one of fast, slow, auto.",
    "May be any of: fast, slow, auto",
    "Has to be 'fast', 'slow' or 'auto'.",
    "Valid values include: fast, slow, auto",
    "Supported run modes are fast, slow and auto.",
    "Supported categories include: fast, slow, auto",
    "Allowed values (case-sensitive): fast, slow, auto",
    "Allowed values for this parameter: fast, slow, auto",
    "The following modes are available: fast, slow, auto.",
    "Valid inputs are 'fast', 'slow', and 'auto'",
    "Choose one: fast, slow, auto",
    "Pick one of fast, slow, auto.",
    "Pass 'fast', 'slow' or 'auto'.",
    "How to run. Enum (fast, slow, auto)",
    "Available modes are «fast», «slow» and «auto»",
    "Valid values are: 1) fast 2) slow 3) auto",
    "Mode of the run: fast (default), slow, auto",
    "How to run: fast, slow, or auto",
    "How to run (default: fast; options: fast, slow, auto)",
    "Run type to apply: `fast`, `slow`, `auto`.",
    "'fast' uses the cache, 'slow' does not, 'auto' decides.",
    '"fast" (the default) uses the cache. "slow" does not. "auto" returns a JSON string.',
    "How to run.\n- fast: uses the cache\n- slow: does not\n- auto: decides",
    "How to run:\nfast: uses the cache\nslow: does not\nauto: decides",
    "Valid values are:\n\n- **fast**: uses the cache\n- **slow**: does not\n- **auto**: decides",
    "How to run. fast=uses the cache, slow=does not (at all), auto=decides.",
    "Run type: fast for tests, slow for builds, auto for the rest",
    "'fast'=uses the cache; 'slow'=does not; 'auto'=decides.",
    "Response format: 'fast' (few), 'slow' (all, with (some) more), 'auto' (either)",
    "Choose how:\n- 'fast' is quick\nto use\n\n- 'slow' takes\nlonger\n\n- 'auto' decides",
    "Allowed values are:\n- **fast**\n\nUses the cache.\n\n- **slow**\n\nDoes not.\n\n- **auto**\n\nDecides.",
    "Must be one of: fast,\nslow, auto",
    "操作类型：fast=快速（缓存，内存），slow=慢速，auto=自动",
    "A custom query option. Supported values are fast, slow or auto.",
    "运行模式，可选值为 fast、slow、auto",
    "运行模式：fast-快速，slow-慢速，auto-自动",
    "fast/slow/auto のいずれか",
    "Mögliche Werte: fast, slow und auto",
    "Valeurs possibles : fast, slow ou auto",
    "Возможные значения: fast, slow, auto",
]


@pytest.mark.parametrize("text", ANNOUNCED)
def test_a_list_is_announced_in_many_ways(text):
    assert fragments(text, name="thing") == [["fast", "slow", "auto"]]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("Allowed values: image/png, image/webp", "thing", ["image/png", "image/webp"]),
        ("Ratio. Options: 1:1, 16:9", "thing", ["1:1", "16:9"]),
        ("Time window: 1h, 6h, 24h", "thing", ["1h", "6h", "24h"]),
        ("Can be '1', '2' or '4'", "factor", ["1", "2", "4"]),
        ("Valid values: last week, last month, all", "thing", ["last week", "last month", "all"]),
        ("Sort order, asc or desc", "order", ["asc", "desc"]),
        ("Sort by name, date or size", "sort_by", ["name", "date", "size"]),
        ("How to write it. Default is json. Can also be csv or xml.", "output_format", ["csv", "xml", "json"]),
        ("One of issue, island or task", "thing", ["issue", "island", "task"]),
        ("Options:only_owner(The owner),all(Everybody)", "thing", ["only_owner", "all"]),
        ("The variable type: COLOR, FLOAT, STRING, or BOOLEAN", "type", ["COLOR", "FLOAT", "STRING", "BOOLEAN"]),
        ("Either flat or tall. Default is flat, if not deep.", "orient", ["flat", "tall"]),
        ("When. asc or desc. Defaults to desc.", "direction", ["asc", "desc"]),
        ("'all' shows it (paths, tags, etc.), 'some' less.", "thing", ["all", "some"]),
        ("Reset mode: soft (keep it), merge (reset and merge), keep (leave it).", "mode", ["soft", "merge", "keep"]),
        ("How the server gets there (proxy or direct)", "access", ["proxy", "direct"]),
        ("Must be set to 'plain' — 'rich' is gone.", "thing", ["plain"]),
    ],
)
def test_values_of_other_shapes(text, name, values):
    assert fragments(text, name=name) == [values]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Must be letters, digits, or underscores.", "thing"),
        ("Format: 'owner/name' or 'name'", "thing"),
        ("Set to 'none' to stop or 'all' to start; otherwise a name", "thing"),
        ("'small' or 'large'. Other models are accepted as well.", "thing"),
        ("If the field is a box, the value should be `on` or `off`.", "thing"),
        ("Where it is. Supported formats: JPEG, PNG, WebP", "image_source"),
        ("Use `*` for anything, e.g. `.txt` for texts", "name"),
        ("Required if the type of the first was `limit` or `stop`.", "price"),
        ("Timezone (UTC, Europe/Berlin, America/New_York)", "timezone"),
        ("Filter lines by place/region.", "place_filter"),
        ("推荐取值：fast / slow", "thing"),
        ("A place, optional: hdr/exr for skies, jpg/png/exr for walls.", "file_format"),
        ("Id / URI / label for option B", "candidate_b"),
        ("Search for a user by name or email (case does not count).", "search_term"),
        ("Whose it is (User or Group)", "holder"),
        ("类型：fast=快速，slow=慢速。其他，auto=自动", "thing"),
        ("模式：fast=快速，slow=慢速等", "thing"),
        ("For rows: 'columnName:asc' or 'columnName:desc'", "sort_by"),
        ("Device, '<width>x<height>[,touch][,small]'. 'touch' and 'small' for phones.", "device_mode"),
        ('ALWAYS use FROM:TO format - "Sheet!A1:C10" or "Sheet!C1:C1"', "range"),
    ],
)
def test_what_only_looks_like_values(text, name):
    assert fragments(text, name=name) == []


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
    pattern = ["^(a\\-1|b|c)(, ?(a\\-1|b|c))*$"]
    assert fragments("A comma-separated list of 'a-1', 'b' and 'c'") == pattern
    sides = "A semicolon-separated list of sides. Accepts 'left' or 'right'. You can skip one."
    assert fragments(sides, name="sides") == ["^(left|right)?(; ?(left|right)?)*$"]
    assert fragments(sides.replace("skip", "name"), name="sides") == ["^(left|right)(; ?(left|right))*$"]
    assert fragments("Kinds, separated by commas. The allowed values are a-1, b and c", name="kinds") == pattern
    assert fragments("Comma-separated. Valid keys: 'a', 'b'. A prefix of - reverses the order.", name="keys") == []
    assert fragments("Comma-separated. Valid kinds: 'a', 'b'.", name="kinds", schema=ITEMS) == [["a", "b"]]


NUMBER = {"type": "integer"}
CODES = [
    ("Options:0(German name. Example: @Ö),1(French (Canada)),2(Danish)", "x", [0, 1, 2]),
    ("1 = low, 2 = medium, 3 = high", "x", [1, 2, 3]),
    ("0: off, 1: on", "mode", [0, 1]),
    ("What to do:\n- 0 - nothing\n- 1 - some\n- 10 - everything", "x", [0, 1, 10]),
    ("One of 0, 90, 180 or 270", "x", [0, 90, 180, 270]),
    ("0 = all, -1 = as many as fit", "rows", []),
    ("Rows (0 = none, 2 = default, -1 = unlimited)", "rows", []),
    ("Rows (0 = none, 2 = default, 9 = all)", "rows", [0, 2, 9]),
    ("0 (worst) to 5 (best)", "level", []),
    ("Port, e.g. 80 (http), 443 (https), 22 (ssh)", "port", []),
    ("1 = low, 2 = medium, 3 = high, etc.", "level", []),
    ("One of 1.5, 2.5 or 3.5", "mode", []),
    ("Lists 2 kinds and 3 orders", "kind", []),
    ("Must be 1, 2 or 3", "x", [1, 2, 3]),
    ("Allowed values: [16, 24, 32]", "x", [16, 24, 32]),
    ("Only 1 and 2 are supported.", "x", [1, 2]),
    ("1 | 2 | 4", "x", [1, 2, 4]),
    ("1 for low, 2 for medium, 3 for high", "x", [1, 2, 3]),
    ("Use 1 to lower it, 2 to keep it and 3 to raise it.", "x", [1, 2, 3]),
    ("1 is low, 2 is medium, 3 is high", "x", [1, 2, 3]),
    ("方向，1:升序,-1:降序", "direction", [1, -1]),
    ("类型：1代表快，0代表慢，3自动", "x", [1, 0, 3]),
    ("取值：1、2、3", "x", [1, 2, 3]),
    ("Start with 1 to see little. Use 0 for all of it.", "level", []),
    ("返回1条，最多3条", "x", []),
    ("Between 1, 2 and 3 items", "x", []),
]


@pytest.mark.parametrize(("text", "name", "values"), CODES)
def test_numbers_that_stand_for_something(text, name, values):
    assert fragments(text, name=name, schema=NUMBER) == ([values] if values else [])


OBJECT = {"type": "object"}


@pytest.mark.parametrize(
    ("text", "schema", "keys"),
    [
        ('How to write: {"mode": "fast" | "slow"}', OBJECT, ["mode"]),
        ("Sets `mode` ('fast' or 'slow') and size (SMALL, LARGE or HUGE).", OBJECT, ["mode", "size"]),
        ("Each has:\n- mode: fast|slow\n- name", {"type": "array", "items": OBJECT}, ["mode"]),
        ('{"mode": "fast"|"slow", "size": "<number>"}', OBJECT, ["mode"]),
        ('A spec such as {\n"mode": "fast"  # Or "slow"\n}', OBJECT, ["mode"]),
        ("Sets `mode` ('fast' or 'slow').", {"type": "object", "properties": {"mode": {"enum": ["fast"]}}}, []),
        ("Only with `mode` ('fast' or 'slow').", OBJECT, []),
        ("E.g. {'mode': 'fast', 'size': 'small'}", OBJECT, []),
        ("Provide `text` or `file`.", OBJECT, []),
    ],
)
def test_values_of_the_keys_of_an_open_object(text, schema, keys):
    found = fragments(text, name="body", schema=schema)
    assert found == ([keys] if keys else [])


def test_codes_may_be_text():
    assert fragments("1: fast, 2: slow, 3: auto", name="x") == [["1", "2", "3"]]
    assert fragments("1: fast, 2: slow, 3: auto", name="x", schema={**STRING, "default": "9"}) == []


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


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Either of json and csv", ("json", "csv")),
        ("json, yaml and toml are supported.", ("json", "yaml", "toml")),
        ("Currently only 'json' and 'csv' are accepted", ("json", "csv")),
        ("Names and ids are accepted.", None),
        ("Status. 'open' lists open issues; 'closed' lists closed ones.", ("open", "closed")),
        ("If 'full', returns everything; if 'short', returns counts.", ("full", "short")),
        ("If 'full', returns everything; otherwise, returns 'counts'.", None),
        ("Mode → fast, slow", ("fast", "slow")),
        ("Direction {asc,desc}", ("asc", "desc")),
        ("Direction <asc|desc>", ("asc", "desc")),
        ("Format: <user|org>/<name>", None),
        ("Values may be asc or desc", ("asc", "desc")),
        ("Must equal asc or desc", ("asc", "desc")),
        ('Accepted values - "a" | "b"', ("a", "b")),
        ("Format: json | yaml (default: json)", ("json", "yaml")),
        ('Crop:\n"square"  — as wide as high\n"wide" — for films', ("square", "wide")),
        ("Mode:\n1. `fast`: quick\n2. `slow`: long", ("fast", "slow")),
        ("For cities (Rome, Oslo, etc.). Valid values: ROME_A, ROME_B", ("ROME_A", "ROME_B")),
        ("Valid values: a, b, etc.", None),
    ],
)
def test_other_forms_of_a_list(text, values):
    found = closed_lists(text)
    assert (found[0].values if found else None) == values


def test_an_argument_in_a_docstring_has_its_values_on_lines_of_their_own():
    tool = "Speaks.\n\nArgs:\n    encoding: How. Must be one of:\n        mp3_low\n        mp3_high\n        ogg_low\n"
    assert fragments("", name="encoding", tool=tool) == [["mp3_low", "mp3_high", "ogg_low"]]
    assert fragments("", name="encoding", tool=tool.replace("Must be one of", "Examples")) == []


def test_of_two_texts_the_one_with_all_values_counts():
    own = 'Kind of log. Valid values: "pod", "node".'
    tool = "Reads.\n\nArgs:\n    kind: Kind of log (pod, node, cluster).\n"
    assert fragments(own, name="kind", tool=tool) == [["pod", "node", "cluster"]]


def test_a_value_may_be_the_name_of_a_tool_if_most_are_not():
    def found(names):
        text = "Which tool. Supported values are 'az' for this, 'azd' for that, and 'func' for the rest."
        schema = {"type": "object", "properties": {"cli": {**STRING, "description": text}}}
        tools = [{"name": name, "inputSchema": schema if name == "run" else {"type": "object"}} for name in names]
        settings = LintSettings(select=("clarity/closed-list",))
        return [finding.value for finding in lint(build_surface({"tools": tools}), settings)]

    assert found(["run", "azd"]) == [["az", "azd", "func"]]
    assert found(["run", "az", "azd"]) == []


READ = [
    ("mode", "plain | regex", ["plain", "regex"], "plain text | a regex"),
    ("mode", "One of 'plain', 'regex'", ["plain", "regex"], "One of 'plain', or a regex"),
    ("match", "Match mode: plain, start or regex", ["plain", "start", "regex"], "Match: the name, the id or a regex"),
    ("plane", "sea|sky|page (page=to read)", ["sea", "sky", "page"], "id|slug|page"),
    ("tone", "default|warm|cold", ["default", "warm", "cold"], "default|warm"),
    ("run_state", "Done/Lost/In Transit", ["Done", "Lost", "In Transit"], "Done/Lost/In the end it is a text"),
    ("width", "NARROW or FULL", ["NARROW", "FULL"], "Narrow or full"),
    ("origin", "by_hand or by_clock (Acme API)", ["by_hand", "by_clock"], "hand or clock (Acme API)"),
    ("span", "Time span: last_day, last_2d, last_7d", ["last_day", "last_2d", "last_7d"], "Time span: day, week, year"),
    ("span", "Span: a_b, a_c, a_d", ["a_b", "a_c", "a_d"], "A span, in words of the API: a_b, a_c, a_d"),
    ("region", 'Region — "north", "south" or "west"', ["north", "south", "west"], 'Region — "north", "south", "west"'),
    ("region", 'Region code — "N" (North), "S" (South), "W" (West).', ["N", "S", "W"], 'Region code — "N", "S", "W".'),
    ("region", "Region — 'a', 'b' or 'c'", ["a", "b", "c"], "Place — 'a', 'b' or 'c'"),
    ("crime_type", "Required when a is 'b' — 'x' for xs or 'y' for ys", ["x", "y"], "Required when a is 'x' or 'y'"),
    (
        "kind",
        "What:\n- note: any (memo, list, etc.)\n- file: one",
        ["note", "file"],
        "What:\n- note: any\n- file, etc.",
    ),
    ("kind", "'IN' or 'OUT'. In + out are counted.", ["IN", "OUT"], "'IN' + 'OUT', 'IN' or 'OUT'"),
]


@pytest.mark.parametrize(("name", "text", "values", "other"), READ)
def test_a_list_and_its_nearest_neighbour(name, text, values, other):
    assert fragments(text, name=name) == [values]
    assert fragments(other, name=name) == []


def test_values_of_a_kind_may_be_names_of_other_arguments():
    others = {"town": STRING, "region": STRING}
    assert fragments('Level — "town", "region" or "world"', name="level", others=others) == [
        ["town", "region", "world"]
    ]
    assert fragments('Level — "town" or "region"', name="level", others=others) == []
    assert fragments('Thing — "town", "region" or "world"', name="thing", others=others) == []


def test_values_of_a_kind_may_be_those_of_another_argument_if_it_has_more():
    others = {"scope": {"type": "string", "enum": ["small", "wide", "huge"]}}
    assert fragments('Level ("small", "wide", "full")', name="level", others=others) == [["small", "wide", "full"]]
    assert fragments('Level ("small", "wide")', name="level", others=others) == []


@pytest.mark.parametrize(
    ("tool", "others", "found"),
    [
        ("Sets the state of a lamp. Valid: ON, OFF, DIM.", {}, True),
        ("Sets a lamp. Valid states: on, off, dim.", {}, True),
        ("Sets the state of a lamp (valid: on, off, dim).", {}, True),
        ("Sets a lamp. Valid: on, off, dim.", {}, False),
        ("Sets the state of a lamp. Valid: on, off. For others, valid: a, b.", {}, False),
        ("Sets the state of a lamp. Valid: on, off, dim.", {"old_lamp_state": STRING}, False),
    ],
)
def test_a_tool_announces_the_values_of_what_one_argument_is_named_for(tool, others, found):
    assert bool(fragments("", name="lamp_state", tool=tool, others=others)) is found


def test_one_value_of_a_kind_may_be_the_name_of_a_tool():
    def found(text):
        schema = {"type": "object", "properties": {"kind": {**STRING, "description": text}}}
        tools = [{"name": name, "inputSchema": schema} for name in ("chart", "table")]
        settings = LintSettings(select=("clarity/closed-list",))
        return [finding.value for finding in lint(build_surface({"tools": tools[:1]}), settings)]

    assert found("Kind: chart, map or list") == [["chart", "map", "list"]]
    assert found("Kind: chart or map") == []


def twins(first, second, *, names=("create_acme_lamp", "update_acme_lamp")):
    tools = [
        {"name": name, "inputSchema": {"type": "object", "properties": properties}}
        for name, properties in zip(names, (first, second), strict=True)
    ]
    found = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/sibling-enum",)))
    return [(finding.tool, finding.value) for finding in found]


HUES = {"type": "string", "enum": ["red", "blue"]}


def test_what_makes_a_thing_and_what_changes_it_take_the_same_values():
    assert twins({"hue": HUES}, {"hue": STRING}) == [("update_acme_lamp", ["red", "blue"])]
    assert twins({"hue": STRING}, {"hue": HUES}) == [("create_acme_lamp", ["red", "blue"])]
    assert twins({"hue": HUES}, {"hue": {**STRING, "description": "Any colour of the catalogue"}}) == []
    assert twins({"hue": HUES}, {"hue": {**STRING, "default": "green"}}) == []
    assert twins({"state": HUES}, {"state": STRING}) == []
    assert twins({"hue": HUES}, {"hue": STRING}, names=("create_acme_lamp", "update_acme_sofa")) == []
    assert twins({"hue": HUES}, {"hue": STRING}, names=("create_acme_lamp", "find_acme_lamp")) == []


def test_the_branches_of_a_union_list_the_values_that_tell_them_apart():
    def parts(*kinds):
        return {
            "type": "array",
            "items": {"oneOf": [{"type": "object", "properties": {"make": {"const": kind}}} for kind in kinds]},
        }

    plain = {"type": "array", "items": {"type": "object", "properties": {"make": STRING}}}
    assert twins({"parts": parts("bulb", "cable")}, {"parts": plain}) == [("update_acme_lamp", ["bulb", "cable"])]
    assert twins({"parts": parts("bulb")}, {"parts": plain}) == []
