"""Forms whose session ended while somebody typed: what was typed comes back, passwords do not."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.test import Client

from tests.support.chance import unique
from tests.support.config.addresses import MATRIX, address, belongings, browser_of, people
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")
TOKEN = "t" * 32
TYPED = "A lamp, typed at length"
FIELDS = {"title": TYPED, "body": TYPED, "text": TYPED, "name": TYPED, "q": TYPED}
SECRETS = {"password": "sesame-and-salt", "old_password": "sesame-and-salt", "code": "912837"}
FROM_OUR_PAGE = {"origin": "http://testserver"}
FROM_ANOTHER_SITE = {"origin": "https://other.example"}
NOT_TYPED_INTO = {"languages/detect/", "accounts/password_change/done/"}
"""A script asks at the first, and shows no page; the second has no form."""
OF_SECRETS = {
    "accounts/login/code/",
    "accounts/password_change/",
    "accounts/second-factor/",
    "accounts/second-factor/off/",
}


def behind_the_sign_in() -> list[str]:
    """The routes whose forms nobody may send who is not signed in."""
    routes = []
    for route, (_get, post) in MATRIX.items():
        if post.split()[0] in {"in", "403"} and route not in NOT_TYPED_INTO:
            routes.append(route)
    return routes


@pytest.fixture(scope="module")
def known(tables):
    return people()


@pytest.fixture(scope="module")
def things(known):
    return belongings(known["owner"])


def post(browser: Client, path: str, fields: dict[str, str], headers: dict[str, str]) -> Any:
    """Send a form as browsers do."""
    body = urlencode({"csrfmiddlewaretoken": TOKEN, **fields})
    form_type = "application/x-www-form-urlencoded"
    return browser.post(path, body, content_type=form_type, headers=headers)


def send(browser: Client, path: str, fields: dict[str, str], headers: dict[str, str]) -> Element:
    """Send a form with a right token, and return the page that is refused with 403."""
    browser.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
    answer = post(browser, path, fields, headers)
    assert answer.status_code == 403, answer.headers
    assert "no-store" in answer["Cache-Control"]
    return read_markup(answer.content.decode())


def values_in(page: Element) -> list[str]:
    """What the fields of the forms of a page would send."""
    values = []
    for field in page.one("main").all("input"):
        values.append(field.get("value") or "")
    for field in page.one("main").all("textarea"):
        values.append(field.text)
    return values


class TestAFormWhoseSessionEnded:
    @pytest.mark.parametrize("route", sorted(set(behind_the_sign_in()) - OF_SECRETS))
    def test_comes_back_with_what_was_typed(self, known, things, route):
        browser = browser_of("nobody", known, enforce_csrf_checks=True)
        path = address(route, things.arguments)
        page = send(browser, path, {**FIELDS, **SECRETS, "next": "//other.example"}, FROM_OUR_PAGE)
        values = values_in(page)
        assert TYPED in values
        assert not set(SECRETS.values()) & set(values)
        assert "not signed in any more" in page.text
        assert page.one("main").all("a", target="_blank")

    @pytest.mark.parametrize("route", sorted(OF_SECRETS))
    def test_of_passwords_and_codes_says_that_they_are_asked_for_again(self, known, things, route):
        browser = browser_of("nobody", known, enforce_csrf_checks=True)
        page = send(browser, address(route, things.arguments), SECRETS, FROM_OUR_PAGE)
        assert "you will be asked for them again" in page.text
        for secret in SECRETS.values():
            assert secret not in str(values_in(page))

    def test_is_kept_for_no_other_site(self, known):
        browser = browser_of("nobody", known)
        answer = post(browser, "/staff/products/new/", FIELDS, FROM_ANOTHER_SITE)
        assert answer["Location"].startswith("/accounts/login/")

    def test_is_told_of_in_german(self, known):
        browser = browser_of("nobody", known)
        headers = {**FROM_OUR_PAGE, "accept-language": "de"}
        page = send(browser, "/staff/products/new/", FIELDS, headers)
        assert "nicht mehr angemeldet" in page.text

    def test_is_sent_by_its_button_once_somebody_has_signed_in(self, known):
        product_id = unique("typed")
        stranger = browser_of("nobody", known)
        fields = {"id": product_id, "name": TYPED, "description": TYPED}
        page = send(stranger, "/staff/products/new/", fields, FROM_OUR_PAGE)
        (form,) = page.one("main").all("form")
        sent = {field["name"]: field["value"] for field in form.all("input")}
        staff = browser_of("staff", known)
        # Signing in sends nothing.
        assert staff.get(f"/products/{product_id}/").status_code == 404
        answer = staff.post("/staff/products/new/", sent)
        assert answer["Location"] == f"/products/{product_id}/"


class TestAFormFromBeforeTheSignIn:
    @pytest.mark.parametrize("headers", [FROM_OUR_PAGE, FROM_ANOTHER_SITE])
    def test_is_kept_with_a_new_token_if_it_is_of_our_page(self, known, headers):
        staff = browser_of("staff", known, enforce_csrf_checks=True)
        path = "/staff/orders/move/"
        staff.cookies[settings.CSRF_COOKIE_NAME] = TOKEN
        fields = {"csrfmiddlewaretoken": "o" * 32, "reason": TYPED}
        answer = post(staff, path, fields, headers)
        assert answer.status_code == 403
        page = read_markup(answer.content.decode())
        is_kept = headers is FROM_OUR_PAGE
        assert (TYPED in values_in(page)) is is_kept
        if is_kept:
            token = page.one("main").one("input", name="csrfmiddlewaretoken")["value"]
            assert token != "o" * 32
