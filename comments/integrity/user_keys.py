"""The keys by which votes, reports and replies are listed by their users."""

from collections.abc import Iterator
from functools import partial

from comments import keys
from comments.integrity.comparing import differing
from comments.models import Comment, CommentReply
from comments.store.comments import product_id_of
from comments.store.table import comment_key, read_item
from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.lists.places import SEPARATOR
from dynamo.upkeep.differences import mended
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import Action, unchanged, update
from dynamo.writes.updates import write_one

_PARTITION = CommentReply.replier_partition.attr_name
_PLACE = CommentReply.place.attr_name


def differing_user_keys(item: Item) -> Iterator[Difference]:
    """Compare the keys of an item beside a comment."""
    if actions := user_key_changes(item):
        comment_id = keys.comment_id_in(item["pk"]["S"])
        stored = [item.get(name, {"S": "nothing"})["S"] for name in (_PARTITION, _PLACE)]
        expected = f"{_partition(item)} …{SEPARATOR}{comment_id}"
        mend = partial(mended, partial(write_one, client(), actions[0]))
        subject = f"{item['sk']['S']} of {comment_id}"
        yield from differing("keys", subject, " ".join(stored), expected, mend=mend)


def user_key_changes(item: Item) -> list[Action]:
    """Build the update of an item beside a comment, none if it has its keys or needs none."""
    partition, comment_id = _partition(item), keys.comment_id_in(item["pk"]["S"])
    is_placed = item.get(_PLACE, {"S": ""})["S"].endswith(SEPARATOR + comment_id)
    if not partition or (item.get(_PARTITION) == {"S": partition} and is_placed):
        return []
    place = item[_PLACE]["S"] if is_placed else _place(item, comment_id)
    changes = [CommentReply.replier_partition.set(partition), CommentReply.place.set(place)]
    same = unchanged(item, Comment.pk, CommentReply.replier_partition, CommentReply.place)
    if item["sk"]["S"] == keys.REPLY:
        same &= unchanged(item, CommentReply.author, CommentReply.replied_at)
    return [update(CommentReply, table_key(item["pk"]["S"], item["sk"]["S"]), changes, same)]


def _partition(item: Item) -> str:
    """Return the partition in ``by_author``; empty for a body, and for a reply by no user."""
    sort_key = item["sk"]["S"]
    if sort_key == keys.REPLY:
        author: str = item.get(CommentReply.author.attr_name, {"S": ""})["S"]
        return keys.replier(author) if author else ""
    for prefix, partition in (
        (keys.VOTE_PREFIX, keys.voter),
        (keys.REPORT_PREFIX, keys.reporter),
    ):
        if sort_key.startswith(prefix):
            return partition(sort_key.removeprefix(prefix))
    return ""


def _place(item: Item, comment_id: str) -> str:
    if item["sk"]["S"] == keys.REPLY:
        moment: str = item.get(CommentReply.replied_at.attr_name, {"S": ""})["S"]
        return keys.replied(moment, comment_id)
    return keys.about(product_id_of(read_item(comment_key(comment_id))), comment_id)
