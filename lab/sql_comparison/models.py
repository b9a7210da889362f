"""What a good SQL shop would have for a product's comments: a table, its indexes, and the queries.

Importing this module registers the models with Django: only the benchmark does. Of a long text
the list's columns hold an excerpt, as the site's do.
"""

from collections.abc import Iterable
from datetime import datetime

from django.db import connections, models
from django.db.models import Index, Q, QuerySet

from comments.filters import CommentFilter
from comments.items import LONGEST_LISTED_TEXT, NewComment, excerpt
from dynapages.django.options import Advance
from dynapages.lists import PageRequest, id_at, moment_at
from lab.sql_comparison.postgres import ALIAS, rows_of

NEWEST_FIRST = ("-created", "-id")
COPIED_COLUMNS = (
    *("id", "product_id", "language", "rating", "created", "author", "username"),
    *("title", "text", "is_long", "body", "is_verified"),
)


class Comment(models.Model):
    """A comment; where it ``is_long`` its whole text is ``body``, which lists do not read."""

    id = models.CharField(primary_key=True, max_length=100)
    product_id = models.CharField(max_length=100)
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

    class Meta:
        app_label = "lab"
        indexes = (
            Index(name="comments_all", fields=("product_id", *NEWEST_FIRST)),
            Index(name="comments_by_language", fields=("product_id", "language", *NEWEST_FIRST)),
            Index(name="comments_by_rating", fields=("product_id", "rating", *NEWEST_FIRST)),
            Index(
                name="comments_by_both",
                fields=("product_id", "language", "rating", *NEWEST_FIRST),
            ),
        )


# The queries.


def list_by_keyset(product_id: str, chosen: CommentFilter, request: PageRequest) -> list[Comment]:
    """Read a page and one comment more from a position on (keyset pagination)."""
    rows = _newest_first(product_id, chosen)
    if request.position:
        moment, comment_id = moment_at(request.position.place), id_at(request.position.place)
        # The first condition bounds the index; PostgreSQL does not see a bound in the OR alone.
        rows = rows.filter(created__lte=moment)
        rows = rows.filter(Q(created__lt=moment) | Q(id__lt=comment_id))
    return list(rows[: request.size + 1])


def list_by_offset(
    product_id: str, chosen: CommentFilter, *, skipped: int, size: int
) -> list[Comment]:
    """Read a page and one comment more by OFFSET, which reads all that it skips."""
    return list(_newest_first(product_id, chosen)[skipped : skipped + size + 1])


def count_comments(product_id: str, chosen: CommentFilter) -> int:
    """Count a list by COUNT(*)."""
    return _matching(product_id, chosen).count()


def _newest_first(product_id: str, chosen: CommentFilter) -> QuerySet[Comment]:
    return _matching(product_id, chosen).order_by(*NEWEST_FIRST).defer("body")


def _matching(product_id: str, chosen: CommentFilter) -> QuerySet[Comment]:
    rows = rows_of(Comment).filter(product_id=product_id)
    if chosen.languages:
        rows = rows.filter(language__in=chosen.languages)
    if chosen.ratings:
        rows = rows.filter(rating__in=chosen.ratings)
    return rows


# Loading.


def load(comments: Iterable[NewComment], *, advance: Advance) -> str:
    """Create the table, fill it, and return the version of PostgreSQL.

    Comments are written by COPY, with indexes built afterwards, as a restore does.
    """
    connection = connections[ALIAS]
    with connection.schema_editor() as editor:  # it creates the indexes when the block ends
        editor.create_model(Comment)
        _copy_comments(comments, advance)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would in time
        cursor.execute("SELECT current_setting('server_version')")
        (version,) = cursor.fetchone()
    return str(version).split()[0]


def _copy_comments(comments: Iterable[NewComment], advance: Advance) -> None:
    table = Comment._meta.db_table  # noqa: SLF001 - Django documents it
    statement = f"COPY {table} ({', '.join(COPIED_COLUMNS)}) FROM STDIN"
    with connections[ALIAS].cursor() as cursor, cursor.copy(statement) as copy:
        for comment in comments:
            copy.write_row(_copied_row(comment))
            advance(1)


def _copied_row(comment: NewComment) -> tuple[str | int | bool | datetime, ...]:
    """Build the values of `COPIED_COLUMNS`; a long text is cut as the site's lists cut it."""
    text, body = comment.body, ""
    is_long = len(comment.body.encode()) > LONGEST_LISTED_TEXT
    if is_long:
        text, body = excerpt(comment.body), comment.body
    return (
        comment.id,
        comment.product_id,
        comment.language,
        comment.rating,
        comment.created_at,
        comment.author,
        comment.user_id,
        comment.title,
        text,
        is_long,
        body,
        comment.verified,
    )
