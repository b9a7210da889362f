"""What a good SQL shop would have for a product's page: tables, their indexes, and the queries.

Importing this module registers the models with Django: only the benchmark does. Of a long text
the list's columns hold an excerpt, as the site's do.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connections, models, transaction
from django.db.models import F, Index, Q, QuerySet

from comments.filters import CommentFilter
from comments.items import LONGEST_LISTED_TEXT, NewComment, excerpt
from comments.lists.orders import CommentOrder
from comments.store.counts import cell_names
from dynapages.django.options import Advance
from dynapages.lists import PageRequest, id_at, moment_at
from lab.sql_comparison.postgres import ALIAS, rows_of
from shop.catalogue.content import NewCategory, NewProduct

NEWEST_FIRST = ("-created", "-id")
ORDERS: Mapping[CommentOrder, Sequence[str]] = {
    CommentOrder.NEWEST: NEWEST_FIRST,
    CommentOrder.OLDEST: ("created", "id"),
    CommentOrder.HIGHEST: ("-rating", *NEWEST_FIRST),
}
"""The orders that lists are read in, and the columns that these sort by."""
COPIED_COLUMNS = (
    *("id", "product_id", "language", "rating", "created", "author", "username"),
    *("title", "text", "is_long", "body", "is_verified", "is_pick"),
)


class Category(models.Model):
    """A category of products."""

    slug = models.CharField(primary_key=True, max_length=100)
    name = models.CharField(max_length=200)

    class Meta:
        app_label = "lab"


class Product(models.Model):
    """A product; the lab's have no price."""

    id = models.CharField(primary_key=True, max_length=100)
    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    categories = models.ManyToManyField(Category)

    class Meta:
        app_label = "lab"


class Count(models.Model):
    """A number of a product's comments, kept with each write: of a language and rating, or a month.

    ``cell`` is the name of the number, as the site has it.
    """

    pk = models.CompositePrimaryKey("product_id", "cell")
    product_id = models.CharField(max_length=100)
    cell = models.CharField(max_length=20)
    number = models.IntegerField()

    class Meta:
        app_label = "lab"


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
    is_pick = models.BooleanField(default=False)

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
            Index(name="comments_highest", fields=("product_id", "-rating", *NEWEST_FIRST)),
            Index(
                name="comments_picked",
                fields=("product_id", *NEWEST_FIRST),
                condition=Q(is_pick=True),
            ),
        )


# The queries.


def find_product(product_id: str) -> Product:
    """Read a product and its categories: two queries. Raises Product.DoesNotExist."""
    return rows_of(Product).prefetch_related("categories").get(id=product_id)


def find_counts(product_id: str) -> dict[str, int]:
    """Read the numbers of a product's comments, by their names."""
    return dict(rows_of(Count).filter(product_id=product_id).values_list("cell", "number"))


def group_counts(product_id: str) -> list[tuple[str, int, int]]:
    """Count a product's comments by GROUP BY: language, rating, and their number."""
    rows = rows_of(Comment).filter(product_id=product_id).values("language", "rating")
    counted = rows.annotate(number=models.Count("id"))
    return list(counted.values_list("language", "rating", "number"))


def list_first(
    product_id: str, chosen: CommentFilter, order: CommentOrder, *, size: int
) -> list[Comment]:
    """Read the first page of a list in an order, and one comment more."""
    rows = _matching(product_id, chosen).order_by(*ORDERS[order]).defer("body")
    return list(rows[: size + 1])


def find_latest(product_id: str, chosen: CommentFilter) -> Comment | None:
    """Read the newest comment of a list."""
    return _newest_first(product_id, chosen).first()


def find_last_commented(product_id: str) -> datetime | None:
    """Read when a product was last commented on."""
    rows = _newest_first(product_id, CommentFilter())
    return rows.values_list("created", flat=True).first()


def find_picks(product_id: str, *, size: int) -> list[Comment]:
    """Read the newest of the comments that staff have picked."""
    return list(_newest_first(product_id, CommentFilter()).filter(is_pick=True)[:size])


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


# Writing.


def load(
    comments: Iterable[NewComment],
    *,
    advance: Advance,
    products: Iterable[NewProduct] = (),
    categories: Iterable[NewCategory] = (),
) -> str:
    """Create the tables, fill them, and return the version of PostgreSQL.

    All products are in all of the categories. Comments are written by COPY, with indexes built
    afterwards, as a restore does.
    """
    connection = connections[ALIAS]
    with connection.schema_editor() as editor:  # it creates the indexes when the block ends
        for model in (Category, Product, Count, Comment):
            editor.create_model(model)
        _create_catalogue(products, categories)
        _copy_comments(comments, advance)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")  # as autovacuum would in time
        cursor.execute("SELECT current_setting('server_version')")
        (version,) = cursor.fetchone()
    return str(version).split()[0]


def _create_catalogue(products: Iterable[NewProduct], categories: Iterable[NewCategory]) -> None:
    created = []
    for category in categories:
        created.append(rows_of(Category).create(slug=category.slug, name=category.name))
    for product in products:
        row = rows_of(Product).create(
            id=product.id, name=product.name, description=product.description
        )
        row.categories.set(created)


def _copy_comments(comments: Iterable[NewComment], advance: Advance) -> None:
    numbers: Counter[tuple[str, str]] = Counter()
    table = Comment._meta.db_table  # noqa: SLF001 - Django documents it
    statement = f"COPY {table} ({', '.join(COPIED_COLUMNS)}) FROM STDIN"
    with connections[ALIAS].cursor() as cursor, cursor.copy(statement) as copy:
        for comment in comments:
            for name in cell_names(comment.language, comment.rating, comment.created_at):
                numbers[comment.product_id, name] += 1
            copy.write_row(_copied_row(comment))
            advance(1)
    counts = []
    for (product_id, cell), number in numbers.items():
        counts.append(Count(product_id=product_id, cell=cell, number=number))
    rows_of(Count).bulk_create(counts)


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
        False,
    )


def post(comment: NewComment) -> None:
    """Insert a comment, and count it, in one transaction."""
    with transaction.atomic(using=ALIAS):
        values = dict(zip(COPIED_COLUMNS, _copied_row(comment), strict=True))
        rows_of(Comment).create(**values)
        for name in cell_names(comment.language, comment.rating, comment.created_at):
            counted = rows_of(Count).filter(product_id=comment.product_id, cell=name)
            if not counted.update(number=F("number") + 1):
                rows_of(Count).create(product_id=comment.product_id, cell=name, number=1)
