"""The site's pages of comments, read from PostgreSQL: everything but the reads is the site's own.

Rows become the site's values, which its templates are made for. It reads what a visitor gets who is
not signed in: a product's own page, and the first page of a list, without replies of the shop. A
product's own page takes eight queries, that of a list four:

====================================  ==================================================
product, and its categories           two
counts                                one, of a table that each write keeps
list                                  one, by keyset pagination
highlights, on a product's own page   four: praise, criticism, the last moment, the picks
====================================  ==================================================
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast
from unittest.mock import patch

from comments import host, views
from comments.filters import CommentFilter
from comments.indexes.planner import ListPlan
from comments.lists.entries import CommentEntry
from comments.lists.highlights import NEGATIVE, POSITIVE, SHOWN_PICKS, Highlights
from comments.lists.page import CommentsPage, CommentsRequest
from comments.lists.queries import CommentPage
from comments.store.counts import ProductCounts, counts_in
from dynapages.lists import Entry, Index, Ordinal, Page, Position, Run, RunRead
from lab.sql_comparison import models
from shop.catalogue.tiles import Category, Product

PLAN = "sql"
TABLE = Index("PostgreSQL", partition="product_id", sort="created")


@contextmanager
def pages_from_sql() -> Iterator[None]:
    """Let the site's views read pages of comments from PostgreSQL within the block."""
    with patch.object(views, "read_comments_page", read_comments_page):
        yield


def read_from_sql() -> None:
    """Let the site's views read pages of comments from PostgreSQL from now on."""
    patch.object(views, "read_comments_page", read_comments_page).start()


def read_comments_page(request: CommentsRequest) -> CommentsPage:
    """Read a page of a product's comments as `comments.lists.page.read_comments_page` does."""
    product = _find_product(request.product_id)
    counts = counts_in(models.find_counts(request.product_id))
    chosen = request.choose(counts)
    results = _read_list(request, chosen, counts)
    highlights = None
    if request.has_highlights:
        highlights = _find_highlights(request.product_id, chosen)
    return CommentsPage(
        request=request,
        product=product,
        chosen=chosen,
        results=results,
        voted=frozenset(),
        recent={},
        highlights=highlights,
    )


def _find_product(product_id: str) -> host.Product:
    row = models.find_product(product_id)
    categories = tuple(Category(each.slug, each.name) for each in row.categories.all())
    product = Product(
        row.id,
        row.name,
        trail=categories[:1],
        description=row.description,
        categories=categories,
    )
    # Anything with its attributes will do.
    return cast("host.Product", product)


def _read_list(
    request: CommentsRequest, chosen: CommentFilter, counts: ProductCounts
) -> CommentPage:
    size = request.page_request.size
    rows = models.list_first(request.product_id, chosen, request.order, size=size)
    comments = tuple(_entry_of(row) for row in rows[:size])
    run = Run(TABLE, request.product_id)
    page = _page_of(comments, request, run, has_next=len(rows) > size)
    return CommentPage(
        comments=comments, plan=ListPlan(PLAN, (run,)), page=page, shown=page, counts=counts
    )


def _page_of(
    comments: Sequence[CommentEntry], request: CommentsRequest, run: Run, *, has_next: bool
) -> Page:
    entries = []
    for number, comment in enumerate(comments, start=1):
        place = request.order.place(comment.created, comment.id, rating=comment.rating, votes=None)
        entries.append(Entry({}, Position(place, ordinal=Ordinal(number)), run))
    read = RunRead(run, 1, len(comments), len(comments), capacity_units=0.0)
    return Page(tuple(entries), has_next=has_next, has_previous=False, rounds=1, reads=(read,))


def _find_highlights(product_id: str, chosen: CommentFilter) -> Highlights:
    latest = []
    for ratings in (POSITIVE, NEGATIVE):
        row = models.find_latest(product_id, replace(chosen, ratings=ratings))
        latest.append(_entry_of(row) if row else None)
    positive, negative = latest
    picks = models.find_picks(product_id, size=SHOWN_PICKS)
    return Highlights(
        positive,
        negative,
        models.find_last_commented(product_id),
        tuple(_entry_of(row) for row in picks),
    )


def _entry_of(row: models.Comment) -> CommentEntry:
    return CommentEntry(
        id=row.id,
        language=row.language,
        rating=row.rating,
        created=row.created,
        author=row.author,
        title=row.title,
        text=row.text,
        is_long=row.is_long,
        user_id=row.username,
        is_verified=row.is_verified,
        product_id=row.product_id,
    )
