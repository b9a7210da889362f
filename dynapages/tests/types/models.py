"""What type checkers know of a feed of PynamoDB's models: its items are instances."""

from typing import assert_type

from pynamodb.attributes import NumberAttribute, UnicodeAttribute
from pynamodb.indexes import AllProjection, GlobalSecondaryIndex
from pynamodb.models import Model

from dynapages import Feed, FeedPage, Tokens
from dynapages.pynamodb import SeveralAttributesIndex, feed_of


class ByRating(GlobalSecondaryIndex["Comment"]):
    """Comments by their rating, newest first."""

    class Meta:  # pyright: ignore[reportIncompatibleVariableOverride]
        index_name = "by_rating"
        projection = AllProjection()

    rating = UnicodeAttribute(hash_key=True)
    at = NumberAttribute(range_key=True)


class ByProduct(SeveralAttributesIndex["Comment"]):
    """Comments of a product by their rating, newest first."""

    class Meta:  # pyright: ignore[reportIncompatibleVariableOverride]
        index_name = "by_product"
        projection = AllProjection()

    product = UnicodeAttribute(hash_key=True)
    rating = UnicodeAttribute(hash_key=True)
    at = NumberAttribute(range_key=True)


class Comment(Model):
    """A comment of a product."""

    class Meta:  # pyright: ignore[reportIncompatibleVariableOverride]
        table_name = "comments"

    product = UnicodeAttribute(hash_key=True)
    id = UnicodeAttribute(range_key=True)
    rating = UnicodeAttribute()
    at = NumberAttribute()
    title = UnicodeAttribute()
    by_rating = ByRating()
    by_product = ByProduct()


class Headline(Model):
    """Less of a comment."""

    class Meta:  # pyright: ignore[reportIncompatibleVariableOverride]
        table_name = "comments"

    product = UnicodeAttribute(hash_key=True)
    id = UnicodeAttribute(range_key=True)
    title = UnicodeAttribute()


of_index = feed_of(Comment.by_rating, ["lamp/4", "lamp/5"], tokens=Tokens("a secret"))
assert_type(of_index, Feed[Comment])
of_several = feed_of(Comment.by_product, [("lamp", "4"), ("lamp", "5")])
assert_type(of_several, Feed[Comment])
of_table = feed_of(Comment, ["lamp"], newest_first=False)
assert_type(of_table, Feed[Comment])
of_another_model = feed_of(Comment.by_rating, ["lamp/4"], model=Headline)
assert_type(of_another_model, Feed[Headline])

page = of_index.page(20)
assert_type(page, FeedPage[Comment])
assert_type(page.items[0].title, str)
