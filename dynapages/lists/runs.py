"""Runs: the ordered stretches of items that a list is merged from, and their places in it.

A run is one partition of a table or index, or one range of it: ``PRODUCT#42/en/5`` of an index on
comments, ``SHIPPED#…`` of a customer's orders, one shard of a queue, one month of a log. Runs can
be merged because each item has a *place*, a text that sorts the same way in all of them, and no two
items have one place. Runs can be resumed from any place, whether or not an item has it.

The place is the sort key behind the run's prefix. Where that ends in an id, no more is needed:
``2026-11-20T09:30:00.123456Z#<id>``, in UTC at a fixed width, so that the order of the strings, to
DynamoDB and Python alike, is the order of time. In any other index a digest of the item's table key
follows (`Index.table_key`), behind the sort key as `dynapages.lists.key_texts` writes it.

A global secondary index may have up to four partition and four sort attributes. The sort key is
then a tuple of values. A run may fix the first of them; its places are the others.

`Run` is a run, of an `Index`; a `Source` reads its next items as a `Chunk`. `Position` is a place
with what a visitor sees of it, its `Ordinal`.
"""

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import Enum
from typing import Protocol, TypeAlias

from dynapages.items import Item, KeyValue, Value, key_value, wire_value
from dynapages.lists.key_texts import (
    END,
    HIGHEST,
    JOINT,
    Key,
    displayed,
    joined,
    least_above,
    plain_text,
    text_of,
    text_of_key,
    tie_of,
    values_of,
    without_prefix,
)
from dynapages.lists.key_types import (
    KeyType,
    check_one_type,
    check_partition,
    check_type,
    check_types,
    checked_names,
)

# Positions


@dataclass(frozen=True, slots=True)
class Ordinal:
    """The number of an item in its list, counted from the front or from the end; 1 is the nearest.

    A visitor who walks back from the end has numbers from there: nobody knows how many items a list
    has. Number 0 is no item but an edge of the list, the one where a reading begins: in front of
    the first item for a page that is read on, behind the last one for a page that is read back.
    """

    number: int
    from_front: bool = True

    @classmethod
    def from_signed(cls, signed: int) -> "Ordinal":
        """Return the ordinal that `signed` is the integer of."""
        return cls(abs(signed), from_front=signed >= 0)

    @property
    def signed(self) -> int:
        """The ordinal as tokens store it: an integer above 0 from the front, below from the end."""
        return self.number if self.from_front else -self.number

    @property
    def is_edge(self) -> bool:
        """Whether it is no item's, but the edge of the list where a reading begins."""
        return self.number == 0

    def onward(self, count: int) -> "Ordinal":
        """Return the ordinal of the item ``count`` places further on in the list."""
        return Ordinal.from_signed(self.signed + count)

    def back(self, count: int) -> "Ordinal":
        """Return the ordinal of the item ``count`` places nearer to the front of the list."""
        return Ordinal.from_signed(self.signed - count)

    def in_list_of(self, total: int) -> int:
        """Return the item's number from the front of a list of ``total`` items."""
        return self.number if self.from_front else total + 1 - self.number


@dataclass(frozen=True, slots=True)
class Position:
    """Where an item stands in a list: enough to resume every run behind it.

    ``place`` is the part of the sort key that all runs share, ``rest`` what it does not imply of
    the item's table key. ``ordinal`` is for display: the item's number as the visitor walked, None
    where it is not known.

    ``inclusive`` is whether a read from it begins with the item at the place itself, not behind it.
    The ``ordinal`` is then that of the item that such a read is behind.
    """

    place: str
    rest: str = ""
    ordinal: Ordinal | None = None
    inclusive: bool = False

    def is_before(self, place: str, *, ascending: bool) -> bool:
        """Return whether a read from here, in that direction, may bring an item at ``place``."""
        if place == self.place:
            return self.inclusive
        return (self.place < place) is ascending

    def turned(self, ordinal: Ordinal | None) -> "Position":
        """Return where a read the other way begins: it brings what one from here does not."""
        return replace(self, ordinal=ordinal, inclusive=not self.inclusive)


LIST_EDGE = Ordinal(0)


# Tables, indexes and filters


def _no_rest(_item: Item) -> str:
    """Return the rest of items whose place implies their whole table key."""
    return ""


@dataclass(frozen=True, slots=True)
class Index:
    """A table or secondary index; ``partition`` and ``sort`` are its key attributes.

    Each is a name. In a global secondary index it may be a tuple of one to four names, in the order
    of the KeySchema; what is a value of them elsewhere is then a tuple of values.

    ``name`` is None for the table itself. ``table_key`` names the key attributes of the table, such
    as ``("pk", "sk")``; of the table itself it is known. Items may then have equal sort keys: they
    are kept apart by their table keys (see `dynapages.lists.tied_reads`).

    Where no two items of a list have equal sort keys, because these end in an id, ``table_key`` may
    be a function. It returns the table key of the item at a position, and ``rest_of`` the
    `Position.rest` of an item, by key attributes only: a LastEvaluatedKey has no others. A read
    then takes no item more than it needs.

    With ``consistent`` its reads are strongly consistent, at twice the units; a global secondary
    index has no such reads.

    ``key_types`` are the types of its key attributes, those that are known, in the letters of
    AttributeDefinitions: ``{"team": "S", "at": "N"}``. Values of other types are refused then,
    before any call.

    Raises ValueError for a secondary index without a ``table_key``, for wrong ``key_types``, for
    several attributes where there cannot be, and for a function where there are several sort
    attributes.

    Follows "Multi-attribute keys" of "Using Global Secondary Indexes" in the Developer Guide.
    """

    table: str
    name: str | None = None
    _: KW_ONLY
    partition: str | tuple[str, ...]
    sort: str | tuple[str, ...]
    table_key: tuple[str, ...] | Callable[[Position], Mapping[str, KeyValue]] = ()
    rest_of: Callable[[Item], str] = _no_rest
    consistent: bool = False
    key_types: Mapping[str, KeyType] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if isinstance(self.table_key, str):
            sentence = f"table_key is a tuple of names, such as ({self.table_key!r},)"
            raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
        if self.name is not None and not self.table_key:
            raise ValueError(
                f"Index {self.name!r} needs table_key, the names of the table's key attributes, "
                'such as ("pk", "sk"): they tell items of equal sort keys apart'
            )

        for part in ("partition", "sort"):
            object.__setattr__(self, part, checked_names(getattr(self, part), part))
        if self.name is None and self._has_tuples:
            raise ValueError("Only a global secondary index has keys of several attributes")
        if callable(self.table_key):
            if isinstance(self.sort, tuple):
                sentence = (
                    f"The table_key of {self.name!r} is a tuple of names: it has several sort "
                    "attributes, of which no place is a value to compute a key from"
                )
                raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
        else:
            object.__setattr__(self, "table_key", tuple(self.table_key))
        names = (*self.partition_names, *self.sort_names, *self.key_names)
        check_types(self.key_types, names, self.label)

    @property
    def label(self) -> str:
        """Its name, or that of the table."""
        return self.name or self.table

    @property
    def _has_tuples(self) -> bool:
        return isinstance(self.partition, tuple) or isinstance(self.sort, tuple)

    @property
    def partition_names(self) -> tuple[str, ...]:
        """Its partition attributes, also where there is one."""
        return self.partition if isinstance(self.partition, tuple) else (self.partition,)

    @property
    def sort_names(self) -> tuple[str, ...]:
        """Its sort attributes, also where there is one."""
        return self.sort if isinstance(self.sort, tuple) else (self.sort,)

    @property
    def key_names(self) -> tuple[str, ...]:
        """The table's key attributes; none where no two items of a list have equal sort keys."""
        if callable(self.table_key):
            return ()
        if self.name is None:
            return *self.partition_names, *self.sort_names
        return self.table_key

    def sort_values(self, item: Item) -> tuple[KeyValue, ...]:
        """Return the values of the sort attributes of an item, or of its LastEvaluatedKey.

        Raises ValueError for one that has not all of them.
        """
        sort = self.sort
        try:
            if isinstance(sort, str):
                return (key_value(item[sort]),)
            return tuple(key_value(item[name]) for name in sort)
        except KeyError:
            raise self._lacking(item) from None

    def letters(self, item: Item) -> str:
        """Return the types of an item's table key, in the order of ``table_key``, such as ``SN``.

        Raises ValueError for one that has not all of it.
        """
        try:
            return "".join(next(iter(item[name])) for name in self.key_names)
        except KeyError:
            raise self._lacking(item) from None

    def tie(self, item: Item) -> str:
        """Return what orders items of equal sort keys: see `tie_of`. Raises ValueError."""
        try:
            return tie_of(item, self.key_names)
        except KeyError:
            raise self._lacking(item) from None

    def _lacking(self, item: Item) -> ValueError:
        """Return the error about an item without some key attribute."""
        key_names = dict.fromkeys((*self.sort_names, *self.key_names))
        lacking = [name for name in key_names if name not in item]
        return ValueError(
            f"The Index of {self.label!r} names key attributes that an item does not have, "
            f"{', '.join(lacking)}; the item has {', '.join(sorted(item))}"
        )


@dataclass(frozen=True, slots=True)
class OneOf:
    """A filter that keeps items whose ``attribute`` is one of ``values``; all are charged for."""

    attribute: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))


@dataclass(frozen=True, slots=True)
class HasAll:
    """A filter that keeps items whose ``attribute``, a set, has all of ``values``."""

    attribute: str
    values: tuple[Value, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))


@dataclass(frozen=True, slots=True)
class Lacks:
    """A filter that keeps items without an ``attribute``; all are charged for."""

    attribute: str


Filter: TypeAlias = OneOf | HasAll | Lacks
"""What items of a run have to pass, by one of their attributes."""


# Runs


class Start(Enum):
    """Where a run is read from when its list resumes at a position."""

    BEHIND = "behind the position"
    EDGE = "at its own edge"
    NOWHERE = "nowhere: it ended before the position"


@dataclass(frozen=True, slots=True)
class Run:
    """One partition, narrowed to sort keys that begin with ``prefix``.

    ``since`` and ``until`` bound what follows the prefix: ``since <= … < until``. In an index of
    several sort attributes the prefix is a tuple of values of the first of them, and the bounds are
    of the attribute behind these. ``known`` are attributes, in wire form, that all items of the run
    share, so that the index need not project them. Items that ``keep`` does not accept are dropped
    after they were read.

    Runs of one ``alternative`` keep the same items, of which they read others in between: after the
    first round, the one that reached furthest is read on, and the others are left.

    ``section`` is put in front of the places, so that runs of one section come before or behind all
    those of another. It ends in a character that occurs in no other place of it.

    Raises ValueError for values that are no keys, or not of the types of the index.
    """

    index: Index
    partition: Key
    prefix: str | bytes | tuple[KeyValue, ...] = ""
    since: KeyValue | None = None
    until: KeyValue | None = None
    known: Item = field(default_factory=dict)
    keep: tuple[Filter, ...] = ()
    section: str = ""
    alternative: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "keep", tuple(self.keep))
        index = self.index
        if isinstance(index.sort, tuple):
            self._check_fixed(index.sort)
        elif not isinstance(self.prefix, str | bytes):
            sentence = f"Sort keys begin with a str or bytes, and not with {self.prefix!r}"
            raise ValueError(sentence)  # noqa: TRY004 - a wrong argument, as the others
        check_partition(index.partition, self.partition, index.label)
        if index.key_types:
            for name, value in zip(index.partition_names, values_of(self.partition), strict=True):
                check_type(index.key_types, name, value, index.label)
        bounds: list[KeyValue] = []
        for bound in (self.text_prefix, self.since, self.until):
            if bound is not None and bound not in ("", b""):
                check_type(index.key_types, self.bounded, bound, index.label)
                bounds.append(bound)
        check_one_type(bounds, "The prefix and the bounds of a run")

    def _check_fixed(self, names: tuple[str, ...]) -> None:
        """Make the prefix a tuple. Raises ValueError for one that fixes what it cannot."""
        index = self.index
        if self.prefix in ("", b""):
            object.__setattr__(self, "prefix", ())
        if not isinstance(self.prefix, tuple) or len(self.prefix) > len(names):
            raise ValueError(
                f"The prefix in {index.label!r} is a tuple of values of {', '.join(names)}, of the "
                f"first one or more, and not {self.prefix!r}"
            )
        for name, value in zip(names, self.prefix, strict=False):
            wire_value(value)
            check_type(index.key_types, name, value, index.label)
        is_bounded = self.since is not None or self.until is not None
        if is_bounded and len(self.prefix) == len(names):
            raise ValueError("A run that fixes all sort attributes has nothing left to be bounded")

    @property
    def fixed(self) -> tuple[KeyValue, ...]:
        """The values of the first sort attributes, of several, that all its items have."""
        return self.prefix if isinstance(self.prefix, tuple) else ()

    @property
    def text_prefix(self) -> str | bytes:
        """What the values of its one sort attribute begin with."""
        return "" if isinstance(self.prefix, tuple) else self.prefix

    @property
    def free(self) -> tuple[str, ...]:
        """The sort attributes whose values its places are made of."""
        return self.index.sort_names[len(self.fixed) :]

    @property
    def bounded(self) -> str:
        """The sort attribute that ``since`` and ``until`` bound."""
        return self.index.sort_names[min(len(self.fixed), len(self.index.sort_names) - 1)]

    @property
    def label(self) -> str:
        """The run for display: its partition key, and its range unless it is the whole."""
        if not self.prefix and self.since is None and self.until is None:
            return displayed(self.partition)
        prefix = displayed(self.prefix)
        if self.fixed:
            prefix += JOINT
        text = f"{displayed(self.partition)} from {prefix}"
        if self.since is not None:
            text += displayed(self.since)
        if self.until is not None:
            text += f" to {prefix}{displayed(self.until)}"
        return text.removesuffix(JOINT)

    @property
    def is_empty(self) -> bool:
        """Whether nothing lies between ``since`` and ``until``."""
        if self.until in ("", b""):  # nothing is below it
            return True
        if self.since is None or self.until is None:
            return False
        return text_of(self.since) >= text_of(self.until)

    @property
    def bounds(self) -> tuple[KeyValue | None, KeyValue | None]:
        """The least value of the bounded attribute, and the least above all; None for no end."""
        prefix = self.text_prefix
        low: KeyValue | None = prefix
        if self.since is not None:
            low = joined(prefix, self.since)
        if low in ("", b""):  # every sort key is above it
            low = None
        high = least_above(prefix)
        if self.until is not None:
            high = joined(prefix, self.until)
        return low, high

    @property
    def reach(self) -> tuple[str, str]:
        """The texts of the sort keys that it may hold: from the first on, and below the second."""
        low, high = self.bounds
        fixed = self.fixed
        begin = text_of_key(fixed if low is None else (*fixed, low))
        if high is not None:
            return begin, text_of_key((*fixed, high))
        if fixed:
            return begin, text_of_key(fixed) + END + HIGHEST
        return begin, HIGHEST

    def free_values(self, item: Item) -> tuple[KeyValue, ...]:
        """Return the values of the sort attributes that are not fixed. Raises ValueError."""
        values = self.index.sort_values(item)
        # This is asked of each item that is read: of one attribute nothing is fixed.
        if isinstance(self.prefix, tuple):
            return values[len(self.prefix) :]
        return values

    def group_of(self, item: Item) -> str:
        """Return how the place of an item begins, as those of all items of its sort key.

        It is empty where the run fixes all sort attributes.
        """
        values = self.free_values(item)
        if isinstance(self.prefix, tuple):
            return text_of_key(values)
        return text_of(without_prefix(self.prefix, values[0]))

    def place_of(self, item: Item) -> str:
        """Return the place of an item of the run, or of its LastEvaluatedKey.

        Raises ValueError for one that has not the key attributes of the run's index.
        """
        if not self.index.key_names:
            (value,) = self.index.sort_values(item)
            return self.section + plain_text(without_prefix(self.text_prefix, value))
        tie = self.index.tie(item)
        group = self.group_of(item)
        if not group:
            return self.section + tie
        return self.section + group + END + tie

    def position_of(self, item: Item) -> Position:
        """Return the position of an item of the run, or of its LastEvaluatedKey."""
        return Position(self.place_of(item), self.rest_of(item))

    def rest_of(self, item: Item) -> str:
        """Return the `Position.rest` of an item of the run, or of its LastEvaluatedKey."""
        if not self.index.key_names:
            return self.index.rest_of(item)
        # A place that ends in a digest of the table key stands for all of that. Where a start key
        # has to be made up, the types of its values have to be known as well.
        if isinstance(self.index.sort, tuple):
            return self.index.letters(item)
        return ""

    def start_at(self, position: Position, *, ascending: bool) -> Start:
        """Return where this run resumes at ``position``, which may come from another run.

        DynamoDB refuses a start key at the lowest sort key of a run where nothing can follow.
        """
        # A position below the run has all of it ahead, or nothing of it, read downward.
        if ascending:
            below_run, above_run = Start.EDGE, Start.NOWHERE
        else:
            below_run, above_run = Start.NOWHERE, Start.EDGE
        if position.place < self.section:
            return below_run
        place = position.place.removeprefix(self.section)
        if not position.place.startswith(self.section) or place >= HIGHEST:
            return above_run
        lowest = "" if self.since is None else self._place_text(self.since)
        if place < lowest:
            return below_run
        if self.until is not None and place >= self._place_text(self.until):
            return above_run
        if place == lowest and (position.inclusive is ascending or not self._may_hold(place)):
            return below_run
        return Start.BEHIND

    def _place_text(self, value: KeyValue) -> str:
        """Return how places of the run begin that are of a sort key."""
        if self.index.key_names:
            return text_of(value)
        return plain_text(value)

    def _may_hold(self, place: str) -> bool:
        """Return whether an item of the run may be at a place; a sort key is not empty."""
        return not self.index.key_names and bool(place or self.text_prefix)

    def without_section(self, position: Position) -> Position:
        """Return a position of the run without its section."""
        if not self.section:
            return position
        return replace(position, place=position.place.removeprefix(self.section))


# Reads of runs


@dataclass(frozen=True, slots=True)
class Chunk:
    """The result of one read of a run.

    ``last`` is the position the read stopped at, maybe beyond the last of ``items``; None when the
    run is exhausted. ``items_read`` is the ScannedCount, ``calls`` the number of calls that were
    made one after the other.
    """

    items: tuple[Item, ...]
    last: Position | None
    items_read: int
    capacity_units: float
    calls: int = 1


NOTHING = Chunk(items=(), last=None, items_read=0, capacity_units=0.0, calls=0)


class Source(Protocol):
    """Reads the next items of a run, in order: from DynamoDB, or from any other store.

    Items that are in memory, in wire form::

        class InMemory:
            def __init__(self, items):
                self.items = items

            def query(self, run, *, behind, limit, ascending):
                partition = wire_value(run.partition)
                mine = [item for item in self.items if item[run.index.partition] == partition]
                found = sorted(((run.position_of(item).place, item) for item in mine),
                               key=itemgetter(0), reverse=not ascending)
                if behind is not None:
                    found = [(place, item) for place, item in found
                             if behind.is_before(place, ascending=ascending)]
                read = found[:limit]
                last = Position(read[-1][0]) if len(found) > limit else None
                return Chunk(tuple(item for _, item in read), last, len(read), capacity_units=0.0)

        feed = Feed(Index("letters", partition="p", sort="s"), ["a", "b"], source=InMemory(items))
    """

    def query(self, run: Run, *, behind: Position | None, limit: int, ascending: bool) -> Chunk:
        """Read up to ``limit`` items of ``run`` behind a position; None is the run's own edge.

        Those are the items for whose places `Position.is_before` is true: also one at the place of
        the position itself, where that is ``inclusive``.
        """
