"""Which tools are not believed to only read: by the verb of their name, and by what their description says first."""

from __future__ import annotations

import pytest

from mcp_governor.call.read_only_hint import doubt
from mcp_governor.surface.model import Tool

CHANGE = """
transfer_funds shutdown pay_invoice wipe erase reboot revoke purge charge refund withdraw deploy format_disk merge
approve sign book order buy publish post_comment post_message reset terminate kill transferFunds shutDown PayInvoice
stripe_refund_payment account.delete user-remove db.drop_table bulk_delete batch_update force_push get_or_create_user
find_and_replace search_replace update_status update_order_status set_price deleteuser sendMail sendmail run_shell
execute_command place_order checkout check_out git_push git_reset git_merge funds_transfer server_shutdown
restart_server power_off turn_off_light make_payment confirm_booking book_hotel order_pizza sign_document
merge_pull_request publish_page deploy_app charge_card refund_order reset_password mcp_wipe v2_purge delete_history
buyStock killProcess add_user grant_access import_data send notify_user move_file save_file archive_page unsubscribe
"""

READ = """
get_order list_posts format_date order_status book_search list_orders get_update orders posts books charges updates
order_history transfer_history deploy_status refund_status post_count update_history set_theory merge_conflicts
git_log git_branch git_status git_diff echo address_book shipping_charge kill_count add_numbers add search_books
find_order check_order check_status preview_delete dry_run_deploy list_deleted deleted_pages payments payment_status
get_reset_history list_charges sign_in_logs release_notes patch_notes log_entries comments message_history note
reports invoices payment_methods creator sender_info exchange_rates share_price stock_price cash_flow count_users
run_report execute_sql
"""


def word(name: str, description: str = "", **more: object) -> str | None:
    return doubt(Tool({"name": name, "description": description, "annotations": {"readOnlyHint": True}, **more}))


@pytest.mark.parametrize("name", CHANGE.split())
def test_a_name_whose_verb_changes_something_is_not_believed(name):
    assert word(name) is not None


@pytest.mark.parametrize("name", READ.split())
def test_a_noun_that_looks_like_a_verb_is_believed(name):
    assert word(name) is None


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("tf1", "Transfers money from one account to another."),
        ("page", "Use this when the user wants to delete a page."),
        ("get_report", "Deletes the report and returns it."),
        ("order_items", "Orders the items."),
        ("schedule_meeting", "Schedules a meeting."),
        ("mailer", "This tool will send an email to a customer."),
        ("go", "Returns the id. Deletes the page."),
        ("z", "# Wipe\n\nWipes the disk."),
        # A kind description does not turn the verb of a name into something else.
        ("transfer_funds", "Returns a confirmation after the transfer."),
        ("delete_page", "A preview of the page."),
    ],
)
def test_a_description_that_says_a_change_is_not_believed(name, description):
    assert word(name, description) is not None


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("customer_orders", "Orders of a customer."),
        ("order_items", "Lists the items of an order."),
        ("address_book", "Contacts of the user."),
        ("posts", "Posts that match a query."),
        ("add", "Adds two numbers."),
        ("list_pages", "Deletes nothing, only lists."),
        ("wit_query", "Execute a query and return the rows."),
        ("purchase_order", "Returns a purchase order by its number."),
        ("merge_base", "Returns the merge base."),
        ("book", "Returns a book by ISBN."),
        ("validate_node", "Accepts a node and says what is wrong with it."),
        ("get_queries", "Creates the text of a query."),
        ("find_page", "Returns one page. Create a token first."),
    ],
)
def test_a_description_without_a_change_is_believed(name, description):
    assert word(name, description) is None


def test_a_title_counts_as_a_name():
    assert word("tf1", "", title="Transfer funds") == "transfer"
    assert word("o1", "", title="Order status") is None
