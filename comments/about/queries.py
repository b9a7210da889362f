"""What the page about a product's reviews reads: product, counts, and moderation, in one round."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import get_language

from comments.host import NoSuchProduct, Product, find_product, is_read_along
from comments.lists.page import read_counted_product
from comments.moderation.year_counts import YearOfModeration, keys_of_last_year, last_year_in
from comments.store.counts import ProductCounts
from dynapages.process import pool


@dataclass(frozen=True, slots=True)
class AboutReviews:
    """What is stored about the comments on a product, and of the moderation of all products."""

    product: Product
    counts: ProductCounts
    moderation: YearOfModeration


def read_about(product_id: str, *, now: datetime) -> AboutReviews:
    """Read what the page about a product's reviews shows, eventually consistent, in one round.

    Half a unit each for the product, its counts, and the moderation of two years. Raises
    NoSuchProduct.
    """
    with pool().together() as together:
        started = together.start(
            read_counted_product,
            product_id,
            language=get_language(),
            is_whole=False,
            others=keys_of_last_year(now),
        )
        product = None
        # Else the product is in the same call as the counts.
        if not is_read_along():
            product = find_product(product_id)
        read = started.result()
        product = read.product or product
        if product is None:
            raise NoSuchProduct(product_id)
        return AboutReviews(product, read.counts, last_year_in(read.items, now))
