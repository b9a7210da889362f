"""What is packed for AWS Lambda: the same bytes each time, of verified files, within the limits."""

import os
from importlib.metadata import version
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest

from config.infrastructure.lambda_zip import MIB, CannotPack, Packed, write_zip
from tests.support.command_line import run_manage

RECORD = (
    "whole.py,sha256=uKgyxu4u8L732nBDSLp-Say1Gx3I-OvKGVosooBuXK8,10\nwhole-1.0.dist-info/RECORD,,\n"
)
"""What its installer wrote of ``whole``: a file and its hash, and itself without one."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A checkout with two packages, and no requirement."""
    for name, text in {
        "comments/sets.py": "copies = 31\n",
        "shop/words.toml": "a = 1\n",
        "shop/__pycache__/models.pyc": "compiled",
        "tests/test_sets.py": "",
        "requirements-production.txt": "# nothing\n",
    }.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder from which ``whole`` 1.0 is installed, a module of its own."""
    folder = tmp_path / "installed"
    (folder / "whole-1.0.dist-info").mkdir(parents=True)
    (folder / "whole.py").write_text("whole = 1\n")
    (folder / "whole-1.0.dist-info/METADATA").write_text("Name: whole\nVersion: 1.0\n")
    (folder / "whole-1.0.dist-info/RECORD").write_text(RECORD)
    monkeypatch.syspath_prepend(folder)
    return folder


def pin(project: Path, requirement: str) -> None:
    (project / "requirements-production.txt").write_text(f"{requirement} \\\n    --hash=sha256:0\n")


def packed(project: Path) -> bytes:
    target = BytesIO()
    write_zip(target, project=project)
    return target.getvalue()


def names_in(project: Path) -> list[str]:
    return ZipFile(BytesIO(packed(project))).namelist()


class TestTheZip:
    def test_holds_the_packages_and_nothing_beside_them(self, project):
        assert names_in(project) == ["comments/sets.py", "shop/words.toml"]

    def test_is_the_same_of_the_same_files(self, project):
        before = packed(project)
        os.utime(project / "comments/sets.py", (1, 1))
        (project / "shop/words.toml").chmod(0o600)
        assert packed(project) == before

    def test_holds_what_is_required_without_the_installers_files(self, project, installed):
        pin(project, "whole==1.0")
        assert names_in(project) == ["comments/sets.py", "shop/words.toml", "whole.py"]

    def test_leaves_out_what_is_required_elsewhere(self, project):
        pin(project, "whole==1.0 ; sys_platform == 'win32'")
        assert names_in(project) == ["comments/sets.py", "shop/words.toml"]

    def test_leaves_out_what_the_function_does_not_need(self, project):
        pin(project, "numpy==2.4.6 ; python_full_version < '4'")
        assert names_in(project) == ["comments/sets.py", "shop/words.toml"]


class TestWhatIsInstalled:
    def test_is_refused_when_it_was_changed(self, project, installed):
        pin(project, "whole==1.0")
        (installed / "whole.py").write_text("whole = 2")
        with pytest.raises(CannotPack, match=r"^whole\.py of whole==1\.0 was changed: pip install"):
            packed(project)

    def test_is_refused_when_a_file_is_missing(self, project, installed):
        pin(project, "whole==1.0")
        (installed / "whole.py").unlink()
        with pytest.raises(CannotPack, match=r"^whole\.py of whole==1\.0 is missing"):
            packed(project)

    def test_is_refused_in_another_version(self, project, installed):
        pin(project, "whole==1.1")
        with pytest.raises(CannotPack, match=r"^whole==1\.1 is needed, 1\.0 is installed"):
            packed(project)

    def test_is_refused_when_it_is_not_there(self, project):
        pin(project, "whole==1.0")
        with pytest.raises(CannotPack, match=r"^whole==1\.0 is not installed"):
            packed(project)

    def test_is_refused_when_it_has_compiled_code(self, project):
        pin(project, f"markupsafe=={version('markupsafe')}")
        with pytest.raises(CannotPack, match=r"has compiled code, markupsafe/.*\.so"):
            packed(project)


class TestTheLimits:
    def test_are_kept_by_what_is_small(self):
        Packed(zipped=50 * MIB, unzipped=250 * MIB, files=9).check()

    def test_hold_for_the_zip(self):
        with pytest.raises(CannotPack, match=r"^50\.5 MiB zipped are more than Lambda .*: 50 MiB"):
            Packed(zipped=50 * MIB + MIB // 2, unzipped=60 * MIB, files=9).check()

    def test_hold_for_what_is_in_it(self):
        with pytest.raises(CannotPack, match=r"^251\.0 MiB unzipped are more"):
            Packed(zipped=49 * MIB, unzipped=251 * MIB, files=9).check()


class TestTheCommand:
    def test_leaves_no_file_when_it_cannot_pack(self, project, tmp_path, settings):
        settings.BASE_DIR = project
        pin(project, "whole==1.0")
        code, _, err = run_manage("package_lambda", "--output", tmp_path / "out" / "function.zip")
        assert code == 1
        assert "whole==1.0 is not installed" in err
        assert list((tmp_path / "out").iterdir()) == []

    def test_tells_the_sizes(self, project, tmp_path, settings):
        settings.BASE_DIR = project
        code, out, _ = run_manage("package_lambda", "--output", tmp_path / "function.zip")
        assert code == 0
        assert "function.zip: 0.0 MiB zipped, 0.0 MiB unzipped, 2 files." in out
