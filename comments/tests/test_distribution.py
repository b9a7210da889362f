"""What the wheel and the sdist hold; where these tests lie in an sdist, and its wheel is installed.

In a checkout nothing is installed: `.ci/package` runs these.
"""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

SDIST = Path(__file__).resolve().parents[1]
HELD = {".py", ".toml", ".typed", ".html", ".jinja", ".css", ".txt", ".po", ".mo"}
NOT_OF_THE_PACKAGE = {"pyproject.toml", "tests"}

pytestmark = pytest.mark.skipif(
    not (SDIST / "PKG-INFO").exists(), reason="this is no sdist: .ci/package builds one"
)


@pytest.fixture
def wheel():
    try:
        return distribution("dynapages-comments")
    except PackageNotFoundError:
        pytest.skip("dynapages-comments is not installed")


class TestTheWheel:
    def test_holds_the_app_and_nothing_else(self, wheel):
        folders = {file.parts[0] for file in wheel.files if ".." not in file.parts}
        assert folders == {"comments", f"dynapages_comments-{wheel.version}.dist-info"}

    def test_holds_each_file_of_the_sdist_but_no_test(self, wheel):
        of_the_wheel = {
            file.relative_to("comments").as_posix()
            for file in wheel.files
            if file.parts[0] == "comments" and "__pycache__" not in file.parts
        }
        paths = [path.relative_to(SDIST) for path in SDIST.rglob("*") if path.suffix in HELD]
        of_the_sdist = {p.as_posix() for p in paths if p.parts[0] not in NOT_OF_THE_PACKAGE}
        assert of_the_wheel == of_the_sdist

    def test_is_typed_and_has_its_licence(self, wheel):
        assert {"py.typed", "LICENSE"} <= {file.name for file in wheel.files}
        assert wheel.metadata["License-Expression"] == "MIT"

    def test_needs_the_library_of_its_own_version(self, wheel):
        assert wheel.version == distribution("dynapages").version
        needed = [line for line in wheel.requires if line.startswith("dynapages[django")]
        assert [line.partition("==")[2] for line in needed] == [wheel.version]

    def test_has_an_extra_for_the_api_and_one_for_tests(self, wheel):
        assert set(wheel.metadata.get_all("Provides-Extra")) == {"api", "testing"}

    def test_has_no_link_in_its_page_that_leads_nowhere_outside_the_repository(self, wheel):
        page = wheel.metadata.get_payload()
        links = [part.partition(")")[0] for part in page.split("](")[1:]]
        assert links
        assert [link for link in links if not link.startswith("https://")] == []


class TestTheSdist:
    def test_holds_the_tests_and_their_project(self):
        assert (SDIST / "tests" / "standalone.ini").is_file()
        assert (SDIST / "tests" / "sample_project" / "templates" / "base.html").is_file()

    def test_holds_no_other_package_of_the_repository(self):
        assert {"config", "demo", "dynapages", "shop"} & {
            each.name for each in SDIST.iterdir()
        } == set()
