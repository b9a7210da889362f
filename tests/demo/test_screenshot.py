"""The README's pictures."""

from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command


class TestScreenshotCommand:
    def test_says_in_one_line_that_there_is_no_browser(self, monkeypatch, tmp_path: Path):
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CommandError, match="Chromium is not installed here") as failure:
            call_command("screenshot", "--folder", str(tmp_path / "docs"))
        assert "\n" not in str(failure.value)
        assert not (tmp_path / "docs").exists()


class TestThePictures:
    @pytest.mark.parametrize("name", ["screenshot", "screenshot-dark", "screenshot-phone"])
    def test_are_light_enough_for_a_readme(self, name):
        assert 20_000 < (settings.BASE_DIR / "docs" / f"{name}.png").stat().st_size < 300_000
