"""The integrity of the dependents of comments: votes, reports, replies, picks, moderation."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.items import reply_shown
from comments.keys import scored
from comments.models import Comment, CommentReply
from comments.sets.copies import follow, is_followed
from comments.store.comments import NOT_DELETED, State, is_tombstone, product_id_of
from comments.store.counts import tallies
from comments.store.table import Changes, change, changed, comment_key, query_pages, read_item
from comments.votes.services import HELPFUL, helpful_votes, rank_or_log, refresh_comment
from dynapages.items import Item, Value, table_key
from dynapages.lists import SEPARATOR
from dynapages.process import write
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Candidate, Derived, Difference, Handlers, Sums, compare, key_of
from dynapages.writes import Action, check

_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_REPORTS = Comment.reports.attr_name
_FEATURED = Comment.featured_partition.attr_name
_REPLY = Comment.reply.attr_name
_PLACE = Comment.place.attr_name
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
_USER = CommentReply.replier_partition.attr_name
_USER_PLACE = CommentReply.place.attr_name
_RANK = (Comment.rank_partition.attr_name, Comment.rank_place.attr_name)
_NO_RANK = "nowhere nowhere"


def votes(exists: Callable[[str], bool]) -> Sums:
    """Compare the tallies of comments that exist with their votes."""
    return Sums(
        kind="votes",
        shards=(keys.TALLY_PREFIX, ""),
        name_in=lambda item: keys.comment_id_in(item["pk"]["S"]),
        items=(keys.COMMENT_PREFIX, keys.VOTE_PREFIX),
        cells=lambda vote: [(keys.comment_id_in(vote["pk"]["S"]), HELPFUL)],
        counters=lambda _comment_id: tallies(),
        subject="comment {}".format,
        spread_subject="votes of comment {}".format,
        write=write,
        count=lambda comment_id: {HELPFUL: _count(comment_id, keys.VOTE_PREFIX)},
        show="{1}".format,
        exists=exists,
        also=lambda comment_id: [check(Comment, comment_key(comment_id), NOT_DELETED)],
        after=rank_or_log,
    )


def user_keys() -> Derived:
    """Compare the keys by which votes, reports and replies are listed by their users."""
    return Derived(
        kind="keys",
        starts=(keys.COMMENT_PREFIX, ""),
        subject=lambda item: f"{item['sk']['S']} of {_comment_id(item)}",
        derive=_user_keys,
        actions=_user_key_actions,
        write=write,
        read=lambda key: read_item(table_key(*key)),
        show="{1}".format,
    )


@dataclass(slots=True)
class _Dependents:
    """What was found of one comment; ``item`` is empty unless it says something of dependents."""

    item: Item = field(default_factory=dict)
    votes: int = 0
    reports: int = 0
    reply: Value | None = None


class DependentItems:
    """Compares what comments that exist say of their dependents, and their ranks, with these."""

    def __init__(self, exists: Callable[[str], bool]) -> None:
        self._exists = exists
        self._by_comment: dict[str, _Dependents] = {}

    def handlers(self) -> Handlers:
        return {(keys.COMMENT_PREFIX, ""): self.add}

    def candidates(self) -> Iterator[Candidate]:
        for comment_id in sorted(filter(self._exists, self._by_comment)):
            if found := list(self.differences(comment_id)):
                yield Candidate(partial(_reread_dependents, comment_id), found)

    def add(self, item: Item) -> None:
        """Add an item beside a comment, or a comment that is hidden or tells of dependents."""
        sort_key = item["sk"]["S"]
        if sort_key == keys.REPLY:
            self._of(item).reply = {"M": reply_shown(item)}
        elif sort_key.startswith(keys.VOTE_PREFIX):
            self._of(item).votes += 1
        elif sort_key.startswith(keys.REPORT_PREFIX):
            self._of(item).reports += 1
        elif sort_key == item["pk"]["S"] and _tells_of_dependents(item):
            wanted = ("pk", "sk", _PLACE, *_MARKS, *_TOLD_BY)
            self._of(item).item = {name: item[name] for name in wanted if name in item}

    def differences(self, comment_id: str) -> Iterator[Difference]:
        """Compare the marks of a comment, and its rank; its item is read if it was not kept."""
        found = self._by_comment.get(comment_id, _Dependents())
        found.item = found.item or _read(comment_id)
        if found.item:
            yield from _differing_marks(comment_id, found)
            yield from _differing_rank(comment_id, found)

    def _of(self, item: Item) -> _Dependents:
        return self._by_comment.setdefault(_comment_id(item), _Dependents())


def _tells_of_dependents(comment: Item) -> bool:
    is_marked = not State.of(comment).is_listed or any(name in comment for name in _MARKS)
    return is_marked and not is_tombstone(comment)


def compare_one(
    kind: str, subject: str, values: tuple[str, str], repair: Callable[[], object]
) -> Iterator[Difference]:
    """Yield the difference of a stored and an expected value, if there is one."""
    sides = {"": values[0]}, {"": values[1]}
    return compare(kind, subject, *sides, repair=lambda _wrong: repair(), show="{1}".format)


def _reread_dependents(comment_id: str) -> Iterator[Difference]:
    found = DependentItems(lambda _comment_id: True)
    for page in query_pages(Comment.pk == keys.comment(comment_id), ConsistentRead=True):
        for item in page["Items"]:
            found.add(item)
    return found.differences(comment_id)


def _differing_marks(comment_id: str, found: _Dependents) -> Iterator[Difference]:
    return compare(
        "marks",
        f"comment {comment_id}",
        {name: found.item.get(name) for name in _MARKS if name != Comment.rank_place.attr_name},
        _marks(comment_id, found),
        repair=partial(_write_marks, comment_id, found.item),
        show=_shown,
    )


def _marks(comment_id: str, found: _Dependents) -> dict[str, Value | None]:
    item, state = found.item, State.of(found.item)
    if state is State.REPORTED and item[_QUEUE] != {"S": keys.moderation(state)}:
        state = State.LISTED
    is_moderated = state is not State.LISTED
    picked = item.get(_FEATURED) if state.is_listed else None
    return {
        _QUEUE: {"S": keys.moderation(state)} if is_moderated else None,
        _QUEUE_PLACE: _queue_place(comment_id, item) if is_moderated else None,
        _REPORTS: {"N": str(found.reports)} if found.reports or _REPORTS in item else None,
        _FEATURED: picked and {"S": keys.featured(product_id_of(item))},
        _REPLY: found.reply,
    }


def _queue_place(comment_id: str, item: Item) -> dict[str, str]:
    """Format the moment it was queued, else that of the comment, and the comment's id."""
    place: str = item.get(_QUEUE_PLACE, item[_PLACE])["S"]
    return {"S": place.partition(SEPARATOR)[0] + SEPARATOR + comment_id}


def _write_marks(comment_id: str, item: Item, changes: Changes) -> None:
    """Correct what a comment says of its dependents. Raises ConditionFailed if that has changed."""
    key = comment_key(comment_id)
    same = unchanged({**item, "pk": key["pk"]}, Comment.pk, *_MARKED)
    if _REPORTS in changes:
        counted = _count(comment_id, keys.REPORT_PREFIX)
        changes = {**changes, _REPORTS: {"N": str(counted)}}
    whole = _read(comment_id) if is_followed() else {}
    if whole:
        same &= unchanged(whole, Comment.version, Comment.product_partition)
    write([change(key, changes, same), *follow(whole, changed(whole, changes))])


def _differing_rank(comment_id: str, found: _Dependents) -> Iterator[Difference]:
    """Compare a comment's rank with its votes. A comment that is in no list has none."""
    stored = " ".join(found.item.get(name, {"S": "nowhere"})["S"] for name in _RANK)
    is_hidden = not State.of(found.item).is_listed
    expected = _NO_RANK
    if found.votes > 0 and not is_hidden:
        place = scored(found.votes, comment_id)
        expected = f"{keys.helpful(product_id_of(found.item))} {place}"
    repair = partial(_remove_rank if is_hidden else _rank, comment_id)
    return compare_one("rank", f"comment {comment_id}", (stored, expected), repair)


def _rank(comment_id: str) -> bool:
    return refresh_comment(comment_id, tally=partial(helpful_votes, comment_id))


def _remove_rank(comment_id: str) -> None:
    changes = [Comment.rank_partition.remove(), Comment.rank_place.remove()]
    unlisted = Comment.product_partition.does_not_exist()
    write([update(Comment, comment_key(comment_id), changes, unlisted)])


def _user_keys(item: Item) -> dict[str, str]:
    """Derive the keys of an item beside a comment; {} for a body, and for a reply by no user."""
    comment_id, partition = _comment_id(item), _user_partition(item)
    place: str = item.get(_USER_PLACE, {"S": ""})["S"]
    if not partition:
        return {}
    if not place.endswith(SEPARATOR + comment_id):
        place = _user_place(item, comment_id)
    return {_USER: partition, _USER_PLACE: place}


def _user_partition(item: Item) -> str:
    sort_key = item["sk"]["S"]
    if sort_key == keys.REPLY:
        author: str = item.get(CommentReply.author.attr_name, {"S": ""})["S"]
        return keys.replier(author) if author else ""
    for start, partition in ((keys.VOTE_PREFIX, keys.voter), (keys.REPORT_PREFIX, keys.reporter)):
        if sort_key.startswith(start):
            return partition(sort_key.removeprefix(start))
    return ""


def _user_place(item: Item, comment_id: str) -> str:
    if item["sk"]["S"] == keys.REPLY:
        moment: str = item.get(CommentReply.replied_at.attr_name, {"S": ""})["S"]
        return keys.replied(moment, comment_id)
    return keys.about(product_id_of(read_item(comment_key(comment_id))), comment_id)


def _user_key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    changes = [
        CommentReply.replier_partition.set(expected[_USER]),
        CommentReply.place.set(expected[_USER_PLACE]),
    ]
    same = unchanged(item, Comment.pk, CommentReply.replier_partition, CommentReply.place)
    if item["sk"]["S"] == keys.REPLY:
        same &= unchanged(item, CommentReply.author, CommentReply.replied_at)
    return [update(CommentReply, table_key(*key_of(item)), changes, same)]


def _read(comment_id: str) -> Item:
    item = read_item(comment_key(comment_id))
    return {} if is_tombstone(item) else item


def _count(comment_id: str, prefix: str) -> int:
    counted = (Comment.pk == keys.comment(comment_id)) & Comment.sk.startswith(prefix)
    return sum(page["Count"] for page in query_pages(counted, Select="COUNT", ConsistentRead=True))


def _comment_id(item: Item) -> str:
    return keys.comment_id_in(item["pk"]["S"])


def _shown(name: str, mark: Value | None) -> str:
    return f"{name}: {'none' if mark is None else mark.get('N', mark.get('S', 'there'))}"
