"""The addresses of lists, and what their headings say."""

from urllib.parse import unquote

import pytest
from django.urls import resolve

from comments.filters import CommentFilter
from comments.lists.listing import heading_of, list_url, pager_of
from comments.lists.orders import CommentOrder


class TestListUrl:
    @pytest.mark.parametrize(
        ("languages", "ratings", "url"),
        [
            ((), (), "/products/42/comments/~/~/"),
            (("en", "de"), (5, 1, 2), "/products/42/comments/de.en/1.2.5/"),
            (("de",), (1, 2, 3, 4, 5), "/products/42/comments/de/~/"),
        ],
    )
    def test_spells_the_filter_in_order(self, languages, ratings, url):
        assert list_url("42", CommentFilter.of(languages, ratings)) == url

    @pytest.mark.parametrize(
        "product_id", ["a#b", "50%", "a+b", "a b", "a?b", "日本語", "🦊", "~", "."]
    )
    def test_leads_back_to_its_product(self, product_id):
        url = list_url(product_id, CommentFilter.of(["de"]))
        assert "?" not in url
        assert "#" not in url
        match = resolve(unquote(url))
        assert match.kwargs == {"product_id": product_id, "languages": "de", "ratings": "~"}


class TestPager:
    def test_has_a_name_of_its_own_for_every_list(self):
        lists = [
            ("42", CommentFilter()),
            ("43", CommentFilter()),
            ("42", CommentFilter.of(["de"])),
            ("42", CommentFilter.of(["de", "en"])),
            ("42", CommentFilter.of(ratings=[1])),
            ("42", CommentFilter.of(["de"], [1])),
        ]
        names = {pager_of(*one, order).list_name for one in lists for order in CommentOrder}
        assert len(names) == len(lists) * len(CommentOrder)


class TestHeading:
    @pytest.mark.parametrize(
        ("languages", "ratings", "heading"),
        [
            ((), (), "Comments"),
            (("de",), (), "Comments in German"),
            (("de", "en", "ja"), (), "Comments in German, English and Japanese"),
            ((), (4,), "4-star comments"),
            (("de",), (1, 2), "1- and 2-star comments in German"),
        ],
    )
    def test_says_what_the_list_holds(self, languages, ratings, heading):
        assert heading_of(CommentFilter.of(languages, ratings)) == heading

    def test_says_the_order_unless_it_is_the_newest_first(self):
        headings = [heading_of(CommentFilter(), order) for order in CommentOrder]
        assert headings == [
            "Comments",
            "Comments, oldest first",
            "Comments, highest rated first",
            "Comments, lowest rated first",
        ]
