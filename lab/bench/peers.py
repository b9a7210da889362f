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
from comments.store.counts import counts_of
from lab.bench.comment_data import PRODUCT_ID, CommentAnswers, CommentData
from lab.bench.context import BenchContext
from lab.bench.lists import CATEGORY, PRODUCT, comment_lists
from lab.bench.pages import PageCase, WrongAnswer, cases_of, require_answer
from lab.bench.timing import WARM_UP, time_in_turns
from lab.peers import queries, urls
from lab.peers.adapter import place_of_row
from lab.peers.database import connected
from lab.peers.loading import load
from lab.peers.models import Comment
from lab.peers.postgres import running
from lab.reports.bench_figures import FRAGMENT, LIST, PAGE, UNFILTERED
from lab.reports.figures import Timing
from lab.reports.peer_figures import (
    COUNT,
    COUNTER,
    COUNTS_TABLE,
    OFFSET,
    PRODUCT_PAGE,
    CountTimes,
    PeerFigures,
    PeerTimes,
)

LISTS = {
    UNFILTERED: CommentFilter(),
    "one rating": CommentFilter.of(ratings=(5,)),
    "two languages, three ratings": CommentFilter.of(("de", "en"), (1, 3, 5)),
}
UNLIKE = re.compile(rb'<details class="explanation".*?</details>|\bvalue="\w{64}"', re.DOTALL)
"""What may differ in two pages: how they were read, and tokens against forgery."""
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
        return queries.list_comments(PRODUCT_ID, self.chosen, self.case.request)

    def by_offset(self) -> list[Comment]:
        size = self.case.request.size
        skipped = (self.case.page - 1) * size
        return queries.list_by_offset(PRODUCT_ID, self.chosen, skipped=skipped, size=size)

    def site_page(self, *, fragment: bool = False) -> bytes:
        return self.case.list.site.get(self.case.path, fragment=fragment)

    def sql_page(self, *, fragment: bool = False) -> bytes:
        return self.case.list.site.get(urls.PREFIX + self.case.path, fragment=fragment)

    def actions(self) -> Actions:
        """Return what is timed, by the side and what it is."""
        return {
            (SITE, LIST): self.case.read,
            (SITE, FRAGMENT): partial(self.site_page, fragment=True),
            (SITE, PAGE): self.site_page,
            (SQL, LIST): self.by_keyset,
            (SQL, OFFSET): self.by_offset,
            (SQL, FRAGMENT): partial(self.sql_page, fragment=True),
            (SQL, PAGE): self.sql_page,
        }


def measure_peers(
    context: BenchContext,
    data: CommentData,
    answers: CommentAnswers,
    *,
    pages: Sequence[int],
    turns: int,
) -> PeerFigures:
    """Load the comments into PostgreSQL and measure both. Raises EngineError and WrongAnswer."""
    with running(folder=settings.VAR_DIR / "bench") as port, connected(port):
        with context.progress.step("Loading PostgreSQL", total=data.count, unit="") as advance:
            loaded = load(data.comments(), product=PRODUCT, categories=[CATEGORY], advance=advance)
        with override_settings(ROOT_URLCONF=urls.__name__):
            compared = list(_pages(context, answers, pages=pages))
            _require_right_answers(compared, answers)
            return PeerFigures(
                page_size=context.page_size,
                turns=turns,
                load=loaded,
                pages=_time_pages(context, compared, turns=turns),
                counting=_time_counting(context, answers, turns=turns),
            )


def _pages(
    context: BenchContext, answers: CommentAnswers, *, pages: Sequence[int]
) -> Iterator[_Compared]:
    """Yield the product's page, then those of each list."""
    lists = list(comment_lists(answers, context.site, LISTS))
    pager = replace(lists[0].pager, first_url=reverse("product", args=[PRODUCT_ID]))
    whole = replace(lists[0], name=PRODUCT_PAGE, pager=pager)
    first = next(cases_of(whole, pages=(1,), size=context.page_size))
    yield _Compared(first, LISTS[lists[0].name])
    for one in lists:
        for case in cases_of(one, pages=pages, size=context.page_size):
            yield _Compared(case, LISTS[one.name])


def _require_right_answers(compared: Sequence[_Compared], answers: CommentAnswers) -> None:
    for one in compared:
        _require_same(one)
    for name, chosen in LISTS.items():
        counted = queries.count_comments(PRODUCT_ID, chosen)
        _require(f"COUNT(*) of “{name}”", is_so=counted == len(answers.places(chosen)))


def _require_same(one: _Compared) -> None:
    """Raise WrongAnswer unless both sides read what the page holds, and show the same."""
    expected = tuple(one.case.expected)
    require_answer(one.case.read(), expected, name=one.name)
    for rows in (one.by_keyset(), one.by_offset()):
        places = tuple(map(place_of_row, rows[: len(expected)]))
        _require(f"{one.name} by SQL", is_so=places == expected)
    for fragment in (False, True):
        site, sql = one.site_page(fragment=fragment), one.sql_page(fragment=fragment)
        _require(f"{one.name}, shown by SQL,", is_so=_comparable(site) == _comparable(sql))


def _require(what: str, *, is_so: bool) -> None:
    if not is_so:
        sentence = f"What was read as {what} is not what it holds."
        raise WrongAnswer(sentence)


def _comparable(page: bytes) -> bytes:
    return UNLIKE.sub(b"", page).replace(f"{urls.PREFIX}/".encode(), b"/")


def _time_pages(
    context: BenchContext, compared: Sequence[_Compared], *, turns: int
) -> tuple[PeerTimes, ...]:
    times = _time(context, "Timing both", [one.actions() for one in compared], turns=turns)
    return tuple(
        PeerTimes(
            list_name=one.case.list.name,
            page=one.case.page,
            site={what: timing for (side, what), timing in found.items() if side == SITE},
            sql={what: timing for (side, what), timing in found.items() if side == SQL},
        )
        for one, found in zip(compared, times, strict=True)
    )


def _time_counting(
    context: BenchContext, answers: CommentAnswers, *, turns: int
) -> tuple[CountTimes, ...]:
    actions: list[Actions] = [
        {
            (SQL, COUNT): partial(queries.count_comments, PRODUCT_ID, chosen),
            (SQL, COUNTS_TABLE): partial(queries.find_counts, PRODUCT_ID),
            (SITE, COUNTER): partial(counts_of, PRODUCT_ID),
        }
        for chosen in LISTS.values()
    ]
    times = _time(context, "Timing counts", actions, turns=turns)
    return tuple(
        CountTimes(
            name, len(answers.places(chosen)), {way: timing for (_, way), timing in found.items()}
        )
        for (name, chosen), found in zip(LISTS.items(), times, strict=True)
    )


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
