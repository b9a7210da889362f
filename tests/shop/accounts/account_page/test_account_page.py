"""The page of one's own account: what it shows, and where it leads."""

from urllib.parse import urlencode

import pytest
from django.test import Client

from shop.accounts import confirmation
from tests.support.comments.faulty import unreachable
from tests.support.markup import Element, read_markup

pytestmark = pytest.mark.usefixtures("tables")


def page_of(browser: Client, path: str = "/account/") -> Element:
    return read_markup(browser.get(path).content.decode())


class TestAFormOfTheAccount:
    @pytest.mark.parametrize(
        "path",
        [
            *("/account/email/", "/account/email/keep/", "/accounts/password_change/"),
            *("/accounts/second-factor/", "/accounts/second-factor/off/"),
        ],
    )
    def test_can_be_sent_again_while_the_database_is_away(self, hers, path):
        typed = urlencode({"code": "123456", "csrfmiddlewaretoken": "t" * 32})
        form, headers = "application/x-www-form-urlencoded", {"Origin": "http://testserver"}
        with unreachable():
            response = hers.post(path, typed, content_type=form, headers=headers)
        assert response.status_code == 503
        form = read_markup(response.content.decode()).one("main").one("form")
        assert {field["name"] for field in form.all("input")} == {"csrfmiddlewaretoken"}
        assert form.one("button").text == "Send again"


class TestThePage:
    def test_shows_the_name_and_whether_the_address_is_confirmed(self, hers, alice):
        text = page_of(hers).one("main").text
        assert alice.username in text
        assert f"{alice.email} (not confirmed yet)" in text
        confirmation.confirm(alice.username, alice.email)
        assert f"{alice.email} (confirmed)" in page_of(hers).one("main").text

    def test_leads_to_all_that_belongs_to_the_account(self, hers, alice):
        links = {link["href"] for link in page_of(hers).one("main").all("a")}
        assert links >= {
            "/account/email/",
            "/accounts/password_change/",
            "/accounts/second-factor/",
            "/orders/",
            f"/users/{alice.username}/",
        }
        assert page_of(hers).one("main").one("form", action="/account/data/")

    def test_is_behind_the_name_in_the_header(self, hers, alice):
        assert page_of(hers, "/categories/").one(class_="user-name")["href"] == "/account/"
        assert page_of(hers).one(class_="user-name")["aria-current"] == "page"
