"""The steps of ``migrate_items`` in the table ``comments``, in their order."""

from collections.abc import Callable, Sequence
from functools import partial

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.integrity.comments import count_all
from comments.integrity.dependents import user_keys
from comments.items import EXCERPT, LONGEST_LISTED_TEXT, reply_shown, text_shown
from comments.models import TABLE, Comment, CommentBody, CommentReply
from comments.rankings.services import rank_changes
from comments.sets.following import follow
from comments.store.comments import is_tombstone
from comments.store.counts import corrections, counters
from comments.store.table import ATTEMPTS, Changes, change, changed, comment_key, read_item
from dynamo.items import Item
from dynamo.upkeep.migrations import Step
from dynamo.writes.actions import Action, check, put, unchanged
from dynamo.writes.transactions import Contended

_TEXT = Comment.text.attr_name
_BODY_TEXT = CommentBody.text.attr_name
_BODY_BYTES = Comment.body_bytes.attr_name
_LONGEST_EXCERPT = EXCERPT + len("…".encode())
_FOLLOWED = (Comment.pk, Comment.version, Comment.product_partition, Comment.reply)
"""What changes with whatever a list shows of a comment (see `comments.sets.following`)."""


def _step(
    name: str, sentence: str, only: Condition, derive: Callable[[Item], Sequence[Action]]
) -> Step:
    return Step(name, sentence, TABLE, keys.migration(name), only, derive)


def _text_changes(comment: Item) -> list[Action]:
    """Build the update of a comment whose text in lists is longer than those are now.

    A text that was whole in the comment becomes an item of its own. A long text that is lost is
    left to the integrity check.
    """
    shown, comment_id = comment.get(_TEXT, {"S": ""})["S"], keys.comment_id_in(comment["pk"]["S"])
    was_long = _BODY_BYTES in comment
    longest = _LONGEST_EXCERPT if was_long else LONGEST_LISTED_TEXT
    if is_tombstone(comment) or len(shown.encode()) <= longest:
        return []
    body_key = comment_key(comment_id, keys.BODY)
    body = read_item(body_key) if was_long else {**body_key, _BODY_TEXT: {"S": shown}}
    if not body:
        return []
    derived = Comment(**text_shown(body[_BODY_TEXT]["S"])).serialize(null_check=False)
    same = unchanged(comment, *_FOLLOWED, Comment.text, Comment.body_bytes)
    key = comment_key(comment_id)
    return [
        change(key, derived, same),
        *([] if was_long else [put(CommentBody, body)]),
        *follow(comment, changed(comment, derived)),
    ]


def _reply_changes(reply: Item) -> list[Action]:
    """Build the update of a comment that does not hold what lists show of its reply."""
    key = comment_key(keys.comment_id_in(reply["pk"]["S"]))
    comment = read_item(key)
    changes: Changes = {Comment.reply.attr_name: {"M": reply_shown(reply)}}
    if not comment or is_tombstone(comment) or changes.items() <= comment.items():
        return []
    dates = (CommentReply.replied_at, CommentReply.edited_at)
    return [
        change(key, changes, unchanged(comment, *_FOLLOWED)),
        check(
            CommentReply,
            comment_key(keys.comment_id_in(reply["pk"]["S"]), keys.REPLY),
            unchanged(reply, CommentReply.text, CommentReply.version, *dates),
        ),
        *follow(comment, changed(comment, changes)),
    ]


def _user_key_changes(item: Item) -> list[Action]:
    kind = user_keys()
    return kind.actions(item, kind.derive(item)) if any(kind.differences(item)) else []


def _rank_changes(counts: Item) -> list[Action]:
    product_id = keys.product_id_of_counts(counts["pk"]["S"])
    is_first = counts["pk"]["S"] == keys.counts(product_id, 0)
    return rank_changes(product_id) if is_first else []


def _month_changes(counts: Item) -> list[Action]:
    """Build the update of counts that lack months, by all comments of their product."""
    product_id = keys.product_id_of_counts(counts["pk"]["S"])
    if counts["pk"]["S"] != keys.counts(product_id, 0):
        return []
    for _ in range(ATTEMPTS):
        actions = corrections(counters(), product_id, partial(count_all, product_id))
        if actions is not None:
            return actions
    raise Contended(f"Others kept changing the counts of {product_id}.")


_OF_A_COMMENT = Comment.pk.startswith(keys.COMMENT_PREFIX)
STEPS = (
    _step(
        "listed-texts",
        f"Show texts in lists up to {LONGEST_LISTED_TEXT} bytes, or {EXCERPT} of longer ones.",
        _OF_A_COMMENT & Comment.sk.startswith(keys.COMMENT_PREFIX),
        _text_changes,
    ),
    _step(
        "listed-replies",
        "Store what lists show of the shop's reply with its comment.",
        _OF_A_COMMENT & (Comment.sk == keys.REPLY),
        _reply_changes,
    ),
    _step(
        "user-keys",
        "List votes, reports and replies by the user who wrote them.",
        _OF_A_COMMENT & ~Comment.sk.startswith(keys.COMMENT_PREFIX),
        _user_key_changes,
    ),
    _step(
        "ranks",
        "Rank the products that have comments, and store their names with their ranks.",
        Comment.pk.startswith(keys.COUNTS_PREFIX),
        _rank_changes,
    ),
    _step(
        "months",
        "Count the comments of each product by month.",
        Comment.pk.startswith(keys.COUNTS_PREFIX),
        _month_changes,
    ),
)
