"""The names of products in the shop's rankings, which travel with their ranks.

A rank gets its name when it is first derived. A product is renamed together with its ranks, which
get a new version: a derivation under way, which may have read the old name, is refused.
"""

from collections.abc import Iterable

from comments.models import ProductRank
from comments.rankings.items import Ranking, key_of
from dynamo.writes.actions import Action, update
from shop.catalogue.changes import stored_products


def rename_ranks(product_id: str, name: str) -> list[Action]:
    """Build the actions that write a product's name into its ranks."""
    changes = [ProductRank.name.set(name), ProductRank.version.add(1)]
    return [update(ProductRank, key_of((ranking, product_id)), changes) for ranking in Ranking]


def find_names(product_ids: Iterable[str]) -> dict[str, str]:
    """Read the names of products, strongly, by id; of those that exist."""
    return {one: item["name"]["S"] for one, item in stored_products(product_ids).items()}
