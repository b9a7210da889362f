"""Parts of pages show each visitor what is theirs, in their language, and what is so now."""

import re

import pytest
from django.test import Client

from shop.catalogue.services import ensure_products
from tests.support.chance import unique
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import made_product, someone
from tests.support.markup import Element, read_markup
from tests.support.orders.making import made_order, put, put_product

pytestmark = pytest.mark.usefixtures("tables")


def shown(path: str, browser: Client | None = None, *, language: str = "en") -> Element:
    response = (browser or Client()).get(path, headers={"Accept-Language": language})
    return read_markup(response.content.decode())


def navigation(page: Element) -> str:
    return page.one("nav", class_="site-nav-account").text


def toggles(page: Element) -> dict[str, str]:
    """The words of the toggles of a list, by their ids."""
    return {one["id"]: one.text for one in page.all("a", data_toggle=True)}


class TestInAnotherLanguage:
    def test_the_navigation_is_another(self):
        assert "Orders" in navigation(shown("/"))
        assert "Bestellungen" in navigation(shown("/", language="de"))
        assert "Orders" in navigation(shown("/"))

    def test_the_choices_of_a_list_are_others(self):
        path = f"/products/{made_comment().product_id}/comments/~/~/"
        of_lists = [
            shown(path, language=language).one("div", class_="list-controls").text
            for language in ("en", "de", "en")
        ]
        assert "Newest first" in of_lists[0]
        assert "Neueste zuerst" in of_lists[1]
        assert of_lists[2] == of_lists[0]


class TestOfOtherContent:
    def test_the_filters_are_others(self):
        first = made_comment(rating=5, language="en")
        path = f"/products/{first.product_id}/comments/~/~/"
        before = toggles(shown(path))
        made_comment(product_id=first.product_id, rating=5, language="de")
        after = toggles(shown(path))
        assert "toggle-language-de" in after.keys() - before.keys()
        assert before["toggle-rating-5"] != after["toggle-rating-5"]
        assert before["toggle-rating-1"] == after["toggle-rating-1"]

    def test_the_head_of_a_product_is_another(self):
        first, second = made_comment(rating=5), made_comment(rating=1)
        averages = [
            shown(f"/products/{one.product_id}/comments/~/~/").one(class_="average-figure").text
            for one in (first, second)
        ]
        assert averages == ["5.0", "1.0"]

    def test_names_are_escaped(self):
        product_id = unique("sharp")
        ensure_products(product_ids={product_id}, names={product_id: '<b>"Sharp" & co</b>'})
        page = Client().get(f"/products/{product_id}/comments/~/~/").content.decode()
        assert read_markup(page).one("h1").text == '<b>"Sharp" & co</b>'
        assert "<b>" not in page


class TestOfAnotherVisitor:
    def test_the_basket_is_another(self):
        product_id = put_product(unique("lamp"))
        buyer = Client()
        buyer.post("/basket/add/", {"product_id": product_id, "quantity": "2"})
        assert "Basket 2" in navigation(shown("/", buyer))
        assert "Basket 2" not in navigation(shown("/"))

    def test_the_links_of_staff_are_not_shown(self):
        assert "Reports" in navigation(shown("/", someone("sam", is_staff=True).browser))
        for browser in (Client(), someone("alice").browser):
            assert "Reports" not in navigation(shown("/", browser))

    @pytest.mark.parametrize("path", ["/", "/orders/", "/basket/"])
    def test_nothing_of_a_user_is_shown(self, path):
        alice, bob = someone("alice"), someone("bob")
        put(order := made_order(alice.username))
        page = alice.browser.get(path).content.decode()
        assert alice.username in page
        token = re.findall(r'name="csrfmiddlewaretoken"\s+value="(\w{64})"', page)[0]
        others = [one.get(path, follow=True).content.decode() for one in (bob.browser, Client())]
        for own in (alice.username, order.id, token):
            assert not any(own in other for other in others), own

    def test_the_tools_of_a_comment_are_not_shown(self):
        alice, bob = someone("alice"), someone("bob")
        alice.has_written(product_id := made_product())
        path = f"/products/{product_id}/comments/~/~/"
        tools = [
            shown(path, one).one("article").all(class_="comment-actions")
            for one in (alice.browser, bob.browser, Client(), alice.browser)
        ]
        assert list(map(bool, tools)) == [True, False, False, True]
