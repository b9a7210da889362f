"""Whatever is asked, with whatever headers, fields and bodies, the answer is no fault of ours."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from urllib.parse import quote, urlencode

import pytest
from django.test import Client

from tests.support.chance import CHANCE, examples
from tests.support.config.addresses import (
    ROLES,
    Belongings,
    address,
    argument_names,
    belongings,
    browser_of,
    people,
    routes,
)

pytestmark = pytest.mark.usefixtures("tables")
ODD = (
    "", " ", "0", "-1", "1e9", "~", "#", "a#b", "..", "../..", "./x", "/", "//", "//evil.example",
    "foo", "http://[", "http://testserver", "https://evil.example/", "/\\evil.example", "/\\[",
    "javascript:alert(1)", "\x00", "a\x00b", "\r\nX: y", "\x7f", "\xff", "\ud7ff", "\ufffe", "€",
    "€" * 128, "€" * 341, "€" * 1_000, "x" * 128, "x" * 129, "x" * 5_000, "\U0001f4a1" * 128,
    "{{ 7|add:7 }}", "<b>", "'", '"', "%", "%s", "%00", "?", "&", ";", "=", "None", "null", "[]",
    "de", "en.de", "zz", "1", "1.2.3.4.5", "9" * 40, "١٢", "²", "2023-02-30", "yes", "no", "keep",
    "json", "atom", "REPORTED.1.1", "PLACED", "placed", "shipped", "a.b", "a.b.c", "b3duZXI",
    "=====",
)  # fmt: skip
FORMS = {
    "basket/add/": {"product_id": "lamp", "quantity": "1"},
    "basket/remove/": {"product_id": "lamp"},
    "basket/change/": {"product_id": "lamp", "quantity": "1"},
    "basket/order/": {"near": "1100", "address-country": "DE"},
    "basket/place/": {"order_id": "0" * 26, "point": "p", "address-country": "DE"},
    "orders/<id:order_id>/move/": {
        "owner": "fuzz", "from_status": "PLACED", "move": "CANCELED", "next": "/",
    },
    "orders/<id:order_id>/pickup/choose/": {"point": "p"},
    "orders/<id:order_id>/again/": {"next": "/"},
    "staff/orders/move/": {"move": "SHIPPED", "order": f"{'0' * 26}/fuzz", "next": "/"},
    "staff/orders/all/": {"count": "1", "after": "x"},
    "products/<id:product_id>/comments/new/": {
        "form_id": "x", "rating": "5", "title": "t", "body": "b", "language": "en",
    },
    "comments/vote/<id_with_slashes:comment_id>/": {"helpful": "yes", "next": "/"},
    "comments/report/<id_with_slashes:comment_id>/": {"reason": "spam", "text": "t"},
    "staff/comments/decide/<id_with_slashes:comment_id>/": {
        "decision": "keep", "seen": "REPORTED.1.1", "next": "/",
    },
    "staff/comments/feature/<id_with_slashes:comment_id>/": {"featured": "yes", "next": "/"},
    "staff/comments/reply/<id_with_slashes:comment_id>/": {
        "text": "t", "version": "0", "delete": "no",
    },
    "comments/edit/<id_with_slashes:comment_id>/": {
        "version": "1", "rating": "5", "title": "t", "body": "b", "language": "en",
    },
    "comments/delete/<id_with_slashes:comment_id>/": {"next": "/"},
    "languages/detect/": {"title": "t", "body": "b", "language": ""},
    "account/email/": {"new_email": "fuzz@example.com", "password": "p"},
    "accounts/sign-up/": {
        "username": "fuzz", "email": "", "password1": "p", "password2": "p", "next": "/",
    },
    "accounts/login/": {"username": "fuzz", "password": "p", "next": "/"},
    "accounts/logout/": {"next": "/"},
    "accounts/password_change/": {
        "old_password": "p", "new_password1": "p", "new_password2": "p",
    },
    "accounts/password_reset/": {"email": "fuzz"},
    "accounts/reset/<uidb64>/<token>/": {"new_password1": "p", "new_password2": "p"},
}  # fmt: skip
"""The fields of all forms, by the routes they are sent to."""
QUERIES = {
    "categories/<id:slug>/": ("order", "after", "before"),
    "basket/add/": ("product_id", "quantity"),
    "basket/order/": ("near",),
    "orders/": ("status", "after", "before"),
    "orders/<id:order_id>/pickup/": ("near", "count"),
    "staff/activity/": ("kind", "after", "before"),
    "staff/find/": ("q",),
    "staff/orders/": ("status", "from", "to", "after", "before"),
    "staff/orders/all/": ("status", "from", "to"),
    "sitemap-products.xml": ("category",),
}
"""What routes read of a query, where that is more than a place in a list."""
URLS = (
    "http://[", "http://testserver/", "http://testserver/%ff?a=//x", "http://testserver//evil", "/",
    "//", "null", "http://testserver/\xff", "http://\xff/", "http://testserver:x/", "x" * 5_000,
)  # fmt: skip
TEXTS = ("", "*", "true", "x" * 5_000, "\xff\x00", ";;,,==", "0", "utf-16")
LANGUAGES = ("de;q=2,en;q=", "*;q=0", "x-" * 500, "de" + ",de" * 2_000)
KINDS = (
    "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded; charset=utf-16", "application/json", "text/html; charset=x",
    "multipart/form-data; boundary=\xff",
)  # fmt: skip
COOKIES = ("sessionid=x:y:z", "messages=[]", "messages=a:b; =;;", "csrftoken=1", "sessionid=\xff")
HEADERS = {
    "Accept-Encoding": ("gzip;q=x", *TEXTS),
    "Accept-Language": (*LANGUAGES, *TEXTS),
    "Content-Length": ("-1", "", "99999999999999999999"),  # servers refuse others
    "Content-Type": (*KINDS, *TEXTS),
    "Cookie": (*COOKIES, *TEXTS),
    "Host": ("[", "testserver:x", "a b", "..", *TEXTS),
    "Dynapages-Explained": TEXTS,
    "HX-Boosted": TEXTS,
    "HX-Current-URL": (*URLS, *TEXTS),
    "HX-Current-URL-URI-AutoEncoded": TEXTS,
    "HX-History-Restore-Request": TEXTS,
    "HX-Target": TEXTS,
    "If-Modified-Since": ("Thu, 99 Foo 2020 99:99:99 GMT", *TEXTS),
    "If-None-Match": ('W/"x"', *TEXTS),
    "Origin": (*URLS, *TEXTS),
    "Referer": (*URLS, *TEXTS),
    "Sec-Fetch-Site": ("cross-site", *TEXTS),
    "X-CSRFToken": TEXTS,
    "X-Forwarded-For": ("1.2.3.4, [::1", "::", *TEXTS),
    "X-Forwarded-Proto": TEXTS,
}
METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "FUZZ")
FORM = "application/x-www-form-urlencoded"
BODIES = (b"", b"\xff\xfe=%ff&a", b"[1", b"--x\r\n\r\n--x--", b"&" * 2_000, b"a=%00&a")


@dataclass(frozen=True)
class Odd:
    """A request with something odd in it."""

    url: str
    method: str = "GET"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def send(self, browser: Client) -> int:
        headers = dict(self.headers)
        kind = headers.pop("Content-Type", FORM)
        length = headers.pop("Content-Length", str(len(self.body)))
        return browser.generic(
            self.method, self.url, self.body, kind, headers=headers, CONTENT_LENGTH=length
        ).status_code


def with_odd_arguments(route: str, there: Mapping[str, str]) -> Iterator[Odd]:
    for name, value in product(argument_names(route), ODD):
        spelled = quote(value, safe="/") or "%ff"
        yield Odd(address(route, {**there, name: spelled}))


def with_odd_queries(route: str, url: str) -> Iterator[Odd]:
    for name, value in product((*QUERIES.get(route, ("after", "before")), "format"), ODD):
        yield Odd(f"{url}?{urlencode({name: value})}")
        yield Odd(f"{url}?format=atom&{urlencode({name: value})}")


def with_odd_fields(route: str, url: str) -> Iterator[Odd]:
    fields = FORMS.get(route, {})
    for name, value in product(fields, ODD):
        yield Odd(url, "POST", urlencode({**fields, name: value}).encode())


def with_odd_headers(url: str) -> Iterator[Odd]:
    is_htmx = {"HX-Request": "true"}
    for name, values in HEADERS.items():
        for value, method in product(values, ("GET", "POST")):
            yield Odd(url, method, b"--x\r\n\r\n--x--", {name: value, **is_htmx})


def with_odd_bodies(url: str) -> Iterator[Odd]:
    for method, body in product(METHODS, BODIES):
        yield Odd(url, method, body)


def requests_of(route: str, known: Belongings) -> list[Odd]:
    there = {name: quote(value, safe="") for name, value in known.arguments.items()}
    url = address(route, there)
    others = (
        *with_odd_arguments(route, there),
        *with_odd_queries(route, url),
        *with_odd_headers(url),
        *with_odd_bodies(url),
    )
    fields = [*with_odd_fields(route, url)]
    return CHANCE.sample(fields, examples(len(fields) // 2) if fields else 0) + CHANCE.sample(
        others, examples(60)
    )


@pytest.fixture(scope="module")
def roles(tables):
    return people()


@pytest.fixture(scope="module")
def known(roles):
    return belongings(roles["owner"])


@pytest.fixture
def browsers(roles):
    """A browser for each role, which shows what a visitor would see of a fault."""
    return {role: browser_of(role, roles, raise_request_exception=False) for role in ROLES}


class TestARequest:
    @pytest.mark.real_engine
    @pytest.mark.parametrize("route", routes())
    def test_that_is_odd_is_no_fault_of_the_site(self, browsers, known, route):
        faults = []
        for request in requests_of(route, known):
            role = CHANCE.choice(ROLES)
            if (status := request.send(browsers[role])) >= 500:
                faults.append((role, status, request))
        assert faults == []


class TestTheRoutes:
    def test_with_forms_and_queries_are_routes_of_the_site(self):
        assert {*FORMS, *QUERIES} <= {*routes()}
