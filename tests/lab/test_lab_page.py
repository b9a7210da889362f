"""The page ``/lab/``."""

import bz2
import re

import pytest
from django.test import Client

from config.docs_pages import find_document
from config.templatetags.site import document_url
from dynapages.process import client
from lab import page as lab_page
from lab.page import describe_subjects
from lab.stored_figures import StoredFigures, store_figures
from shop import keys
from shop.models import ShopItem
from tests.support.lab.labs import made_design, made_figures
from tests.support.markup import Element, read_markup

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


def lab_page_shown() -> Element:
    return read_markup(Client().get("/lab/").content.decode()).one(class_="lab")


def lab_subject(name: str) -> Element:
    return lab_page_shown().one(data_lab_subject=name)


def dollars_of(row: Element) -> list[float]:
    """The dollars of a row of sizes, from its cells as in ``$4,562 36,494 units``."""
    amounts = [cell.text.split()[0].strip("$") for cell in row.all("td")]
    return [float(amount.replace(",", "")) for amount in amounts]


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
        assert "3 Sterne, auf Deutsch: 50" in lists


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
        store_figures(made_figures())
        shown = words(Client().get("/lab/"))
        assert describe_subjects()["comments"].designs["scan"].text in shown.replace("&#x27;", "'")
        assert "popular 1 of 62 2 4,321 138.5" in shown
        assert "Taken on 20 Nov 2026, 13:05 , with dynoxide 1.2.1 ." in shown
        assert "4,321 comments of nobody." in shown
        assert "5 stars, in any language: 1,234 of 4,321" in shown

    @pytest.mark.parametrize(("model", "title"), [("indexes", "cost"), ("sets", "every set")])
    def test_says_which_design_is_of_this_shop(self, settings, nothing_stored, model, title):
        settings.COMMENTS = {**settings.COMMENTS, "READ_MODEL": model}
        (row,) = lab_subject("comments").one(class_="lab-sizes").all("tr", class_="chosen")
        assert title in row.one("th").text
        assert "this shop" in row.one("th").text

    def test_give_the_verdict(self):
        cheap = made_design("planner", units=0.5, items_read=21)
        store_figures(made_figures(made_design(), cheap))
        assert lab_subject("comments").one(data_lab_verdict=True).text == (
            "Four indexes, chosen by cost is cheapest: its most expensive page takes 0.5 units. "
            "Scan and FilterExpression takes 277 times as many."
        )

    def test_give_costs_at_three_sizes(self):
        store_figures(made_figures())
        table = lab_subject("comments").one(class_="lab-sizes")
        assert "Computed" in table.one("caption").text
        assert "138.5 units a page, 66 a write" in table.one("th", scope="row").text
        assert [cell.text for cell in table.all("td")] == [
            "$40 321 units 3 calls",
            "$4,007 32,053 units 251 calls",
            "$400,660 3,205,277 units 25,042 calls",
        ]

    def test_name_a_design_the_cheapest_that_no_other_row_undercuts(self, nothing_stored):
        tables = lab_page_shown().all(class_="lab-sizes")
        assert len(tables) == len(describe_subjects())
        for table in tables:
            rows = table.one("tbody").all("tr")
            (cheapest,) = [row for row in rows if "cheapest" in row.one("th").text]
            for column, least in enumerate(dollars_of(cheapest)):
                assert all(dollars_of(row)[column] >= least for row in rows), table.text

    def test_are_folded_with_anchors_that_links_from_elsewhere_lead_to(self):
        store_figures(made_figures())
        page = lab_page_shown()
        assert [one["id"] for one in page.all("summary", id=True)] == [
            "comments-measured",
            "lab-own",
        ]
        folded = page.one(data_lab_subject="comments").one("details")
        assert folded.get("open") is None
        assert folded.one(data_lab_design="comments-scan").one("h3")["id"] == "comments-scan"
        assert page.one("h2", id="comments").text == "Comments of a product"

    def test_tell_why_this_shop_has_a_design_that_is_not_the_cheapest(self, nothing_stored):
        told = [
            subject["data-lab-subject"]
            for subject in lab_page_shown().all(data_lab_subject=True)
            if "This shop uses" in subject.one(data_lab_verdict=True).text
        ]
        assert told == ["open-orders"]

    def test_leaves_out_what_it_cannot_describe(self):
        store_figures(made_figures(made_design("carrier pigeons")))
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
