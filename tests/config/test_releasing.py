"""`.ci/release.py` refuses to publish what a release must not be; what versions promise is so."""

import io
import subprocess
import sys
import tarfile
import tomllib
import zipfile

import pytest

from tests.support.project import PROJECT

REPOSITORY = "https://git.example/them/shop"
METADATA = """\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Project-URL: Homepage, https://elsewhere.example/
Project-URL: Repository, {repository}
Author-email: The authors <{address}>
{needs}
What it is.
"""
CHANGELOG = "# Changelog\n\n## Unreleased\n\n{unreleased}## 1.2.0 - 2027-01-31\n\n- More.\n"
GOOD = {
    "version": "1.2.0",
    "repository": REPOSITORY,
    "address": "us@shop.test",
    "needs": "",
    "unreleased": "",
}


class Checkout:
    """A folder with the program, two changelogs and built distributions."""

    def __init__(self, folder):
        self.folder = folder
        for inner in (".ci", "dynapages", "dist"):
            (folder / inner).mkdir()
        source = (PROJECT / ".ci" / "release.py").read_text()
        (folder / ".ci" / "release.py").write_text(source)

    def build(self, **changes):
        """Write changelogs, and a wheel and an sdist of both distributions."""
        values = GOOD | changes
        changelog = CHANGELOG.format_map(values)
        (self.folder / "CHANGELOG.md").write_text(changelog)
        (self.folder / "dynapages" / "CHANGELOG.md").write_text(changelog)
        self._write("dynapages", {**values, "needs": ""})
        self._write("dynapages-comments", values)

    def _write(self, name, values):
        metadata = METADATA.format(name=name, **values)
        stem = f"{name.replace('-', '_')}-{values['version']}"
        with zipfile.ZipFile(self.folder / "dist" / f"{stem}-py3-none-any.whl", "w") as wheel:
            wheel.writestr(f"{stem}.dist-info/METADATA", metadata)
        with tarfile.open(self.folder / "dist" / f"{stem}.tar.gz", "w:gz") as sdist:
            entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
            entry.size = len(metadata)
            sdist.addfile(entry, io.BytesIO(metadata.encode()))

    def says(self, tag="v1.2.0"):
        """Run the program; return its sentences."""
        ended = subprocess.run(
            [sys.executable, ".ci/release.py", tag, REPOSITORY, "dist"],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.stderr == ""
        sentences = ended.stdout.splitlines()
        assert ended.returncode == bool(sentences)
        return sentences


@pytest.fixture
def checkout(tmp_path):
    return Checkout(tmp_path)


def test_a_release_that_is_in_order_may_be_published(checkout):
    checkout.build(needs="Requires-Dist: dynapages[django,pynamodb]==1.2.0\n")
    assert checkout.says() == []


@pytest.mark.parametrize(
    ("changes", "files", "sentence"),
    [
        ({"version": "1.1.0"}, 4, "has the version 1.1.0, and the tag says 1.2.0."),
        (
            {"repository": "https://git.example/others/shop"},
            4,
            f"names the repository https://git.example/others/shop, and this is {REPOSITORY}.",
        ),
        ({"address": "us@shop.example"}, 4, "has an author's address where no mail arrives"),
        (
            {"needs": "Requires-Dist: dynapages[django]==1.1.0\n"},
            2,
            "needs another version of the library: dynapages[django]==1.1.0.",
        ),
        ({"unreleased": "- A change.\n\n"}, 2, "has changes below “Unreleased”"),
    ],
    ids=["version", "repository", "address", "library", "changelog"],
)
def test_each_obstacle_is_named(checkout, changes, files, sentence):
    checkout.build(**changes)
    said = checkout.says()
    assert [sentence in line for line in said] == [True] * files


def test_a_version_without_a_date_in_the_changelogs_is_refused(checkout):
    checkout.build(version="1.3.0")
    assert checkout.says("v1.3.0") == [
        f"{name} has no heading “## 1.3.0 - ” with the date of the release."
        for name in ("CHANGELOG.md", "dynapages/CHANGELOG.md")
    ]


def test_a_distribution_that_was_not_built_is_missed(checkout):
    checkout.build()
    for path in (checkout.folder / "dist").glob("dynapages_comments-*.whl"):
        path.unlink()
    assert checkout.says() == ["dist has no .whl of dynapages-comments."]


class TestWhatIsSupported:
    @pytest.fixture
    def classifiers(self):
        return tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["classifiers"]

    def rows(self):
        document = (PROJECT / "dynapages" / "docs" / "releases.md").read_text()
        cells = (row.strip("| ").split(" | ") for row in document.splitlines() if "| " in row)
        return {cell[0]: cell[1] for cell in cells if len(cell) == 2}

    def test_are_the_pythons_of_the_metadata(self, classifiers):
        pythons = [one.rpartition(" ")[2] for one in classifiers if "Python :: 3." in one]
        assert self.rows()["CPython"].startswith(f"{pythons[0]} to {pythons[-1]},")

    def test_are_the_djangos_of_the_metadata(self, classifiers):
        djangos = [one.rpartition(" ")[2] for one in classifiers if "Django :: " in one]
        assert self.rows()["Django"].startswith(f"{djangos[0]} to {djangos[-1]},")
