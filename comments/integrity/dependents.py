"""The check of a comment's dependents: votes, reports, replies; and of what follows from them.

That is the tally of its votes and its rank by them, the marks in its item by which lists and queues
show reports, replies and picks, and the keys that list dependents by their users.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.integrity.items import (
    ANY_OF_A_COMMENT,
    comment_id_of,
    compare_values,
    count_dependents,
    read_by_key,
    read_undeleted,
    show_value,
)
from comments.items import reply_shown
from comments.keys import comment_key, scored
from comments.models import Comment, CommentReply
from comments.store import writing
from comments.store.counts import tallies
from comments.store.states import (
    NOT_DELETED,
    State,
    imported_votes,
    is_tombstone,
    product_id_of,
)
from comments.store.table import (
    Changes,
    change,
    changed,
    id_of,
    is_comment,
    query_pages,
    read_item,
    whole_id,
)
from comments.votes.rank import HELPFUL, rank_by_votes, rank_or_log
from dynapages.items import Item, Value, table_key
from dynapages.lists import SEPARATOR, id_at
from dynapages.process import write_actions
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import Candidate, Derived, Difference, Handlers, Sums, compare, key_of
from dynapages.writes import Action, Counters, check

NOWHERE = "nowhere"
"""Stands for the partition and the place of a comment that does not rank."""
_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_REPORTS = Comment.reports.attr_name
_PICKED = Comment.featured_partition.attr_name
_REPLY = Comment.reply.attr_name
_PLACE = Comment.place.attr_name
_RANK_PARTITION = Comment.rank_partition.attr_name
_RANK_PLACE = Comment.rank_place.attr_name
_VOTES = Comment.helpful_votes.attr_name
_IMPORTED_VOTES = Comment.imported_votes.attr_name
_MARKS = (
    Comment.moderation_partition,
    Comment.moderation_place,
    Comment.reports,
    Comment.featured_partition,
    Comment.reply,
)
"""What a comment says of its dependents and of what staff do with it."""
_MARKS_AND_RANK = (*_MARKS, Comment.rank_place)
_MARK_NAMES = tuple(attribute.attr_name for attribute in _MARKS)
_NAMES_WITH_RANK = (
    *(attribute.attr_name for attribute in _MARKS_AND_RANK),
    _VOTES,
    _IMPORTED_VOTES,
)
_REMEMBERED = (
    "pk",
    "sk",
    _PLACE,
    *_NAMES_WITH_RANK,
    Comment.product_partition.attr_name,
    Comment.hidden_product.attr_name,
    Comment.hold_reason.attr_name,
    _RANK_PARTITION,
)
"""What is remembered of a comment's item while the table is read."""
_USER = CommentReply.replier_partition.attr_name
_USER_PLACE = CommentReply.place.attr_name
_REPLIED_AT = CommentReply.replied_at.attr_name
_NO_TEXT = {"S": ""}
_ZERO = {"N": "0"}


# Tallies of votes


def votes(exists: Callable[[str], bool]) -> Sums:
    """Compare the tallies of comments that exist with their votes."""
    return Sums(
        kind="votes",
        shards=(keys.TALLY_PREFIX, ""),
        name_in=comment_id_of,
        items=(keys.COMMENT_PREFIX, keys.VOTE_PREFIX),
        cells=_cells_of_vote,
        counters=_counters_of_comment,
        subject=_subject_of_votes,
        spread_subject=_subject_of_spread_votes,
        write=write_actions,
        count=_count_votes,
        show=show_value,
        exists=exists,
        extra_actions=_checks_of_comment,
        after_correction=rank_or_log,
    )


def _cells_of_vote(vote: Item) -> list[tuple[str, str]]:
    return [(comment_id_of(vote), HELPFUL)]


def _counters_of_comment(_comment_id: str) -> Counters:
    return tallies()


def _subject_of_votes(comment_id: str) -> str:
    return f"comment {whole_id(comment_id)}"


def _subject_of_spread_votes(comment_id: str) -> str:
    return f"votes of comment {whole_id(comment_id)}"


def _count_votes(comment_id: str) -> dict[str, int]:
    return {HELPFUL: count_dependents(comment_id, keys.VOTE_PREFIX)}


def _checks_of_comment(comment_id: str) -> list[Action]:
    return [check(Comment, comment_key(comment_id), NOT_DELETED)]


# Marks and ranks of comments


@dataclass(slots=True)
class _Dependents:
    """What is stored of one comment; ``item`` is empty unless it says something of dependents."""

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
        return {ANY_OF_A_COMMENT: self.add}

    def candidates(self) -> Iterator[Candidate]:
        for comment_id in sorted(self._by_comment):
            if not self._exists(comment_id):
                continue
            differences = list(self.differences(comment_id))
            if differences:
                yield Candidate(partial(_reread, comment_id), differences)

    def add(self, item: Item) -> None:
        """Add a dependent, or a comment that is hidden or says something of dependents."""
        sort_key = item["sk"]["S"]
        if sort_key == keys.REPLY:
            self._of(item).reply = {"M": reply_shown(item)}
        elif sort_key.startswith(keys.VOTE_PREFIX):
            self._of(item).votes += 1
        elif sort_key.startswith(keys.REPORT_PREFIX):
            self._of(item).reports += 1
        elif is_comment(item) and _says_something(item):
            self._of(item).item = {name: item[name] for name in _REMEMBERED if name in item}

    def differences(self, comment_id: str) -> Iterator[Difference]:
        """Compare the marks of a comment, and its rank; its item is read if it is not known."""
        # Most comments say nothing of dependents: memory holds only those that do.
        dependents = self._by_comment.get(comment_id, _Dependents())
        if not dependents.item:
            dependents.item = read_undeleted(comment_id)
        if dependents.item:
            whole = id_of(dependents.item)
            yield from _differing_marks(whole, dependents)
            yield from _differing_rank(whole, dependents)

    def _of(self, item: Item) -> _Dependents:
        return self._by_comment.setdefault(comment_id_of(item), _Dependents())


def _says_something(comment: Item) -> bool:
    """Return whether a comment is hidden or held, or has marks, a rank or imported votes."""
    if is_tombstone(comment):
        return False
    if not State.of(comment).is_listed:
        return True
    return any(name in comment for name in _NAMES_WITH_RANK)


def _exists_anyway(_comment_id: str) -> bool:
    """Return True: a comment that is read again is looked at whether or not it exists."""
    return True


def _reread(comment_id: str) -> Iterator[Difference]:
    items = DependentItems(_exists_anyway)
    for page in query_pages(Comment.pk == keys.comment(comment_id), ConsistentRead=True):
        for item in page["Items"]:
            items.add(item)
    return items.differences(comment_id)


def _differing_marks(comment_id: str, dependents: _Dependents) -> Iterator[Difference]:
    """Compare what a comment says of its dependents with these."""
    stored = {name: dependents.item.get(name) for name in _MARK_NAMES}
    return compare(
        "marks",
        f"comment {comment_id}",
        stored,
        _expected_marks(comment_id, dependents),
        repair=partial(_write_marks, comment_id, dependents.item),
        show=_show_mark,
    )


def _expected_marks(comment_id: str, dependents: _Dependents) -> dict[str, Value | None]:
    """Derive what a comment should say of its dependents; None for what it should not have."""
    item = dependents.item
    state = State.of(item)
    # A partition that no state has was written by mistake: nobody would ever see the comment in it.
    if state is State.REPORTED and item[_QUEUE] != {"S": keys.moderation(state)}:
        state = State.LISTED
    expected: dict[str, Value | None] = dict.fromkeys(_MARK_NAMES)
    if state is not State.LISTED:
        expected[_QUEUE] = {"S": keys.moderation(state)}
        expected[_QUEUE_PLACE] = _queue_place(comment_id, item)
    if dependents.reports or _REPORTS in item:
        expected[_REPORTS] = {"N": str(dependents.reports)}
    if state.is_listed and _PICKED in item:
        expected[_PICKED] = {"S": keys.featured(product_id_of(item))}
    expected[_REPLY] = dependents.reply
    return expected


def _queue_place(comment_id: str, item: Item) -> dict[str, str]:
    """Format the moment it was queued, else that of the comment, and the comment's id."""
    place: str = item.get(_QUEUE_PLACE, item[_PLACE])["S"]
    moment = place.partition(SEPARATOR)[0]
    return {"S": moment + SEPARATOR + comment_id}


def _write_marks(comment_id: str, item: Item, changes: Changes) -> None:
    """Correct what a comment says of its dependents. Raises ConditionFailed if that has changed."""
    key = comment_key(comment_id)
    same = unchanged({**item, "pk": key["pk"]}, Comment.pk, *_MARKS_AND_RANK)
    # Counted once more, strongly: a report may have come since the table was read.
    if _REPORTS in changes:
        number = count_dependents(comment_id, keys.REPORT_PREFIX)
        changes = {**changes, _REPORTS: {"N": str(number)}}
    marked = []
    # Only tables that are derived from the whole item need it.
    whole: Item = {}
    if writing.has_derived_tables():
        whole = read_undeleted(comment_id)
    if whole:
        same &= unchanged(whole, Comment.version, Comment.product_partition)
        marked.append(writing.CommentChange(whole, changed(whole, changes)))
    writing.write_comments(marked, [change(key, changes, same)])


def _show_mark(name: str, mark: Value | None) -> str:
    """Format a mark for a report: the text or number it has, or that it is there."""
    if mark is None:
        return f"{name}: none"
    return f"{name}: {mark.get('N', mark.get('S', 'there'))}"


def _differing_rank(comment_id: str, dependents: _Dependents) -> Iterator[Difference]:
    """Compare a comment's rank with its votes. A comment that is in no list has none."""
    item = dependents.item
    is_listed = State.of(item).is_listed
    stored_partition = item.get(_RANK_PARTITION, {"S": NOWHERE})["S"]
    stored_place = item.get(_RANK_PLACE, {"S": NOWHERE})["S"]
    stored_votes = item.get(_VOTES, _ZERO)["N"]
    partition = place = NOWHERE
    shown_votes = 0
    repair: Callable[[str], object] = _remove_rank
    if is_listed:
        repair = rank_by_votes
    # No vote stands for those that an import has brought.
    votes = dependents.votes + imported_votes(item)
    if is_listed and votes > 0:
        partition = keys.helpful(product_id_of(item))
        place = scored(votes, comment_id)
        shown_votes = votes
    return compare_values(
        "rank",
        f"comment {comment_id}",
        f"{stored_partition} {stored_place}, shown with {stored_votes}",
        f"{partition} {place}, shown with {shown_votes}",
        repair=partial(repair, comment_id),
    )


def _remove_rank(comment_id: str) -> None:
    changes = [
        Comment.rank_partition.remove(),
        Comment.rank_place.remove(),
        Comment.helpful_votes.remove(),
    ]
    unlisted = Comment.product_partition.does_not_exist()
    write_actions([update(Comment, comment_key(comment_id), changes, unlisted)])


# Keys by users


def user_keys() -> Derived:
    """Compare the keys by which votes, reports and replies are listed by their users."""
    return Derived(
        kind="keys",
        starts=ANY_OF_A_COMMENT,
        subject=_subject_of_dependent,
        derive=_derived_user_keys,
        actions=_user_key_actions,
        write=write_actions,
        read=read_by_key,
        show=show_value,
    )


def _subject_of_dependent(item: Item) -> str:
    return f"{item['sk']['S']} of {_whole_comment_id(item)}"


def _whole_comment_id(item: Item) -> str:
    """Return the id of the comment that an item depends on."""
    if _names_its_comment(item):
        return id_at(item[_USER_PLACE]["S"])
    return whole_id(comment_id_of(item))


def _names_its_comment(item: Item) -> bool:
    """Return whether the place of a dependent ends in the id of its comment."""
    if _USER_PLACE not in item:
        return False
    return bool(keys.comment(id_at(item[_USER_PLACE]["S"])) == item["pk"]["S"])


def _derived_user_keys(item: Item) -> dict[str, str]:
    """Derive the keys of a dependent; {} for a body, a comment, and a reply by no user."""
    partition = _user_partition(item)
    if not partition:
        return {}
    # Nothing has to be read then; of a long id the partition key has only a digest.
    if _names_its_comment(item):
        return {_USER: partition, _USER_PLACE: item[_USER_PLACE]["S"]}
    return {_USER: partition, _USER_PLACE: _user_place(item)}


def _user_partition(item: Item) -> str:
    """Return the partition in ``by_author`` of a dependent; empty where it has no user."""
    sort_key: str = item["sk"]["S"]
    if sort_key == keys.REPLY:
        user_id: str = item.get(CommentReply.user_id.attr_name, _NO_TEXT)["S"]
        # Replies by no user are imported ones.
        if not user_id:
            return ""
        return keys.replier(user_id)
    if sort_key.startswith(keys.VOTE_PREFIX):
        return keys.voter(sort_key.removeprefix(keys.VOTE_PREFIX))
    if sort_key.startswith(keys.REPORT_PREFIX):
        return keys.reporter(sort_key.removeprefix(keys.REPORT_PREFIX))
    return ""


def _user_place(item: Item) -> str:
    """Derive the sort key in ``by_author`` of a dependent from its comment, which is read."""
    comment = read_item(comment_key(comment_id_of(item)))
    comment_id = comment_id_of(item)
    if comment:
        comment_id = id_of(comment)
    if item["sk"]["S"] == keys.REPLY:
        return keys.replied(item.get(_REPLIED_AT, _NO_TEXT)["S"], comment_id)
    return keys.about(product_id_of(comment), comment_id)


def _user_key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    """Build the update that corrects the keys of a dependent."""
    changes = [
        CommentReply.replier_partition.set(expected[_USER]),
        CommentReply.place.set(expected[_USER_PLACE]),
    ]
    same = unchanged(item, Comment.pk, CommentReply.replier_partition, CommentReply.place)
    # These are what the keys of a reply follow from.
    if item["sk"]["S"] == keys.REPLY:
        same &= unchanged(item, CommentReply.user_id, CommentReply.replied_at)
    return [update(CommentReply, table_key(*key_of(item)), changes, same)]
