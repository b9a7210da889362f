"""The integrity of the comments: keys, bodies, counts and ranks, re-derived and compared."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from comments import keys
from comments.filters import CommentFilter
from comments.indexes.access_patterns import exact_pattern
from comments.integrity.comparing import differing_parts
from comments.integrity.dependents import DependentsFound
from comments.integrity.ranks import RanksFound
from comments.items import NewComment, derived_keys
from comments.models import TABLE, Comment
from comments.sets.following import follow
from comments.store.comments import is_tombstone
from comments.store.counts import cells_of, compare_sums, correct_sums, counters
from comments.store.dependents import delete_dependents, leftovers
from comments.store.table import change, changed, read_item
from dynamo.calls.client import client
from dynamo.items import Item, table_key
from dynamo.lists.places import id_at, moment_at
from dynamo.lists.site_reader import every_entry, read
from dynamo.upkeep.counters import spread_hints
from dynamo.upkeep.differences import Suspect, confirmed, mended, suspected
from dynamo.upkeep.integrity import Difference, every_item
from dynamo.writes.actions import check, delete, unchanged
from dynamo.writes.counters import cells_in
from dynamo.writes.transactions import write_together

RECOUNT_PAGE = 1_000


def comment_differences() -> Iterator[Difference]:
    """Compare every comment's keys, body, counts, ranks and dependents with what they should be.

    Reads the whole table. Writes made meanwhile look like differences of what several items tell:
    such a part is read again, strongly, before it is yielded. Ranks come after the counts they are
    derived from, and counters that could be folded last.
    """
    found = _Found()
    for item in every_item(client(), TABLE):
        yield from found.add(item)
    yield from confirmed(found.suspects())
    yield from (*found.spread, *found.dependents.spread)


@dataclass(slots=True)
class _Found:
    """The sums of the items read so far."""

    recounted: dict[str, Counter[str]] = field(default_factory=dict)
    counted: dict[str, Counter[str]] = field(default_factory=dict)
    spread: list[Difference] = field(default_factory=list)
    bodies: set[str] = field(default_factory=set)
    long_comments: set[str] = field(default_factory=set)
    comments: set[str] = field(default_factory=set)
    with_dependents: set[str] = field(default_factory=set)
    ranks: RanksFound = field(default_factory=RanksFound)
    dependents: DependentsFound = field(default_factory=DependentsFound)

    def add(self, item: Item) -> Iterator[Difference]:
        kind, sort_key = item["pk"]["S"].partition("#")[0], item["sk"]["S"]
        if kind == "COUNTS":
            product_id = keys.product_id_of_counts(item["pk"]["S"])
            self.counted.setdefault(product_id, Counter()).update(cells_in(item))
            self.spread += spread_hints(counters(), product_id, item, f"counts of {product_id}")
        elif kind == "RANK":
            self.ranks.add_rank(item)
        elif kind == "TALLY":
            self.with_dependents.add(keys.comment(keys.comment_id_in(item["pk"]["S"])))
            self.dependents.add_tally(item)
        elif kind == "COMMENT" and sort_key != item["pk"]["S"]:
            self.with_dependents.add(item["pk"]["S"])
            if sort_key == keys.BODY:
                self.bodies.add(item["pk"]["S"])
            yield from self.dependents.add(item)
        elif kind == "COMMENT" and not is_tombstone(item):
            yield from self._add_comment(item)

    def _add_comment(self, item: Item) -> Iterator[Difference]:
        comment = Comment.from_raw_data(dict(item))
        self.comments.add(comment.pk)
        if comment.body_bytes is not None:
            self.long_comments.add(comment.pk)
        self.dependents.add_comment(item)
        if comment.product_partition is None:  # hidden: in no list, not counted, of no rank
            return
        product_id = keys.product_id_in(comment.product_partition)
        self.recounted.setdefault(product_id, Counter()).update(_cells_of(comment))
        yield from _differing_keys(comment, item)
        self.ranks.add_comment(comment)

    def suspects(self) -> Iterator[Suspect]:
        """Yield the parts that look wrong, after all items were added."""
        for product_id in sorted(self.recounted.keys() | self.counted.keys()):
            stored = self.counted.get(product_id, Counter())
            expected = self.recounted.get(product_id, Counter())
            cells = sorted(stored.keys() | expected.keys())
            sides = ({one: side[one] for one in cells} for side in (stored, expected))
            look = partial(_look_at_counts, product_id)
            yield from suspected(_differing_counts(product_id, *sides), look)
        for key in sorted((self.bodies & self.comments) ^ self.long_comments):
            wrong = _wrong_body(key, has_body=key in self.bodies)
            yield Suspect([wrong], partial(_look_at_body, key))
        for key in sorted(self.with_dependents - self.comments):
            yield Suspect([_leftovers(key)], partial(_look_for_leftovers, key))
        yield from self.dependents.suspects(self.comments)
        yield from self.ranks.suspects()


def _differing_counts(
    product_id: str, stored: Mapping[str, int], expected: Mapping[str, int]
) -> Iterator[Difference]:
    return differing_parts(
        "counts",
        f"product {product_id}",
        stored,
        expected,
        show=lambda one, number: f"{one}: {number}",
        mend=partial(_recount, product_id),
    )


def _look_at_counts(product_id: str) -> Iterable[Difference]:
    compared = compare_sums(counters(), product_id, partial(count_all, product_id))
    if compared is None:
        return [Difference.busy("counts", f"product {product_id}")]
    return _differing_counts(product_id, *compared)


def _wrong_body(key: str, *, has_body: bool) -> Difference:
    if has_body:
        return Difference("body", key, "a body", "none", partial(_delete_body, key))
    return Difference("body", key, "none", "a body, which is lost")


def _look_at_body(key: str) -> Iterable[Difference]:
    comment, body = read_item(table_key(key, key)), read_item(table_key(key, keys.BODY))
    if not comment or is_tombstone(comment):
        return []
    is_long, has_body = Comment.body_bytes.attr_name in comment, bool(body)
    return [] if is_long == has_body else [_wrong_body(key, has_body=has_body)]


def _leftovers(key: str) -> Difference:
    """Build the difference of a comment that does not exist, but has dependents."""
    mend = partial(_delete_dependents, keys.comment_id_in(key))
    return Difference("leftovers", key, "some", "none", mend)


def _look_for_leftovers(key: str) -> Iterable[Difference]:
    return [_leftovers(key)] if leftovers(keys.comment_id_in(key)) else []


def recount(product_id: str) -> bool:
    """Recount a product and correct its counts; False when they never stood still meanwhile."""
    return correct_sums(counters(), product_id, partial(count_all, product_id))


def _recount(product_id: str, _wrong: object) -> bool:
    return recount(product_id)


def count_all(product_id: str) -> Counter[str]:
    """Count a product's comments from the index, by the names of cells."""
    chosen = CommentFilter()
    runs = exact_pattern(chosen).runs(product_id, chosen)
    counted: Counter[str] = Counter()
    for entry in every_entry(partial(read, runs), at_once=RECOUNT_PAGE):
        comment = Comment.from_raw_data(dict(entry.item))
        counted.update(_cells_of(comment))
    return counted


def _cells_of(comment: Comment) -> tuple[str, str]:
    return cells_of(comment.language, int(comment.rating), moment_at(comment.place))


def _differing_keys(comment: Comment, item: Item) -> Iterator[Difference]:
    expected = derived_keys(
        NewComment(
            id=comment.pk.removeprefix(keys.comment("")),
            product_id=keys.product_id_in(comment.product_partition),
            language=comment.language,
            rating=int(comment.rating),
            created_at=moment_at(comment.place),
            username=comment.username or "",
        )
    )
    stored = {name: getattr(comment, name) for name in expected}
    yield from differing_parts(
        "keys",
        f"comment {id_at(comment.place)}",
        stored,
        expected,
        show=lambda _name, key: str(key),
        mend=partial(_put_keys, item),
    )


def _put_keys(item: Item, expected: dict[str, str]) -> bool:
    changes = {getattr(Comment, n).attr_name: {"S": value} for n, value in expected.items()}
    same = unchanged(item, Comment.pk, Comment.version, Comment.reply)
    keyed = change({"pk": item["pk"], "sk": item["sk"]}, changes, same)
    actions = [keyed, *follow(item, changed(item, changes))]
    return mended(partial(write_together, client(), actions))


def _delete_dependents(comment_id: str) -> bool:
    delete_dependents(comment_id)
    return True


def _delete_body(key: str) -> bool:
    short = check(Comment, table_key(key, key), Comment.body_bytes.does_not_exist())
    actions = [short, delete(Comment, table_key(key, keys.BODY))]
    return mended(partial(write_together, client(), actions))
