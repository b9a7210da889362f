"""Visits to pages of comments as people make them, drawn from a seed.

A visit is to a product's own page, or to a list of some of its comments. Lists are drawn at random;
products either at random too, or by Zipf's law: a few of them get most visits.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from comments.filters import RATINGS, CommentFilter
from comments.lists.listing import list_url
from comments.lists.orders import CommentOrder
from dynapages.django.paging import address_of
from lab.bench.data import LANGUAGE_WEIGHTS, zipf_weights

SHARE_OF_PRODUCT_PAGES = 0.4
"""Of the visits by Zipf's law, those to a product's own page."""
LANGUAGES = tuple(LANGUAGE_WEIGHTS)[:5]
"""The languages that visitors choose among: those with the most comments."""
NUMBERS_OF_LANGUAGES = (0, 0, 1, 1, 2, 3)
NUMBERS_OF_RATINGS = (0, 0, 1, 2, 3)
"""How many a visitor chooses, each of these as often; 0 is all of them."""
ORDERS = (
    CommentOrder.NEWEST,
    CommentOrder.NEWEST,
    CommentOrder.NEWEST,
    CommentOrder.OLDEST,
    CommentOrder.HIGHEST,
)
"""The orders that visitors choose, each of these as often."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit to the first page of a list of a product's comments.

    ``chosen`` is None for the product's own page. ``product`` is the number of the product among
    those of a `lab.bench.data.ManyProducts`, counted from 0.
    """

    product: int
    chosen: CommentFilter | None = None
    order: CommentOrder = CommentOrder.NEWEST

    def path(self, product_id: str) -> str:
        """Return the path of the page, where the product has this id."""
        if self.chosen is None:
            return address_of("comments:product", product_id)
        return list_url(product_id, self.chosen, self.order)


def random_visits(products: int, random: Random) -> Iterator[Visit]:
    """Yield visits to lists of products at random, none of them twice, without an end."""
    seen = set()
    while True:
        visit = _to_list(random.randrange(products), random)
        if visit not in seen:
            seen.add(visit)
            yield visit


def zipf_visits(products: int, random: Random) -> Iterator[Visit]:
    """Yield visits by Zipf's law, many of them more than once, without an end."""
    weights = zipf_weights(products)
    while True:
        (product,) = random.choices(range(products), weights)
        if random.random() < SHARE_OF_PRODUCT_PAGES:
            yield Visit(product)
        else:
            yield _to_list(product, random)


def _to_list(product: int, random: Random) -> Visit:
    languages = random.sample(LANGUAGES, random.choice(NUMBERS_OF_LANGUAGES))
    ratings = random.sample(RATINGS, random.choice(NUMBERS_OF_RATINGS))
    chosen = CommentFilter.of(languages, ratings)
    return Visit(product, chosen, random.choice(ORDERS))
