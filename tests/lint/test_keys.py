"""Which keys a text says an object has, which structure it says a string has, and which words only look like it."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.defects import packed
from mcp_governor.prose.keys import read_keys

STRINGS = [
    ("The spec with keys x, y and z.", ["x", "y", "z"]),
    ("Must include 'x' (list of names) and 'y'.", ["x", "y"]),
    ("Rows: [{id: string, total?: number}]", ["id", "total"]),
    ("In format {'Field': str, 'Type': str}", ["Field", "Type"]),
    ("Each item should have `host`, `port` and `user`.", ["host", "port", "user"]),
    ("Object with properties name, age", ["name", "age"]),
    ("Steps\n- name (str): how\n- size (int): how large", ["name", "size"]),
    ("Each has 'name': (str) how it is called, and 'size': (int) how large", ["name", "size"]),
    ("Each may have: 'host' (a name (or an address)) or 'path' (of a file), 'mode'.", ["host", "path", "mode"]),
    ("Guests. Each should have: mail (str), role (str, optional),\nkind (str).", ["mail", "role", "kind"]),
    ("A list of parts, each containing:\n- part_id: Which\n- text: What to write", ["part_id", "text"]),
    ('Each field needs "name" and "type".', ["name", "type"]),
    ("Each is {'how': <name>, 'wide': <number of rows>}", ["how", "wide"]),
    # Words, single keys, examples, and parts of something else.
    ("With a filter and a name.", []),
    ("Must include 'x'.", []),
    ("Objects, e.g. with 'a' and 'b'.", []),
    ("Stages such as {$merge: {into: {name, db, coll}}}", []),
    ("A filter like {'status': 'open', 'age': 3}", []),
    ("Fields are optional and large.", []),
    ("Records with a 'name' and an 'age', for example.", []),
    ("Any object containing 'a' and 'b'.", []),
    ("Common fields include 'state' and 'owner'.", []),
    ("Optional; requires 'x' and 'y' to be set.", []),
    ("Each has: red apples, green pears and plums.", []),
    ("Each has: a name (of at most 20 letters).", []),
    ("Extra settings. The keys 'kind' and 'mode' are reserved and ignored.", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "keys"), STRINGS)
def test_keys(text, keys):
    said = [list(claim.listed.values) for claim in read_keys(text) if claim.form != "keys-shown"]
    assert max(said, key=len, default=[]) == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ('[{"bed": 3, "rows": {"wide": "no: yes"}, "add_tags": ["x"]}]', ["bed", "rows", "add_tags"]),
        ('[{"bed": 3}]', ["bed"]),
        ('{"bed": 3, "rows": 4}', ["bed", "rows"]),
        # Headings of a table, and an example that is cut.
        ('[{"Name": "Ann", "Age": 3}]', []),
        ('[{"bed": 3, "rows": 4', []),
    ],
)
def test_keys_of_an_example_of_a_list(text, keys):
    said = [list(claim.listed.values) for claim in read_keys(text) if claim.form == "keys-shown"]
    assert max(said, key=len, default=[]) == keys


@pytest.mark.parametrize(
    ("text", "schema", "what"),
    [
        ("Filter as a JSON string", {}, "JSON"),
        ("Optional JSON array of names", {}, "JSON"),
        ("A string serialized from a JSON structure", {}, "JSON"),
        ("IDs, comma-separated", {}, None),
        ("IDs separated by spaces", {}, "space-separated"),
        ("Use '|' as the delimiter between both", {}, "pipe-separated"),
        ("'true' or 'false'", {}, "true or false"),
        ("'true' or 'false' to show it", {}, "true or false"),
        ("Show the hidden ones (true/false)", {}, "true or false"),
        ("Show the hidden ones (true, false or a date)", {}, None),
        ("What to fill in. 'true' or 'false' for checkboxes", {}, None),
        ("If the field is a checkbox, the value should be 'true' or 'false'", {}, None),
        ("A comma-separated list or wildcard pattern", {}, None),
        ("Enable the cache", {"default": "false"}, "true or false"),
        ("One ID or comma-separated IDs", {}, None),
        ("Filter to use. Must be given as a JSON object.", {}, "JSON"),
        ("Request body (JSON string)", {}, None),
        ("Content as JSON string; a request body may have 9 kB", {}, "JSON"),
        ("The value (as JSON string, or will be auto-converted)", {}, None),
        ("Path of the JSON text", {}, None),
        ("'true' or 'false'", {"enum": ["true", "false"]}, None),
    ],
)
def test_structure_in_a_string(text, schema, what):
    assert packed(text, schema) == what
