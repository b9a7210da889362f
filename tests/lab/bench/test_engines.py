"""Data sets in files of the engine, loaded once."""

from pathlib import Path

import pytest

from config.running_demo import FileBusy, FileLock
from lab.bench.data import CommentData
from lab.bench.engines import data_file
from tests.support.lab.labs import QUIET

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("dynoxide")]

DATA = CommentData(50)


@pytest.fixture
def loaded(settings, tmp_path) -> Path:
    settings.VAR_DIR = tmp_path
    return data_file(DATA, fresh=False, progress=QUIET)


def written_again(data: CommentData, path: Path, *, fresh: bool = False) -> bool:
    before = path.stat().st_mtime_ns
    return data_file(data, fresh=fresh, progress=QUIET).stat().st_mtime_ns > before


class TestAFileOfData:
    def test_is_made_once(self, loaded):
        assert not written_again(DATA, loaded)

    def test_is_made_again_when_it_is_to_be_fresh(self, loaded):
        assert written_again(DATA, loaded, fresh=True)

    def test_is_made_again_when_the_items_are_others(self, loaded):
        assert written_again(CommentData(50, seed=1), loaded)

    def test_is_made_again_when_it_was_interrupted(self, loaded):
        loaded.with_suffix(".json").unlink()
        assert written_again(DATA, loaded)

    def test_is_not_replaced_while_it_is_in_use(self, loaded):
        with FileLock(loaded), pytest.raises(FileBusy):
            data_file(DATA, fresh=True, progress=QUIET)
