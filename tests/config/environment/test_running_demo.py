import os
from pathlib import Path

from config.environment.running_demo import RunningDemo, announced, find_demo, note_path
from dynamo.engine.lock import FileLock

DEMO = RunningDemo(
    endpoint_url="http://127.0.0.1:8001", table_prefix="shop-", region="eu-west-1", port=8000
)


class TestFindDemo:
    def test_finds_the_one_that_runs(self, tmp_path: Path) -> None:
        with FileLock(note_path(tmp_path)), announced(DEMO, var=tmp_path):
            assert find_demo(tmp_path) == DEMO
            assert DEMO.pid == os.getpid()

    def test_finds_none_that_has_stopped(self, tmp_path: Path) -> None:
        with FileLock(note_path(tmp_path)), announced(DEMO, var=tmp_path):
            pass
        assert find_demo(tmp_path) is None

    def test_finds_none_that_was_killed_and_could_not_take_its_note_away(
        self, tmp_path: Path
    ) -> None:
        with announced(DEMO, var=tmp_path):
            assert note_path(tmp_path).exists()
            assert find_demo(tmp_path) is None

    def test_finds_none_that_is_just_starting(self, tmp_path: Path) -> None:
        with FileLock(note_path(tmp_path)):
            assert find_demo(tmp_path) is None

    def test_finds_none_where_there_never_was_one(self, tmp_path: Path) -> None:
        assert find_demo(tmp_path / "nowhere") is None
