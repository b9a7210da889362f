"""A product's page in Chromium: how far down its comments begin, its description, their order."""

import pytest
from playwright.sync_api import expect

from comments.lists.orders import CommentOrder
from comments.moderation.services import feature
from comments.votes.services import cast_vote
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from tests.browser.conftest import REFUSED
from tests.support.catalogue.making import category
from tests.support.comments.loading import load
from tests.support.comments.threads import NOW
from tests.support.comments.truth import Truth, numbered_comments
from tests.support.comments.writers import someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

PAN = "frying-pan"
PAGE = f"/products/{PAN}/"
LISTS = f"{PAGE}comments"
WIDE = {"width": 1280, "height": 900}
TELEPHONE = {"width": 390, "height": 844}
DESCRIPTION = (
    "It heats evenly to the rim and holds its heat when the steak goes in. " * 7 + "THE END"
)


@pytest.fixture(scope="module")
def pan(tables):
    """A product with all that its page may show, and 60 comments in German and English."""
    shelves = [category("home"), category("kitchen", "home")]
    product = NewProduct(
        PAN,
        "Enamelled frying pan",
        ("kitchen",),
        description=DESCRIPTION,
        unit_price_cents=3_500,
        currency="EUR",
    )
    put_catalogue(categories=shelves, products=[product])
    made = numbered_comments(PAN, count=60, languages=("de", "en"))
    load(made)
    truth = Truth(made)
    for picked in truth.ids()[:3]:
        feature(picked, now=NOW)
    cast_vote(comment_id=truth.ids()[7], user_id="bob")
    return truth


class TestTheFirstComment:
    @pytest.mark.parametrize(("size", "most"), [(WIDE, 900), (TELEPHONE, 1_100)])
    @pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
    @pytest.mark.parametrize("who", ["", "bob", "sam"])
    def test_begins_on_the_first_screens(self, open_context, seat, pan, size, most, locale, who):
        options = {"viewport": size, "locale": locale}
        reader = who and seat(someone(who, is_staff=who == "sam"), **options)
        page = reader.page if reader else open_context(**options).new_page()
        page.goto(PAGE)
        assert page.locator("[data-pick-id]").count() == 3
        assert page.locator("#comments [data-comment-id]").first.bounding_box()["y"] < most

    def test_does_so_without_a_script_too(self, open_context, pan):
        page = open_context(viewport=TELEPHONE, java_script_enabled=False).new_page()
        page.goto(PAGE)
        assert page.locator("#comments [data-comment-id]").first.bounding_box()["y"] < 1_100


class TestTheDescription:
    def test_is_folded_after_three_lines_and_unfolded_by_the_keyboard(self, visitor, pan):
        visitor.page.goto(PAGE)
        text = visitor.page.locator(".product-about .lede")
        folded = text.bounding_box()["height"]
        lines = "it => it.clientHeight / parseFloat(getComputedStyle(it).lineHeight)"
        assert round(text.evaluate(lines)) == 3
        visitor.page.get_by_text("Whole description").focus()
        visitor.page.keyboard.press("Enter")
        assert text.bounding_box()["height"] > folded
        assert text.evaluate("it => it.scrollHeight <= it.clientHeight")

    def test_is_read_out_whole(self, visitor, pan):
        visitor.page.goto(PAGE)
        assert "THE END" in visitor.page.locator(".product-header").aria_snapshot()


class TestTheFormToWrite:
    def test_has_a_row_of_its_own(self, seat, pan):
        bob = seat(someone("bob"), viewport=WIDE)
        bob.page.goto(PAGE)
        bob.page.get_by_role("link", name="Write a comment").click()
        form = bob.page.locator("#comment-form")
        expect(form).to_be_visible()
        image = bob.page.locator(".product-about").bounding_box()
        assert form.bounding_box()["y"] > image["y"] + image["height"]


class TestTheOrder:
    def choose(self, visitor, order: str, address: str, ids: list[str]) -> None:
        visitor.page.get_by_label("Sort by").select_option(order)
        visitor.page.wait_for_url(f"**{address}")
        visitor.wait_for(*ids)
        expect(visitor.page.get_by_label("Sort by")).to_have_value(order)
        assert visitor.focus == "order"

    def test_is_chosen_in_place(self, visitor, pan):
        visitor.page.goto(f"{LISTS}/de/~/")
        expect(visitor.page.get_by_role("button", name="Show")).to_have_count(0)
        visitor.page.get_by_label("Sort by").focus()
        for order in (CommentOrder.OLDEST, CommentOrder.LOWEST, CommentOrder.NEWEST):
            address = f"{LISTS}/de/~/{order.query}"
            self.choose(visitor, order, address, pan.ids(["de"], (), order)[:20])
        assert len(visitor.loads) == 1

    def test_is_that_of_the_list_shown_again_after_a_failure(self, visitor, pan):
        visitor.page.goto(f"{LISTS}/de/~/")
        visitor.page.route("**order=oldest", lambda route: route.fulfill(status=503, body="Away"))
        visitor.page.get_by_label("Sort by").select_option("oldest")
        expect(visitor.page.locator("#notice")).not_to_be_empty()
        expect(visitor.page.get_by_label("Sort by")).to_have_value("newest")
        visitor.page.unroute("**order=oldest")
        visitor.forgive(*REFUSED)

    def test_is_chosen_by_a_button_without_a_script(self, open_context, pan):
        page = open_context(java_script_enabled=False).new_page()
        page.goto(f"{LISTS}/de/~/")
        page.get_by_label("Sort by").select_option("oldest")
        page.get_by_role("button", name="Show").first.click()
        page.wait_for_url(f"**{LISTS}/de/~/?order=oldest")
        expect(page.get_by_label("Sort by")).to_have_value("oldest")
