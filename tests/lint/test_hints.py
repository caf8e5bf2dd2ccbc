"""What a tool does by its words, and hints that say only half of it."""

from __future__ import annotations

import pytest

from mcp_governor.prose.effects import effect_of
from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface


def surface(*tools):
    return build_surface({"tools": [{"inputSchema": {"type": "object"}, **tool} for tool in tools]})


@pytest.mark.parametrize(
    ("name", "text", "effect"),
    [
        # The verb of the name, else that of the description.
        ("delete_page", "Deletes a page", "destroys"),
        ("session_clear_defaults", "Clear session defaults", "destroys"),
        ("qa_test_plan_items_delete", "", "destroys"),
        ("mark_all_as_read", "Marks all messages as read", "writes"),
        ("place_order", "Place an order", "writes"),
        ("click", "Perform a click on a page", "writes"),
        ("broadcast", "A message for all followers", "writes"),
        ("transact", "Does what the steps say.", "writes"),
        ("post-page", "Books | Create a page", "writes"),
        ("post-search", "Books | Search by title", "writes"),
        ("pricing", "Tool that retrieves prices", "reads"),
        ("get_block", "The newest block", "reads"),
        ("type", "Returns the type of the value", "reads"),
        ("type", "Type text into a field", "writes"),
        ("order_history", "Get the orders of the last year", "reads"),
        ("deposit_history", "All deposits", "unknown"),
        ("deposit", "Deposit money", "writes"),
        ("clock", "The time.", "unknown"),
        ("?", "", "unknown"),
        ("by_type", "The kinds.", "unknown"),
        # The second verb of a name.
        ("search_and_replace", "", "destroys"),
        ("compare_and_swap", "Compare two values.", "writes"),
        ("get_terms_and_conditions", "Returns the terms.", "reads"),
        # A verb that is a noun after another word.
        ("expand_link", "Expand a short address", "unknown"),
        ("page_link", "Link a page", "writes"),
        ("weather_archive", "Get the weather of a day in the past.", "reads"),
        ("weather_archive", "Archive the weather of a day.", "writes"),
        ("write_rights", "Tells whether writing is on. Read-only and fast.", "unknown"),
        # Verbs that leave open if something is changed, and those of another effect in the description.
        ("resolve_thread", "Resolve a thread of a review", "unknown"),
        ("check_in", "Check in a guest.", "unknown"),
        ("site_crawl", "Crawl a website", "unknown"),
        ("refresh_search_tools", "Look for tools again.", "unknown"),
        ("search_feedback", "Send feedback on a search", "unknown"),
        ("watch_list", "Subscribe to a list", "unknown"),
        ("get_link", "Makes the file public.", "unknown"),
        # What a description says happens besides, in any form.
        ("get_rows", "Gets rows. It also updates the time of the last read", "unknown"),
        ("get_logs", "Gets the logs. Large ones will be written to a file", "unknown"),
        ("validate_model", "Validates a model.\n\nWhat it does:\n1. Creates tables", "unknown"),
        ("validate_plan", "Validates a plan and then stores it for later calls.", "unknown"),
        ("read", "Read or replace the text", "unknown"),
        ("read", "Read or count the lines", "reads"),
        ("parse_url", "Fetch a page, and auto-create chunks", "unknown"),
        ("parse_url", "Fetch a page, and count its chunks", "reads"),
        ("read_inbox", "Returns unread mail and marks it as seen.", "unknown"),
        ("describe_resource", "Describe a resource, tagging it with its owner.", "unknown"),
        ("list_unread", "Lists unread items. Reading clears the flag.", "unknown"),
        ("read_messages", "Read new messages. Messages are marked as read.", "unknown"),
        ("suite", "Validate or execute a suite of tests.", "unknown"),
        ("list_posts", "List posts, tags and comments.", "reads"),
        ("list_files", "List files, including hidden ones. Empty folders are skipped.", "reads"),
        ("get_rows", "Gets rows, read-only. Removes nothing", "reads"),
        # What is lost, unless it is denied or another tool does it.
        ("tidy", "Entries past an age are removed for good.", "destroys"),
        ("load", "Loads a page, and replaces all links", "destroys"),
        ("load", "Loads a page. Use run_code with a script that replaces all links", "unknown"),
        ("create_identity", "Create a key pair. Overwrites an existing one.", "destroys"),
        ("create_identity", "Create a key pair. Refuses to overwrite an existing one.", "writes"),
        ("do_it", "Refuses to wait and then permanently deletes it.", "destroys"),
        ("do_it", "It refuses to prompt; data is permanently deleted.", "destroys"),
        ("get_copy", "Gets a page. A copy overwrites the old one", "unknown"),
        # What runs its input.
        ("query", "Execute a Cypher query against the graph.", "runs"),
        ("session-sql", "Execute SQL queries on the database. Example: SELECT 1", "runs"),
        ("sql", "Execute SQL queries. Only SELECT is allowed", "unknown"),
        ("run_query", "Execute SQL queries in read-only mode. Set A=1 to allow DDL and DML.", "runs"),
        ("run_query", "Execute SQL queries in read-only mode.", "reads"),
        ("query", "Execute an InstaQL query against an app.", "reads"),
        ("generate_crud", "Generate ready-to-run code", "unknown"),
        ("do_it", "Run code", "runs"),
        ("migrate", "Generates the safe migration command; it may overwrite.", "unknown"),
        ("update_context", "Provides a checklist for agents to update files", "unknown"),
        ("generate_tests", "Generates tests for the code", "unknown"),
        ("signal_manage", "Delete a signal alert", "destroys"),
        ("depth", "Order book depth.", "unknown"),
        ("get_comments", "提交评论任务。返回 taskId", "unknown"),
        ("get_comments", "查询评论，更新时间为 yyyy-MM-dd", "reads"),
    ],
)
def test_what_a_tool_does(name, text, effect):
    (tool,) = surface({"name": name, "description": text}).tools
    assert effect_of(tool) == effect


def valued(name, *values, **more):
    return {name: {"type": "string", "enum": list(values), **more}}


def said(name, text, kind="string"):
    return {name: {"type": kind, "description": text}}


PAIR = ("create", "delete")


@pytest.mark.parametrize(
    ("name", "argument", "effect"),
    [
        # One of its operations, wherever it stands.
        ("manage_plans", valued("action", "list", "delete"), "destroys"),
        ("manage_plans", valued("action", "list", "createItem"), "writes"),
        ("manage_plans", valued("action", "fast", "slow"), "writes"),
        ("manage_plans", valued("operation", "get-plan", "list-plans"), "unknown"),
        ("manage_plans", said("action", "What to do (status|enable|remove)"), "destroys"),
        ("manage_plans", {"at": {"anyOf": [{"properties": {"operation": {"const": "purge-plan"}}}]}}, "destroys"),
        ("manage_plans", {"params": {"type": "object", "properties": valued("action", "get", "drop")}}, "destroys"),
        (
            "manage_plans",
            {**valued("operation", "set"), "params": {"properties": valued("action", "get", "delete-entry")}},
            "destroys",
        ),
        # What a statement does is done, whatever it is run for.
        ("get_plan", {"analyze": {"type": "boolean", "description": "Use EXPLAIN ANALYZE"}}, "unknown"),
        ("get_plan", {"analyze": {"type": "boolean", "description": "Show costs"}}, "reads"),
        ("get_notes", {"fix": {"type": "boolean"}}, "unknown"),
        ("ensure_session", {}, "unknown"),
        # What a parameter of another name takes is data, as are the operations that a tool tells about.
        ("manage_plans", valued("type", "list", "delete"), "writes"),
        ("manage_plans", {**valued("mode", "set"), "rows": {"properties": valued("action", "get", "drop")}}, "writes"),
        ("list_audit_log", valued("action", *PAIR), "unknown"),
        ("check_role", valued("action", *PAIR), "unknown"),
        ("plans", valued("action", "list", "createItem"), "unknown"),
        ("get_plans", valued("action", "list", "get"), "reads"),
        # The method of a request.
        ("api_request", {"httpMethod": {"description": "GET, POST, PUT or DELETE"}}, "runs"),
        ("search_api", {"method": {"enum": ["GET", "DELETE"]}}, "unknown"),
        ("search_api", {"method": {"enum": ["GET", "HEAD"]}}, "reads"),
        ("create_hook", {"method": {"enum": ["GET", "PUT"]}}, "writes"),
        # A switch.
        ("get_queue", said("ack", "If true, delete messages after returning them", "boolean"), "destroys"),
        ("get_queue", said("drop", "Whether to drop them", "boolean"), "destroys"),
        ("get_queue", said("take", "Remove them", "boolean"), "unknown"),
        ("compare", {"save_baseline": {"type": "boolean"}}, "unknown"),
        ("compare", {"save_baseline": {"type": "string"}}, "reads"),
        ("list_mail", said("keep", "Days after which entries are deleted"), "unknown"),
        ("list_mail", said("deleted", "Include those that were deleted", "boolean"), "reads"),
        # A place to save, code to run, and words that steer.
        ("get_log", said("where", "File to save the log to"), "unknown"),
        ("get_log", {"wrapped": {"properties": said("where", "File to save the log to")}}, "unknown"),
        ("get_log", said("where", "File to read the log from"), "reads"),
        ("read_paper", said("save_path", ""), "unknown"),
        ("read_paper", said("paper_path", ""), "reads"),
        ("download_paper", said("localPath", ""), "unknown"),
        ("search_log", {"stdin": {}}, "unknown"),
        ("fetch_page", said("commands", ""), "unknown"),
        ("list_commands", said("commands", ""), "reads"),
        ("run_background", said("command", ""), "runs"),
        ("start_background", said("command", ""), "writes"),
        ("drag_and_drop", {}, "writes"),
    ],
)
def test_what_an_argument_can_do_counts_for_the_tool(name, argument, effect):
    schema = {"type": "object", "properties": argument}
    (tool,) = surface({"name": name, "inputSchema": schema}).tools
    assert effect_of(tool) == effect


def test_a_tool_that_answers_with_a_command_runs_none_whatever_its_switches_say():
    switch = {"type": "object", "properties": {"overwrite": {"type": "boolean"}}}
    texts = {"Generates the install commands for components": "unknown", "Compares components": "destroys"}
    for text, effect in texts.items():
        (tool,) = surface({"name": "compare", "description": text, "inputSchema": switch}).tools
        assert effect_of(tool) == effect


def test_text_that_nearly_says_a_change_is_read_in_linear_time():
    (tool,) = surface({"name": "get", "description": "generates a, " * 20_000 + "it will also " * 9000}).tools
    assert effect_of(tool) == "reads"


def complete(*tools):
    found = lint(surface(*tools), LintSettings(select=("clarity/hints-complete",)))
    return [(one.path, one.message) for one in found]


def test_a_change_without_a_word_on_destruction_is_one_finding():
    writes = {"annotations": {"readOnlyHint": False}}
    ((path, message),) = complete({"name": "add", **writes}, {"name": "push", **writes}, {"name": "wipe", **writes})
    assert path == "/tools"
    assert message == (
        "2 tools say readOnlyHint: false without destructiveHint, which then counts as true: add, push; "
        "true is right for wipe."
    )
    assert complete({"name": "wipe", **writes}) == []
    assert complete({"name": "add", "annotations": {"readOnlyHint": False, "destructiveHint": False}}) == []
    assert complete({"name": "add"}) == []


def test_the_graver_tools_are_named_before_the_others():
    tools = [{"name": f"{verb}_{n}"} for verb in ("get", "add", "delete") for n in range(13)]
    (found,) = lint(surface(*tools), LintSettings(select=("clarity/hints-declared",)))
    assert found.message == (
        "No tool has readOnlyHint or destructiveHint. "
        "These delete, overwrite, update or run: delete_0, delete_1, delete_2, delete_3, delete_4 and 8 more; "
        "these add or change: add_0, add_1, add_2, add_3, add_4, add_5, add_6 and 6 more; "
        "these only read: get_0, get_1, get_2, get_3, get_4, get_5, get_6 and 6 more."
    )


@pytest.mark.parametrize(
    ("tool", "message", "fix", "edits"),
    [
        (
            {"name": "mail_delete_item", "annotations": {"readOnlyHint": True}},
            'mail_delete_item says readOnlyHint: true, but the name says "delete".',
            "Set readOnlyHint: false, or correct the words.",
            [("/annotations/readOnlyHint", False)],
        ),
        (
            {"name": "drop_table", "annotations": {"readOnlyHint": False, "destructiveHint": False}},
            'drop_table says destructiveHint: false, but the name says "drop".',
            "Set destructiveHint: true, or correct the words.",
            [("/annotations/destructiveHint", True)],
        ),
        (
            {"name": "list_tags", "description": "Lists tags.", "annotations": {"destructiveHint": True}},
            'list_tags says destructiveHint: true, but the name and the description say "list" and no change.',
            "Set readOnlyHint: true, or correct the words.",
            [],
        ),
        (
            {"name": "list_tags", "description": "Lists tags.", "annotations": {"readOnlyHint": False}},
            'list_tags says readOnlyHint: false, but the name and the description say "list" and no change.',
            "Set readOnlyHint: true, or correct the words.",
            [],
        ),
        (
            {"name": "send_mail", "annotations": {"readOnlyHint": False, "idempotentHint": True}},
            'send_mail says idempotentHint: true, but the name says "send": two calls send two.',
            "Set idempotentHint: false, or correct the words.",
            [("/annotations/idempotentHint", False)],
        ),
    ],
)
def test_a_wrong_hint_comes_with_the_one_that_the_words_mean(tool, message, fix, edits):
    # A promise more, as that a tool only reads, is said and never written for anybody.
    (found,) = lint(surface(tool), LintSettings(select=("clarity/hints-contradict",)))
    assert (found.message, found.fix) == (message, fix)
    made = found.correction.edits if found.correction is not None else ()
    assert [(edit.path, edit.value) for edit in made] == edits


@pytest.mark.parametrize(("name", "found"), [("create_plan", 0), ("create_planner", 1), ("delete_plan", 1)])
def test_what_is_made_to_be_returned_may_be_read_only(name, found):
    verb = name.split("_")[0].title()
    tools = [{"name": name, "description": f"{verb} a plan of the music.", "annotations": {"readOnlyHint": True}}]
    findings = lint(build_surface({"tools": tools}), LintSettings(select=("clarity/hints-contradict",)))
    assert len(findings) == found


def contradicts(name, text, hints, properties=None):
    schema = {"type": "object", "properties": properties or {}}
    tool = {"name": name, "description": text, "annotations": hints, "inputSchema": schema}
    findings = lint(build_surface({"tools": [tool]}), LintSettings(select=("clarity/hints-contradict",)))
    return [one.message.partition(", but ")[2] for one in findings]


READS, CHANGES, KEEPS = (
    {"readOnlyHint": True},
    {"readOnlyHint": False},
    {"readOnlyHint": False, "destructiveHint": False},
)


@pytest.mark.parametrize(
    ("name", "text", "hints", "properties", "said"),
    [
        # A noun in the name, where operations or words say that it reads.
        ("site_deploy_reader", "One of the operations", READS, valued("operation", "get-deploy"), []),
        ("site_update_reader", "Run an operation (read-only)", READS, None, []),
        ("site_update_reader", "Run an operation", READS, None, ['the name says "update".']),
        ("site_reader", "Run an operation", READS, valued("operation", "get", "set"), ['operation takes "set".']),
        # Advice to take another tool.
        ("read_file", "Read a file. Use run_code to replace all lines.", READS, None, []),
        ("read_file", "Read a file, replace all lines.", READS, None, ['the description says "replace all".']),
        ("report", "Makes a report. Use write_file and it writes to disk", READS, None, []),
        ("report", "Makes a report. Saves it to disk", READS, None, ['the description says "Saves it to disk".']),
        ("read_file", "Read a file. Of many, use run_code with a\n  script to replace all.", READS, None, []),
        ("read_file", "Read a file. Use run_code before\n- replace all lines", READS, None,
            ['the description says "replace all".']),
        # A tool that reads by its name saves, by its first sentence and always.
        ("get_page", "Loads a page and saves it to disk.", READS, None,
            ['the description says "saves it to disk".']),
        ("get_page", "Loads a page and saves it to disk if a path is given.", READS, None, []),
        ("get_page", "Loads a page. It saves it to disk.", READS, None, []),
        ("add_rows", "Adds the numbers of two rows.", READS, None, []),
        ("add_days", "Adds days to a date.", READS, None, []),
        # It saves where a parameter says so.
        ("get_rows", "Gets the rows.", CHANGES, {"to": {"description": "File to save the log to"}}, []),
        ("get_rows", "Gets the rows.", CHANGES, {"to": {"description": "Time of the last line"}},
            ['the name and the description say "get" and no change.']),
        # It deletes where a switch says so.
        ("get_mail", "Gets mail.", READS, {"drop": {"type": "boolean", "description": "Delete it after reading"}},
            ['drop is "Delete it after reading".']),
        ("get_mail", "Gets mail.", READS, {"cut": {"type": "boolean", "description": "Remove signatures"}}, []),
        # What it tells about.
        ("list_keys", "List keys.", READS, valued("action", "create", "delete"), []),
        ("find_path", "Find a path.", READS, {"method": {"enum": ["PUT"]}}, []),
        ("manage_keys", "Manage keys", KEEPS, valued("action", "get", "delete"), ['action takes "delete".']),
        ("manage_keys", "Manage keys", KEEPS, valued("action", "get", "create"), []),
        ("put_page", "Replace pages of a site (full update)", KEEPS, None,
            ['the description says "Replace pages of a site (full update)".']),
        ("put_page", "Replaces the contents of a page.", KEEPS, None,
            ['the description says "Replaces the contents of".']),
        ("put_page", "Replaces existing marks.", KEEPS, None, ['the description says "Replaces existing".']),
        ("put_page", "Adds a page (full text). Never replaces existing ones.", KEEPS, None, []),
        ("put_page", "Replaces a word of it.", KEEPS, None, []),
        ("terminate_app", "Ends an app", KEEPS, None, []),
    ],
)  # fmt: skip
def test_hints_contradict_only_what_is_plain(name, text, hints, properties, said):
    assert contradicts(name, text, hints, properties) == said
