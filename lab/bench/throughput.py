"""How many pages a second the whole site serves, and how many comments are imported a second.

The site is gunicorn with two workers, as ``make run``; the clients are Locust's. All share the
machine: compare the numbers of different filters with each other. Then each of many different pages
is requested once, to see what the processes have filled their memory with.

Comments are imported with exact counts, and their items alone by BatchWriteItem, which reads and
counts nothing. Both load comments of their own, in turns, into one growing table.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from pathlib import Path
from statistics import median

from comments.data.writer import BulkWriter, in_chunks
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.lists.listing import pager_of
from comments.models import Comment
from demo.processes import WORKERS, serving
from dynapages.calls import Batches
from dynapages.lists import Position
from dynapages.process import client, pool
from dynapages.tables import create_missing
from lab.bench.context import BenchContext, site_config
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.grid import grid
from lab.bench.pages import UNFILTERED, cut, path_of
from lab.load.running import Found, RequestsFailed, run
from lab.reports.plots import Panel, Plot
from lab.reports.results import Results, Row, Value, rows
from lab.reports.tables import LAYOUTS, Section, holds, section

LISTS = {
    UNFILTERED: CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "three ratings": CommentFilter.of(ratings=(1, 3, 5)),
    "four ratings, two languages": CommentFilter.of(("de", "en"), (1, 2, 4, 5)),
}
CLIENTS = 4
PAGES = 25
"""Pages of each list that are requested in turn."""
VARIED = 3_400
"""Different pages that are requested for the memory."""
LEAST_THROUGHPUT = {"three ratings": 0.8, "four ratings, two languages": 0.6}
"""The least that a list may reach of the rate without a filter. The series measured 0.34 for three
ratings (268 pages a second by 783 for one)."""
RAW, COUNTED = "raw batches", "with counts"
PRODUCTS = 10
"""Products that a load's comments are spread over."""
LEAST_IMPORT = 0.5
"""The least that an import with counts may reach of the rate of raw batches."""
PSS = re.compile(r"^Pss: +(\d+) kB$", re.MULTILINE)


def measure_throughput(
    context: BenchContext, part: str, answers: CommentAnswers, *, turns: int, seconds: float
) -> Iterator[Row]:
    """Request pages of each list for ``seconds`` at a time.

    The rate of a list is the median of the turns. ``megabytes`` of memory have all processes
    together. Raises DemoFailed, LocustMissing and RequestsFailed.
    """
    paths = {name: _paths(context, answers, chosen) for name, chosen in LISTS.items()}
    rates: dict[str, list[float]] = {name: [] for name in paths}
    varied = list(islice(_varied(context, answers), VARIED))
    config, waiting = site_config(context.endpoint_url), {"Waiting": CLIENTS}
    with serving(config) as site:
        at_start = memory_of(site.pid)
        everything = [path for of_list in paths.values() for path in of_list]
        _pages(run(config.port, waiting, paths=everything, seconds=2 * seconds))
        total = turns * len(paths)
        with context.progress.step("Requesting pages", total=total, unit="") as advance:
            for _ in range(turns):
                for name, of_list in paths.items():
                    found = run(config.port, waiting, paths=of_list, seconds=seconds)
                    rates[name].append(_pages(found) / seconds)
                    advance(1)
        seen = _pages(run(config.port, {"Once": CLIENTS}, paths=varied))
        after = memory_of(site.pid)
    counts = {"workers": WORKERS, "clients": CLIENTS, "turns": turns, "seconds": seconds}
    yield from rows(part, {**counts, "varied": seen})
    yield from rows(part, {"megabytes_at_start": at_start, "megabytes_after": after})
    unfiltered = median(rates[UNFILTERED])
    for name, found_rates in rates.items():
        rate = median(found_rates)
        figures = {"per_second": round(rate, 1), "ratio": round(rate / unfiltered, 2)}
        yield from rows(part, figures, list=name)


def _pages(found: Found) -> int:
    """Return how many pages were answered. Raises RequestsFailed where others were."""
    failed = sum(one.answered for name, one in found.items() if name != "page")
    if failed := failed + sum(one.failed for one in found.values()):
        raise RequestsFailed(failed)
    return found["page"].answered if found else 0


def memory_of(pid: int) -> float:
    """Return the megabytes of a process and its children: the sum of their PSS (Linux).

    PSS counts a page of memory that several processes share once, in parts.
    """
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    rollups = (Path(f"/proc/{each}/smaps_rollup").read_text() for each in (pid, *children))
    kilobytes = (int(found[1]) for text in rollups if (found := PSS.search(text)))
    return round(sum(kilobytes) / 1024, 1)


def _varied(context: BenchContext, answers: CommentAnswers) -> Iterator[str]:
    """Yield the paths of the first pages of all lists of the grid, then of the second ones."""
    lists = [_paths(context, answers, chosen) for chosen in grid()]
    yield from (path for nth in zip_longest(*lists) for path in nth if path)


def _paths(context: BenchContext, answers: CommentAnswers, chosen: CommentFilter) -> list[str]:
    positions = [Position(place) for place in answers.places(chosen)]
    pages = min(PAGES, len(positions) // context.page_size)
    pager = pager_of(PRODUCT_ID, chosen)
    return [
        path_of(pager, cut(positions, page=page, size=context.page_size)[0])
        for page in range(1, pages + 1)
    ]


def measure_imports(
    context: BenchContext, part: str, *, comments: int, turns: int
) -> Iterator[Row]:
    """Load ``comments`` comments each way in each turn; yield their rates, turn by turn.

    Raises what the writers do.
    """
    create_missing([Comment], client=client())
    ways: dict[str, Callable[[Sequence[NewComment]], None]] = {RAW: _put, COUNTED: _import}
    yield from rows(part, {"comments": comments, "turns": turns})
    with context.progress.step("Importing", total=turns * len(ways), unit="") as advance:
        for turn in range(turns):
            found = {}
            for name in sorted(ways, reverse=bool(turn % 2)):
                load = _comments(f"{name.replace(' ', '-')}-{turn}", comments, seed=turn)
                began = time.perf_counter()
                ways[name](load)
                found[name] = round(comments / (time.perf_counter() - began), 1)
                advance(1)
            for name in ways:
                yield Row(part, None, None, name, "per_second", found[name])
            ratio = round(found[COUNTED] / found[RAW], 2)
            yield Row(part, None, None, f"{COUNTED} ÷ {RAW}", "ratio", ratio)


def _comments(load: str, number: int, *, seed: int) -> list[NewComment]:
    made = CommentData(number, seed=seed).comments()
    return [
        replace(comment, id=f"{load}-{comment.id}", product_id=f"{load}-{n % PRODUCTS}")
        for n, comment in enumerate(made)
    ]


def _put(comments: Sequence[NewComment]) -> None:
    items = [items_of(comment)[0].serialize() for comment in comments]
    Batches(client(), pool()).put(Comment.Meta.table_name, items)


def _import(comments: Sequence[NewComment]) -> None:
    writer = BulkWriter(Batches(client(), pool()))
    for chunk in in_chunks(comments):
        writer.write(chunk)


def throughput_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of the pages a second."""
    lists, part = found.where(metric=("per_second", "ratio")), found[0].part
    reached = (
        row
        for one in lists.where(metric="ratio")
        for least in [LEAST_THROUGHPUT.get(str(one.list))]
        for row in rows(part, _held(float(one.value), least), list=one.list)
    )
    names, rates = lists.names("list"), lists.numbers("per_second")
    plot = Plot(
        part,
        f"{LAYOUTS[part]['title']}, by filter",
        ([Panel("bars", "", {"": (range(len(rates)), rates)}, names=names)],),
        below="pages a second",
        size=(8, 2.4),
        is_logarithmic=False,
    )
    groups = {"lists": Results((*lists, *reached))}
    return section("throughput", found, notes=notes, plots=[plot], groups=groups)


def imports_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of imports."""
    ratios = found.where(metric="ratio")
    held = _held(median(ratios.numbers("ratio")), LEAST_IMPORT)
    groups = {
        "rates": found.where(metric="per_second"),
        "ratios": Results((*ratios, *rows(found[0].part, held, reader=ratios[0].reader))),
    }
    return section("imports", found, notes=notes, groups=groups)


def _held(ratio: float, least: float | None) -> dict[str, Value]:
    """Return the cells of what must be ``least``, empty where nothing must."""
    if least is None:
        return {"least": "", "holds": ""}
    return {"least": f"{least:g}", "holds": holds(is_so=ratio >= least)}
