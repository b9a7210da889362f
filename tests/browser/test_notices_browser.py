"""What the shop says in Chromium: what needs no answer leaves by itself."""

import pytest
from playwright.sync_api import Locator, Route, expect

from shop.catalogue.services import put_catalogue
from tests.browser.conftest import Visitor
from tests.support.catalogue.making import category, products_in

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

LAMP = products_in("noticed", 4)[3]
HOLD_EIGHT_SECONDS = """
    const wait = window.setTimeout;
    const whenPassed = (call) => wait(() => (window.havePassed ? call() : whenPassed(call)), 20);
    window.setTimeout = (call, after) => (after === 8000 ? whenPassed(call) : wait(call, after));
"""


@pytest.fixture(scope="module", autouse=True)
def noticed(tables):
    put_catalogue(categories=[category("noticed")], products=[LAMP])


@pytest.fixture
def buyer(visitor):
    """A visitor whose eight seconds pass when the test says so."""
    visitor.page.add_init_script(HOLD_EIGHT_SECONDS)
    visitor.page.goto(f"/products/{LAMP.id}/")
    return visitor


def buy(buyer: Visitor) -> Locator:
    """Put the lamp into the basket; return what is said."""
    buyer.page.get_by_role("button", name="Add to basket").click()
    return buyer.page.locator(".message")


def say(buyer: Visitor, sentence: str, *, is_warning: bool) -> Locator:
    """Let a script say something; return where it stands."""
    buyer.page.evaluate(
        "([sentence, isWarning]) => document.dispatchEvent(new CustomEvent('said',"
        " {detail: {sentences: [sentence], isWarning}}))",
        [sentence, is_warning],
    )
    return buyer.page.locator("#notice > p")


def let_time_pass(buyer: Visitor) -> None:
    """Let eight seconds pass, more than once."""
    buyer.page.evaluate("window.havePassed = true")
    buyer.page.wait_for_timeout(200)


class TestWhatNeedsNoAnswer:
    def test_leaves_when_a_script_says_it(self, buyer):
        said = say(buyer, "Done.", is_warning=False)
        expect(said).to_have_text("Done.")
        let_time_pass(buyer)
        expect(buyer.page.locator("#notice")).to_be_empty()

    def test_leaves_after_a_while_and_moves_nothing(self, buyer):
        said, heading = buy(buyer), buyer.page.locator("h1")
        expect(said).to_be_visible()
        was = heading.bounding_box()
        let_time_pass(buyer)
        expect(said).to_have_count(0)
        assert heading.bounding_box() == was

    @pytest.mark.parametrize(
        "hold",
        [lambda page: page.hover("#notice"), lambda page: page.focus("#notice button")],
        ids=["pointed at", "focused"],
    )
    def test_stays_while_somebody_is_at_it(self, buyer, hold):
        said = say(buyer, "Done.", is_warning=False)
        hold(buyer.page)
        let_time_pass(buyer)
        expect(said).to_have_text("Done.")
        buyer.page.mouse.move(0, 0)
        buyer.page.focus(".wordmark")
        expect(said).to_have_count(0)

    def test_does_not_take_a_later_warning_with_it(self, buyer):
        say(buyer, "Done.", is_warning=False)
        said = say(buyer, "Not done.", is_warning=True)
        let_time_pass(buyer)
        expect(said).to_have_text("Not done.")


class TestAWarning:
    def test_stays(self, buyer):
        def warn(route: Route) -> None:
            answer = route.fetch()
            body = answer.text().replace('class="message success"', 'class="message warning"')
            route.fulfill(response=answer, body=body)

        buyer.page.route("**/basket/**", warn)
        said = buy(buyer)
        expect(said).to_have_class("message warning")
        let_time_pass(buyer)
        expect(said).to_be_visible()
