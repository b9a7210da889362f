"""The integrity of the dependents of comments: votes, reports, replies, picks, moderation.

What a comment's item says of them is compared with the items themselves, once more by a strong read
of them alone. Mending counts them again, and is conditional on the comment being as it was found.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.integrity.comparing import differing, differing_parts
from comments.integrity.ranks import differing_comment
from comments.integrity.user_keys import differing_user_keys
from comments.items import reply_shown
from comments.models import Comment
from comments.sets.following import follow, is_followed
from comments.store.comments import NOT_DELETED, is_tombstone, product_id_of
from comments.store.counts import correct_sums, tallies
from comments.store.revision import State
from comments.store.table import Changes, change, changed, comment_key, query_pages, read_item
from comments.votes.queries import HELPFUL, helpful_votes
from comments.votes.services import rank_or_log
from dynamo.calls.client import client
from dynamo.items import Item, Value, table_key
from dynamo.lists.places import SEPARATOR
from dynamo.upkeep.counters import spread_hints
from dynamo.upkeep.differences import Suspect, mended, suspected
from dynamo.upkeep.integrity import Difference
from dynamo.writes.actions import check, unchanged
from dynamo.writes.counters import cells_in
from dynamo.writes.transactions import write_together

_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_REPORTS = Comment.reports.attr_name
_FEATURED = Comment.featured_partition.attr_name
_REPLY = Comment.reply.attr_name
_PLACE = Comment.place.attr_name
_RANK_PLACE = Comment.rank_place.attr_name
_MARKED = (
    Comment.moderation_partition,
    Comment.moderation_place,
    Comment.reports,
    Comment.featured_partition,
    Comment.reply,
    Comment.rank_place,
)
_MARKS = tuple(attribute.attr_name for attribute in _MARKED)
_TOLD_BY = (
    Comment.product_partition.attr_name,
    Comment.hidden_product.attr_name,
    Comment.rank_partition.attr_name,
)


@dataclass(slots=True)
class _Dependents:
    """What was found of one comment; ``item`` is empty unless it says something of dependents."""

    item: Item = field(default_factory=dict)
    votes: int = 0
    tallied: int = 0
    reports: int = 0
    reply: Value | None = None


@dataclass(slots=True)
class DependentsFound:
    """The dependents seen so far, by the partition keys of their comments."""

    by_comment: dict[str, _Dependents] = field(default_factory=dict)
    spread: list[Difference] = field(default_factory=list)

    def add_tally(self, item: Item) -> None:
        """Add a shard of a tally."""
        comment_id = keys.comment_id_in(item["pk"]["S"])
        self._of(keys.comment(comment_id)).tallied += cells_in(item).get(HELPFUL, 0)
        self.spread += spread_hints(tallies(), comment_id, item, f"votes of comment {comment_id}")

    def add(self, item: Item) -> Iterator[Difference]:
        """Add an item beside a comment, and compare the keys that list it by its user."""
        sort_key, found = item["sk"]["S"], self._of(item["pk"]["S"])
        if sort_key == keys.REPLY:
            found.reply = {"M": reply_shown(item)}
        elif sort_key.startswith(keys.VOTE_PREFIX):
            found.votes += 1
        elif sort_key.startswith(keys.REPORT_PREFIX):
            found.reports += 1
        yield from differing_user_keys(item)

    def add_comment(self, item: Item) -> None:
        """Add a comment that is hidden or says that it has dependents."""
        if State.of(item) is State.HIDDEN or any(name in item for name in _MARKS):
            wanted = ("pk", "sk", _PLACE, *_MARKS, *_TOLD_BY)
            kept = {name: item[name] for name in wanted if name in item}
            self._of(item["pk"]["S"]).item = kept

    def suspects(self, comments: set[str]) -> Iterator[Suspect]:
        """Yield those of existing ``comments`` that look wrong, after all items were added."""
        for key in sorted(self.by_comment.keys() & comments):
            found = _differences(key, self.by_comment[key])
            yield from suspected(found, partial(_look, key))

    def _of(self, comment: str) -> _Dependents:
        return self.by_comment.setdefault(comment, _Dependents())


def _differences(key: str, found: _Dependents) -> Iterator[Difference]:
    found.item = found.item or _read(key)
    if found.item:
        yield from _differing_tally(key, found)
        yield from _differing_marks(key, found)
        yield from differing_comment(key, found.item, found.votes)


def _look(key: str) -> Iterator[Difference]:
    found = DependentsFound()
    for page in query_pages(Comment.pk == key, ConsistentRead=True):
        for item in page["Items"]:
            if item["sk"] != item["pk"]:
                list(found.add(item))  # its own keys are compared where the table is read
            elif not is_tombstone(item):
                found.add_comment(item)
    dependents = found.by_comment.get(key, _Dependents())
    dependents.tallied = helpful_votes(keys.comment_id_in(key))
    return _differences(key, dependents)


def recount_votes(comment_id: str) -> bool:
    """Recount a comment's votes, correct its tally and rank; False when they kept changing."""

    def count() -> Mapping[str, int]:
        return {HELPFUL: _count(comment_id, keys.VOTE_PREFIX)}

    exists = check(Comment, comment_key(comment_id), NOT_DELETED)
    if not correct_sums(tallies(), comment_id, count, exists):
        return False
    rank_or_log(comment_id)
    return True


def _differing_tally(key: str, found: _Dependents) -> Iterator[Difference]:
    comment_id = keys.comment_id_in(key)
    mend = partial(recount_votes, comment_id)
    return differing("votes", f"comment {comment_id}", found.tallied, found.votes, mend=mend)


def _differing_marks(key: str, found: _Dependents) -> Iterator[Difference]:
    return differing_parts(
        "marks",
        f"comment {keys.comment_id_in(key)}",
        {name: found.item.get(name) for name in _MARKS},
        _marks(key, found),
        show=_shown,
        mend=partial(_mend_marks, key, found.item),
    )


def _marks(key: str, found: _Dependents) -> dict[str, Value | None]:
    """Derive what a comment should say of its dependents."""
    item, state = found.item, State.of(found.item)
    if state is State.REPORTED and item[_QUEUE] != {"S": keys.moderation(state)}:
        state = State.LISTED
    is_moderated = state is not State.LISTED
    picked = item.get(_FEATURED) if state is not State.HIDDEN else None
    return {
        _QUEUE: {"S": keys.moderation(state)} if is_moderated else None,
        _QUEUE_PLACE: _queue_place(key, item) if is_moderated else None,
        _REPORTS: {"N": str(found.reports)} if found.reports or _REPORTS in item else None,
        _FEATURED: picked and {"S": keys.featured(product_id_of(item))},
        _REPLY: found.reply,
    }


def _queue_place(key: str, item: Item) -> dict[str, str]:
    """Format the moment it was queued, else that of the comment, and the comment's id."""
    place: str = item.get(_QUEUE_PLACE, item[_PLACE])["S"]
    return {"S": place.partition(SEPARATOR)[0] + SEPARATOR + keys.comment_id_in(key)}


def _mend_marks(key: str, item: Item, changes: Changes) -> bool:
    """Correct what a comment says of its dependents, unless that has changed since."""
    same = unchanged({**item, "pk": {"S": key}}, Comment.pk, *_MARKED)
    if _REPORTS in changes:
        counted = _count(keys.comment_id_in(key), keys.REPORT_PREFIX)
        changes = {**changes, _REPORTS: {"N": str(counted)}}
    whole = _read(key) if is_followed() else {}
    if whole:
        same &= unchanged(whole, Comment.version, Comment.product_partition)
    marked = change(table_key(key, key), changes, same)
    actions = [marked, *follow(whole, changed(whole, changes))]
    return mended(partial(write_together, client(), actions))


def _read(key: str) -> Item:
    item = read_item(table_key(key, key))
    return {} if is_tombstone(item) else item


def _count(comment_id: str, prefix: str) -> int:
    counted = (Comment.pk == keys.comment(comment_id)) & Comment.sk.startswith(prefix)
    return sum(page["Count"] for page in query_pages(counted, Select="COUNT", ConsistentRead=True))


def _shown(name: str, mark: Value | None) -> str:
    return f"{name}: {'none' if mark is None else mark.get('N', mark.get('S', 'there'))}"
