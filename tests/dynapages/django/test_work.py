"""``manage.py work``: what is due is done, by a process that may be stopped at any moment."""

import json
import re
import signal
from collections.abc import Mapping
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.exceptions import ImproperlyConfigured
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import CommandError, call_command
from django.core.signals import request_started
from django.test import Client

from dynapages.calls import instead_of_batches
from dynapages.django.work import queue_named, queues, start_with_first_request, start_worker
from dynapages.items import table_key
from dynapages.process import background_client, client, write_actions
from dynapages.work import Queue, worker
from dynapages.writes import put
from shop.table import TABLE
from tests.support.chance import unique
from tests.support.command_line import start_manage
from tests.support.comments.outage import connected
from tests.support.engine_plugin import PATIENCE
from tests.support.ports import spare_port

pytestmark = pytest.mark.usefixtures("tables")
_PARTITION = unique("DUE")
QUEUE = Queue("notes", TABLE, lambda shard: f"{_PARTITION}#{shard}", client=background_client)
noted: list[str] = []


def note(payload: Mapping[str, Any]) -> None:
    noted.append(payload["text"])
    if payload["text"] == "is interrupted":
        signal.raise_signal(signal.SIGTERM)
    if payload["text"] == "owes another":
        owe("another")
    if payload["text"] == "puts in bulk":
        with instead_of_batches():
            write_actions([put(TABLE, table_key(unique("NOTE"), "NOTE"))])


def owe(text: str) -> None:
    write_actions([QUEUE.owe("note", {"text": text}).action])


QUEUE.register("note", note)


@pytest.fixture(autouse=True)
def own_queue(settings):
    settings.WORK_QUEUES = [f"{__name__}.QUEUE"]
    noted.clear()


def work(**options: Any) -> dict[str, float]:
    out = StringIO()
    call_command("work", once=True, json=True, stdout=out, **options)
    figures: dict[str, float] = json.loads(out.getvalue())
    return figures


class TestOnce:
    def test_does_what_is_due_and_ends(self):
        owe("a")
        assert work()["done"] == 1
        assert noted == ["a"]

    def test_does_also_what_is_owed_by_what_was_done(self):
        owe("owes another")
        assert work()["done"] == 2
        assert noted == ["owes another", "another"]

    def test_finishes_what_it_has_in_hand_when_it_is_told_to_end(self):
        for _ in range(3):
            owe("is interrupted")
        assert work()["done"] == 1
        assert work()["done"] == 1
        assert work()["done"] == 1

    @pytest.mark.real_engine
    def test_counts_units(self):
        nothing = {"done": 0, "failed": 0, "dead": 0}
        assert work() == {**nothing, "units": 2.0, "amazon_units": 2.0}

    @pytest.mark.real_engine
    def test_says_so_in_words(self):
        out = StringIO()
        call_command("work", once=True, stdout=out)
        assert out.getvalue() == "0 done, 0 failed and put off, 0 given up, 2 units\n"

    @pytest.mark.real_engine
    def test_counts_apart_what_amazon_takes_for_what_an_engine_is_sent_instead(self):
        owe("puts in bulk")
        figures = work()
        # A transaction of one small item, without indexes, where Amazon is sent a batch.
        assert figures["units"] - figures["amazon_units"] == 1
        owe("puts in bulk")
        out = StringIO()
        call_command("work", once=True, stdout=out)
        both = rf"{figures['units']:g} units on this engine; {figures['amazon_units']:g} on Amazon"
        assert re.search(both, out.getvalue())

    def test_says_in_one_line_that_the_database_is_away(self):
        with (
            connected(f"http://127.0.0.1:{spare_port()}"),
            pytest.raises(CommandError, match=r"^The database cannot be reached[^\n]+$"),
        ):
            work()


class TestTheQueues:
    def test_are_those_of_the_setting(self):
        assert queues() == [QUEUE]
        assert queue_named("notes") is QUEUE
        assert queue_named("others") is None

    def test_must_be_queues(self, settings):
        settings.WORK_QUEUES = ["dynapages.work.queues.LEASE"]
        with pytest.raises(ImproperlyConfigured, match="LEASE"):
            queues()

    def test_must_be_named(self, settings):
        settings.WORK_QUEUES = []
        with pytest.raises(CommandError, match="WORK_QUEUES is empty"):
            work()


class TestAWebProcess:
    @pytest.fixture(autouse=True)
    def as_before(self):
        before = worker()._queues
        worker()._queues = ()
        yield
        worker()._queues = before

    def test_works_in_the_background(self):
        start_worker()
        assert worker()._queues == (QUEUE,)

    def test_leaves_the_work_to_a_process_of_its_own(self, settings):
        settings.WORK_IN_WEB = False
        start_worker()
        assert worker()._queues == ()

    def test_begins_with_the_first_request_that_it_serves(self):
        start_with_first_request()
        request_started.send(sender=WSGIHandler, environ={})
        assert worker()._queues == (QUEUE,)

    def test_does_not_begin_with_the_requests_of_test_clients(self):
        start_with_first_request()
        Client().get("/robots.txt")
        assert worker()._queues == ()


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_of_its_own_ends_when_it_is_told_to(signal_number):
    environment = {
        "DYNAMODB_ENDPOINT_URL": client().meta.endpoint_url,
        "DYNAMODB_TABLE_PREFIX": django_settings.DYNAMODB_TABLE_PREFIX,
        "PYTHONUNBUFFERED": "1",
    }
    process = start_manage("work", **environment)
    try:
        assert process.stdout
        assert process.stdout.readline() == "Looking every 60 seconds for what is due.\n"
        process.send_signal(signal_number)
        assert process.stdout.readline().startswith("0 done, 0 failed")
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        process.communicate()
