"""The lock of a file, and the note of the demo that runs."""

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from config.running_demo import (
    FileBusy,
    FileLock,
    RunningDemo,
    announced,
    demo_path,
    find_demo,
)
from dynapages.engine.child import Child
from dynapages_testing.processes import dies, is_alive
from tests.support.config.environments import settings_of
from tests.support.project import PROJECT

SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child's life")

STARTER = """
import sys, time
from pathlib import Path
from dynapages.engine.server import Child
from config.running_demo import FileLock

lock = FileLock(Path(sys.argv[1]))
lock.acquire()
child = Child([sys.executable, "-c", "import time; time.sleep(600)"], keep_open=[lock.fileno()])
print(child.pid, flush=True)
time.sleep(600)
"""


@on_linux
def test_nobody_holds_it_when_its_starter_was_killed(tmp_path):
    command = [sys.executable, "-c", STARTER, str(tmp_path / "data")]
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout
        child = int(starter.stdout.readline())
        assert is_alive(child)
        starter.kill()
    assert dies(child)
    assert not FileLock(tmp_path / "data").held_by_someone()


class TestTheLock:
    def test_keeps_a_second_one_out(self, tmp_path):
        with FileLock(tmp_path / "data"), pytest.raises(FileBusy, match="is in use by another run"):
            FileLock(tmp_path / "data").acquire(patience=0)

    def test_lets_the_next_one_in_when_released(self, tmp_path):
        for _ in range(2):
            with FileLock(tmp_path / "data") as lock:
                assert lock.held_by_someone()
        assert not lock.held_by_someone()

    def test_is_held_for_as_long_as_a_child_has_it(self, tmp_path):
        lock = FileLock(tmp_path / "data")
        lock.acquire()
        child = Child(SLEEP, keep_open=[lock.fileno()])
        lock.release()
        assert lock.held_by_someone()
        child.stop()
        assert not lock.held_by_someone()


DEMO = RunningDemo(
    endpoint_url="http://127.0.0.1:8001",
    table_prefix="shop-",
    region="eu-west-1",
    port=8000,
    sign_in=["alex", "sam", "open"],
)


class TestTheRunningDemo:
    def test_is_found_until_it_stops(self, tmp_path):
        with FileLock(demo_path(tmp_path)), announced(DEMO, var=tmp_path):
            assert find_demo(tmp_path) == DEMO
            assert DEMO.pid == os.getpid()
        assert find_demo(tmp_path) is None

    def test_is_none_that_was_killed_and_could_not_take_its_note_away(self, tmp_path):
        with announced(DEMO, var=tmp_path):
            assert demo_path(tmp_path).exists()
            assert find_demo(tmp_path) is None

    @pytest.mark.parametrize(
        ("environment", "options"),
        [
            ({}, {"SEARCH": True, "TOPICS": True}),
            ({"COMMENT_TOPICS": "0"}, {"SEARCH": True, "TOPICS": False}),
            ({"COMMENT_SEARCH": "0"}, {"SEARCH": False, "TOPICS": False}),
        ],
    )
    def test_says_what_commands_find_where_no_variable_says_it(
        self, tmp_path, environment, options
    ):
        with_topics = replace(DEMO, has_search=True, has_topics=True)
        with FileLock(demo_path(tmp_path)), announced(with_topics, var=tmp_path):
            comments = settings_of(tmp_path, DEBUG="1", **environment)["COMMENTS"]
        assert {option: comments[option] for option in options} == options

    def test_is_none_that_is_just_starting(self, tmp_path):
        with FileLock(demo_path(tmp_path)):
            assert find_demo(tmp_path) is None

    def test_is_none_where_there_never_was_one(self, tmp_path):
        assert find_demo(tmp_path / "nowhere") is None
