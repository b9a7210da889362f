"""Lists of comments to measure: three of one partition, and two merged from four."""

from collections.abc import Iterator
from functools import partial

from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.listing import pager_of
from dynamo.calls.client import client
from dynamo.lists.runs import Position
from dynamo.tables.create import create_missing
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.context import Site
from lab.bench.pages import MeasuredList
from lab.bench.readers import SITE
from shop.catalogue.items import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.models import ShopItem

CATEGORY = NewCategory(slug="bench", name="Benchmarks")
PRODUCT = NewProduct(id=PRODUCT_ID, name="A much discussed lamp", category_slugs=("bench",))
LISTS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "one language": CommentFilter.of(languages=("en",)),
    "four ratings": CommentFilter.of(ratings=(1, 2, 4, 5)),
    "two languages, two ratings": CommentFilter.of(languages=("de", "en"), ratings=(1, 5)),
}


def create_catalogue() -> None:
    """Create the table, category and product that a product's page needs besides its comments."""
    create_missing([ShopItem], client=client())
    put_catalogue(categories=[CATEGORY], products=[PRODUCT])


def comment_lists(answers: CommentAnswers, site: Site) -> Iterator[MeasuredList]:
    """Yield the lists of comments to measure."""
    for name, chosen in LISTS.items():
        yield MeasuredList(
            name=name,
            positions=[Position(place) for place in answers.places(chosen)],
            read=partial(SITE.read, PRODUCT_ID, chosen),
            pager=pager_of(PRODUCT_ID, chosen),
            site=site,
            run=plan(PRODUCT_ID, chosen).runs[0],
        )
