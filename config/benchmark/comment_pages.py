"""Pages of comments at several depths: through one run, and merged from four."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from urllib.parse import urlencode

from comments import keys
from comments.access_patterns import plan
from comments.counts import cell
from comments.filters import CommentFilter
from comments.listing import list_url, pager_of
from comments.models import Comment
from config.benchmark.comment_data import (
    PRODUCT_ID,
    CommentAnswers,
    position_before,
)
from config.benchmark.pages import PageCase
from config.benchmark.readers import SITE
from dynamo.client import client
from dynamo.reader import PageRequest
from dynamo.runs import Position
from dynamo.tables import create_missing
from dynamo.web.signing import tokens
from shop.items import NewCategory, NewProduct
from shop.models import ShopItem
from shop.services import put_catalogue

CATEGORY = NewCategory(slug="bench", name="Benchmarks")
PRODUCT = NewProduct(id=PRODUCT_ID, name="A much discussed lamp", category_slugs=("bench",))


@dataclass(frozen=True, slots=True)
class CommentList:
    """A filter, and what to call it."""

    name: str
    chosen: CommentFilter


LISTS = (
    CommentList("no filter", CommentFilter()),
    CommentList("one rating", CommentFilter.of(ratings=(5,))),
    CommentList("one language", CommentFilter.of(languages=("en",))),
    CommentList("four ratings", CommentFilter.of(ratings=(1, 2, 4, 5))),
    CommentList(
        "two languages, two ratings",
        CommentFilter.of(languages=("de", "en"), ratings=(1, 5)),
    ),
)
"""Three lists of one run and two of four."""


def furnish(answers: CommentAnswers) -> None:
    """Put what a product's page needs besides its comments: the product, its counts."""
    create_missing([ShopItem], client=client())
    put_catalogue(categories=[CATEGORY], products=[PRODUCT])
    cells = {cell(*of): {"N": str(number)} for of, number in answers.counts().items()}
    key = {"S": keys.counts(PRODUCT_ID, 0)}
    client().put_item(TableName=Comment.Meta.table_name, Item={"pk": key, "sk": key, **cells})


def comment_cases(
    answers: CommentAnswers, *, pages: Sequence[int], size: int
) -> Iterator[PageCase]:
    """Give the pages to measure: of each list those that it has, and its last."""
    for wanted in LISTS:
        places = answers.places(wanted.chosen)
        last = ceil(len(places) / size)
        for page in (*(page for page in pages if page < last), last):
            if last:
                yield _case(wanted, places, page=page, size=size)


def _case(wanted: CommentList, places: Sequence[str], *, page: int, size: int) -> PageCase:
    chosen = wanted.chosen
    behind = position_before(places, page=page, size=size)
    return PageCase(
        list_name=wanted.name,
        page=page,
        read=partial(SITE.read, PRODUCT_ID, chosen, PageRequest(size, behind)),
        expected=places[(page - 1) * size : page * size],
        path=_path(chosen, behind),
        run=plan(PRODUCT_ID, chosen).runs[0],
        behind=behind,
    )


def _path(chosen: CommentFilter, behind: Position | None) -> str:
    url = list_url(PRODUCT_ID, chosen)
    if behind is None:
        return url
    token = tokens().write(behind, list_name=pager_of(PRODUCT_ID, chosen).list_name)
    return f"{url}?{urlencode({'after': token})}"
