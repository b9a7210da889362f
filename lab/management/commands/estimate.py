"""``manage.py estimate``: what a month of a shop costs on DynamoDB."""

import json
from argparse import ArgumentTypeError
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from comments.rankings.queries import find_leaderboards
from dynamo.management.failures import failures_in_one_line
from dynamo.prices import dollars, prices
from lab.reports.estimating import DAYS, Line, NothingMetered, estimate
from shop.catalogue.queries import NoSuchProduct


class Command(BaseCommand):
    """Meters pages of this site, and multiplies them by the prices."""

    help = (
        "Estimate what a month costs: read and meter pages of a product of this site, take what "
        "'compare' metered for a comment, and multiply them by DynamoDB's on-demand prices"
    )
    requires_system_checks = ()  # it only reads

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pages-a-day", type=_count, default=100_000, metavar="N")
        parser.add_argument("--comments-a-day", type=_count, default=1_000, metavar="N")
        parser.add_argument("--product", metavar="ID", help="whose pages (the most loved one's)")
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        with failures_in_one_line():
            lines = self._lines(options)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(line) for line in lines], indent=2))
        else:
            self.stdout.write(_table(lines))

    def _lines(self, options: dict[str, Any]) -> list[Line]:
        product_id = options["product"] or _most_loved()
        try:
            return estimate(
                product_id,
                pages_a_day=options["pages_a_day"],
                comments_a_day=options["comments_a_day"],
            )
        except NoSuchProduct as error:
            sentence = f"There is no product “{product_id}”."
            raise CommandError(sentence) from error
        except NothingMetered as error:
            raise CommandError(str(error)) from error


def _most_loved() -> str:
    for ranked in find_leaderboards(1).most_loved:
        return ranked.product.id
    sentence = "No product has comments of 5 stars here: give one with --product."
    raise CommandError(sentence)


def _table(lines: list[Line]) -> str:
    known = prices()
    rows = [
        f"{line.what:<18}{line.a_day:>12,}{line.units:>12g}{line.units_a_month:>18,.0f}"
        f"{dollars(line.dollars):>16}"
        for line in lines
    ]
    return "\n".join(
        [
            f"{'':<18}{'a day':>12}{'units each':>12}{'units a month':>18}{'a month':>16}",
            *rows,
            f"{'together':<60}{dollars(sum(line.dollars for line in lines)):>16}",
            f"A month has {DAYS} days; a GB stored for it is {dollars(known.gigabyte_month)}.",
            f"Prices: on demand, {known.region}, since {known.since}: {known.source}",
        ]
    )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        message = f"“{text}” is not a whole number"
        raise ArgumentTypeError(message)
    return int(text)
