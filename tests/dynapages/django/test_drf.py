"""The pagination class for Django REST framework."""

import pytest
from django.test import RequestFactory

pytest.importorskip("rest_framework", reason="djangorestframework is not installed")

from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from dynapages.drf import FeedPagination


class Pages(FeedPagination):
    page_size = 5
    page_size_query_param = "size"
    max_page_size = 10


def page(feed, url="/notes/", **query):
    """The answer to a request, by the protocol that REST framework's views follow."""
    paginator = Pages()
    request = Request(RequestFactory().get(url, query))
    items = paginator.paginate_queryset(feed, request)
    return paginator.get_paginated_response([int(item["id"]) for item in items]).data


class TestAPage:
    def test_is_followed_by_links_to_the_end(self, feed):
        found = [page(feed)]
        while url := found[-1]["next"]:
            found.append(page(feed, url))
        assert [n for each in found for n in each["results"]] == list(range(21, -1, -1))

    def test_leads_back_to_the_first(self, feed):
        second = page(feed, page(feed)["next"])
        assert page(feed, second["previous"]) == page(feed)

    def test_keeps_other_parameters_in_its_links(self, feed):
        assert "?" in page(feed, team="red")["next"]
        assert "team=red" in page(feed, team="red")["next"]

    def test_has_full_addresses(self, feed):
        assert page(feed)["next"].startswith("http://testserver/notes/?after=")
        assert page(feed)["previous"] is None

    def test_of_another_list_is_not_found(self, feed, feed_of):
        with pytest.raises(NotFound, match="belongs to another list"):
            page(feed, page(feed_of("red"))["next"])


class TestTheCount:
    def test_is_the_total_of_the_feed_in_front_of_all_else(self, feed_of):
        answer = page(feed_of("red", "blue", total=lambda: 22))
        assert list(answer) == ["count", "next", "previous", "results"]
        assert answer["count"] == 22

    def test_may_be_none_at_all(self, feed_of):
        assert page(feed_of("green", total=lambda: 0))["count"] == 0

    def test_is_not_there_where_the_feed_does_not_count(self, feed):
        assert list(page(feed)) == ["next", "previous", "results"]


class TestTheSize:
    @pytest.mark.parametrize(
        ("asked", "size"), [("3", 3), ("99", 10), ("0", 5), ("-1", 5), ("x", 5), ("", 5)]
    )
    def test_is_what_is_asked_for_as_far_as_it_is_allowed(self, feed, asked, size):
        assert len(page(feed, size=asked)["results"]) == size

    def test_is_fixed_where_no_parameter_is_named(self, feed):
        class Fixed(FeedPagination):
            page_size = 4

        request = Request(RequestFactory().get("/", {"size": "9"}))
        assert len(Fixed().paginate_queryset(feed, request)) == 4

    def test_without_one_nothing_is_paged(self, feed):
        request = Request(RequestFactory().get("/"))
        assert FeedPagination().paginate_queryset(feed, request) is None


class TestTheSchema:
    def test_names_the_parameters(self):
        names = [one["name"] for one in Pages().get_schema_operation_parameters(view=None)]
        assert names == ["after", "before", "size"]

    def test_wraps_that_of_the_items(self):
        schema = Pages().get_paginated_response_schema({"type": "array"})
        assert schema["properties"]["results"] == {"type": "array"}
        assert schema["properties"]["next"]["nullable"]

    def test_has_the_count_as_one_that_may_be_missing(self):
        schema = Pages().get_paginated_response_schema({"type": "array"})
        assert schema["properties"]["count"]["type"] == "integer"
        assert "count" not in schema["required"]
