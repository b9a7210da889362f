"""``manage.py explain comments|orders``: how a list would be read, and what it costs."""

import argparse
import json
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.explaining import explain_comments
from comments.filters import BadFilter, CommentFilter
from comments.planning import NoSuchPlan
from dynamo.explain import Explanation
from dynamo.management.failures import failures_in_one_line
from dynamo.web.refusals import Refusal


class Command(BaseCommand):
    """Reads one page of a list and explains it."""

    help = "Read a page of a list, and print the plan, its queries and their metered cost."

    def add_arguments(self, parser: CommandParser) -> None:
        """Add a sub-command for each kind of list."""
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="comments|orders")
        comments = kinds.add_parser("comments", help="a product's comments")
        comments.add_argument("--product", required=True, metavar="ID")
        comments.add_argument("--languages", default="~", metavar="de,en", help="any: ~ (default)")
        comments.add_argument("--ratings", default="~", metavar="1,2", help="any: ~ (default)")
        comments.add_argument("--plan", metavar="NAME", help="use this plan, not the cheapest")
        _add_common(comments)

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            explanation = self._explain(options)
        if options["json"]:
            self.stdout.write(json.dumps(explanation.as_dict(), indent=2))
        else:
            self.stdout.write(_table(explanation))

    def _explain(self, options: dict[str, Any]) -> Explanation:
        try:
            chosen = CommentFilter.parse(_dotted(options["languages"]), _dotted(options["ratings"]))
            return explain_comments(
                options["product"],
                chosen,
                after=options["after"],
                size=options["page_size"],
                forced_plan=options["plan"],
            )
        except (BadFilter, Refusal, NoSuchPlan) as error:
            raise CommandError(str(error)) from error


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--after", metavar="TOKEN", help="the page behind this position")
    parser.add_argument("--page-size", type=_size, default=settings.PAGE_SIZE, metavar="N")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def _size(text: str) -> int:
    size = int(text)
    if size < 1:
        raise argparse.ArgumentTypeError(f"a page has at least one item, not {size}")
    return size


def _dotted(words: str) -> str:
    return words.replace(",", ".")


def _table(explanation: Explanation) -> str:
    estimate = explanation.estimated_capacity_units
    lines = [
        f"plan {explanation.plan}: {explanation.summary}"
        + (f" (estimated: {estimate:.2f})" if estimate is not None else ""),
        "",
        f"{'index':<24}{'key':<44}{'rounds':>7}{'read':>7}{'returned':>10}{'units':>8}",
    ]
    lines += [
        f"{q.index:<24}{q.key:<44}{q.rounds:>7}{q.items_read:>7}{q.items_returned:>10}"
        f"{q.capacity_units:>8g}"
        for q in explanation.queries
    ]
    lines.append(
        f"{'the list':<75}{explanation.items_read:>7}{explanation.items_returned:>10}"
        f"{explanation.capacity_units:>8g}"
    )
    if explanation.mean_item_bytes is not None:
        lines.append(f"a list entry weighs {explanation.mean_item_bytes} bytes on average")
    lines += [
        f"also read: {other.name}, {other.calls} calls, {other.capacity_units:g} units"
        for other in explanation.other
    ]
    lines += [
        f"instead, by {other.plan}: {_estimate(other.estimated_capacity_units)}"
        for other in explanation.alternatives
    ]
    return "\n".join(lines)


def _estimate(units: float | None) -> str:
    return "would find nothing" if units is None else f"about {units:g} units"
