"""The report of ``manage.py bench``: a section for each part."""

from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median

from dynamo.prices import dollars, prices
from lab.reports.bench_figures import (
    COUNTED,
    FRAGMENT,
    LIST,
    PAGE,
    PLANNER,
    QUERY,
    RATIOS,
    RAW,
    RULES,
    BenchFigures,
    DepthFigures,
    EstimatedPage,
    GridFigures,
    ImportFigures,
    PageCost,
    PageFigures,
    Part,
    ReadFigures,
    SeasonFigures,
    ThroughputFigures,
)
from lab.reports.figures import medians_of, percentile_95
from lab.reports.peer_figures import PeerFigures
from lab.reports.peer_sections import peer_section
from lab.reports.tables import Plot, Section, Table, holds, promise

COSTS = (
    *("list", "page", "plan", "runs", "read"),
    *("entry bytes", "units", "for the plan", "whole page", "$ a million"),
)
TIMES = (
    *("list", "page", "bare query", "list", "fragment", "whole page"),
    *("list ÷ query", "fragment ÷ query", "page ÷ query", "page ÷ its calls"),
)
OF_PAGES: dict[str, Callable[[PageCost], float]] = {
    "capacity units": lambda page: page.list_cost.capacity_units,
    "items read": lambda page: page.list_cost.items_read,
    "queries": lambda page: page.list_cost.requests,
    "rounds": lambda page: page.rounds,
}
OF_LISTS: dict[str, Callable[[ReadFigures], float]] = {
    "milliseconds": lambda read: read.ms,
    "milliseconds, calls delayed": lambda read: read.delayed_ms,
    "added by the delay, a round": lambda read: read.delay_a_round,
}
UNITS = OF_PAGES["capacity units"]
COUNTS = (
    "The planner's times include reading the counts, its capacity units do not: ½ unit, "
    "which the page needs anyway to say how many comments each click will show."
)
OF_ESTIMATES: dict[str, Callable[[EstimatedPage], float]] = {
    "capacity units": lambda page: page.capacity_units,
    "capacity units ÷ estimate": lambda page: page.ratio,
    "rounds": lambda page: page.rounds,
}
SEASONS = (
    "Most languages have a season, when they are frequent, and ratings drift over the three years. "
    "Read is one list in seven of the grid, as the site's pages are. Prices take the shares of "
    "languages and ratings as even over time, which they are not here."
)
DISTRIBUTION = ("mean", "median", "95 %", "most")
MOST_OF_THE_MEAN, MOST_MEDIAN, MOST_P95 = 0.5, 2.0, 3.2
"""The most that the planner may cost: its mean by that of the rules, the others by a page without
a filter."""
MOST_OF_ESTIMATE = 3.0
"""The most that a page may cost by its estimate."""
FURTHEST = 5
"""The pages furthest above their estimates that are listed."""
MOST_OF_A_QUERY = {"comments": 4.0}
"""The most that the median fragment of a part may take, by the time of one bare query."""
LEAST_THROUGHPUT = {"three ratings": 0.8, "four ratings, two languages": 0.6}
"""The least that a list may reach of the rate without a filter. The series measured 0.34 for three
ratings (268 pages a second by 783 for one)."""
LEAST_IMPORT = 0.5
"""The least that an import with counts may reach of the rate of raw batches."""
MOST_MEGABYTES = 250.0
"""The most memory that two processes and the one that starts them may take together."""


def sections_of(found: BenchFigures) -> list[Section]:
    """Write every part of a report."""
    return [_section(name, part, found) for name, part in found.parts.items()]


def _section(name: str, part: Part, found: BenchFigures) -> Section:
    data = part.data.sentence if part.data else ""
    notes = tuple(filter(None, (found.machine.sentence, found.machine.warning, data)))
    match part.figures:
        case DepthFigures() as figures:
            return _pages(figures, name, notes)
        case GridFigures() as figures:
            return _grid(figures, name, notes)
        case SeasonFigures() as figures:
            return _seasons(figures, name, notes)
        case ThroughputFigures() as figures:
            return _throughput(figures, name, notes)
        case ImportFigures() as figures:
            return _imports(figures, name, notes)
        case PeerFigures() as figures:
            return peer_section(figures, name, notes)
    raise TypeError(name)


def _pages(figures: DepthFigures, name: str, notes: tuple[str, ...]) -> Section:
    title = f"Pages of {name}"
    costs = f"Capacity units of a page of {figures.page_size}"
    times = f"Milliseconds, as {medians_of(figures.turns)}, and their ratios"
    return Section(
        name=name,
        title=title,
        notes=notes,
        tables=(
            Table(costs, COSTS, tuple(map(_cost_row, figures.pages))),
            Table(times, TIMES, tuple(map(_time_row, figures.pages))),
            *_fragment_promise(figures, name),
        ),
        plots=(Plot(name, f"{title}: time and capacity units by depth", figures),),
    )


def _fragment_promise(figures: DepthFigures, name: str) -> Iterator[Table]:
    if most := MOST_OF_A_QUERY.get(name):
        found = median(page.ratio(FRAGMENT, QUERY) for page in figures.pages)
        row = ("fragment ÷ bare query, median of the pages", most, found)
        yield promise("What the fragments are held to", row)


def _cost_row(page: PageFigures) -> tuple[str, ...]:
    return (
        page.list_name,
        f"{page.page:,}",
        page.plan,
        f"{page.runs}",
        f"{page.list_cost.items_read}",
        f"{page.entry_bytes}",
        f"{page.list_cost.capacity_units:g}",
        f"{page.other_cost.capacity_units:g}",
        f"{page.page_cost.capacity_units:g}",
        dollars(prices().reads(page.page_cost.capacity_units)),
    )


def _time_row(page: PageFigures) -> tuple[str, ...]:
    times = (f"{page.times[name].median_ms:.2f}" for name in (QUERY, LIST, FRAGMENT, PAGE))
    ratios = (f"{page.ratio(one, to):.2f}" for one, to in RATIOS)
    return (page.list_name, f"{page.page:,}", *times, *ratios)


def _grid(figures: GridFigures, name: str, notes: tuple[str, ...]) -> Section:
    title = "Every set of ratings with a dozen sets of languages"
    of_readers = " ".join(f"“{name}” reads {about}." for name, about in figures.readers.items())
    pages = len(figures.of_pages(PLANNER, UNITS))
    costs = f"What {pages:,} pages of {figures.page_size} from {len(figures.lists)} lists cost"
    times = (
        f"How long their first pages take, as {medians_of(figures.turns)}, "
        f"also with {figures.delay_ms} ms added to each call"
    )
    cost_rows = tuple(
        (what, reader, *_distribution(figures.of_pages(reader, figure)))
        for what, figure in OF_PAGES.items()
        for reader in figures.readers
    )
    time_rows = tuple(
        (what, reader, *_distribution(figures.of_lists(reader, figure)))
        for what, figure in OF_LISTS.items()
        for reader in figures.readers
    )
    return Section(
        name=name,
        title=title,
        notes=(*notes, of_readers, COUNTS),
        tables=(
            Table(costs, ("of a page", "reader", *DISTRIBUTION), cost_rows),
            Table(times, ("of a page", "reader", *DISTRIBUTION), time_rows),
            promise("What the planner's capacity units are held to", *_promises(figures)),
            Table(
                "Its capacity units by how many languages are chosen: each takes a query of its "
                "own, and a query half a unit, even where it finds a comment or none",
                ("languages", "pages", *DISTRIBUTION),
                tuple(_by_languages(figures)),
            ),
        ),
        plots=(Plot(name, f"{title}: capacity units and time by reader", figures),),
    )


def _promises(figures: GridFigures) -> Iterator[tuple[str, float, float]]:
    units = figures.of_pages(PLANNER, UNITS)
    unfiltered = UNITS(figures.lists[0].by_reader[PLANNER].pages[0])
    held = (
        ("mean", "mean of the rules", MOST_OF_THE_MEAN, mean, mean(figures.of_pages(RULES, UNITS))),
        ("median", "an unfiltered page", MOST_MEDIAN, median, unfiltered),
        ("95 %", "an unfiltered page", MOST_P95, percentile_95, unfiltered),
    )
    for what, of, most, figure, by in held:
        yield f"{what} ÷ {of}", most, figure(units) / by


def _by_languages(figures: GridFigures) -> Iterator[tuple[str, ...]]:
    found: dict[int, list[float]] = {}
    for one in figures.lists:
        pages = one.by_reader[PLANNER].pages
        found.setdefault(len(one.languages), []).extend(map(UNITS, pages))
    for number, costs in sorted(found.items()):
        yield str(number) if number else "any", f"{len(costs):,}", *_distribution(costs)


def _seasons(figures: SeasonFigures, name: str, notes: tuple[str, ...]) -> Section:
    pages = figures.pages
    distributions = tuple(
        (what, *_distribution([figure(page) for page in pages]))
        for what, figure in OF_ESTIMATES.items()
    )
    unfiltered = pages[0].capacity_units
    p95 = percentile_95([page.capacity_units for page in pages]) / unfiltered
    most = max(page.ratio for page in pages)
    fallen = sum(page.fell_back for page in pages)
    return Section(
        name=name,
        title="Languages with seasons",
        notes=(*notes, SEASONS),
        tables=(
            Table(
                f"What {len(pages)} pages of {figures.page_size} cost; {fallen} fell back",
                ("of a page", *DISTRIBUTION),
                distributions,
            ),
            promise(
                "What they are held to",
                ("95 % ÷ an unfiltered page", MOST_P95, p95),
                ("a page ÷ its estimate", MOST_OF_ESTIMATE, most),
            ),
            Table(
                "The pages furthest above their estimates",
                ("languages", "ratings", "page", "plan", "estimate", "units"),
                tuple(map(_estimated_row, sorted(pages, key=lambda p: -p.ratio)[:FURTHEST])),
            ),
        ),
    )


def _estimated_row(page: EstimatedPage) -> tuple[str, ...]:
    return (
        ", ".join(page.languages) or "any",
        ", ".join(map(str, page.ratings)) or "any",
        f"{page.page:,}",
        page.plan,
        f"{page.estimate or 0:.2f}",
        f"{page.capacity_units:g}",
    )


def _distribution(found: Sequence[float]) -> tuple[str, ...]:
    figures = (mean(found), median(found), percentile_95(found), max(found))
    return tuple(f"{figure:,.2f}" for figure in figures)


def _throughput(figures: ThroughputFigures, name: str, notes: tuple[str, ...]) -> Section:
    title = "Pages a second of the whole site"
    caption = (
        f"Whole pages a second by gunicorn with {figures.workers} workers, {figures.clients} "
        f"clients; {medians_of(figures.turns)} of {figures.seconds:g} s"
    )
    rows = []
    for one, rate in figures.per_second.items():
        ratio, least = figures.ratio(one), LEAST_THROUGHPUT.get(one)
        held = ("", "") if least is None else (f"{least:g}", holds(is_so=ratio >= least))
        rows.append((one, f"{rate:.1f}", f"{ratio:.2f}", *held))
    titles = ("list", "pages a second", "÷ no filter", "at least", "holds")
    return Section(
        name=name,
        title=title,
        notes=notes,
        tables=(
            Table(caption, titles, tuple(rows)),
            promise(
                "MB of memory of all processes together (PSS)",
                ("at the start", MOST_MEGABYTES, figures.megabytes[0]),
                (f"after {figures.varied:,} different pages", MOST_MEGABYTES, figures.megabytes[1]),
            ),
        ),
        plots=(Plot(name, f"{title}, by filter", figures),),
    )


def _imports(figures: ImportFigures, name: str, notes: tuple[str, ...]) -> Section:
    summed = (min, median, max)
    rows = tuple(
        (way, *(f"{f(figures.per_second[way]):,.0f}" for f in summed)) for way in (RAW, COUNTED)
    )
    compared = (
        f"{COUNTED} ÷ {RAW}",
        *(f"{f(figures.ratios):.2f}" for f in summed),
        f"{LEAST_IMPORT:g}",
        holds(is_so=figures.ratio >= LEAST_IMPORT),
    )
    caption = f"Comments a second in {figures.turns} turns of {figures.comments:,} each way"
    return Section(
        name=name,
        title="Importing comments",
        notes=notes,
        tables=(
            Table(caption, ("loaded", "least", "median", "most"), rows),
            Table(
                "How they compare, turn by turn",
                ("ratio", "least", "median", "most", "median at least", "holds"),
                (compared,),
            ),
        ),
    )
