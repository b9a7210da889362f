"""The data of a user among the comments: comments, votes, reports and names on replies."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from textwrap import indent
from typing import Any

from comments import keys
from comments.filters import CommentFilter
from comments.lists.queries import entry_of, read_model
from comments.models import (
    TABLE,
    ByAuthor,
    Comment,
    CommentBody,
    CommentItem,
    CommentReply,
    CommentReport,
    CommentVote,
)
from comments.moderation.listing import run_of
from comments.posting.services import delete_comment
from comments.profiles.queries import ids_written_by
from comments.store.comments import NOT_DELETED, NoSuchComment, State
from comments.store.table import comment_key, query_pages
from comments.votes.services import rank_or_log, take_back
from dynapages.calls import Keyed
from dynapages.items import Item
from dynapages.lists import every_entry
from dynapages.process import client, read
from dynapages.pynamodb import update
from dynapages.upkeep import Kept, Trace
from dynapages.writes import Action, ConditionFailed, delete, write_one, write_together
from shop.data.exports import walk_through
from shop.orders.queries import products_bought_by
from shop.user_data import ACTIVITY, PROFILE, PURCHASES

_COMMENT = 0
"""Number of the transaction's action on the comment."""


def comments_listed_in(partition: str) -> Iterator[str]:
    """Yield the ids of the comments in a partition of ``by_author``."""
    index = ByAuthor.Meta.index_name
    for page in query_pages(ByAuthor.partition == partition, IndexName=index):
        for item in page["Items"]:
            yield keys.comment_id_in(item["pk"]["S"])


def delete_written(username: str, comment_id: str) -> None:
    """Delete a comment of a user who is erased; until all is gone, ``keys.erased`` lists it."""
    delete_comment(comment_id, found_by=keys.erased(username))
    delete_comment(comment_id)  # finishes what the first time only logged
    _forget(comment_id)


def delete_vote(username: str, comment_id: str) -> None:
    """Delete a user's vote, and count it out, also where the comment is deleted."""
    try:
        take_back(comment_id=comment_id, username=username)
    except NoSuchComment:
        write_one(client(), delete(TABLE, comment_key(comment_id, keys.vote(username))))
    finally:
        rank_or_log(comment_id)  # in any case: a second run would not find the vote


def delete_report(username: str, comment_id: str) -> None:
    """Delete a user's report, and count it out; the comment stays in the queue if it is there."""
    report = delete(Comment, comment_key(comment_id, keys.report(username)), Comment.pk.exists())
    uncount = update(Comment, comment_key(comment_id), [Comment.reports.add(-1)], NOT_DELETED)
    try:
        write_together(client(), [uncount, report])
    except ConditionFailed as error:
        if _COMMENT in error.failed:
            write_one(client(), delete(TABLE, comment_key(comment_id, keys.report(username))))


def delete_signature(username: str, comment_id: str) -> None:
    """Remove the name of its author from a reply, which is the shop's and stays.

    Its version is raised, so that a change under way cannot restore the name.
    """
    partition = CommentReply.replier_partition
    changes = [
        partition.remove(),
        CommentReply.place.remove(),
        CommentReply.author.remove(),
        CommentReply.version.add(1),
    ]
    signed = partition == keys.replier(username)
    _update(update(CommentReply, comment_key(comment_id, keys.REPLY), changes, signed))


def _forget(comment_id: str) -> None:
    """Remove the keys that list the tombstone of an erased comment."""
    changes = [Comment.author_partition.remove(), Comment.place.remove()]
    _update(update(Comment, comment_key(comment_id), changes, Comment.expires_at.exists()))


def _update(action: Action) -> None:
    """Update an item that is still as expected; else it was changed before, or is gone."""
    with suppress(ConditionFailed):
        write_one(client(), action)


AT_ONCE = 200


def imported_reviews_of(username: str) -> Iterator[str]:
    """Yield the ids of imported reviews that came with a user's orders.

    All comments on what the user bought are read, and all hidden ones, which are in no list.
    """
    bought = list(products_bought_by(username))
    lists = [read_model().plan(product_id, CommentFilter()).runs for product_id in bought]
    for runs in [*lists, [run_of(State.HIDDEN)]]:
        for found in every_entry(partial(read, runs), at_once=AT_ONCE):
            entry = entry_of(found.item)
            is_theirs = entry.author == username and entry.is_verified and not entry.username
            if is_theirs and entry.product_id in bought:
                yield entry.id


def _written_by(username: str) -> Iterator[str]:
    """Yield the ids of comments, after those whose erasure was interrupted."""
    yield from comments_listed_in(keys.erased(username))
    yield from ids_written_by(username)


def _listed_in(partition_of: Callable[[str], str]) -> Callable[[str], Iterator[str]]:
    return lambda username: comments_listed_in(partition_of(username))


def _written(_username: str, comment_id: str) -> list[Kept]:
    return [
        (Comment, TABLE, comment_key(comment_id)),
        (CommentBody, TABLE, comment_key(comment_id, keys.BODY)),
    ]


def _beside(model: type[CommentItem], sort_key: Callable[[str], str]) -> Callable[..., list[Kept]]:
    return lambda username, comment_id: [
        (model, TABLE, comment_key(comment_id, sort_key(username)))
    ]


VOTES, REPORTS = _beside(CommentVote, keys.vote), _beside(CommentReport, keys.report)
REPLIES = _beside(CommentReply, lambda _username: keys.REPLY)
IMPORTED = Trace("imported reviews", imported_reviews_of, delete_written, _written)
TRACES = (
    Trace("comments", _written_by, delete_written, _written),
    IMPORTED,
    Trace("votes", _listed_in(keys.voter), delete_vote, VOTES),
    Trace("reports", _listed_in(keys.reporter), delete_report, REPORTS),
    Trace("names on replies", _listed_in(keys.replier), delete_signature, REPLIES),
)
"""All kinds of data of a user in the table ``comments``."""


ReadMany = Callable[[Sequence[Keyed]], Iterable[Keyed]]
NAMES_AT_ONCE = 100


def held(trace: Trace, username: str, read: ReadMany) -> Iterator[list[dict[str, Any]]]:
    """Yield what is stored of a person of one kind, `NAMES_AT_ONCE` names at a time.

    Each item is its attributes by their names in the model. ``read`` returns the items that there
    are.
    """
    names = iter(trace.find(username))
    while some := list(dict.fromkeys(islice(names, NAMES_AT_ONCE))):
        wanted = [kept for name in some for kept in trace.keys(username, name)]
        found = {
            _identity(table, item): item
            for table, item in read([(table, key) for _, table, key in wanted])
        }
        items = [(model, found.get(_identity(table, key))) for model, table, key in wanted]
        yield [_attributes(model, item) for model, item in items if item]


def _identity(table: str, item: Item) -> tuple[str, str, str]:
    return table, item["pk"]["S"], item["sk"]["S"]


def _attributes(model: type[Any], item: Item) -> dict[str, Any]:
    """Return the values by their names in the model; what it does not know as it is stored."""
    known = {attribute.attr_name for attribute in model.get_attributes().values()}
    others = {name: next(iter(item[name].values())) for name in item.keys() - known}
    return {**model.from_raw_data(dict(item)).attribute_values, **others}


Batch = Sequence[Mapping[str, Any]]
Section = tuple[str, Iterable[Batch]]
"""A kind of data, and its items."""
ALL: Sequence[Trace] = (PROFILE, PURCHASES, *TRACES, ACTIVITY)
OWN: Sequence[Trace] = tuple(trace for trace in ALL if trace not in {IMPORTED, ACTIVITY})
"""What keys of the user lead to. To find the rest, all that others have done is read as well."""
SECRETS = frozenset({"password", "totp_secret", "recovery_codes"})
"""What a profile has to sign in with: whoever reads the export must not be able to."""
END = "\n  ]"


def sections_of(username: str, traces: Iterable[Trace], read: ReadMany) -> Iterator[Section]:
    """Yield the kinds of data of a user, and the orders; nothing is read before it is asked for."""
    for trace in traces:
        batches = held(trace, username, read)
        yield trace.kind, map(_without_secrets, batches) if trace is PROFILE else batches
    yield "orders", (batch.rows for batch in walk_through(username)(None))


def export_text(username: str, sections: Iterable[Section]) -> Iterator[str]:
    """Yield the text of the object, a part for each batch.

    What reading raises passes through; then a list is open: `END` closes it.
    """
    yield f'{{\n  "username": {json.dumps(username)}'
    for kind, batches in sections:
        yield f",\n  {json.dumps(kind)}: ["
        joint = ""
        for batch in filter(None, batches):
            yield joint + ",".join(map(_text, batch))
            joint = ","
        yield END
    yield "\n}\n"


def _text(item: Mapping[str, Any]) -> str:
    text = json.dumps(dict(item), default=_plain, ensure_ascii=False, indent=2)
    return "\n" + indent(text, "    ")


def _without_secrets(profiles: Batch) -> Batch:
    return [{name: each[name] for name in each if name not in SECRETS} for each in profiles]


def _plain(value: object) -> object:
    """Return what JSON has no form of: maps and lists of PynamoDB, moments, bytes."""
    if hasattr(value, "attribute_values"):
        return dict(value.attribute_values)
    return value.hex() if isinstance(value, bytes) else str(value)
