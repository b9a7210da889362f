"""The queries of a product's page, as a good SQL shop writes them by Django's ORM."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q, QuerySet

from comments.filters import CommentFilter
from comments.lists.page import NEGATIVE, POSITIVE, SHOWN_PICKS
from dynamo.lists.places import id_at, moment_at
from dynamo.lists.reader import PageRequest
from lab.peers.database import rows_of
from lab.peers.models import NEWEST_FIRST, Comment, Count, Product


@dataclass(frozen=True, slots=True)
class HighlightRows:
    """The latest positive and negative comment, the moment of the latest, and the picks."""

    positive: Comment | None
    negative: Comment | None
    last_commented: datetime | None
    picks: tuple[Comment, ...]


def find_product(product_id: str) -> Product:
    """Read a product and its categories: two queries. Raises Product.DoesNotExist."""
    return rows_of(Product).prefetch_related("categories").get(id=product_id)


def find_counts(product_id: str) -> list[tuple[str, int, int]]:
    """Read a product's counts: language, rating, number."""
    rows = rows_of(Count).filter(product_id=product_id)
    return list(rows.values_list("language", "rating", "number"))


def list_comments(product_id: str, chosen: CommentFilter, request: PageRequest) -> list[Comment]:
    """Read a page and one comment more from a position on (keyset pagination), with replies."""
    rows = _list(product_id, chosen)
    if request.position:
        moment, comment_id = moment_at(request.position.place), id_at(request.position.place)
        # The first condition bounds the index; PostgreSQL does not see a bound in the OR alone.
        rows = rows.filter(created__lte=moment)
        rows = rows.filter(Q(created__lt=moment) | Q(id__lt=comment_id))
    return list(rows[: request.size + 1])


def list_by_offset(
    product_id: str, chosen: CommentFilter, *, skipped: int, size: int
) -> list[Comment]:
    """Read the same page by OFFSET."""
    return list(_list(product_id, chosen)[skipped : skipped + size + 1])


def count_comments(product_id: str, chosen: CommentFilter) -> int:
    """Count a list without the table of counts."""
    return _matching(product_id, chosen).count()


def find_highlights(product_id: str) -> HighlightRows:
    """Read the highlights of all languages: four queries."""
    rows = _matching(product_id, CommentFilter()).order_by(*NEWEST_FIRST).defer("body")
    return HighlightRows(
        rows.filter(rating__in=POSITIVE).first(),
        rows.filter(rating__in=NEGATIVE).first(),
        rows.values_list("created", flat=True).first(),
        tuple(rows.filter(is_pick=True)[:SHOWN_PICKS]),
    )


def _list(product_id: str, chosen: CommentFilter) -> QuerySet[Comment]:
    rows = _matching(product_id, chosen).order_by(*NEWEST_FIRST)
    return rows.select_related("reply").defer("body")


def _matching(product_id: str, chosen: CommentFilter) -> QuerySet[Comment]:
    rows = rows_of(Comment).filter(product_id=product_id)
    if chosen.languages:
        rows = rows.filter(language__in=chosen.languages)
    if chosen.ratings:
        rows = rows.filter(rating__in=chosen.ratings)
    return rows
