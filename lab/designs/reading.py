"""Reads, measured: each answer is compared with the right one before anything is counted."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil

from dynamo.items import Item
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import Position
from lab.bench.pages import WrongAnswer, cut
from lab.bench.timing import time_in_turns
from lab.designs.figures import Reading
from lab.designs.tables import Lab, LabTable

DEEP = 100
"""The page that is read besides the first and the last, where a list is that long."""
SETTLING = 20.0
"""Seconds that the indexes of a table that was just filled may take to have everything."""
_PAUSE = 0.2

Answer = Sequence[Item]
"""The items of a page, cut down to what the list shows."""


@dataclass(frozen=True, slots=True)
class ReadCase:
    """One page of one question, as one design reads it; ``tables`` is where (see `Redirection`)."""

    design: str
    question: str
    page: int
    pages: int
    tables: Mapping[str, str]
    read: Callable[[], Answer]
    expected: Answer


def cases_of_list(
    lab: Lab,
    positions: Sequence[Position],
    read: Callable[[PageRequest], Answer],
    *,
    design: str,
    question: str,
    table: LabTable,
    shown_at: Callable[[Sequence[str]], Answer],
) -> Iterator[ReadCase]:
    """Give the pages of a list that are read; ``shown_at`` tells what it shows at some places."""
    size = lab.page_size
    for page in pages_of(len(positions), size=size):
        behind, places = cut(positions, page=page, size=size)
        yield ReadCase(
            design=design,
            question=question,
            page=page,
            pages=count_pages(len(positions), size=size),
            tables=table.in_place,
            read=partial(read, PageRequest(size, behind)),
            expected=shown_at(places),
        )


def measure_readings(lab: Lab, cases: Sequence[ReadCase]) -> dict[str, tuple[Reading, ...]]:
    """Give the readings of each design. Raises WrongAnswer."""
    found = []
    with lab.progress.step("Comparing answers", total=len(cases), unit=" pages") as advance:
        for case in cases:
            found.append(_measured(lab, case))
            advance(1)
    actions = {number: _in_place(lab, case) for number, case in enumerate(cases)}
    with lab.progress.step("Timing reads", total=lab.turns, unit=" turns") as advance:
        # no turn to warm up: each page was read twice when it was compared
        times = time_in_turns(actions, turns=lab.turns, warm_up=0, after_turn=advance)
    readings: dict[str, tuple[Reading, ...]] = {}
    for number, (case, measured) in enumerate(zip(cases, found, strict=True)):
        timed = measured(times[number].median_ms)
        readings[case.design] = (*readings.get(case.design, ()), timed)
    return readings


def pages_of(items: int, *, size: int) -> list[int]:
    """Give the first page of a list, page 100 or else the middle one, and the last."""
    last = max(1, ceil(items / size))
    deep = DEEP if last > DEEP else ceil(last / 2)
    return sorted({1, deep, last})


def count_pages(items: int, *, size: int) -> int:
    """Tell how many pages a list has; one at least."""
    return max(1, ceil(items / size))


def _measured(lab: Lab, case: ReadCase) -> Callable[[float], Reading]:
    read = _in_place(lab, case)
    _settle(read, case.expected)
    with lab.traffic.counted() as tally:
        answer = read()
    if list(answer) != list(case.expected):
        sentence = (
            f"Page {case.page} of “{case.question}”, as “{case.design}” reads it, is not what "
            "that page holds: nothing was measured."
        )
        raise WrongAnswer(sentence)
    cost = tally.cost
    return lambda latency: Reading(
        question=case.question,
        page=case.page,
        pages=case.pages,
        items=len(answer),
        cost=cost,
        latency_ms=latency,
    )


def _settle(read: Callable[[], Answer], expected: Answer) -> None:
    """Read until it is right, or was wrong for long; the planner learns sizes meanwhile."""
    until = time.monotonic() + SETTLING
    while list(read()) != list(expected) and time.monotonic() < until:
        time.sleep(_PAUSE)


def _in_place(lab: Lab, case: ReadCase) -> Callable[[], Answer]:
    def read() -> Answer:
        with lab.redirection.to(case.tables):
            return case.read()

    return read
