"""The README's pictures."""

import pytest

from tests.support.config.environments import run_python
from tests.support.project import PROJECT


def test_taking_them_says_in_one_line_that_there_is_no_browser(tmp_path):
    result = run_python("-m", "demo.screenshot", tmp_path / "docs", PATH=str(tmp_path))
    assert result.returncode == 1
    assert result.stderr.startswith("Chromium is not installed here")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "docs").exists()


@pytest.mark.parametrize("name", ["screenshot", "screenshot-dark", "screenshot-phone"])
def test_they_are_light_enough_for_a_readme(name):
    assert 20_000 < (PROJECT / "docs" / f"{name}.png").stat().st_size < 300_000
