"""The app as a distribution of its own: one version with the library, and its tests pass alone."""

import os
import subprocess
import sys
import tomllib

import dynapages
from tests.support.project import PROJECT

COMMENTS = PROJECT / "comments"
TESTS = COMMENTS / "tests"
PLUGINS = ("pytest_django.plugin", "dynapages.engine.pytest_plugin")
"""What an environment brings along in which the app is installed with its extra ``testing``."""


def metadata():
    return tomllib.loads((COMMENTS / "pyproject.toml").read_text())["project"]


class TestTheDistribution:
    def test_has_the_version_of_the_library(self):
        assert metadata()["version"] == dynapages.__version__

    def test_needs_the_library_of_its_version(self):
        extras = metadata()["optional-dependencies"]
        needed = [*metadata()["dependencies"], *extras["api"], *extras["testing"]]
        versions = [one.partition("==")[2] for one in needed if one.startswith("dynapages[")]
        assert versions == [dynapages.__version__] * 3

    def test_has_the_licence_of_the_repository(self):
        assert (COMMENTS / "LICENSE").read_text() == (PROJECT / "LICENSE").read_text()

    def test_passes_its_own_tests_in_a_project_of_their_own(self):
        """In another process, as Django reads its settings once."""
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        for plugin in PLUGINS:
            command += ["-p", plugin]
        ended = subprocess.run(
            [*command, "-c", TESTS / "standalone.ini", TESTS],
            cwd=PROJECT,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(PROJECT),
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
