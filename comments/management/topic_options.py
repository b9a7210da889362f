"""What the commands about topics share: which products they are about."""

from collections.abc import Iterator, Sequence

from django.core.management.base import CommandError, CommandParser

from comments.host import find_existing, has_topics
from comments.rankings.queries import commented_products
from comments.store.counts import read_counts
from dynapages.lists import Order


def add_products_argument(parser: CommandParser) -> None:
    """Add the ids of products, none for all."""
    parser.add_argument(
        "products",
        nargs="*",
        metavar="PRODUCT",
        help="the id of a product, or several; without any, all products with comments",
    )


def require_topics() -> None:
    """Raise a CommandError where the project has no topics."""
    if not has_topics():
        raise CommandError(
            "Topics are switched off. Set COMMENTS['TOPICS'] and COMMENTS['SEARCH'] to True."
        )


def chosen_products(product_ids: Sequence[str]) -> Iterator[str]:
    """Yield these products, or all with comments. Raises CommandError, and botocore's errors."""
    if not product_ids:
        # A product that is commented on meanwhile is met twice at worst, and never missed.
        yield from commented_products(Order.OLDEST_FIRST)
        return
    existing = find_existing(product_ids)
    for product_id in product_ids:
        # A product may be gone from the catalogue while its comments stay.
        if product_id not in existing and not read_counts(product_id).total:
            raise CommandError(f"There is no product “{product_id}”.")
    yield from product_ids
