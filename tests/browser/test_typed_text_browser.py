"""What is typed into a form stays there whatever happens, in a real browser."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import hold_requests
from tests.browser.test_writing_browser import fill
from tests.support.comments.writers import made_product, new_url, someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

TYPED = "Typed for half an hour."
PASSWORD = "correct horse battery staple"  # noqa: S105 - of nobody
OFFLINE = "Failed to load resource: net::ERR_INTERNET_DISCONNECTED"


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def alice(seat):
    visitor = seat(someone("alice"))
    yield visitor
    visitor.forgive(OFFLINE, "htmx:afterRequest", "htmx:sendError")


def post_button(page: Page) -> None:
    page.get_by_role("button", name="Post").click()


class TestCommentThatIsBeingWritten:
    def test_outlives_a_network_that_is_gone(self, alice, lamp):
        page, context = alice.page, alice.page.context
        page.goto(new_url(lamp))
        fill(page, body=TYPED)
        context.set_offline(True)
        post_button(page)
        expect(page.locator("#notice")).to_contain_text("The site cannot be reached.")
        expect(page.get_by_label("Your comment")).to_have_value(TYPED)
        context.set_offline(False)
        post_button(page)
        expect(page.locator(".message")).to_have_text("Thank you! Your comment is posted.")

    def test_is_told_of_the_network_also_when_its_language_is_found_late(self, alice, lamp):
        page = alice.page
        page.goto(new_url(lamp))
        detections = hold_requests(page, "**/languages/detect/")
        page.route("**/comments/new/", lambda route: route.abort())
        fill(page, body=TYPED)
        post_button(page)
        expect(page.locator("#notice")).to_contain_text("The site cannot be reached.")
        detections[0].fulfill(body="Detected: Frisian")
        expect(page.locator("#detected-language")).to_have_text("Detected: Frisian")
        expect(page.locator("#notice")).to_contain_text("The site cannot be reached.")
        alice.forgive("Failed to load resource")


def first_of(held: list[Route], page: Page) -> Route:
    """The first form that was sent, as soon as it is on its way."""
    while not held:
        page.wait_for_timeout(20)
    return held[0]


class TestAFormOnItsWay:
    """What one types meanwhile would be in no answer: fields do not take it until it is there."""

    @pytest.fixture
    def held(self, alice):
        """The forms that were sent and have no answer yet."""
        held: list[Route] = []

        def hold(route: Route) -> None:
            if route.request.method == "POST" and "detect" not in route.request.url:
                held.append(route)
            else:
                route.continue_()

        alice.page.route("**/*", hold)
        return held

    @staticmethod
    def expect_locked(page: Page, label: str, text: str) -> None:
        """Type into a field that has the focus and takes nothing."""
        field = page.get_by_label(label)
        expect(field).to_be_focused()
        expect(page.locator("form[aria-busy=true]")).to_have_count(1)
        page.keyboard.type(" and more")
        expect(field).to_have_value(text)

    def test_keeps_focus_and_caret_where_they_were_when_it_comes_back(self, alice, lamp, held):
        page = alice.page
        page.goto(new_url(lamp))
        fill(page, title="t" * 130, body=TYPED)
        page.get_by_label("Title").press("Home")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        self.expect_locked(page, "Title", "t" * 130)
        first_of(held, page).continue_()
        expect(page.locator(".errorlist")).to_contain_text("10 too many")
        page.keyboard.type("!")
        expect(page.get_by_label("Title")).to_have_value("t!" + "t" * 129)
        expect(page.get_by_label("Your comment")).to_have_value(TYPED)

    def test_takes_no_choice_either(self, alice, lamp, held):
        page = alice.page
        page.goto(new_url(lamp))
        fill(page, stars=5, body=TYPED)
        post_button(page)
        page.locator(".rating-choice").first.click()
        expect(page.locator("form[aria-busy=true]")).to_have_count(1)
        expect(page.locator("input[name=rating][value='5']")).to_be_checked()
        first_of(held, page).continue_()
        expect(page.locator("[data-comment-id]")).to_have_attribute("data-rating", "5")

    def test_can_be_typed_into_again_where_it_failed(self, alice, lamp, held):
        page = alice.page
        page.goto(new_url(lamp))
        fill(page, body="")
        page.get_by_label("Title").press("End")
        page.keyboard.press("Enter")
        self.expect_locked(page, "Title", "Lovely")
        first_of(held, page).abort()
        expect(page.locator("#notice")).to_contain_text("cannot be reached")
        page.keyboard.type(" indeed")
        expect(page.get_by_label("Title")).to_have_value("Lovely indeed")
        page.get_by_label("Language").select_option("nl")
        expect(page.locator("form[aria-busy]")).to_have_count(0)
        alice.forgive("Failed to load resource")

    def test_that_loads_a_page_is_locked_until_that_takes_too_long(self, visitor):
        page, again = visitor.page, "Password again"
        page.clock.install()
        page.goto("/accounts/sign-up/")
        page.route("**/sign-up/", lambda route: route.fulfill(status=204))
        page.get_by_label("User name").fill("alice")
        for label in ("Password", again):
            page.get_by_label(label, exact=True).fill(PASSWORD)
        page.keyboard.press("Enter")
        self.expect_locked(page, again, PASSWORD)
        page.clock.fast_forward(15_000)
        page.keyboard.type("!")
        expect(page.get_by_label(again)).to_have_value(f"{PASSWORD}!")
