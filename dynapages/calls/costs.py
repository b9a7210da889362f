"""Costs that a test holds: a block whose calls may take so many capacity units and rounds."""

from collections.abc import Sequence
from contextlib import ExitStack
from types import TracebackType

from dynapages.calls.every_client import every_client_metered
from dynapages.calls.meter import Call, Meter, metered_alone, quantity
from dynapages.errors import DynamoError


class TooExpensive(DynamoError, AssertionError):
    """The calls of a block took more than `cost` allows; a line of its text is one of them."""


class cost:  # noqa: N801 - it is called as a function is
    """Allow the block at most so many capacity units (``at_most``) and rounds, for tests.

    It gives the `Meter` of the block's calls, without those of a block around it. All calls of
    this process's clients of botocore, boto3, PynamoDB and aiobotocore count, whenever the clients
    were made. So do those of threads without a meter. A failed call counts nothing.

    A thread or task begins with the round of whoever started it. Those of a `Pool` or a `Feed` add
    their rounds to their caller's; what comes after others is not counted as later than they were.

    Raises TooExpensive at the end of a block that took more; also where nothing was counted, unless
    0 is allowed: a test whose calls are not seen would pass whatever they cost. What the block
    itself raises passes through. Raises ValueError without a limit.
    """

    def __init__(self, *, at_most: float | None = None, rounds: int | None = None) -> None:
        if at_most is None and rounds is None:
            raise ValueError("A cost is at_most so many capacity units, or so many rounds, or both")
        for limit in (at_most, rounds):
            if limit is not None and not isinstance(limit, int | float):
                raise ValueError(f"A cost is a number of units or rounds, and not {limit!r}")
        self._most_units = at_most
        self._most_rounds = rounds
        self._blocks = ExitStack()
        self._meter = Meter()

    def __enter__(self) -> Meter:
        self._blocks.enter_context(every_client_metered())
        self._meter = self._blocks.enter_context(metered_alone())
        return self._meter

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True  # pytest shows the block, and not this
        self._blocks.close()
        if error is None:
            self._require_allowed()

    def _require_allowed(self) -> None:
        """Raise TooExpensive where the calls were more than is allowed, or none was counted."""
        __tracebackhide__ = True
        meter = self._meter
        if not meter.log and self._most_units != 0 and self._most_rounds != 0:
            raise TooExpensive(
                "No call to DynamoDB was counted in this block; "
                "where none is needed, say so by at_most=0."
            )
        is_too_dear = self._most_units is not None and meter.units > self._most_units
        is_too_long = self._most_rounds is not None and meter.rounds > self._most_rounds
        if is_too_dear or is_too_long:
            raise TooExpensive("\n".join([self._sentence(), *_lines_of(meter.log)]))

    def _sentence(self) -> str:
        allowed = []
        if self._most_units is not None:
            allowed.append(_units(self._most_units))
        if self._most_rounds is not None:
            allowed.append(_rounds(self._most_rounds))
        units = _units(self._meter.units)
        rounds = _rounds(self._meter.rounds)
        calls = quantity(self._meter.calls, "call", "calls")
        return (
            f"This block may take {' and '.join(allowed)} at most; "
            f"it took {units} and {rounds}, in {calls}:"
        )


def _lines_of(calls: Sequence[Call]) -> list[str]:
    """Return a line for each call, in the order of their rounds."""
    lines = []
    for call in calls:
        lines.append((call.round, _line_of(call)))
    # Those of a round by their text: they are made at the same time, in any order.
    return [line for _, line in sorted(lines)]


def _line_of(call: Call) -> str:
    place = call.table
    if call.index is not None:
        place += f"/{call.index}"
    line = f"  round {call.round}: {call.operation} of {place}"
    if call.partition is not None:
        line += f", partition {call.partition}"
    if call.items_read:
        line += f", {quantity(call.items_read, 'item', 'items')} read"
    return f"{line}, {_units(call.capacity_units)}"


def _units(number: float) -> str:
    return quantity(number, "unit", "units")


def _rounds(number: int) -> str:
    return quantity(number, "round", "rounds")
