"""``run_stream``, from a comment to its copies, on the engine."""

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from comments.items import NewComment
from comments.management.commands import run_stream
from comments.models import Comment
from comments.posting.services import add_comment, edit_comment
from comments.sets.copies import Consumer
from comments.store.comments import load_comment
from dynapages.process import client, current_connection
from dynapages.streams import build_streams_client
from dynapages.upkeep import every_item
from tests.support.command_line import start_manage
from tests.support.comments.faulty import unreachable
from tests.support.comments.options import comments_set
from tests.support.comments.outage import connected
from tests.support.comments.truth import START, written
from tests.support.ports import spare_port
from tests.support.sets.stored import expected_items, stored_items

pytestmark = pytest.mark.usefixtures("streamed")

LATER = START + timedelta(days=1)


@pytest.fixture
def comment(fresh):
    """A comment whose copies are made."""
    comment = written(fresh("product"), id=fresh("comment"), rating=5)
    add_comment(comment)
    run_once()
    return comment


def run_once() -> dict[str, int]:
    out = StringIO()
    call_command("run_stream", once=True, json=True, pause=0, stdout=out)
    counts: dict[str, int] = json.loads(out.getvalue())
    return counts


def edit(comment: NewComment, **what: Any) -> None:
    edit_comment(load_comment(comment.id), now=LATER, **what)


def forget_checkpoints() -> None:
    table = Comment.Meta.table_name
    for item in every_item(client(), table):
        if item["pk"]["S"].startswith("CHECKPOINT#"):
            client().delete_item(TableName=table, Key={"pk": item["pk"], "sk": item["sk"]})


class TestAComment:
    @pytest.mark.parametrize("what", [{"rating": 1, "language": "fr"}, {"body": "!"}])
    def test_that_is_edited_has_its_copies_replaced(self, comment, what):
        edit(comment, **what)
        run_once()
        assert len(stored_items(comment.id)) == 32
        assert stored_items(comment.id) == expected_items(comment.id)


class TestARun:
    def test_counts_what_it_did(self, comment, fresh):
        run_once()  # to where the next one goes on
        add_comment(replace(comment, id=fresh("comment")))
        assert run_once() == {
            "records": 32,  # of the comment, and of each copy made of it
            "comments": 1,
            "copies_put": 31,
            "copies_deleted": 0,
        }

    @pytest.mark.real_engine  # where there is one table for all, it has much to begin anew with
    def test_that_begins_anew_leaves_what_was_right(self, comment, fresh):
        add_comment(replace(comment, id=fresh("comment")))
        edit(comment, rating=1)
        run_once()
        before = stored_items(comment.id)
        forget_checkpoints()
        assert run_once()["comments"] >= 2
        assert stored_items(comment.id) == before == expected_items(comment.id)

    @pytest.mark.parametrize("pause", [31.0, float("nan")])
    def test_refuses_a_pause_that_is_none(self, pause):
        with pytest.raises(CommandError, match="from 0 to 30"):
            call_command("run_stream", once=True, pause=pause)


class TestAShopWithoutTheTable:
    def test_is_told_in_one_line(self, monkeypatch):
        monkeypatch.setattr("comments.sets.copies.TABLE", "there-is-no-such-table")
        with pytest.raises(CommandError, match="create_tables"):
            call_command("run_stream", once=True)

    def test_is_told_so_where_lists_are_read_otherwise(self):
        with (
            comments_set(READ_MODEL="indexes"),
            pytest.raises(CommandError, match="COMMENTS_READ_MODEL is not sets"),
        ):
            call_command("run_stream", once=True)


class TestATableWithoutAStream:
    def test_is_told_of_in_one_line(self, monkeypatch):
        monkeypatch.setattr("comments.sets.copies.TABLE", Comment.Meta.table_name)
        with pytest.raises(CommandError, match=r"has no stream\. “manage\.py create_tables”"):
            call_command("run_stream")


class TestADatabaseThatIsAwayAtTheStart:
    def test_is_told_of_in_one_line_by_a_run_that_is_to_end(self):
        sentence = r"^The database cannot be reached at the moment\.$"
        with (
            connected(f"http://127.0.0.1:{spare_port()}"),
            pytest.raises(CommandError, match=sentence),
        ):
            call_command("run_stream", once=True)

    def test_is_waited_for_by_one_that_runs_for_ever(self, comment, fresh, monkeypatch):
        other, err = replace(comment, id=fresh("comment")), StringIO()
        add_comment(other)
        with ExitStack() as outage:
            outage.enter_context(unreachable())
            monkeypatch.setattr(run_stream.time, "sleep", lambda _seconds: outage.close())
            call_command("run_stream", pause=0, stdout=StoppedAtTheFirstLine(), stderr=err)
        assert err.getvalue() == "The database cannot be reached at the moment.\n"
        assert stored_items(other.id) == expected_items(other.id)


class TestAConnectionGoneSilent:
    def test_is_given_up_within_half_a_minute(self):
        with connected(f"http://127.0.0.1:{spare_port()}"):
            clients = [Consumer().client, build_streams_client(current_connection())]
        for each in clients:
            assert each.connection.read_seconds * each.connection.attempts <= 30


class TestRunningForEver:
    def test_makes_copies_until_it_is_interrupted(self, comment, fresh):
        with running() as process:
            other = replace(comment, id=fresh("comment"))
            add_comment(other)
            assert process.stdout is not None
            for line in process.stdout:  # to its end, if the command ends by itself
                if "1 of them" in line:
                    break
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert "31 copies put" in out.splitlines()[-1]
        assert stored_items(other.id) == expected_items(other.id)


class StoppedAtTheFirstLine(StringIO):
    """An output that interrupts the command when it first says what it has done."""

    def write(self, text: str) -> int:
        is_first = not self.getvalue()
        written = super().write(text)
        if is_first:
            raise KeyboardInterrupt
        return written


@contextmanager
def running() -> Iterator[subprocess.Popen[str]]:
    environment = {
        "DYNAMODB_ENDPOINT_URL": client().meta.endpoint_url,
        "DYNAMODB_TABLE_PREFIX": django_settings.DYNAMODB_TABLE_PREFIX,
        "COMMENTS_READ_MODEL": "sets",
        "PYTHONUNBUFFERED": "1",
    }
    process = start_manage("run_stream", "--pause", "0.05", **environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
