"""Tables for each month: made ahead of time, lowered when their month is over, dropped in time."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.management import call_command

from dynapages.process import client
from dynapages.tables import Throughput
from shop.activity.months import Month, month_of_table
from shop.activity.rotation import PAST_THROUGHPUT, existing_months, rotate, steps_for
from shop.activity.tables import set_throughput, table_names, throughput_of
from tests.support.activity.making import NOW, THIS
from tests.support.clock import this_month

FULL = Throughput(5, 5)


def tables() -> dict[str, Throughput | None]:
    return {str(month): capacity for month, capacity in existing_months(client()).items()}


class TestMonths:
    def test_begin_and_end_in_utc(self):
        late = datetime.fromisoformat("2026-10-31T23:30:00-05:00")
        assert Month.of(late) == Month(2026, 11)

    @pytest.mark.parametrize(
        ("by", "there"), [(1, "2027-01"), (-12, "2025-12"), (0, "2026-12"), (-24, "2024-12")]
    )
    def test_are_counted_over_years(self, by, there):
        assert str(Month(2026, 12).plus(by)) == there

    def test_are_told_by_the_names_of_their_tables(self, settings):
        prefix = settings.DYNAMODB_TABLE_PREFIX
        assert month_of_table(Month(2026, 3).table) == Month(2026, 3)
        assert month_of_table(f"{prefix}activity-2026-13") is None
        assert month_of_table(f"x{prefix}activity-2026-03") is None
        assert month_of_table(f"{prefix}activity-2026-03-old") is None


class TestRotating:
    @pytest.mark.real_engine
    def test_several_times_at_once_is_as_good_as_once(self, own_log):
        own_log(Month(2025, 9), Month(2025, 10), Month(2026, 10))
        with ThreadPoolExecutor(4) as threads:
            runs = [threads.submit(rotate, client=client(), now=NOW) for _ in range(4)]
            for run in runs:
                run.result()
        assert tables() == {"2026-10": PAST_THROUGHPUT, "2026-11": FULL, "2026-12": FULL}

    def test_over_a_year_keeps_what_it_should(self, own_log, settings):
        settings.ACTIVITY_RETENTION_MONTHS = 3
        for month in range(1, 13):
            rotate(client=client(), now=datetime(2026, month, 2, tzinfo=UTC))
        expected = dict.fromkeys(["2026-09", "2026-10", "2026-11"], PAST_THROUGHPUT)
        assert tables() == expected | {"2026-12": FULL, "2027-01": FULL}

    def test_leaves_the_tables_of_others_alone(self, own_log, settings):
        own = settings.DYNAMODB_TABLE_PREFIX
        settings.DYNAMODB_TABLE_PREFIX = f"{own}other-"
        own_log(Month(2020, 1))
        settings.DYNAMODB_TABLE_PREFIX = own
        rotate(client=client(), now=NOW)
        assert client().describe_table(TableName=f"{own}other-activity-2020-01")


class OneAtATime:
    """The engine's tables, a page of one name each time."""

    def get_paginator(self, operation: str) -> "OneAtATime":
        self._paginator = client().get_paginator(operation)
        return self

    def paginate(self) -> Any:
        return self._paginator.paginate(PaginationConfig={"PageSize": 1})


class TestTheNamesOfTables:
    def test_are_listed_beyond_the_first_page(self, own_log):
        own_log(THIS, THIS.plus(1))
        assert {THIS.table, THIS.plus(1).table} <= set(table_names(OneAtATime()))


class TestTheCapacity:
    def test_is_raised_where_the_settings_ask_for_more(self, own_log, settings):
        own_log(THIS, THIS.plus(1))
        settings.ACTIVITY_WRITE_UNITS = 50
        rotate(client=client(), now=NOW)
        assert tables() == {"2026-11": Throughput(5, 50), "2026-12": Throughput(5, 50)}

    def test_that_somebody_has_raised_stays_until_the_month_is_over(self, own_log):
        own_log(THIS, THIS.plus(1))
        set_throughput(client(), THIS.table, Throughput(100, 100))
        assert rotate(client=client(), now=NOW) == []
        rotate(client=client(), now=datetime(2026, 12, 1, tzinfo=UTC))
        assert throughput_of(client(), THIS.table) == PAST_THROUGHPUT

    def test_of_a_table_that_is_on_demand_is_nobodys_concern(self):
        assert steps_for({THIS.plus(-1): None, THIS: None, THIS.plus(1): None}, now=NOW) == []

    def test_is_the_one_there_is_already(self, own_log):
        own_log(THIS)
        assert set_throughput(client(), THIS.table, FULL)

    def test_of_a_table_that_is_gone_is_left_to_the_next_run(self, own_log):
        assert not set_throughput(client(), THIS.table, FULL)


class TestTheCommand:
    def test_says_what_it_did_a_line_each(self, own_log, capsys, settings):
        this = this_month()
        own_log(this.plus(-13), this.plus(-1))
        call_command("rotate_activity_tables")
        told = capsys.readouterr().out.splitlines()
        assert told == [
            f"{this.table}: created with 5 read and 5 write units.",
            f"{this.plus(1).table}: created with 5 read and 5 write units.",
            f"{this.plus(-13).table}: dropped, past the 12 months that are kept.",
            f"{this.plus(-1).table}: lowered to 1 read and 1 write units.",
        ]
        call_command("rotate_activity_tables")
        assert capsys.readouterr().out == "There is nothing to do.\n"

    def test_only_says_what_it_would_do_when_it_is_a_dry_run(self, own_log, capsys):
        this = this_month()
        own_log(this.plus(-13))
        call_command("rotate_activity_tables", "--dry-run")
        assert f"{this.table}: would create it with 5 read" in capsys.readouterr().out
        assert list(tables()) == [str(this.plus(-13))]

    def test_prints_json(self, own_log, capsys):
        this = this_month()
        call_command("rotate_activity_tables", "--json")
        told = json.loads(capsys.readouterr().out)
        assert told["month"] == str(this)
        assert [(step["task"], step["table"]) for step in told["steps"]] == [
            ("create", this.table),
            ("create", this.plus(1).table),
        ]

    def test_that_makes_all_tables_makes_these_as_well(self, own_log, capsys):
        this = this_month()
        call_command("create_tables")
        assert tables() == {str(this): FULL, str(this.plus(1)): FULL}
