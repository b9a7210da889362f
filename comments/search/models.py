"""The table ``comment_words``: a comment's postings, one for each of its stems.

=======================  ===============================  =======================
item                     partition key ``pk``             sort key ``o``
=======================  ===============================  =======================
posting of a comment     ``PRODUCT#<p>/w3/<lang>/<stem>`` ``<moment>#<comment>``
posting of one that is   ``HIDDEN#<p>/w3/<lang>/<stem>``  ``<moment>#<comment>``
hidden or held
change whose postings    ``CHANGES#<n>``                  ``<c>#<token>``
are not yet written
mark of such a change    ``PENDING#<p>``                  ``<c>#<token>``,
in each product of it                                     ``*#<token>`` of several
=======================  ===============================  =======================

``w3`` is the version of the stems (`comments.search.words`), ``<stem>`` the stem or a digest of a
long one. So are ``<p>`` and ``<c>`` the ids of product and comment, or digests of long ones
(`comments.keys.id_in_keys`). The sort key of a posting is the place of all lists. Attribute names
are those of `comments.models`.
"""

from django.conf import settings
from pynamodb.attributes import BinarySetAttribute, UnicodeAttribute, UnicodeSetAttribute

from comments.models import ListEntry, WireMap
from dynapages.pynamodb import DynamoModel


class WordItem(DynamoModel):
    """Any item of the table."""

    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}comment_words"
        region = settings.AWS_REGION
        billing_mode = "PAY_PER_REQUEST"

    pk = UnicodeAttribute(hash_key=True)
    place = UnicodeAttribute(range_key=True, attr_name="o")


class CommentWord(ListEntry, WordItem):
    """A comment under one of its stems, as lists show it, with all its stems to filter by.

    ``stems`` are their digests. Of a long entry the texts are cut, so that the item has a kilobyte
    at most (`comments.search.postings`).
    """

    stems = BinarySetAttribute(attr_name="w", legacy_encoding=False)


class WordChange(WordItem):
    """A change of comments that was committed, until their postings are written.

    ``named`` are the keys of the postings that they may have had, or may have been given since:
    stems by the place and the start of the partition. Who writes them has set ``at``, and sets it
    again before writing others. ``marks`` are the keys of its marks, each in one text.
    """

    named = WireMap(attr_name="w")
    marks = UnicodeSetAttribute(attr_name="m")
    at = UnicodeAttribute()


class PendingMark(WordItem):
    """A change of comments of one product that was committed, and may not be in postings yet.

    It has no names and no words. ``change`` is the sort key of its `WordChange`, where that is not
    its own.
    """

    change = UnicodeAttribute(attr_name="c", null=True)


TABLE = WordItem.Meta.table_name
"""The name of the table, prefix included."""
