"""Forms and links work without JavaScript.

The pages are read and their forms sent without a browser, which would add nothing to plain HTML.
What only a browser shows of it is in the modules beside this one.
"""

from urllib.parse import urlencode

import pytest
from django.test import Client, RequestFactory

from comments.items import NewComment
from comments.reports.services import Reason, report_comment
from comments.store.revision import State
from dynamo.web.shedding import Shedding, Slots
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.catalogue.access_patterns import ProductOrder
from shop.catalogue.services import put_catalogue
from shop.order_status import Status
from shop.pickup.coordinates import Coordinates
from shop.pickup.points import PickupPoint
from shop.pickup.writing import put_points
from tests.support.browser.plain import PlainBrowser
from tests.support.catalogue.making import category, in_order, products_in, sell
from tests.support.chance import CHANCE, unique
from tests.support.comments.loading import load
from tests.support.comments.threads import NOW, made_comment, moderated
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, new_url, someone
from tests.support.markup import read_markup
from tests.support.orders.making import START, made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def comment() -> NewComment:
    return made_comment()


@pytest.fixture
def bob() -> PlainBrowser:
    return PlainBrowser.of(someone("bob").browser)


@pytest.fixture
def sam() -> PlainBrowser:
    return PlainBrowser.of(someone("sam", is_staff=True).browser)


class TestAComment:
    def test_is_posted_and_deleted(self, bob):
        lamp = made_product()
        bob.goto(new_url(lamp))
        bob.press("Post", rating="5", title="Lovely", body="Bright.")
        assert bob.messages == ["Thank you! Your comment is posted."]
        assert len(bob.page.all(data_comment_id=True)) == 1
        bob.goto(f"/products/{lamp}/")
        bob.click("Delete")
        bob.press("Delete")
        assert bob.messages == ["The comment is deleted."]
        assert bob.page.all(data_comment_id=True) == []

    def test_unfolds_on_a_page_of_its_own(self):
        product, visitor = made_product(), PlainBrowser()
        load([written(product, id=unique("long"), body="A sentence of many. " * 150 + "THE END")])
        visitor.goto(f"/products/{product}/comments/~/~/")
        assert "THE END" not in visitor.page.text
        visitor.click("Read on")
        assert visitor.page.one(class_="comment-body").text.endswith("THE END")

    def test_is_found_helpful(self, bob, comment):
        url = f"/products/{comment.product_id}/"
        bob.goto(url)
        bob.press("Helpful")
        button = bob.page.one("button", class_="helpful")
        assert (button["aria-pressed"], bob.url.partition("#")[0]) == ("true", url)

    def test_is_reported(self, bob, comment):
        bob.goto(f"/comments/{comment.id}/")
        bob.click("Report")
        bob.press("Report", reason=Reason.OTHER.value)
        assert "The shop will look" in bob.messages[0]
        assert moderated(comment, State.REPORTED)

    def test_is_kept(self, sam, comment):
        report_comment(comment_id=comment.id, username="bob", reason=Reason.ABUSE, text="", now=NOW)
        sam.goto("/staff/comments/")
        row = sam.page.one(data_comment_id=comment.id)
        sam.press("Keep", within=row)
        assert "out of the queue" in sam.messages[0]
        assert sam.page.all(data_comment_id=comment.id) == []

    def test_is_answered_and_picked(self, sam, comment):
        sam.goto(f"/comments/{comment.id}/")
        for button, typed, told in (
            ("Reply", {"text": "Thank you!"}, "The reply is saved."),
            ("Staff pick", {}, "The comment is picked."),
            ("Delete the reply", {}, "The reply is deleted."),
        ):
            sam.press(button, **typed)
            assert sam.messages == [told]


class TestAFormThatAFullSiteRefuses:
    TYPED = "Half an hour of work, “quoted” & all"

    def refuse(self, bob: PlainBrowser, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Send the form on the page to a site without a free slot; show what it answers."""
        monkeypatch.setattr(Slots, "take", lambda *_, **__: False)
        fields = bob._fields(bob.page.one("form", id="comment-form"))
        sent = {**fields, "rating": "4", "title": "Typed", "body": self.TYPED}
        request = RequestFactory(headers={"Origin": "http://testserver"}).post(
            path, urlencode(sent), content_type="application/x-www-form-urlencoded"
        )
        answer = b"".join(Shedding(lambda *_: [])(request.environ, lambda *_: print))
        bob.page, bob.url = read_markup(answer.decode()), path
        monkeypatch.undo()

    def test_is_sent_again_by_the_button(self, bob, monkeypatch):
        lamp = made_product()
        bob.goto(new_url(lamp))
        self.refuse(bob, new_url(lamp), monkeypatch)
        bob.press("Send again")
        assert bob.messages == ["Thank you! Your comment is posted."]
        assert self.TYPED in bob.page.one(data_comment_id=True).text


class TestACategory:
    def test_is_put_into_another_order(self, fresh):
        shelf, visitor = fresh("shelf"), PlainBrowser()
        products = products_in(shelf, 30)
        put_catalogue(categories=[category(shelf)], products=products)
        visitor.goto(f"/categories/{shelf}/")
        visitor.goto(visitor.page.one(id="toggle-order-name")["href"])
        shown = [tile["data-product"] for tile in visitor.page.all(data_product=True)]
        assert shown == in_order(products, ProductOrder.NAME)[:20]

    def test_leads_to_what_was_bought_besides(self, fresh):
        shelf, visitor = fresh("shelf"), PlainBrowser()
        lamp, bulb = products_in(shelf, 2)
        put_catalogue(categories=[category(shelf)], products=[lamp, bulb])
        for _ in range(5):
            sell(fresh("buyer"), [lamp.id, bulb.id], day=1, status=Status.DELIVERED)
        visitor.goto(f"/products/{lamp.id}/")
        visitor.goto(visitor.page.one(id="also-bought-link")["href"])
        shown = [tile["data-product"] for tile in visitor.page.all(data_product=True)]
        assert bulb.id in shown


class TestAPickupPoint:
    def test_is_chosen(self):
        place = Coordinates.at(CHANCE.uniform(-50, -40), CHANCE.uniform(-130, -100))
        point = PickupPoint(unique("point"), "Kiosk", "Pier 1", place, "Daily 7-22")
        put_points([point])
        username, browser = unique("alice"), Client()
        create_profile(username=username, password=None, now=START)
        browser.force_login(find_user(username))
        order = made_order(username)
        put(order)
        alice = PlainBrowser.of(browser)
        alice.goto(f"/orders/{order.id}/")
        alice.click("Choose a pickup point")
        assert alice.page.one(id="near-locate").get("hidden") is not None
        alice.press("Search", near=str(place))
        assert alice.page.one("h1").text == f"Pickup points near {place}"
        alice.press("Choose", within=alice.page.one(data_point_id=point.id))
        assert alice.messages == ["Your order will be sent to “Kiosk”."]
        assert "Pier 1" in alice.page.one(data_pickup=True).text
        alice.click("Change the pickup point")
        alice.press("Deliver to my address instead")
        assert alice.messages == ["Your order will be delivered to your address."]
