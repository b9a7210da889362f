"""The page ``/lab/``."""

import re
import zlib
from dataclasses import replace

import pytest
from django.test import Client
from django.utils.html import escape

from dynamo.calls.client import client
from lab.reports.descriptions import DESCRIPTIONS
from lab.reports.storage import StoredFigures, store
from shop import keys
from shop.models import ShopItem
from tests.support.lab.labs import made_figures
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("tables")

DOCUMENTS = sorted(
    {
        (described.document, subject)
        for subject, one in DESCRIPTIONS.items()
        for described in one.designs.values()
        if described.document
    }
)


@pytest.fixture
def nothing_stored() -> None:
    key = {"pk": {"S": keys.LAB}, "sk": {"S": keys.LAB}}
    client().delete_item(TableName=ShopItem.Meta.table_name, Key=key)


def words(response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


class TestWithoutFigures:
    def test_names_the_command(self, nothing_stored):
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "Nothing has been measured here yet." in words(response)
        assert "python manage.py compare" in words(response)

    def test_explains_every_design_all_the_same(self, nothing_stored):
        shown = words(Client().get("/lab/"))
        for subject in DESCRIPTIONS.values():
            assert all(escape(one.text) in shown for one in subject.designs.values())

    def test_says_the_same_of_figures_of_another_version(self):
        other = zlib.compress(b'{"taken_at": "2020-01-01T00:00:00.000000Z", "colour": "red"}')
        StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=other).save()
        assert "Nothing has been measured here yet." in words(Client().get("/lab/"))


class TestWithFigures:
    def test_says_when_and_on_what_they_were_taken(self):
        store(made_figures())
        shown = words(Client().get("/lab/"))
        assert "Taken on 20 November 2026, 13:05 UTC on dynoxide 1.2.1." in shown
        assert "Other work was running." in shown
        assert "4,321 comments of nobody." in shown
        assert "5 stars, in any language: 1,234 of 4,321" in shown

    def test_speaks_of_a_single_turn_as_one(self):
        store(replace(made_figures(), turns=1))
        assert "Times are medians of 1 turn, and" in words(Client().get("/lab/"))

    def test_tells_the_public_no_versions_of_the_site(self):
        store(made_figures())
        assert "Django 5.2" not in words(Client().get("/lab/"))

    def test_puts_three_sentences_beside_the_figures(self):
        store(made_figures())
        shown = words(Client().get("/lab/"))
        assert DESCRIPTIONS["comments"].designs["scan"].text in shown.replace("&#x27;", "'")
        assert "popular 1 of 62 2 4,321 138.5" in shown
        assert "187.5 ms" in shown

    def test_tells_what_a_write_takes(self):
        store(made_figures())
        assert "a comment 1 66 64 31,515 1.5 ms 313.8 ms" in words(Client().get("/lab/"))

    def test_leaves_out_what_it_cannot_describe(self):
        store(made_figures(design="carrier pigeons"))
        response = Client().get("/lab/")
        assert response.status_code == 200
        assert "data-lab-design" not in response.content.decode()

    def test_costs_one_read(self):
        store(made_figures())
        assert "1 call · 0.5 units" in words(Client().get("/lab/"))

    def test_needs_neither_inline_style_nor_script(self):
        store(made_figures())
        (page,) = re.findall(r"<main.*</main>", Client().get("/lab/").content.decode(), re.DOTALL)
        assert " style=" not in page
        assert "<script" not in page

    def test_is_linked_from_every_page(self):
        assert 'href="/lab/"' in Client().get("/lab/").content.decode()

    def test_cannot_be_posted_to(self):
        assert Client().post("/lab/").status_code == 405


class TestTheDescriptions:
    def test_have_three_sentences(self):
        for subject in DESCRIPTIONS.values():
            for described in subject.designs.values():
                sentences = re.split(r"(?<=\.) (?=[A-Z])", described.text)
                assert len(sentences) == 3, described.title
                assert described.text.endswith(".")

    @pytest.mark.parametrize(("document", "subject"), DOCUMENTS)
    def test_have_a_document_with_a_place_for_the_price(self, document, subject):
        text = (PROJECT / "docs" / "designs" / document).read_text()
        assert "<!-- price: written by manage.py compare -->" in text
