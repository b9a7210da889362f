"""The page of one's own account: what it shows, and where it leads."""

import pytest
from django.test import Client

from dynamo.calls.meter import metered
from shop.accounts import services
from shop.accounts.queries import find_user
from tests.support.accounts.cast import send_while_away, sign_in
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
        typed = {"code": "123456", "csrfmiddlewaretoken": "t" * 32}
        response = send_while_away(hers, path, typed)
        assert response.status_code == 503
        form = read_markup(response.content.decode()).one("main").one("form")
        assert {field["name"] for field in form.all("input")} == {"csrfmiddlewaretoken"}
        assert form.one("button").text == "Send again"


class TestThePage:
    def test_shows_the_name_and_whether_the_address_is_confirmed(self, hers, alice):
        text = page_of(hers).one("main").text
        assert alice.username in text
        assert f"{alice.email} (not confirmed yet)" in text
        services.confirm(alice.username, alice.email)
        assert f"{alice.email} (confirmed)" in page_of(hers).one("main").text

    def test_says_what_is_missing_without_an_address(self, browser, bob):
        sign_in(browser, bob.username)
        text = page_of(browser).one("main").text
        assert "You have no e-mail address here." in text
        assert "Send the e-mail again" not in text

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

    @pytest.mark.real_engine
    def test_costs_the_read_of_the_user_alone(self, hers):
        with metered() as meter:
            hers.get("/account/")
        assert (meter.requests(), meter.rounds, meter.capacity_units()) == (1, 1, 1.0)


class TestWhatWasChosenThere:
    def test_leads_back_after_a_new_password(self, hers):
        page = page_of(hers, "/accounts/password_change/done/")
        assert page.one("main").all("a", href="/account/")

    def test_leads_back_after_an_address_was_confirmed(self, hers, alice):
        token = services.token_for(alice.username, alice.email or "")
        answer = read_markup(hers.post(f"/accounts/confirm/{token}/").content.decode())
        assert answer.one("main").one("a")["href"] == "/account/"
        assert find_user(alice.username).email_confirmed
