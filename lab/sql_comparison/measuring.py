"""``bench peers``: the site's lists of comments next to the same lists in PostgreSQL.

Both are read in the same turns. What both read is first compared with the right answer.
"""

from collections.abc import Callable
from functools import partial

from django.conf import settings

from comments.filters import CommentFilter
from comments.store.counts import read_counts
from dynapages.django.options import Progress
from dynapages.lists import sort_key_of
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.pages import PAGE_NUMBERS
from lab.bench.readers import PLANNER, WrongAnswer, cut_page
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
COUNT, COUNTS_TABLE, SITE_COUNTER = "COUNT(*)", "table of counts", "the site's counter"
MOST_TIMES_SQL = 2.0
"""How many times the time of SQL's keyset pagination a list of the site may take."""

Actions = dict[tuple[str, int, str], Callable[[], object]]
"""What is timed, by the list's name, the page's number, and how it is read."""


def measure_peers(data: CommentData, *, turns: int, progress: Progress) -> Section:
    """Load the comments into PostgreSQL, and measure both. Raises EngineError and WrongAnswer."""
    answers = CommentAnswers(data.comments())
    with running(folder=settings.VAR_DIR / "bench") as port, connected(port):
        with progress.step("Loading PostgreSQL", total=data.count, unit="") as advance:
            version = models.load(data.comments(), advance=advance)
        pages: Actions = {}
        counts: Actions = {}
        for name, chosen in FILTERS.items():
            pages |= _page_actions(name, chosen, answers)
            counts |= _count_actions(name, chosen, answers)
        page_times = time_in_turns(pages, turns=turns, progress=progress)
        count_times = time_in_turns(counts, turns=turns, progress=progress)
    page_rows, ratios = [], []
    for name, number in dict.fromkeys(key[:2] for key in pages):
        times = [round(page_times[name, number, how], 2) for how in (SITE, KEYSET, OFFSET)]
        ratio = page_times[name, number, SITE] / page_times[name, number, KEYSET]
        page_rows.append((name, number, *times, round(ratio, 2)))
        ratios.append(ratio)
    count_rows = []
    for name in FILTERS:
        times = [round(count_times[name, 0, how], 2) for how in (COUNT, COUNTS_TABLE, SITE_COUNTER)]
        count_rows.append((name, *times))
    return Section(
        "The same comments in PostgreSQL",
        [f"PostgreSQL {version} holds the same {data.count:,} comments."],
        [
            Table(
                f"Milliseconds for a list of {settings.PAGE_SIZE}, as medians of {turns} turns",
                ("list", "page", SITE, KEYSET, OFFSET, "site ÷ keyset"),
                page_rows,
            ),
            Table(
                "Milliseconds of counting a list",
                ("list", COUNT, COUNTS_TABLE, SITE_COUNTER),
                count_rows,
            ),
        ],
        [Limit("a list ÷ SQL's by keyset", MOST_TIMES_SQL, max(ratios))],
    )


def _page_actions(name: str, chosen: CommentFilter, answers: CommentAnswers) -> Actions:
    """Return how pages of a list are read, after comparing what that brings with the answer."""
    size = settings.PAGE_SIZE
    positions = answers.positions(chosen)
    actions: Actions = {}
    for number in PAGE_NUMBERS:
        skipped = (number - 1) * size
        if skipped >= len(positions):
            break
        request, sort_keys = cut_page(positions, page=number, size=size)
        read_site = partial(PLANNER.read, PRODUCT_ID, chosen, request)
        read_site().require(sort_keys, name=f"page {number} of “{name}”")
        by_keyset = partial(models.list_by_keyset, PRODUCT_ID, chosen, request)
        by_offset = partial(models.list_by_offset, PRODUCT_ID, chosen, skipped=skipped, size=size)
        for rows in (by_keyset(), by_offset()):
            if [sort_key_of(row.created, row.id) for row in rows[:size]] != sort_keys:
                raise WrongAnswer(f"What SQL reads as page {number} of “{name}” is not that page.")
        actions[name, number, SITE] = read_site
        actions[name, number, KEYSET] = by_keyset
        actions[name, number, OFFSET] = by_offset
    return actions


def _count_actions(name: str, chosen: CommentFilter, answers: CommentAnswers) -> Actions:
    """Return how a list is counted; the last two read the numbers of all lists at once."""
    counted = models.count_comments(PRODUCT_ID, chosen)
    if counted != len(answers.sort_keys(chosen)):
        raise WrongAnswer(f"COUNT(*) of “{name}” is {counted}.")
    return {
        (name, 0, COUNT): partial(models.count_comments, PRODUCT_ID, chosen),
        (name, 0, COUNTS_TABLE): partial(models.find_counts, PRODUCT_ID),
        (name, 0, SITE_COUNTER): partial(read_counts, PRODUCT_ID),
    }
