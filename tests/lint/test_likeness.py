"""Which words in prose are written as the name of a tool or an argument and are none."""

from __future__ import annotations

import pytest

from mcp_governor.packs.clarity.names import notes_on
from mcp_governor.prose.alike_names import Names
from mcp_governor.prose.likeness import (
    absent_arguments,
    listed_tools,
    misnamed_arguments,
    misnamed_tools,
    plainly_misnamed,
)

TOOLS = Names(["shop_list_orders", "shop_get_order", "shop_cancel_order", "shop_find_customer"])
ARGUMENTS = Names(["order_id", "pageSize", "include_lines"])

NAMED_TOOLS = [
    ("Call `shop_get_orders` first.", {"shop_get_orders": "shop_get_order"}),
    ("Use the `list_orders` tool.", {"list_orders": "shop_list_orders"}),
    ("Use `shop-list-orders` to find it.", {"shop-list-orders": "shop_list_orders"}),
    ("See Shop_List_Orders.", {"Shop_List_Orders": "shop_list_orders"}),
    ("As `getOrder` and `shop_order_of` tools do.", {"getOrder": "shop_get_order", "shop_order_of": "shop_get_order"}),
    ("An id from shop_search_products.", {"shop_search_products": ""}),
    ("For one order, use get_order.", {"get_order": "shop_get_order"}),
    (
        "Prefer this over list_orders; instead of `find_customer`, it asks nobody.",
        {"list_orders": "shop_list_orders", "find_customer": "shop_find_customer"},
    ),
    ("The shop_export tool writes a file.", {"shop_export": ""}),
    ("Use shop_get_status (needs a session) instead.", {"shop_get_status": ""}),
    (
        "Use shop_list_orders for open ones, or shop_list_past (all years, by page) for old ones.",
        {"shop_list_past": ""},
    ),
    ("Use shop_order_history. Use shop_cancel_all.", {"shop_order_history": "shop_get_order", "shop_cancel_all": ""}),
]


@pytest.mark.parametrize(("text", "found"), NAMED_TOOLS)
def test_names_of_tools(text, found):
    assert dict(misnamed_tools(text, TOOLS)) == found


NO_TOOLS = [
    "Use shop_get_order, then `shop_cancel_order`.",
    "Needs the shop:ShopListOrders permission; see the ShopListOrders API.",
    "Runs `shop-list-orders --all` and orders.shop-list-orders.",
    "Like db.collection.shopListOrders() and shop_list_orders_total.",
    "Takes a read-only tool and command-line tools.",
    "There is no `shop_get_orders` tool.",
    "Not from list_orders, as before.",
    "Fields: order_total, `list_price`, shop_name.",
    "From https://x.example/shop-list-orders and path/shop_get_orders.",
    "Use the `order_status` enum.",
    "Use get_status (path) to read it.",
    "With shop_get_cursor (as usual, by page).",
    "Use other_thing for open ones, or shop_get_past (all years, by page).",
    "Counts what is read from shop_stat_totals.",
    "Output: an aggregated SHOP_GET_ORDER report.",
]


@pytest.mark.parametrize("text", NO_TOOLS)
def test_words_that_are_not_names_of_tools(text):
    assert not dict(misnamed_tools(text, TOOLS))


NAMED_ARGUMENTS = [
    ('With the "order_ids" parameter.', {"order_ids": "order_id"}),
    ("If orderId is set, one order.", {"orderId": "order_id"}),
    ("You can adjust page_size.", {"page_size": "pageSize"}),
    ("Gets one (orderId or shopName required).", {"orderId": "order_id"}),
    ("Use include-lines=true.", {"include-lines": "include_lines"}),
    ("- includeLines: whether lines are in it", {"includeLines": "include_lines"}),
    ("The `sort_by` argument.", {"sort_by": ""}),
    ("If there are none, widens the circle up to max_width.", {"max_width": ""}),
]


@pytest.mark.parametrize(("text", "found"), NAMED_ARGUMENTS)
def test_names_of_arguments(text, found):
    assert dict(misnamed_arguments(text, ARGUMENTS)) == found


NO_ARGUMENTS = [
    "JavaScript is required, or pageSize.",
    "Set order_id and pageSize.",
    "Returns orderId and page_size of it.",
    "Pass the `orderId` string from the list unchanged.",
    "There is no `sort_by` parameter.",
    "Returns rows up to width_limit, and max_width of them.",
    "list_orders parameters:",
    "The Page-Size header, the OrderId type.",
]


@pytest.mark.parametrize("text", NO_ARGUMENTS)
def test_words_that_are_not_names_of_arguments(text):
    assert not dict(misnamed_arguments(text, ARGUMENTS))


def test_words_are_compared_up_to_a_bound():
    text = "Call `shop_gets_order`, then call `shop-get-order`. " * 2
    assert dict(misnamed_tools(text, Names(TOOLS.names)))["shop_gets_order"] == "shop_get_order"
    found = dict(misnamed_tools(text, Names(TOOLS.names, effort=3)))
    assert found == {"shop_gets_order": "", "shop-get-order": "shop_get_order"}


def test_many_names_and_many_words_take_no_time():
    many = Names([f"shop_get_{number}" for number in range(20_000)])
    assert len(dict(misnamed_tools("Call `shop_gets_1`. " * 20_000, many))) == 1


LISTS = [
    ("- shop_list_orders: x\n- shop_get_order: y\n- shop_cancel_order: z\n- shop_export: w", {"shop_export": ""}),
    (
        "1. **shop_list_orders** - x\n   more\n2. shop_get_order: y\n3. shop_find_customer (z): z\n4. order: o",
        {"order": ""},
    ),
    # Too few, or mostly something else, or other lists.
    ("- shop_list_orders: x\n- shop_get_order: y\n- shop_export: w", {}),
    ("- shop_list_orders: x\n- shop_get_order: y\n- shop_cancel_order: z\n- a_b: 1\n- c_d: 2\n- e_f: 3", {}),
    ("- shop_list_orders: x\n- shop_get_order: y\n- shop_cancel_order: z\n\nFields:\n- total: w", {}),
]


@pytest.mark.parametrize(("text", "found"), LISTS)
def test_a_list_of_tools(text, found):
    assert {name: near and "" for name, near in listed_tools(text, TOOLS)} == found


def test_a_single_word_is_a_slip_of_the_number_only():
    tools = Names(["budgets", "invoice", "search"])
    assert dict(plainly_misnamed("Use the budget tool, call the `invoices` tool and use the search tool.", tools)) == {
        "budget": "budgets",
        "invoices": "invoice",
    }
    assert not dict(plainly_misnamed("Use the right tool and the budget tool_use. Make the budget tool.", tools))


def test_a_snake_name_of_a_tool_with_hyphens_is_sure():
    tools = Names(["cost-explorer", "free-tier"])
    assert dict(misnamed_tools("Dimensions in cost_explorer queries and costExplorer or free tier.", tools)) == {
        "cost_explorer": "cost-explorer"
    }


def test_arguments_of_other_tools():
    others = {"billingperiod": "billing_period", "orderid": "order_id"}
    text = "If no billing period is provided, now. If the order id is given, one. If no cover sheet is given by you."
    assert dict(absent_arguments(text, ARGUMENTS, others)) == {"billing_period": ""}
    ends = Names(["startAt", "endAt"])
    assert not dict(
        absent_arguments("If the time range is not given, the last hour.", ends, {"timerange": "timeRange"})
    )
    assert not dict(absent_arguments(text, Names(["billing", "order"]), others))
    assert notes_on("sort_by", "### Hints for `sort_by`:\n- first")
    assert not notes_on("sort_by", "See the `sort_by` of the other tool for `sort_by`.")


def test_words_with_a_hyphen_are_prose_where_no_tool_has_one():
    text = "Fuses the recovery and training-load tools into one."
    under = {"get_training_load", "get_training_status", "get_sleep_load"}
    assert not dict(misnamed_tools(text, Names(under)))
    assert dict(misnamed_tools("See the `training-load` tool.", Names(under)))
    assert dict(misnamed_tools(text, Names({name.replace("_", "-") for name in under})))
    assert not dict(misnamed_arguments("Use case-sensitive matching.", Names({"case_sensitive"})))
    assert dict(misnamed_arguments("Set `case-sensitive` for it.", Names({"case_sensitive"})))


def test_a_given_argument_is_one():
    assert dict(misnamed_arguments("If activeRange is provided, all. If isOpen is given by the shop.", ARGUMENTS)) == {
        "activeRange": ""
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Arguments for the ListCitiesTool.", {"ListCitiesTool": "ListCityTool"}),
        ("Arguments for the ListCityTool.", {}),
        ("Arguments for the AgentToolkit, a ListOfCities.", {}),
    ],
)
def test_where_all_names_end_in_tool_a_word_that_does_is_one(text, found):
    tools = Names({"ListCityTool", "DropCityTool", "FindRoadTool"})
    assert dict(misnamed_tools(text, tools)) == found
    assert not dict(misnamed_tools(text, Names({"ListCity", "DropCityTool", "FindRoad"})))


def test_a_word_with_which_several_arguments_begin_means_all_of_them():
    text = "Is true if stop_loss params are given, or line_item params."
    assert dict(misnamed_arguments(text, Names(["stop_loss_price", "stop_loss_limit", "line_item_id"]))) == {
        "line_item": "line_item_id"
    }
