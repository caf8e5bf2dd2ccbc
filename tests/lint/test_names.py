"""Which words in descriptions are written as the name of a tool or a parameter and are none."""

from __future__ import annotations

import time

import pytest

from mcp_governor.rules import LintSettings
from mcp_governor.rules.run import lint
from mcp_governor.surface import build_surface

TOOLS = ("shop_list_orders", "shop_get_order", "shop_cancel_order", "shop_find_customer")
ARGUMENTS = ("order_id", "pageSize", "include_lines")


def said(rule, text, tools=TOOLS, arguments=ARGUMENTS):
    """What the findings of a rule about a description say, each a message with its advice."""
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in arguments}}
    listed = [{"name": name, "description": "Does it.", "inputSchema": {"type": "object"}} for name in tools]
    listed[0] |= {"description": text, "inputSchema": schema}
    found = lint(build_surface({"tools": listed}), LintSettings(select=(f"clarity/{rule}",)))
    return [f"{one.message} {one.fix}" for one in found]


NAMED_TOOLS = [
    ("Call `shop_get_orders` first.", "shop_get_order for shop_get_orders"),
    ("Use the `list_orders` tool.", "shop_list_orders for list_orders"),
    ("Use `shop-list-orders` to find it.", "shop_list_orders for shop-list-orders"),
    ("See Shop_List_Orders.", "shop_list_orders for Shop_List_Orders"),
    ("As the `getOrder` tool does.", "shop_get_order for getOrder"),
    ("An id from shop_search_products.", "shop_search_products"),
    ("Instead of `find_customer`, it asks nobody.", "shop_find_customer for find_customer"),
    ("The shop_export tool writes a file.", "shop_export"),
    ("- shop_list_orders: x\n- shop_get_order: y\n- shop_cancel_order: z\n- shop_export: w", "shop_export"),
]


@pytest.mark.parametrize(("text", "advice"), NAMED_TOOLS)
def test_names_of_tools(text, advice):
    (found,) = said("unknown-tool", text)
    assert advice in found


NO_TOOLS = [
    "Use shop_get_order, then `shop_cancel_order`.",
    "Needs the shop:ShopListOrders permission; see the ShopListOrders API.",
    "Runs `shop-list-orders --all` and orders.shop-list-orders.",
    "Like db.collection.shopListOrders() and shop_list_orders_total.",
    "Takes a read-only tool and command-line tools. Fuses the training-load tools into one.",
    "There is no `shop_get_orders` tool.",
    "Fields: order_total, `list_price`, shop_name.",
    "From https://x.example/shop-list-orders and path/shop_get_orders.",
    "Use the `order_status` enum.",
    "st_within(a=b) is fine. Use json_extract(col, key).",
    "Output: an aggregated SHOP_GET_ORDER report.",
    "- shop_list_orders: x\n- shop_get_order: y\n- shop_export: w",
    "Same as GET /orders/{id}.",
]


@pytest.mark.parametrize("text", NO_TOOLS)
def test_words_that_are_not_names_of_tools(text):
    assert said("unknown-tool", text) == []


NAMED_ARGUMENTS = [
    ('With the "order_ids" parameter.', "Write order_id"),
    ("If orderId is set, one order.", "Write order_id"),
    ("Gets one (orderId or shopName required).", "Write order_id"),
    ("Use include-lines=true.", "Write include_lines"),
    ("The `sort_by` argument.", "names sort_by"),
    ("Set `sort_by` to a field.", "names sort_by"),
    ("Lists.\n\nArgs:\n    order_id: which\n    pageSize: how many\n    ctx: of the server", "names ctx"),
]


@pytest.mark.parametrize(("text", "advice"), NAMED_ARGUMENTS)
def test_names_of_arguments(text, advice):
    (found,) = said("unknown-argument", text)
    assert advice in found


NO_ARGUMENTS = [
    "JavaScript is required, or pageSize.",
    "Set order_id and pageSize.",
    "Returns orderId and page_size of it.",
    "Pass the `orderId` string from the list unchanged.",
    "There is no `sort_by` parameter.",
    "Returns rows up to width_limit, and max_width of them.",
    "list_orders parameters:",
    "The Page-Size header, the OrderId type. Use case-sensitive matching.",
]


@pytest.mark.parametrize("text", NO_ARGUMENTS)
def test_words_that_are_not_names_of_arguments(text):
    assert said("unknown-argument", text) == []


def test_a_value_of_an_operation_is_no_tool():
    text = "operation: list_items or get_item. From get_item on."
    assert said("unknown-tool", text, ("get_shop", "list_shops", "drop_shop"), ("operation",)) == []


def test_a_tool_that_sends_any_request_may_be_given_an_address():
    assert said("unknown-tool", "Use GET /orders for all.", arguments=("endpoint",)) == []


def test_many_names_and_many_words_take_no_time():
    started = time.process_time()
    many = tuple(f"shop_get_{number}" for number in range(2_000))
    assert len(said("unknown-tool", "Call `shop_gets_1`. " * 20_000, many)) == 1
    assert time.process_time() - started < 5
