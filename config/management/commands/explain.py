"""``manage.py explain comments|orders|pickup``: how a list would be read, and what it costs."""

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from comments.filters import BadFilter, CommentFilter
from comments.indexes.planner import NoSuchPlan
from comments.lists.explain import explain_comments
from comments.lists.orders import CommentOrder
from comments.lists.search_queries import SearchRequest
from comments.search.words import BadSearch, parse_search
from dynapages.django.options import at_least_one, failures_in_one_line
from dynapages.django.paging import Id
from dynapages.django.refusals import Refusal
from dynapages.django.tables import TableCommand
from dynapages.django.text_tables import format_table
from dynapages.lists import SCAN, Explanation, dollars
from shop.days import BadListFilter
from shop.order_status import OPEN
from shop.orders.filters import OrderFilter
from shop.orders.listing import OrderList, explain_list, queue_pager
from shop.orders.queries import list_open_orders, read_orders
from shop.pickup.listing import FIRST_SHOWN
from shop.pickup.locations import BadLocation, NoSuchZip
from shop.pickup.queries import explain_pickup

_ORDERS = f"{', '.join(CommentOrder)}; default: {CommentOrder.NEWEST}"
"""The help of an option."""
REFUSALS = (BadFilter, BadListFilter, BadLocation, NoSuchPlan, NoSuchZip, Refusal)
"""Errors in options, whose sentence is all that is printed."""


class Command(TableCommand):
    """Reads one page of a list and explains it."""

    help = "Read a page of a list, and print the plan, its queries and their metered cost."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add a subcommand for each kind of list."""
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="comments|orders|pickup")
        comments = kinds.add_parser("comments", help="a product's comments")
        comments.add_argument("--product", required=True, type=_id, metavar="ID")
        comments.add_argument("--languages", default="~", metavar="de,en", help="any: ~ (default)")
        comments.add_argument("--ratings", default="~", metavar="1,2", help="any: ~ (default)")
        comments.add_argument("--order", default=CommentOrder.NEWEST, metavar="NAME", help=_ORDERS)
        how = comments.add_mutually_exclusive_group()
        how.add_argument("--plan", metavar="NAME", help="use this plan, not the cheapest")
        how.add_argument("--search", type=_search, metavar="WORDS", help="those with all of these")
        _add_common(comments)
        orders = kinds.add_parser("orders", help="a user's orders, or the queue of open ones")
        whose = orders.add_mutually_exclusive_group(required=True)
        whose.add_argument("--user", type=_id, metavar="NAME")
        whose.add_argument("--queue", action="store_true", help="all open orders of the shop")
        orders.add_argument("--status", action="append", default=[], metavar="SHIPPED")
        orders.add_argument("--from", dest="since", default="", metavar="2023-01-01")
        orders.add_argument("--to", dest="until", default="", metavar="2023-02-01")
        orders.add_argument("--open", action="store_true", help="the user's own open orders")
        _add_common(orders)
        pickup = kinds.add_parser("pickup", help="the pickup points nearest to a place")
        pickup.add_argument("--near", required=True, metavar="ZIP|LAT,LON")
        pickup.add_argument("--count", type=at_least_one, default=FIRST_SHOWN, metavar="N")
        pickup.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        try:
            with failures_in_one_line():
                explanation = EXPLAINERS[options["kind"]](options)
        except REFUSALS as error:
            raise CommandError(str(error)) from error
        as_json = options["json"]
        explained = json.dumps(explanation.as_dict(), indent=2) if as_json else _table(explanation)
        self.stdout.write(explained)


def _explain_comments(options: dict[str, Any]) -> Explanation:
    # Addresses have dots between values, the options of this command commas.
    languages = options["languages"].replace(",", ".")
    ratings = options["ratings"].replace(",", ".")
    return explain_comments(
        options["product"],
        CommentFilter.parse(languages, ratings),
        order=CommentOrder.parse(options["order"]),
        position=_position(options),
        size=options["page_size"],
        forced_plan=options["plan"],
        search=options["search"],
    )


def _explain_orders(options: dict[str, Any]) -> Explanation:
    if options["queue"]:
        return _explain_queue(options)
    chosen = OrderFilter.parse(
        statuses=options["status"],
        since=options["since"],
        until=options["until"],
        is_open="1" if options["open"] else "",
    )
    username = options["user"]
    return explain_list(
        OrderList(username, "").pager(chosen),
        partial(read_orders, username, chosen),
        size=options["page_size"],
        position=_position(options),
    )


def _explain_queue(options: dict[str, Any]) -> Explanation:
    if options["open"]:
        raise BadListFilter("All orders of the queue are open: leave --open out.")
    chosen = OrderFilter.parse(
        statuses=options["status"],
        since=options["since"],
        until=options["until"],
        among=OPEN,
    )
    return explain_list(
        queue_pager(chosen),
        partial(list_open_orders, chosen),
        size=options["page_size"],
        position=_position(options),
    )


def _explain_pickup(options: dict[str, Any]) -> Explanation:
    return explain_pickup(options["near"], count=options["count"])


def _position(options: dict[str, Any]) -> dict[str, str]:
    """Return the token of the page as a link of the site has it: {} for the first page."""
    return {side: options[side] for side in ("after", "before") if options[side]}


EXPLAINERS: Mapping[str, Callable[[dict[str, Any]], Explanation]] = {
    "comments": _explain_comments,
    "orders": _explain_orders,
    "pickup": _explain_pickup,
}


def _add_common(parser: argparse.ArgumentParser) -> None:
    sides = parser.add_mutually_exclusive_group()
    sides.add_argument("--after", metavar="TOKEN", help="the page behind this position")
    sides.add_argument("--before", metavar="TOKEN", help="that in front of it; “end”: the last")
    parser.add_argument("--page-size", type=at_least_one, default=settings.PAGE_SIZE, metavar="N")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def _id(text: str) -> str:
    if not (re.fullmatch(Id.regex, text) and text.isprintable()):
        raise argparse.ArgumentTypeError("an id has 1 to 128 printable characters, and no slash")
    return text


def _search(text: str) -> SearchRequest:
    try:
        return SearchRequest(parse_search(text))
    except BadSearch as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _table(explanation: Explanation) -> str:
    """Format an explanation as lines: its queries as a table, then what else the page cost."""
    lines = [_headline(explanation), "", _query_table(explanation)]
    if explanation.was_cut:
        lines.append(
            "the page is short: its capacity units were spent. The next one goes on there."
        )
    if explanation.mean_item_bytes is not None:
        lines.append(f"a list entry weighs {explanation.mean_item_bytes} bytes on average")
    for other in explanation.other:
        calls, units = _counted(other.calls, "call"), _counted(other.capacity_units, "unit")
        lines.append(f"also read: {other.name}, {calls}, {units}")
    total = explanation.total
    calls, rounds = _counted(total.calls, "call"), _counted(total.rounds, "round")
    units, price = _counted(total.capacity_units, "unit"), dollars(total.dollars)
    lines.append(f"the page: {calls} in {rounds}, {units}: {price} for a million")
    lines += _other_plan_lines(explanation)
    return "\n".join(lines)


def _headline(explanation: Explanation) -> str:
    line = f"plan {explanation.plan}: {explanation.summary}"
    estimate = explanation.estimated_capacity_units
    if estimate is not None:
        line += f" (estimated: {estimate:.2f})"
    return line


def _query_table(explanation: Explanation) -> str:
    """Return a table of a row for each query, and one for the list."""
    rows: list[tuple[object, ...]] = []
    for query in explanation.queries:
        items = query.items_read, query.items_returned
        rows.append((query.index, query.key, query.rounds, *items, query.capacity_units))
    items = explanation.items_read, explanation.items_returned
    rows.append(("the list", "", "", *items, explanation.capacity_units))
    return format_table(("index", "key", "rounds", "read", "returned", "units"), rows)


def _other_plan_lines(explanation: Explanation) -> Iterator[str]:
    """Yield what other plans would have cost, and what designs of other shops would."""
    for other in explanation.alternatives:
        units = other.estimated_capacity_units
        cost = "would find nothing" if units is None else f"about {_counted(units, 'unit')}"
        yield f"instead, {other.plan}: {cost}"
    for computed in explanation.computed:
        cost = _counted(computed.capacity_units, "unit")
        if computed.design == SCAN:
            cost = f"at least {cost}"
        yield f"computed, {computed.design}: {cost}"


def _counted(number: float, noun: str) -> str:
    """Format a number with its noun, such as ``1 call`` or ``2.5 units``."""
    ending = "" if number == 1 else "s"
    return f"{number:g} {noun}{ending}"
