"""The meter: the capacity units of every call to DynamoDB.

Two botocore hooks see each call of a client: one sets ReturnConsumedCapacity, one reads the
response. They add to a meter in a context variable, so that a page's meter has the calls of that
page only, whichever thread made them (see `dynapages.calls.pool`).
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context, ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from time import perf_counter
from typing import TYPE_CHECKING, Any

from botocore.model import OperationModel

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

UNLABELLED = "list"
_REQUEST = "dynamo_request"


@dataclass(frozen=True, slots=True)
class Call:
    """One call to DynamoDB, or its part in one of several tables: ``number`` is that of the call.

    ``partition`` is the partition key of a Query of `dynapages.lists`, else None. ``items_read`` is
    the ScannedCount of a Query or Scan, else 0. ``round`` counts from 1: a call's round is one more
    than that of the latest call whose answer its caller had waited for.
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


@dataclass(slots=True)
class Meter:
    """The calls of one page, command or test, in the order of their responses.

    ``begun`` is when it was made, in seconds of `time.perf_counter`.
    """

    log: list[Call] = field(default_factory=list)
    begun: float = field(default_factory=perf_counter)
    numbers: Iterator[int] = field(default_factory=partial(count, 1))

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

    def labels(self) -> list[str]:
        """Return the labels in use, in the order of their first call."""
        return list(dict.fromkeys(call.label for call in self.log))


def _number(calls: Iterable[Call]) -> int:
    return len({call.number for call in calls})


def _units(calls: Iterable[Call]) -> float:
    return sum((call.capacity_units for call in calls), 0.0)


_meter: ContextVar[Meter | None] = ContextVar("meter", default=None)
_label: ContextVar[str] = ContextVar("label", default=UNLABELLED)
_round: ContextVar[int] = ContextVar("round", default=0)


@contextmanager
def metered() -> Iterator[Meter]:
    """Meter the calls made inside the block; a nested block uses the same meter."""
    outer = _meter.get()
    meter = outer or Meter()
    token, first = _meter.set(meter), _round.set(_round.get() if outer else 0)
    try:
        yield meter
    finally:
        _meter.reset(token)
        if outer is None:
            _round.reset(first)


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


def attach(client: "DynamoDBClient") -> None:
    """Meter every later call of a client; once is enough, and more often does no harm."""
    events = client.meta.events
    for event, handler in (
        ("before-parameter-build.dynamodb.*", _ask_for_capacity),
        ("after-call.dynamodb.*", _count),
    ):
        events.register(event, handler, unique_id=f"dynapages.{event}")


def request_of(context: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of a metered call by the context that botocore's events have of it."""
    request: Mapping[str, Any] = context[_REQUEST]
    return request


def _ask_for_capacity(
    params: dict[str, Any], model: OperationModel, context: dict[str, Any], **_: object
) -> None:
    asked = model.input_shape
    if asked is not None and "ReturnConsumedCapacity" in asked.members:
        params["ReturnConsumedCapacity"] = "INDEXES"
    context[_REQUEST] = params


def _count(
    parsed: Mapping[str, Any], model: OperationModel, context: Mapping[str, Any], **_: object
) -> None:
    meter = _meter.get()
    if meter is None or "ConsumedCapacity" not in parsed:
        return
    _round.set(_round.get() + 1)
    number = next(meter.numbers)
    request = request_of(context)
    consumed = parsed["ConsumedCapacity"]
    for table in consumed if isinstance(consumed, list) else [consumed]:
        meter.log.append(
            Call(
                operation=model.name,
                table=table["TableName"],
                index=request.get("IndexName"),
                label=_label.get(),
                capacity_units=table["CapacityUnits"],
                items_read=parsed.get("ScannedCount", 0),
                partition=_partition(request),
                round=_round.get(),
                number=number,
            )
        )


def _partition(request: Mapping[str, Any]) -> str | None:
    value = request.get("ExpressionAttributeValues", {}).get(":p", {})
    partition: str | None = value["B"].hex() if "B" in value else value.get("S", value.get("N"))
    return partition
