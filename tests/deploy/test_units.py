"""The units of deploy/systemd are understood by systemd, start what exists, and may do little."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.support.project import PROJECT

UNITS = PROJECT / "deploy" / "systemd"
SERVICES = sorted(path.name for path in UNITS.glob("*.service"))
MOST_EXPOSED = 15
"""Tenths: what ``systemd-analyze security`` calls fine ends at 4.9."""


def started() -> dict[str, list[str]]:
    """What each service starts, in words."""
    return {
        name: re.findall(r"^ExecStart=(.*)$", (UNITS / name).read_text(), re.MULTILINE)[0].split()
        for name in SERVICES
    }


@pytest.fixture
def installed(tmp_path):
    """The units, of a shop that is installed in a folder of the test's own."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    shop = tmp_path / "shop"
    (shop / ".venv/bin").mkdir(parents=True)
    for program in ("python", "gunicorn"):
        (shop / ".venv/bin" / program).touch(mode=0o755)
    shutil.copytree(PROJECT / "docs", shop / "docs")
    folder = tmp_path / "units"
    shutil.copytree(UNITS, folder)
    for path in folder.rglob("*.*"):
        if path.is_file():
            path.write_text(path.read_text().replace("/srv/shop", str(shop)))
    return folder


def analyse(*arguments: str, folder: Path) -> tuple[int, str]:
    ended = subprocess.run(
        ["systemd-analyze", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stdout + ended.stderr


class TestTheUnits:
    def test_are_understood(self, installed):
        names = sorted(path.name for path in installed.iterdir() if path.is_file())
        assert analyse("verify", *names, folder=installed) == (0, "")

    @pytest.mark.parametrize("name", SERVICES)
    def test_may_do_little(self, installed, name):
        threshold = f"--threshold={MOST_EXPOSED}"
        code, out = analyse("security", "--offline=true", threshold, f"./{name}", folder=installed)
        assert code == 0, out

    def test_start_commands_that_exist(self):
        for name, words in started().items():
            assert words[0].startswith("/srv/shop/.venv/bin/"), name
            if words[1] == "manage.py":
                assert words[2] in get_commands(), name
            else:
                assert (PROJECT / words[words.index("--config") + 1]).is_file(), name

    def test_of_a_timer_has_its_service(self):
        timers = {path.stem for path in UNITS.glob("*.timer")}
        once = {name for name in SERVICES if "Type=oneshot" in (UNITS / name).read_text()}
        assert {f"{timer}.service" for timer in timers} == once
