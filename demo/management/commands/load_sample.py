"""``manage.py load_sample``: the sample shop, written by the code that imports use."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.timezone import now

from comments.data.changes import VerdictCounts
from comments.data.writer import BulkWriter, bounded_chunks
from comments.host import has_topics
from comments.items import NewComment
from comments.rankings.ratings import refresh_ratings
from comments.rankings.services import RankHint, refresh_ranks
from demo.loading import (
    PASSWORD,
    SIGN_IN,
    let_sign_in,
    load_activity,
    load_orders,
    load_own_comments,
    load_pickup_points,
    load_reactions,
    load_users,
    make_due_topics,
)
from demo.parts import Part, day_of_rest, note_rest, rest_file
from demo.sample.catalogue import DEFAULT_SEED, SampleCatalogue, sample_catalogue
from demo.sample.comments import sample_comments
from demo.sample.orders import CUSTOMERS, SampleSales, sample_orders
from demo.sample.pickup_points import sample_points
from demo.sample.reactions import SampleReactions, sample_reactions
from dynapages.calls import Batches
from dynapages.django.options import (
    Progress,
    add_at_a_time_option,
    at_least_one,
    sentence_to_go_on,
)
from dynapages.django.tables import TableCommand
from dynapages.lists import PageRequest
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES
from shop.catalogue.queries import list_categories
from shop.catalogue.services import put_catalogue
from shop.catalogue.tiles import category_of

INTERRUPTED = 130
SECONDS_OF_A_COMMENT = 0.005
"""With the postings of its words, on a common machine."""
MOST_CATEGORIES = 500
LAST_PARTS = 3
"""What is loaded after all comments, as its progress counts it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """All that is loaded, as it is made from a seed."""

    catalogue: SampleCatalogue
    sales: SampleSales
    comments: Sequence[NewComment]
    reactions: SampleReactions
    today: datetime

    @classmethod
    def made(cls, seed: int, count: int, today: datetime) -> "Sample":
        """Make the sample, with ``count`` comments; nothing in it is later than ``today``."""
        catalogue = sample_catalogue(seed)
        sales = sample_orders(catalogue, seed=seed, now=today)
        comments = list(sample_comments(catalogue, seed=seed, count=count, now=today))
        reactions = sample_reactions(comments, CUSTOMERS, seed=seed)
        return cls(catalogue, sales, comments, reactions, today)


class Command(TableCommand):
    """Loads products, customers, orders and comments made from a seed."""

    help = (
        "Load the sample shop: products, customers, orders and comments. On one day it always "
        "loads the same, so running it again goes on after an interruption and changes nothing "
        "else; on another day the comments move up to that day."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--comments", type=at_least_one, default=6_000, metavar="N", help="(6000)"
        )
        parser.add_argument("--seed", type=int, default=DEFAULT_SEED, metavar="N")
        parser.add_argument(
            "--if-empty", action="store_true", help="do nothing when it was loaded before"
        )
        parser.add_argument(
            "--sign-in",
            action="store_true",
            help=f"let {' and '.join(SIGN_IN)} (staff) sign in with the password {PASSWORD}: "
            "never on a site that others can reach",
        )
        part = parser.add_mutually_exclusive_group()
        part.add_argument(
            "--in-parts",
            action="store_true",
            help="leave most comments, votes and replies to a later load with --rest",
        )
        part.add_argument(
            "--rest", action="store_true", help="load what one with --in-parts has left, if any"
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")
        add_at_a_time_option(parser)

    def handle(self, **options: Any) -> None:
        part = _part_of(options)
        progress = Progress(shown=not options["json"])
        try:
            sample = _sample_for(part, options)
            if sample is None:
                return
            if not options["json"]:
                self.stdout.write(_announcement(sample, part))
                self.stdout.flush()
            outcome = _load(sample, part, progress, sign_in=options["sign_in"])
        except FAILURES as error:
            raise CommandError(sentence_to_go_on(error)) from error
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        counts = _counts(sample, outcome)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
        elif part is Part.REST:
            self.stdout.write("All of the sample is there now.")
        elif options["verbosity"]:
            self.stdout.write(_sentence(counts))


def _part_of(options: Mapping[str, Any]) -> Part:
    """Return which part of the sample the options ask for."""
    if options["rest"]:
        return Part.REST
    if options["in_parts"]:
        return Part.FIRST
    return Part.WHOLE


def _sample_for(part: Part, options: Mapping[str, Any]) -> Sample | None:
    """Make the sample; None where there is nothing to load."""
    # The same moment all day: an interrupted load goes on with the same dates.
    today = now().replace(hour=0, minute=0, second=0, microsecond=0)
    if part is Part.REST:
        day = day_of_rest()
        if day is None:
            return None
        today = day
    # The comments take a second or two to make: not where they are loaded already.
    elif options["if_empty"] and _is_loaded(sample_catalogue(options["seed"])):
        if options["sign_in"]:
            let_sign_in()
        return None
    return Sample.made(options["seed"], options["comments"], today)


def _load(sample: Sample, part: Part, progress: Progress, *, sign_in: bool) -> VerdictCounts:
    """Write a part of the sample; return what became of its comments."""
    outcome = VerdictCounts()
    if part is Part.FIRST:
        note_rest(sample.today)
    if part is not Part.REST:
        outcome += _load_shop(sample, part, progress, sign_in=sign_in)
    if part is not Part.FIRST:
        outcome += _load_rest(sample, part, progress)
    if part is Part.REST:
        rest_file().unlink()
    else:
        # Last of all, as a later load knows by it that this one is complete.
        _put_catalogue(sample)
    if part is not Part.FIRST and has_topics():
        products = [product.id for product in sample.catalogue.products]
        with progress.step("Sample shop", total=len(products), unit=" topics") as advance:
            make_due_topics(products, now=now(), advance=advance)
    return outcome


def _load_shop(sample: Sample, part: Part, progress: Progress, *, sign_in: bool) -> VerdictCounts:
    """Write what a shop is opened with, but for its catalogue; return what became of comments."""
    writer = BulkWriter(Batches(client(), pool()))
    outcome = _load_comments(part.first_comments(sample.comments), writer, progress)
    # The last comments are settled in two seconds: what needs none of them is loaded meanwhile.
    orders = sample.sales.orders
    with progress.step("Sample shop", total=len(orders), unit=" orders") as advance:
        load_pickup_points()
        load_users(sample.sales, now=now(), sign_in=sign_in)
        load_orders(sample.sales, advance=advance)
    writer.finish(progress)
    return outcome


def _load_rest(sample: Sample, part: Part, progress: Progress) -> VerdictCounts:
    """Write the other comments, and what refers to comments; return what became of these."""
    writer = BulkWriter(Batches(client(), pool()))
    outcome = _load_comments(part.other_comments(sample.comments), writer, progress)
    with progress.step("Sample shop", total=LAST_PARTS, unit=" last parts") as advance:
        names = {product.id: product.name for product in sample.catalogue.products}
        load_activity(sample.sales, sample.comments, sample.reactions, names=names, now=now())
        advance(1)
        writer.finish(progress)
        load_own_comments(sample.sales, not_about=sample.comments[0].product_id, now=now())
        advance(1)
        load_reactions(sample.reactions, now=now())
        advance(1)
    return outcome


def _put_catalogue(sample: Sample) -> None:
    """Write the products and categories, and names and ratings of products where they rank."""
    put_catalogue(
        categories=[*sample.catalogue.categories, *sample.catalogue.subcategories],
        products=sample.catalogue.products,
    )
    # The comments were ranked and counted before their products were there.
    hints = {product.id: RankHint() for product in sample.catalogue.products}
    refresh_ranks(hints, only_stale=True)
    refresh_ratings(hints)


def _load_comments(
    comments: Sequence[NewComment], writer: BulkWriter, progress: Progress
) -> VerdictCounts:
    outcome = VerdictCounts()
    with progress.step("Sample shop", total=len(comments), unit=" comments") as advance:
        for chunk in bounded_chunks(comments):
            outcome += writer.write(chunk)
            advance(len(chunk))
    return outcome


def _counts(sample: Sample, outcome: VerdictCounts) -> dict[str, int]:
    return {
        "categories": len(sample.catalogue.categories),
        "products": len(sample.catalogue.products),
        "orders": len(sample.sales.orders),
        "pickup_points": len(sample_points()),
        "written": outcome.new + outcome.replaced,
        "unchanged": outcome.unchanged,
    }


def _announcement(sample: Sample, part: Part) -> str:
    """Return what is going to be loaded, and how long that takes with an index of words."""
    if part is Part.REST:
        comments = len(part.other_comments(sample.comments))
        what = f"Loading {comments:,} more comments, votes and replies behind the open shop"
    else:
        comments = len(part.first_comments(sample.comments))
        what = (
            f"Filling the shop, this once: {len(sample.catalogue.products)} products, "
            f"{len(sample.sales.orders)} orders, {comments:,} comments"
        )
    return f"{what} (about {_seconds(comments)} s)"


def _seconds(comments: int) -> int:
    """Return how long so many comments take on a common machine."""
    return max(round(comments * SECONDS_OF_A_COMMENT), 5)


def _sentence(counts: dict[str, int]) -> str:
    return (
        f"Sample shop: {counts['products']} products, {counts['orders']} orders, "
        f"{counts['pickup_points']} pickup points; "
        f"{counts['written']:,} comments written, {counts['unchanged']:,} unchanged."
    )


def _is_loaded(catalogue: SampleCatalogue) -> bool:
    """Return whether the edges of the root exist, which are put last of all."""
    edges = list_categories(PageRequest(MOST_CATEGORIES)).entries
    stored = {category_of(edge.item).slug for edge in edges}
    return stored >= {category.slug for category in catalogue.categories}
