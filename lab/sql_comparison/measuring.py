"""``bench peers``: the site's pages and lists of comments next to the same from PostgreSQL.

Both are read in the same turns. What both read is first compared: pages with each other, lists with
the right answer.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from django.conf import settings

from comments.filters import CommentFilter
from comments.store.counts import read_counts
from dynapages.django.options import Progress
from dynapages.lists import Position, sort_key_of
from dynapages.process import client
from dynapages.tables import create_missing
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.engines import copied, data_file
from lab.bench.readers import PLANNER, ListRead, WrongAnswer, cut_page
from lab.bench.site import Site, open_site
from lab.bench.timing import time_in_turns
from lab.report import Limit, Section, Table
from lab.sql_comparison import models
from lab.sql_comparison.pages import create_catalogue, measure_visits, new_catalogue, sides
from lab.sql_comparison.postgres import connected, running
from shop.models import ShopItem

FILTERS = {
    "no filter": CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "two languages, three ratings": CommentFilter.of(("de", "en"), (1, 3, 5)),
}
SITE, KEYSET, OFFSET = "site", "SQL, keyset", "SQL, OFFSET"
COUNT, GROUP_BY, SITE_COUNTER = "COUNT(*)", "GROUP BY", "the site's counter"
PAGE_NUMBERS = (1, 100, 15_000)
LANGUAGE = "en"
"""The Accept-Language of those who visit pages."""
MOST_TIMES_SQL = 3.0
"""How many times the time of SQL's keyset pagination a list of the site may take."""

Actions = dict[tuple[str, str], Callable[[], object]]
"""What is timed, by the name of a page or list, and how that is read or counted."""


def measure_peers(
    *, comments: int, turns: int, visits: int, fresh: bool, progress: Progress
) -> Section:
    """Load comments into PostgreSQL and into engines, and measure both.

    ``comments`` is their number on one product, whose lists are compared, and also on several
    products together, whose pages are. Raises EngineError, FileBusy, WrongAnswer and PageFailed.
    """
    of_lists = CommentData(comments)
    compared = sides(comments)
    site_side, sql_side = compared
    lists_file = data_file(of_lists, fresh=fresh, progress=progress)
    pages_file = data_file(site_side.data, fresh=fresh, progress=progress)
    with running(folder=settings.VAR_DIR / "bench") as port, connected(port):
        with progress.step("Loading PostgreSQL", total=2 * comments, unit="") as advance:
            products, categories = new_catalogue(sql_side.data)
            version = models.load(
                chain(of_lists.comments(), sql_side.data.comments()),
                products=products,
                categories=categories,
                advance=advance,
            )
        with copied(pages_file) as file, open_site(file):
            create_catalogue(site_side.data)
            site = Site(language=LANGUAGE)
            tables, limits = measure_visits(compared, site, visits=visits, progress=progress)
        with open_site(lists_file):
            # What the posts have left to the background looks into the shop's table.
            create_missing([ShopItem], client=client())
            list_tables, list_limit = _measure_lists(of_lists, turns=turns, progress=progress)
    return Section(
        "The same comments in PostgreSQL",
        [f"PostgreSQL {version} holds the same {2 * comments:,} comments."],
        [*tables, *list_tables],
        [*limits, list_limit],
    )


def _measure_lists(
    data: CommentData, *, turns: int, progress: Progress
) -> tuple[list[Table], Limit]:
    """Measure pages of lists, and how lists are counted. Raises WrongAnswer."""
    answers = CommentAnswers(data.comments())
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
    counting = (COUNT, GROUP_BY, SITE_COUNTER)
    tables = [
        _table(f"Milliseconds for a list of {size}", page_times, (SITE, KEYSET, OFFSET)),
        _table("Milliseconds of counting a list", count_times, counting),
    ]
    return tables, Limit("a list ÷ SQL's by keyset", MOST_TIMES_SQL, max(ratios))


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
    """Return how a list is counted; GROUP BY and the site's counter have the numbers of all."""

    def count() -> int:
        return models.count_comments(PRODUCT_ID, chosen)

    def read_counter() -> None:
        read_counts(PRODUCT_ID)

    if count() != number:
        raise WrongAnswer(f"COUNT(*) of “{name}” is not {number}.")

    def group() -> None:
        models.group_counts(PRODUCT_ID)

    return {(name, COUNT): count, (name, GROUP_BY): group, (name, SITE_COUNTER): read_counter}


def _table(
    caption: str, milliseconds: Mapping[tuple[str, str], float], ways: Sequence[str]
) -> Table:
    rows = []
    for name in dict.fromkeys(name for name, _way in milliseconds):
        rows.append((name, *(round(milliseconds[name, way], 2) for way in ways)))
    return Table(caption, ("list", *ways), rows)
