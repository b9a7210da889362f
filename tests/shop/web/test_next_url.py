"""Where a form leads: to a page of ours that it names, and nowhere else."""

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory

from shop.web.next_url import back

OURS = ["/", "/orders/?status=PLACED", "/comments/a%2Fb/", "/a:b", "/?next=//evil.example"]
NOT_OURS = [
    "", "foo", "foo.html", "./", "../", "?a", "#a", "//evil.example", "///evil.example", "/\\evil",
    "\\\\evil", "/\t/evil.example", "http://testserver/", "https://evil.example/", "http://[",
    "//[", "javascript:alert(1)", " /", "\x08/", "/" + "x" * 2_000,
]  # fmt: skip


def sent(page_url: str) -> HttpRequest:
    return RequestFactory().post("/", {"next": page_url})


class TestBack:
    @pytest.mark.parametrize("page_url", OURS)
    def test_leads_to_a_page_of_this_site(self, page_url):
        assert back(sent(page_url), default="/orders/")["Location"] == page_url

    @pytest.mark.parametrize("page_url", NOT_OURS)
    def test_leads_by_default_where_no_page_is_named(self, page_url):
        assert back(sent(page_url), default="/orders/")["Location"] == "/orders/"


class TestSigningIn:
    @pytest.mark.parametrize("current", ["http://[", "http://evil.example/", ""])
    def test_leads_nowhere_where_htmx_names_no_page_of_ours(self, current):
        headers = {"HX-Request": "true", "HX-Current-URL": current}
        response = Client().post("/staff/orders/move/", headers=headers)
        assert response["HX-Redirect"] == "/accounts/login/"
