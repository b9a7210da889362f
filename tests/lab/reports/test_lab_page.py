"""The page ``/lab/``."""

import bz2
import re

import pytest
from django.test import Client

from config.docs_pages import find_document
from config.templatetags.site import document_url
from dynapages.process import client
from lab.reports import page as lab_page
from lab.reports.page import StoredFigures, describe_subjects, store
from shop import keys
from shop.models import ShopItem
from tests.support.lab.labs import made_figures
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")

ENGINE = "dynoxide 1.2.1 in memory"
DOCUMENTS = sorted(
    {
        described.document
        for one in describe_subjects().values()
        for described in one.designs.values()
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

    def test_tells_in_german_of_what_was_measured_in_german_numbers(self, nothing_stored):
        response = Client(headers={"Accept-Language": "de"}).get("/lab/")
        page = read_markup(response.content.decode()).one(class_="lab")
        assert [element.text for element in page.all("span", lang="en")] == [ENGINE]
        lists = " ".join(page.one(data_lab_subject="comments").one("dl").text.split())
        assert "1.228 von 2.500" in lists


@pytest.mark.usefixtures("nothing_published")
class TestWithoutFigures:
    def test_names_the_command(self, nothing_stored):
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "python manage.py compare" in words(response)

    def test_says_the_same_of_figures_of_another_version(self):
        for other in (bz2.compress(b'{"colour": "red"}'), b"zlib"):
            StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=other).save()
            assert "Nothing has been measured here yet." in words(Client().get("/lab/"))


class TestWithFigures:
    def test_shows_them_and_says_when_and_on_what_they_were_taken(self):
        store(made_figures())
        shown = words(Client().get("/lab/"))
        assert describe_subjects()["comments"].designs["scan"].text in shown.replace("&#x27;", "'")
        assert "popular 1 of 62 2 4,321 138.5" in shown
        assert "187.5 ms" in shown
        assert "Taken on 20 Nov 2026, 13:05 , with dynoxide 1.2.1 ." in shown
        assert "Other work was running." in shown
        assert "4,321 comments of nobody." in shown
        assert "5 stars, in any language: 1,234 of 4,321" in shown
        assert "Django 5.2" not in shown  # the public is told no versions

    @pytest.mark.parametrize(("model", "title"), [("indexes", "cost"), ("sets", "every set")])
    def test_says_which_design_is_of_this_shop(self, settings, nothing_stored, model, title):
        settings.COMMENTS = {**settings.COMMENTS, "READ_MODEL": model}
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

    def test_leaves_out_what_it_cannot_describe(self):
        store(made_figures(design="carrier pigeons"))
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "data-lab-design" not in response.content.decode()


class TestTheDescriptions:
    def test_lead_to_their_documents(self, nothing_stored):
        page = read_markup(Client().get("/lab/").content.decode())
        found = {about.one("a")["href"] for about in page.all(class_="lab-about")}
        assert found == {document_url(document) for document in DOCUMENTS}

    @pytest.mark.parametrize("document", DOCUMENTS)
    def test_have_a_document_and_a_heading_in_it(self, document):
        name, mark, anchor = document.partition("#")
        assert not mark or f'id="{anchor}"' in find_document(name).html
