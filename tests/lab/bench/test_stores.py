"""Data sets in files of the engine, loaded once."""

from pathlib import Path
from shutil import copytree

import pytest

from config.running_demo import FileBusy, FileLock
from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from dynapages.lists import Page
from lab.bench.context import Stores
from lab.bench.data import CommentData
from lab.bench.pages import ListRead, WrongAnswer, require_answer
from tests.support.project import PROJECT

DATA = CommentData(50)


def stores_in(folder: Path) -> Stores:
    binary = find_dynoxide(PROJECT)
    if binary is None:
        pytest.skip("dynoxide is not installed")
    return Stores(folder, binary, Progress(shown=False))


def file_of(stores: Stores) -> Path:
    return stores.folder / f"{DATA.name}.db"


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    """A folder that holds the data."""
    folder = tmp_path_factory.mktemp("loaded")
    stores_in(folder).hold(DATA)
    return folder


@pytest.fixture
def stores(loaded, tmp_path):
    """The stores of a copy of that folder."""
    return stores_in(copytree(loaded, tmp_path / "copy"))


@pytest.mark.real_engine
class TestHoldingADataSet:
    def test_loads_it_once(self, stores):
        written = file_of(stores).stat().st_mtime_ns
        assert stores.hold(DATA).path.stat().st_mtime_ns == written

    def test_tells_how_it_was_loaded_also_later(self, stores):
        first = stores.hold(DATA, fresh=True)
        assert stores.hold(DATA) == first
        assert first.load["items"] == len(list(DATA.items()))

    def test_loads_it_again_when_the_items_are_others(self, stores):
        written = file_of(stores).stat().st_mtime_ns
        assert stores.hold(CommentData(50, seed=1)).path.stat().st_mtime_ns > written

    def test_loads_it_again_when_it_was_interrupted(self, stores):
        file_of(stores).with_suffix(".json").unlink()
        written = file_of(stores).stat().st_mtime_ns
        assert stores.hold(DATA).path.stat().st_mtime_ns > written

    def test_does_not_replace_a_file_that_is_in_use(self, stores):
        with FileLock(file_of(stores)), pytest.raises(FileBusy):
            stores.hold(DATA, fresh=True)


def test_a_page_that_holds_something_else_is_not_measured():
    read = ListRead("all", Page((), has_next=False, has_previous=False, rounds=1, reads=()))
    with pytest.raises(WrongAnswer, match="page 1"):
        require_answer(read, ["2024-01-01T00:00:00.000000Z#1"], name="page 1")
