"""Forms in prose: what a text says, the pattern that it gives, what the pattern takes and refuses; and near misses."""

from __future__ import annotations

import json
import re

import pytest

from mcp_governor.catalogue import LintSettings
from mcp_governor.linting import lint
from mcp_governor.linting.formats import stated_form
from mcp_governor.surface import build_surface

FORMS = [
    ("Day (YYYY-MM-DD)", ["2026-11-22"], ["22.11.2026", "2026-11-22T10:00", "today"]),
    ("Day as yyyy/mm/dd", ["2026/11/22"], ["2026-11-22"]),
    ("Month, YYYY-MM", ["2026-11"], ["2026-11-22", "Nov 2026"]),
    ("'YYYY-MM-DD' or 'YYYY-MM'", ["2026-11-22", "2026-11"], ["2026"]),
    (
        "Format: YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS (UTC)",
        ["2026-11-22", "2026-11-22T10:00:00", "2026-11-22T10:00:00Z"],
        ["x"],
    ),
    ("When it opens, HH:MM", ["09:30"], ["9:30 am"]),
    ("ISO 8601 timestamp to begin at", ["2026-11-22T10:00:00Z", "2026-11-22T10:00+01:00"], ["2026-11-22", "now"]),
    ("ISO 8601 format", ["2026-11-22", "2026-11-22T10:00:00.5Z"], ["22 Nov"]),
    ("ISO 8601 date", ["2026-11-22"], ["2026-11-22T10:00"]),
    ("RFC 3339", ["2026-11-22T10:00:00Z"], ["2026-11-22"]),
    ("Two-letter country code", ["de", "DE"], ["DEU", "Germany"]),
    ("2-letter language code", ["de"], ["DE", "german"]),
    ("ISO 4217 currency code, such as 'EUR'", ["EUR"], ["eur", "€"]),
    ("ISO 3166-1 alpha-2 country code (e.g., 'US', 'GB')", ["US"], ["us", "USA"]),
    ("BCP 47 tag", ["en", "en-US", "zh-Hant-TW"], ["English", "en_US"]),
    ("Color as hex RGB (e.g., '00FF7F')", ["00FF7F"], ["#00FF7F", "red"]),
    ("Hex color (#RRGGBB)", ["#00FF7F"], ["00FF7F"]),
    ("Hex color code", ["#00FF7F", "00FF7F"], ["red"]),
    ("Must start with 'C' or 'G'", ["C12", "G1"], ["D1"]),
    ("Order, must start with ord_. Orders of tests start with t_ord_.", ["ord_1", "t_ord_1"], ["1"]),
    ("Must end with .log, or if it is packed, .log.gz", ["a.log", "a.log.gz"], ["a"]),
    ("Page (must start with http://), or a ref://<id> token", ["http://a", "ref://1"], ["a"]),
    ("Must only contain letters and digits. Only these are allowed.", ["a1"], ["a b"]),
    ("ISO 8601 date or datetime", ["2026-11-22", "2026-11-22T10:00Z"], ["22 Nov"]),
    ("Connection (in the db:// or db+srv:// format)", ["db://h", "db+srv://h"], ["http://h"]),
    ("Repository in the format 'owner/repo'", ["a/b"], ["a", "a/b/c"]),
    ("Format: <owner>/<repo>", ["a/b"], ["a"]),
    ("`schema.table` qualified name (e.g. `public.orders`)", ["public.orders"], ["orders", "a.b.c"]),
    ("Three dot-separated parts", ["a.b.c"], ["a.b"]),
    ("Timestamp in the format '1234567890.123456'", ["1234567890.123456"], ["1234567890", "2026-11-22"]),
    ("One name, no dots", ["orders"], ["public.orders"]),
    ("Two letter country code, see ISO 3166-1 alpha-2", ["DE"], ["deu"]),
    ("ARN of the role", ["arn:aws:iam::1:role/a"], ["role/a"]),
    ("ISO timestamp", ["2026-11-22T10:00:00Z"], ["2026-11-22"]),
    (
        "A run, 32 hexadecimal digits formatted as 8-4-4-4-12",
        ["0" * 8 + "-0000-0000-0000-" + "f" * 12],
        ["0" * 32, "main"],
    ),
    ("Phone of the desk (10 digits as 3-3-4)", ["555-010-1234"], ["5550101234"]),
    ("Account, 12 digits", ["0" * 12], ["0" * 11]),
    ("40-character commit SHA", ["a" * 40], ["a" * 39, "HEAD"]),
    ("Repository (owner/repo)", ["a/b"], ["a", "a/b/c"]),
    ("URL (must start with http:// or https://), or a ref://<id> token", ["http://a", "ref://1"], ["a.example"]),
    ("Must contain only letters, digits and underscores, and be at most 9 characters", ["a_1"], ["a 1"]),
    ("ISO 8601 or Unix timestamp", ["2026-11-22", "1767312000"], ["now", "yesterday"]),
    ("Start as RFC3339 or a Unix timestamp", ["2026-11-22T10:00:00Z", "1767312000.5"], ["now-1h", "2026-11-22"]),
    ("Owner (must be a UUID string)", ["0" * 8 + 3 * "-0000" + "-" + "0" * 12], ["me"]),
    ("Must end with .json, or if it is compressed, .json.gz.", ["a.json", "a.json.gz"], ["a.gz", "a"]),
    ("Size, '<width>x<height>[,mobile][,touch]'", ["4x3", "4x3,touch,mobile"], ["mobile", "4x3,wide", "4xb"]),
    ("Where (`<latitude>,<longitude>`)", ["52.5,-13.4"], ["Berlin", "52.5"]),
    ("Use db.table notation.", ["shop.orders"], ["orders"]),
    ("Issue key (e.g., 'PROJ-123')", ["AB-1"], ["AB", "ab-1"]),
    ("12-digit account ID", ["123456789012"], ["123", "x"]),
    ("Only lowercase letters, digits and hyphens", ["a-1"], ["A", "a_b"]),
    ("Cron expression", ["0 9 * * 1", "0 0 9 * * 1"], ["daily"]),
    ("Semantic version to install", ["1.2.3", "1.2.3-rc.1"], ["1.2", "latest"]),
    ("Where to save, must end with .docx", ["a.docx"], ["a.doc"]),
    ("UUID of the project", ["123e4567-e89b-12d3-a456-426614174000"], ["project"]),
    ("Email address of the reader", ["a@b.example"], ["a"]),
    ("URL to open", ["https://a.example", "http://a"], ["a.example"]),
    ("Date, MM/DD/YYYY", ["11/22/2026"], ["2026-11-22", "1/2/26"]),
    ("Date in the format dd-mm-yyyy", ["22-11-2026"], ["22/11/2026"]),
    ("Start in ISO format", ["2026-11-22", "2026-11-22T10:00:00Z"], ["22 Nov"]),
    ("Unix timestamp in milliseconds", ["1700000000000"], ["1700000000", "2026-11-22"]),
    ("Unix timestamp", ["1700000000", "1700000000.5"], ["2026-11-22T10:00:00Z"]),
    ("Phone number in E.164", ["+4930123456"], ["030 123456"]),
    ("IANA timezone name (e.g., 'Europe/Berlin')", ["Europe/Berlin", "UTC", "Etc/GMT+3"], ["+01:00", "Berlin time"]),
    ("Base64-encoded image", ["aGk=", "aGk_-"], ["data:image/png;base64,aGk="]),
    ("Where, as 'latitude,longitude'", ["52.5,13.4", "-1, 2"], ["Berlin"]),
    ("JSONPath expression", ["$.a[0]"], ["a.b"]),
    ("SHA-256 hash of the file", ["a" * 64], ["a" * 40]),
    ("The GUID of the attachment", ["123e4567-e89b-12d3-a456-426614174000"], ["attachment"]),
    ("The format is a standard uuidv4", ["123e4567-e89b-12d3-a456-426614174000"], ["1"]),
    ('Path of the file. Must not start with "-".', ["a-b", "/x"], ["-f"]),
    ("Channel name without the leading '#'", ["general"], ["#general"]),
    ("Name of the emoji without ::", ["thumbsup"], [":thumbsup:"]),
    ("Name of the job, must not contain spaces", ["a-b"], ["a b"]),
    ("Name of the view. The characters [ ] are not allowed", ["a"], ["a[1]"]),
    ("ID of the user (starts with ou_)", ["ou_1"], ["on_1", "x ou_"]),
    ("Branch to merge, e.g., 'refs/heads/main'", ["refs/heads/main"], ["main"]),
    ("Where to export (format: s3://bucket/key)", ["s3://a/b"], ["https://a/b"]),
    ("S3 URI of the manifest", ["s3://a/b"], ["a/b"]),
    ("The VSTFS URI of the artifact", ["vstfs:///Git/1"], ["https://a"]),
    ("Base64 data URI of the image", ["data:image/png;base64,aGk="], ["aGk="]),
    ("Library ID in the format '/org/name' or '/org/name/version'", ["/a/b", "/a/b/1.0"], ["a/b", "/a", "/a/b/c/d"]),
    ("SHA of the file that is replaced", ["a" * 40, "0a1b"], ["main", "HEAD"]),
    ("URI of the catalog", ["https://a", "urn:a:b"], ["a/b"]),
    ("Must be from the docs.example.com domain", ["https://docs.example.com/a"], ["https://example.com", "docs"]),
    (
        "Must be from the docs.example.com domain\nMust end with .html",
        ["https://docs.example.com/a/b.html"],
        ["https://docs.example.com/a", "https://a.example/b.html"],
    ),
    # The same things said in other words.
    ("When to leave (format string: YYYY-MM-DDThh:mm±hh:mm, in ISO 8601)", ["2026-11-22T10:00+01:00"], ["tomorrow"]),
    ("End of the range (ISO string)", ["2026-11-22", "2026-11-22T10:00:00Z"], ["yesterday"]),
    ("How long, as an ISO 8601 duration", ["PT1H", "P3D"], ["1h", "3 days"]),
    ("Unix timestamp in seconds", ["1767312000"], ["2026-01-02"]),
    ("Time, as milliseconds since the epoch", ["1767312000000"], ["1767312000"]),
    ("Written as 'projects/PROJECT_ID/topics/TOPIC'", ["projects/a/topics/b"], ["a/b", "projects/a/topic/b"]),
    ("Repository, formatted as {owner}/{repo}", ["a/b"], ["a"]),
    ("Name of the project: owner/repo", ["a/b"], ["a", "a/b/c"]),
    ("The image must be in the form <name>:<tag>", ["a:b"], ["a"]),
    ("Must be in the form <OWNER>-<UUID> (e.g. 12-33ab)", ["12-33ab", "1-a-b"], ["12"]),
    ("Order in the format field:asc or field:desc", ["a:asc", "b:desc"], ["a"]),
    ("Size as WIDTHxHEIGHT", ["800x600"], ["800 by 600"]),
    ("Written as 'projects/{id}' or 'projects/{number}'", ["projects/1"], ["1"]),
    ("Coordinates, formatted as longitude,latitude", ["13.4,52.5"], ["Berlin"]),
    ("出发点，坐标格式为：经度，纬度", ["13.4,52.5"], ["柏林"]),
    ("Box as minLon,minLat,maxLon,maxLat", ["1,2,3,4"], ["1,2"]),
    ("Language (ISO 639-1)", ["de"], ["German"]),
    ("ISO 639-3 language code", ["deu"], ["de"]),
    ("ISO country code", ["DE", "DEU"], ["Germany"]),
    ("IETF language tag", ["de", "de-AT"], ["German", "de_AT"]),
    ("IATA code of the airport", ["BER"], ["Berlin"]),
    ("ICAO airline code", ["DLH"], ["Lufthansa"]),
    ("Customer, ID beginning with cus_", ["cus_1"], ["1"]),
    ("ID of the project. This id starts with a PR- and a number follows.", ["PR-1"], ["1"]),
    ("With the prefix thread_", ["thread_1"], ["1"]),
    ("Path, must start with a slash", ["/a"], ["a"]),
    ("Consists of 'properties/' followed by a number", ["properties/1"], ["1", "properties/x"]),
    ("File name ending in .docx", ["a.docx"], ["a"]),
    ("Must end with .csv or .tsv", ["a.csv", "a.tsv"], ["a.txt"]),
    ("Name of the user without the @ sign", ["ann"], ["@ann"]),
    ("Domain only, without the protocol", ["a.example"], ["https://a.example"]),
    ("ID of the project (GUID), project name is not valid", ["123e4567-e89b-12d3-a456-426614174000"], ["p"]),
    ("Key of the component (40-char hex string)", ["a" * 40], ["12345"]),
    ("Address of the wallet (0x…)", ["0xab"], ["ab"]),
    ("Block in CIDR notation", ["10.0.0.0/8"], ["10.0.0.0"]),
    ("Cells in A1 notation", ["A1:B2", "Sheet1!A:A", "A1"], ["first row"]),
    ("Name, may only contain letters, digits and underscores", ["a_1"], ["a b"]),
    ("Symbol, must be uppercase", ["ABC"], ["abc"]),
    ("Must match the pattern ^[a-z]{2}-[0-9]+$", ["ab-1"], ["ab"]),
    ("Identifier of the record. Pattern: rec-[a-z0-9]*", ["rec-1"], ["1"]),
    ('Branch to commit to (without "refs/heads/", e.g., "main")', ["main", "a/b"], ["refs/heads/main"]),
    ("Filter by country domain (without leading dot)", ["de"], [".de"]),
    ("Ticket key, PROJ-123", ["AB-1"], ["1"]),
    ("Identifier of the event. Pattern: [0-9]+#[a-f0-9]+", ["1#a"], ["1", "a#1"]),
]


@pytest.mark.parametrize(("text", "good", "bad"), FORMS)
def test_a_form_and_what_its_pattern_takes(text, good, bad):
    form = stated_form(text)
    assert form is not None
    assert [value for value in good if not re.search(form.pattern, value)] == []
    assert [value for value in bad if re.search(form.pattern, value)] == []


NONE = [
    "Day (YYYY-MM-DD) or a relative date",
    "Accepts: ISO 8601 format (e.g., '2024-01-15'), relative dates (e.g., '2 weeks ago'), or absolute dates",
    "ISO 8601 date, or 'today'",
    "ISO 8601 interval",
    "Two-letter country code (e.g. 'Germany')",
    "The 2 or more character language code",
    "Any CSS color, for example a hex color",
    "rgb(…) or a hex color",
    "In the `package.json` format",
    "Output in the format 'markdown'",
    "Absolute path of the file",
    "URL pattern to wait for",
    "URL or path of the document",
    "URL of the repository (https or ssh://…)",
    "UUID or name of the project",
    "A 3 to 5-digit number",
    "Must start with 'a', and in the format 'b.c' must be YYYY-MM-DD",
    "The month that ends",
    "SQL query",
    "Time in the format 'HH:MM AM/PM'",
    "A token, such as a timestamp in the format 'YYYY-MM-DD'",
    "The ID (GUID) or name of the repository",
    "Must contain only letters, digits and underscores, and spaces",
    "Unix timestamp, not ISO 8601",
    "RFC 3339, relative, or Unix timestamp",
    "ISO 8601 timestamp or Unix timestamp or natural language",
    "Optional URL to match for the link to remove",
    "What to look for. Do not start with a question.",
    "Names that start with 'a'",
    "Filter by names, begins with abc_ or others",
    "S3 URI or local path",
    "A text without spaces or dots",
    "Commit SHA (or a branch)",
    "SHA-512 of the file",
    "A numeric string or a word",
    "Name of the state, the first level of the ISO 3166-2 code",
    "Sort field; prefix with '-' for descending order",
    'Number to call. Numbers outside of the country need a code starting with "+"',
    "Filter as a JSON object with an account (12 digits)",
    "Account (12 digits, with hyphens between the groups)",
    "Account, 12 digits formatted as 4-4-3",
    "Number of the firm, 10 digits, shorter ones are padded",
    "Origins as 经度，纬度, several of them separated by bars",
    "Image to copy (e.g. 'a.example/org/image:tag')",
    "Found in the remote by these patterns: 'git@a.example:{org}/{repo}.git'",
    "A style, as `key=value` pairs separated by semicolons",
    "Path of the file, required for search/replace format",
    "For ONE_OF_RANGE: the range in A1 notation",
    "If the type is date: YYYY-MM-DD",
    "Output format: <name>/<size>",
    "Must end with .mp4; the extension is added if missing",
    "Where to save. Use the same file as before, which ends there",
    "Locale, e.g. en-US; a two-letter language code at least",
    "A bare name, or database.table to look elsewhere",
    "Table. Use db.table notation for queries across databases.",
    "A path, `{owner}/{name}(/more)`",
    "Place. Must start with http:// or be a path",
    # Another kind of value, or another form, is taken as well.
    "Three-letter currency code, upper or lower case",
    "Number to call, in E.164 or local format",
    "Fill: hex color or name of a theme color",
    "Id of the user, starting with usr_ (or an email address)",
    "owner/repo. A full URL works too.",
    "Note to read; must end with .md unless it is a folder",
    "Table in the form project.dataset.table; project may be omitted",
    "Channel without a leading '#', or channel ID",
    "Commit (40 hex characters) or branch name",
    "40-character commit SHA; abbreviated SHAs are accepted",
    "UUID of the item. Short IDs also work.",
    "ISO 8601 duration or minutes",
    "URL of the page, scheme optional",
    "URL of the repository (https or ssh)",
    "Label in the format key:value. Plain labels are allowed.",
    "Name. Only letters, numbers and underscores are allowed. Unicode letters too.",
    "IPv4 address or CIDR block",
    "SHA-256 hash of the file (base64 encoded)",
    "Handle with or without @ sign",
    "Image, as image:tag or digest",
]


@pytest.mark.parametrize("text", NONE)
def test_no_form_for_certain(text):
    assert stated_form(text) is None


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Version (for the API use 'YYYY-MM').", "Version (for the API use 'YYYY-MM'; for the app use 'v1.0')."),
        ("Start, YYYY-MM-DDThh:mm", "Start, YYYY-MM-DD±hh:mm"),
    ],
)
def test_another_text_next_to_it_gives_no_form(text, other):
    assert stated_form(text) is not None
    assert stated_form(other) is None


def patterns(schema, tool=""):
    surface = {"tools": [{"name": "a", "description": tool, "inputSchema": {"properties": {"day": schema}}}]}
    return in_fixes(surface)


BOTH = LintSettings(select=("clarity/missing-format", "clarity/well-known-format"))


def in_fixes(surface):
    """The patterns that either rule about formats asks for."""
    fixes = [one.fix for one in lint(build_surface(surface), BOTH)]
    return [json.loads(found) for fix in fixes for found in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', fix)]


DAY = r"^\d{4}-\d{2}-\d{2}$"


def test_the_default_has_the_form():
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "default": "2026-01-01"}) == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "default": "latest"}) == []


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        ("ISO 4217 currency code, e.g. usd", "ISO 4217 currency code, e.g. USD"),
        ("Currency (ISO 4217), for example `eur`", "Currency (ISO 4217), for example `EUR`"),
        ("Language code (ISO 639-1, two letters), e.g. DE", "Language code (ISO 639-1, two letters), e.g. de"),
        ("Hex colour, #RRGGBB or #RRGGBBAA", "Hex colour, #RRGGBB"),
        ("In the format owner/repo or group/subgroup/repo", "In the format owner/repo or owner/fork"),
        ("Two-letter state code, e.g. CA, or 'all'", "Two-letter state code, e.g. CA"),
        ("In the format name:tag, e.g. nginx (tag optional)", "In the format name:tag, e.g. nginx:1"),
        ("Labels in the format key:value, key:value", "Label in the format key:value"),
        ("In the format owner/repo ('all')", "In the format owner/repo (required for 'all')"),
        ("In the format owner/repo ('all')", "In the format owner/repo ('mode')"),
    ],
)
def test_a_value_that_the_text_shows_has_the_form(shown, text):
    def said(description):
        properties = {"day": {"type": "string", "description": description}, "mode": {"type": "string"}}
        surface = build_surface({"tools": [{"name": "a", "inputSchema": {"properties": properties}}]})
        return lint(surface, BOTH)

    assert [len(said(shown)), len(said(text))] == [0, 1]


def test_the_examples_of_the_schema_have_the_form():
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "examples": ["2026-01-01"]}) == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD", "examples": ["monday"]}) == []
    days = {"type": "array", "description": "Days (YYYY-MM-DD)"}
    assert patterns({**days, "items": {"type": "string", "examples": ["monday"]}}) == []
    assert petty({"url": {"type": "string", "description": "URL to open", "examples": ["a.example"]}}) == []


def test_two_descriptions_that_give_two_forms_give_none():
    assert patterns({"type": "string", "description": "YYYY-MM-DD"}, "Args:\n  day: The day, YYYY-MM-DD") == [DAY]
    assert patterns({"type": "string", "description": "YYYY-MM-DD"}, "Args:\n  day: The month, YYYY-MM") == []


def test_the_values_of_a_list_have_the_form():
    assert patterns({"type": "array", "items": {"type": "string"}, "description": "Days (YYYY-MM-DD)"}) == [DAY]
    assert patterns({"type": "integer", "description": "YYYY-MM-DD"}) == []


@pytest.mark.parametrize(
    "piece",
    ["YYYY-", "HH:", "in the format '", "e.g. 'a', ", "iso 8601 ", "a/b", "12-digit ", "url ", "letters, ", "://"],
)
def test_a_hostile_description_is_read_to_a_limit(piece):
    text = piece * (1_000_000 // len(piece))
    assert stated_form(text) == stated_form(text[:2_000])


@pytest.mark.parametrize(
    ("name", "text", "pattern"),
    [
        ("start_time", "Beginning of the range, in seconds", r"^\d+$"),
        ("wait", "How long, in seconds", None),
        ("email", "Of the author", r"^[^@\s]+@[^@\s]+$"),
        ("email", "Email or display name", None),
        ("email", "Subject of the email", None),
    ],
)
def test_the_name_of_the_argument_counts(name, text, pattern):
    form = stated_form(f"{text}. See the mail.", name)
    assert (form.pattern if form else None) == pattern


def test_the_rules_below_a_heading_are_about_the_argument_that_it_names():
    tool = "## Day requirements\n\n- Must be YYYY-MM-DD\n- May lie in the future\n\n## Notes\n- Only YYYY-MM is kept"
    assert patterns({"type": "string", "description": "Day to read"}, tool) == [DAY]
    assert patterns({"type": "string", "description": "Day to read"}, tool.replace("Day req", "Other req")) == []


def test_what_the_domain_says_is_more_than_what_a_url_is():
    schema = {"type": "string", "description": "URL of the page"}
    tool = "Reads.\n\n## Day requirements\n- Must be from the a.example domain"
    assert patterns(schema, tool) == [r"^https?://a\.example(/|$)"]


def petty(*properties):
    tools = [{"name": f"t{at}", "inputSchema": {"properties": one}} for at, one in enumerate(properties)]
    found = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/well-known-format",)))
    return [(one.path, one.value, one.message) for one in found]


def test_what_everybody_knows_is_one_finding_for_the_server():
    url, key = {"type": "string", "description": "URL to open"}, {"type": "string", "description": "UUID of it"}
    ((path, value, message),) = petty({"url": url, "key": key}, {"url": url})
    assert (path, value) == ("/tools", ["key", "url"])
    assert "3 parameters in 2 tools" in message
    assert "url (t0: a URL), key (t0: a UUID)" in message
    ((path, _value, _message),) = petty({"url": url})
    assert path == "/tools/0/inputSchema/properties/url"
    assert petty({"url": {**url, "format": "uri"}}) == []


def test_a_sentence_that_names_the_argument_in_plain_words():
    tool = {"name": "a", "inputSchema": {"properties": {"start_day": {"type": "string"}, "day": {"type": "string"}}}}
    tool["description"] = "Reads from a start day. The start day of a range must be YYYY-MM-DD. A day must exist."
    (found,) = lint(build_surface({"tools": [tool]}), BOTH)
    assert found.path.endswith("/inputSchema/properties/start_day")
    assert in_fixes({"tools": [tool]}) == [DAY]


@pytest.mark.parametrize(
    ("text", "pattern"),
    [
        ("Reads a page.\n- Paths should end with .md extension", r"\.md$"),
        ("Reads a page. The path must end with .md, or if it is packed, .md.gz.", r"\.(md|md\.gz)$"),
        ("Reads a page. The path of the result should end with .md.", ""),
        ("Reads a page; its other paths should end with .md.", ""),
    ],
)
def test_a_word_names_the_argument_where_the_sentence_is_about_it(text, pattern):
    tool = {"name": "a", "description": text, "inputSchema": {"properties": {"path": {"type": "string"}}}}
    assert in_fixes({"tools": [tool]}) == ([pattern] if pattern else [])


def test_the_object_around_an_argument_says_how_it_is_written():
    name = {"type": "object", "properties": {"name": {"type": "string"}}}
    for text, found in (("The column. Name must end with _id.", 0), ("The column. Name must be YYYY-MM-DD.", 1)):
        assert len(patterns({**name, "description": text})) == found
    assert patterns({**name, "description": "The column. The name of the table must be YYYY-MM-DD."}) == []


@pytest.mark.parametrize(
    ("schema", "rules"),
    [
        ({"description": "Table, written as schema.table"}, ["missing-format"]),
        ({"description": "Account (12 digits)"}, ["missing-format"]),
        ({"description": "Order, must start with ord_"}, ["missing-format"]),
        # The text or the schema shows what it looks like.
        ({"description": "Table, written as schema.table, e.g. 'shop.orders'"}, ["well-known-format"]),
        ({"description": "Order, must start with ord_", "default": "ord_1"}, ["well-known-format"]),
        # Everybody knows it.
        ({"description": "Day (YYYY-MM-DD)"}, ["well-known-format"]),
        ({"description": "ISO 8601 timestamp"}, ["well-known-format"]),
        ({"description": "Two-letter country code"}, ["well-known-format"]),
        ({"description": "Fill, as hex color"}, ["well-known-format"]),
        ({"description": "Page to read; must start with '/'"}, ["well-known-format"]),
        ({"description": "Tag without the leading '#'"}, ["well-known-format"]),
        ({"description": "Issue key like PROJ-123"}, ["well-known-format"]),
        ({"description": "Time of day, HH:MM"}, ["well-known-format"]),
        # A model writes the year first.
        ({"description": "Day, in the form DD/MM/YYYY"}, ["missing-format"]),
    ],
)
def test_a_format_is_small_where_models_know_it_or_see_it(schema, rules):
    surface = {"tools": [{"name": "a", "inputSchema": {"properties": {"x": {"type": "string", **schema}}}}]}
    assert [one.rule.removeprefix("clarity/") for one in lint(build_surface(surface), BOTH)] == rules


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("End of the event, RFC 3339. All-day events end on the day after.", "2026-01-02"),
        ("Due date (RFC 3339 timestamp)", "2026-01-02"),
        ("Date and time to begin, ISO 8601 timestamp", None),
        ("Cells to clear, in A1 notation", "Totals"),
        ("Cells to clear, in A1 notation", "'Q1 sales'!A1:B2"),
        ("Cells to clear, in A1 notation", "$A$1"),
        ("Fill (#RRGGBB)", None),
        ("Fill as hex color (#1F4E78)", "#FFF"),
        ("Fill as hex color (#1F4E78)", "#1F4E78CC"),
    ],
)
def test_a_pattern_takes_what_such_servers_usually_take_as_well(text, taken):
    form = stated_form(text)
    assert form is not None
    if taken is None:
        assert not any(re.search(form.pattern, value) for value in ("2026-01-02", "#FFF"))
    else:
        assert re.search(form.pattern, taken)


def test_what_a_description_declares_in_front_is_no_part_of_the_form():
    url, mail = r"^https?://", r"^[^@\s]+@[^@\s]+$"
    for front in ("", "(string): ", "(string, optional): ", "[required] ", "Optional. ", "Required: "):
        assert stated_form(f"{front}URL to open").pattern == url
        assert stated_form(f"{front}Email address of the reader").pattern == mail
    assert stated_form("(string): A URL-friendly name") is None
    assert stated_form("(number): URL to open") is None


def test_a_colour_may_be_called_so_by_its_name_only():
    assert stated_form("Hex, e.g. '#1F4E78'", "fill_color").pattern == "^#([0-9A-Fa-f]{3,4}){1,2}$"
    assert stated_form("As a hex string", "borderColour").pattern == "^#?([0-9A-Fa-f]{3,4}){1,2}$"
    assert stated_form("As a hex string", "border") is None
    assert stated_form("Hex or a CSS name", "color") is None


def test_brackets_behind_the_name_are_about_the_argument():
    assert patterns({"type": "string"}, "Draws up to `day` (YYYY-MM-DD), and more.") == [DAY]
    assert patterns({"type": "string"}, "Draws up to `day`, and files of YYYY-MM-DD.") == []


def test_a_pair_in_a_query_is_a_part_of_a_language():
    assert stated_form("Syntax: field:value", "rule") is not None
    assert stated_form("Syntax: field:value", "search_query") is None
    assert stated_form("Day (YYYY-MM-DD)", "filter") is not None


def test_a_ref_is_a_branch_only_where_the_text_says_so():
    assert stated_form("Git ref, e.g. refs/heads/main", "ref").pattern == "^refs/"
    assert stated_form("Branch to read, e.g. refs/heads/main", "ref").pattern == "^refs/heads/"
    assert stated_form("Where to begin, e.g. refs/heads/main", "sourceBranch").pattern == "^refs/heads/"


def test_a_key_is_no_number_and_a_time_taken_is_no_point_in_time():
    assert stated_form("The numeric ID of the team", "team_id") is not None
    assert stated_form("The numeric ID of the team", "teamKey") is None
    assert stated_form("Time of the call, in milliseconds", "time") is not None
    assert stated_form("Time that the call has taken, in milliseconds", "time") is None
