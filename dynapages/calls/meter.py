"""The meter: the capacity units of every call to DynamoDB, and what they cost.

Two botocore hooks see each call of a client: one sets ReturnConsumedCapacity, one reads the
response. They add to a meter in a context variable, so that a page's meter has the calls of that
page only, whichever thread made them (see `dynapages.calls.pool`).

`metered` meters a block, `metered_alone` and `metered_apart` one within another, `labelled_calls`
labels the calls of one, `attach` has a client's calls metered. The units are those that the
database has counted. Where an engine is sent transactions in the place of batches, Amazon DynamoDB
would take fewer, and both are known (see `instead_of_batches`). What DynamoDB charges by bytes, as
it does vector searches and what writes change in a vector index, is not counted. `prices`,
`dollars` and `decimal_places` turn units into money, by the file ``prices.toml``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import Context, ContextVar
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from itertools import count
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import Any

from botocore.model import OperationModel

from dynapages.items import Value

UNLABELLED = "list"
"""The label of calls that have no other: those of a page's list."""
MILLION = 1_000_000
CENT = 0.01
HALF_UP = 1e-9
"""Added before rounding, which would make $0.62 of $0.625."""
CENTS_BELOW = 10
"""Dollars: larger amounts are shown without cents."""
_PRICES = Path(__file__).with_name("prices.toml")
_TRANSACTION = "TransactWriteItems"
_EQUALITY = re.compile(r"(?<![<>])=\s*(:\w+)")
"""The first of a key condition is that of the partition key, as everybody writes it."""
_EQUALITIES_OF_SEVERAL = re.compile(r"#p\d = (:p\d)")
"""Those of several partition attributes, as `dynapages.lists.query_parameters` writes them."""
_REQUEST = "dynamo_request"
"""The parameters of a call, in the context that botocore's events have of it."""

_meter: ContextVar["Meter | None"] = ContextVar("meter", default=None)
_label: ContextVar[str] = ContextVar("label", default=UNLABELLED)
_round: ContextVar[int] = ContextVar("round", default=0)
_is_instead_of_batches: ContextVar[bool] = ContextVar("is_instead_of_batches", default=False)
_sums: "list[Units]" = []
"""Those that all calls of this process are added to."""
_lock_of_sums = Lock()
_lock_of_blocks = Lock()
_open_blocks: "list[Meter]" = []
"""The meters of blocks of `metered_alone` that are open, the latest last."""
_lost_round: ContextVar["tuple[Meter | None, int]"] = ContextVar("lost_round", default=(None, 0))
"""In a thread without a meter: the latest open block, and the round of its latest call there."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call to DynamoDB, or its part in one of several tables: ``number`` is that of the call.

    ``partition`` is the partition key of a Query, None for another call. ``items_read`` is the
    ScannedCount of a Query or Scan, else 0. ``round`` counts from 1: a call's round is one more
    than that of the latest call whose answer its caller had waited for. ``engine_units`` are the
    part of ``capacity_units`` that only an engine counts (see `instead_of_batches`).
    """

    operation: str
    table: str
    index: str | None
    label: str
    capacity_units: float
    items_read: int
    partition: str | None
    round: int = 1
    number: int = 1
    engine_units: float = 0.0

    @property
    def amazon_units(self) -> float:
        """The capacity units that Amazon DynamoDB takes for the same."""
        return self.capacity_units - self.engine_units


@dataclass(slots=True)
class Units:
    """Capacity units of reads and writes: as the database counts them, and as Amazon DynamoDB does.

    As text it is one number where they are equal, and both in words where they are not. ``calls``
    is the number of calls that took them.
    """

    counted: float = 0.0
    amazon: float = 0.0
    calls: int = 0

    def add(self, call: Call) -> None:
        """Add those of a call."""
        self.calls += 1
        self.counted += call.capacity_units
        self.amazon += call.amazon_units

    def __str__(self) -> str:
        counted = _shown(self.counted)
        units = f"{counted} unit" if counted == "1" else f"{counted} units"
        if self.amazon == self.counted:
            return units
        return f"{units} on this engine; {_shown(self.amazon)} on Amazon DynamoDB"


def _shown(units: float) -> str:
    return f"{units:,.1f}".removesuffix(".0")


def quantity(number: float, one: str, many: str) -> str:
    """Format a number with its noun, such as ``1 round`` and ``2 rounds``."""
    noun = one if number == 1 else many
    return f"{number:,g} {noun}"


@dataclass(frozen=True, slots=True)
class Total:
    """What a whole page has read: its list, and all else.

    ``milliseconds`` is the time until the explanation was made; it counts in no comparison.
    """

    calls: int
    rounds: int
    capacity_units: float
    milliseconds: float = field(default=0.0, compare=False)

    @property
    def dollars(self) -> float:
        """What a million such pages cost, in US dollars."""
        return prices().reads(self.capacity_units)


def _numbers_from_one() -> Iterator[int]:
    return count(1)


@dataclass(slots=True, repr=False)
class Meter:
    """The calls of one page, command or test, in the order of their responses.

    ``begun`` is when it was made, in seconds of `time.perf_counter`. ``outer`` is the meter of the
    block around its own, which counts the same calls, each ``rounds_before`` later.
    """

    log: list[Call] = field(default_factory=list)
    begun: float = field(default_factory=perf_counter)
    numbers: Iterator[int] = field(default_factory=_numbers_from_one)
    outer: "Meter | None" = field(default=None, repr=False)
    rounds_before: int = 0

    def __repr__(self) -> str:
        # Not its log, which may be of thousands of calls.
        calls = quantity(self.calls, "call", "calls")
        rounds = quantity(self.rounds, "round", "rounds")
        units = quantity(self.units, "unit", "units")
        return f"<Meter of {calls}, {rounds}, {units}>"

    def add(self, calls: Sequence[Call]) -> None:
        """Add a call, as its parts in tables."""
        number = next(self.numbers)
        for call in calls:
            self.log.append(replace(call, number=number))
        if self.outer is not None:
            later = [replace(call, round=call.round + self.rounds_before) for call in calls]
            self.outer.add(later)

    def labelled(self, label: str) -> list[Call]:
        """Return the calls made within `labelled_calls` of that label."""
        return [call for call in self.log if call.label == label]

    @property
    def calls(self) -> int:
        """The number of calls."""
        return _number(self.log)

    @property
    def units(self) -> float:
        """The sum of read and write capacity units."""
        return _units(self.log)

    @property
    def amazon_units(self) -> float:
        """The same as Amazon DynamoDB takes: fewer where there are calls `instead_of_batches`."""
        return sum((call.amazon_units for call in self.log), 0.0)

    def calls_of(self, label: str) -> int:
        """Return the number of calls of one label."""
        return _number(self.labelled(label))

    def units_of(self, label: str) -> float:
        """Return the sum of read and write capacity units of one label."""
        return _units(self.labelled(label))

    @property
    def milliseconds(self) -> float:
        """The time since it was made, of calls and of all else."""
        return (perf_counter() - self.begun) * 1000

    @property
    def rounds(self) -> int:
        """The number of calls that waited for one another: the time of that many calls is lost."""
        return max((call.round for call in self.log), default=0)

    @property
    def total(self) -> Total:
        """What was read until now."""
        return Total(self.calls, self.rounds, self.units, self.milliseconds)

    def labels(self) -> list[str]:
        """Return the labels in use, in the order of their first call."""
        return list(dict.fromkeys(call.label for call in self.log))


def _number(calls: Iterable[Call]) -> int:
    """Return the number of calls, of which each may have parts in several tables."""
    return len({call.number for call in calls})


def _units(calls: Iterable[Call]) -> float:
    return sum((call.capacity_units for call in calls), 0.0)


# Metering the calls of a block


@contextmanager
def metered() -> Iterator[Meter]:
    """Meter the calls made inside the block; a nested block uses the same meter."""
    outer = _meter.get()
    if outer is not None:
        yield outer
        return
    # A thread without its caller's context has a meter of its own within a `metered_alone`.
    meter = Meter(outer=_latest_open_block())
    meter_token = _meter.set(meter)
    round_token = _round.set(0)
    try:
        yield meter
    finally:
        _meter.reset(meter_token)
        _round.reset(round_token)


@contextmanager
def metered_alone() -> Iterator[Meter]:
    """Meter the calls made inside the block, apart from those of a block around it.

    The meter of that one counts them too. So does this one for threads that have no meter.
    """
    with _metered_within(_meter.get()) as meter:
        with _lock_of_blocks:
            _open_blocks.append(meter)
        try:
            yield meter
        finally:
            with _lock_of_blocks:
                # By identity: the meters of two blocks may be equal.
                _open_blocks[:] = [one for one in _open_blocks if one is not meter]


@contextmanager
def metered_apart() -> Iterator[Meter]:
    """Meter the calls made inside the block, but not those of threads that have no meter.

    The meter of a block around it counts them too.
    """
    outer = _meter.get()
    if outer is None:
        outer = _latest_open_block()
    with _metered_within(outer) as meter:
        yield meter


@contextmanager
def _metered_within(outer: Meter | None) -> Iterator[Meter]:
    """Meter a block, from its first round on; the outer meter counts its rounds as later ones."""
    rounds_before = _round.get()
    meter = Meter(outer=outer, rounds_before=rounds_before)
    meter_token = _meter.set(meter)
    _round.set(0)
    try:
        yield meter
    finally:
        _meter.reset(meter_token)
        _round.set(rounds_before + _round.get())


def _latest_open_block() -> Meter | None:
    if not _open_blocks:  # as a rule; a lock might be held while a process forks
        return None
    with _lock_of_blocks:
        return _open_blocks[-1] if _open_blocks else None


def current_meter() -> Meter | None:
    """Return the meter of the enclosing block, None outside of any."""
    return _meter.get()


@contextmanager
def labelled_calls(label: str) -> Iterator[None]:
    """Label the calls made inside the block."""
    token = _label.set(label)
    try:
        yield
    finally:
        _label.reset(token)


@contextmanager
def units_of_process() -> Iterator[Units]:
    """Sum up the units of all calls of this process meanwhile, whichever thread makes them.

    For a command that makes too many calls to keep each of them, also by a worker's thread.
    """
    units = Units()
    with _lock_of_sums:
        _sums.append(units)
    try:
        yield units
    finally:
        with _lock_of_sums:
            # By identity: the sums of two blocks may be equal.
            _sums[:] = [one for one in _sums if one is not units]


@contextmanager
def instead_of_batches() -> Iterator[None]:
    """Note that Amazon DynamoDB would be sent the block's TransactWriteItems as BatchWriteItem.

    A transaction takes two units for each started KB of an item, a batch takes one; for the entry
    of an item in an index both take one. So the units that Amazon DynamoDB takes are exact.
    """
    token = _is_instead_of_batches.set(True)
    try:
        yield
    finally:
        _is_instead_of_batches.reset(token)


def join_rounds(context: Context) -> None:
    """Note that the calls made in another context were waited for (see `dynapages.calls.pool`)."""
    _round.set(max(_round.get(), context.get(_round, 0)))


@contextmanager
def one_round() -> Iterator[None]:
    """Count the call that is made and waited for in the block, even where another thread made it.

    A client that is awaited may run in a thread, whose context is lost.
    """
    before = _round.get()
    yield
    _round.set(max(_round.get(), before + 1))


# Counting calls by botocore's events


def attach(client: Any) -> None:  # noqa: ANN401 - any client with botocore's events
    """Meter every later call of a client; once is enough, and more often does no harm."""
    events = client.meta.events
    before, after = "before-parameter-build.dynamodb.*", "after-call.dynamodb.*"
    events.register(before, _ask_for_capacity, unique_id=f"dynapages.{before}")
    events.register(after, _count, unique_id=f"dynapages.{after}")


def request_of(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of a metered call by the context that botocore's events have of it."""
    request: Mapping[str, Any] = context[_REQUEST]
    return request


def _ask_for_capacity(
    params: dict[str, Any], model: OperationModel, context: dict[str, Any], **_: object
) -> None:
    shape = model.input_shape
    if shape is not None and "ReturnConsumedCapacity" in shape.members:
        params["ReturnConsumedCapacity"] = "INDEXES"
    context[_REQUEST] = params


def _count(
    parsed: Mapping[str, Any], model: OperationModel, context: Mapping[str, Any], **_: object
) -> None:
    """Add a call to the meter of its block, and to the sums of the process."""
    meter = _meter.get()
    if meter is None and not _sums and not _open_blocks:
        return
    consumed = parsed.get("ConsumedCapacity")
    if consumed is None:
        return
    # Batches and transactions may be of several tables.
    tables = consumed if isinstance(consumed, list) else [consumed]
    if any("CapacityUnits" not in table for table in tables):
        return  # SearchVectors, which is charged by bytes
    number_of_round = 1
    if meter is not None:
        number_of_round = _round.get() + 1
        _round.set(number_of_round)
    else:
        meter = _latest_open_block()
        if meter is not None:
            number_of_round = _next_round_without_context(meter)
    request = request_of(context)
    is_doubled = model.name == _TRANSACTION and _is_instead_of_batches.get()
    calls = []
    for table in tables:
        # A transaction takes twice the units of a batch for items, not for their entries.
        engine_units = 0.0
        if is_doubled:
            engine_units = _units_of_items(table) / 2
        call = Call(
            operation=model.name,
            table=table["TableName"],
            index=request.get("IndexName"),
            label=_label.get(),
            capacity_units=table["CapacityUnits"],
            items_read=parsed.get("ScannedCount", 0),
            partition=_partition(request),
            round=number_of_round,
            engine_units=engine_units,
        )
        calls.append(call)
        _sum_up(call)
    if meter is not None:
        meter.add(calls)


def _next_round_without_context(block: Meter) -> int:
    """Return the round in an open block of a call whose thread has no meter."""
    latest_block, latest_round = _lost_round.get()
    if latest_block is not block:
        latest_round = 0
    _lost_round.set((block, latest_round + 1))
    return latest_round + 1


def _sum_up(call: Call) -> None:
    """Add a call to the sums of the process."""
    if not _sums:  # as a rule; a lock might be held while a process forks
        return
    with _lock_of_sums:
        for units in _sums:
            units.add(call)


def _units_of_items(table: Mapping[str, Any]) -> float:
    """Return the units of a table's items, without those of its indexes' entries."""
    units: float = table.get("Table", table)["CapacityUnits"]
    return units


def _partition(request: Mapping[str, Any]) -> str | None:
    """Return the partition key of a Query, of several attributes joined; None for another call."""
    condition = request.get("KeyConditionExpression", "")
    placeholders = _EQUALITIES_OF_SEVERAL.findall(condition)
    if not placeholders:
        placeholders = _EQUALITY.findall(condition)[:1]
    if not placeholders:
        return None
    values = request.get("ExpressionAttributeValues", {})
    return "/".join(_text(values.get(placeholder, {})) for placeholder in placeholders)


def _text(value: Value) -> str:
    """Return a key value for display; bytes are hexadecimal."""
    if "B" in value:
        return str(value["B"].hex())
    text: str = value.get("S", value.get("N", ""))
    return text


# Prices.


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars for a million units, and for a gigabyte stored for a month."""

    region: str
    since: date
    source: str
    million_read_units: float
    million_write_units: float
    gigabyte_month: float

    def reads(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for reading so many units so many times."""
        return units * times * self.million_read_units / MILLION

    def writes(self, units: float, *, times: float = MILLION) -> float:
        """Return the dollars for writing so many units so many times."""
        return units * times * self.million_write_units / MILLION


@lru_cache(maxsize=1)
def prices() -> Prices:
    """Return the prices of the file."""
    import tomllib  # noqa: PLC0415 - a program that shows no prices need not wait for it

    return Prices(**tomllib.loads(_PRICES.read_text()))


def dollars(amount: float) -> str:
    """Format an amount in English, such as ``$0.25``, ``$12``, ``$1,250`` and ``under $0.01``."""
    if 0 < amount < CENT:
        return "under $0.01"
    return f"${amount + HALF_UP:,.{decimal_places(amount)}f}"


def decimal_places(amount: float) -> int:
    """Return how many decimal places of an amount are shown: cents only below ten dollars."""
    return 2 if amount < CENTS_BELOW else 0
