"""Where a form leads, which address a request is counted under, and what staff are told."""

import re

import pytest
from django.http import HttpRequest
from django.test import Client, RequestFactory

from dynapages.django.next_page import back
from dynapages.django.rate_limits import client_network

pytestmark = pytest.mark.usefixtures("tables")


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

    def test_leads_back_to_the_page_from_which_htmx_sent_a_form(self):
        headers = {
            "HX-Request": "true",
            "HX-Current-URL": "http://testserver/orders/?status=PLACED",
        }
        response = Client().post("/staff/orders/move/", headers=headers)
        assert response["HX-Redirect"] == "/accounts/login/?next=%2Forders%2F%3Fstatus%3DPLACED"

    def test_leads_back_to_the_page_that_a_form_names(self):
        response = Client().post("/staff/orders/move/", {"next": "/staff/orders/"})
        assert response["Location"] == "/accounts/login/?next=%2Fstaff%2Forders%2F"

    def test_leads_back_to_the_form_that_htmx_asked_for(self):
        headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/products/42/"}
        response = Client().get("/products/42/comments/new/", headers=headers)
        assert response["HX-Redirect"] == (
            "/accounts/login/?next=%2Fproducts%2F42%2Fcomments%2Fnew%2F"
        )

    @pytest.mark.parametrize(
        ("page_url", "reason"),
        [
            ("/comments/vote/a%2Fb/?next=%2F", "say that a comment is helpful."),
            ("/products/42/comments/new/", "write a comment."),
            ("/basket/", "place your order."),
            ("/orders/?status=PLACED", "see your orders."),
        ],
    )
    def test_says_what_for(self, page_url, reason):
        for page, begin in (("login", "Sign in to"), ("sign-up", "With an account you can")):
            response = Client().get(f"/accounts/{page}/", {"next": page_url})
            assert f"{begin} {reason}" in response.content.decode()

    @pytest.mark.parametrize("page_url", ["", "/nothing/", "https://evil.example/basket/", "//["])
    def test_says_nothing_of_pages_that_are_not_here(self, page_url):
        response = Client().get("/accounts/login/", {"next": page_url})
        assert "lede" not in response.content.decode()


def network(remote: str, forwarded: str | None = None) -> str:
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    return client_network(RequestFactory().get("/", REMOTE_ADDR=remote, headers=headers))


class TestTheAddressOfARequest:
    def test_is_that_of_the_connection(self):
        assert network("192.0.2.7") == "192.0.2.7"

    def test_is_not_what_the_client_says_it_is(self):
        assert network("192.0.2.7", forwarded="198.51.100.1") == "192.0.2.7"

    @pytest.mark.parametrize(
        ("proxies", "expected"), [(1, "203.0.113.9"), (2, "198.51.100.1"), (3, "192.0.2.7")]
    )
    def test_is_what_the_outermost_trusted_proxy_saw(self, settings, proxies, expected):
        settings.TRUSTED_PROXIES = proxies
        assert network("192.0.2.7", forwarded="198.51.100.1, 203.0.113.9") == expected

    def test_of_ipv6_is_that_of_the_whole_network(self):
        assert network("2001:db8:1:2:aaaa::1") == network("2001:db8:1:2:bbbb::2")
        assert network("2001:db8:1:2::1") != network("2001:db8:1:3::1")

    @pytest.mark.parametrize(
        ("spelled", "expected"),
        [
            ("192.0.2.7:4711", "192.0.2.7"),
            ("[2001:db8::1]:4711", "2001:db8::/64"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("", "unknown"),
            ("unix:", "unknown"),
        ],
    )
    def test_is_understood_in_other_spellings(self, spelled, expected):
        assert network(spelled) == expected


class TestServerTiming:
    def test_tells_staff_what_a_page_cost(self, sam):
        told = sam.get("/staff/orders/").response["Server-Timing"]
        assert re.fullmatch(
            r'dynamodb;desc="\d+ calls, \d rounds, [\d.]+ units", page;dur=[\d.]+', told
        )

    def test_tells_nobody_else(self, alice):
        assert "Server-Timing" not in alice.get("/orders/").response
        assert "Server-Timing" not in Client().get("/").headers
