"""The table ``comment_words``: a comment's postings, one for each of its stems.

=======================  ===============================  =======================
item                     partition key ``pk``             sort key ``o``
=======================  ===============================  =======================
posting of a comment     ``PRODUCT#<p>/w1/<lang>/<stem>`` ``<moment>#<comment>``
posting of one that is   ``HIDDEN#<p>/w1/<lang>/<stem>``  ``<moment>#<comment>``
hidden or held
change whose postings    ``CHANGES#<n>``                  ``<comment>#<ulid>``
are not yet written
=======================  ===============================  =======================

``w1`` is the version of the stems (`comments.search.words`). The sort key is the place of all
lists. Attribute names are those of `comments.models`.
"""

from django.conf import settings
from pynamodb.attributes import (
    Attribute,
    BooleanAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.constants import MAP

from comments.models import ReplyShown
from dynapages.items import Item
from dynapages.pynamodb import DynamoModel


class WordItem(DynamoModel):
    """Any item of the table."""

    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}comment_words"
        region = settings.AWS_REGION
        billing_mode = "PAY_PER_REQUEST"

    pk = UnicodeAttribute(hash_key=True)
    place = UnicodeAttribute(range_key=True, attr_name="o")


class CommentWord(WordItem):
    """A comment under one of its stems, as lists show it, with all its stems to filter by."""

    stems = UnicodeSetAttribute(attr_name="w")
    language = UnicodeAttribute(attr_name="g")
    rating = NumberAttribute(attr_name="s")
    version = NumberAttribute(attr_name="n", null=True)
    author = UnicodeAttribute(attr_name="u", null=True)
    title = UnicodeAttribute(attr_name="t", null=True)
    text = UnicodeAttribute(attr_name="x", null=True)
    body_bytes = NumberAttribute(attr_name="m", null=True)
    edited_at = UnicodeAttribute(attr_name="e", null=True)
    verified = BooleanAttribute(attr_name="v", null=True)
    reply = ReplyShown(attr_name="y", null=True)


class NamedPostings(Attribute[Item]):
    """The keys of postings: stems by the place and the start of the partition, in wire form."""

    attr_type = MAP


class WordChange(WordItem):
    """A change of comments that was committed, until their postings are written.

    ``named`` are the postings that they may have had, or may have been given since. Who writes them
    has set ``at``, and sets it again before writing others.
    """

    named = NamedPostings(attr_name="w")
    at = UnicodeAttribute()


TABLE = WordItem.Meta.table_name
"""The name of the table, prefix included."""
