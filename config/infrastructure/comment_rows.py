"""Sample rows of the tables ``comments`` and ``comment_sets``: every kind of item.

The functions that every write uses build them. What the site only updates, such as tallies of votes
and ranks, is spelled out here. A test compares the rows with what the site stores.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from comments import keys
from comments.imports.upserts import Change
from comments.integrity.steps import STEPS
from comments.items import NewComment, NewReply, items_of, reply_shown
from comments.models import (
    Comment,
    CommentItem,
    CommentReply,
    CommentReport,
    CommentVote,
    ProductRank,
)
from comments.rankings.derivation import RANKED, Ranking, commented_place, five_stars_place
from comments.replies.services import BY_STAFF
from comments.reports.services import Reason
from comments.sets.copies import copies_of, primary_of
from comments.store.comments import EXPIRY
from comments.store.counts import cells_of
from comments.store.revision import State
from comments.store.table import LIST_KEYS, comment_key
from comments.votes.queries import HELPFUL
from config.infrastructure.shop_rows import LATER, counter_row, shards_row, step_row
from dynamo.items import Item, wire_key
from dynamo.lists.places import place_of, timestamp
from shop.table_picture import START

_PRODUCT = "reading-lamp"
_PRAISE = NewComment(
    "c1",
    _PRODUCT,
    "en",
    5,
    START,
    author="alex",
    title="Would buy it again",
    body="Came two days early, and does what it should. I use it every day. " * 6,
    username="alex",
    verified=True,
)
_CRITICISM = NewComment(
    "c2",
    _PRODUCT,
    "de",
    2,
    START,
    author="Kim",
    title="Flackert",
    body="Die Lampe flackert, und ihr Fuß steht schief.",
    verified=True,
    reply=NewReply("Das tut uns leid: wir tauschen sie um.", LATER),
)
_HIDDEN = replace(_PRAISE, id="c3", rating=1, title="", body="Spam.", username="robin")


def comment_rows() -> Iterator[Item]:
    """Yield rows of the table ``comments``."""
    _, body = items_of(_PRAISE)
    moved = _moved()
    yield from (_praise(), moved.merged)
    yield from (item.serialize() for item in (body, _reply()) if item)
    if moved.reply:
        yield moved.reply
    yield _hidden()
    yield _tombstone()
    yield from (item.serialize() for item in [*_reactions(), *_ranks()])
    yield from _counters()
    yield shards_row(keys.shards(RANKED.name))
    yield _checkpoint()
    yield step_row(STEPS[0])


def set_rows() -> Iterator[Item]:
    """Yield rows of the table ``comment_sets``: a comment's primary item and its copies."""
    primary = primary_of(_praise())
    if primary is not None:
        yield from (primary, *copies_of(primary))


def _praise() -> Item:
    """Build a comment that was edited, voted for, reported, picked and replied to."""
    item, _ = items_of(_PRAISE)
    item.version = 2
    item.edited_at = timestamp(LATER)
    item.rank_partition = keys.helpful(_PRODUCT)
    item.rank_place = keys.scored(1, _PRAISE.id)
    item.rank_version = 1
    item.moderation_partition = keys.moderation(State.REPORTED)
    item.moderation_place = place_of(LATER, _PRAISE.id)
    item.reports = 1
    item.featured_partition = keys.featured(_PRODUCT)
    item.reply = reply_shown(_reply().serialize())
    item.reply_digest = BY_STAFF
    return dict(item.serialize())


def _moved() -> Change:
    """Return the import of a comment that was about another product before."""
    before = Change.between(None, replace(_CRITICISM, product_id="desk-lamp"))
    return Change.between(before.merged, _CRITICISM)


def _hidden() -> Item:
    item, _ = items_of(_HIDDEN)
    item.version = 2
    item.hidden_product = _PRODUCT
    item.moderation_partition = keys.moderation(State.HIDDEN)
    item.moderation_place = place_of(LATER, _HIDDEN.id)
    listed = LIST_KEYS.values()
    return {name: value for name, value in item.serialize().items() if name not in listed}


def _tombstone() -> Item:
    expires_at = int((START + timedelta(days=30)).timestamp())
    product = {Comment.hidden_product.attr_name: {"S": _PRODUCT}}
    return {**comment_key("c4"), **product, EXPIRY: {"N": str(expires_at)}}


def _reply() -> CommentReply:
    return CommentReply(
        pk=keys.comment(_PRAISE.id),
        sk=keys.REPLY,
        replier_partition=keys.replier("sam"),
        place=keys.replied(timestamp(LATER), _PRAISE.id),
        text="Thank you!",
        author="sam",
        replied_at=timestamp(LATER),
        edited_at=timestamp(LATER + timedelta(hours=1)),
        version=2,
    )


def _reactions() -> Iterator[CommentItem]:
    key, place = keys.comment(_PRAISE.id), keys.about(_PRODUCT, _PRAISE.id)
    yield CommentVote(
        pk=key, sk=keys.vote("robin"), voter_partition=keys.voter("robin"), place=place
    )
    yield CommentReport(
        pk=key,
        sk=keys.report("robin"),
        reporter_partition=keys.reporter("robin"),
        place=place,
        reason=Reason.OTHER.value,
        text="It is about another lamp.",
        reported_at=timestamp(LATER),
    )


def _ranks() -> Iterator[ProductRank]:
    newest = place_of(_PRAISE.created_at, _PRAISE.id)
    for ranking, place, latest in (
        (Ranking.FIVE_STARS, five_stars_place(_PRODUCT, 1), None),
        (Ranking.COMMENTED, commented_place(_PRODUCT, newest), newest),
    ):
        key = keys.rank(ranking, _PRODUCT)
        yield ProductRank(
            pk=key,
            sk=key,
            version=2,
            rank_partition=keys.ranking_shard(ranking, 0),
            rank_place=place,
            newest=latest,
            name="Reading lamp",
        )


def _counters() -> Iterator[Item]:
    cells: dict[str, int] = {}
    for comment in (_PRAISE, _CRITICISM):
        for cell in cells_of(comment.language, comment.rating, comment.created_at):
            cells[cell] = cells.get(cell, 0) + 1
    counts = keys.counts(_PRODUCT, 0)
    yield counter_row({"pk": counts, "sk": counts}, cells, shards=1)
    yield counter_row(keys.tally(_PRAISE.id, 0), {HELPFUL: 1}, shards=1)


def _checkpoint() -> Item:
    arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/comment_sets/stream/2023-01-01T00:00:00"
    key = keys.checkpoint(arn, "shardId-00000001672531200000-f0000000")
    expires_at = int((START + timedelta(days=7)).timestamp())
    # One whose shard has ended has a boolean ``finished`` besides, which is a text in a step of
    # migrate_items: a model of NoSQL Workbench has one type for each name.
    texts = wire_key({**key, "sequence_number": "100000000000000000001"})
    return {**texts, EXPIRY: {"N": str(expires_at)}}
