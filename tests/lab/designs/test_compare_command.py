"""``manage.py compare``, from end to end on little data, and the documents that it writes."""

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from comments.items import NewComment
from lab.bench.data import OrderData
from lab.designs import long_texts
from lab.designs import run as lab_run
from lab.designs.run import heading_of
from lab.figures import PUBLISHED_FILE, Figures, find_published
from lab.management.commands import compare as command
from lab.stored_figures import find_stored
from tests.support.comments.loading import load
from tests.support.lab.labs import NOW, PAGE_SIZE, made_figures
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

DESIGNS = {
    "comments": ["scan", "filter", "sets", "rules", "planner"],
    "customer orders": ["scan", "filter", "composite"],
    "open orders": ["scan", "unsharded", "sharded"],
    "long texts": ["inline", "apart"],
}


@pytest.fixture
def little(monkeypatch, settings):
    settings.PAGE_SIZE = PAGE_SIZE
    monkeypatch.setattr(lab_run, "ORDERS", OrderData(of_customer=40, queued=10))
    monkeypatch.setattr(long_texts, "LONG_COMMENTS", 20)


@pytest.mark.real_engine
@pytest.mark.usefixtures("dynoxide", "little")
class TestARun:
    def test_has_figures_of_every_design_and_keeps_them_for_the_page(self):
        out = StringIO()
        call_command("compare", "--json", "--comments", "40", stdout=out)
        figures = Figures.from_json(out.getvalue())
        names = {one.name: [design.name for design in one.designs] for one in figures.subjects}
        assert names == DESIGNS
        assert find_stored() == figures
        page = Client().get("/lab/").content.decode()
        for name in ("comments-scan", "comments-sets", "open-orders-sharded"):
            assert f'data-lab-design="{name}"' in page

    def test_is_of_the_users_own_comments_with_a_product(self, fresh):
        product = fresh("product")
        comments = []
        for n in range(30):
            body = "A long story. " * 200 if n % 7 == 0 else "ok"
            comments.append(NewComment(f"{product}-{n}", product, "en", n % 5 + 1, NOW, body=body))
        load(comments)
        out = StringIO()
        call_command("compare", "--json", "--product", product, "--comments", "25", stdout=out)
        data = json.loads(out.getvalue())["subjects"][0]["data"]
        assert product in data
        assert data.startswith("25 comments")


class TestWhatGoesWrong:
    def test_spoils_no_run_when_the_figures_cannot_be_kept(self, monkeypatch, capsys):
        monkeypatch.setattr(command, "compare", lambda **_: made_figures())
        monkeypatch.setattr("lab.stored_figures.keys.LAB", "")  # no key at all
        call_command("compare")
        printed = capsys.readouterr()
        assert "4,321 comments of nobody." in printed.out
        assert "not kept" in printed.err


class TestTheDocuments:
    def test_are_brought_up_to_date(self, monkeypatch, tmp_path):
        page = tmp_path / "lab.md"
        marks = "<!-- {0}: written by manage.py compare -->\nold\n<!-- end of {0} -->\n"
        page.write_text(f"# The lab\n\n{marks.format('run')}\nAfter.\n")
        (tmp_path / "lab").mkdir()
        monkeypatch.setattr(command, "compare", lambda **_: made_figures())
        call_command("compare", "--write-docs", str(tmp_path), "--no-keep", stdout=StringIO())
        document = page.read_text()
        assert heading_of(made_figures()) in document
        assert "old" not in document
        assert "\n\nAfter.\n" in document
        assert Figures.from_json((tmp_path / PUBLISHED_FILE).read_text()) == made_figures()

    def test_of_the_project_have_the_figures_that_they_ship(self):
        figures = find_published()
        assert figures is not None
        text = (PROJECT / "docs" / "lab.md").read_text()
        assert heading_of(figures) in text
