"""Lists of comments in a project's own base, which says nothing of notices, focus or htmx."""

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import REFUSED
from tests.support.comments.loading import load
from tests.support.comments.own_base import own_base
from tests.support.comments.truth import numbered_comments
from tests.support.comments.writers import made_product, someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables", "base")]


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    with own_base(tmp_path_factory.mktemp("templates")):
        yield


@pytest.fixture(scope="module")
def product(tables):
    made = made_product()
    load(numbered_comments(made, count=30, languages=("de", "en")))
    return made


@pytest.fixture
def bob(seat):
    return seat(someone("bob"))


def forge(route: Route) -> None:
    route.continue_(url=f"{route.request.url}forged")


class TestAList:
    def test_is_filtered_in_place(self, visitor, product):
        visitor.page.goto(f"/products/{product}/comments/~/~/")
        visitor.page.locator("#toggle-rating-5").click()
        expect(visitor.page.locator("#list-heading")).to_have_text("5-star comments")
        expect(visitor.page).to_have_title(f"5-star comments · {product} | Mine")
        expect(visitor.page.locator("#announcement")).to_contain_text("5-star comments")
        assert len(visitor.loads) == 1
        assert visitor.focus == "toggle-rating-5"

    def test_tells_of_a_refusal_and_stays(self, visitor, product):
        visitor.page.goto(f"/products/{product}/comments/~/~/")
        visitor.page.route("**after=*", forge)
        visitor.page.locator("a[rel=next]").click()
        notice = visitor.page.locator("#notice")
        expect(notice.get_by_role("button")).to_be_visible()
        assert len(visitor.comment_ids) > 1
        notice.get_by_role("button").click()
        expect(notice).to_be_empty()
        visitor.page.unroute("**after=*")
        visitor.forgive(*REFUSED)

    def test_takes_a_vote(self, bob, product):
        bob.page.goto(f"/products/{product}/comments/~/~/")
        button = bob.page.locator(".helpful").first
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        assert len(bob.loads) == 1

    def test_fits_into_a_narrow_window(self, visitor, product):
        visitor.page.set_viewport_size({"width": 390, "height": 800})
        visitor.page.goto(f"/products/{product}/")
        width = visitor.page.evaluate("document.documentElement.scrollWidth")
        visitor.page.set_viewport_size({"width": 1280, "height": 720})
        assert width == 390
