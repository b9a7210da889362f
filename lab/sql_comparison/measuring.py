"""``bench peers``: the site's lists of comments next to the same lists in PostgreSQL.

Both are read in the same turns. What both read is first compared with the right answer.
"""

from collections.abc import Callable, Mapping, Sequence

from django.conf import settings

from comments.filters import CommentFilter
from comments.store.counts import read_counts
from dynapages.django.options import Progress
from dynapages.lists import Position, sort_key_of
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.pages import PAGE_NUMBERS
from lab.bench.readers import PLANNER, ListRead, WrongAnswer, cut_page
from lab.bench.timing import time_in_turns
from lab.report import Limit, Section, Table
from lab.sql_comparison import models
from lab.sql_comparison.postgres import connected, running

FILTERS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "two languages, three ratings": CommentFilter.of(("de", "en"), (1, 3, 5)),
}
SITE, KEYSET, OFFSET = "site", "SQL, keyset", "SQL, OFFSET"
COUNT, SITE_COUNTER = "COUNT(*)", "the site's counter"
MOST_TIMES_SQL = 2.0
"""How many times the time of SQL's keyset pagination a list of the site may take."""

Actions = dict[tuple[str, str], Callable[[], object]]
"""What is timed, by the name of a page or list, and how that is read or counted."""


def measure_peers(data: CommentData, *, turns: int, progress: Progress) -> Section:
    """Load the comments into PostgreSQL, and measure both. Raises EngineError and WrongAnswer."""
    answers = CommentAnswers(data.comments())
    with running(folder=settings.VAR_DIR / "bench") as port, connected(port):
        with progress.step("Loading PostgreSQL", total=data.count, unit="") as advance:
            version = models.load(data.comments(), advance=advance)
        pages: Actions = {}
        counts: Actions = {}
        for name, chosen in FILTERS.items():
            positions = answers.positions(chosen)
            for number in PAGE_NUMBERS:
                if (number - 1) * settings.PAGE_SIZE < len(positions):
                    pages |= _page_actions(name, chosen, positions, number=number)
            counts |= _count_actions(name, chosen, number=len(positions))
        # In the same turns: what else the machine does slows both alike.
        page_times = time_in_turns(pages, turns=turns, progress=progress)
        count_times = time_in_turns(counts, turns=turns, progress=progress)
    ratios = []
    for name, how in pages:
        if how == SITE:
            ratios.append(page_times[name, SITE] / page_times[name, KEYSET])
    size = settings.PAGE_SIZE
    return Section(
        "The same comments in PostgreSQL",
        [f"PostgreSQL {version} holds the same {data.count:,} comments."],
        [
            _table(f"Milliseconds for a list of {size}", page_times, (SITE, KEYSET, OFFSET)),
            _table("Milliseconds of counting a list", count_times, (COUNT, SITE_COUNTER)),
        ],
        [Limit("a list ÷ SQL's by keyset", MOST_TIMES_SQL, max(ratios))],
    )


def _page_actions(
    name: str, chosen: CommentFilter, positions: Sequence[Position], *, number: int
) -> Actions:
    """Return how a page of a list is read, after comparing what that brings with the answer."""
    size = settings.PAGE_SIZE
    request, sort_keys = cut_page(positions, page=number, size=size)
    page_name = f"{name}, page {number:,}"

    def read_site() -> ListRead:
        return PLANNER.read(PRODUCT_ID, chosen, request)

    def by_keyset() -> list[models.Comment]:
        return models.list_by_keyset(PRODUCT_ID, chosen, request)

    def by_offset() -> list[models.Comment]:
        skipped = (number - 1) * size
        return models.list_by_offset(PRODUCT_ID, chosen, skipped=skipped, size=size)

    read_site().require(sort_keys, name=page_name)
    for rows in (by_keyset(), by_offset()):
        if [sort_key_of(row.created, row.id) for row in rows[:size]] != sort_keys:
            raise WrongAnswer(f"What SQL reads as {page_name} is not that page.")
    return {
        (page_name, SITE): read_site,
        (page_name, KEYSET): by_keyset,
        (page_name, OFFSET): by_offset,
    }


def _count_actions(name: str, chosen: CommentFilter, *, number: int) -> Actions:
    """Return how a list is counted; the site's counter has the numbers of all lists at once."""

    def count() -> int:
        return models.count_comments(PRODUCT_ID, chosen)

    def read_counter() -> None:
        read_counts(PRODUCT_ID)

    if count() != number:
        raise WrongAnswer(f"COUNT(*) of “{name}” is not {number}.")
    return {(name, COUNT): count, (name, SITE_COUNTER): read_counter}


def _table(
    caption: str, milliseconds: Mapping[tuple[str, str], float], ways: Sequence[str]
) -> Table:
    rows = []
    for name in dict.fromkeys(name for name, _way in milliseconds):
        rows.append((name, *(round(milliseconds[name, way], 2) for way in ways)))
    return Table(caption, ("list", *ways), rows)
