"""Two overloaded indexes, and what an index for each of their lists would take instead.

``ranked`` and ``by_author`` have several lists each. Of each there is an example here, built by the
site's models. In an index of its own its partition key needs no prefix, and the index projects
what the list shows and no more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from comments import keys
from comments.items import NewComment, items_of
from comments.models import (
    SHOWN,
    ByAuthor,
    Comment,
    CommentItem,
    CommentReply,
    CommentReport,
    CommentVote,
    ProductRank,
    Ranked,
)
from dynapages.items import Item, item_bytes
from dynapages.lists import sort_key_of, timestamp
from lab.native_keys.byte_prices import IndexShape, price_of_write
from lab.native_keys.designs import Concatenated
from lab.native_keys.figures import IndexNumbers, ListPrice

MOST_INDEXES = 20
"""Global secondary indexes of a table, unless Amazon raises that."""
MOST_PROJECTED = 100
"""Attributes that all indexes of a table name in their projections; twice named counts twice."""

PRODUCT_ID = "enamelled-frying-pan"
COMMENT_ID = "275a93272be81306"
USER, STAFF = "alex", "sam"
MOMENT = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
SHARD = 0
TEXT = (
    "Thank you for telling us. We have sent you another one today, and it should arrive on Friday."
)


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list in an overloaded index: an item of it, and the prefix of its partition keys.

    ``shown`` is what the list needs of its entries besides their keys.
    """

    index: str
    name: str
    prefix: str
    item: CommentItem
    shown: Sequence[str] = ()
    is_edited: bool = False


def _lists() -> Sequence[_Listed]:
    """Return the lists of both indexes.

    Left out is that of a user's comments while they are erased, which is empty otherwise.
    """
    ranked, by_author = Ranked.Meta.index_name, ByAuthor.Meta.index_name
    helpful = _comment()
    helpful.rank_partition = keys.helpful(PRODUCT_ID)
    helpful.rank_place = keys.scored(12, COMMENT_ID)
    five_stars = _rank("FIVE_STARS", keys.scored(57, PRODUCT_ID))
    commented = _rank("COMMENTED", sort_key_of(MOMENT, PRODUCT_ID))
    shown_of_ranks = (ProductRank.newest.attr_name, ProductRank.name.attr_name)
    shown_of_comments = (Comment.language.attr_name, Comment.rating.attr_name, *SHOWN)
    shown_of_helpful = (Comment.place.attr_name, *shown_of_comments)
    shown_of_own = (
        *shown_of_comments,
        Comment.product_partition.attr_name,
        Comment.hidden_product.attr_name,
        Comment.hold_reason.attr_name,
    )
    return (
        _Listed(
            ranked,
            "products by 5-star comments",
            f"{keys.RANK_PREFIX}FIVE_STARS#",
            five_stars,
            shown_of_ranks,
        ),
        _Listed(
            ranked,
            "products by last comment",
            f"{keys.RANK_PREFIX}COMMENTED#",
            commented,
            shown_of_ranks,
        ),
        _Listed(
            ranked,
            "a product's comments by votes",
            keys.helpful(""),
            helpful,
            shown_of_helpful,
            is_edited=True,
        ),
        _Listed(
            by_author,
            "a user's comments",
            keys.author(""),
            _comment(),
            shown_of_own,
            is_edited=True,
        ),
        _Listed(by_author, "a user's votes", keys.voter(""), _vote()),
        _Listed(by_author, "a user's reports", keys.reporter(""), _report()),
        _Listed(by_author, "replies of staff", keys.replier(""), _reply(), is_edited=True),
    )


def _rank(ranking: str, place: str) -> ProductRank:
    key = keys.rank(ranking, PRODUCT_ID)
    return ProductRank(
        pk=key,
        sk=key,
        version=3,
        rank_partition=keys.ranking_shard(ranking, SHARD),
        rank_place=place,
        newest=sort_key_of(MOMENT, COMMENT_ID),
        name="Enamelled frying pan",
    )


def _vote() -> CommentVote:
    return CommentVote(
        pk=keys.comment(COMMENT_ID),
        sk=keys.vote(USER),
        voter_partition=keys.voter(USER),
        place=keys.about(PRODUCT_ID, COMMENT_ID),
    )


def _report() -> CommentReport:
    return CommentReport(
        pk=keys.comment(COMMENT_ID),
        sk=keys.report(USER),
        reporter_partition=keys.reporter(USER),
        place=keys.about(PRODUCT_ID, COMMENT_ID),
        author="Alex",
        reason="other",
        text=TEXT,
        reported_at=timestamp(MOMENT),
    )


def _reply() -> CommentReply:
    return CommentReply(
        pk=keys.comment(COMMENT_ID),
        sk=keys.REPLY,
        replier_partition=keys.replier(STAFF),
        place=keys.replied(timestamp(MOMENT), COMMENT_ID),
        text=TEXT,
        user_id=STAFF,
        author="Sam",
        replied_at=timestamp(MOMENT),
    )


def _comment() -> Comment:
    item, _long_text = items_of(
        NewComment(
            id=COMMENT_ID,
            product_id=PRODUCT_ID,
            language="en",
            rating=5,
            created_at=MOMENT,
            author="Alex",
            title="Lovely",
            body=TEXT,
            user_id=USER,
        )
    )
    return item


def price_lists() -> Iterator[ListPrice]:
    """Yield the prices of each list of the overloaded indexes."""
    for listed in _lists():
        item: Item = listed.item.serialize()
        own_item = _without_prefix(item, listed)
        overloaded, own = _index(listed.index), _index_of_its_own(listed)
        text_units = own_text_units = 0
        if listed.is_edited:
            text_units = _units_of_other_text(item, overloaded)
            own_text_units = _units_of_other_text(own_item, own)
        yield ListPrice(
            listed.index,
            listed.name,
            entry_bytes=_entry_bytes(item, overloaded),
            own_bytes=_entry_bytes(own_item, own),
            put_units=price_of_write(None, item, [overloaded]).units,
            own_put_units=price_of_write(None, own_item, [own]).units,
            text_units=text_units,
            own_text_units=own_text_units,
        )


def count_indexes() -> tuple[IndexNumbers, IndexNumbers]:
    """Return the numbers of the table as it is, and with an index for each list."""
    overloaded = {listed.index for listed in _lists()}
    with_own = [index for index in Concatenated.indexes if index.name not in overloaded]
    for listed in _lists():
        with_own.append(_index_of_its_own(listed))
    return _numbers_of(Concatenated.indexes), _numbers_of(with_own)


def _numbers_of(indexes: Sequence[IndexShape]) -> IndexNumbers:
    return IndexNumbers(len(indexes), sum(len(index.projected) for index in indexes))


def _index(name: str) -> IndexShape:
    (found,) = (index for index in Concatenated.indexes if index.name == name)
    return found


def _index_of_its_own(listed: _Listed) -> IndexShape:
    return replace(_index(listed.index), name=listed.name, projected=tuple(listed.shown))


def _without_prefix(item: Item, listed: _Listed) -> Item:
    """Return an item whose partition key says nothing but what the list is of."""
    (partition,) = _index(listed.index).partition
    return {**item, partition: {"S": item[partition]["S"].removeprefix(listed.prefix)}}


def _entry_bytes(item: Item, index: IndexShape) -> int:
    return item_bytes(index.entry_of(item) or {})


def _units_of_other_text(item: Item, index: IndexShape) -> int:
    other = {**item, Comment.text.attr_name: {"S": "Another text."}}
    return price_of_write(item, other, [index]).units
