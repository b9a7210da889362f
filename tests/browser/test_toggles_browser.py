"""Toggles of a list in Chromium, clicked sooner than the shop answers."""

from datetime import timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from comments.filters import RATINGS, CommentFilter
from comments.lists.listing import list_url
from shop.order_status import Status
from tests.browser.conftest import Visitor, hold_requests, wait_until_held
from tests.support.chance import CHANCE
from tests.support.comments.loading import load
from tests.support.comments.truth import START, Truth, numbered_comments, written
from tests.support.comments.writers import someone
from tests.support.orders import making

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

HOME = "/products/toggled/comments"
SLOW = {"offline": False, "latency": 300, "downloadThroughput": -1, "uploadThroughput": -1}
NOTE_WHAT_WOULD_BE_ASKED = """
    document.addEventListener("htmx:configRequest", (event) => {
        window.asked = event.detail.path;
        event.preventDefault();
    })
"""
OF_A_CHANGED_MIND = ("htmx:afterRequest", "htmx:sendAbort")

RARE = "toggled-ja"


@pytest.fixture(scope="module")
def truth(tables):
    """60 comments in German and English, and one in Japanese."""
    comments = numbered_comments("toggled", count=60, languages=("de", "en"))
    comments.append(written("toggled", id=RARE, language="ja", created_at=START))
    load(comments)
    return Truth(comments)


@pytest.fixture
def hasty(visitor):
    """A visitor who does not wait for answers."""
    yield visitor
    visitor.forgive(*OF_A_CHANGED_MIND)


def rating(visitor: Visitor, value: int) -> Locator:
    return visitor.page.locator(f"#toggle-rating-{value}")


def pressed(visitor: Visitor, kind: str) -> list[str]:
    """The values that are pressed now, without waiting for any."""
    values: list[str] = visitor.page.locator(f"[data-toggle={kind}]").evaluate_all(
        "all => all.filter(it => it.ariaPressed === 'true').map(it => it.dataset.value)"
    )
    return sorted(values)


def slow_down(page: Page) -> None:
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)


class TestTogglesClickedBeforeTheAnswer:
    def test_are_pressed_before_the_answer(self, visitor, truth):
        visitor.page.goto(f"{HOME}/~/~/")
        visitor.page.route("**/comments/**", lambda route: route.abort())
        visitor.page.evaluate(
            "document.addEventListener('htmx:beforeSend', () => { window.then ="
            " document.getElementById('toggle-language-de').ariaPressed })"
        )
        visitor.page.locator("#toggle-language-de").click()
        expect(visitor.page.locator("#notice")).to_contain_text("cannot be reached")
        assert visitor.page.evaluate("window.then") == "true"
        assert pressed(visitor, "language") == []
        visitor.forgive("Failed to load resource", "htmx:sendError")

    def test_end_with_the_last_list_in_whatever_order_answers_come(self, hasty, truth):
        hasty.page.goto(f"{HOME}/~/~/")
        held = hold_requests(hasty.page, "**/comments/**")
        for value in (5, 4):
            rating(hasty, value).click()
        expect(rating(hasty, 4)).to_have_attribute("aria-pressed", "true")
        # It is pressed before its request is sent.
        wait_until_held(hasty.page, held, "/~/4.5/")
        for route in reversed(held):
            route.continue_()
        hasty.wait_for(*truth.ids(ratings=[4, 5])[:20])
        hasty.page.wait_for_timeout(200)
        assert hasty.address == f"{HOME}/~/4.5/"

    def test_are_one_step_of_the_history(self, hasty, truth):
        hasty.page.goto(f"{HOME}/~/~/")
        hasty.page.evaluate(
            "for (const id of ['rating-5', 'language-de', 'rating-4', 'language-en'])"
            " document.getElementById(`toggle-${id}`).click()"
        )
        hasty.wait_for(*truth.ids(["de", "en"], [4, 5])[:20])
        assert hasty.address == f"{HOME}/de.en/4.5/"
        hasty.page.go_back()
        hasty.wait_for(*truth.ids()[:20])
        assert hasty.address == f"{HOME}/~/~/"
        hasty.page.go_forward()
        hasty.wait_for(*truth.ids(["de", "en"], [4, 5])[:20])

    def test_lead_where_the_links_of_the_server_lead(self, visitor, truth):
        visitor.page.goto(f"{HOME}/~/~/")
        visitor.page.evaluate(NOTE_WHAT_WOULD_BE_ASKED)
        chosen = CommentFilter()
        for _ in range(30):
            value = CHANCE.choice([*RATINGS, "de", "en"])
            is_rating = value in RATINGS
            toggled = f"#toggle-{'rating' if is_rating else 'language'}-{value}"
            visitor.page.locator(toggled).evaluate("toggle => toggle.click()")
            chosen = (chosen.toggle_rating if is_rating else chosen.toggle_language)(value)
            assert visitor.page.evaluate("window.asked") == list_url("toggled", chosen)
            assert pressed(visitor, "rating") == [str(each) for each in chosen.ratings]

    def test_of_a_kind_of_activity_count_too(self, seat):
        sam = seat(someone("sam", is_staff=True))
        sam.page.goto("/staff/activity/")
        sam.page.evaluate(
            "for (const id of ['kind-ORDER', 'kind-COMMENT'])"
            " document.getElementById(`toggle-${id}`).click()"
        )
        sam.page.wait_for_url("**/staff/activity/?*")
        assert sam.address == "/staff/activity/?kind=ORDER&kind=COMMENT"
        sam.forgive(*OF_A_CHANGED_MIND)


class TestStatusesOfOrders:
    """They are pressed 100 ms apart, and the shop takes 300 ms to answer."""

    @pytest.fixture
    def alice(self, seat):
        """A customer with a placed, a shipped and a delivered order, the day after each other."""
        someone_new = someone("alice")
        for day, status in enumerate([Status.PLACED, Status.SHIPPED, Status.DELIVERED]):
            moment = making.START + timedelta(days=day)
            order = making.made_order(someone_new.username, status, placed_at=moment)
            making.put(order)
        visitor = seat(someone_new)
        yield visitor
        visitor.forgive(*OF_A_CHANGED_MIND)

    @pytest.mark.parametrize(
        ("start", "toggles", "end", "count"),
        [
            ("", "status-SHIPPED status-DELIVERED", "?status=SHIPPED&status=DELIVERED", 2),
            ("?from=1980-01-01", "status-SHIPPED status-DELIVERED status-SHIPPED",
             "?status=DELIVERED&from=1980-01-01", 1),
            ("?status=DELIVERED&from=1980-01-01", "all-statuses", "?from=1980-01-01", 3),
            ("", "status-SHIPPED open-1", "?open=1", 1),
        ],
        ids=["count", "keep the days", "of all keep the days", "open"],
    )  # fmt: skip
    def test_of_a_customer_all_count(self, alice, start, toggles, end, count):
        alice.page.goto(f"/orders/{start}")
        slow_down(alice.page)
        alice.page.evaluate(
            "ids => ids.forEach((id, n) =>"
            " setTimeout(() => document.getElementById(`toggle-${id}`).click(), 100 * n))",
            toggles.split(),
        )
        alice.page.wait_for_url(f"**/orders/{end}")
        expect(alice.page.locator("[data-order-id]")).to_have_count(count)


class TestAToggle:
    def test_is_clicked_though_the_list_changed_between_press_and_release(self, visitor, truth):
        mouse = visitor.page.mouse
        visitor.page.goto(f"{HOME}/~/~/")
        held = hold_requests(visitor.page, "**/~/5/")
        rating(visitor, 5).click()
        rating(visitor, 4).hover()
        mouse.down()
        while not held:
            visitor.page.wait_for_timeout(20)
        held[0].continue_()
        visitor.wait_for(*truth.ids(ratings=[5])[:20])
        mouse.up()
        visitor.wait_for(*truth.ids(ratings=[4, 5])[:20])
        assert visitor.address == f"{HOME}/~/4.5/"


class TestTheFiltersOnATelephone:
    @pytest.fixture
    def phone(self, open_context):
        """So low that the filters scroll within their sheet."""
        return Visitor.arrive(open_context(viewport={"width": 390, "height": 500}, locale="en-GB"))

    @pytest.mark.parametrize("scrolled", [0, 2000])
    def test_stay_unfolded_and_under_the_finger(self, phone, truth, scrolled):
        self.unfold(phone, "/products/toggled/", scrolled)
        self.click(phone, "#toggle-language-de")
        phone.wait_for(*truth.ids(["de", "en"])[:20])
        assert phone.focus == "toggle-language-de"
        expect(phone.page.locator("#filter summary")).to_have_text("Filter (2)")

    def test_stay_there_when_few_comments_are_left(self, phone, truth):
        phone.page.set_viewport_size({"width": 390, "height": 1000})
        self.unfold(phone, f"{HOME}/~/~/", 2000)
        self.click(phone, "#toggle-language-ja")
        phone.wait_for(RARE)

    def unfold(self, phone: Visitor, path: str, scrolled: int) -> None:
        phone.page.goto(path)
        phone.page.evaluate("top => scrollTo(0, top)", scrolled)
        phone.page.locator("#filter summary").click()

    def click(self, phone: Visitor, toggle: str) -> None:
        """Click it where it is, and find it there after the answer."""
        shown = phone.page.locator(toggle)
        shown.hover()
        was = shown.bounding_box()["y"]
        with phone.page.expect_response("**/comments/**"):
            shown.click()
        expect(shown).to_have_attribute("aria-pressed", "true")
        expect(phone.page.locator(".htmx-request")).to_have_count(0)
        assert abs(shown.bounding_box()["y"] - was) < 2


class TestChips:
    def test_of_the_whole_filter_free_all(self, hasty, truth):
        hasty.page.goto(f"{HOME}/de/2/")
        slow_down(hasty.page)
        hasty.page.get_by_role("link", name="Clear filters").click()
        rating(hasty, 3).click()
        hasty.wait_for(*truth.ids(ratings=[3])[:20])
        assert hasty.address == f"{HOME}/~/3/"


class TestAllLanguages:
    @pytest.fixture
    def alice(self, seat):
        return seat(someone("alice"))

    def test_are_chosen_on_the_next_product_too(self, truth, alice):
        alice.page.goto("/products/toggled/")
        assert pressed(alice, "language") == ["en"]
        loads = len(alice.loads)
        alice.page.locator("#toggle-all-languages").click()
        alice.page.wait_for_url(f"**{HOME}/~/~/")
        assert len(alice.loads) == loads
        alice.page.goto("/products/toggled/")
        assert pressed(alice, "language") == []
        alice.page.locator("#toggle-language-de").click()
        alice.page.wait_for_url(f"**{HOME}/de/~/")
        alice.page.goto("/products/toggled/")
        assert pressed(alice, "language") == ["en"]
