"""``manage.py load_sample``: the sample shop, written by the code that imports use."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils.timezone import now

from comments.data.writer import BulkWriter, VerdictCounts, in_chunks
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
from demo.sample.comments import sample_comments, sample_reactions
from demo.sample.orders import CUSTOMERS, sample_orders, sample_points
from dynapages.calls import Batches
from dynapages.django.options import Progress, at_least_one, sentence_to_go_on
from dynapages.django.tables import TableCommand
from dynapages.lists import PageRequest
from dynapages.process import client, pool
from dynapages.pynamodb import FAILURES
from shop.catalogue.queries import list_categories
from shop.catalogue.services import put_catalogue
from shop.catalogue.tiles import category_of

INTERRUPTED = 130
MOST_CATEGORIES = 500


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

    def handle(self, **options: Any) -> None:
        as_json = options["json"]
        catalogue = sample_catalogue(options["seed"])
        # The same moment all day: an interrupted load goes on with the same dates.
        seed, today = options["seed"], now().replace(hour=0, minute=0, second=0, microsecond=0)
        sales = sample_orders(catalogue, seed=seed, now=today)
        progress = Progress(shown=not as_json)
        try:
            if options["if_empty"] and _is_loaded(catalogue):
                if options["sign_in"]:
                    let_sign_in()
                return
            load_pickup_points()
            load_users(sales, now=now(), sign_in=options["sign_in"])
            with progress.step("Orders", total=len(sales.orders), unit=" orders") as advance:
                load_orders(sales, advance=advance)
            made = sample_comments(catalogue, seed=seed, count=options["comments"], now=today)
            comments = list(made)
            reactions = sample_reactions(comments, CUSTOMERS, seed=seed)
            names = {product.id: product.name for product in catalogue.products}
            load_activity(sales, comments, reactions, names=names, now=now())
            outcome = _load(comments, progress=progress)
            load_own_comments(sales, not_about=comments[0].product_id, now=now())
            load_reactions(reactions, now=now())
            put_catalogue(
                categories=[*catalogue.categories, *catalogue.subcategories],
                products=catalogue.products,
            )
            # The comments were ranked before their products had names.
            named = {product.id: RankHint() for product in catalogue.products}
            refresh_ranks(named, only_stale=True)
        except FAILURES as error:
            raise CommandError(sentence_to_go_on(error)) from error
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        counts = {
            "categories": len(catalogue.categories),
            "products": len(catalogue.products),
            "orders": len(sales.orders),
            "pickup_points": len(sample_points()),
            "written": outcome.new + outcome.replaced,
            "unchanged": outcome.unchanged,
        }
        sentence = (
            f"Sample shop: {counts['products']} products, {counts['orders']} orders, "
            f"{counts['pickup_points']} pickup points; "
            f"{counts['written']:,} comments written, {counts['unchanged']:,} unchanged."
        )
        self.stdout.write(json.dumps(counts) if as_json else sentence)


def _is_loaded(catalogue: SampleCatalogue) -> bool:
    """Return whether the edges of the root exist, which are put last of all."""
    edges = list_categories(PageRequest(MOST_CATEGORIES)).entries
    found = {category_of(edge.item).slug for edge in edges}
    return found >= {category.slug for category in catalogue.categories}


def _load(comments: Sequence[NewComment], *, progress: Progress) -> VerdictCounts:
    writer, outcome = BulkWriter(Batches(client(), pool())), VerdictCounts()
    with progress.step("Sample shop", total=len(comments), unit=" comments") as advance:
        for chunk in in_chunks(comments):
            outcome += writer.write(chunk)
            advance(len(chunk))
    writer.finish(progress)
    return outcome
