"""What the log counts of each day: as its entries say, whatever is done."""

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from dynapages.calls import clock, metered
from dynapages.process import client
from dynapages.upkeep import erase
from dynapages.writes import Contended, write_transaction
from shop.activity.day_counts import COUNTER, DayCount, counters_of, read_days
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.recording import delete_entry, write_entry
from shop.integrity.checks import shop_differences
from shop.user_data import ACTIVITY
from tests.support.activity.making import NOW, THIS, made_entry, write_entries

LAST = THIS.plus(-1)


@pytest.fixture(autouse=True)
def clock_of_the_log(monkeypatch):
    """The log is looked at on a day of its own."""
    monkeypatch.setattr(clock, "now", lambda: NOW)


def placed(moment: datetime = NOW, **fields: str) -> LogEntry:
    return replace(made_entry(moment, **fields), action=LogVerb.PLACED)


def written(stars: int, moment: datetime = NOW, action: LogVerb = LogVerb.POSTED) -> LogEntry:
    entry = made_entry(moment, Kind.COMMENT, about="", became=str(stars))
    return replace(entry, action=action)


def today() -> DayCount:
    return read_days(NOW)[-1]


def differences() -> list[str]:
    return [f"{found.stored}, not {found.expected}" for _, found in shop_differences(["activity"])]


def repair() -> None:
    for _, found in shop_differences(["activity"]):
        assert found.repair is not None
        assert found.repair()


class TestADay:
    def test_counts_orders_that_were_placed_and_not_their_further_moves(self, own_log):
        own_log(THIS)
        write_entries([placed(), placed(), made_entry(NOW)])
        assert today() == DayCount(NOW.date(), orders=2)

    def test_counts_comments_with_their_mean_rating(self, own_log):
        own_log(THIS)
        write_entries([written(5), written(2), written(2, action=LogVerb.HELD)])
        assert today() == DayCount(NOW.date(), comments=3, stars=9)
        assert today().average == 3

    @pytest.mark.parametrize(
        "action", sorted(set(LogVerb) - {LogVerb.PLACED, LogVerb.POSTED, LogVerb.HELD})
    )
    def test_counts_nothing_else_that_is_done_with_a_comment(self, own_log, action):
        own_log(THIS)
        write_entries([written(5, action=action)])
        assert today() == DayCount(NOW.date())
        assert today().average is None

    def test_counts_an_entry_once_that_is_sent_twice(self, own_log):
        own_log(THIS)
        entry = placed()
        write_entries([entry, entry, written(4), entry])
        assert today() == DayCount(NOW.date(), orders=1, comments=1, stars=4)

    def test_is_one_of_thirty_through_months_of_which_some_have_no_table(self, own_log):
        own_log(THIS)
        days = read_days(NOW)
        assert [count.day for count in days] == [
            NOW.date() - timedelta(days=back) for back in range(29, -1, -1)
        ]

    def test_counts_no_entry_any_more_that_was_erased(self, own_log):
        own_log(THIS)
        write_entries([placed(about="alex"), placed(about="bo")])
        erase([ACTIVITY], "alex")
        assert today() == DayCount(NOW.date(), orders=1)


@pytest.mark.real_engine
class TestItsPrice:
    def test_is_four_units_for_what_is_counted_and_one_for_all_else(self, own_log):
        own_log(THIS)
        write_entries([placed(), made_entry(NOW)])
        assert units_of(made_entry(NOW)) == 1
        assert units_of(placed()) == 4

    def test_is_the_same_at_the_end_of_a_busy_month(self, own_log):
        own_log(THIS)
        cells = {f"{day:02}{letter}": 54_321 for day in range(1, 32) for letter in "ocs"}
        begin = counters_of(THIS, client()).begin(COUNTER, cells)
        write_transaction(client(), [begin])
        write_entries([placed()])
        assert units_of(placed()) == 4

    def test_is_half_a_unit_to_read_for_each_month(self, own_log):
        own_log(LAST, THIS)
        write_entries([placed(), placed(NOW - timedelta(days=25))])
        with metered() as meter:
            read_days(NOW)
        assert (meter.units, meter.rounds) == (1, 1)


def units_of(entry: LogEntry) -> float:
    with metered() as meter:
        write_entry(entry, client=client())
    return meter.units


class TestThirtyDays:
    def test_are_what_the_entries_say_after_whatever_happened(self, own_log):
        own_log(LAST, THIS)
        chance = random.Random(9)
        entries = []
        for _ in range(120):
            moment = NOW - timedelta(minutes=chance.randrange(40 * 24 * 60))
            stars = chance.randint(1, 5)
            action = chance.choice([*LogVerb])
            made = placed(moment) if chance.random() < 0.4 else written(stars, moment, action)
            entries.append(made)
        write_entries(entries)
        kept = []
        for entry in entries:
            if chance.random() < 0.2:
                item = entry.item(1)
                key = item["pk"]["S"], item["sk"]["S"]
                delete_entry(entry.month.table, key, client=client())
            else:
                kept.append(entry)
        assert read_days(NOW) == by_brute_force(kept)
        assert differences() == []

    def test_are_right_when_many_write_at_once(self, own_log):
        own_log(THIS)
        entries = [placed() for _ in range(40)]
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(_write_stubbornly, entries))
        assert today().orders == 40


def _write_stubbornly(entry: LogEntry) -> None:
    """As the thread of the log does: again, where others were first."""
    for _ in range(20):
        try:
            write_entry(entry, client=client())
        except Contended:
            continue
        return
    message = "never written"
    raise AssertionError(message)


def by_brute_force(entries: list[LogEntry]) -> list[DayCount]:
    orders: Counter[object] = Counter()
    comments: Counter[object] = Counter()
    stars: Counter[object] = Counter()
    for entry in entries:
        day = entry.moment.astimezone(UTC).date()
        if entry.action is LogVerb.PLACED and entry.kind is Kind.ORDER:
            orders[day] += 1
        if entry.action in {LogVerb.POSTED, LogVerb.HELD}:
            comments[day] += 1
            stars[day] += int(entry.became)
    counts = []
    for back in range(29, -1, -1):
        day = NOW.date() - timedelta(days=back)
        counts.append(DayCount(day, orders[day], comments[day], stars[day]))
    return counts


class TestTheCheck:
    def test_finds_what_was_never_counted_and_counts_it(self, own_log):
        own_log(LAST, THIS)
        long_ago = NOW - timedelta(days=30)
        write_entries([placed(), written(3), placed(long_ago)])
        for month in (LAST, THIS):
            key = {"pk": {"S": f"{COUNTER}#0"}, "sk": {"S": f"{COUNTER}#0"}}
            client().delete_item(TableName=month.table, Key=key)
        assert differences() == [
            "20c 0, 20o 0, 20s 0, not 20c 1, 20o 1, 20s 3",
            "21o 0, not 21o 1",
        ]
        repair()
        assert differences() == []
        assert today() == DayCount(NOW.date(), orders=1, comments=1, stars=3)

    def test_finds_what_is_counted_and_not_there(self, own_log):
        own_log(THIS)
        write_entries([entry := placed(), placed()])
        item = entry.item(1)
        client().delete_item(TableName=THIS.table, Key={"pk": item["pk"], "sk": item["sk"]})
        assert differences() == ["20o 2, not 20o 1"]
        repair()
        assert today().orders == 1

    def test_corrects_a_counter_that_is_spread(self, own_log):
        own_log(THIS)
        write_entries([entry := placed(), placed()])
        counters_of(THIS, client()).ensure(COUNTER, 4)
        item = entry.item(1)
        client().delete_item(TableName=THIS.table, Key={"pk": item["pk"], "sk": item["sk"]})
        call_command("check_integrity", only="activity", repair=True, stdout=StringIO())
        assert differences() == []
        assert today().orders == 1
