"""Who gets what at every address: all URL patterns, by everybody, with and without a form."""

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponse
from django.test import Client, RequestFactory

from dynamo.web.shedding import WithoutBodies
from tests.support.comments.writers import Writer
from tests.support.config.addresses import (
    ROLES,
    address,
    belongings,
    browser_of,
    people,
    routes,
)

pytestmark = pytest.mark.usefixtures("tables")

ALL = "200 200 200 200"
NONE = "405 405 405 405"
TOKENLESS = {"language/"}
"""Forms on pages that shared caches keep, and that can do no harm."""
Row = tuple[str, str]
MATRIX: dict[str, Row] = {
    "categories/": (ALL, NONE),
    "categories/<id:slug>/": (ALL, NONE),
    "products/<id:product_id>/also-bought/": (ALL, NONE),
    "basket/": (ALL, NONE),
    "basket/add/": ("404 404 404 404", "404 404 404 404"),
    "basket/remove/": (NONE, "302 302 302 302"),
    "basket/change/": (NONE, "302 302 302 302"),
    "basket/order/": ("in 302 302 302", NONE),
    "basket/place/": (NONE, "in 400 400 400"),
    "orders/": ("in 200 200 200", NONE),
    "orders/<id:order_id>/": ("in 200 404 200", NONE),
    "orders/<id:order_id>/move/": (NONE, "in 400 400 400"),
    "orders/<id:order_id>/again/": (NONE, "in 302 404 404"),
    "orders/<id:order_id>/cancel/": ("in 200 404 200", NONE),
    "staff/activity/": ("in 404 404 200", NONE),
    "orders/<id:order_id>/pickup/": ("in 200 404 404", NONE),
    "orders/<id:order_id>/pickup/choose/": (NONE, "in 404 404 404"),
    "orders/<id:order_id>/pickup/forget/": (NONE, "in 302 404 404"),
    "robots.txt": (ALL, NONE),
    "sitemap.xml": (ALL, NONE),
    "sitemap-products.xml": ("404 404 404 404", NONE),
    "staff/orders/": ("in 404 404 200", NONE),
    "staff/find/": ("in 404 404 200", NONE),
    "staff/orders.csv": ("in 404 404 200", NONE),
    "staff/activity.csv": ("in 404 404 200", NONE),
    "staff/customers/<id:username>/orders.csv": ("in 404 404 200", NONE),
    "staff/orders/move/": (NONE, "in 404 404 400"),
    "staff/orders/all/": ("in 404 404 400", "in 404 404 400"),
    "staff/customers/<id:username>/orders/": ("in 404 404 200", NONE),
    "": (ALL, NONE),
    "examples/": ("404 404 404 404", NONE),
    "rankings/most-loved/": (ALL, NONE),
    "rankings/recently-commented/": (ALL, NONE),
    "products/<id:product_id>/": (ALL, NONE),
    "products/<id:product_id>/comments/<str:languages>/<str:ratings>/": (ALL, NONE),
    "products/<id:product_id>/most-helpful/": (ALL, NONE),
    "products/<id:product_id>/comments/new/": ("in 200 200 200", "403 422 422 422"),
    "comments/vote/<id_with_slashes:comment_id>/": (NONE, "in 400 302 302"),
    "comments/report/<id_with_slashes:comment_id>/": ("in 404 200 200", "403 422 422 422"),
    "staff/comments/": ("in 404 404 200", NONE),
    "staff/comments/hidden/": ("in 404 404 200", NONE),
    "staff/comments.csv": ("in 404 404 200", NONE),
    "staff/comments/hidden.csv": ("in 404 404 200", NONE),
    "staff/comments/decide/<id_with_slashes:comment_id>/": (NONE, "in 404 404 400"),
    "staff/comments/feature/<id_with_slashes:comment_id>/": (NONE, "in 404 404 302"),
    "staff/comments/reply/<id_with_slashes:comment_id>/": (NONE, "403 404 404 422"),
    "comments/edit/<id_with_slashes:comment_id>/": ("in 200 404 404", "403 422 422 422"),
    "comments/delete/<id_with_slashes:comment_id>/": ("in 200 404 200", "in 302 404 302"),
    "comments/~/<id_with_slashes:comment_id>/": (ALL, NONE),
    "comments/<plain_comment_id:comment_id>/": (ALL, NONE),
    "languages/detect/": (NONE, "204 200 200 200"),
    "users/<id:username>/": (ALL, NONE),
    "account/": ("in 200 200 200", NONE),
    "account/email/": ("in 200 200 200", "in 200 200 200"),
    "account/email/letter/": (NONE, "in 302 302 302"),
    "account/email/keep/": (NONE, "in 302 302 302"),
    "account/data/": (NONE, "in 200 200 200"),
    "accounts/sign-up/": (ALL, ALL),
    "accounts/login/": (ALL, ALL),
    "accounts/login/code/": ("in 200 200 200", "in 200 200 200"),
    "accounts/confirm/<token>/": (ALL, ALL),
    "accounts/second-factor/": ("in 200 200 200", "in 200 200 200"),
    "accounts/second-factor/off/": ("in 200 200 200", "in 200 200 200"),
    "accounts/logout/": (NONE, ALL),
    "accounts/password_change/": ("in 200 200 200", "in 200 200 200"),
    "accounts/password_change/done/": ("in 200 200 200", "in 405 405 405"),
    "accounts/password_reset/": (ALL, ALL),
    "accounts/password_reset/done/": (ALL, NONE),
    "accounts/reset/<uidb64>/<token>/": (ALL, ALL),
    "accounts/reset/done/": (ALL, NONE),
    "language/": (NONE, "302 302 302 302"),
    "lab/": (ALL, NONE),
    "docs/<path:name>/": (ALL, NONE),
    "form-token/": (ALL, NONE),
    "healthz": (ALL, NONE),
    "readyz": (ALL, NONE),
}
"""What GET, and a POST of an empty form with its token, answer to nobody, owner, other and staff.

“in” leads to the page to sign in. What whole forms answer is in the rooms' own tests.
"""


def told(response: HttpResponse) -> str:
    location = response.get("Location", "")
    return "in" if location.startswith("/accounts/login/") else str(response.status_code)


def head(path: str, browser: Client) -> tuple[dict[str, str], bytes]:
    """The status and headers that a server gets for HEAD, and the body, which it has to drop."""
    cookies = "; ".join(f"{name}={one.value}" for name, one in browser.cookies.items())
    environ = RequestFactory(headers={"Cookie": cookies}).head(path).environ
    told: dict[str, str] = {}

    def start(status: str, headers: list[tuple[str, str]]) -> None:
        told.update(headers, status=status)

    return told, b"".join(WithoutBodies(WSGIHandler())(environ, start))


@pytest.fixture(scope="module")
def known(tables: None) -> dict[str, Writer]:
    return people()


@pytest.fixture
def visit(known: dict[str, Writer]):
    """Makes a browser of a role, and the path of a route to something new of the owner's."""

    def make(route: str, role: str) -> tuple[Client, str]:
        browser = browser_of(role, known, enforce_csrf_checks=True)
        return browser, address(route, belongings(known["owner"]).arguments)

    return make


def token_of(browser: Client) -> dict[str, str]:
    return {"csrfmiddlewaretoken": browser.get("/form-token/").content.decode()}


class TestTheMatrix:
    def test_has_a_row_for_every_address(self):
        assert sorted(MATRIX) == sorted(routes())

    @pytest.mark.parametrize("route", MATRIX)
    def test_says_who_sees_a_page(self, visit, route):
        answers = []
        for role in ROLES:
            browser, path = visit(route, role)
            answers.append(told(browser.get(path)))
        assert " ".join(answers) == MATRIX[route][0]

    @pytest.mark.parametrize("route", MATRIX)
    def test_says_who_may_send_a_form(self, visit, route):
        answers = []
        for role in ROLES:
            browser, path = visit(route, role)
            answers.append(told(browser.post(path, token_of(browser))))
        assert " ".join(answers) == MATRIX[route][1]


class TestHead:
    @pytest.mark.parametrize("route", MATRIX)
    def test_answers_as_get_does_but_for_the_body(self, visit, route):
        for role in ROLES:
            browser, path = visit(route, role)
            got = browser.get(path)
            told, body = head(path, browser)
            assert (told["status"], told.get("Content-Type")) == (
                f"{got.status_code} {got.reason_phrase}",
                got.get("Content-Type"),
            )
            assert body == b""

    @pytest.mark.parametrize(
        "path", ["/?format=json", "/users/sam/?format=atom", "/nowhere/", "/static/css/base.css"]
    )
    def test_has_no_body_in_another_form_either(self, known, path):
        assert head(path, Client())[1] == b""


class TestEveryAddress:
    @pytest.mark.parametrize("route", sorted({*routes()} - TOKENLESS))
    def test_takes_no_form_without_a_token(self, visit, route):
        for role in ROLES:
            browser, path = visit(route, role)
            assert browser.post(path, {"next": "/"}).status_code == 403

    @pytest.mark.parametrize("route", routes())
    def test_is_kept_by_no_cache_for_somebody(self, visit, route):
        for role in ROLES[1:]:
            browser, path = visit(route, role)
            for response in (browser.get(path), browser.post(path), browser.delete(path)):
                directives = set(response["Cache-Control"].split(", "))
                assert {"private", "no-store"} <= directives, (role, response)
