"""Runs: the ordered stretches of items that a list is merged from, their sort keys and Queries.

A run is one partition of a table or index, or one range of it: ``PRODUCT#42/en/5`` of an index on
comments, ``SHIPPED#…`` of a customer's orders, one shard of a queue, one month of a log. Runs can
be merged because the last part of their sort keys, the *place*, is unique and sorts the same way in
all of them: ``2026-11-20T09:30:00.123456Z#<id>``. UTC at a fixed width makes the order of the
strings, to DynamoDB and Python alike, the order of time; the id breaks ties. Runs can be resumed
because the ExclusiveStartKey of any can be built from any place, whether or not an item has it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from botocore.exceptions import ClientError

from dynapages.calls.faults import NotSetUp, fault_in
from dynapages.items import Item, Value, wire_key

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Position:
    """Where an item stands in a list: enough to resume every run behind it.

    ``place`` is the part of the sort key that all runs share, ``rest`` what it does not imply of
    the item's table key. ``ordinal`` is for display: the item's number as the visitor walked, from
    1, or from -1, the last item, if the walk began at the end; 0 in front of the first item and
    behind the last one, None where it is not known.
    """

    place: str
    rest: str = ""
    ordinal: int | None = 0


@dataclass(frozen=True, slots=True)
class Index:
    """A table or secondary index, and how its keys relate to positions.

    ``table_key`` returns the table's own key of the item at a position, ``rest_of`` the
    `Position.rest` of an item, by key attributes only: a LastEvaluatedKey has no others. ``name``
    is None for the table itself.
    """

    table: str
    name: str | None = None
    _: KW_ONLY
    partition: str
    sort: str
    table_key: Callable[[Position], Mapping[str, str]]
    rest_of: Callable[[Item], str] = lambda _item: ""
    consistent: bool = False


@dataclass(frozen=True, slots=True)
class OneOf:
    """A filter that keeps items whose ``attribute`` is one of ``values``; all are charged for."""

    attribute: str
    values: tuple[Value, ...]


class Start(Enum):
    """Where a run is read from when its list resumes at a position."""

    BEHIND = "behind the position"
    EDGE = "at its own edge"
    NOWHERE = "nowhere: it ended before the position"


@dataclass(frozen=True, slots=True)
class Run:
    """One partition, narrowed to sort keys that begin with ``prefix``.

    ``since`` and ``until`` bound the places: ``since <= place < until``. ``known`` are attributes,
    in wire form, that all items of the run share, so that the index need not project them. Items
    that ``keep`` does not accept are dropped after they were read.

    ``section`` is put in front of the places, so that runs of one section come before or behind all
    those of another. It ends in a character that occurs in no other place of it.
    """

    index: Index
    partition: str
    prefix: str = ""
    since: str | None = None
    until: str | None = None
    known: Item = field(default_factory=dict)
    keep: tuple[OneOf, ...] = ()
    section: str = ""

    @property
    def label(self) -> str:
        """The run for display: its partition key, and its range unless it is the whole."""
        if not self.prefix and self.since is None and self.until is None:
            return self.partition
        until = "" if self.until is None else f" to {self.prefix}{self.until}"
        return f"{self.partition} from {self.prefix}{self.since or ''}{until}"

    @property
    def is_empty(self) -> bool:
        """Whether no place lies between ``since`` and ``until``."""
        return self.since is not None and self.until is not None and self.since >= self.until

    def position_of(self, item: Item) -> Position:
        """Return the position of an item of the run, or of its LastEvaluatedKey."""
        sort_value: str = item[self.index.sort]["S"]
        place = self.section + sort_value.removeprefix(self.prefix)
        return Position(place, self.index.rest_of(item))

    def start_at(self, position: Position, *, ascending: bool) -> Start:
        """Return where this run resumes behind ``position``, which may come from another run.

        DynamoDB refuses a start key at ``since`` itself where nothing can follow.
        """
        in_front, behind = Start.EDGE, Start.NOWHERE
        if not ascending:
            in_front, behind = behind, in_front
        if position.place <= self.section:
            return in_front
        if not position.place.startswith(self.section):
            return behind
        place = self._local(position).place
        if self.since is not None and place < self.since:
            return in_front
        if self.until is not None and place >= self.until:
            return behind
        if place == self.since and not ascending:
            return Start.NOWHERE
        return Start.BEHIND

    def start_key(self, position: Position) -> Item:
        """Build the ExclusiveStartKey that makes this run resume behind ``position``."""
        local = self._local(position)
        key = dict(self.index.table_key(local))
        key[self.index.partition] = self.partition
        key[self.index.sort] = self.prefix + local.place
        return wire_key(key)

    def _local(self, position: Position) -> Position:
        return replace(position, place=position.place.removeprefix(self.section))


HIGHEST = "\U0010ffff"
"""Sorts behind every character that a sort key may hold."""
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The result of one read of a run.

    ``last`` is the position the read stopped at, maybe beyond the last of ``items``; None when the
    run is exhausted. ``items_read`` is the ScannedCount.
    """

    items: tuple[Item, ...]
    last: Position | None
    items_read: int
    capacity_units: float


NOTHING = Chunk(items=(), last=None, items_read=0, capacity_units=0.0)


class Source(Protocol):
    """Reads the next items of a run, in order."""

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        """Read up to ``limit`` items of ``run`` behind a position; None is the run's own edge."""


class QuerySource:
    """Reads runs by Query, one call each. Raises botocore's errors.

    Follows "Key condition expressions for the Query operation" of the Developer Guide.
    """

    def __init__(self, client: "DynamoDBClient", *, may_miss_tables: bool = False) -> None:
        self._client = client
        self._may_miss_tables = may_miss_tables

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        request = query_request(run, behind=behind, limit=limit, ascending=ascending)
        if request is None:
            return NOTHING
        try:
            response = self._client.query(**request)
        except ClientError as error:
            if self._may_miss_tables and isinstance(fault_in(error), NotSetUp):
                return NOTHING
            raise
        last_key = response.get("LastEvaluatedKey")
        return Chunk(
            items=tuple({**item, **run.known} for item in response["Items"]),
            last=run.position_of(last_key) if last_key else None,
            items_read=response["ScannedCount"],
            capacity_units=response.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0),
        )


def query_request(
    run: Run, *, behind: Position | None, limit: int, ascending: bool
) -> dict[str, Any] | None:
    """Build the parameters of the Query that reads a run; None when nothing is left to read."""
    start = Start.EDGE if behind is None else run.start_at(behind, ascending=ascending)
    if start is Start.NOWHERE or run.is_empty:
        return None
    condition, values = _key_condition(run)
    request: dict[str, Any] = {
        "TableName": run.index.table,
        "KeyConditionExpression": condition,
        "ExpressionAttributeNames": {"#p": run.index.partition},
        "ExpressionAttributeValues": {name: {"S": value} for name, value in values.items()},
        "ScanIndexForward": ascending,
        "ReturnConsumedCapacity": "INDEXES",
        "Limit": limit,
    }
    if "#s" in condition:
        request["ExpressionAttributeNames"]["#s"] = run.index.sort
    if run.index.name is not None:
        request["IndexName"] = run.index.name
    if run.index.consistent:
        request["ConsistentRead"] = True
    if start is Start.BEHIND and behind is not None:
        request["ExclusiveStartKey"] = run.start_key(behind)
    _add_filter(request, run.keep)
    return request


def _add_filter(request: dict[str, Any], keep: Sequence[OneOf]) -> None:
    terms = []
    for number, one_of in enumerate(keep):
        values = {f":f{number}_{n}": value for n, value in enumerate(one_of.values)}
        request["ExpressionAttributeNames"][f"#f{number}"] = one_of.attribute
        request["ExpressionAttributeValues"] |= values
        terms.append(f"#f{number} IN ({', '.join(values)})")
    if terms:
        request["FilterExpression"] = " AND ".join(terms)


def _key_condition(run: Run) -> tuple[str, Mapping[str, str]]:
    # Both ends are bounded, so that no neighbouring prefix is read. BETWEEN includes its upper end,
    # which therefore lies just below ``until``: a read that stopped at an item at ``until`` could
    # not be resumed, neither from outside the range nor from its edge.
    values = {":p": run.partition}
    if run.since is None and run.until is None:
        if not run.prefix:
            return "#p = :p", values
        return "#p = :p AND begins_with(#s, :prefix)", values | {":prefix": run.prefix}
    if run.until is None and not run.prefix:
        return "#p = :p AND #s >= :low", values | {":low": run.since or ""}
    if run.since is None and not run.prefix:
        return "#p = :p AND #s < :high", values | {":high": run.until or ""}
    low = run.prefix + (run.since or "")
    high = run.prefix + (HIGHEST if run.until is None else _just_below(run.until))
    return "#p = :p AND #s BETWEEN :low AND :high", values | {":low": low, ":high": high}


def _just_below(key: str) -> str:
    """Return a string that is above all sort keys below ``key``, and below ``key`` itself."""
    code = ord(key[-1]) - 1
    if code < 0:
        return key[:-1]
    if code in _SURROGATES:
        code = _SURROGATES.start - 1
    return key[:-1] + chr(code) + HIGHEST


SEPARATOR = "#"


def timestamp(moment: datetime) -> str:
    """Format an aware datetime as UTC at fixed width, such as ``2026-11-20T09:30:00.123456Z``.

    Raises ValueError for a naive datetime.
    """
    if moment.utcoffset() is None:
        sentence = f"{moment.isoformat()} has no time zone; a sort key needs an aware datetime"
        raise ValueError(sentence)
    utc = moment.astimezone(UTC).replace(tzinfo=None)
    return utc.isoformat(timespec="microseconds") + "Z"


def parse_timestamp(text: str) -> datetime:
    """Parse what `timestamp` wrote, as an aware UTC datetime. Raises ValueError for other text."""
    moment = datetime.fromisoformat(text)
    if timestamp(moment) != text:  # it takes other forms as well, which would sort wrongly
        sentence = f"{text!r} is not of the fixed width of a sort key's timestamp"
        raise ValueError(sentence)
    return moment


def sort_key_of(moment: datetime, unique_id: str) -> str:
    """Build the sort key of an item created at ``moment``."""
    return timestamp(moment) + SEPARATOR + unique_id


def moment_at(sort_key: str) -> datetime:
    """Return the moment a sort key begins with, as an aware UTC datetime."""
    return parse_timestamp(sort_key.partition(SEPARATOR)[0])


def id_at(sort_key: str) -> str:
    """Return the id a sort key ends with, which may contain a ``#``."""
    return sort_key.partition(SEPARATOR)[2]
