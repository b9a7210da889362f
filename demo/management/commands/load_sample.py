"""``manage.py load_sample``: the sample shop, written by the code that imports use."""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.timezone import now

from comments.data.changes import VerdictCounts
from comments.data.writer import BulkWriter, bounded_chunks
from comments.items import NewComment
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
)
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
LAST_PARTS = 4
"""What is loaded after comments and orders, as its progress counts it."""


@dataclass(frozen=True, slots=True)
class Sample:
    """All that is loaded, as it is made from a seed."""

    catalogue: SampleCatalogue
    sales: SampleSales
    comments: Sequence[NewComment]
    reactions: SampleReactions

    @classmethod
    def made(cls, seed: int, count: int, today: datetime) -> "Sample":
        """Make the sample, with ``count`` comments; nothing in it is later than ``today``."""
        catalogue = sample_catalogue(seed)
        sales = sample_orders(catalogue, seed=seed, now=today)
        comments = list(sample_comments(catalogue, seed=seed, count=count, now=today))
        reactions = sample_reactions(comments, CUSTOMERS, seed=seed)
        return cls(catalogue, sales, comments, reactions)


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
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")
        add_at_a_time_option(parser)

    def handle(self, **options: Any) -> None:
        # The same moment all day: an interrupted load goes on with the same dates.
        today = now().replace(hour=0, minute=0, second=0, microsecond=0)
        progress = Progress(shown=not options["json"])
        try:
            # The comments take a second or two to make: not where they are loaded already.
            if options["if_empty"] and _is_loaded(sample_catalogue(options["seed"])):
                if options["sign_in"]:
                    let_sign_in()
                return
            sample = Sample.made(options["seed"], options["comments"], today)
            if not options["json"]:
                self.stdout.write(_announcement(sample))
                self.stdout.flush()
            outcome = _load(sample, progress, sign_in=options["sign_in"])
        except FAILURES as error:
            raise CommandError(sentence_to_go_on(error)) from error
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        counts = _counts(sample, outcome)
        if options["json"]:
            self.stdout.write(json.dumps(counts))
        elif options["verbosity"]:
            self.stdout.write(_sentence(counts))


def _load(sample: Sample, progress: Progress, *, sign_in: bool) -> VerdictCounts:
    """Write all of the sample; return what became of its comments."""
    names = {product.id: product.name for product in sample.catalogue.products}
    writer = BulkWriter(Batches(client(), pool()))
    outcome = _load_comments(sample.comments, writer, progress)
    # The last comments are settled in two seconds: what needs none of them is loaded meanwhile.
    orders = sample.sales.orders
    with progress.step("Sample shop", total=len(orders), unit=" orders") as advance:
        load_pickup_points()
        load_users(sample.sales, now=now(), sign_in=sign_in)
        load_orders(sample.sales, advance=advance)
        load_activity(sample.sales, sample.comments, sample.reactions, names=names, now=now())
    writer.finish(progress)
    with progress.step("Sample shop", total=LAST_PARTS, unit=" last parts") as advance:
        load_own_comments(sample.sales, not_about=sample.comments[0].product_id, now=now())
        advance(1)
        load_reactions(sample.reactions, now=now())
        advance(1)
        put_catalogue(
            categories=[*sample.catalogue.categories, *sample.catalogue.subcategories],
            products=sample.catalogue.products,
        )
        advance(1)
        # The comments were ranked before their products had names.
        refresh_ranks({product_id: RankHint() for product_id in names}, only_stale=True)
        advance(1)
    return outcome


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


def _announcement(sample: Sample) -> str:
    """Return what is going to be loaded, and how long that takes with an index of words."""
    comments = len(sample.comments)
    seconds = max(round(comments * SECONDS_OF_A_COMMENT), 5)
    return (
        f"Filling the shop, this once: {len(sample.catalogue.products)} products, "
        f"{len(sample.sales.orders)} orders, {comments:,} comments (about {seconds} s)"
    )


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
