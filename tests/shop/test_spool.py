"""Files of what a process could not write: whole, private, and taken by one process."""

from pathlib import Path
from stat import S_IMODE

import pytest

from shop.spool import Spool


@pytest.fixture
def files(tmp_path):
    return Spool(lambda: tmp_path / "var", name="test", dump=str, load=int)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


class TestAFile:
    def test_is_read_as_it_was_written_once(self, files, tmp_path):
        files.save([1, 2, 3])
        assert list(files.load_all()) == [[1, 2, 3]]
        assert list(files.load_all()) == []
        assert names(tmp_path) == []

    def test_is_its_owners_alone(self, files):
        assert S_IMODE(files.save([1]).stat().st_mode) == 0o600

    def test_is_beside_that_of_another_process_of_the_same_number(self, files):
        for number in (1, 2):
            files.save([number])
        assert sorted(files.load_all()) == [[1], [2]]

    def test_is_not_left_in_part(self, files, tmp_path):
        def values():
            yield 1
            raise OSError(28, "No space left on device")

        with pytest.raises(OSError, match="No space"):
            files.save(values())
        assert names(tmp_path) == []

    def test_stays_until_its_values_were_taken_over(self, files, tmp_path):
        files.save([1])
        taking = files.load_all()
        next(taking)
        assert len(names(tmp_path)) == 1

    def test_is_taken_by_one_of_two_processes(self, files):
        files.save([1])
        first, second = files.load_all(), files.load_all()
        assert [list(second), next(first, None)] == [[[1]], None]

    def test_is_left_to_another_process_that_has_just_taken_it(self, files, monkeypatch):
        path = files.save([1])
        monkeypatch.setattr(Path, "glob", lambda *_: [path])
        first, second = files.load_all(), files.load_all()
        assert [next(first), next(second, None)] == [[1], None]

    def test_that_cannot_be_read_is_kept_aside(self, files, tmp_path):
        files.save([1]).write_text("one\n")
        with pytest.raises(ValueError, match="one"):
            list(files.load_all())
        assert [Path(name).suffix for name in names(tmp_path)] == [".taken"]
        assert list(files.load_all()) == []
