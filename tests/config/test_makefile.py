"""What ``make`` installs for a visitor, and for who tests: looked at without doing it."""

import os
import shutil
import subprocess

import pytest

from tests.support.engine_plugin import PATIENCE
from tests.support.project import PROJECT

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")

FILES = ["Makefile", "package-lock.json", "requirements.txt", "requirements-development.txt"]


@pytest.fixture
def commands(tmp_path):
    """The commands that make would run in a clean clone, for a target."""
    for name in FILES:
        shutil.copy(PROJECT / name, tmp_path)

    def commands(target: str) -> str:
        environment = {"PATH": os.environ["PATH"], "VENV": str(tmp_path / "venv")}
        return subprocess.run(
            ["make", "--dry-run", target],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        ).stdout

    return commands


def test_the_shop_opens_without_the_tools_of_tests_and_lint(commands):
    printed = commands("run")
    assert "--requirement requirements.txt" in printed
    assert "requirements-development.txt" not in printed
    assert "npm ci --omit=dev" in printed


def test_the_shop_says_that_it_is_installed_and_prints_no_list_of_packages(commands):
    printed = commands("run")
    assert 'echo "Installing what the shop needs' in printed
    assert "uv pip install --quiet" in printed
    assert "pip install --quiet" in printed


@pytest.mark.parametrize("target", ["install", "test", "lint"])
def test_tests_and_lint_bring_their_tools(commands, target):
    printed = commands(target)
    assert "--requirement requirements-development.txt" in printed
    assert "--requirement requirements.txt" not in printed
    assert "--omit=dev" not in printed


def test_the_shop_is_installed_once_where_the_tools_are(commands, tmp_path):
    for folder in ("venv", "node_modules"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / ".installed").touch()
    assert "pip install" not in commands("run")
