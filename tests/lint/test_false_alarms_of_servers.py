"""False findings of rules that report once for a server, or look at several parameters together.

Each was said of a public server. The counterpart is the nearest tool that deserves one.
"""

from __future__ import annotations

import pytest
from false_alarms import STRING, argument, described, findings_of, table, text


def reading(text: str) -> dict:
    return {**described(text), "name": "table_ddl", "annotations": {"readOnlyHint": True}}


def made(name: str, **more: object) -> dict:
    data = {"type": "object", "properties": {"name": {"type": "string"}}, **more}
    return {**table(data=data), "name": name}


def example(text: str) -> dict:
    schema = {"type": "object", "properties": {"action": STRING, "key": STRING}, "required": ["action", "key"]}
    return {**described(text), "name": "walk", "inputSchema": schema}


def related(text: str) -> dict:
    return table(extra={"type": "object", "description": text}, kind=STRING, term=STRING)


def choice(text: str) -> dict:
    return {**table(kind=STRING, term=STRING), "description": text}


def moded(**properties: object) -> dict:
    return table(action={"type": "string", "enum": ["look", "show"]}, **properties)


def documented(text: str) -> dict:
    return {**table(revision={"type": "string"}), "description": f"Looks it up.\n\n{text}"}


@pytest.mark.parametrize(
    ("rule", "innocent", "guilty"),
    [
        (
            "clarity/closed-list",
            table(length={"type": "string", "description": "How long. Use format: '2h' (hours), '90m', or '2h30m'."}),
            table(voice={"type": "string", "description": "How it sounds. Use format: 'mono', 'duo', or 'surround'."}),
        ),
        (
            "clarity/closed-list",
            table(maxLength={"type": "string", "description": "Use format: '8k', '4k', or '2k'."}),
            table(videoSize={"type": "string", "description": "Use format: '8k', '4k', or '2k'."}),
        ),
        (
            "clarity/closed-list",
            table(
                unit={"type": "string", "description": "What counts. Common values:\n- 'km': far\n- 'mi': in the UK"}
            ),
            table(unit={"type": "string", "description": "What counts. Valid values:\n- 'km': far\n- 'mi': in the UK"}),
        ),
        (
            "clarity/stringly-typed",
            table(query={"type": "string", "description": "Space-separated search words."}),
            table(query={"type": "string", "description": "Pipe-separated search words."}),
        ),
        (
            "clarity/missing-unit",
            table(radius={"type": "number"}, radius_type={"type": "string", "default": "points"}),
            table(radius={"type": "number"}, height_type={"type": "string", "default": "points"}),
        ),
        (
            "clarity/plain-parameter-described",
            documented("Args:\n  revision: What to look up\n\nReturns:\n  Object containing:\n  - revision: The same"),
            documented("Returns:\n  Object containing:\n  - revision: What was looked up"),
        ),
        ("hygiene/white-space", described("Plots" + 30 * " " + "all of it"), described("Plots" + 90 * " " + "all")),
        ("hygiene/white-space", described("Plots.\n" + 80 * " " + "it"), described("Plots.\n" + 81 * " " + "it")),
        (
            "clarity/example-fits",
            example("For a page, use walk(action='go') instead."),
            example("Example: walk(action='go')"),
        ),
        (
            "clarity/limit-without-bound",
            argument("How many days to read. Capped at 28.", type="integer"),
            argument("How many days to read. At most 28.", type="integer"),
        ),
        (
            "clarity/limit-without-bound",
            argument("Rows. The maximum value is 90; values above 90 will be coerced to 90.", type="integer"),
            argument("Rows. The maximum value is 90; the default is 10.", type="integer"),
        ),
        (
            "clarity/plain-limit",
            argument("How many rows. Non-positive values are ignored.", type="integer"),
            argument("How many rows. Only positive values.", type="integer"),
        ),
        (
            "clarity/closed-list",
            text("One of: 'name', 'size'. Descending order by appending 'desc' to it."),
            text("One of: 'name', 'size'. Descending order by reverse."),
        ),
        (
            "clarity/missing-format",
            table(path={"type": "string", "description": 'Path in the format "category/folder/subfolder"'}),
            table(path={"type": "string", "description": 'Path in the format "category/section/page"'}),
        ),
        (
            "clarity/unknown-argument",
            table(case_sensitive={"type": "boolean", "description": "Use case-sensitive matching."}),
            table(case_sensitive={"type": "boolean", "description": "Use `case-sensitive` for matching."}),
        ),
        (
            "clarity/prose-default",
            argument("Cap of a scan. 0 falls back to MAX_USERS (default 5000).", type="integer", default=0),
            argument("Cap of a scan of users (default 5000).", type="integer", default=0),
        ),
        (
            "clarity/hints-contradict",
            reading("Returns the table. To save it to a file on disk, use save_table instead."),
            reading("Returns the table. To spare tokens, save it to a file on disk."),
        ),
        (
            "clarity/hints-contradict",
            reading("Returns the table. To save it to a file on disk, call save_table with it."),
            reading("Returns the table. It saves it to a file on disk; use read_table for it."),
        ),
        (
            "clarity/missing-format",
            table(path={"type": "string", "description": 'Path in the format "group/folder/file"'}),
            table(path={"type": "string", "description": 'Path in the format "owner/repo"'}),
        ),
        ("clarity/example-fits", example("See walk(action='go').\nAnd more."), example("```\nwalk(action='go')\n```")),
        (
            "clarity/example-fits",
            example("It is like walk(action='go')."),
            example("Goes.\n\nwalk(action='go')  # far"),
        ),
        (
            "clarity/argument-dependencies",
            related("Only with kind='x' and term='day'; not compatible with stop orders."),
            related("Requires `kind`."),
        ),
        (
            "clarity/argument-dependencies",
            choice("By default, returns what you made. Always pass either `kind` or `term` to scope results."),
            choice("By default, returns what you made. Always pass either `kind` or `term`."),
        ),
        (
            "clarity/example-parses",
            documented('Returns:\n```json\n{"id": 1, # its number\n "name": 2}\n```'),
            documented('Returns:\n  A row.\n\nExamples:\n```json\n{"id": 1, # its number\n "name": 2}\n```'),
        ),
        (
            "clarity/parameter-described",
            {**table(mode={"type": "string"}), "description": 'Draws. mode "wide": all of it.'},
            {**table(mode={"type": "string"}), "description": "Draws. The mode is yours."},
        ),
        (
            "clarity/parameter-described",
            {**table(quality={"type": "string"}), "description": "Draws. quality:\nrough|fine, shown in each row."},
            {**table(quality={"type": "string"}), "description": "Draws. The quality\nis shown in each row."},
        ),
        (
            "clarity/argument-dependencies",
            moded(api_key={"type": "string", "description": "Key. Required for `look`."}),
            moded(place={"type": "string", "description": "Place. Required for `look`."}),
        ),
        (
            "clarity/argument-ignored",
            moded(term={"type": "string", "description": "Term for 'look', name for 'show'."}),
            moded(term={"type": "string", "description": "Term for 'look'."}),
        ),
        (
            "clarity/unknown-argument",
            table(tidy={"type": "boolean", "description": 'Use the "ti_dy" macro.'}),
            table(tidy={"type": "boolean", "description": 'Use the "ti_dy" parameter.'}),
        ),
    ],
)
def test_a_false_finding_about_the_server_is_gone_and_the_true_one_stays(rule, innocent, guilty):
    assert rule not in {finding.rule for finding in findings_of(innocent)}
    assert rule in {finding.rule for finding in findings_of(guilty)}
