"""Making an account."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from shop.accounts.names import USERNAME_RULE, is_reserved
from shop.accounts.queries import find_user, users_with_email
from shop.table import TABLE
from tests.support.accounts.cast import (
    PASSWORD,
    new_browser,
    sign_in,
    sign_up,
    signed_in_name,
)
from tests.support.comments.faulty import Fault, unreachable
from tests.support.markup import read_markup

SIGN_UP = "/accounts/sign-up/"
WRITE = f"TransactWriteItems Put {TABLE}  USER PROFILE"
"""The write of a profile without an e-mail address."""
pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]


@pytest.mark.fallback
class TestSigningUp:
    def test_makes_the_account_and_signs_in(self, browser, fresh):
        name = fresh("carla")
        response = sign_up(browser, f" {name.upper()} ", email="")
        assert (response.status_code, response.url) == (302, "/orders/")
        assert signed_in_name(browser) == name
        user = find_user(name)
        assert (user.is_staff, user.email) == (False, "")

    @pytest.mark.parametrize("is_given", [True, False])
    def test_says_that_an_e_mail_was_sent_where_an_address_was_given(
        self, browser, fresh, is_given
    ):
        name = fresh("carla")
        address = f"{name}@example.com" if is_given else ""
        response = sign_up(browser, name, email=address)
        page = read_markup(browser.get(response.url).content.decode())
        told = f"We have sent an e-mail to {name}@example.com." in page.text
        assert told is is_given

    @pytest.mark.parametrize(
        ("name", "why"),
        [("al", "3 characters or more"), ("-alice", "must begin with"), ("al ice", "a space")],
    )
    def test_says_why_a_user_name_is_not_allowed(self, browser, name, why):
        response = sign_up(browser, name, email="")
        (error,) = response.context["form"].errors["username"]
        assert why in error

    def test_lets_two_give_one_e_mail_address(self, fresh):
        address = f"{fresh('Family')}@Example.com"
        names = {fresh("carla"), fresh("diego")}
        for name in names:
            sign_up(new_browser(), name, email=address)
        assert {user.username for user in users_with_email(address.lower())} == names

    @pytest.mark.parametrize(
        ("page", "there"),
        [("/products/42/", "/products/42/"), ("https://evil.example/", "/orders/")],
    )
    def test_leads_on_to_the_page_that_asked_for_it(self, browser, fresh, page, there):
        assert sign_up(browser, fresh("carla"), next=page).url == there


class TestSigningUpIsRefused:
    @pytest.mark.parametrize("name", ["al", "-alice", "al#ice", "alïce", "a" * 65, "al ice"])
    def test_for_a_name_nobody_can_have(self, browser, name):
        response = sign_up(browser, name)
        assert response.status_code == 200
        assert response.context["form"].errors["username"]
        assert response.content.decode().count(str(USERNAME_RULE)) <= 1, (
            "error and help say the same"
        )

    def test_for_a_name_that_is_taken_in_any_case(self, browser, alice):
        response = sign_up(browser, alice.username.title(), "another password")
        assert response.context["form"].errors["username"] == ["That user name is taken."]
        assert signed_in_name(browser) is None
        assert sign_in(browser, alice.username, PASSWORD).status_code == 302

    @pytest.mark.parametrize("password", ["password", "1234567890", "short", "lampshade", None])
    def test_for_a_weak_password(self, browser, fresh, password):
        name = fresh("carla")
        response = sign_up(browser, name, password or name)
        assert response.context["form"].errors["password1"]

    @pytest.mark.parametrize(
        "name",
        [
            *("admin", "Support", "dynashop", "no-reply", "admin1", "s.h.o.p"),
            *("dynashop-support", "support.dynashop", "the_dynashop_team", "dynashop24"),
            *("billing-team", "shop-admin", "customer.service-2", "head-of-dynashop"),
            *("supp0rt", "dyna5hop-he1p", "4dm1n-team"),
        ],
    )
    def test_for_a_name_that_is_kept_for_the_shop(self, browser, name):
        response = sign_up(browser, name)
        assert "reserved for the shop" in str(response.context["form"].errors["username"])

    @pytest.mark.parametrize("name", ["shopper", "dyna", "supporter", "teal", "hal-helps", "2005"])
    def test_but_not_for_a_name_that_is_only_like_one(self, name):
        assert not is_reserved(name)

    @pytest.mark.parametrize(
        ("site", "is_kept"), [("Teal & Oak", True), ("Hal Books", False), ("", False)]
    )
    def test_for_the_name_of_the_site_alone(self, settings, site, is_kept):
        settings.SITE_NAME = site
        assert is_reserved("the.tea1-oak") is is_kept

    def test_for_a_password_that_is_very_long(self, browser, fresh):
        response = sign_up(browser, fresh("carla"), "long enough! " * 10)
        assert "up to 128" in str(response.context["form"].errors["password1"])

    def test_for_all_that_is_wrong_at_once(self, browser, alice):
        fields = {"username": alice.username, "email": "nobody", "password2": "another"}
        response = browser.post(SIGN_UP, {**fields, "password1": "short"})
        errors = response.context["form"].errors
        assert sorted(errors) == ["email", "password1", "password2", "username"]
        assert errors["username"] == ["That user name is taken."]

    @pytest.mark.parametrize(
        ("typed", "focused"),
        [
            ({"username": "x"}, "id_username"),
            ({"email": "nobody"}, "id_email"),
            ({"password1": "short", "password2": "short"}, "id_password1"),
            ({"password2": "another"}, "id_password2"),
        ],
    )
    def test_with_the_focus_on_the_first_field_that_is_wrong(self, browser, fresh, typed, focused):
        fields = {"username": fresh("carla"), "password1": PASSWORD, "password2": PASSWORD}
        page = read_markup(browser.post(SIGN_UP, {**fields, **typed}).content.decode())
        assert [field["id"] for field in page.all("input", autofocus=True)] == [focused]

    def test_for_a_taken_name_as_rarely_as_for_a_new_account(self, browser, alice, allow):
        allow(1, "SIGN_UPS_FROM_AN_ADDRESS")
        fields = {"username": alice.username, "password1": "short"}
        told = [browser.post(SIGN_UP, fields).status_code for _ in range(2)]
        assert told == [200, 429]

    def test_after_too_many_from_one_address(self, browser, fresh, allow):
        allow(2, "SIGN_UPS_FROM_AN_ADDRESS")
        for _ in range(2):
            assert sign_up(browser, fresh("carla")).status_code == 302
        name = fresh("carla")
        response = sign_up(browser, name, email="carla@example.com")
        assert response.status_code == 429
        assert 0 < int(response["Retry-After"]) <= 1_800
        assert f'value="{name}"' in response.content.decode()
        assert 'value="carla@example.com"' in response.content.decode()


class TestADatabaseThatIsAway:
    @pytest.mark.parametrize("is_wholly", [True, False])
    def test_leaves_what_was_typed_but_the_passwords(self, browser, fresh, is_wholly):
        name, fault = fresh("carla"), Fault("before it is sent", kind=WRITE)
        email = "carla@example.com" if is_wholly else ""
        with unreachable() if is_wholly else fault.injected():
            response = sign_up(browser, name, "the secret words", email=email)
        page = response.content.decode()
        assert (response.status_code, response["Retry-After"]) == (503, "5")
        assert fault.failed != is_wholly, fault.calls
        assert "Send this again" in page
        assert f'value="{name}"' in page
        assert (f'value="{email}"' in page) == is_wholly
        assert "the secret words" not in page
        assert signed_in_name(browser) is None


@pytest.mark.real_engine
class TestTwoWhoSignUpAtOnce:
    def test_do_not_get_the_same_name(self, fresh):
        name = fresh("carla")
        passwords = [f"{PASSWORD} {number}" for number in range(4)]
        browsers = [new_browser() for _ in passwords]
        with ThreadPoolExecutor(len(passwords)) as pool:
            answers = list(pool.map(lambda b, p: sign_up(b, name, p), browsers, passwords))
        assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 302]
        winner = next(p for p, a in zip(passwords, answers, strict=True) if a.status_code == 302)
        assert sign_in(new_browser(), name, winner).status_code == 302
