"""The log read page by page: the whole truth, in order, over months, shards and kinds."""

from datetime import UTC, datetime, timedelta
from itertools import combinations
from random import Random

import pytest

from dynapages.calls import metered
from dynapages.lists import PageRequest, Position, Toward
from dynapages.process import client
from shop.activity import shards as month_shards
from shop.activity.entries import Kind
from shop.activity.months import Month
from shop.activity.queries import MOST_UNITS, list_activity, within_limit
from shop.days import Days
from tests.support.activity.making import (
    NOW,
    THIS,
    made_entry,
    newest_first,
    walk,
    write_entries,
)

PREVIOUS = Toward.PREVIOUS
KIND_OF = (Kind.MODERATION, Kind.COMMENT, Kind.ORDER)
BOUNDARIES = [datetime(2026, month, 1, tzinfo=UTC) for month in (9, 10, 11)]
KIND_SETS = [kinds for size in (0, 1, 2) for kinds in combinations(Kind, size)]


@pytest.fixture
def history(own_log, monkeypatch):
    """Some eighty entries in four months with two, three, two and one shards; nothing in August."""
    entries = []
    for month, shards in [(7, 2), (9, 3), (10, 2), (11, 1)]:
        own_log(Month(2026, month))
        monkeypatch.setattr(month_shards, "ACTIVITY_SHARDS", shards)
        begin = datetime(2026, month, 1, tzinfo=UTC)
        random = Random(month)
        some = [
            made_entry(begin + timedelta(minutes=random.randrange(20 * 24 * 60)), kind)
            for kind in Kind
            for _ in range(7 if kind is not Kind.MODERATION else 2)
        ]
        write_entries(some)
        entries += some
    own_log(Month(2026, 8))
    at_boundaries = [
        made_entry(boundary + timedelta(microseconds=offset), kind)
        for boundary in BOUNDARIES
        if boundary.month != 9
        for offset in (-1, 0, 0, 1)
        for kind in Kind
    ]
    write_entries(at_boundaries)
    return entries + at_boundaries


class TestWalkingTheLog:
    def test_forward_and_back_gives_every_entry_of_the_kinds_newest_first(
        self, history, pytestconfig
    ):
        """By all sets of kinds with ``--thorough``, else by one in three."""
        for kinds in KIND_SETS if pytestconfig.getoption("--thorough") else KIND_SETS[::3]:
            truth = newest_first(history, *kinds)
            pages = list(walk(kinds, PageRequest(7), now=NOW))
            assert [entry for found in pages for entry in found.items] == truth
            assert all(len(found.items) == 7 for found in pages[:-1])
            from_the_end = PageRequest(7, Position("0000"), PREVIOUS)
            pages = list(walk(kinds, from_the_end, now=NOW))[::-1]
            assert [entry for found in pages for entry in found.items] == truth


DAYS = [("2026-09-20", "2026-10-02"), ("2026-11-01", ""), ("", "2026-10-01"), ("2026-10-31",) * 2]


class TestTheLogOfDays:
    @pytest.mark.parametrize(("since", "until"), DAYS)
    def test_is_walked_forward_and_back_from_their_first_to_their_last(self, history, since, until):
        days = Days.parse(since, until)
        truth = [
            entry
            for entry in newest_first(history, Kind.ORDER)
            if since <= entry.place and (not until or entry.place < until)
        ]
        for request in (PageRequest(3), PageRequest(3, toward=PREVIOUS)):
            pages = list(walk((Kind.ORDER,), request, now=NOW, days=days))
            ordered = pages if request.is_first else pages[::-1]
            assert [entry for found in ordered for entry in found.items] == truth

    def test_reads_nothing_of_the_months_around_them(self, history):
        found = list_activity(
            (), PageRequest(7), now=NOW, days=Days.parse("2026-09-05", "2026-10-01")
        )
        assert {read.run.index.table for read in found.page.reads} == {Month(2026, 9).table}


class TestMissingTables:
    def test_are_skipped(self, history):
        client().delete_table(TableName=Month(2026, 10).table)
        left = [entry for entry in history if entry.month != Month(2026, 10)]
        pages = walk((), PageRequest(7), now=NOW)
        assert [entry for found in pages for entry in found.items] == newest_first(left)

    def test_past_retention_are_not_asked_for(self, history, settings):
        settings.ACTIVITY_RETENTION_MONTHS = 1
        kept = [entry for entry in history if entry.month >= Month(2026, 10)]
        pages = walk((), PageRequest(7), now=NOW)
        assert [entry for found in pages for entry in found.items] == newest_first(kept)


@pytest.mark.real_engine
class TestTheCostOfAPage:
    """With one shard, as without a setting. That it is one is known from before."""

    @pytest.fixture
    def busy(self, own_log):
        """Entries every hour, of which one in thirty is about a comment, one a moderator's."""
        own_log(THIS, THIS.plus(-1))
        write_entries(
            made_entry(NOW - timedelta(hours=n), KIND_OF[min(n % 30, 2)], subject=f"thing-{n}")
            for n in range(690)
        )
        list_activity((), PageRequest(20, Position("2026-11")), now=NOW)

    def test_is_half_a_unit_for_each_series_and_month(self, busy):
        for kinds, units in (((), 1.0), ((Kind.MODERATION,), 0.5), (KIND_OF[1:], 0.5)):
            for position in (None, Position("2026-11-16")):
                with metered() as meter:
                    found = list_activity(kinds, PageRequest(9, position), now=NOW)
                assert len(found.items) == 9
                assert (meter.calls, meter.units) == (units * 2, units)
        with metered() as meter:
            found = list_activity((), PageRequest(20, Position("2026-11-01T03")), now=NOW)
        assert {entry.month for entry in found.items} == {THIS, THIS.plus(-1)}
        assert (meter.calls, meter.units) == (4, 2.0)

    def test_of_a_kind_among_many_others_has_a_limit_and_goes_on_behind_it(self, busy):
        request, found = PageRequest(20), []
        for _ in range(9):
            request = within_limit(request, [Kind.COMMENT])
            with metered() as meter:
                page = list_activity([Kind.COMMENT], request, now=NOW).page
            assert meter.units <= MOST_UNITS
            found += page.entries
            if page.next_position is None:
                break
            request = PageRequest(20, page.next_position)
        assert len(found) == 690 // 30

    def test_is_one_call_for_a_month_without_entries(self, own_log):
        own_log(THIS, *(THIS.plus(-back) for back in range(1, 13)))
        with metered() as meter:
            list_activity((), PageRequest(20), now=NOW)
        assert [call.operation for call in meter.log] == ["GetItem"] * 13
        assert meter.units == 6.5
