"""``manage.py explain comments|orders|pickup``: how a list would be read, and what it costs."""

import argparse
import json
import re
from collections.abc import Callable, Mapping
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
        except REFUSED as error:
            raise CommandError(str(error)) from error
        as_json = options["json"]
        explained = json.dumps(explanation.as_dict(), indent=2) if as_json else _table(explanation)
        self.stdout.write(explained)


def _explain_comments(options: dict[str, Any]) -> Explanation:
    chosen = CommentFilter.parse(
        *(options[name].replace(",", ".") for name in ("languages", "ratings"))
    )
    return explain_comments(
        options["product"],
        chosen,
        order=CommentOrder.parse(options["order"]),
        position=_position(options),
        size=options["page_size"],
        forced_plan=options["plan"],
        search=options["search"],
    )


def _explain_orders(options: dict[str, Any]) -> Explanation:
    explain_page = partial(explain_list, size=options["page_size"], position=_position(options))
    days = {bound: options[bound] for bound in ("since", "until")}
    chosen = partial(OrderFilter.parse, statuses=options["status"], **days)
    if options["queue"]:
        if options["open"]:
            raise BadListFilter("All orders of the queue are open: leave --open out.")
        queued = chosen(among=OPEN)
        read = partial(list_open_orders, queued)
        return explain_page(queue_pager(queued), read)
    username, own = options["user"], chosen(is_open="1" if options["open"] else "")
    read = partial(read_orders, username, own)
    return explain_page(OrderList(username, "").pager(own), read)


def _position(options: dict[str, Any]) -> dict[str, str]:
    return {side: options[side] for side in ("after", "before") if options[side]}


EXPLAINERS: Mapping[str, Callable[[dict[str, Any]], Explanation]] = {
    "comments": _explain_comments,
    "orders": _explain_orders,
    "pickup": lambda options: explain_pickup(options["near"], count=options["count"]),
}
REFUSED = (BadFilter, BadListFilter, BadLocation, NoSuchPlan, NoSuchZip, Refusal)


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
    estimate = explanation.estimated_capacity_units
    index, key = (
        max([len(heading), *(len(getattr(q, heading)) for q in explanation.queries)]) + 2
        for heading in ("index", "key")
    )
    lines = [
        f"plan {explanation.plan}: {explanation.summary}"
        + (f" (estimated: {estimate:.2f})" if estimate is not None else ""),
        "",
        f"{'index':<{index}}{'key':<{key}}{'rounds':>6}{'read':>7}{'returned':>10}{'units':>8}",
    ]
    lines += [
        f"{q.index:<{index}}{q.key:<{key}}{q.rounds:>6}{q.items_read:>7}{q.items_returned:>10}"
        f"{q.capacity_units:>8g}"
        for q in explanation.queries
    ]
    lines.append(
        f"{'the list':<{index + key + 6}}{explanation.items_read:>7}"
        f"{explanation.items_returned:>10}{explanation.capacity_units:>8g}"
    )
    if explanation.was_cut:
        lines.append(
            "the page is short: its capacity units were spent. The next one goes on there."
        )
    if explanation.mean_item_bytes is not None:
        lines.append(f"a list entry weighs {explanation.mean_item_bytes} bytes on average")
    lines += [
        f"also read: {other.name}, {_counted(other.calls, 'call')}, "
        f"{_counted(other.capacity_units, 'unit')}"
        for other in explanation.other
    ]
    total = explanation.total
    lines.append(
        f"the page: {_counted(total.calls, 'call')} in {_counted(total.rounds, 'round')}, "
        f"{_counted(total.capacity_units, 'unit')}: {dollars(total.dollars)} for a million"
    )
    for other in explanation.alternatives:
        units = other.estimated_capacity_units
        cost = "would find nothing" if units is None else f"about {_counted(units, 'unit')}"
        lines.append(f"instead, {other.plan}: {cost}")
    for computed in explanation.computed:
        least = "at least " if computed.design == SCAN else ""
        lines.append(
            f"computed, {computed.design}: {least}{_counted(computed.capacity_units, 'unit')}"
        )
    return "\n".join(lines)


def _counted(number: float, noun: str) -> str:
    return f"{number:g} {noun}{'' if number == 1 else 's'}"
