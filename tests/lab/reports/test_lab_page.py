"""The page ``/lab/``."""

import bz2
import re

import pytest
from django.test import Client
from django.utils.html import escape

from dynamo.calls.client import client
from lab.reports import page as lab_page
from lab.reports.page import StoredFigures, describe_subjects, store
from shop import keys
from shop.models import ShopItem
from tests.support.lab.labs import made_figures
from tests.support.markup import read_markup
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

DOCUMENTS = sorted(
    {
        (described.document, subject)
        for subject, one in describe_subjects().items()
        for described in one.designs.values()
        if described.document
    }
)


@pytest.fixture
def nothing_stored():
    key = {"pk": {"S": keys.LAB}, "sk": {"S": keys.LAB}}
    client().delete_item(TableName=ShopItem.Meta.table_name, Key=key)


@pytest.fixture
def nothing_published(monkeypatch):
    monkeypatch.setattr(lab_page, "find_published", lambda: None)


def words(response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


class TestWithoutFiguresOfItsOwn:
    def test_shows_those_of_the_documentation(self, nothing_stored):
        shown = words(Client().get("/lab/"))
        assert "These are the figures of the documentation" in shown
        assert "6,000 comments of the sample shop" in shown


@pytest.mark.usefixtures("nothing_published")
class TestWithoutFigures:
    def test_names_the_command(self, nothing_stored):
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "Nothing has been measured here yet." in words(response)
        assert "python manage.py compare" in words(response)

    def test_explains_every_design_all_the_same(self, nothing_stored):
        shown = words(Client().get("/lab/"))
        for subject in describe_subjects().values():
            assert all(escape(one.text) in shown for one in subject.designs.values())

    def test_says_the_same_of_figures_of_another_version(self):
        for other in (bz2.compress(b'{"colour": "red"}'), b"zlib"):
            StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=other).save()
            assert "Nothing has been measured here yet." in words(Client().get("/lab/"))


class TestWithFigures:
    def test_says_when_and_on_what_they_were_taken(self):
        store(made_figures())
        shown = words(Client().get("/lab/"))
        assert "Taken on 20 Nov 2026, 13:05 , with dynoxide 1.2.1 ." in shown
        assert "Other work was running." in shown
        assert "4,321 comments of nobody." in shown
        assert "5 stars, in any language: 1,234 of 4,321" in shown

    def test_tells_the_public_no_versions_of_the_site(self):
        store(made_figures())
        assert "Django 5.2" not in words(Client().get("/lab/"))

    def test_puts_three_sentences_beside_the_figures(self):
        store(made_figures())
        shown = words(Client().get("/lab/"))
        assert describe_subjects()["comments"].designs["scan"].text in shown.replace("&#x27;", "'")
        assert "popular 1 of 62 2 4,321 138.5" in shown
        assert "187.5 ms" in shown

    @pytest.mark.parametrize(("model", "title"), [("indexes", "cost"), ("sets", "every set")])
    def test_says_which_design_is_of_this_shop(self, settings, nothing_stored, model, title):
        settings.COMMENTS_READ_MODEL = model
        page = read_markup(Client().get("/lab/").content.decode())
        table = page.one(data_lab_subject="comments").one(class_="lab-glance")
        (row,) = table.all("tr", class_="chosen")
        assert title in row.one("th").text
        assert "this shop" in row.one("th").text

    def test_puts_reads_and_writes_on_one_scale_with_their_prices(self):
        store(made_figures())
        page = read_markup(Client().get("/lab/").content.decode())
        table = page.one(class_="lab-glance")
        assert "from 0.25 to 138.5 units" in table.one("caption").text
        read, write = (
            (cell.one(class_="lab-amount").text, int(cell.one("rect")["width"]))
            for cell in table.all("td")[:2]
        )
        assert read == ("138.5 $17", 100)
        assert write[0] == "66 $41"
        assert 80 < write[1] < 100

    def test_writes_numbers_in_german_but_no_coordinates(self):
        store(made_figures())
        german = Client(headers={"Accept-Language": "de"})
        page = read_markup(german.get("/lab/").content.decode()).one("main")
        assert page.all(class_="lab-amount")[0].text.startswith("138,5")
        assert page.one(class_="lab-lists").one("dd")["lang"] == "en"
        assert all(bar["width"].isdecimal() for bar in page.all("rect"))

    def test_leaves_out_what_it_cannot_describe(self):
        store(made_figures(design="carrier pigeons"))
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "data-lab-design" not in response.content.decode()

    def test_costs_one_read(self):
        store(made_figures())
        assert "1 call · 0.5 units" in words(Client().get("/lab/"))


class TestTheDescriptions:
    def test_have_three_sentences(self):
        for subject in describe_subjects().values():
            for described in subject.designs.values():
                sentences = re.split(r"(?<=\.) (?=[A-Z])", described.text)
                assert len(sentences) == 3, described.title
                assert described.text.endswith(".")

    @pytest.mark.parametrize(("document", "subject"), DOCUMENTS)
    def test_have_a_document_with_a_place_for_the_price(self, document, subject):
        text = (PROJECT / "docs" / "designs" / document).read_text()
        assert "<!-- price: written by manage.py compare -->" in text
