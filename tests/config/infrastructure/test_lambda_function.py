"""The packed function, run as AWS Lambda runs it: from its zip alone, on records of the engine."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.test import override_settings

from comments.host import SETS
from comments.items import NewComment
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.sets.copies import TABLE
from comments.sets.models import CommentSetItem
from comments.store.comments import load_comment
from dynapages.process import client, current_connection
from dynapages.streams import Record, StreamWalk, build_streams_client, stream_of
from dynapages.streams.checkpoints import Checkpoint
from dynapages.tables import create_missing
from tests.support.command_line import run_manage
from tests.support.comments.deciding import hide
from tests.support.comments.read_models import reading_by
from tests.support.comments.truth import START
from tests.support.project import PROJECT
from tests.support.sets.stored import expected_items, stored_items

pytestmark = [pytest.mark.slow, pytest.mark.real_engine, pytest.mark.usefixtures("streamed")]

MIB = 2**20
RUNTIME = """
import json, sys

sys.path.insert(0, sys.argv[1])
from comments.sets.handler import handler

for line in sys.stdin:
    print(json.dumps(handler(json.loads(line), None)), flush=True)
"""
"""Calls the handler with each event of a line, of what was packed and Python's own library."""


@pytest.fixture(scope="module")
def streamed(tables, engine_name):
    """The read model ``sets`` on tables of the module's own, with the stream."""
    models = [*settings.DYNAMODB_MODELS, "comments.sets.models.CommentSetItem"]
    with reading_by(SETS, engine_name=engine_name), override_settings(DYNAMODB_MODELS=models):
        create_missing([CommentSetItem], client=client())
        yield


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """What ``make lambda`` packs, of the environment that the tests run in."""
    path = tmp_path_factory.mktemp("lambda") / "function.zip"
    make = ["make", "--silent", "lambda", f"VENV={sys.prefix}", f"ZIP={path}"]
    result = subprocess.run(make, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    with ZipFile(path) as archive:
        yield archive


@pytest.fixture(scope="module")
def task(archive, tmp_path_factory):
    """The folder that Lambda unpacks the zip into."""
    folder = tmp_path_factory.mktemp("task")
    archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def function(streamed, task, tmp_path_factory):
    """The function, started, with the variables that the docs name and those of Lambda itself."""
    connection = current_connection()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-B", "-c", RUNTIME, str(task)],
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env={
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
            "DYNAMODB_ENDPOINT_URL": str(connection.endpoint_url),
            "AWS_REGION": connection.region,
            "AWS_ACCESS_KEY_ID": "local",
            "AWS_SECRET_ACCESS_KEY": "local",
            "LANG": "en_US.UTF-8",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        yield process
        assert process.stdin
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def invoke(function: subprocess.Popen[str], records: Sequence[Record]) -> list[str]:
    """Have the function apply an event; return the sequence numbers it reports."""
    assert function.stdin
    assert function.stdout
    function.stdin.write(json.dumps({"Records": records}, default=_seconds) + "\n")
    function.stdin.flush()
    answer = json.loads(function.stdout.readline())
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def _seconds(moment: Any) -> float:
    """A time as events have it."""
    seconds: float = moment.timestamp()
    return seconds


class Tape:
    """Records of the engine's stream, in its order, those of comments and those of copies."""

    def __init__(self) -> None:
        self._kept: dict[str, Checkpoint] = {}
        self._found: list[Record] = []
        self._walk = StreamWalk(
            api=build_streams_client(current_connection()),
            arn=stream_of(client(), TABLE),
            checkpoints=self,
            apply=self._found.extend,
            pause=0,
        )

    def load(self, stream: str, shard: str) -> Checkpoint:
        return self._kept.get(shard, Checkpoint())

    def save(self, stream: str, shard: str, checkpoint: Checkpoint) -> None:
        self._kept[shard] = checkpoint

    def since_last_time(self) -> list[Record]:
        self._found.clear()
        self._walk.drain()
        return [*self._found]


@pytest.fixture(scope="module")
def tape(streamed):
    """Records what is written to the table of the copies."""
    return Tape()


def kinds(records: Sequence[Mapping[str, Any]]) -> set[str]:
    return {record["eventName"] for record in records}


@pytest.fixture
def comments(fresh, tape):
    """Four comments, not copied yet."""
    tape.since_last_time()
    first = NewComment(
        id=fresh("comment"),
        product_id=fresh("product"),
        language="en",
        rating=5,
        created_at=START,
        title="Good",
        body="Words",
    )
    some = [first, *(replace(first, id=fresh("comment"), rating=n) for n in (1, 2, 3))]
    for comment in some:
        add_comment(comment)
    return some


def change(comments: list[NewComment]) -> None:
    """Edit the first twice, delete the second, hide the third, leave the fourth."""
    later = START + timedelta(days=1)
    edit_comment(load_comment(comments[0].id), now=later, rating=2)
    edit_comment(load_comment(comments[0].id), now=later, language="de", body="Wörter")
    delete_comment(comments[1].id, now=later)
    hide(comment_id=comments[2].id, now=later)


def assert_all_right(comments: list[NewComment]) -> None:
    """The copies are those of the comments, and the integrity check finds nothing."""
    numbers = [len(stored_items(comment.id)) for comment in comments]
    assert numbers == [32, 0, 0, 32]
    for comment in comments:
        assert stored_items(comment.id) == expected_items(comment.id)
    code, out, errors = run_manage("check_integrity", "--model", "sets")
    assert code == 0, out + errors


class TestTheZip:
    def test_is_of_a_size_that_lambda_takes(self, archive):
        """https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""
        entries = archive.infolist()
        assert sum(entry.compress_size for entry in entries) < 50 * MIB
        assert sum(entry.file_size for entry in entries) < 250 * MIB

    def test_has_no_compiled_code(self, archive):
        compiled = (".so", ".pyd", ".dylib", ".pyc")
        assert [name for name in archive.namelist() if name.endswith(compiled)] == []

    def test_depends_on_nothing_but_the_files(self, archive):
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
        assert {entry.external_attr >> 16 & 0o066 for entry in entries} == {0o044}
        folders = {entry.filename.partition("/")[0] for entry in entries}
        assert folders.isdisjoint({"bin", "tests", "var"})

    def test_runs_only_where_it_was_unpacked_as_the_document_says(self, archive):
        run = [sys.executable, "-I", "-S", "-B", "-c", RUNTIME, str(archive.filename)]
        environment = {"DJANGO_SETTINGS_MODULE": "config.settings"}
        packed = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
        assert "No translation files found" in packed.stderr
        document = (PROJECT / "docs" / "designs" / "sets.md").read_text()
        assert "Lambda unpacks the zip before it runs the function" in document


class TestTheFunction:
    def test_copies_what_is_written_changed_and_deleted(self, function, comments, tape):
        assert invoke(function, tape.since_last_time()) == []
        assert [len(stored_items(comment.id)) for comment in comments] == [32] * 4
        change(comments)
        told = tape.since_last_time()
        assert kinds(told) == {"INSERT", "MODIFY", "REMOVE"}
        assert invoke(function, told) == []
        assert_all_right(comments)

    def test_passes_over_the_records_of_its_own_copies(self, function, comments, tape):
        change(comments)
        assert invoke(function, tape.since_last_time()) == []
        assert invoke(function, tape.since_last_time()) == []
        assert tape.since_last_time() == []
        assert_all_right(comments)
