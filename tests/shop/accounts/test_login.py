"""Signing in and out."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from dynamo.calls.faults import BUSY, Throttled
from shop.accounts import models
from shop.accounts.backend import ProfileBackend
from shop.accounts.queries import find_user
from shop.accounts.services import ensure_profile
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    Person,
    WatchedHasher,
    new_browser,
    sign_in,
    signed_in_name,
)
from tests.support.comments.faulty import unreachable
from tests.support.markup import read_markup

pytestmark = pytest.mark.newest


class TestSigningIn:
    def test_leads_to_the_orders(self, browser: Client, alice: Person) -> None:
        response = sign_in(browser, alice.username)
        assert (response.status_code, response.url) == (302, "/orders/")
        assert signed_in_name(browser) == alice.username

    def test_leads_staff_to_the_queue(self, browser: Client, sam: Person) -> None:
        assert sign_in(browser, sam.username).url == "/staff/orders/"
        assert sign_in(browser, sam.username, next="/orders/").url == "/orders/"

    def test_does_not_mind_the_case_of_the_name(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username.upper())
        assert signed_in_name(browser) == alice.username

    def test_minds_the_case_of_the_password(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username, PASSWORD.upper())
        assert signed_in_name(browser) is None

    def test_notes_when_it_was(self, browser: Client, alice: Person) -> None:
        before = datetime.now(UTC)
        sign_in(browser, alice.username)
        last_login = find_user(alice.username).last_login
        assert last_login is not None
        assert last_login >= before

    def test_answers_a_wrong_name_and_a_wrong_password_alike(
        self, alice: Person, fresh: Callable[[str], str]
    ) -> None:
        wrong_password = sign_in(new_browser(), alice.username, "wrong")
        wrong_name = sign_in(new_browser(), fresh("nobody"), PASSWORD)
        assert wrong_password.status_code == wrong_name.status_code == 200
        sentences = [
            list(answer.context["form"].non_field_errors())
            for answer in (wrong_password, wrong_name)
        ]
        assert sentences[0] == sentences[1] != []

    @pytest.mark.parametrize("name", ["nobody-here", "no name at all"])
    def test_hashes_as_often_for_a_wrong_name(
        self, alice: Person, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        hashes: list[str] = []
        for tried in (alice.username, name):
            monkeypatch.setattr(WatchedHasher, "watcher", lambda tried=tried: hashes.append(tried))
            sign_in(new_browser(), tried, "wrong")
        assert hashes.count(name) == hashes.count(alice.username) == 1

    def test_is_refused_to_who_is_not_active(self, browser: Client, bob: Person) -> None:
        _deactivate(bob)
        response = sign_in(browser, bob.username)
        assert "Wrong user name or password." in response.content.decode()
        assert signed_in_name(browser) is None

    def test_is_refused_to_who_was_imported_and_has_no_password(
        self, browser: Client, tables: None, fresh: Callable[[str], str]
    ) -> None:
        name = fresh("imported")
        assert ensure_profile(username=name, joined_at=datetime.now(UTC))
        for password in ("", "!", find_user(name).password):
            sign_in(browser, name, password)
        assert signed_in_name(browser) is None

    def test_renews_an_outdated_hash(self, browser: Client, alice: Person, settings: Any) -> None:
        outdated = find_user(alice.username).password
        settings.PASSWORD_HASHERS = [
            "django.contrib.auth.hashers.ScryptPasswordHasher",
            *settings.PASSWORD_HASHERS,
        ]
        assert sign_in(browser, alice.username).status_code == 302
        assert find_user(alice.username).password != outdated
        assert signed_in_name(browser) == alice.username

    def test_never_renews_the_hash_of_a_password_changed_meanwhile(
        self, alice: Person, settings: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        settings.PASSWORD_HASHERS = [
            "django.contrib.auth.hashers.ScryptPasswordHasher",
            *settings.PASSWORD_HASHERS,
        ]
        monkeypatch.setattr(WatchedHasher, "watcher", lambda: _give_password_once(alice))
        assert ProfileBackend().authenticate(None, alice.username, PASSWORD) is None
        assert find_user(alice.username).check_password(NEW_PASSWORD)


class TestADatabaseThatIsAway:
    def test_leaves_what_was_typed_but_the_password(self, browser: Client, alice: Person) -> None:
        with unreachable():
            response = sign_in(browser, alice.username, "the secret", next="/orders/")
        page = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert "The database cannot be reached at the moment. Send this again" in page
        assert f'value="{alice.username}"' in page
        assert 'name="next" value="/orders/"' in page
        assert "the secret" not in page

    def test_does_not_ask_for_the_user_again_to_show_the_form(
        self, browser: Client, alice: Person
    ) -> None:
        sign_in(browser, alice.username)
        with unreachable():
            response = sign_in(browser, alice.username, next="/orders/")
        assert response.status_code == 503
        assert f'value="{alice.username}"' in response.content.decode()

    def test_signs_in_once_it_is_back(self, browser: Client, alice: Person) -> None:
        with unreachable():
            sign_in(browser, alice.username)
        assert sign_in(browser, alice.username).status_code == 302


class TestADateThatIsNotWritten:
    @pytest.fixture(autouse=True)
    def fault(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(**_: object) -> None:
            raise Throttled(BUSY)

        monkeypatch.setattr(models, "change_account", fail)

    def test_does_not_refuse_the_sign_in(self, browser: Client, alice: Person) -> None:
        assert sign_in(browser, alice.username).status_code == 302
        assert signed_in_name(browser) == alice.username

    def test_is_one_warning(
        self, browser: Client, alice: Person, caplog: pytest.LogCaptureFixture
    ) -> None:
        sign_in(browser, alice.username)
        ours = [each for each in caplog.records if each.name == "shop.accounts.models"]
        assert [(each.levelname, each.getMessage()) for each in ours] == [
            ("WARNING", f"The date of a sign-in was not written: {BUSY}")
        ]


class TestTheWayOn:
    def test_is_the_page_that_asked_for_it(self, browser: Client, alice: Person) -> None:
        assert sign_in(browser, alice.username, next="/products/42/").url == "/products/42/"

    @pytest.mark.parametrize(
        "next_url",
        [
            "https://evil.example/",
            "//evil.example/",
            r"\\evil.example",
            "/\t/evil.example/",
            "javascript:alert(1)",
        ],
    )
    def test_never_leads_to_another_site(
        self, browser: Client, alice: Person, next_url: str
    ) -> None:
        assert sign_in(browser, alice.username, next=next_url).url == "/orders/"

    def test_survives_a_wrong_password(self, browser: Client, alice: Person) -> None:
        page = sign_in(browser, alice.username, "wrong", next="/products/42/").content.decode()
        assert '<input type="hidden" name="next" value="/products/42/">' in page

    def test_is_handed_on_to_the_sign_up_page(self, browser: Client) -> None:
        page = browser.get("/accounts/login/?next=/products/42/").content.decode()
        assert 'href="/accounts/sign-up/?next=/products/42/"' in page


@pytest.mark.fallback
class TestASession:
    def test_ends_when_signing_out(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        assert browser.post("/accounts/logout/").status_code == 200
        assert signed_in_name(browser) is None

    def test_ends_when_the_user_is_deactivated(self, browser: Client, alice: Person) -> None:
        sign_in(browser, alice.username)
        _deactivate(alice)
        assert signed_in_name(browser) is None

    def test_knows_the_staff(self, browser: Client, sam: Person, alice: Person) -> None:
        assert find_user(sam.username).is_staff
        assert not find_user(alice.username).is_staff


def _deactivate(person: Person) -> None:
    user = find_user(person.username)
    user.is_active = False
    user.save()


def _give_password_once(person: Person) -> None:
    WatchedHasher.watcher = staticmethod(lambda: None)
    user = find_user(person.username)
    user.set_password(NEW_PASSWORD)
    user.save()


class TestTheSampleShop:
    URL = "/accounts/login/?next=/basket/"

    def test_offers_its_users(self, browser: Client, alice: Person, settings: Any) -> None:
        settings.SAMPLE_SIGN_IN = (alice.username, "sam", PASSWORD)
        section = read_markup(browser.get(self.URL).content.decode()).one(class_="sample-users")
        customer, staff = section.all("form")
        assert customer.one("button").text == f"{alice.username}, a customer"
        assert staff.one("button").text == "sam, staff"
        fields = {field["name"]: field["value"] for field in customer.all("input", name=True)}
        response = browser.post(self.URL, {**fields, "csrfmiddlewaretoken": ""})
        assert response["Location"] == "/basket/"
        assert signed_in_name(browser) == alice.username

    def test_is_the_only_one_to_offer_any(self, browser: Client) -> None:
        page = read_markup(browser.get(self.URL).content.decode())
        assert page.all(class_="sample-users") == []
