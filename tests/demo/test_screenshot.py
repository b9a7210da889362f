"""The README's pictures, and its film."""

import pytest

from tests.support.config.environments import run_python
from tests.support.project import PROJECT

SIZES = {
    "screenshot.png": (20_000, 400_000),
    "screenshot-dark.png": (20_000, 400_000),
    "film.webp": (200_000, 2_000_000),
}


def test_taking_them_says_in_one_line_that_there_is_no_browser(tmp_path):
    result = run_python("-m", "demo.screenshot", tmp_path / "docs", PATH=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("Chromium is not installed here")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "docs").exists()


def test_the_film_says_in_one_line_that_there_is_no_ffmpeg(tmp_path):
    (tmp_path / "chromium").touch(mode=0o755)
    command = ("-m", "demo.screenshot", "--film", tmp_path / "docs")
    result = run_python(*command, PATH=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("ffmpeg is not installed here")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", SIZES)
def test_they_are_light_enough_for_a_readme(name):
    least, most = SIZES[name]
    assert least < (PROJECT / "docs" / name).stat().st_size < most
