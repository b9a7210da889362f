"""Entries written behind the back of an action: soon, each once, whatever the tables do."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event

import pytest
from django.conf import settings as django_settings
from django.test import override_settings

from dynapages.process import client
from dynapages_testing.processes import until
from shop import background
from shop.activity import shards
from shop.activity.entries import Kind, LogEntry, LogVerb, entry_in_line, line_of
from shop.activity.months import Month
from shop.activity.recording import LOG, record
from shop.activity.shards import find_shards, forget_shards, settle_shards
from tests.support.activity.making import (
    THIS,
    begin_as_another_process_did,
    made_entry,
    newest_first,
    whole_log,
    write_entries,
)
from tests.support.chance import unique
from tests.support.clock import now_within_a_month
from tests.support.orders.making import put_product
from tests.support.project import PROJECT


@pytest.fixture
def today():
    return now_within_a_month().replace(microsecond=0)


@pytest.fixture
def month(today):
    return Month.of(today)


@pytest.fixture
def impatience(monkeypatch):
    monkeypatch.setattr(background, "FIRST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(background, "LONGEST_PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(background, "LOG_EVERY_SECONDS", 0.0)


class TestAnEntry:
    @pytest.mark.parametrize("action", LogVerb)
    def test_is_read_from_its_line_as_it_was(self, action):
        entry = replace(made_entry(who="José\u2028", was="PLACED"), action=action)
        assert entry_in_line(line_of(entry)) == entry
        assert line_of(entry).isascii()

    @pytest.mark.parametrize("line", ["", "{}", "[]", '{"kind": "NONE"}'])
    def test_is_not_read_from_a_line_of_another_kind(self, line):
        with pytest.raises(ValueError, match=r"."):
            entry_in_line(line)

    def test_goes_to_all_shards(self):
        keys = {made_entry().item(4)["pk"]["S"] for _ in range(200)}
        assert keys == {f"MAIN#{shard}" for shard in range(4)}

    def test_has_the_name_that_its_product_has_when_it_is_written(self, own_log, today, month):
        own_log(month)
        lamp = put_product(unique("lamp"))
        write_entries([made_entry(today, Kind.COMMENT, about=lamp)])
        assert [entry.name for entry in whole_log()] == [f"Product {lamp}"]


class TestRecording:
    def test_writes_soon(self, own_log, today, month):
        own_log(month.plus(-1), month)
        entries = [made_entry(today - timedelta(seconds=n)) for n in range(60)]
        for entry in entries:
            record(entry)
        assert whole_log() == newest_first(entries)

    def test_twice_is_one_entry_and_nothing_to_be_said(self, own_log, today, month, caplog):
        own_log(month)
        entry = made_entry(today)
        write_entries([entry, entry])
        write_entries([entry])
        assert whole_log() == [entry]
        assert caplog.records == []

    def test_replaces_nothing_that_is_there(self, own_log, today, month, caplog):
        own_log(month)
        entry = made_entry(today, who="sam")
        write_entries([entry])
        write_entries([replace(entry, who="eve")])
        assert whole_log() == [entry]
        assert "another entry is stored there" in caplog.text
        assert "eve" not in caplog.text

    @pytest.mark.real_engine
    def test_costs_one_unit_an_entry(self, own_log):
        own_log(THIS)
        settle_shards(THIS, client=client())
        entry = made_entry(who="a" * 30, subject="b" * 100, about="c" * 100, name="d" * 300)
        item = entry.item(2)
        answer = client().put_item(TableName=THIS.table, Item=item, ReturnConsumedCapacity="TOTAL")
        assert answer["ConsumedCapacity"]["CapacityUnits"] == 1


class TestTheShardsOfAMonth:
    def test_are_those_of_its_first_entry_for_good(self, own_log, monkeypatch):
        own_log(THIS)
        monkeypatch.setattr(shards, "ACTIVITY_SHARDS", 3)
        assert find_shards(THIS, client=client()) == 0
        assert settle_shards(THIS, client=client()) == 3
        monkeypatch.setattr(shards, "ACTIVITY_SHARDS", 1)
        assert settle_shards(THIS, client=client()) == find_shards(THIS, client=client()) == 3

    def test_are_heard_of_from_the_table_where_another_process_was_first(
        self, own_log, monkeypatch
    ):
        own_log(THIS)
        monkeypatch.setattr(shards, "ACTIVITY_SHARDS", 3)
        begin_as_another_process_did(THIS, shards=7)
        assert settle_shards(THIS, client=client()) == 7


class TestWhenItCannotBeWritten:
    def test_a_missing_table_is_waited_for_and_the_log_says_what_to_run(
        self, own_log, impatience, caplog, today, month
    ):
        entry = made_entry(today)
        record(entry)
        assert until(lambda: not LOG.flush(seconds=0) and "rotate_activity" in caplog.text)
        own_log(month)
        assert whole_log() == [entry]

    def test_what_is_of_a_month_that_gets_no_table_does_not_hold_up_the_rest(
        self, own_log, today, month
    ):
        own_log(month)
        lost, entry = LOG.lost, made_entry(today)
        for each in (made_entry(today - timedelta(days=90)), entry):
            record(each)
        assert whole_log() == [entry]
        assert LOG.lost == lost + 1

    def test_a_table_that_was_dropped_and_made_anew_is_written_to(
        self, own_log, impatience, today, month
    ):
        own_log(month)
        write_entries([made_entry(today)])
        client().delete_table(TableName=month.table)
        entry = made_entry(today)
        record(entry)
        assert not LOG.flush(seconds=0.1)
        own_log(month)
        assert LOG.flush(seconds=10)
        forget_shards(month)  # as a reader in another process, which never knew
        assert whole_log() == [entry]


def test_an_entrys_table_can_be_told_while_a_test_changes_a_setting():
    interval, is_over = sys.getswitchinterval(), Event()

    def tell_tables() -> set[str]:
        told = set()
        while not is_over.is_set():
            told.add(THIS.table)
        return told

    sys.setswitchinterval(1e-6)  # so that the thread meets every moment of a change
    try:
        with ThreadPoolExecutor() as pool:
            telling = pool.submit(tell_tables)
            for _ in range(1000):
                with override_settings(PAGE_SIZE=5):
                    pass
            is_over.set()
            assert telling.result() == {THIS.table}
    finally:
        is_over.set()
        sys.setswitchinterval(interval)


ENDING = """
import django
django.setup()
from datetime import datetime
from shop.activity import shards
from shop.activity.entries import LogVerb, LogEntry, Kind
from shop.activity.recording import record
moment = datetime.fromisoformat("{moment}")
for number in range(120):
    record(LogEntry(Kind.ORDER, LogVerb.PLACED, moment, "alex", f"order-{{number}}", "alex"))
"""
ENDING_SOON = """
import atexit
from shop.activity.recording import LOG
atexit.unregister(LOG.close)
atexit.register(LOG.close, seconds=0.5)
"""


SERVER = """
import config.wsgi
from django.core.signals import request_started
request_started.send(None)
"""


class TestAProcessThatEnds:
    def run(self, program: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        given = {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DYNAMODB_TABLE_PREFIX": django_settings.DYNAMODB_TABLE_PREFIX,
            **environment,
        }
        return subprocess.run(
            [sys.executable, "-c", program],
            cwd=PROJECT,
            env=os.environ | given,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )

    @pytest.fixture
    def ending(self, today):
        return ENDING.format(moment=today.isoformat())

    @pytest.fixture
    def expected(self, today):
        ids = [f"order-{number}" for number in range(120)]
        placed = [LogEntry(Kind.ORDER, LogVerb.PLACED, today, "alex", each, "alex") for each in ids]
        return newest_first(placed)

    @pytest.mark.slow
    def test_keeps_what_it_could_not_write_for_the_next_server(
        self, own_log, month, ending, expected, tmp_path
    ):
        nowhere = {"DYNAMODB_ENDPOINT_URL": "http://127.0.0.1:9", "VAR_DIR": str(tmp_path)}
        said = self.run(ending + ENDING_SOON, **nowhere).stderr
        (kept,) = tmp_path.iterdir()
        assert f"120 are kept in {kept}" in said
        own_log(month)
        self.run(SERVER, VAR_DIR=str(tmp_path))
        assert whole_log() == expected
        assert not kept.exists()
