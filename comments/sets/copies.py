"""The items of a comment in ``comment_sets``: the primary, stored with the comment, and copies.

The table's stream asks for the writes of copies (`CopyWriter`, `Consumer`), in any order. A record
of a primary item asks for its new copies, and for the deletion of those of its old image that the
new ones do not replace. A record of a copy, marked ``auto``, asks for nothing.

Images only name copies that may exist: what is written is derived from the primary as it is then
(`comments.store.derived`). So records may come twice, late, out of order, or to two consumers at
once, and a crash is completed by the next read of its record. ``check_integrity --model sets``
finds what a lost record left.

Follows "Building the table" of part 1 of "Efficient filtering with DynamoDB"; see
docs/designs/sets.md.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

from comments import keys
from comments.filters import ANY, RATINGS
from comments.host import COMMENTS, uses_sets
from comments.models import ENTRY, Comment
from comments.sets.models import TABLE, CommentSetItem
from comments.store.derived import POOL, Applied, DerivedWriter, Name, Writes
from comments.store.states import is_listed, product_id_of
from comments.store.writing import CommentChange, Following
from dynapages.calls import Batches
from dynapages.errors import DynamoError
from dynapages.items import Item
from dynapages.process import client, current_connection
from dynapages.streams import Record, StreamWalk, TableCheckpoints, build_streams_client, stream_of
from dynapages.writes import Action, delete, put

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

AUTO = CommentSetItem.auto.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name
_RATINGS_ON_THE_WIRE = frozenset(str(rating) for rating in RATINGS)
_ANY_SET = keys.product_partition("", ANY, ANY).removeprefix(keys.PRODUCT_PREFIX)
MASKS = "masks"
"""What the option ``SETS_KEY_FORMAT`` is where keys have sets of ratings as bit masks."""
RECORDS_AT_ONCE = 100
"""Records between two checkpoints, which may ask for 31 writes each."""
_IMAGES = {"INSERT": ("NewImage",), "MODIFY": ("OldImage", "NewImage"), "REMOVE": ("OldImage",)}
"""The images a record must have, by the name of its event."""


# Keys and items


def partition(product_id: str, language: str | None, ratings: Collection[int]) -> str:
    """Format the set of a product's comments in a language (or any) with these ratings (or any)."""
    chosen = sorted(set(ratings))
    if not chosen or chosen == list(RATINGS):
        in_key = ANY
    elif COMMENTS["SETS_KEY_FORMAT"] == MASKS:
        in_key = str(sum(1 << (rating - 1) for rating in chosen))
    else:
        in_key = ".".join(str(rating) for rating in chosen)
    return keys.product_partition(product_id, language or ANY, in_key)


def primary_of(comment: Item | None) -> Item | None:
    """Derive a comment's primary item from its item in ``comments``; None for one in no list."""
    if not comment or not is_listed(comment):
        return None
    return {
        "pk": comment["pk"],
        "sk": {"S": partition(product_id_of(comment), None, RATINGS)},
        **{name: comment[name] for name in ENTRY if name in comment},
    }


def copies_of(primary: Item) -> list[Item]:
    """Derive the 31 copies of a primary item, one for each other set of the comment."""
    product_id = keys.product_id_in(primary["sk"]["S"]).removesuffix(_ANY_SET)
    rating, language = int(primary[_RATING]["N"]), primary[_LANGUAGE]["S"]
    copies: list[Item] = []
    for ratings in _sets_with(rating):
        for language_or_any in (None, language):
            sort_key = partition(product_id, language_or_any, ratings)
            if sort_key != primary["sk"]["S"]:
                copies.append({**primary, "sk": {"S": sort_key}, AUTO: {"BOOL": True}})
    return copies


def _sets_with(rating: int) -> Iterator[tuple[int, ...]]:
    """Yield the sixteen sets of ratings that have this one."""
    for size in range(1, len(RATINGS) + 1):
        for ratings in combinations(RATINGS, size):
            if rating in ratings:
                yield ratings


def name_of(item: Item) -> Name:
    """Return an item's key as a plain value."""
    return item["pk"]["S"], item["sk"]["S"]


def is_primary(item: Item) -> bool:
    """Return whether an item, or its key alone, is a primary."""
    return bool(item["sk"]["S"].endswith(_ANY_SET)) and AUTO not in item


# With a comment's transaction


def follow(changes: Sequence[CommentChange]) -> Following:
    """Return what belongs in the transaction of changes: their primaries."""
    actions: list[Action] = []
    for change in changes:
        actions += primary_actions(change.before, change.after)
    return Following(actions)


def primary_actions(before: Item | None, after: Item | None) -> list[Action]:
    """Build the actions for a transaction that turns a comment's item into another, or None.

    The transaction must require that version, product and reply of ``before`` are still stored.
    There are none unless lists are read from ``comment_sets``.
    """
    if not uses_sets():
        return []
    old, new = primary_of(before), primary_of(after)
    if old == new:
        return []
    # A comment that moves to another product gets another sort key.
    actions: list[Action] = []
    if old and (new is None or new["sk"] != old["sk"]):
        actions.append(delete(CommentSetItem, {"pk": old["pk"], "sk": old["sk"]}))
    if new:
        actions.append(put(CommentSetItem, new))
    return actions


# Records of the stream


class UnreadableRecord(DynamoError):
    """A record lacks its key or an image: it is of another stream, or of another view type."""

    def __init__(self) -> None:
        super().__init__(
            "A record lacks the key or an image of its item: the stream of comment_sets must be "
            "NEW_AND_OLD_IMAGES, as “manage.py create_tables” sets it up."
        )


def writes_for(record: Record) -> Writes:
    """Return the writes that the record of a primary asks for. Raises UnreadableRecord."""
    change = record["dynamodb"]
    for image in _IMAGES[record["eventName"]]:
        if image not in change:
            raise UnreadableRecord
    # What is put again must not be deleted as old.
    puts = {name_of(copy): copy for copy in _derivable_copies(change.get("NewImage"))}
    old = {name_of(copy) for copy in _derivable_copies(change.get("OldImage"))}
    return Writes(puts, frozenset(old - puts.keys()))


def batches() -> Batches:
    """Return the batch calls that copies are written with."""
    return Batches(client(), POOL)


class CopyWriter(DerivedWriter[Name]):
    """Writes the copies of primary items, which are read by their keys."""

    table = TABLE

    def apply(self, records: Sequence[Record]) -> Applied:
        """Write the copies that follow from records; those of one comment should be in order.

        Raises UnreadableRecord, BatchIncomplete, and Contended when primaries keep changing.
        """
        writes: dict[Name, Writes] = {}
        for record in records:
            key = _key_in(record)
            if is_primary(key):
                name = name_of(key)
                writes[name] = writes.get(name, Writes()).then(writes_for(record))
        return self.settle(writes)

    def read(self, keys: Collection[Name]) -> dict[Name, Item]:
        table_keys = [self.table_key(name) for name in keys]
        return self.by_name(self.batches.get(TABLE, table_keys))

    def derive(self, sources: Mapping[Name, Item]) -> dict[Name, list[Item]]:
        return {name: _derivable_copies(primary) for name, primary in sources.items()}


def _report_to_nobody(_sentence: str) -> None:
    """Do nothing with a sentence."""


@dataclass(slots=True)
class Consumer:
    """Writes the copies that the stream asks for in a process, on any engine, and counts them.

    It continues from the checkpoints, which are in the table ``comments``: in ``comment_sets`` they
    would cause records of their own. ``pause`` is the seconds between two reads of an empty stream;
    ``report`` is called with a sentence when records were lost.
    """

    pause: float = 1.0
    report: Callable[[str], None] = _report_to_nobody
    applied: Applied = field(default_factory=Applied)
    client: "DynamoDBClient" = field(default_factory=client)

    def walk(self) -> StreamWalk:
        """Return the walk from the checkpoints. Raises NoStream."""
        return StreamWalk(
            api=build_streams_client(current_connection()),
            arn=stream_of(self.client, TABLE),
            # In the other table: here each would be a record of the stream itself.
            checkpoints=TableCheckpoints(
                client=self.client,
                table=Comment.Meta.table_name,
                key=keys.checkpoint,
                expiry_attribute=Comment.expires_at.attr_name,
            ),
            apply=self._apply,
            limit=RECORDS_AT_ONCE,
            pause=self.pause,
            report=self.report,
        )

    def _apply(self, records: Sequence[Record]) -> None:
        applied = CopyWriter(Batches(self.client, POOL)).apply(records)
        self.applied += applied + Applied(records=len(records))


def _key_in(record: Record) -> Item:
    key: Item | None = record.get("dynamodb", {}).get("Keys")
    if key is None or record.get("eventName") not in _IMAGES:
        raise UnreadableRecord
    return key


def _derivable_copies(primary: Item | None) -> list[Item]:
    """Derive the copies of a primary; none where it lacks what their keys are derived from."""
    if not primary or "S" not in primary.get(_LANGUAGE, {}):
        return []
    if primary.get(_RATING, {}).get("N") not in _RATINGS_ON_THE_WIRE:
        return []
    return copies_of(primary)
