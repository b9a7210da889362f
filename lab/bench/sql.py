"""The site's pages of comments beside the same pages from PostgreSQL, in the same turns.

Both are answered by the same handler, middleware and templates; only the reads differ. Before
anything is timed, what both read is compared with the right answer, and their pages with each
other. ``offset`` is the list by OFFSET, which finds its place by counting.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.conf import settings
from django.test import override_settings
from django.urls import reverse

from comments.filters import CommentFilter
from comments.store.counts import read_counts
from lab.bench.context import WARM_UP, BenchContext, time_in_turns
from lab.bench.data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.pages import (
    CATEGORY,
    FRAGMENT,
    LIST,
    PAGE,
    PRODUCT,
    UNFILTERED,
    PageCase,
    WrongAnswer,
    cases_of,
    comment_lists,
    require_answer,
)
from lab.reports.results import Results, Row, Timing, rows
from lab.reports.tables import Section, section
from lab.sql_comparison import models, views
from lab.sql_comparison.models import Comment, load
from lab.sql_comparison.postgres import connected, running
from lab.sql_comparison.views import place_of_row

OFFSET = "offset"
COMPARED = (LIST, FRAGMENT, PAGE)
"""What is timed of a page on both sides; in SQL also the list by OFFSET."""
PRODUCT_PAGE = "product page"
COUNT, COUNTS_TABLE, COUNTER = ("COUNT(*)", "table of counts", "the site's counter")
"""The ways to count a list; the last two read the numbers of all lists at once."""
LISTS = {
    UNFILTERED: CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "two languages, three ratings": CommentFilter.of(("de", "en"), (1, 3, 5)),
}
UNLIKE = re.compile(rb'<a class="explanation .*?</a>|\bvalue="\w{64}"', re.DOTALL)
"""What may differ in two pages: what they cost, and tokens against forgery."""
SITE, SQL = "site", "sql"
Key = tuple[str, str]
Actions = Mapping[Key, Callable[[], object]]


@dataclass(frozen=True, slots=True)
class _Compared:
    """A page of the site and the same page from PostgreSQL."""

    case: PageCase
    chosen: CommentFilter

    @property
    def name(self) -> str:
        return f"page {self.case.page} of “{self.case.list.name}”"

    def by_keyset(self) -> list[Comment]:
        return models.list_comments(PRODUCT_ID, self.chosen, self.case.request)

    def by_offset(self) -> list[Comment]:
        size = self.case.request.size
        skipped = (self.case.page - 1) * size
        return models.list_by_offset(PRODUCT_ID, self.chosen, skipped=skipped, size=size)

    def show(self, side: str, *, fragment: bool = False) -> bytes:
        path = self.case.path if side == SITE else views.PREFIX + self.case.path
        return self.case.list.site.get(path, fragment=fragment)

    def actions(self) -> Actions:
        """Return what is timed, by the side and what it is."""
        return {
            (SITE, LIST): self.case.read,
            (SQL, LIST): self.by_keyset,
            (SQL, OFFSET): self.by_offset,
            **{(side, FRAGMENT): partial(self.show, side, fragment=True) for side in (SITE, SQL)},
            **{(side, PAGE): partial(self.show, side) for side in (SITE, SQL)},
        }


def measure_sql(
    context: BenchContext,
    part: str,
    data: CommentData,
    answers: CommentAnswers,
    *,
    pages: Sequence[int],
    turns: int,
) -> Iterator[Row]:
    """Load the comments into PostgreSQL and measure both. Raises EngineError and WrongAnswer."""
    with running(folder=settings.VAR_DIR / "bench") as port, connected(port):
        with context.progress.step("Loading PostgreSQL", total=data.count, unit="") as advance:
            loaded = load(data.comments(), product=PRODUCT, categories=[CATEGORY], advance=advance)
        yield from rows(part, {"page_size": context.page_size, "turns": turns, **loaded})
        with override_settings(ROOT_URLCONF=views.__name__):
            compared = list(_pages(context, answers, pages=pages))
            for one in compared:
                _require_same(one)
            for name, chosen in LISTS.items():
                counted = models.count_comments(PRODUCT_ID, chosen)
                _require(f"COUNT(*) of “{name}”", is_so=counted == len(answers.places(chosen)))
            yield from _time_pages(context, part, compared, turns=turns)
            yield from _time_counting(context, part, answers, turns=turns)


def _pages(
    context: BenchContext, answers: CommentAnswers, *, pages: Sequence[int]
) -> Iterator[_Compared]:
    """Yield the product's page, then those of each list."""
    lists = list(comment_lists(answers, context.site, LISTS))
    pager = replace(lists[0].pager, first_url=reverse("comments:product", args=[PRODUCT_ID]))
    whole = replace(lists[0], name=PRODUCT_PAGE, pager=pager)
    first = next(cases_of(whole, pages=(1,), size=context.page_size))
    yield _Compared(first, LISTS[lists[0].name])
    for one in lists:
        for case in cases_of(one, pages=pages, size=context.page_size):
            yield _Compared(case, LISTS[one.name])


def _require_same(one: _Compared) -> None:
    """Raise WrongAnswer unless both sides read what the page holds, and show the same."""
    expected = tuple(one.case.expected)
    require_answer(one.case.read(), expected, name=one.name)
    for read in (one.by_keyset(), one.by_offset()):
        places = tuple(map(place_of_row, read[: len(expected)]))
        _require(f"{one.name} by SQL", is_so=places == expected)
    for fragment in (False, True):
        site, sql = (one.show(side, fragment=fragment) for side in (SITE, SQL))
        _require(f"{one.name}, shown by SQL,", is_so=_comparable(site) == _comparable(sql))


def _require(what: str, *, is_so: bool) -> None:
    if not is_so:
        raise WrongAnswer(f"What was read as {what} is not what it holds.")


def _comparable(page: bytes) -> bytes:
    return UNLIKE.sub(b"", page).replace(f"{views.PREFIX}/".encode(), b"/")


def _time_pages(
    context: BenchContext, part: str, compared: Sequence[_Compared], *, turns: int
) -> Iterator[Row]:
    times = _time(context, "Timing both", [one.actions() for one in compared], turns=turns)
    for one, found in zip(compared, times, strict=True):
        name, page = one.case.list.name, one.case.page
        for (side, what), timing in found.items():
            yield from rows(part, timing.metrics(what), list=name, page=page, reader=side)
        for what in COMPARED:
            ratio = round(found[SITE, what].median_ms / found[SQL, what].median_ms, 2)
            yield Row(part, name, page, f"{SITE} ÷ {SQL}", f"{what}.ratio", ratio)


def _time_counting(
    context: BenchContext, part: str, answers: CommentAnswers, *, turns: int
) -> Iterator[Row]:
    actions: list[Actions] = [
        {
            (SQL, COUNT): partial(models.count_comments, PRODUCT_ID, chosen),
            (SQL, COUNTS_TABLE): partial(models.find_counts, PRODUCT_ID),
            (SITE, COUNTER): partial(read_counts, PRODUCT_ID),
        }
        for chosen in LISTS.values()
    ]
    times = _time(context, "Timing counts", actions, turns=turns)
    for (name, chosen), found in zip(LISTS.items(), times, strict=True):
        yield Row(part, name, None, None, "matching", len(answers.places(chosen)))
        for (_, way), timing in found.items():
            yield from rows(part, timing.metrics("counting"), list=name, reader=way)


def _time(
    context: BenchContext, label: str, each: Sequence[Actions], *, turns: int
) -> list[dict[Key, Timing]]:
    """Do all actions of all in turns, and return the timings of each."""
    actions = {
        (number, key): do for number, all_of in enumerate(each) for key, do in all_of.items()
    }
    warm_up = min(WARM_UP, turns)
    with context.progress.step(label, total=warm_up + turns, unit="") as advance:
        times = time_in_turns(actions, turns=turns, warm_up=warm_up, after_turn=advance)
    return [{key: times[number, key] for key in all_of} for number, all_of in enumerate(each)]


def sql_section(found: Results, notes: tuple[str, ...]) -> Section:
    """Write the section of this part."""
    groups = {
        "pages": Results(row for row in found if row.page is not None),
        "counted": found.where(page=None, list=tuple(LISTS)),
    }
    of_page, of_list = (max(found.numbers(f"{what}.ratio")) for what in (PAGE, LIST))
    return section(
        "peers", found, notes=notes, groups=groups, most_of_page=of_page, most_of_list=of_list
    )
