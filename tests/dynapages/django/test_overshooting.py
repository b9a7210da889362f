"""The way back past a list's beginning: the first page is shown instead, where it has the same."""

from dataclasses import replace
from math import inf
from urllib.parse import urlsplit

import pytest
from django.http import QueryDict

from dynapages.django.paging import Pager
from dynapages.lists import Entry, Ordinal, Page, PageRequest, Position, Run, RunRead, Toward
from dynapages_testing.merged_lists import INDEX

PAGER = Pager("/list/", "list/")
RUN = Run(INDEX, "A")
BACK = PageRequest(5, Position("m", ordinal=Ordinal(4)), Toward.PREVIOUS)
LAST = PageRequest(5, toward=Toward.PREVIOUS)


def page(request: PageRequest, count: int = 3, *, units: float = 1.0, most: float = inf) -> Page:
    """A page of so many entries, which is the beginning of its list."""
    entries = tuple(
        Entry({}, Position(f"{n}", ordinal=Ordinal(n)), RUN) for n in range(1, count + 1)
    )
    return Page(
        entries,
        has_next=request is BACK,
        has_previous=False,
        rounds=1,
        reads=(RunRead(RUN, 1, count, count, units),),
        toward=request.toward,
        start=request.position,
        most_units=most,
    )


@pytest.mark.parametrize("request_", [BACK, LAST], ids=["back", "last"])
class TestAPageThatIsTheBeginningOfItsList:
    def test_is_shown_as_the_first_one(self, request_):
        assert PAGER.overshot(page(request_), request_)

    @pytest.mark.parametrize(("units", "is_first"), [(2.0, True), (2.5, False)])
    def test_is_so_only_if_it_was_cheap(self, request_, units, is_first):
        found = page(request_, units=units, most=8.0)
        assert PAGER.overshot(found, request_) is is_first

    def test_stays_where_it_is_part_of_what_is_shown(self, request_):
        pager = replace(PAGER, shown=2)
        assert not pager.overshot(page(request_), request_)


class TestAPageBack:
    def test_that_is_full_stays(self):
        assert not PAGER.overshot(page(BACK, 5), BACK)

    def test_that_was_cut_stays(self):
        cut = replace(page(BACK, most=8.0), has_previous=True, cut_at=Position("c"))
        assert not PAGER.overshot(cut, BACK)


class TestAPageWithoutItems:
    def test_has_a_link_back_to_where_it_was_read_from(self):
        request = PageRequest(5, Position("m", ordinal=Ordinal(4)))
        empty = replace(page(request, 0), has_previous=True)
        url = PAGER.links(empty, request).newer_url
        asked = PAGER.requested(QueryDict(urlsplit(url).query), size=5)
        position = Position("m", ordinal=Ordinal(5), inclusive=True)
        assert asked == PageRequest(5, position, Toward.PREVIOUS)
