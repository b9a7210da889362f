"""``manage.py load_sample``: the sample shop, through the same code as an import."""

import json
import sys
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from comments.imports.writer import BulkWriter, VerdictCounts, in_chunks
from comments.items import NewComment
from demo.loading.activity import load_activity
from demo.loading.orders import PASSWORD, SIGN_IN, load_orders, load_pickup_points, load_users
from demo.loading.reactions import load_own_comments, load_reactions
from demo.sample.catalogue import SampleCatalogue, SampleProduct, sample_catalogue
from demo.sample.comments import DEFAULT_SEED, SampleComment, sample_comments
from demo.sample.orders import CUSTOMERS, SampleSales, sample_orders
from demo.sample.pickup_points import sample_points
from demo.sample.reactions import sample_reactions
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.lists.reader import PageRequest
from dynamo.management.options import at_least_one
from dynamo.progress import Progress
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.queries import category_of, list_categories
from shop.catalogue.services import put_catalogue

CURRENCY = "EUR"
INTERRUPTED = 130
MOST_CATEGORIES = 500


class Command(BaseCommand):
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
        sales = sample_orders(catalogue, seed=options["seed"], now=_start_of_today())
        progress = Progress(shown=not as_json)
        try:
            load_pickup_points()  # which a shop loaded by an earlier version does not have
            if options["if_empty"] and _is_loaded(catalogue):
                return
            load_users(sales, now=now(), sign_in=options["sign_in"])
            with progress.step("Orders", total=len(sales.orders), unit=" orders") as advance:
                load_orders(catalogue, sales, currency=CURRENCY, advance=advance)
            comments = list(
                sample_comments(
                    catalogue,
                    seed=options["seed"],
                    count=options["comments"],
                    now=_start_of_today(),
                )
            )
            reactions = sample_reactions(comments, CUSTOMERS, seed=options["seed"])
            load_activity(sales, comments, reactions, now=now())
            outcome = _load(comments, total=options["comments"], progress=progress)
            load_own_comments(sales, not_about=comments[0].product_id, now=now())
            load_reactions(reactions, now=now())
            _put_catalogue(catalogue)
        except FAILURES as error:
            sentence = f"{sentence_about(error)} Run the same command again to go on."
            raise CommandError(sentence) from error
        except KeyboardInterrupt:
            self.stderr.write("Interrupted. Run the same command again to go on.")
            sys.exit(INTERRUPTED)
        self._tell(catalogue, sales, outcome, as_json=as_json)

    def _tell(
        self,
        catalogue: SampleCatalogue,
        sales: SampleSales,
        outcome: VerdictCounts,
        *,
        as_json: bool,
    ) -> None:
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
    """Tell by the edges of the root, which are put last of all."""
    edges = list_categories(PageRequest(MOST_CATEGORIES)).entries
    found = {category_of(edge.item).slug for edge in edges}
    return found >= {category.slug for category in catalogue.categories}


def _load(comments: Iterable[SampleComment], *, total: int, progress: Progress) -> VerdictCounts:
    writer, outcome = BulkWriter(Batches(client(), pool())), VerdictCounts()
    with progress.step("Sample shop", total=total, unit=" comments") as advance:
        for chunk in in_chunks(map(_new_comment, comments)):
            outcome += writer.write(chunk)
            advance(len(chunk))
    writer.rank_products(progress)
    return outcome


def _put_catalogue(catalogue: SampleCatalogue) -> None:
    put_catalogue(
        categories=[
            NewCategory(slug=c.slug, name=c.name, parent=c.parent)
            for c in (*catalogue.categories, *catalogue.subcategories)
        ],
        products=[_new_product(product) for product in catalogue.products],
    )


def _start_of_today() -> datetime:
    """The same all day, so that a load that was interrupted is resumed with the same dates."""
    return now().replace(hour=0, minute=0, second=0, microsecond=0)


def _new_comment(sample: SampleComment) -> NewComment:
    return NewComment(
        id=sample.id,
        product_id=sample.product_id,
        language=sample.language,
        rating=sample.rating,
        created_at=sample.created_at,
        author=sample.author,
        title=sample.title,
        body=sample.body,
    )


def _new_product(sample: SampleProduct) -> NewProduct:
    return NewProduct(
        id=sample.id,
        name=sample.name,
        category_slugs=sample.category_slugs,
        description=sample.description,
        unit_price_cents=int(sample.unit_price * 100),
        currency=CURRENCY,
    )
