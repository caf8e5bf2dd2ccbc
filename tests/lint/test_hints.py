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
        ("click", "Perform a click on a page", "writes"),
        ("press_key", "Press a key", "writes"),
        ("screenshot", "Take a picture of the page", "reads"),
        ("pricing", "Tool that retrieves prices", "reads"),
        ("costs", "This tool analyzes costs. WRITE OPERATION: starts one of 20 runs a day", "unknown"),
        ("query", "Execute an InstaQL query against an app. If unsure how to write queries, read its page.", "reads"),
        ("query", "Execute a Cypher query against the graph.", "runs"),
        ("query", "Execute a query against the graph.", "runs"),
        ("query", "Execute a script against the graph.", "runs"),
        ("transact", "Does what the steps say.", "writes"),
        ("session-sql", "Execute SQL queries on the database. Example: SELECT 1", "runs"),
        ("sql", "Execute SQL queries. Only SELECT is allowed", "unknown"),
        ("run_query", "Execute SQL queries in read-only mode. Set A=1 to allow DDL and DML.", "runs"),
        ("run_query", "Execute SQL queries in read-only mode.", "reads"),
        ("suite", "Validate or execute a suite of tests.", "unknown"),
        ("suite", "Validate or explain a suite of tests.", "reads"),
        ("hover", "Hover over an element", "writes"),
        ("clock", "The time.", "unknown"),
        ("mark_all_as_read", "Marks all messages as read", "writes"),
        ("mute_host", "Mute a host", "writes"),
        ("resolve_thread", "Resolve a thread of a review", "writes"),
        ("resolve_name", "Resolve a name", "reads"),
        ("search_feedback", "Send feedback on a search", "writes"),
        ("site_crawl", "Crawl a website", "reads"),
        ("get_block", "The newest block", "reads"),
        ("revoke_key", "Revoke a key", "destroys"),
        ("by_type", "The kinds.", "unknown"),
        ("delete_page", "Deletes a page", "destroys"),
        # What the text says of changes takes a tool out of those that only read.
        ("model_validation", "Validates a model.\n\nWhat it does:\n1. Creates tables", "unknown"),
        ("model_validation", "Validates a model.\n\n- Creates tables\n- Saves a report to a.md", "unknown"),
        ("model_validation", "Validates a model.\n\nFirst:\n1. Create the tables in the console", "reads"),
        ("db_analyzer", "Analyzes a database. Output: Generates analysis files in Markdown", "unknown"),
        ("db_analyzer", "Analyzes a database. Output: the sizes of the files", "reads"),
        ("get_logs", "Gets the logs. Large ones will be written to a file", "unknown"),
        ("get_rows", "Gets rows. Saves tokens with fields", "reads"),
        ("get_rows", "Gets rows, read-only. Removes nothing", "reads"),
        ("get_rows", "Gets rows. It also updates the time of the last read", "unknown"),
        ("get_rows", "Gets rows, or what it updates", "reads"),
        ("read", "Read or replace the text", "unknown"),
        ("read", "Read or count the lines", "reads"),
        ("search", "Search services: commands to manage and query them", "unknown"),
        ("search", "Search services: commands to query them", "reads"),
        ("watch_list", "Subscribe to a list", "unknown"),
        ("snapshot_machine", "Take a snapshot of a machine", "unknown"),
        ("snapshot_page", "Take a snapshot of a page", "unknown"),
        ("clear_dir", "Clear the session working directory setting", "destroys"),
        ("clear_session", "Clear the session", "destroys"),
        ("retrieve", "Retrieves a page. A copy overwrites the old one", "destroys"),
        # A verb that is a noun after another word, and the verb of a description that knows better.
        ("expand_link", "Expand a short address", "unknown"),
        ("page_link", "Link a page", "writes"),
        ("type", "Returns the type of the value", "reads"),
        ("type", "Type text into a field", "writes"),
        ("post-search", "Books | Search by title", "writes"),
        ("post-page", "Books | Create a page", "writes"),
        # Another tool does it, or it is for the time being.
        ("load", "Loads a page. Use run_code with a script that replaces all links", "unknown"),
        ("load", "Loads a page, and replaces all links", "destroys"),
        ("emulate", "Emulates a phone. Replaces all settings of the last call", "destroys"),
        ("session_clear_defaults", "Clear session defaults", "destroys"),
        # What is made to be returned, and what runs something else than its input.
        ("create_secrets_guide", "Generate a guide for the secrets", "writes"),
        ("create_secret", "Generate a secret", "writes"),
        ("generate_crud", "Generate ready-to-run code", "unknown"),
        ("do_it", "Run code", "runs"),
        ("run_query", "Run a query; returns its rows", "runs"),
        ("parse_url", "Fetch a page, and auto-create chunks", "unknown"),
        ("parse_url", "Fetch a page, and count its chunks", "reads"),
        # A verb that is a thing in other names counts where the description opens with a change.
        ("place_order", "Place an order", "writes"),
        ("place_order", "Places an order", "writes"),
        ("swap", "Swap tokens", "unknown"),
        ("order_history", "Orders of the last year", "unknown"),
        ("order_history", "Get the orders of the last year", "reads"),
        ("broadcast", "A message for all followers", "writes"),
        ("rerank", "A better order of the documents", "reads"),
        # It says of itself that it only reads; of files, another tool or a setting that is no statement.
        ("write_rights", "Tells whether writing is on. Read-only and fast.", "reads"),
        ("write_rights", "Tells whether writing is on (read-only).", "reads"),
        ("write_page", "Writes a page. Read-only pages are refused.", "writes"),
        ("write_page", "Writes a page. In read-only mode it fails.", "writes"),
        # Statements that delete.
        ("write_query", "Execute an INSERT, UPDATE, or DELETE query", "destroys"),
        ("write_query", "Runs any DML statement", "destroys"),
        ("write_query", "Execute an INSERT query", "writes"),
        ("write_query", "Execute a statement. DELETE is refused", "writes"),
        # What it refuses or plans, and what is said before a change.
        ("create_identity", "Create a key pair. Refuses to overwrite an existing one.", "writes"),
        ("create_identity", "Create a key pair. Overwrites an existing one.", "destroys"),
        ("triage_plan_delete", "Prepare a capped plan.", "writes"),
        ("preview_delete", "Show what would go.", "reads"),
        ("triage_delete", "Prepare a capped plan.", "destroys"),
        ("weather_archive", "Get the weather of a day in the past.", "reads"),
        ("weather_archive", "Archive the weather of a day.", "writes"),
        ("format_disk", "Format a disk.", "writes"),
        ("push_nodes", "Push nodes to the server.", "writes"),
        ("check_status", "Check if it runs. Attempts to auto-start it if not.", "unknown"),
        ("check_status", "Check if it runs. Attempts to find it if not.", "reads"),
        ("plan_delete", "Deletes the plan.", "destroys"),
        ("workout_plan_delete", "Delete a workout plan.", "destroys"),
        ("app_preview_delete", "Permanently delete an app preview.", "destroys"),
        ("app_preview_delete", "Shows what would be deleted.", "reads"),
        ("preview_and_delete", "", "destroys"),
        # Of five words, the last is a verb as well, and the third is not in front of it.
        ("qa_test_plan_items_delete", "", "destroys"),
        ("qa_test_items_plan_delete", "", "writes"),
        ("?", "", "unknown"),
        ("push_update", "Pushes a firmware update to the client.", "writes"),
        ("format_file", "Read a file, format it and write the file back.", "writes"),
        ("do_it", "It refuses to prompt; data is permanently deleted.", "destroys"),
        ("do_it", "Refuses to wait and then permanently deletes it.", "destroys"),
        ("do_it", "Refuses to permanently delete it.", "unknown"),
        # A second verb, and what else an adversary hid.
        ("fetch_prices", "Fetch latest prices for commodities and write to ledger.", "unknown"),
        ("validate_plan", "Validates a plan and then stores it for later calls.", "unknown"),
        ("fetch_prices", "Fetch latest prices for commodities and save tokens.", "reads"),
        ("fetch_prices", "Fetch latest prices. What to call first, and write down.", "reads"),
        ("re-run", "Re-run shell commands", "runs"),
        # What also changes something does not only read.
        ("parse", "Parse a config and delete the original file.", "unknown"),
        ("rank_player", "Promotes and demotes players", "writes"),
        # A second verb in the name.
        ("detect_and_block_ip", "Detects attacks.", "unknown"),
        ("compare_and_swap", "Compare two values.", "unknown"),
        ("get_terms_and_conditions", "Returns the terms.", "reads"),
        # A second verb in the text, of any form and in any place of it.
        ("read_inbox", "Returns unread mail and marks it as seen.", "unknown"),
        ("describe_resource", "Describe a resource, tagging it with its owner.", "unknown"),
        ("list_files", "List temporary files, cleaning old ones.", "unknown"),
        ("list_unread", "Lists unread items. Reading clears the flag.", "unknown"),
        ("read_messages", "Read new messages. Messages are marked as read.", "unknown"),
        ("get_quote", "Get a quote; an order is placed when the price is low.", "unknown"),
        ("read_secret", "Reads a secret, after which it no longer exists.", "unknown"),
        ("get_next_job", "Takes the next job off the queue.", "unknown"),
        ("get_link", "Makes the file public.", "unknown"),
        ("search_issues", "Search issues and assign them to a user.", "unknown"),
        ("list_files", "List files, including hidden ones. Empty folders are skipped.", "reads"),
        ("list_files", "List files that are marked as read.", "reads"),
        ("list_posts", "List posts and comments.", "reads"),
        # Verbs that another word makes, and what is shown to somebody.
        ("check_in", "Check in a guest.", "unknown"),
        ("check_item", "Checks off an item.", "unknown"),
        ("check_stock", "Check what is in stock.", "reads"),
        ("show_notification", "Show a notification.", "unknown"),
        ("resolve_merge", "Resolves a merge conflict.", "writes"),
        # What is kept somewhere is more than an answer.
        ("create_snippet", "Create a snippet in a project.", "writes"),
        ("create_guide", "Generate a guide and publish it", "writes"),
        # Things that are called as what is done.
        ("launches", "Launches of rockets with date", "unknown"),
        ("deposit_history", "All deposits", "unknown"),
        ("deposit", "Deposit money", "writes"),
        # Words that steer, unless the tool is about them.
    ],
)
def test_what_a_tool_does(name, text, effect):
    (tool,) = surface({"name": name, "description": text}).tools
    assert effect_of(tool) == effect


@pytest.mark.parametrize(
    ("name", "said", "parameter", "effect"),
    [
        ("read_paper", "Gets a paper", "save_path", "unknown"),
        ("read_paper", "Gets a paper", "paper_path", "reads"),
        ("download_paper", "Gets a paper", "localPath", "unknown"),
        ("download_paper", "Gets a paper", "url", "reads"),
        ("read_paper", "Gets a paper", "output", "reads"),
        ("read_paper", "Gets a paper", "target_file", "reads"),
        ("nodejs_inspect", "Executes JavaScript code in the process.", "js_code", "runs"),
        ("nodejs_inspect", "Executes JavaScript code in the process.", "frame", "reads"),
        ("run_background", "Start a shell command in the background.", "command", "runs"),
        ("start_background", "Start a job in the background.", "command", "writes"),
        ("run_background", "Start a job in the background.", "command", "runs"),
        ("scrape_page", "Scrape a page.", "automation", "unknown"),
        ("scrape_page", "Scrape a page.", "cookies", "reads"),
        ("shell", "Run predefined or custom shell commands on the host.", "command", "runs"),
        ("run_code", "Run saved code or python code.", "code", "runs"),
        ("run_query", "Run a saved query; returns its rows", "sql", "runs"),
        ("list_commands", "List commands", "commands", "reads"),
        ("fetch_page", "Fetch a page", "commands", "unknown"),
    ],
)
def test_what_a_parameter_is_for_says_what_a_tool_does(name, said, parameter, effect):
    schema = {"type": "object", "properties": {parameter: {"type": "string"}}}
    (tool,) = surface({"name": name, "description": said, "inputSchema": schema}).tools
    assert effect_of(tool) == effect


def valued(name, *values, **more):
    return {name: {"type": "string", "enum": list(values), **more}}


@pytest.mark.parametrize(
    ("properties", "effect"),
    [
        (valued("action", "list", "delete"), "destroys"),
        (valued("action", "list", "createItem"), "writes"),
        (valued("operation", "get-plan", "list-plans"), "reads"),
        (valued("action", "fast", "slow"), "writes"),
        ({"action": {"type": "string", "description": "What to do (status|enable|remove)"}}, "destroys"),
        ({"action": {"enum": ["list", "set"], "description": "One of list, set or delete"}}, "writes"),
        # What a parameter of another name takes is data.
        (valued("type", "list", "delete"), "writes"),
        ({"params": {"type": "object", "properties": valued("action", "get", "drop")}}, "destroys"),
        ({"at": {"anyOf": [{"properties": {"operation": {"const": "purge-plan"}}}]}}, "destroys"),
        # Its own operation beside its parameters, but not in a list of data.
        (
            {**valued("operation", "set"), "params": {"properties": valued("action", "get", "delete-entry")}},
            "destroys",
        ),
        ({**valued("operation", "set"), "rows": {"properties": valued("action", "get", "delete")}}, "writes"),
    ],
)
def test_a_tool_does_what_one_of_its_operations_does(properties, effect):
    schema = {"type": "object", "properties": properties}
    (tool,) = surface({"name": "manage_plans", "description": "Manage plans", "inputSchema": schema}).tools
    assert effect_of(tool) == effect


@pytest.mark.parametrize(
    ("name", "argument", "effect"),
    [
        ("api_request", {"httpMethod": {"description": "GET, POST, PUT or DELETE"}}, "runs"),
        ("search_api", {"method": {"enum": ["GET", "DELETE"]}}, "runs"),
        ("search_api", {"method": {"enum": ["GET", "HEAD"]}}, "reads"),
        ("search_api", {"method": {"description": "How to put it"}}, "reads"),
        ("create_hook", {"method": {"enum": ["GET", "PUT"]}}, "writes"),
        ("plans", valued("action", "list", "createItem"), "writes"),
        ("plans", valued("action", "fast", "slow"), "unknown"),
        ("get_log", {"where": {"description": "File to save the log to"}}, "writes"),
        ("get_log", {"wrapped": {"properties": {"where": {"description": "File to save the log to"}}}}, "writes"),
        ("get_log", {"where": {"description": "File to read the log from"}}, "reads"),
        ("search_log", {"command": {"description": "To look for, or to run"}, "stdin": {}}, "runs"),
        ("add", {"x": {"type": "number"}, "y": {"type": "integer"}}, "reads"),
        ("add", {"x": {"type": "number"}, "name": {"type": "string"}}, "writes"),
        ("add", {"id": {"type": "integer"}}, "writes"),
        ("drag_and_drop", {}, "writes"),
        ("drop_pins", {}, "destroys"),
    ],
)
def test_what_a_parameter_can_do_counts_for_the_tool(name, argument, effect):
    schema = {"type": "object", "properties": argument}
    (tool,) = surface({"name": name, "inputSchema": schema}).tools
    assert effect_of(tool) == effect


ACTIONS, METHODS = ("create", "update", "delete"), ("GET", "POST", "DELETE")
ABOUT, PERFORM = {"description": "The action."}, {"description": "The action to perform."}


@pytest.mark.parametrize(
    ("name", "text", "argument", "effect"),
    [
        # A verb for reading in the name: the operations are what it tells about.
        ("list_audit_log", "List entries, newest first.", valued("action", *ACTIONS, **ABOUT), "reads"),
        ("pg_list_triggers", "List triggers.", valued("operation", *ACTIONS), "reads"),
        ("explain_permission", "Say whether a role may do something.", valued("operation", "read", "delete"), "reads"),
        ("explain_permission", "Explain who may read, create or delete.", valued("operation", *ACTIONS), "destroys"),
        ("get_migration_sql", "Return the SQL of a migration.", valued("mode", "create", "drop"), "reads"),
        ("get_migration_sql", "Return the SQL for creating or dropping.", valued("mode", "create", "drop"), "destroys"),
        ("list_events", "List events of create, update and delete.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List events by action (create, update, delete).", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List creates, updates and deletes.", valued("action", *ACTIONS), "destroys"),
        ("build_sql", "Return a statement.", valued("operation", "insert", "delete", **PERFORM), "destroys"),
        ("visits", "Visits, compared.", valued("mode", "trends", "drop_attribution"), "destroys"),
        ("visits", "Visits, compared.", valued("mode", "trends", "delete_rate"), "destroys"),
        ("visits", "Visits, compared.", valued("mode", "list", "drop_attribution"), "destroys"),
        ("visits", "Visits, compared.", valued("mode", "trends", "drop_table"), "destroys"),
        ("check_role", "Check a role.", valued("action", *ACTIONS, description="What it wants to do."), "reads"),
        # Unless its words say that it does them.
        ("list_events", "List events.", valued("action", *ACTIONS, **PERFORM), "destroys"),
        ("list_events", "List events of a day, or delete them.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "Lists events, deletes old ones.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List events. Supports creating and deleting.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List events. action='delete' for old ones.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List and manage events.", valued("action", *ACTIONS), "destroys"),
        ("list_events", "List events. It also removes old ones.", valued("action", *ACTIONS), "unknown"),
        ("get_or_delete", "Get an event.", valued("action", *ACTIONS), "destroys"),
        ("todo_list", "A list.", valued("action", *ACTIONS), "destroys"),
        ("my_list_items", "Items of a list.", valued("action", *ACTIONS), "destroys"),
        ("build_project", "Build a project.", valued("action", "build", "delete"), "destroys"),
        # An argument that filters, whatever the name.
        ("audit_log", "Entries.", valued("action", *ACTIONS, description="Only entries about this action."), "unknown"),
        ("audit_log", "Entries.", valued("action", *ACTIONS, description="Filter by action."), "unknown"),
        ("audit_log", "Entries.", valued("action", *ACTIONS, description="Limit results to an action."), "unknown"),
        ("audit_log", "Entries.", valued("action", *ACTIONS, description="Only supports deletes for now."), "unknown"),
        ("audit_log", "Entries.", valued("action", *ACTIONS, description="Filter action."), "unknown"),
        ("web_log", "Entries.", valued("method", *METHODS, description="Only requests with this one."), "unknown"),
        # The method that an endpoint or a written request has, and the one of a request that is sent.
        ("find_endpoint", "Find an endpoint of the API.", valued("method", *METHODS), "reads"),
        ("build_curl_command", "Return a curl command.", valued("method", *METHODS), "runs"),
        ("find_endpoint", "Explain how to send a request.", valued("method", *METHODS), "runs"),
        ("get_page", "Get a page. Sends an HTTP request.", valued("method", *METHODS), "runs"),
        ("get_page", "Get a page.", valued("method", *METHODS, description="Method to use."), "runs"),
        ("get_page", "Get a page.", {**valued("method", *METHODS), "body": {}}, "runs"),
        ("get_request", "Get a page.", valued("method", *METHODS), "runs"),
        ("fetch_page", "Fetch a page.", valued("method", *METHODS), "runs"),
    ],
)  # fmt: skip
def test_what_a_tool_tells_about_is_not_what_it_does(name, text, argument, effect):
    schema = {"type": "object", "properties": argument}
    (tool,) = surface({"name": name, "description": text, "inputSchema": schema}).tools
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
        ("site_request", "Ask a site", READS, {"method": {"enum": ["PUT"]}}, ["it takes the method of a request."]),
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
        # What is added to files is no sum.
        ("add_marks", "Adds green marks to the given files.", READS, None,
            ['the description says "Adds green marks to the given files".']),
        ("add_rows", "Adds the numbers of two rows.", READS, None, []),
        ("add_days", "Adds days to a date.", READS, None, []),
        # It saves where a parameter says so.
        ("get_rows", "Gets the rows.", CHANGES, {"to": {"description": "File to save the log to"}}, []),
        ("get_rows", "Gets the rows.", CHANGES, {"to": {"description": "Time of the last line"}},
            ['the name and the description say "get" and no change.']),
        # What it tells about.
        ("list_keys", "List keys.", READS, valued("action", "create", "delete"), []),
        ("list_keys", "List or delete keys.", READS, valued("action", "create", "delete"), ['action takes "delete".']),
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
        ("terminate_contract", "Ends a contract", KEEPS, None, ['the name says "terminate".']),
    ],
)  # fmt: skip
def test_hints_contradict_only_what_is_plain(name, text, hints, properties, said):
    assert contradicts(name, text, hints, properties) == said
