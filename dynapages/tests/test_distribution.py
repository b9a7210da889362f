"""What the wheel and the sdist hold; where these tests lie in an sdist, and its wheel is installed.

In a checkout nothing is installed: `.ci/package` runs these.
"""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

SDIST = Path(__file__).resolve().parents[2]
LIBRARY = SDIST / "dynapages"
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
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


class TestTheDescription:
    """The README, as an index shows it."""

    @pytest.fixture
    def links(self, wheel):
        return LINK.findall(wheel.metadata["Description"] or wheel.metadata.get_payload())

    @pytest.fixture
    def addresses(self, wheel):
        pairs = (one.split(", ") for one in wheel.metadata.get_all("Project-URL"))
        return dict(pairs)

    def test_has_links_that_lead_somewhere_from_anywhere(self, links):
        assert links
        assert [link for link in links if not link.startswith("https://")] == []

    def test_links_pages_of_the_site_that_are_made_of_a_document(self, links, addresses):
        site = addresses["Documentation"]
        pages = {link.removeprefix(site) for link in links if link.startswith(site)}
        names = {page.partition(".html")[0] for page in pages}
        assert {"keys", "costs", "names"} <= names
        assert [name for name in names if not (LIBRARY / "docs" / f"{name}.md").exists()] == []

    def test_links_files_of_the_repository_at_the_tag_of_the_version(self, links, addresses, wheel):
        repository = addresses["Repository"]
        files = {link for link in links if link.startswith(repository)}
        tagged = f"{repository}/blob/v{wheel.version}/"
        assert files
        paths = [file.removeprefix(tagged) for file in files]
        assert [path for path in paths if not (SDIST / path).exists()] == []


class TestTheSdist:
    def test_holds_nothing_of_the_shop(self):
        names = {path.name for path in SDIST.iterdir()} - {".pytest_cache", ".hypothesis"}
        assert names == {".gitignore", "LICENSE", "PKG-INFO", "dynapages", "pyproject.toml"}

    def test_holds_the_tests_the_examples_and_the_documents(self):
        assert ONLY_IN_THE_SDIST | {"README.md", "CHANGELOG.md"} <= {
            path.name for path in LIBRARY.iterdir()
        }
