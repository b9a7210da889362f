"""How many pages a second the whole site serves, and how many comments are imported a second.

The site is gunicorn with two workers, as ``make run``; the clients are Locust's. All share the
machine: compare the numbers of different filters with each other. Then each of many different pages
is requested once, to see what the processes have filled their memory with.

Comments are imported with exact counts, and their items alone by BatchWriteItem, which reads and
counts nothing. Both load comments of their own, in turns, into one growing table.

The part ``load`` has more visitors than the site can serve: requests come at a rate, whether it
keeps up or not. The site's capacity is measured by clients that wait for each answer; then requests
come at parts of it and above it, in turns, as the speed of machines varies from second to second.
In the end clients sign in as often as the site lets them, beside a few readers.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain, islice, zip_longest
from math import ceil
from pathlib import Path
from statistics import fmean, median
from time import monotonic

from django.conf import settings
from django.contrib.auth.hashers import make_password

from comments.data.writer import BulkWriter, in_chunks
from comments.filters import CommentFilter
from comments.items import NewComment, items_of
from comments.lists.listing import pager_of
from comments.models import Comment
from demo.processes import WORKERS, serving
from dynapages.calls import Batches
from dynapages.django.options import Progress
from dynapages.lists import Position
from dynapages.process import client, pool
from dynapages.tables import create_missing
from lab.bench.context import BenchContext, Stores, open_context, require_binary, site_config
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.grid import grid
from lab.bench.pages import UNFILTERED, create_catalogue, cut, path_of
from lab.load.running import Found, Requests, RequestsFailed, locust, require_locust, run
from lab.reports.plots import Panel, Plot
from lab.reports.results import Results, Row, Value, percentile_95, rows
from lab.reports.tables import LAYOUTS, Section, holds, section
from shop.accounts.hashing import SLOTS
from shop.accounts.services import UsernameTaken, create_profile

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


PART = "load"
COMMENTS = 20_000
PATHS = (
    f"/products/{PRODUCT_ID}/",
    f"/products/{PRODUCT_ID}/comments/~/1.3.5/",
    f"/products/{PRODUCT_ID}/comments/de.en/1.2.4.5/",
)
PARTS = (0.5, 0.8, 1.2)
TURN = 8.0
"""Seconds for which requests come at a rate, after the capacity was measured for half as long."""
SENDERS = 128
WARM_UP = 2.0
SIGN_INS, READERS = 16, 4
PASSWORD = "lampshades on the moon"  # noqa: S105 - of customers of an engine that others cannot reach
NONE = Requests()


def measure_load(
    *, seconds: float, progress: Progress, parts: Sequence[float] = PARTS
) -> Iterator[Row]:
    """Load the comments into an engine, and measure the site on it.

    Raises EngineError, LocustMissing and LocustFailed.
    """
    require_locust()
    stores = Stores(settings.VAR_DIR / "bench", require_binary(), progress)
    stored = stores.hold(CommentData(COMMENTS), fresh=False)
    with open_context(db_path=stored.path, progress=progress) as context:
        create_catalogue()
        for number in range(0, SIGN_INS, 2):
            with suppress(UsernameTaken):
                name = f"load-{number}"
                create_profile(username=name, password=PASSWORD, now=datetime.now(UTC))
        config = site_config(context.endpoint_url, TRUSTED_PROXIES="1")
        yield from rows(
            PART, {"workers": WORKERS, "pages_at_once": settings.MAX_CONCURRENT_REQUESTS}
        )
        with serving(config), progress.step("Loading", total=len(parts) + 1, unit="") as advance:
            _capacity(config.port, seconds=WARM_UP)
            for part in parts:
                turns = [_turn(config.port, part=part) for _ in range(ceil(seconds / TURN))]
                yield from rows(PART, _rate_of(turns), list=f"{part:g} of the capacity")
                advance(1)
            yield from _sign_in(config.port, seconds=seconds)
            advance(1)


def _capacity(port: int, *, seconds: float) -> float:
    """Return the pages a second that as many clients get as the site works for at a time."""
    clients = {"Waiting": WORKERS * settings.MAX_CONCURRENT_REQUESTS}
    found = run(port, clients, paths=PATHS, seconds=seconds)
    return found.get("page", NONE).answered / seconds


def _turn(port: int, *, part: float) -> tuple[float, float, Found]:
    """Measure the capacity, and then offer a part of it; return both, and what came of it."""
    capacity = _capacity(port, seconds=TURN / 2)
    offered = capacity * part
    clients = {"Arriving": SENDERS, "Checking": 1}
    found = run(port, clients, paths=PATHS, seconds=TURN, rate=offered / SENDERS)
    return capacity, offered, found


def _rate_of(turns: Sequence[tuple[float, float, Found]]) -> dict[str, Value]:
    """Return the figures of several turns: means a second, and seconds of all answers."""
    found = [each for _, _, each in turns]
    pages, seconds = [each.get("page", NONE) for each in found], TURN * len(turns)
    answers = list(chain.from_iterable(one.seconds for one in pages))
    return {
        "capacity": fmean(capacity for capacity, _, _ in turns),
        "offered": fmean(offered for _, offered, _ in turns),
        "answered": sum(one.answered for one in pages) / seconds,
        "refused": sum(each.get("page (refused)", NONE).answered for each in found) / seconds,
        "lost": sum(one.failed for one in pages) / seconds,
        "median": median(answers or (0.0,)),
        "p95": percentile_95(answers or (0.0,)),
        "slowest_check": max(each.get("health", NONE).slowest for each in found),
    }


def _sign_in(port: int, *, seconds: float) -> Iterator[Row]:
    """Sign in with all clients, and read with others, for ``seconds``.

    Before that, as many cores as may do so hash for half of that time, beside the same readers.
    """
    readers = {"Reading": READERS}
    with locust(port, readers, paths=PATHS, seconds=seconds / 2) as found:
        until = monotonic() + seconds / 2
        with ThreadPoolExecutor(SLOTS.most) as threads:
            hashes = sum(threads.map(_hash, [until] * SLOTS.most))
        found()
    clients = {**readers, "SigningIn": SIGN_INS}
    signed = run(port, clients, paths=PATHS, seconds=seconds, password=PASSWORD)
    facts = {"clients": SIGN_INS, "readers": READERS, "cores": SLOTS.most}
    lost = sum(one.failed for one in signed.values())
    yield from rows(PART, {**facts, "hashes": hashes / (seconds / 2), "lost": lost})
    for name, what in (("sign-ins", "sign-in"), ("pages", "page")):
        answers = signed.get(what, NONE)
        figures = {
            "answered": answers.answered / seconds,
            "refused": signed.get(f"{what} (refused)", NONE).answered / seconds,
            "p95": percentile_95(answers.seconds or (0.0,)),
        }
        yield from rows(PART, figures, list=name)


def _hash(until: float) -> int:
    hashes = 0
    while monotonic() < until:
        make_password(PASSWORD)
        hashes += 1
    return hashes


def load_section(found: Results) -> Section:
    """Write the section of a load."""
    rates = Results(row for row in found if str(row.list).endswith("of the capacity"))
    above = rates.where(list=rates[-1].list)
    sign_ins, pages = (found.where(list=name) for name in ("sign-ins", "pages"))
    read, refused = pages.number("answered"), pages.number("refused")
    return section(
        "load",
        found,
        groups={"rates": rates, "signing_in": found.where(list=("sign-ins", "pages"))},
        above=above.number("capacity") / max(above.number("answered"), 0.1),
        above_p95=above.number("p95"),
        above_check=above.number("slowest_check"),
        pages_refused=100 * refused / max(read + refused, 0.01),
        slower=found.number("hashes") / max(sign_ins.number("answered"), 0.01),
        lost=found.where(list=None).number("lost"),
    )
