"""``manage.py estimate``: what a month of a shop costs on Amazon DynamoDB.

All units are those that Amazon takes, also where an engine answers, which counts some writes double
(`dynapages.calls.meter`).
"""

import json
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from statistics import mean
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from comments.filters import RATINGS, CommentFilter
from comments.host import NoSuchProduct, is_searchable
from comments.lists.page import CommentsRequest, read_comments_page
from comments.rankings.queries import find_leaderboards
from comments.rankings.services import Ranking
from comments.search.words import indexed_stems
from dynapages.calls import metered
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.django.work import queues
from dynapages.lists import PageRequest, dollars, prices
from dynapages.work import INTERVAL
from lab.reports.page import describe_subjects, find_published, find_stored
from lab.reports.results import Results

DAYS = 30
"""Of a month."""
LOOKS_A_DAY = round(timedelta(days=1).total_seconds() / INTERVAL)
"""Of each process that works: once a minute."""
SUBJECT = "comments"
UNITS_OF_A_CHANGE = 8
"""What is stored until words are written: a change and its mark, both put and deleted together.

A posting takes one unit: it has at most a kilobyte, and Amazon is sent it in a batch.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """What happens so often a day, its mean units, and the dollars for a month of it."""

    what: str
    a_day: int
    units: float
    dollars: float

    @property
    def units_a_month(self) -> float:
        return self.a_day * self.units * DAYS


def estimate(
    product_id: str, *, pages_a_day: int, comments_a_day: int, processes: int
) -> list[Line]:
    """Estimate the costs of a month.

    Of pages these are the product's page and its lists by each rating. Each of the ``processes``
    looks for work, also where there is none. Raises NoSuchProduct, and CommandError where no write
    was metered.
    """
    lines = [
        _line("product pages", pages_a_day, units_of_pages(product_id), prices().reads),
        _line("comments written", comments_a_day, units_of_comment(), prices().writes),
    ]
    if is_searchable():
        lines.append(
            _line("their words", comments_a_day, units_of_words(product_id), prices().writes)
        )
    looks_a_day = processes * LOOKS_A_DAY
    lines.append(_line("looks for work", looks_a_day, units_of_look(), prices().reads))
    return lines


def units_of_look() -> float:
    """Return the units of a worker's look that finds nothing: what is due now is not touched."""
    before_all = datetime.fromtimestamp(0, UTC)
    with metered() as meter:
        for queue in queues():
            for shard in queue.shards:
                list(queue.due(shard, now=before_all))
    return meter.amazon_units


def units_of_pages(product_id: str) -> float:
    """Read a product's page and its lists by each rating; return their mean units."""
    request = PageRequest(settings.PAGE_SIZE)
    filters = [None, *(CommentFilter.of((), [rating]) for rating in RATINGS)]
    requests = [CommentsRequest(each, request, product_id=product_id) for each in filters]
    return mean(map(_metered_units, requests))


def units_of_comment() -> float:
    """Return what writing a comment took in the design of this shop. Raises CommandError."""
    figures = find_stored() or find_published() or Results()
    for name, described in describe_subjects()[SUBJECT].designs.items():
        written = figures.where(part=SUBJECT, page=None, reader=name).numbers("capacity_units")
        if described.is_used_here and written:
            return written[0]
    raise CommandError("No writes were metered here: run 'manage.py compare' first.")


def units_of_words(product_id: str) -> float:
    """Return the mean units that the words of the product's newest comments took to write."""
    wanted = CommentsRequest(None, PageRequest(settings.PAGE_SIZE), product_id=product_id)
    comments = read_comments_page(wanted).results.comments
    stems = [len(indexed_stems(one.title, one.text, one.language)) for one in comments]
    return mean([number + UNITS_OF_A_CHANGE for number in stems if number] or [0])


def _metered_units(wanted: CommentsRequest) -> float:
    with metered() as meter:
        read_comments_page(wanted)
    return meter.amazon_units


def _line(what: str, a_day: int, units: float, price: Callable[..., float]) -> Line:
    return Line(what, a_day, round(units, 2), price(units, times=a_day * DAYS))


class Command(TableCommand):
    """Meters pages of this site, and multiplies them by the prices."""

    help = (
        "Estimate what a month costs: read and meter pages of a product of this site, take what "
        "'compare' metered for a comment, and multiply them by DynamoDB's on-demand prices"
    )
    requires_system_checks = ()  # it only reads

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--pages-a-day", type=_count, default=100_000, metavar="N")
        parser.add_argument("--comments-a-day", type=_count, default=1_000, metavar="N")
        parser.add_argument(
            "--processes", type=_count, default=1, metavar="N", help="that look for work"
        )
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
                processes=options["processes"],
            )
        except NoSuchProduct as error:
            raise CommandError(f"There is no product “{product_id}”.") from error


def _most_loved() -> str:
    for ranked in find_leaderboards(1)[Ranking.FIVE_STARS]:
        return ranked.product.id
    raise CommandError("No product has comments of 5 stars here: give one with --product.")


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
            "Units are those that Amazon DynamoDB takes.",
            f"A month has {DAYS} days; a GB stored for it is {dollars(known.gigabyte_month)}.",
            f"Prices: on demand, {known.region}, since {known.since}: {known.source}",
        ]
    )


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"“{text}” is not a whole number")
    return int(text)
