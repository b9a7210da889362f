"""A product with its counts, and what else a page reads of the table in the same call."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import override

from comments import host
from comments.host import Product
from comments.models import TABLE
from comments.store.counts import ProductCounts, counters, counts_in, remember_counts
from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.process import page_batches


@dataclass(frozen=True, slots=True)
class CountedProduct:
    """What was read in one call; ``items`` are those of the table of comments.

    The product is None where the project reads it by itself.
    """

    product: Product | None
    counts: ProductCounts
    items: Sequence[Item]


def read_counted_product(
    product_id: str, *, language: str, is_whole: bool, others: Sequence[Item] = ()
) -> CountedProduct:
    """Read a product, its counts, and ``others`` by their keys: half a unit for each 4 KB of each.

    ``language`` is that of the page, ``is_whole`` whether the product's description is needed. The
    counts are remembered. Raises NoSuchProduct where the product would be read here.
    """
    counting = counters()
    known = counting.known([product_id])
    with labelled_calls("product and counts"):
        # One BatchGetItem for items of both apps takes one round trip, whatever it reads.
        table_keys = [*host.products().keys(product_id, whole=is_whole)]
        for key in [*counting.keys(known), *others]:
            table_keys.append((TABLE, key))
        items: list[Item] = []
        product_items: list[Item] = []
        for table, item in page_batches().get_from_tables(table_keys, consistent=False):
            if table == TABLE:
                items.append(item)
            else:
                product_items.append(item)
        # The active language belongs to the thread of the request, which this is not.
        with override(language):
            product = host.built(product_id, product_items)
        counts = counts_in(counting.sums(known, items)[product_id])
    remember_counts(product_id, counts)
    return CountedProduct(product, counts, items)
