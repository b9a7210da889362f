"""Signing in and out."""

from datetime import UTC, datetime

import pytest
from django.contrib.auth.hashers import ScryptPasswordHasher

from dynapages.calls import Throttled
from dynapages.calls.faults import BUSY
from shop.accounts import models
from shop.accounts.backend import ProfileBackend
from shop.accounts.queries import find_user
from shop.accounts.services import ensure_profile
from tests.support.accounts.cast import (
    NEW_PASSWORD,
    PASSWORD,
    WatchedHasher,
    new_browser,
    set_once,
    sign_in,
    signed_in_name,
)
from tests.support.comments.faulty import unreachable
from tests.support.markup import read_markup

pytestmark = pytest.mark.newest


class TestSigningIn:
    def test_leads_to_the_orders_and_notes_when_it_was(self, browser, alice):
        before = datetime.now(UTC)
        response = sign_in(browser, alice.username)
        assert (response.status_code, response.url) == (302, "/orders/")
        assert signed_in_name(browser) == alice.username
        assert find_user(alice.username).last_login >= before

    def test_leads_staff_to_the_queue(self, browser, sam):
        assert sign_in(browser, sam.username).url == "/staff/orders/"
        assert sign_in(browser, sam.username, next="/orders/").url == "/orders/"

    @pytest.mark.parametrize(
        ("spell", "password", "is_in"),
        [(str.upper, PASSWORD, True), (str.lower, PASSWORD.upper(), False)],
    )
    def test_minds_the_case_of_the_password_alone(self, browser, alice, spell, password, is_in):
        sign_in(browser, spell(alice.username), password)
        assert signed_in_name(browser) == (alice.username if is_in else None)

    @pytest.mark.parametrize("name", ["nobody-here", "no name at all"])
    def test_answers_a_wrong_name_and_a_wrong_password_alike(self, alice, monkeypatch, name):
        answers, hashes = [], []
        for tried in (alice.username, name):
            monkeypatch.setattr(WatchedHasher, "watcher", lambda tried=tried: hashes.append(tried))
            answer = sign_in(new_browser(), tried, "wrong")
            answers.append((answer.status_code, answer.context["form"].non_field_errors()))
        assert hashes == [alice.username, name]
        assert answers[0] == answers[1] == (200, ["Wrong user name or password."])

    def test_is_refused_and_ends_for_who_is_not_active(self, browser, bob):
        sign_in(browser, bob.username)
        user = find_user(bob.username)
        user.is_active = False
        user.save()
        assert signed_in_name(browser) is None
        response = sign_in(browser, bob.username)
        assert "Wrong user name or password." in response.content.decode()
        assert signed_in_name(browser) is None

    def test_is_refused_to_who_was_imported_and_has_no_password(self, browser, tables, fresh):
        name = fresh("imported")
        assert ensure_profile(username=name, joined_at=datetime.now(UTC))
        for password in ("", "!", find_user(name).password):
            sign_in(browser, name, password)
        assert signed_in_name(browser) is None

    @pytest.fixture
    def newer_hasher(self, settings, monkeypatch):
        monkeypatch.setattr(ScryptPasswordHasher, "work_factor", 2)
        scrypt = "django.contrib.auth.hashers.ScryptPasswordHasher"
        settings.PASSWORD_HASHERS = [scrypt, *settings.PASSWORD_HASHERS]

    def test_renews_an_outdated_hash(self, browser, alice, newer_hasher):
        outdated = find_user(alice.username).password
        assert sign_in(browser, alice.username).status_code == 302
        assert find_user(alice.username).password != outdated
        assert signed_in_name(browser) == alice.username

    def test_never_renews_the_hash_of_a_password_changed_meanwhile(
        self, alice, newer_hasher, monkeypatch
    ):
        monkeypatch.setattr(WatchedHasher, "watcher", lambda: set_once(alice, NEW_PASSWORD))
        assert ProfileBackend().authenticate(None, alice.username, PASSWORD) is None
        assert find_user(alice.username).check_password(NEW_PASSWORD)


class TestADatabaseThatIsAway:
    @pytest.mark.parametrize("is_known", [False, True])
    def test_leaves_what_was_typed_but_the_password(self, browser, alice, is_known):
        if is_known:
            sign_in(browser, alice.username)
        with unreachable():
            response = sign_in(browser, alice.username, "the secret", next="/orders/")
        page = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert "The database cannot be reached at the moment. Send this again" in page
        assert f'value="{alice.username}"' in page
        assert 'name="next" value="/orders/"' in page
        assert "the secret" not in page


class TestADateThatIsNotWritten:
    def test_is_one_warning_and_does_not_refuse_the_sign_in(
        self, browser, alice, monkeypatch, caplog
    ):
        def fail(**_: object) -> None:
            raise Throttled(BUSY)

        monkeypatch.setattr(models, "change_account", fail)
        assert sign_in(browser, alice.username).status_code == 302
        assert signed_in_name(browser) == alice.username
        ours = [each for each in caplog.records if each.name == "shop.accounts.models"]
        assert [each.levelname for each in ours] == ["WARNING"]


class TestTheWayOn:
    @pytest.mark.parametrize(
        ("page", "leads_to"),
        [
            ("/products/42/", "/products/42/"),
            ("https://evil.example/", "/orders/"),
            ("/\t/evil.example/", "/orders/"),
        ],
    )
    def test_is_the_page_that_asked_for_it_if_it_is_ours(self, browser, alice, page, leads_to):
        assert sign_in(browser, alice.username, next=page).url == leads_to

    def test_survives_a_wrong_password_and_leads_on_to_the_sign_up_page(self, browser, alice):
        page = sign_in(browser, alice.username, "wrong", next="/products/42/").content.decode()
        assert '<input type="hidden" name="next" value="/products/42/">' in page
        assert 'href="/accounts/sign-up/?next=/products/42/"' in page


class TestTheSampleShop:
    URL = "/accounts/login/?next=/basket/"

    def test_offers_its_users(self, browser, alice, settings):
        settings.SAMPLE_SIGN_IN = (alice.username, "sam", PASSWORD)
        section = read_markup(browser.get(self.URL).content.decode()).one(class_="sample-users")
        customer, staff = section.all("form")
        assert customer.one("button").text == f"{alice.username}, a customer"
        assert staff.one("button").text == "sam, staff"
        fields = {field["name"]: field["value"] for field in customer.all("input", name=True)}
        response = browser.post(self.URL, {**fields, "csrfmiddlewaretoken": ""})
        assert response["Location"] == "/basket/"
        assert signed_in_name(browser) == alice.username

    def test_is_the_only_one_to_offer_any(self, browser):
        page = read_markup(browser.get(self.URL).content.decode())
        assert page.all(class_="sample-users") == []
