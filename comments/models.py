"""The table ``comments``: its items, and the indexes its lists are read from.

Attributes of list entries have names of one letter on the wire, because a query is charged by the
bytes it reads. Table design of part 2 of "Efficient filtering with DynamoDB".
"""

from django.conf import settings
from pynamodb.attributes import (
    Attribute,
    BinaryAttribute,
    BooleanAttribute,
    NumberAttribute,
    TTLAttribute,
    UnicodeAttribute,
    UnicodeSetAttribute,
)
from pynamodb.constants import MAP
from pynamodb.indexes import GlobalSecondaryIndex, IncludeProjection

from dynapages.items import Item
from dynapages.pynamodb import DynamoModel

SHOWN = ("i", "u", "t", "x", "m", "e", "v", "y")
"""What a list shows besides language and rating, wherever its entries are stored."""
VOTED = "hv"
"""The number of votes, which the indexes of lists and of authors have as well.

Entries in other tables do without: a comment has dozens of them, and each vote would change all.
"""
LISTED = (*SHOWN, VOTED)
"""What a list shows that is read from an index of the table."""
ENTRY = ("o", "g", "s", "n", *SHOWN)
"""The attributes of a list entry that is stored in another table."""
OLDER_TABLE = (
    "It holds comments as another version stored them. They go over into new tables, by "
    "export_comments of that version and import_comments of this one: see docs/importing.md, "
    "“From 0.1.0”."
)
"""What operators are told of a table that differs from its model."""


class ListIndex(GlobalSecondaryIndex["Comment"]):
    """An index that lists comments: the other side of its keys is a place, or begins like one."""

    partition: UnicodeAttribute
    place = UnicodeAttribute(range_key=True, attr_name="o")


class All(ListIndex):
    """A product's comments: partition ``PRODUCT#42``."""

    class Meta:
        index_name = "all"
        projection = IncludeProjection(["g", "s", *LISTED])

    partition = UnicodeAttribute(hash_key=True, attr_name="a")


class ByLanguage(ListIndex):
    """A product's comments in one language: partition ``PRODUCT#42/en``."""

    class Meta:
        index_name = "by_language"
        projection = IncludeProjection(["s", *LISTED])

    partition = UnicodeAttribute(hash_key=True, attr_name="l")


class ByRating(ListIndex):
    """A product's comments of one rating: partition ``PRODUCT#42/5``."""

    class Meta:
        index_name = "by_rating"
        projection = IncludeProjection(["g", *LISTED])

    partition = UnicodeAttribute(hash_key=True, attr_name="r")


class ByLanguageAndRating(ListIndex):
    """A product's comments in one language of one rating: partition ``PRODUCT#42/en/5``."""

    class Meta:
        index_name = "by_language_and_rating"
        projection = IncludeProjection(list(LISTED))

    partition = UnicodeAttribute(hash_key=True, attr_name="b")


class Ranked(ListIndex):
    """Rankings by score, of products of the shop and of a product's comments; sparse, overloaded.

    The ranks of products need only their keys, ``o``, the place of the latest comment, ``t``, and
    for their ratings ``m`` and ``s``.
    """

    class Meta:
        index_name = "ranked"
        projection = IncludeProjection(["o", "g", "s", *SHOWN])

    partition = UnicodeAttribute(hash_key=True, attr_name="k")
    place = UnicodeAttribute(range_key=True, attr_name="p")


class ByAuthor(ListIndex):
    """The comments of a user: partition ``AUTHOR#alex``; sparse, without imported comments.

    The product is in ``a``, or of a hidden comment in ``h``.
    """

    class Meta:
        index_name = "by_author"
        projection = IncludeProjection(["g", "s", "a", "h", "hr", *LISTED])

    partition = UnicodeAttribute(hash_key=True, attr_name="c")


class Moderation(ListIndex):
    """Reported, held and hidden comments: partition ``MODERATION#REPORTED``; sparse.

    The sort key begins with the moment of the first report since staff last kept the comment, or
    with that since when it is held.
    """

    class Meta:
        index_name = "moderation"
        projection = IncludeProjection(["o", "g", "s", "a", "h", "hr", "n", "nr", *SHOWN])

    partition = UnicodeAttribute(hash_key=True, attr_name="q")
    place = UnicodeAttribute(range_key=True, attr_name="j")


class Featured(ListIndex):
    """A product's comments picked by staff: partition ``FEATURED#42``; sparse."""

    class Meta:
        index_name = "featured"
        projection = IncludeProjection(["g", "s", *SHOWN])

    partition = UnicodeAttribute(hash_key=True, attr_name="f")


class WireMap(Attribute[Item]):
    """A map in wire form."""

    attr_type = MAP


class ListEntry:
    """What is kept of a comment wherever it is listed, beside its place.

    ``user_id`` is missing where it was imported. ``reply`` is what `comments.items.reply_shown`
    returns.
    """

    language = UnicodeAttribute(attr_name="g")
    rating = NumberAttribute(attr_name="s")
    version = NumberAttribute(attr_name="n", null=True)
    user_id = UnicodeAttribute(attr_name="i", null=True)
    author = UnicodeAttribute(attr_name="u", null=True)
    title = UnicodeAttribute(attr_name="t", null=True)
    text = UnicodeAttribute(attr_name="x", null=True)
    body_bytes = NumberAttribute(attr_name="m", null=True)
    edited_at = UnicodeAttribute(attr_name="e", null=True)
    verified = BooleanAttribute(attr_name="v", null=True)
    reply = WireMap(attr_name="y", null=True)


class CommentItem(DynamoModel):
    """Any item of the table; the dependents of a comment share its partition key."""

    class Meta:
        table_name = f"{settings.DYNAMODB_TABLE_PREFIX}comments"
        region = settings.AWS_REGION
        billing_mode = "PAY_PER_REQUEST"
        differs_hint = OLDER_TABLE

    pk = UnicodeAttribute(hash_key=True)
    sk = UnicodeAttribute(range_key=True)
    expires_at = TTLAttribute(null=True, attr_name="z")


class Comment(ListEntry, CommentItem):
    """A comment as lists show it; a long text is an item of its own (`CommentBody`).

    Derived keys: build comments by `comments.items` alone. A hidden comment lacks the four that
    list it, and has ``hidden_product`` instead, and a held one its ``hold_reason``; a tombstone has
    nothing but its product and ``expires_at``. ``verified`` is missing where it was imported, but
    for reviews that came with their orders. ``moved_from`` are the other products that it was about
    before imports moved it. ``imported_votes`` are helpful votes of another system, which count
    beside those of users here; it is missing for none.
    """

    # The keys of the indexes that list it.
    place = UnicodeAttribute(attr_name="o")
    product_partition = UnicodeAttribute(attr_name="a", null=True)
    language_partition = UnicodeAttribute(attr_name="l", null=True)
    rating_partition = UnicodeAttribute(attr_name="r", null=True)
    language_rating_partition = UnicodeAttribute(attr_name="b", null=True)
    author_partition = UnicodeAttribute(attr_name="c", null=True)
    hidden_product = UnicodeAttribute(attr_name="h", null=True)
    hold_reason = UnicodeAttribute(attr_name="hr", null=True)

    body_digest = BinaryAttribute(attr_name="d", null=True, legacy_encoding=False)

    rank_partition = UnicodeAttribute(attr_name="k", null=True)
    rank_place = UnicodeAttribute(attr_name="p", null=True)
    rank_version = NumberAttribute(attr_name="w", null=True)
    helpful_votes = NumberAttribute(attr_name=VOTED, null=True)
    imported_votes = NumberAttribute(attr_name="iv", null=True)

    moderation_partition = UnicodeAttribute(attr_name="q", null=True)
    moderation_place = UnicodeAttribute(attr_name="j", null=True)
    reports = NumberAttribute(attr_name="nr", null=True)
    featured_partition = UnicodeAttribute(attr_name="f", null=True)
    reply_digest = BinaryAttribute(attr_name="rd", null=True, legacy_encoding=False)
    moved_from = UnicodeSetAttribute(attr_name="mf", null=True)

    all = All()
    by_language = ByLanguage()
    by_rating = ByRating()
    by_language_and_rating = ByLanguageAndRating()
    ranked = Ranked()
    by_author = ByAuthor()
    moderation = Moderation()
    featured = Featured()


class ProductRank(CommentItem):
    """A product in a ranking of the shop, written by `comments.rankings.services` alone.

    One that does not rank lacks ``rank_partition`` and ``rank_place``; ``version`` stays.
    ``newest`` is the place of the product's latest comment. How many comments rate the product, and
    with how many stars in all, is written by `comments.rankings.ratings`.
    """

    version = NumberAttribute(attr_name="w")
    rank_partition = UnicodeAttribute(attr_name="k", null=True)
    rank_place = UnicodeAttribute(attr_name="p", null=True)
    newest = UnicodeAttribute(attr_name="o", null=True)
    name = UnicodeAttribute(attr_name="t", null=True)
    rated = NumberAttribute(attr_name="m", null=True)  # the index has it, as the next one
    stars = NumberAttribute(attr_name="s", null=True)


class CommentBody(CommentItem):
    """The whole text of a comment too long to travel in lists: sort key ``BODY``."""

    text = UnicodeAttribute(attr_name="x")


class BlockedAuthor(CommentItem):
    """An author whose comments are held from then on: both keys ``AUTHOR#<user>``."""

    blocked_at = UnicodeAttribute(attr_name="at")


class ModerationCounts(CommentItem):
    """How often comments were held, rejected, hidden and restored in a year.

    Both keys are ``MODERATED#<year>``. ``counted_since`` is the moment of the first. The other
    attributes are numbers, such as ``03.held.link``: see `comments.moderation.year_counts`.
    """

    counted_since = UnicodeAttribute(attr_name="at")


class ProductTopics(CommentItem):
    """What buyers say about a product: ``TOPICS#<product>`` / ``TOPICS``.

    ``languages`` is a map by the codes of languages: see `comments.topics.records`.
    """

    version = NumberAttribute(attr_name="n")
    languages = WireMap(attr_name="languages")


class BannedTopics(CommentItem):
    """Words that staff do not want as topics: ``TOPICS#<product>`` / ``BANNED``.

    Those of all products are in ``TOPICS#``. Each is a language and a stem, such as ``en/batteri``.
    """

    version = NumberAttribute(attr_name="n")
    stems = UnicodeSetAttribute(attr_name="stems", null=True)


class LanguageWords(CommentItem):
    """How many comments and products have each word of a language: ``WORDS#<language>``.

    They are of a sample, see `comments.topics.vocabulary`. ``words`` is compressed.
    """

    made_at = UnicodeAttribute(attr_name="at")
    comments = NumberAttribute()
    words = BinaryAttribute(legacy_encoding=False)


class AskedUser(CommentItem):
    """A user who is asked for reviews, or does not want to be: ``ASKED#<user>`` / ``USER``.

    ``last_asked_at`` is when a mail server took the last request. ``claim`` is there while a
    process sends one: it begins with the moment until which no other process does.
    """

    last_asked_at = UnicodeAttribute(attr_name="at", null=True)
    claim = UnicodeAttribute(attr_name="claim", null=True)
    is_muted = BooleanAttribute(attr_name="muted", null=True)


class ReviewRequest(CommentItem):
    """A request for reviews of a purchase: sort key ``REQUEST#<purchase>``.

    It is written once a mail server took it, or ``is_refused`` its address for good. The moments
    are those at which the user first opened its link, and posted a comment there.
    """

    asked_at = UnicodeAttribute(attr_name="at")
    is_refused = BooleanAttribute(attr_name="refused", null=True)
    opened_at = UnicodeAttribute(attr_name="opened", null=True)
    reviewed_at = UnicodeAttribute(attr_name="reviewed", null=True)


class CommentVote(CommentItem):
    """A user's vote that a comment is helpful: sort key ``VOTE#<user>``."""

    voter_partition = UnicodeAttribute(attr_name="c")
    place = UnicodeAttribute(attr_name="o")


class CommentReport(CommentItem):
    """A user's report of a comment: sort key ``REPORT#<user>``; ``author`` is their name."""

    reporter_partition = UnicodeAttribute(attr_name="c")
    place = UnicodeAttribute(attr_name="o")
    author = UnicodeAttribute(attr_name="u", null=True)
    reason = UnicodeAttribute(attr_name="reason")
    text = UnicodeAttribute(attr_name="x", null=True)
    reported_at = UnicodeAttribute(attr_name="at")


class CommentReply(CommentItem):
    """The shop's reply to a comment: sort key ``REPLY``.

    An imported one lacks ``user_id``, ``author`` and the keys of ``by_author``, and perhaps
    ``replied_at``. ``author`` is the name of who wrote it, for staff.
    """

    replier_partition = UnicodeAttribute(attr_name="c", null=True)
    place = UnicodeAttribute(attr_name="o", null=True)
    text = UnicodeAttribute(attr_name="x")
    user_id = UnicodeAttribute(attr_name="i", null=True)
    author = UnicodeAttribute(attr_name="u", null=True)
    replied_at = UnicodeAttribute(attr_name="at", null=True)
    edited_at = UnicodeAttribute(attr_name="e", null=True)
    version = NumberAttribute(attr_name="n", default=1)


class ImportCheckpoint(CommentItem):
    """How far an import has come that is not finished: both keys ``IMPORT#<digest>``.

    ``row`` is the number of the last row that is wholly written, from 0, with all before it.
    """

    row = NumberAttribute()
    saved_at = UnicodeAttribute(attr_name="at")


KNOW_VOTES = frozenset(
    index.Meta.index_name for index in (All, ByLanguage, ByRating, ByLanguageAndRating, ByAuthor)
)
"""The indexes that have the votes; in the sort key of ``ranked`` they are as well."""
TABLE = Comment.Meta.table_name
"""The name of the table, prefix included."""
