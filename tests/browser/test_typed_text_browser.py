"""What is typed into a form stays there whatever happens, in a real browser."""

import pytest
from django.conf import settings as site_settings
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from shop.accounts.services import create_profile
from tests.browser.test_writing_browser import fill
from tests.support.comments.threads import made_comment
from tests.support.comments.writers import Writer, made_product, new_url, sign_in, someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

TYPED = "Typed for half an hour."
PASSWORD = "correct horse battery staple"  # noqa: S105 - of nobody
OFFLINE = "Failed to load resource: net::ERR_INTERNET_DISCONNECTED"


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def comment():
    return made_comment()


def somebody_with_a_password() -> Writer:
    writer = someone("alice")
    username = f"p-{writer.username}"
    create_profile(username=username, password=PASSWORD, now=timezone.now())
    return sign_in(username)


@pytest.fixture
def writer():
    return somebody_with_a_password()


@pytest.fixture
def alice(seat, writer):
    visitor = seat(writer)
    yield visitor
    visitor.forgive(OFFLINE, "htmx:afterRequest", "htmx:sendError")


def post_button(page: Page) -> None:
    page.get_by_role("button", name="Post").click()


def sign_out(context: BrowserContext) -> None:
    context.clear_cookies(name=site_settings.SESSION_COOKIE_NAME)


def sign_in_on_another_page(context: BrowserContext, writer: Writer) -> None:
    page = context.new_page()
    page.goto("/accounts/login/")
    page.locator("input[name=username]").fill(writer.username)
    page.locator("input[name=password]").fill(PASSWORD)
    page.locator("main form button[type=submit]").click()
    page.wait_for_url("**/orders/**")
    page.close()


def expect_refusal(page: Page, sentence: str) -> None:
    expect(page.locator(".form-error")).to_contain_text(sentence)
    expect(page.get_by_label("Your comment")).to_have_value(TYPED)


class TestCommentThatIsBeingWritten:
    def test_outlives_the_session_and_the_sign_in_after_it(self, alice, lamp, writer):
        page, context = alice.page, alice.page.context
        page.goto(new_url(lamp))
        fill(page, body=TYPED)
        sign_out(context)
        post_button(page)
        expect_refusal(page, "You are not signed in any more.")
        sign_in_on_another_page(context, writer)
        post_button(page)
        expect_refusal(page, "from before you last signed in")
        post_button(page)
        expect(page.locator(".message")).to_have_text("Thank you! Your comment is posted.")
        expect(page.locator("[data-comment-id]")).to_contain_text(TYPED)

    def test_outlives_a_network_that_is_gone(self, alice, lamp):
        page, context = alice.page, alice.page.context
        page.goto(new_url(lamp))
        fill(page, body=TYPED)
        context.set_offline(True)
        post_button(page)
        expect(page.locator("#notice")).to_contain_text("The shop cannot be reached.")
        expect(page.get_by_label("Your comment")).to_have_value(TYPED)
        context.set_offline(False)
        post_button(page)
        expect(page.locator(".message")).to_have_text("Thank you! Your comment is posted.")

    def test_is_told_of_the_network_also_when_its_language_is_found_late(self, alice, lamp):
        page, detections = alice.page, []
        page.goto(new_url(lamp))
        page.route("**/languages/detect/", lambda route: detections.append(route))  # noqa: PLW0108
        page.route("**/comments/new/", lambda route: route.abort())
        fill(page, body=TYPED)
        post_button(page)
        expect(page.locator("#notice")).to_contain_text("The shop cannot be reached.")
        detections[0].fulfill(body="Detected: Frisian")
        expect(page.locator("#detected-language")).to_have_text("Detected: Frisian")
        expect(page.locator("#notice")).to_contain_text("The shop cannot be reached.")
        alice.forgive("Failed to load resource")


class TestReportThatIsBeingWritten:
    def test_outlives_the_session(self, alice, comment, writer):
        page, context = alice.page, alice.page.context
        page.goto(f"/products/{comment.product_id}/")
        page.get_by_role("link", name="Report").click()
        page.get_by_label("Something else").check()
        page.get_by_label("In your own words").fill(TYPED)
        sign_out(context)
        page.get_by_role("button", name="Report").click()
        expect(page.locator(".form-error")).to_contain_text("not signed in any more")
        expect(page.get_by_label("In your own words")).to_have_value(TYPED)
        expect(page.get_by_label("Something else")).to_be_checked()
        sign_in_on_another_page(context, writer)
        for sentence in ("send it once more", "The shop will look at this comment."):
            page.get_by_role("button", name="Report").click()
            told = page.locator(".form-error, .message, .reported").first
            expect(told).to_contain_text(sentence)


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
        page.locator(".rating-choice", has_text="1 ★").click()
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
