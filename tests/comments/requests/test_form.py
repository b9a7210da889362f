"""The form that a request for reviews leads to: its stars, the purchase, and what is counted."""

from urllib.parse import urlencode, urlsplit

import pytest
from django.test import Client

from comments import keys
from comments.requests.links import form_path, request_token
from comments.store.table import read_item
from dynapages.calls import metered
from shop.accounts.queries import find_user
from shop.orders.items import NewLine
from tests.support.accounts.cast import PASSWORD
from tests.support.comments.browsing import Shown
from tests.support.comments.requested import ask, emails_to, form_links_in, purchase_of
from tests.support.comments.writers import WORDS, Writer, fields_of, new_url
from tests.support.costs import Costs
from tests.support.orders.making import made_order, put
from tests.support.work import finish_what_waits, forget_what_waits

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
MARKED = "marked as “Verified purchase”"


def buy(writer: Writer, product_id: str) -> None:
    put(made_order(writer.username, lines=[NewLine(product_id, "Lamp", 1, 100)]))


def chosen(shown: Shown) -> str | None:
    return fields_of(shown).get("rating")


def asked_about(writer: Writer, product_id: str) -> tuple[str, dict[str, str]]:
    """Ask somebody for a review; the link in the e-mail, and the key of the request."""
    purchase = purchase_of(writer.username, product_id)
    ask(purchase)
    (email,) = emails_to(writer.username)
    return form_links_in(email)[0], keys.request(writer.username, purchase.id)


class TestTheStars:
    @pytest.mark.parametrize("rating", ["1", "4", "5"])
    def test_are_chosen_by_the_address(self, ann, lamp, rating):
        assert chosen(ann.get(f"{new_url(lamp)}?rating={rating}")) == rating

    @pytest.mark.parametrize("rating", ["", "0", "6", "4.0", "\u0664", "four"])
    def test_are_not_chosen_by_anything_else(self, ann, lamp, rating):
        assert chosen(ann.get(f"{new_url(lamp)}?rating={rating}")) is None

    def test_are_chosen_after_signing_in(self, ann, lamp):
        url = f"{new_url(lamp)}?{urlencode({'bought': 'yes', 'rating': '4', 'request': 'a:b'})}"
        user = find_user(ann.username)
        user.set_password(PASSWORD)
        user.save()
        browser = Client()
        login = browser.get(url)["Location"]
        assert urlsplit(login).path == "/accounts/login/"
        typed = {"username": ann.username, "password": PASSWORD}
        answer = browser.post(login, typed)
        assert answer["Location"] == url
        assert 'value="4"' in browser.get(url).content.decode()


class TestABuyer:
    def test_reads_that_the_comment_will_be_marked(self, ann, lamp):
        buy(ann, lamp)
        assert MARKED in ann.get(form_path(lamp)).page.text
        assert MARKED in ann.get(f"{form_path(lamp)}&another=yes").page.text

    def test_reads_it_in_german(self, ann, lamp):
        buy(ann, lamp)
        page = ann.browser.get(form_path(lamp), headers={"Accept-Language": "de"})
        assert "als „Verifizierter Kauf“ gekennzeichnet" in page.content.decode()

    def test_does_not_read_it_without_the_parameter(self, ann, lamp):
        buy(ann, lamp)
        assert MARKED not in ann.get(new_url(lamp)).page.text

    def test_who_is_none_does_not_read_it(self, ann, lamp):
        assert MARKED not in ann.get(form_path(lamp)).page.text

    def test_who_has_reviewed_it_is_shown_that_comment(self, ann, lamp):
        buy(ann, lamp)
        ann.has_written(lamp)
        assert "You reviewed this" in ann.get(form_path(lamp)).page.text


@pytest.mark.real_engine
class TestTheCostsOfTheForm:
    def test_grow_by_one_read_in_the_same_round_with_the_parameter(self, ann, lamp):
        buy(ann, lamp)

        def cost(url: str) -> Costs:
            ann.get(url)
            with metered() as meter:
                ann.get(url)
            return Costs.of(meter)

        without, with_it = cost(new_url(lamp)), cost(form_path(lamp, token="none", rating=4))
        assert with_it.calls == without.calls + 1
        assert with_it.rounds == without.rounds
        assert with_it.units == without.units + 0.5


class TestARequest:
    def test_is_opened_once_by_the_customer(self, ann, lamp):
        link, key = asked_about(ann, lamp)
        opened = []
        for _ in range(2):
            assert ann.get(link).status == 200
            finish_what_waits()
            opened.append(read_item(key)["opened"])
        assert opened[0] == opened[1]

    def test_is_not_opened_by_a_program_that_follows_links(self, ann, lamp):
        link, key = asked_about(ann, lamp)
        assert Client().get(link).status_code == 302
        finish_what_waits()
        assert "opened" not in read_item(key)

    def test_is_not_opened_by_somebody_else(self, ann, bob, lamp):
        link, key = asked_about(ann, lamp)
        assert bob.get(link).status == 200
        finish_what_waits()
        assert "opened" not in read_item(key)

    def test_that_nobody_made_opens_nothing(self, ann, lamp):
        for token in ("none", request_token(ann.username, "no-order")):
            assert ann.get(form_path(lamp, token=token)).status == 200
        finish_what_waits()
        assert not read_item(keys.request(ann.username, "no-order"))

    def test_is_answered_by_a_comment_that_is_posted(self, ann, lamp):
        link, key = asked_about(ann, lamp)
        form = {**fields_of(ann.get(link)), **WORDS}
        forget_what_waits()
        assert ann.send(new_url(lamp), form).status_code == 302
        finish_what_waits()
        assert {"opened", "reviewed"} <= read_item(key).keys()

    def test_is_not_answered_by_a_form_that_is_shown_again(self, ann, lamp):
        link, key = asked_about(ann, lamp)
        form = {**fields_of(ann.get(link)), "rating": ""}
        again = ann.post(new_url(lamp), form)
        assert again.status == 422
        finish_what_waits()
        assert "reviewed" not in read_item(key)
        assert fields_of(again)["request"] == form["request"], "it travels along"

    def test_costs_the_page_no_write(self, ann, lamp):
        link, _key = asked_about(ann, lamp)
        with metered() as meter:
            ann.get(link)
        assert not [call for call in meter.log if "Update" in call.operation]
        assert not [call for call in meter.log if "Write" in call.operation]
        finish_what_waits()
