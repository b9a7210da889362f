"""Whole pages of comments, the site's next to the same pages from PostgreSQL, as people visit them.

Both sides are this process, with the same middleware, views and templates: only the reads differ
(`lab.sql_comparison.reading`). Each page is shown by both before the next one. The products of a
side have ids of their own, so that neither finds in memory what the other has just put there.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from random import Random
from time import perf_counter, process_time
from uuid import UUID

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.posting.services import add_comment
from comments.rankings.services import RankHint, refresh_ranks
from dynapages.django.options import Advance, Progress
from dynapages.process import client
from dynapages.tables import create_missing
from lab.bench.data import ManyProducts
from lab.bench.pages import CATEGORY, PRODUCT
from lab.bench.readers import WrongAnswer
from lab.bench.site import Site
from lab.bench.visits import Visit, random_visits, zipf_visits
from lab.report import Limit, Table
from lab.sql_comparison import models
from lab.sql_comparison.reading import pages_from_sql
from lab.sql_comparison.times import SITE, SQL, PageTime, Times
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.models import ShopItem

PRODUCTS = 50
SITE_PREFIX, SQL_PREFIX = "site", "rows"
"""What the ids of the products begin with on either side: words of one length."""
FIRST_LISTS = "lists at random, each once"
BY_ZIPF = "pages by Zipf's law"
FIRST_PRODUCTS = "products' own pages, each once"
HOT_LIST, HOT_PRODUCT = "hot list", "hot product's page"
BEFORE, AFTER = "before a post", "after a post"
OF_LIST, OF_PRODUCT = "list", "product's page"
POSTED_LIST = CommentFilter.of(("de", "en"), (1, 2, 5))
"""The list that is shown after each post besides the product's page; it has what is posted."""
MOST_AFTER_A_POST = 1.15
"""How many times the processor time before a post the same page may take after it."""
WARM_UP_VISITS = 20
DIFFERENCES = re.compile(
    rb'<a class="explanation .*?</a>|\bvalue="\w{64}"|\bafter=[\w-]+\.[\w-]+', re.DOTALL
)
"""What differs in the two pages: what they cost, and tokens against forgery and of positions."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: how it reads, and how a comment is posted to it."""

    name: str
    data: ManyProducts
    reading: Callable[[], AbstractContextManager[None]]
    post: Callable[[NewComment], object]

    def path(self, visit: Visit) -> str:
        return visit.path(self.data.product_ids[visit.product])

    def show(self, site: Site, visit: Visit) -> bytes:
        """Return the page of a visit. Raises PageFailed."""
        with self.reading():
            return site.get(self.path(visit))


def many_products(comments: int, prefix: str) -> ManyProducts:
    """Return the comments of a side."""
    return ManyProducts(comments, PRODUCTS, prefix)


def new_catalogue(data: ManyProducts) -> tuple[list[NewProduct], list[NewCategory]]:
    """Return the products of a side, which all have one name, and their category."""
    products = [replace(PRODUCT, id=product_id) for product_id in data.product_ids]
    return products, [CATEGORY]


def create_catalogue(data: ManyProducts) -> None:
    """Create the table, the products and the ranks that the site's pages need besides comments."""
    create_missing([ShopItem], client=client())
    products, categories = new_catalogue(data)
    put_catalogue(categories=categories, products=products)
    # A product's page has the moment of its newest comment from its rank.
    refresh_ranks(dict.fromkeys(data.product_ids, RankHint()))


def sides(comments: int) -> tuple[Side, Side]:
    """Return the site, and the same from PostgreSQL."""
    return (
        Side(SITE, many_products(comments, SITE_PREFIX), nullcontext, add_comment),
        Side(SQL, many_products(comments, SQL_PREFIX), pages_from_sql, models.post),
    )


def measure_visits(
    compared: Sequence[Side], site: Site, *, visits: int, progress: Progress
) -> tuple[list[Table], list[Limit]]:
    """Measure so many visits of each kind on both sides. Raises WrongAnswer and PageFailed."""
    random = Random(1)  # noqa: S311 - which pages, not a secret
    products = compared[0].data.products
    lists = random_visits(products, random)
    # In them connections and templates are made: none of these pages is measured.
    *own_pages, not_measured = [Visit(number) for number in range(products)]
    for visit in [not_measured, *islice(lists, WARM_UP_VISITS)]:
        _require_same(compared, site, visit)
    kinds = {
        FIRST_PRODUCTS: own_pages,
        FIRST_LISTS: list(islice(lists, visits)),
        BY_ZIPF: list(islice(zipf_visits(products, random), visits)),
        HOT_LIST: [Visit(0, POSTED_LIST)] * visits,
        HOT_PRODUCT: [Visit(0)] * visits,
    }
    times = Times()
    total = sum(len(each) for each in kinds.values()) + visits
    with progress.step("Visiting", total=total, unit=" pages") as advance:
        for kind, of_kind in kinds.items():
            for visit in of_kind:
                times.add(kind, _shown_by_both(compared, site, visit, random))
                advance(1)
        _visit_after_posts(compared, site, times, posts=visits, random=random, advance=advance)
    return [times.table(visits=visits)], [*times.limits(), *_limits_after_posts(times)]


def _visit_after_posts(
    compared: Sequence[Side],
    site: Site,
    times: Times,
    *,
    posts: int,
    random: Random,
    advance: Advance,
) -> None:
    """Post comments to the product with the most of them, and visit it before and after each."""
    visited = {OF_LIST: Visit(0, POSTED_LIST), OF_PRODUCT: Visit(0)}
    for number in range(posts):
        for moment in (BEFORE, AFTER):
            if moment == AFTER:
                _post_to_both(compared, number)
            for name, visit in visited.items():
                times.add(f"{name} {moment}", _shown_by_both(compared, site, visit, random))
        advance(1)
    # What was posted is on the pages of both sides.
    for visit in visited.values():
        _require_same(compared, site, visit)


def _limits_after_posts(times: Times) -> list[Limit]:
    limits = []
    for name in (OF_LIST, OF_PRODUCT):
        before, _ = times.medians(f"{name} {BEFORE}")
        after, _ = times.medians(f"{name} {AFTER}")
        what = f"{name} {AFTER} ÷ {BEFORE}, site"
        limits.append(Limit(what, MOST_AFTER_A_POST, after.processor / before.processor))
    return limits


def _post_to_both(compared: Sequence[Side], number: int) -> None:
    now = datetime.now(UTC)
    comment = NewComment(
        id=UUID(int=number).hex,
        product_id="",
        language=POSTED_LIST.languages[number % len(POSTED_LIST.languages)],
        rating=POSTED_LIST.ratings[number % len(POSTED_LIST.ratings)],
        created_at=now,
        author="Alex",
        user_id="alex",
        title=f"Comment {number}",
        body=f"Some words about it, number {number}.",
    )
    for side in compared:
        product_id = side.data.product_ids[0]
        side.post(replace(comment, id=f"{product_id}-{comment.id}", product_id=product_id))


# Showing.


def _shown_by_both(
    compared: Sequence[Side], site: Site, visit: Visit, random: Random
) -> dict[str, PageTime]:
    """Show a page by both sides, in an order at random; return what each of them took."""
    spent = {}
    for side in random.sample(compared, len(compared)):
        path = side.path(visit)
        with side.reading():
            began, began_processor = perf_counter(), process_time()
            site.get(path)
            processor, wall = process_time() - began_processor, perf_counter() - began
        spent[side.name] = PageTime(1_000 * processor, 1_000 * wall)
    return spent


def _require_same(compared: Sequence[Side], site: Site, visit: Visit) -> None:
    """Raise WrongAnswer unless both sides show the same page."""
    shown = []
    for side in compared:
        page = DIFFERENCES.sub(b"", side.show(site, visit))
        product_id = side.data.product_ids[visit.product]
        shown.append(page.replace(product_id.encode(), b""))
    if shown[0] != shown[1]:
        raise WrongAnswer(f"What SQL shows as {compared[0].path(visit)} is not that page.")
