"""The tables a good SQL shop would have for a product's page, and its indexes.

Importing this module registers the models with Django: only the benchmark does. Of a long text
the list's columns hold an excerpt, as the site's do.
"""

from django.db import models
from django.db.models import Index, Q

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
