"""An ETag differs wherever its page does, and the words of pages wherever their language does."""

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.http import HttpResponse
from django.template import Engine
from django.test import Client
from django.utils.translation import override

from comments import views
from comments.filters import CommentFilter
from comments.lists.entries import CommentEntry
from comments.lists.highlights import Highlights
from comments.lists.listing import listing_of
from comments.lists.page import CommentsPage, CommentsRequest, read_comments_page
from comments.lists.queries import Reach
from comments.lists.search_queries import SearchRequest
from comments.search.pending import PendingChanges
from comments.search.words import parse_search
from comments.store.counts import ProductCounts, remember_counts, remembered_as, remembered_counts
from dynapages.django.paging import grouped
from dynapages.lists import PageRequest
from tests.support.comments.browsing import HTMX, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import numbered_comments
from tests.support.orders.making import put_product

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture(scope="module")
def lamp(tables):
    product_id = put_product("lamp-with-etag")
    load(numbered_comments(product_id, count=30, languages=["nl"]))
    return product_id


def get(url: str, **headers: str) -> HttpResponse:
    return Client().get(url, headers=headers)


class TestTheETag:
    @pytest.fixture
    def url(self, lamp):
        return f"/products/{lamp}/comments/~/~/"

    def test_does_not_fit_the_page_in_another_language(self, url):
        english = get(url)
        german = get(url, **{"Accept-Language": "de", "If-None-Match": english["ETag"]})
        assert german.status_code == 200
        assert german["Content-Language"] == "de"

    def test_does_not_fit_another_form(self, url):
        etags = {get(url)["ETag"], get(url, **HTMX)["ETag"], get(f"{url}?format=atom")["ETag"]}
        assert len(etags) == 3

    def test_does_not_fit_the_page_of_another_release(self, url, monkeypatch):
        before = get(url)["ETag"]
        monkeypatch.setattr(views, "_release_digest", lambda: "another")
        assert get(url, **{"If-None-Match": before}).status_code == 200

    @pytest.mark.parametrize("suffix", ["html", "jinja", "mo", "py"])
    def test_is_of_another_release_where_a_file_is_another(self, suffix, tmp_path, monkeypatch):
        engine = Engine(dirs=[str(tmp_path)])
        monkeypatch.setattr(views.Engine, "get_default", lambda: engine)
        file = tmp_path / "folder" / f"file.{suffix}"
        file.parent.mkdir()
        digests = set()
        for content in ("before", "after"):
            file.write_text(content)
            digests.add(views._release_digest.__wrapped__())
        assert len(digests) == 2

    def test_does_not_fit_the_page_for_a_language_that_the_product_has(self, lamp):
        """Although the same comments are on it: their heading is another."""
        url = f"/products/{lamp}/"
        etags = {get(url, **{"Accept-Language": f"{code}, en"})["ETag"] for code in ("nl", "fr")}
        assert len(etags) == 2


@pytest.fixture(scope="module")
def page(lamp):
    request = CommentsRequest(None, PageRequest(20), product_id=lamp)
    read = read_comments_page(request)
    assert read.highlights
    return read


def with_results(page: CommentsPage, **changed: Any) -> CommentsPage:
    return replace(page, results=replace(page.results, **changed))


def with_counts(page: CommentsPage, **changed: Any) -> CommentsPage:
    return with_results(page, counts=replace(page.results.counts, **changed))


def with_read(page: CommentsPage, **changed: Any) -> CommentsPage:
    results = replace(page.results, page=replace(page.results.page, **changed))
    return replace(page, results=results)


def with_request(page: CommentsPage, **changed: Any) -> CommentsPage:
    return replace(page, request=replace(page.request, **changed))


CHANGES: dict[str, Callable[[CommentsPage], CommentsPage]] = {
    "the product's name": lambda page: replace(page, product=replace(page.product, name="Lamp 2")),
    "the filter": lambda page: replace(page, chosen=CommentFilter.of(["nl"])),
    "fewer comments": lambda page: with_results(page, comments=page.results.comments[1:]),
    "counts": lambda page: with_counts(page, cells={("de", 3): 1}),
    "counts of months": lambda page: with_counts(page, months={"2026-03": 1}),
    "another next page": lambda page: with_read(page, entries=page.results.page.entries[:-1]),
    "no next page": lambda page: with_read(page, has_next=False),
    "a previous page": lambda page: with_read(
        page, has_previous=True, start=page.results.page.next_position
    ),
    "that it was cut": lambda page: with_read(page, cut_at=page.results.page.next_position),
    "changes that are pending": lambda page: with_results(
        page, pending=PendingChanges(are_all_named=False)
    ),
    "languages that were searched": lambda page: with_results(page, reach=Reach(("nl",))),
    "languages that are remembered": lambda page: with_request(page, all_languages=True),
    "a search": lambda page: with_request(page, search=SearchRequest(parse_search("lamp"))),
    "a search that was typed": lambda page: with_request(
        page, search=SearchRequest(parse_search("lamp"), is_typed=True)
    ),
}


class TestTheFactsOfAPage:
    @pytest.mark.parametrize("what", CHANGES)
    def test_differ_with(self, page, what):
        assert repr(CHANGES[what](page).facts) != repr(page.facts)

    @pytest.mark.parametrize("field", [field.name for field in fields(CommentEntry)])
    def test_differ_with_each_field_of_a_comment(self, page, field):
        first, *others = page.results.comments
        value: object = "changed"
        if field == "created":
            value = first.created + timedelta(microseconds=1)
        changed = with_results(page, comments=(replace(first, **{field: value}), *others))
        assert repr(changed.facts) != repr(page.facts)

    @pytest.mark.parametrize("field", [field.name for field in fields(Highlights)])
    def test_differ_with_each_highlight(self, page, field):
        changed = replace(page, highlights=replace(page.highlights, **{field: "changed"}))
        assert repr(changed.facts) != repr(page.facts)


class TestTheWordsOfAPage:
    """Of the language that the page is in, also where the other one was shown just before."""

    def test_of_a_filter_are_apart_for_each_language_of_the_site(self, page, lamp):
        words = []
        for language in ("en", "de"):
            with override(language):
                listing = listing_of(lamp, CommentFilter(), page.results)
            rating, (_value, order) = listing["ratings"][0], listing["orders"][0]
            words.append((listing["heading"], rating.label, order))
        assert words == [
            ("Comments", "5 stars", "Newest first"),
            ("Kommentare", "5 Sterne", "Neueste zuerst"),
        ]

    def test_of_a_comment_are_apart_for_each_language_of_the_site(self, lamp):
        url = f"/products/{lamp}/comments/~/~/"
        days = []
        for language in ("en", "de"):
            shown = visit(url, **{"Accept-Language": language})
            comment = shown.page.all("article")[0]
            days.append(comment.one("time").text)
            assert ("Report" in comment.text) is (language == "en")
        assert days == ["20 Nov 2026", "20. Nov 2026"]

    def test_of_a_number_are_apart_for_each_language_of_the_site(self):
        numbers = []
        for language in ("en", "de"):
            with override(language):
                numbers.append(grouped(1_234_567))
        assert numbers == ["1,234,567", "1.234.567"]


class TestTheLinksOfAFilter:
    def test_are_apart_for_who_has_chosen_all_languages(self, page, lamp):
        links = [
            listing_of(lamp, CommentFilter(), page.results, is_remembered=is_so)["languages"][0].url
            for is_so in (False, True)
        ]
        assert links == [
            f"/products/{lamp}/comments/nl/~/",
            f"/products/{lamp}/comments/nl/~/?remember=languages",
        ]


class TestWhatIsRememberedOfAProduct:
    """In the cache of the site."""

    def test_is_not_that_of_another(self):
        cache.clear()
        remember_counts("one", ProductCounts({("en", 5): 1}))
        remember_counts("other", ProductCounts({("de", 1): 2}))
        assert remembered_counts("one") == ProductCounts({("en", 5): 1})

    def test_of_one_kind_is_not_that_of_another(self):
        assert remembered_as("counts", "one") != remembered_as("largest-entry", "one")
