"""The table ``comment_sets``: a comment's primary item, its copies, and the index that lists them.

====================  ====================  ====================================
item                  partition key ``pk``  sort key ``sk``
====================  ====================  ====================================
primary of a comment  ``COMMENT#<c>``       ``PRODUCT#<p>/~/~``
copy of a comment     ``COMMENT#<c>``       ``PRODUCT#<p>/<language>/<ratings>``
====================  ====================  ====================================

A comment has 31 copies. Attribute names are those of `comments.models`. Table design of part 1 of
"Efficient filtering with DynamoDB".
"""

from django.conf import settings
from pynamodb.attributes import BooleanAttribute, UnicodeAttribute
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection

from comments.models import OLDER_TABLE, SHOWN, ListEntry
from dynapages.pynamodb import DynamoModel


class BySet(GlobalSecondaryIndex["CommentSetItem"]):
    """The comments of one set, by place: partition ``PRODUCT#42/en/1.2.5``."""

    class Meta:
        index_name = "by_set"
        projection = IncludeProjection(["g", "s", *SHOWN])

    partition = UnicodeAttribute(hash_key=True, attr_name="sk")
    place = UnicodeAttribute(range_key=True, attr_name="o")


class CommentSetItem(ListEntry, DynamoModel):
    """A comment in one of its sets; ``auto`` is true of a copy, and missing from a primary."""

    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}comment_sets"
        region = settings.AWS_REGION
        billing_mode = "PAY_PER_REQUEST"
        stream_view_type = "NEW_AND_OLD_IMAGES"
        differs_hint = OLDER_TABLE

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    place = UnicodeAttribute(attr_name="o")
    auto = BooleanAttribute(null=True)

    by_set = BySet()


TABLE = CommentSetItem.Meta.table_name
"""The name of the table of copies, prefix included."""
