"""What the wheel and the sdist hold; where these tests lie in an sdist, and its wheel is installed.

In a checkout nothing is installed: `.ci/package` runs these.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

SDIST = Path(__file__).resolve().parents[2]
LIBRARY = SDIST / "dynapages"
ONLY_IN_THE_SDIST = {"tests", "examples", "docs"}
HELD = {".py", ".toml", ".typed", ".html", ".jinja", ".css", ".js", ".po", ".mo"}

pytestmark = pytest.mark.skipif(
    not (SDIST / "PKG-INFO").exists(), reason="this is no sdist: .ci/package builds one"
)


@pytest.fixture
def wheel():
    try:
        return distribution("dynapages")
    except PackageNotFoundError:
        pytest.skip("dynapages is not installed")


class TestTheWheel:
    def test_holds_the_library_and_nothing_else(self, wheel):
        folders = {file.parts[0] for file in wheel.files if ".." not in file.parts}
        assert folders == {"dynapages", f"dynapages-{wheel.version}.dist-info"}

    def test_holds_each_file_of_the_sdist_but_no_test_and_no_example(self, wheel):
        held = {str(file) for file in wheel.files if file.suffix in HELD}
        files = (file for file in LIBRARY.rglob("*") if file.suffix in HELD)
        paths = {file.relative_to(SDIST) for file in files}
        assert held == {str(p) for p in paths if p.parts[1] not in ONLY_IN_THE_SDIST}

    def test_is_typed_and_has_its_licence(self, wheel):
        assert {"py.typed", "LICENSE"} <= {file.name for file in wheel.files}
        assert wheel.metadata["License-Expression"] == "MIT"

    def test_needs_botocore_and_its_http_alone(self, wheel):
        needed = [line for line in wheel.requires if "extra ==" not in line]
        assert [line.partition(">")[0] for line in needed] == ["botocore", "urllib3"]

    def test_has_an_extra_for_each_adapter(self, wheel):
        extras = set(wheel.metadata.get_all("Provides-Extra"))
        assert extras == {"django", "drf", "engine", "ninja", "pynamodb"}


class TestTheSdist:
    def test_holds_nothing_of_the_shop(self):
        names = {path.name for path in SDIST.iterdir()} - {".pytest_cache", ".hypothesis"}
        assert names == {".gitignore", "LICENSE", "PKG-INFO", "dynapages", "pyproject.toml"}

    def test_holds_the_tests_the_examples_and_the_documents(self):
        assert ONLY_IN_THE_SDIST | {"README.md", "CHANGELOG.md"} <= {
            path.name for path in LIBRARY.iterdir()
        }
