"""The visitor's language and time zone, where a browser knows them."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import expect

from tests.support.comments.loading import load
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]
LATE = datetime(2026, 3, 2, 20, 30, tzinfo=UTC)


@pytest.fixture
def url(tables) -> str:
    product_id = made_product()
    load([written(product_id, language="de", body="Gut.", created_at=LATE)])
    return f"/products/{product_id}/comments/de/~/"


class TestTimes:
    @pytest.mark.parametrize(
        ("zone", "locale", "day"),
        [
            ("UTC", "en-GB", "2 Mar 2026"),
            ("Asia/Tokyo", "en-GB", "3 Mar 2026"),
            ("Asia/Tokyo", "de-DE", "3. März 2026"),
        ],
    )
    def test_are_those_of_the_visitors_zone(self, open_context, url, zone, locale, day):
        page = open_context(timezone_id=zone, locale=locale).new_page()
        page.goto(url)
        shown = page.locator(".comment time")
        expect(shown).to_have_text(day)
        expect(shown).to_have_attribute("datetime", "2026-03-02T20:30:00.000000Z")

    def test_stay_so_in_a_list_that_is_swapped(self, open_context, url):
        page = open_context(timezone_id="Asia/Tokyo", locale="en-GB").new_page()
        page.goto(url)
        page.get_by_role("link", name="Oldest first").click()
        expect(page.locator("#list-heading")).to_contain_text("oldest first")
        expect(page.locator(".comment time")).to_have_text("3 Mar 2026")

    def test_say_whose_they_are(self, open_context, url):
        for zone, sentence in (("UTC", "Times are UTC."), ("Asia/Tokyo", "in your time zone")):
            page = open_context(timezone_id=zone, locale="en-GB").new_page()
            page.goto(url)
            expect(page.locator(".site-footer")).to_contain_text(sentence)


@pytest.mark.parametrize("has_script", [True, False])
def test_a_press_on_a_language_stays_on_the_page(open_context, url, has_script):
    page = open_context(locale="en-GB", java_script_enabled=has_script).new_page()
    page.goto(f"{url}?order=oldest")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("#list-heading")).to_have_text("Kommentare auf Deutsch, älteste zuerst")
    assert page.url.endswith(f"{url}?order=oldest")
    page.get_by_role("button", name="English").click()
    expect(page.locator("#list-heading")).to_have_text("Comments in German, oldest first")
