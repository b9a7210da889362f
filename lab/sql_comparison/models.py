"""What a good SQL shop would have for a product's page: tables, indexes and queries.

Importing this module registers the models with Django: only the benchmark does. Of a long text
the list's columns hold an excerpt, as the site's do.
"""

import time
from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from django.db import connections, models
from django.db.models import Index, Q, QuerySet

from comments.filters import CommentFilter
from comments.items import LONGEST_LISTED_TEXT, NewComment, excerpt
from comments.lists.highlights import NEGATIVE, POSITIVE, SHOWN_PICKS
from comments.store.counts import Cell
from dynapages.django.options import Advance
from dynapages.lists import PageRequest, id_at, moment_at
from lab.sql_comparison.postgres import ALIAS, rows_of
from shop.catalogue.content import NewCategory, NewProduct

NEWEST_FIRST = ("-created", "-id")


def _newest_first(name: str, *narrowed: str, condition: Q | None = None) -> Index:
    fields = ("product", *narrowed, *NEWEST_FIRST)
    return Index(fields=fields, name=name, condition=condition)


class Peer(models.Model):
    """A row of the lab's database."""

    class Meta:
        abstract = True
        app_label = "lab"


class Category(Peer):
    """A category of products."""

    slug = models.CharField(primary_key=True, max_length=100)
    name = models.CharField(max_length=200)


class Product(Peer):
    """A product; the lab's has no price."""

    id = models.CharField(primary_key=True, max_length=100)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    categories = models.ManyToManyField(Category)


class Comment(Peer):
    """A comment; where it ``is_long`` its whole text is ``body``, which lists do not read."""

    id = models.CharField(primary_key=True, max_length=100)
    product = models.ForeignKey(Product, models.CASCADE, db_index=False)
    language = models.CharField(max_length=2)
    rating = models.SmallIntegerField()
    created = models.DateTimeField()
    author = models.TextField(blank=True)
    username = models.TextField(blank=True)
    title = models.TextField(blank=True)
    text = models.TextField(blank=True)
    is_long = models.BooleanField(default=False)
    body = models.TextField(blank=True)
    is_verified = models.BooleanField(default=False)
    is_pick = models.BooleanField(default=False)

    class Meta(Peer.Meta):
        indexes = (
            _newest_first("comments_all"),
            _newest_first("comments_by_language", "language"),
            _newest_first("comments_by_rating", "rating"),
            _newest_first("comments_by_both", "language", "rating"),
            _newest_first("comments_picked", condition=Q(is_pick=True)),
        )


class Reply(Peer):
    """The shop's reply to a comment."""

    comment = models.OneToOneField(Comment, models.CASCADE, primary_key=True)
    text = models.TextField()
    author = models.TextField(blank=True)
    replied = models.DateTimeField(null=True)


class Count(Peer):
    """How many comments a product has in one language of one rating, kept with each write."""

    pk = models.CompositePrimaryKey("product_id", "language", "rating")
    product = models.ForeignKey(Product, models.CASCADE, db_index=False)
    language = models.CharField(max_length=2)
    rating = models.SmallIntegerField()
    number = models.IntegerField()


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


def find_highlights(product_id: str) -> tuple[list[Comment | None], datetime | None, list[Comment]]:
    """Read the highlights of all languages: four queries.

    Return the latest positive and negative comment, the moment of the latest, and the picks.
    """
    rows = _matching(product_id, CommentFilter()).order_by(*NEWEST_FIRST).defer("body")
    return (
        [rows.filter(rating__in=ratings).first() for ratings in (POSITIVE, NEGATIVE)],
        rows.values_list("created", flat=True).first(),
        list(rows.filter(is_pick=True)[:SHOWN_PICKS]),
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


COLUMNS = (
    *("id", "product_id", "language", "rating", "created", "author", "username"),
    *("title", "text", "is_long", "body", "is_verified", "is_pick"),
)
Row = tuple[str | int | bool | datetime, ...]


def load(
    comments: Iterable[NewComment],
    *,
    product: NewProduct,
    categories: Iterable[NewCategory],
    advance: Advance,
) -> dict[str, float | str]:
    """Create the tables, and put a product, its categories and its comments into them.

    Comments are written by COPY, with indexes built afterwards, as a restore does. Return the
    ``version`` of PostgreSQL, the ``rows`` and ``seconds``, and the ``megabytes`` with all indexes.
    """
    connection = connections[ALIAS]
    began = time.perf_counter()
    with connection.schema_editor() as editor:  # it creates the indexes when the block ends
        for model in (Category, Product, Comment, Reply, Count):
            editor.create_model(model)
        of_product = rows_of(Product).create(id=product.id, name=product.name)
        of_product.categories.add(
            *(rows_of(Category).create(slug=one.slug, name=one.name) for one in categories)
        )
        rows = _copy_comments(comments, advance)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would in time
        cursor.execute(
            "SELECT current_setting('server_version'), pg_database_size(current_database())"
        )
        version, size = cursor.fetchone()
    seconds = time.perf_counter() - began
    return {
        "version": version.split()[0],
        "rows": rows,
        "seconds": seconds,
        "megabytes": size / 1_000_000,
    }


def _copy_comments(comments: Iterable[NewComment], advance: Advance) -> int:
    counts: Counter[tuple[str, Cell]] = Counter()
    statement = f"COPY {Comment._meta.db_table} ({', '.join(COLUMNS)}) FROM STDIN"  # noqa: SLF001 - Django documents it
    with connections[ALIAS].cursor() as cursor, cursor.copy(statement) as copy:
        for comment in comments:
            counts[comment.product_id, (comment.language, comment.rating)] += 1
            copy.write_row(_row(comment))
            advance(1)
    rows_of(Count).bulk_create(
        Count(product_id=product_id, language=language, rating=rating, number=number)
        for (product_id, (language, rating)), number in counts.items()
    )
    return counts.total()


def _row(comment: NewComment) -> Row:
    """Build the values of `COLUMNS`; a long text is cut as the site's lists cut it."""
    is_long = len(comment.body.encode()) > LONGEST_LISTED_TEXT
    return (
        *(comment.id, comment.product_id, comment.language, comment.rating, comment.created_at),
        *(comment.author, comment.user_id, comment.title),
        excerpt(comment.body) if is_long else comment.body,
        is_long,
        comment.body if is_long else "",
        *(comment.verified, False),
    )
