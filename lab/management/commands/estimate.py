"""``manage.py estimate``: what a month of a shop costs on Amazon DynamoDB.

All units are those that Amazon takes, also where an engine answers, which counts some writes double
(`dynapages.calls.meter`).
"""

import json
from argparse import ArgumentTypeError
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from math import ceil
from statistics import fmean
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from comments.filters import RATINGS, CommentFilter
from comments.host import NoSuchProduct, is_searchable
from comments.lists.page import CommentsRequest, read_comments_page
from comments.rankings.queries import find_leaderboards
from comments.rankings.services import Ranking
from comments.search.words import indexed_stems
from comments.topics.making import read_standing
from comments.topics.reading import newest_comments
from comments.topics.records import ENOUGH_COMMENTS
from comments.topics.samples import LONGEST_USED, MOST_BYTES, read_vocabulary
from comments.topics.vocabulary import MOST_PRODUCTS, SAMPLE
from dynapages.calls import metered
from dynapages.django.options import failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.django.text_tables import format_table
from dynapages.django.work import queues
from dynapages.lists import PageRequest, dollars, prices
from dynapages.work import INTERVAL
from lab.designs.comments import SUBJECT
from lab.figures import find_published
from lab.page import describe_subjects
from lab.stored_figures import find_stored

DAYS_OF_MONTH = 30
CHECKS_A_DAY = round(timedelta(days=1).total_seconds() / INTERVAL)
"""How often a process looks for work: once a minute."""
LOOKS = "looks for work"
UNITS_OF_CHANGE = 8
"""What is stored until words are written: a change and its mark, both put and deleted together.

A posting takes one unit: it has at most a kilobyte, and Amazon is sent it in a batch.
"""


@dataclass(frozen=True, slots=True)
class ReadsAndWrites:
    """What something takes, in units: those that it reads, and those that it writes."""

    reads: float
    writes: float


UNITS_OF_REQUEST = ReadsAndWrites(reads=5.5, writes=13)
"""An e-mail that asks for the review of an order of one product, from the delivery's transaction to
the deletion of what was owed. A test measures it, and so the next ones.
"""
UNITS_OF_EVENT = ReadsAndWrites(reads=2, writes=11)
"""An event that one webhook hears of, from the change's transaction to its delivery."""
UNITS_OF_MAKING = ReadsAndWrites(reads=10, writes=4)
"""A making of topics but for the comments and the words of their languages: from the look whether
any are due to the deletion of what was owed. The topics have a kilobyte at most.
"""
WRITE_BYTES, READ_BYTES = 1_024, 4_096
"""What a write unit, and half a unit of an eventually consistent read, are for."""


@dataclass(frozen=True, slots=True)
class Line:
    """What happens so often a day on average, its mean units, and the dollars for a month of it."""

    what: str
    a_day: float
    units: float
    dollars: float

    @property
    def units_a_month(self) -> float:
        return self.a_day * self.units * DAYS_OF_MONTH


def estimate(
    product_id: str,
    *,
    pages_a_day: int,
    comments_a_day: int,
    processes: int,
    requests_a_day: int = 0,
    events_a_day: int = 0,
    makings_a_month: int = 0,
) -> list[Line]:
    """Estimate the costs of a month.

    Of pages these are the product's page and its lists by each rating. Each of the ``processes``
    looks for work, also where there is none. ``requests_a_day`` are e-mails that ask for reviews,
    ``events_a_day`` those of webhooks, and ``makings_a_month`` is how often topics of the product
    are made; there is no line where there are none. Raises NoSuchProduct, and CommandError where no
    write was metered, or no language has enough comments for topics.
    """
    lines = [
        _line_of_reads("product pages", pages_a_day, units_of_pages(product_id)),
        _line_of_writes("comments written", comments_a_day, units_of_comment()),
    ]
    if is_searchable():
        lines.append(_line_of_writes("their words", comments_a_day, units_of_words(product_id)))
    if requests_a_day:
        lines.append(_line_of_work("requests for reviews", requests_a_day, UNITS_OF_REQUEST))
    if events_a_day:
        lines.append(_line_of_work("events to a webhook", events_a_day, UNITS_OF_EVENT))
    if makings_a_month:
        lines += _lines_of_topics(product_id, makings_a_month)
    checks_a_day = processes * CHECKS_A_DAY
    lines.append(_line_of_reads(LOOKS, checks_a_day, units_of_check()))
    return lines


def _line_of_reads(what: str, a_day: int, units: float) -> Line:
    month = prices().reads(units, times=a_day * DAYS_OF_MONTH)
    return Line(what, a_day, round(units, 2), month)


def _line_of_writes(what: str, a_day: int, units: float) -> Line:
    month = prices().writes(units, times=a_day * DAYS_OF_MONTH)
    return Line(what, a_day, round(units, 2), month)


def _line_of_work(what: str, a_day: float, units: ReadsAndWrites) -> Line:
    times = a_day * DAYS_OF_MONTH
    month = prices().reads(units.reads, times=times) + prices().writes(units.writes, times=times)
    return Line(what, round(a_day, 2), round(units.reads + units.writes, 2), month)


def _lines_of_topics(product_id: str, makings_a_month: int) -> list[Line]:
    """Return the lines of makings in all languages of a product, and of the samples for them."""
    standing = read_standing(product_id)
    reads_of_making, reads_of_samples, languages = UNITS_OF_MAKING.reads, 0.0, 0
    for language in sorted(standing.languages):
        number = standing.comments_in(language)
        if number >= ENOUGH_COMMENTS:
            languages += 1
            of_comment = units_of_reading(product_id, language)
            reads_of_making += number * of_comment + units_of_vocabulary(language)
            # Comments on other products as long as these, and the counts of each product.
            reads_of_samples += MOST_PRODUCTS * (SAMPLE * of_comment + 0.5)
    if not languages:
        raise CommandError(
            f"“{product_id}” has fewer than {ENOUGH_COMMENTS} comments in each language, so that "
            "no topics are made of it: give another product with --product."
        )
    making = ReadsAndWrites(reads_of_making, UNITS_OF_MAKING.writes)
    sample = ReadsAndWrites(reads_of_samples / languages, ceil(MOST_BYTES / WRITE_BYTES))
    makings_a_day = makings_a_month / DAYS_OF_MONTH
    samples_a_day = languages * min(makings_a_day, 1 / LONGEST_USED.days)
    return [
        _line_of_work("topics of the product", makings_a_day, making),
        _line_of_work("samples of languages, at most", samples_a_day, sample),
    ]


def units_of_check() -> float:
    """Return the units that a process takes to find no work: what is due now is not touched."""
    # What is due now is left to the site's processes: this only looks.
    before_all = datetime.fromtimestamp(0, UTC)
    with metered() as meter:
        for queue in queues():
            for shard in queue.shards:
                list(queue.due(shard, now=before_all))
    return meter.amazon_units


def units_of_pages(product_id: str) -> float:
    """Read a product's page and its lists by each rating; return their mean units."""
    page = PageRequest(settings.PAGE_SIZE)
    # None is the product's own page, whose list has no filter.
    filters = [None, *(CommentFilter.of((), [rating]) for rating in RATINGS)]
    units = []
    for chosen in filters:
        with metered() as meter:
            read_comments_page(CommentsRequest(chosen, page, product_id=product_id))
        units.append(meter.amazon_units)
    return fmean(units)


def units_of_comment() -> float:
    """Return what writing a comment took in the design of this shop. Raises CommandError."""
    figures = find_stored() or find_published()
    if figures is not None:
        described = describe_subjects()[SUBJECT].designs
        for design in figures.subject(SUBJECT).designs:
            if described[design.name].is_of_this_shop and design.writings:
                return design.writings[0].capacity_units
    raise CommandError("No writes were metered here: run 'manage.py compare' first.")


def units_of_words(product_id: str) -> float:
    """Return the mean units that the words of the product's newest comments took to write."""
    request = CommentsRequest(None, PageRequest(settings.PAGE_SIZE), product_id=product_id)
    units = []
    for comment in read_comments_page(request).results.comments:
        stems = indexed_stems(comment.title, comment.text, comment.language)
        if stems:
            units.append(len(stems) + UNITS_OF_CHANGE)
    return fmean(units) if units else 0.0


def units_of_reading(product_id: str, language: str) -> float:
    """Return the mean units that reading a comment takes: of the newest ones in a language."""
    with metered() as meter:
        read = list(newest_comments(product_id, language, SAMPLE))
    return meter.amazon_units / len(read)


def units_of_vocabulary(language: str) -> float:
    """Return the units that reading a language's words takes: the most, if there are none yet."""
    with metered() as meter:
        vocabulary = read_vocabulary(language)
    return meter.amazon_units if vocabulary else ceil(MOST_BYTES / READ_BYTES) / 2


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
            "--review-requests-a-day",
            type=_count,
            default=0,
            metavar="N",
            help="e-mails that ask for reviews",
        )
        parser.add_argument(
            "--webhook-events-a-day",
            type=_count,
            default=0,
            metavar="N",
            help="events, once for each webhook that hears of them",
        )
        parser.add_argument(
            "--topic-makings-a-month",
            type=_count,
            default=0,
            metavar="N",
            help="how often topics of the product are made, in all of its languages",
        )
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
            self.stdout.write(_report(lines))

    def _lines(self, options: dict[str, Any]) -> list[Line]:
        product_id = options["product"] or _most_loved()
        try:
            return estimate(
                product_id,
                pages_a_day=options["pages_a_day"],
                comments_a_day=options["comments_a_day"],
                processes=options["processes"],
                requests_a_day=options["review_requests_a_day"],
                events_a_day=options["webhook_events_a_day"],
                makings_a_month=options["topic_makings_a_month"],
            )
        except NoSuchProduct as error:
            raise CommandError(f"There is no product “{product_id}”.") from error


def _most_loved() -> str:
    # The product with the most good comments: one that visitors look at.
    for ranked in find_leaderboards(1)[Ranking.FIVE_STARS]:
        return ranked.product.id
    raise CommandError("No product has comments of 5 stars here: give one with --product.")


def _report(lines: list[Line]) -> str:
    known = prices()
    rows: list[tuple[object, ...]] = []
    for line in lines:
        row = (line.what, line.a_day, line.units, round(line.units_a_month), dollars(line.dollars))
        rows.append(row)
    rows.append(("together", "", "", "", dollars(sum(line.dollars for line in lines))))
    table = format_table(("", "a day", "units each", "units a month", "a month"), rows)
    return "\n".join(
        [
            table,
            "",
            *_idle_sentences(lines),
            "Units are those that Amazon DynamoDB takes.",
            f"A month has {DAYS_OF_MONTH} days; a GB costs {dollars(known.gigabyte_month)} for it.",
            f"Prices: on demand, {known.region}, since {known.since}: {known.source}",
        ]
    )


def _idle_sentences(lines: list[Line]) -> list[str]:
    """Return what one process takes a day that looks for work and finds none."""
    sentences: list[str] = []
    for line in lines:
        if line.what == LOOKS:
            a_day = line.units * CHECKS_A_DAY
            sentences.append(
                f"A process with no work to do takes {line.units:g} units for each look, "
                f"{a_day:,.0f} a day."
            )
    return sentences


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise ArgumentTypeError(f"“{text}” is not a whole number")
    return int(text)
