"""The page of the API's operations, as the site answers it."""

import pytest
from django.test import Client

from config.docs_pages import find_document
from tests.support.markup import Element, read_markup


def operations_page(language: str) -> Element:
    browser = Client(headers={"Accept-Language": language})
    return read_markup(browser.get("/api/v1/docs").content.decode())


@pytest.mark.parametrize("language", ["en", "de"])
class TestThePageOfTheOperations:
    def test_has_the_head_and_the_foot_of_the_site(self, language):
        page = operations_page(language)
        assert page.one("html")["lang"] == language
        assert page.one("header", class_="site-header").one("a", class_="wordmark")["href"] == "/"
        assert page.one("footer").all("a")

    def test_leads_back_to_the_site(self, language):
        steps = operations_page(language).one("nav", class_="breadcrumbs").all("a")
        assert [step["href"] for step in steps] == ["/", "/docs/", "/docs/api/"]

    def test_names_without_a_script_the_document_that_lists_them_all(self, language):
        links = [link["href"] for link in operations_page(language).one("main").all("a")]
        assert links == ["/docs/api/", "/api/v1/openapi.json"]
        assert "/comments/{comment_id}" in find_document("api").html.replace("<wbr>", "")
