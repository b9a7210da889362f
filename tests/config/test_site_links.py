"""`.ci/site_links.py` finds what is wrong with a built site of the library's documents."""

import subprocess
import sys
import tomllib

import pytest

from tests.support.project import PROJECT

ADDRESS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]["urls"][
    "Documentation"
]
PAGE = """\
<!DOCTYPE html><html lang="en"><head><title>A page</title>{head}</head>
<body><h1 id="heading">A page</h1>{body}</body></html>
"""
DESCRIPTION = '<meta name="description" content="What it is about.">'


class BuiltSite:
    """A folder with two pages, and the lists for programs that read."""

    def __init__(self, folder):
        self.folder = folder
        self.write("other.html")
        for name in ("llms.txt", "llms-full.txt"):
            (folder / name).write_text(f"- [Other]({ADDRESS}other.html)\n")

    def write(self, name, *, head=DESCRIPTION, body=""):
        (self.folder / name).write_text(PAGE.format(head=head, body=body))

    def faults(self):
        """Return the lines that the program prints of what is wrong."""
        ended = subprocess.run(
            [sys.executable, PROJECT / ".ci" / "site_links.py", self.folder],
            capture_output=True,
            check=False,
            text=True,
            timeout=60,
        )
        assert ended.stderr == ""
        lines = ended.stdout.splitlines()
        return lines if ended.returncode else []


@pytest.fixture
def site(tmp_path):
    return BuiltSite(tmp_path)


class TestASite:
    @pytest.mark.parametrize(
        "target", ["other.html", "other.html#heading", "#heading", "https://elsewhere.test/a"]
    )
    def test_may_link_to_its_pages_and_elsewhere(self, site, target):
        site.write("index.html", body=f'<a href="{target}">there</a>')
        assert site.faults() == []

    def test_has_no_link_to_a_page_that_is_not_there(self, site):
        site.write("index.html", body='<a href="gone.html">there</a>')
        assert site.faults() == ["index.html links to gone.html, which is not there."]

    def test_has_no_link_to_an_anchor_that_is_not_there(self, site):
        site.write("index.html", body='<a href="other.html#gone">there</a>')
        (fault,) = site.faults()
        assert fault == "index.html links to other.html#gone: the page has no such anchor."

    def test_has_no_dead_link_at_its_own_address(self, site):
        site.write("index.html", body=f'<a href="{ADDRESS}gone.html">there</a>')
        (fault,) = site.faults()
        assert fault.endswith("gone.html, which is not there.")

    @pytest.mark.parametrize(
        "tag",
        [
            '<script src="https://elsewhere.test/a.js"></script>',
            '<img src="//elsewhere.test/a.png">',
            '<link rel="stylesheet" href="https://elsewhere.test/a.css">',
        ],
    )
    def test_loads_nothing_from_another_host(self, site, tag):
        site.write("index.html", body=tag)
        (fault,) = site.faults()
        assert fault.endswith("from elsewhere.")

    def test_describes_each_page(self, site):
        site.write("index.html", head="")
        assert site.faults() == ["index.html has no description."]

    @pytest.mark.parametrize("name", ["llms.txt", "llms-full.txt"])
    def test_lists_no_page_for_programs_that_is_not_there(self, site, name):
        (site.folder / name).write_text(f"- [Gone]({ADDRESS}gone.md)\n")
        (fault,) = site.faults()
        assert fault.startswith(f"{name} links to ")
