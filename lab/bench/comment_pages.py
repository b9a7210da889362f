"""Pages of comments at several depths: through one run, and merged from four."""

from collections.abc import Iterator, Sequence
from functools import partial

from comments.filters import CommentFilter
from comments.indexes.access_patterns import plan
from comments.lists.listing import pager_of
from dynamo.calls.client import client
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from dynamo.tables.create import create_missing
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers
from lab.bench.grounds import Site
from lab.bench.pages import PageCase, cut, depths, path_of
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
"""Three lists of one partition and two of four."""


def furnish() -> None:
    """Put what a product's page needs besides its comments."""
    create_missing([ShopItem], client=client())
    put_catalogue(categories=[CATEGORY], products=[PRODUCT])


def comment_cases(
    answers: CommentAnswers, site: Site, *, pages: Sequence[int], size: int
) -> Iterator[PageCase]:
    """Give the pages to measure: of each list those that it has, and its last."""
    for name, chosen in LISTS.items():
        positions = [Position(place) for place in answers.places(chosen)]
        for page in depths(len(positions), pages=pages, size=size):
            behind, expected = cut(positions, page=page, size=size)
            yield PageCase(
                list_name=name,
                page=page,
                read=partial(SITE.read, PRODUCT_ID, chosen, PageRequest(size, behind)),
                expected=expected,
                site=site,
                path=path_of(pager_of(PRODUCT_ID, chosen), behind),
                run=plan(PRODUCT_ID, chosen).runs[0],
                behind=behind,
            )
