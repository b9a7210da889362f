"""What is measured of each library, for each of two tasks."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from dynapages.engine.server import DynoxideEngine, find_dynoxide
from lab.beside.behaviours import behaviours
from lab.beside.calls import CountingProxy, rounds_of
from lab.beside.libraries import LIBRARIES, PROJECT, Library, Program, lines_of
from lab.beside.notes import ONE, SEVERAL, Notes

TASKS = {"one": ONE, "several": SEVERAL}
"""The name of each task, and the partitions of its list."""
DELAY = 0.3
"""Seconds that each answer waits while rounds are counted."""
WARM_UP = 20
BATCHES = 5
PAGES_OF_A_BATCH = 40


@dataclass(frozen=True, slots=True)
class Column:
    """What was measured of a library for a task: of each row its title and its cell.

    ``milliseconds`` are the processor time of a page, which differs between machines.
    """

    title: str
    cells: Sequence[tuple[str, str]]
    milliseconds: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The columns of each task, the versions by titles, and why others are left out."""

    columns: dict[str, list[Column]]
    versions: dict[str, str]
    left_out: list[str]


def measure() -> Comparison:
    """Measure all libraries that are here. Raises BinaryMissing without dynoxide."""
    comparison = Comparison({task: [] for task in TASKS}, {}, [])
    with (
        DynoxideEngine(binary=find_dynoxide(PROJECT)) as engine,
        CountingProxy(engine.endpoint_url) as proxy,
    ):
        notes = Notes(engine.endpoint_url)
        for library in LIBRARIES:
            reason = library.why_not()
            if reason:
                comparison.left_out.append(reason)
                continue
            name, _, _ = library.title.partition(", ")
            comparison.versions[name] = library.version()
            for task in TASKS:
                comparison.columns[task].append(column_of(library, task, proxy, notes))
    return comparison


def column_of(library: Library, task: str, proxy: CountingProxy, notes: Notes) -> Column:
    """Measure the program of a library for a task."""
    shelves = TASKS[task]
    with Program(library, task, proxy.endpoint_url) as program:
        second = program.page(shelves)["next"]
        third = program.page(shelves, second)["next"]
        program.page(shelves, third, times=WARM_UP)
        counted = counted_page(program, shelves, third, proxy)
        batches = []
        for _ in range(BATCHES):
            page = program.page(shelves, third, times=PAGES_OF_A_BATCH)
            batches.append(page["seconds"] / PAGES_OF_A_BATCH * 1000)
        tried = behaviours(program, shelves, notes)
    lines = ("lines of the program", str(lines_of(library.source(task))))
    return Column(library.title, [lines, *counted, *tried], median(batches))


def counted_page(
    program: Program, shelves: list[str], link: str, proxy: CountingProxy
) -> Sequence[tuple[str, str]]:
    """Return the calls, rounds and units of the page of a link."""
    proxy.seen.clear()
    proxy.delay = DELAY
    program.page(shelves, link)
    proxy.delay = 0.0
    units = sum(call.units for call in proxy.seen)
    return [
        ("calls of a page", str(len(proxy.seen))),
        ("rounds", str(rounds_of(proxy.seen))),
        ("capacity units", f"{units:g}"),
    ]
