"""Comments written into PostgreSQL by COPY, with indexes built afterwards, as a restore does."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime

from django.db import connections

from comments.items import LONGEST_LISTED_TEXT, NewComment, excerpt
from comments.store.counts import Cell
from dynamo.progress import Advance
from lab.peers.database import ALIAS, rows_of
from lab.peers.models import Category, Comment, Count, Product, Reply
from lab.reports.peer_figures import PeerLoad
from shop.catalogue.items import NewCategory, NewProduct

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
) -> PeerLoad:
    """Create the tables, and put a product, its categories and its comments into them."""
    connection = connections[ALIAS]
    began = time.perf_counter()
    with connection.schema_editor() as editor:  # it creates the indexes when the block ends
        for model in (Category, Product, Comment, Reply, Count):
            editor.create_model(model)
        _put_catalogue(product, categories)
        rows = _copy_comments(comments, advance)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would in time
        cursor.execute("SHOW server_version")
        (version,) = cursor.fetchone()
        cursor.execute("SELECT pg_database_size(current_database())")
        (size,) = cursor.fetchone()
    seconds = time.perf_counter() - began
    return PeerLoad(version.split()[0], rows, seconds=seconds, megabytes=size / 1_000_000)


def _put_catalogue(product: NewProduct, categories: Iterable[NewCategory]) -> None:
    of_product = rows_of(Product).create(id=product.id, name=product.name)
    for category in categories:
        of_product.categories.add(rows_of(Category).create(slug=category.slug, name=category.name))


def _copy_comments(comments: Iterable[NewComment], advance: Advance) -> int:
    counts: Counter[tuple[str, Cell]] = Counter()
    statement = f"COPY {Comment._meta.db_table} ({', '.join(COLUMNS)}) FROM STDIN"  # noqa: SLF001
    with connections[ALIAS].cursor() as cursor, cursor.copy(statement) as copy:
        for comment in comments:
            counts[comment.product_id, (comment.language, comment.rating)] += 1
            copy.write_row(_row(comment))
            advance(1)
    rows_of(Count).bulk_create(_count_rows(counts))
    return counts.total()


def _row(comment: NewComment) -> Row:
    """Build the values of `COLUMNS`; a long text is cut as the site's lists cut it."""
    is_long = len(comment.body.encode()) > LONGEST_LISTED_TEXT
    return (
        *(comment.id, comment.product_id, comment.language, comment.rating, comment.created_at),
        *(comment.author, comment.username, comment.title),
        excerpt(comment.body) if is_long else comment.body,
        is_long,
        comment.body if is_long else "",
        *(comment.verified, False),
    )


def _count_rows(counts: Counter[tuple[str, Cell]]) -> Iterator[Count]:
    for (product_id, (language, rating)), number in counts.items():
        yield Count(product_id=product_id, language=language, rating=rating, number=number)
