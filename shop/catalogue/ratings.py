"""How products are rated by their comments, wherever the shop lists them.

A product's own item has its rating, and all that leads to it repeats that, like the name and the
price: edges, words, shelves. So no list reads anything more. The comments' worker has new ratings
kept some minutes after the comments changed, see docs/adr/0062-ratings-travel-with-products.md.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from dynapages.items import table_key
from dynapages.process import client, pool
from dynapages.pynamodb import unchanged, update
from dynapages.writes import Action, ConditionFailed, Contended, write_transaction
from shop.catalogue.changes import WRITTEN
from shop.catalogue.content import NewProduct, Rating
from shop.catalogue.items import EDGES, product_edges, rating_attributes, word_items
from shop.catalogue.shelves import put_shelves
from shop.catalogue.stored import Stored, stored_products
from shop.catalogue.tiles import CATEGORIES, RATED, STARS, steps_in
from shop.models import Product
from shop.table import key_of, put_of, set_or_remove

ATTEMPTS = 5


def keep_ratings(ratings: Mapping[str, Rating | None]) -> None:
    """Write ratings into products by their ids, and wherever these are listed; None removes one.

    Products that do not exist are left out. Raises Contended, and what
    `dynapages.writes.transactions` raises.
    """
    pending = dict(ratings)
    slugs: set[str] = set()
    for _attempt in range(ATTEMPTS):
        products = stored_products(pending)
        for product in products.values():
            # A shelf is written behind the rest: an attempt before may have ended between both.
            slugs.update(product.content.category_slugs)
        pending = _write_stale(products, pending)
        if not pending:
            put_shelves(slugs)
            return
    raise Contended("These products are being changed by others at the moment.")


def _write_stale(
    products: Mapping[str, Stored[NewProduct]], ratings: Mapping[str, Rating | None]
) -> dict[str, Rating | None]:
    """Write the products that have other ratings; return the ratings of those that have changed."""
    shards = EDGES.writable()

    def write(product_id: str) -> bool:
        return _write(products[product_id], ratings[product_id], shards)

    stale = [each for each in products if products[each].content.rating != ratings[each]]
    outcomes = pool().map(write, stale)
    unwritten = {}
    for product_id, is_written in zip(stale, outcomes, strict=True):
        if not is_written:
            unwritten[product_id] = ratings[product_id]
    return unwritten


def kept_ratings(product_ids: Collection[str]) -> dict[str, Rating | None]:
    """Read the ratings of products, strongly; of those that exist."""
    products = stored_products(product_ids)
    return {product_id: product.content.rating for product_id, product in products.items()}


def _write(product: Stored[NewProduct], rating: Rating | None, shards: int) -> bool:
    """Write a product's rating, and all that leads to it; return False where it has changed."""
    attributes = rating_attributes(rating)
    changes = set_or_remove(Product, (RATED, STARS), attributes)
    same = unchanged(product.node, Product.pk, *WRITTEN)
    actions: list[Action] = [update(Product, table_key(*key_of(product.node)), changes, same)]
    content = replace(product.content, rating=rating)
    # The names as its own item has them: who changes one changes that item too.
    names = {step.slug: step.name for step in steps_in(product.node, CATEGORIES)}
    own = Product.from_raw_data({**product.node})
    own.rated = attributes.get(RATED)
    own.stars = attributes.get(STARS)
    for item in (*product_edges(content, names=names, shards=shards), *word_items(own)):
        actions.append(put_of(item))
    try:
        write_transaction(client(), actions)
    except ConditionFailed:
        return False
    return True
