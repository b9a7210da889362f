"""The check of the table ``comments``: keys, bodies, counts and ranks are derived again.

So is what comments say of their dependents: votes, reports, replies, picks, moderation.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.planner import exact_pattern
from comments.items import NewComment, derived_keys, reply_shown, text_shown
from comments.keys import scored
from comments.models import TABLE, Comment, CommentBody, CommentReply
from comments.rankings.services import (
    BEST_RATING,
    NAME,
    PLACE,
    PRODUCTS_AT_ONCE,
    RankHint,
    Ranking,
    RankKey,
    commented_place,
    derive,
    find_names,
    five_stars_place,
    refresh_ranks,
    rename_ranks,
    stored_ranks,
)
from comments.sets.copies import primary_actions
from comments.store import writing
from comments.store.counts import cells_of, counters, tallies
from comments.store.dependents import delete_dependents, deletions_of_dependents
from comments.store.states import NOT_DELETED, State, is_listed, is_tombstone, product_id_of
from comments.store.table import (
    Changes,
    change,
    changed,
    comment_key,
    id_of,
    is_comment,
    query_pages,
    read_item,
    whole_id,
)
from comments.votes.rank import HELPFUL, count_votes, rank_or_log, store_rank
from dynapages.calls import in_chunks
from dynapages.items import Item, Value, table_key
from dynapages.lists import SEPARATOR, every_entry, id_at, moment_at
from dynapages.process import client, read, write
from dynapages.pynamodb import unchanged, update
from dynapages.upkeep import (
    Candidate,
    Derived,
    Difference,
    Handlers,
    Kind,
    Sums,
    compare,
    find_differences,
    key_of,
    repair_once,
)
from dynapages.writes import Action, check, delete

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
    Comment.hold_reason.attr_name,
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
        subject=lambda comment_id: f"comment {whole_id(comment_id)}",
        spread_subject=lambda comment_id: f"votes of comment {whole_id(comment_id)}",
        write=write,
        count=lambda comment_id: {HELPFUL: _count(comment_id, keys.VOTE_PREFIX)},
        show="{1}".format,
        exists=exists,
        extra_actions=lambda comment_id: [check(Comment, comment_key(comment_id), NOT_DELETED)],
        after_correction=rank_or_log,
    )


def user_keys() -> Derived:
    """Compare the keys by which votes, reports and replies are listed by their users."""
    return Derived(
        kind="keys",
        starts=(keys.COMMENT_PREFIX, ""),
        subject=lambda item: f"{item['sk']['S']} of {_whole_id_beside(item)}",
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
        elif is_comment(item) and _tells_of_dependents(item):
            wanted = ("pk", "sk", _PLACE, *_MARKS, *_TOLD_BY)
            self._of(item).item = {name: item[name] for name in wanted if name in item}

    def differences(self, comment_id: str) -> Iterator[Difference]:
        """Compare the marks of a comment, and its rank; its item is read if it was not kept."""
        found = self._by_comment.get(comment_id, _Dependents())
        found.item = found.item or _read(comment_id)
        if found.item:
            whole = id_of(found.item)
            yield from _differing_marks(whole, found)
            yield from _differing_helpful_rank(whole, found)

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
    whole = _read(comment_id) if writing.has_derived_tables() else {}
    marked = []
    if whole:
        same &= unchanged(whole, Comment.version, Comment.product_partition)
        marked.append(writing.CommentChange(whole, changed(whole, changes)))
    writing.write_comments(marked, [change(key, changes, same)])


def _differing_helpful_rank(comment_id: str, found: _Dependents) -> Iterator[Difference]:
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
    return store_rank(comment_id, count=partial(count_votes, comment_id))


def _remove_rank(comment_id: str) -> None:
    changes = [Comment.rank_partition.remove(), Comment.rank_place.remove()]
    unlisted = Comment.product_partition.does_not_exist()
    write([update(Comment, comment_key(comment_id), changes, unlisted)])


def _user_keys(item: Item) -> dict[str, str]:
    """Derive the keys of an item beside a comment; {} for a body, and for a reply by no user."""
    partition = _user_partition(item)
    if not partition:
        return {}
    if _names_its_comment(item):
        return {_USER: partition, _USER_PLACE: item[_USER_PLACE]["S"]}
    return {_USER: partition, _USER_PLACE: _user_place(item)}


def _names_its_comment(item: Item) -> bool:
    """Return whether the place of an item beside a comment ends in the id of that comment."""
    if _USER_PLACE not in item:
        return False
    return bool(keys.comment(id_at(item[_USER_PLACE]["S"])) == item["pk"]["S"])


def _whole_id_beside(item: Item) -> str:
    """Return the id of the comment that an item is beside."""
    if _names_its_comment(item):
        return id_at(item[_USER_PLACE]["S"])
    return whole_id(_comment_id(item))


def _user_partition(item: Item) -> str:
    sort_key = item["sk"]["S"]
    if sort_key == keys.REPLY:
        user_id: str = item.get(CommentReply.user_id.attr_name, {"S": ""})["S"]
        return keys.replier(user_id) if user_id else ""
    for start, partition in ((keys.VOTE_PREFIX, keys.voter), (keys.REPORT_PREFIX, keys.reporter)):
        if sort_key.startswith(start):
            return partition(sort_key.removeprefix(start))
    return ""


def _user_place(item: Item) -> str:
    comment = read_item(comment_key(_comment_id(item)))
    comment_id = id_of(comment) if comment else _comment_id(item)
    if item["sk"]["S"] == keys.REPLY:
        moment: str = item.get(CommentReply.replied_at.attr_name, {"S": ""})["S"]
        return keys.replied(moment, comment_id)
    return keys.about(product_id_of(comment), comment_id)


def _user_key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    changes = [
        CommentReply.replier_partition.set(expected[_USER]),
        CommentReply.place.set(expected[_USER_PLACE]),
    ]
    same = unchanged(item, Comment.pk, CommentReply.replier_partition, CommentReply.place)
    if item["sk"]["S"] == keys.REPLY:
        same &= unchanged(item, CommentReply.user_id, CommentReply.replied_at)
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


RECOUNT_PAGE = 1_000
NOWHERE = "nowhere"
NAMELESS = "none"
_COMMENTS = keys.COMMENT_PREFIX, keys.COMMENT


def comment_differences() -> Iterator[Difference]:
    """Compare every comment's keys, body, counts, ranks and dependents with what they should be."""
    for _, difference in find_differences(client(), TABLE, {"comments": comment_kinds()}):
        yield difference


def comment_kinds() -> Sequence[Kind]:
    """Return the kinds of the table ``comments``, in the order in which they are repaired."""
    comments = CommentItems()
    return (
        Derived(
            kind="keys",
            starts=_COMMENTS,
            subject=lambda item: f"comment {id_of(item)}",
            derive=_derived_keys,
            actions=_key_actions,
            write=write,
            read=lambda key: read_item(table_key(*key)),
            show="{1}".format,
        ),
        user_keys(),
        Sums(
            shards=(keys.COUNTS_PREFIX, ""),
            name_in=lambda item: keys.product_id_of_counts(item["pk"]["S"]),
            items=_COMMENTS,
            cells=_counted_in,
            counters=lambda _product_id: counters(),
            subject="product {}".format,
            spread_subject="counts of {}".format,
            write=write,
            count=count_all,
            show="{}: {}".format,
        ),
        comments,
        votes(comments.exists),
        DependentItems(comments.exists),
        ProductRanks(),
    )


class CommentItems:
    """Comments by what is beside them: a body for a long text alone, nothing without a comment.

    What lists show of a long text follows from its body.
    """

    def __init__(self) -> None:
        self._comments: set[str] = set()
        self._long: set[str] = set()
        self._bodies: set[str] = set()
        self._wrong_excerpts: set[str] = set()
        self._with_dependents: set[str] = set()
        self._latest_body: Item = {}

    def exists(self, comment_id: str) -> bool:
        """Return whether there is such a comment, after the table was read."""
        return keys.comment(comment_id) in self._comments

    def handlers(self) -> Handlers:
        return {(keys.COMMENT_PREFIX, ""): self._add, (keys.TALLY_PREFIX, ""): self._add}

    def candidates(self) -> Iterator[Candidate]:
        for key in sorted((self._bodies & self._comments) ^ self._long):
            found = [_wrong_body(key, has_body=key in self._bodies)]
            yield Candidate(partial(_reread_body, key), found)
        for key in sorted(self._wrong_excerpts):
            # Both items are read by a call each: an edit between the two would look like a fault.
            if found := list(_reread_excerpt(key)):
                yield Candidate(partial(_reread_excerpt, key), found)
        for key in sorted(self._with_dependents - self._comments):
            yield Candidate(partial(_reread_leftovers, key), [_leftovers(key)])

    def _add(self, item: Item) -> None:
        key = keys.comment(_comment_id(item))
        if not is_comment(item):
            self._with_dependents.add(key)
            if item["sk"]["S"] == keys.BODY:
                self._bodies.add(key)
                self._latest_body = item
        elif not is_tombstone(item):
            self._comments.add(key)
            if Comment.body_bytes.attr_name in item:
                self._long.add(key)
            body = self._latest_body  # which comes before its comment
            is_of_this = body.get("pk") == item["pk"]
            if is_of_this and _excerpt_changes(item, body):
                self._wrong_excerpts.add(key)


class ProductRanks:
    """The ranks of products with their names, and those derived from the comments in lists."""

    def __init__(self) -> None:
        self._stored: dict[RankKey, str] = {}
        self._names: dict[RankKey, str] = {}
        self._best_rated = Counter[str]()
        self._newest: dict[str, str] = {}

    def handlers(self) -> Handlers:
        return {(keys.RANK_PREFIX, ""): self._add_rank, _COMMENTS: self._add_comment}

    def candidates(self) -> Iterator[Candidate]:
        expected = self._expected()
        for key in sorted(self._stored.keys() | expected.keys()):
            newest = self._newest.get(key[1], "")
            places = self._stored.get(key, NOWHERE), expected.get(key, NOWHERE)
            if found := list(_differing_rank(key, *places, newest=newest)):
                yield Candidate(partial(_reread_rank, key, newest), found)
        for some in in_chunks(sorted(self._names), PRODUCTS_AT_ONCE):
            names = find_names({product_id for _, product_id in some})
            for key in some:
                if found := list(_differing_name(key, self._names[key], names)):
                    yield Candidate(partial(_reread_name, key), found)

    def _add_rank(self, item: Item) -> None:
        ranking, _, product = item["pk"]["S"].removeprefix(keys.RANK_PREFIX).partition(SEPARATOR)
        if PLACE in item:
            key = Ranking(ranking), product
            self._stored[key] = item[PLACE]["S"]
            self._names[key] = item.get(NAME, {"S": NAMELESS})["S"]

    def _add_comment(self, item: Item) -> None:
        if (comment := _listed(item)) is not None:
            product_id = keys.product_id_in(comment.product_partition)
            self._newest[product_id] = max(comment.place, self._newest.get(product_id, ""))
            self._best_rated[product_id] += int(comment.rating) == BEST_RATING

    def _expected(self) -> dict[RankKey, str]:
        places = {
            (Ranking.FIVE_STARS, product): five_stars_place(product, number)
            for product, number in self._best_rated.items()
        } | {
            (Ranking.COMMENTED, product): commented_place(product, place)
            for product, place in self._newest.items()
        }
        return {key: place for key, place in places.items() if place}


def count_all(product_id: str) -> Counter[str]:
    """Count a product's comments from the index, by the names of cells."""
    chosen = CommentFilter()
    runs = exact_pattern(chosen).runs(product_id, chosen)
    entries = every_entry(partial(read, runs), at_once=RECOUNT_PAGE)
    return Counter(cell for entry in entries for _, cell in _counted_in(entry.item))


def _listed(item: Item) -> Comment | None:
    """Return a comment that is in lists, None for a hidden one or a tombstone."""
    return Comment.from_raw_data(dict(item)) if is_listed(item) else None


def _counted_in(item: Item) -> Iterable[tuple[str, str]]:
    if (comment := _listed(item)) is not None:
        product_id = keys.product_id_in(comment.product_partition)
        cells = cells_of(comment.language, int(comment.rating), moment_at(comment.place))
        yield from ((product_id, cell) for cell in cells)


def _derived_keys(item: Item) -> dict[str, str]:
    """Derive the keys of a comment by the names of their attributes."""
    comment = _listed(item)
    if comment is None:
        return {}
    derived = derived_keys(
        NewComment(
            id=id_of(item),
            product_id=keys.product_id_in(comment.product_partition),
            language=comment.language,
            rating=int(comment.rating),
            created_at=moment_at(comment.place),
            user_id=comment.user_id or "",
        )
    )
    return {getattr(Comment, name).attr_name: key for name, key in derived.items()}


def _key_actions(item: Item, expected: Mapping[str, str]) -> list[Action]:
    if isinstance(id_of(item), keys.IdDigest):
        return []  # nothing has the id any more that the place must end in
    changes = {name: {"S": key} for name, key in expected.items()}
    same = unchanged(item, Comment.pk, Comment.version, Comment.reply)
    key = {"pk": item["pk"], "sk": item["sk"]}
    return [change(key, changes, same), *primary_actions(item, changed(item, changes))]


def _wrong_body(key: str, *, has_body: bool) -> Difference:
    if not has_body:
        return Difference("body", key, "none", "a body, which is lost")
    short = check(Comment, table_key(key, keys.COMMENT), Comment.body_bytes.does_not_exist())
    actions = [short, delete(Comment, table_key(key, keys.BODY))]
    return Difference("body", key, "a body", "none", partial(repair_once, write, actions))


def _reread_body(key: str) -> Iterable[Difference]:
    comment = read_item(table_key(key, keys.COMMENT))
    body = read_item(table_key(key, keys.BODY))
    if not comment or is_tombstone(comment):
        return []
    is_long, has_body = Comment.body_bytes.attr_name in comment, bool(body)
    return [] if is_long == has_body else [_wrong_body(key, has_body=has_body)]


def _excerpt_changes(comment: Item, body: Item) -> Changes:
    """Return what must change for lists to show what the body of a long text says."""
    changes = {}
    for name, value in text_shown(body[CommentBody.text.attr_name]["S"]).items():
        attribute = getattr(Comment, name)
        expected = None if value is None else {attribute.attr_type: attribute.serialize(value)}
        if comment.get(attribute.attr_name) != expected:
            changes[attribute.attr_name] = expected
    return changes


def _reread_excerpt(key: str) -> Iterator[Difference]:
    comment = read_item(table_key(key, keys.COMMENT))
    body = read_item(table_key(key, keys.BODY))
    if not (comment and body) or is_tombstone(comment):
        return
    if changes := _excerpt_changes(comment, body):
        repair = partial(repair_once, _write_excerpt, comment, changes)
        subject = f"comment {id_of(comment)}"
        yield Difference("excerpt", subject, "of another text", "of its body", repair)


def _write_excerpt(comment: Item, changes: Changes) -> None:
    same = unchanged(comment, Comment.pk, Comment.version, Comment.product_partition)
    action = change({name: comment[name] for name in ("pk", "sk")}, changes, same)
    after = changed(comment, changes)
    writing.write_comments([writing.CommentChange(comment, after)], [action])


def _leftovers(key: str) -> Difference:
    """Build the difference of a comment that does not exist, but has dependents."""
    repair = partial(repair_once, delete_dependents, keys.comment_id_in(key))
    return Difference("leftovers", key, "some", "none", repair)


def _reread_leftovers(key: str) -> Iterable[Difference]:
    return [_leftovers(key)] if deletions_of_dependents(keys.comment_id_in(key)) else []


def _differing_rank(
    key: RankKey, stored: str, expected: str, *, newest: str
) -> Iterator[Difference]:
    ranking, product_id = key
    repair = partial(refresh_ranks, {product_id: RankHint(newest)})
    return compare_one("rank", f"product {product_id} in {ranking}", (stored, expected), repair)


def _reread_rank(key: RankKey, newest: str) -> Iterator[Difference]:
    (rank,) = derive([key], {key[1]: RankHint(newest)})
    stored = rank.stored.get(PLACE, {"S": NOWHERE})["S"]
    return _differing_rank(key, stored, rank.place or NOWHERE, newest=newest)


def _differing_name(key: RankKey, stored: str, names: Mapping[str, str]) -> Iterator[Difference]:
    ranking, product_id = key
    expected = names.get(product_id, stored)  # a product that is not in the catalogue has none
    repair = partial(_rename, product_id)
    return compare_one("name", f"product {product_id} in {ranking}", (stored, expected), repair)


def _reread_name(key: RankKey) -> Iterator[Difference]:
    rank = stored_ranks([key]).get(key, {})
    names = find_names([key[1]]) if PLACE in rank else {}
    return _differing_name(key, rank.get(NAME, {"S": NAMELESS})["S"], names)


def _rename(product_id: str) -> None:
    for name in find_names([product_id]).values():
        write(rename_ranks(product_id, name))
