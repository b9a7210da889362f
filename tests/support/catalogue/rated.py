"""How products are rated in each list that shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from comments.rankings.services import Ranking
from comments.store.writing import QUEUE
from comments.testing.work import later
from dynapages.lists import PageRequest
from dynapages.work import worker
from shop import keys
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.names import fold_name, words_in
from shop.catalogue.queries import (
    ProductOrder,
    find_tiles,
    list_all_products,
    list_categories,
    list_category,
)
from shop.catalogue.search import find_products
from shop.catalogue.services import put_catalogue
from shop.catalogue.shelves import root_key, shelves_in
from tests.support.catalogue.making import category
from tests.support.chance import unique
from tests.support.comments.ranked import ranking_of
from tests.support.shop.checks import spoil
from tests.support.work import work_off

ALL = PageRequest(2_000)
Shown = tuple[int, int] | None
"""The number of comments and of stars of a product in a list, None where it shows no rating."""


@dataclass(frozen=True)
class Shelved:
    """Lamps on a shelf of the front page, in two categories each, with a word that is their own."""

    slug: str
    product_ids: tuple[str, ...]
    word: str

    @classmethod
    def put(cls, number: int = 3) -> "Shelved":
        slug, word = unique("rated"), unique("lamp").replace("-", "")
        made = cls(slug, tuple(f"{slug}-{each}" for each in range(number)), word)
        put_catalogue(categories=made.categories(), products=made.products())
        return made

    def products(self) -> list[NewProduct]:
        slugs = (self.slug, f"{self.slug}-in")
        return [
            NewProduct(each, f"{self.word} of Number {number}", slugs, "", 995 + number, "EUR")
            for number, each in enumerate(self.product_ids)
        ]

    def categories(self) -> list[NewCategory]:
        return [category(self.slug), category(f"{self.slug}-in", self.slug)]

    def forget_ratings(self, product_id: str) -> None:
        """Take the rating from all that leads to a product, but not from its own item."""
        name = self.products()[self.product_ids.index(product_id)].name
        words = words_in(name)
        for word in words:
            spoil((keys.words(word), f"{word}${fold_name(name)}#{product_id}"), "rated", "stars")
        for slug in (self.slug, f"{self.slug}-in"):
            spoil((keys.category(slug), keys.product(product_id)), "rated", "stars")
            spoil((keys.category(slug), keys.by_name(product_id)), "rated")
        spoil(root_key(self.slug), shelf={"L": []})

    def ratings(self) -> Mapping[str, Mapping[str, Shown]]:
        """How each list shows each of the lamps that is on it."""
        by_word = find_products([*words_in(self.word)], ALL).items
        shelves = shelves_in(list_categories(PageRequest(1_000)))
        lists = {
            "all": list_all_products(ALL).items,
            "search": by_word,
            "own": find_tiles(self.product_ids).values(),
            "shelf": [tile for shelf in shelves for tile in shelf.products],
        }
        for slug in (self.slug, f"{self.slug}-in"):
            for order in (None, *ProductOrder):
                lists[f"{slug} by {order}"] = list_category(slug, ALL, order=order).items
        for ranking in Ranking:
            ranked = ranking_of(ranking, self.product_ids)
            lists[ranking] = [one.product for one in ranked]
        found = {}
        for name, tiles in lists.items():
            mine = [tile for tile in tiles if tile.id in self.product_ids]
            found[name] = {tile.id: shown(tile.rating) for tile in mine}
        return found


def copy_all() -> None:
    """Have another process do all that is owed, and what that owes, an hour later."""
    work_off()
    with later(timedelta(hours=1)):
        worker().look([QUEUE])


def shown(rating: object) -> Shown:
    return None if rating is None else (rating.count, rating.stars)
