"""Packs of the user's own: a folder or an installed package; what is broken is one error with file and line."""

from __future__ import annotations

import sys
import textwrap

import pytest

from mcp_governor.errors import ConfigError
from mcp_governor.rules import LintSettings, load_catalogue
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

RULE = """
id = "acme/no-foo"
summary = "No foo."
why = "Because."
source = "House rules, 1."
severity = "warning"
since = "1.0"
given = "$.description"
forbid = "foo+$"
message = "The description of {tool} ends in foo."
fix = "Remove it."

[[pass]]
tool = '{"name": "a", "description": "bar"}'

[[fail]]
tool = '{"name": "a", "description": "foo"}'
"""

FOO = {
    "tools": [
        {
            "name": "a",
            "description": "a foo",
            "inputSchema": {"type": "object", "properties": {"p": {"type": "string"}}},
        }
    ]
}


def folder(tmp_path, text=RULE, name="no-foo.toml"):
    path = tmp_path / "rules" / "acme"
    path.mkdir(parents=True, exist_ok=True)
    (path / name).write_text(textwrap.dedent(text))
    return tmp_path / "rules"


def run(tmp_path, text=RULE, document=FOO, rule="acme/*"):
    settings = LintSettings(select=(rule,), rule_paths=(folder(tmp_path, text),))
    return lint(build_surface(document), settings)


def changed(old, new):
    assert old in RULE
    return RULE.replace(old, new)


def test_a_rule_of_the_users_own_runs(tmp_path):
    (found,) = run(tmp_path)
    assert (found.rule, found.tool, found.path) == ("acme/no-foo", "a", "/description")
    assert found.message == "The description of a ends in foo."


def test_a_schema_judges_and_every_error_is_a_finding(tmp_path):
    text = changed('given = "$.description"\nforbid = "foo+$"', 'given = "$.inputSchema"').replace(
        "\n[[pass]]",
        '\n[then]\nrequired = ["description"]\nproperties = { properties = { maxProperties = 0 } }\n\n[[pass]]',
        1,
    )
    assert {f.path for f in run(tmp_path, text)} == {"/inputSchema", "/inputSchema/properties"}


@pytest.mark.parametrize(
    ("scope", "given", "paths"),
    [
        ("input", "$.type", {"/inputSchema/type", "/inputSchema/properties/p/type"}),
        ("tool", "$.inputSchema.properties.*.type", {"/inputSchema/properties/p/type"}),
        ("tool", "$..properties[?@.type == 'string'].type", {"/inputSchema/properties/p/type"}),
        ("prose", "$", {"/description"}),
        ("surface", "$.tools[0].description", {"/tools/0/description"}),
    ],
)
def test_every_scope_and_the_whole_of_jsonpath(tmp_path, scope, given, paths):
    text = changed('given = "$.description"\nforbid = "foo+$"', f'on = "{scope}"\ngiven = "{given}"\nforbid = "."')
    assert {f.path for f in run(tmp_path, text)} == paths


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("severity =", "severety =", 6, 'Did you mean "severity"?'),
        ('"warning"', '"warn"', 6, "severity"),
        ('since = "1.0"', "since = 1.0", 7, "since"),
        ('id = "acme/no-foo"', 'id = "No Foo"', 2, "id"),
        ('why = "Because."', 'why = "Because.', 4, "not TOML"),
        ('forbid = "foo+$"', 'check = "no such"', 9, "check"),
        ('forbid = "foo+$"', 'forbid = "foo"\npattern = "x"', 10, "exactly one way"),
        ('forbid = "foo+$"', 'forbid = "foo"\nthen = {}', 10, "exactly one way"),
        ('forbid = "foo+$"', "", 1, "sets none of check, cases, then, pattern, forbid"),
        ('"warning"', '"eror"', 6, 'Did you mean "error"?'),
        ('forbid = "foo+$"', 'forbid = "foo"\non = "tools"', 10, 'Did you mean "tool"?'),
        ('since = "1.0"', "since = 2026-01-01", 7, "since"),
        ('forbid = "foo+$"', 'forbid = "(foo"', 9, "not a regular expression"),
        ('forbid = "foo+$"', 'forbid = "(?=foo)"', 9, "not a regular expression"),
        ('given = "$.description"', 'given = "$.[oops"', 8, "not a JSONPath"),
        ('forbid = "foo+$"', 'then = { type = "strin" }', 9, "does not compile"),
        (
            "[[pass]]",
            '[options.max]\ndefault = "a"\nsummary = "x"\nschema = { type = "integer" }\n[[pass]]',
            14,
            "a default that its schema refuses",
        ),
        ('"description": "foo"}', '"description": "foo"', 17, "an example is cut off"),
        ('[[fail]]\ntool = \'{"name": "a", "description": "foo"}\'', "", 1, "fail"),
        ("fix =", "mend =", 11, "unknown key"),
        ('forbid = "foo+$"', 'forbid = "foo"\ncorrection = { remove = true }', 10, "effect"),
        ('forbid = "foo+$"', 'forbid = "foo"\ncorrection = { effect = "neutral" }', 10, "correction"),
        (
            'forbid = "foo+$"',
            'forbid = "foo"\ncorrection = { set = { a = 2026-01-01 }, effect = "neutral" }',
            10,
            "correction",
        ),
        (
            'forbid = "foo+$"',
            'on = "surface"\nforbid = "foo"\ncorrection = { remove = true, effect = "neutral" }',
            11,
            "looks at a surface",
        ),
    ],
)
def test_a_broken_file_is_one_error_with_file_and_line(tmp_path, old, new, line, says):
    with pytest.raises(ConfigError) as caught:
        run(tmp_path, changed(old, new))
    assert f"no-foo.toml:{line} " in caught.value.message
    assert says in caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            'given = "$.description"\nforbid = "foo+$"',
            'check = "nowhere.check"',
            "the check nowhere.check cannot be imported",
        ),
        ('given = "$.description"\nforbid = "foo+$"', 'check = "acme_nowhere:check"', "cannot be imported"),
    ],
)
def test_what_does_not_compile_names_the_rule(tmp_path, old, new, says):
    with pytest.raises(ConfigError) as caught:
        run(tmp_path, changed(old, new))
    assert "acme/no-foo" in caught.value.message
    assert says in caught.value.message + caught.value.hint


@pytest.mark.parametrize(
    "given",
    ["$.description", "$[?search(@, '^(a+)+$')]", "$[?match(@, '(a|a)*c')]"],
)
def test_no_pattern_can_hang(tmp_path, given):
    text = changed('given = "$.description"\nforbid = "foo+$"', f'given = "{given}"\nforbid = "^(a+)+$"')
    hostile = {"tools": [{"name": "x", "description": "a" * 50_000 + "b", "inputSchema": {}}]}
    assert run(tmp_path, text, hostile) == []


@pytest.mark.parametrize(
    "then",
    [
        '{ "$defs" = { n = { additionalProperties = { "$ref" = "#/$defs/n" } } }, "$ref" = "#/$defs/n" }',
        '{ additionalProperties = { "$ref" = "#" } }',
        '{ "$dynamicAnchor" = "a", properties = { x = { "$dynamicRef" = "#a" } } }',
    ],
)
def test_a_schema_that_leads_back_into_itself_is_refused(tmp_path, then):
    with pytest.raises(ConfigError, match=r"no-foo\.toml:9 does not compile: then: it could run forever") as caught:
        run(tmp_path, changed('forbid = "foo+$"', f"then = {then}"))
    assert 'on = "schema"' in caught.value.hint


def deep(levels):
    schema = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema, "b": {}}}
    return {"tools": [{"name": "x", "inputSchema": schema}]}


def test_a_query_descends_as_deep_as_a_surface_may_be(tmp_path):
    text = changed('given = "$.description"\nforbid', 'given = "$..type"\nforbid').replace("foo+$", "^string$")
    assert len(run(tmp_path, text, deep(80))) == 1


def test_a_query_that_visits_everything_over_and_over_is_refused(tmp_path):
    text = changed('given = "$.description"', 'given = "$..[?@..[?@..[?@..[?@..c]]]]"')
    with pytest.raises(ConfigError, match="visits every value over and over") as caught:
        run(tmp_path, text, deep(80))
    assert "acme/no-foo" in caught.value.message


def test_a_rule_cannot_take_the_id_of_another(tmp_path):
    with pytest.raises(ConfigError, match="charter/length is defined twice"):
        run(tmp_path, changed("acme/no-foo", "charter/length"))
    folder(tmp_path, RULE, "again.toml")
    with pytest.raises(ConfigError, match="acme/no-foo is defined twice"):
        run(tmp_path)


def test_a_folder_that_is_missing_or_empty_is_an_error(tmp_path):
    with pytest.raises(ConfigError, match="does not exist"):
        load_catalogue((tmp_path / "nowhere",), entry_points=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match="holds no rule files"):
        load_catalogue((tmp_path / "empty",), entry_points=False)


PACKAGE_CHECK = """
from mcp_governor.subjects import hit

def ends(tool, context):
    if tool.description.endswith(context.options["word"]):
        yield hit("/description", tool.description)

def fails(tool, context):
    raise RuntimeError("boom")
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with rules and a check in Python, found through its entry point."""
    site = tmp_path / "site"
    home = site / "acme_rules"
    home.mkdir(parents=True)
    (home / "__init__.py").write_text("")
    (home / "checks.py").write_text(PACKAGE_CHECK)
    options = '\n[options.word]\ndefault = "foo"\nschema = { type = "string" }\nsummary = "The word."\n'
    text = changed('given = "$.description"\nforbid = "foo+$"', 'check = "acme_rules.checks:ends"')
    (home / "no-foo.toml").write_text(text.replace("\n[[pass]]", options + "\n[[pass]]", 1))
    info = site / "acme_rules-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[mcp_governor.rules]\nacme = acme_rules\n")
    monkeypatch.syspath_prepend(str(site))
    load_catalogue.cache_clear()
    yield home
    load_catalogue.cache_clear()
    for name in [name for name in sys.modules if name.startswith("acme_rules")]:
        del sys.modules[name]


def test_an_installed_package_brings_rules_and_checks(package):
    (found,) = lint(build_surface(FOO), LintSettings(select=("acme/no-foo",)))
    assert found.rule == "acme/no-foo"
    quiet = LintSettings(select=("acme/no-foo",), options={"acme/no-foo": {"word": "bar"}})
    assert lint(build_surface(FOO), quiet) == []


def test_a_check_that_fails_is_the_users_error(package):
    file = package / "no-foo.toml"
    file.write_text(file.read_text().replace("checks:ends", "checks:fails"))
    with pytest.raises(ConfigError, match=r"acme_rules.checks:fails of rule acme/no-foo failed: RuntimeError: boom"):
        lint(build_surface(FOO), LintSettings(select=("acme/no-foo",)))


def test_an_entry_point_that_gives_no_folder_is_one_error(package):
    (package.parent / "acme_rules-1.0.dist-info" / "entry_points.txt").write_text(
        "[mcp_governor.rules]\nacme = acme_nowhere\n"
    )
    with pytest.raises(ConfigError, match="entry point acme"):
        load_catalogue()


def test_a_check_is_in_the_folder_of_rules_or_in_a_package(tmp_path):
    text = changed('given = "$.description"\nforbid = "foo+$"', 'check = "acme_beside:ends"')
    body = 'from mcp_governor.subjects import hit\n\n\ndef ends(tool, context):\n    yield hit("/description", "foo")\n'
    folder(tmp_path, text)
    (tmp_path / "rules" / "acme_beside.py").write_text(body)
    before = list(sys.path)
    (found,) = run(tmp_path, text)
    assert (found.rule, found.path) == ("acme/no-foo", "/description")
    assert sys.path == before
    del sys.modules["acme_beside"]


def test_a_module_that_is_not_python_is_the_users_error(tmp_path):
    text = changed('given = "$.description"\nforbid = "foo+$"', 'check = "acme_broken:ends"')
    folder(tmp_path, text)
    (tmp_path / "rules" / "acme_broken.py").write_text("def ends(:\n")
    with pytest.raises(ConfigError, match=r"the check acme_broken:ends cannot be imported: invalid syntax") as caught:
        run(tmp_path, text)
    assert caught.value.hint.startswith("Put its module into the folder of rules")


def test_a_check_in_python_is_asked_about_each_text(tmp_path):
    text = changed('given = "$.description"\nforbid = "foo+$"', 'on = "prose"\ncheck = "readers_of_texts:of_b"')
    (folder(tmp_path, text) / "acme" / "readers_of_texts.py").write_text(
        "from mcp_governor.subjects import hit\n\n\n"
        "def of_b(text, context):\n"
        "    if text.tool == 'b':\n"
        "        yield hit(text.pointer, text.value)\n"
    )
    tools = [{"name": name, "description": "a foo", "inputSchema": {"type": "object"}} for name in "ab"]
    settings = LintSettings(select=("acme/*",), rule_paths=(tmp_path / "rules" / "acme",))
    assert [(found.tool, found.path) for found in lint(build_surface({"tools": tools}), settings)] == [
        ("b", "/description")
    ]


def test_the_name_of_a_prompt_stands_for_tool(tmp_path):
    text = changed('given = "$.description"', 'on = "prompt"\ngiven = "$.description"')
    for name, said in (("a", "bar"), ("a", "foo")):
        text = text.replace(
            f'tool = \'{{"name": "{name}", "description": "{said}"}}\'',
            f'surface = \'{{"prompts": [{{"name": "{name}", "description": "{said}"}}]}}\'',
        )
    (found,) = run(tmp_path, text, {"tools": [], "prompts": [{"name": "greet", "description": "a foo"}]})
    assert found.message == "The description of greet ends in foo."
