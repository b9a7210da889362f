"""The comment pages in Chromium: lists, short pages, languages and times."""

import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from django.test import Client
from playwright.sync_api import expect

from comments.lists import queries
from tests.browser.conftest import REFUSED, hold_requests, wait_until_held
from tests.support.browser.folding import unfold_all
from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, numbered_comments, written
from tests.support.comments.writers import made_product

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]


ALL = "/products/kettle/comments/~/~/"
FIVES = "/products/kettle/comments/~/5/"
THREE = "/products/kettle/comments/~/1.2.3/"
FOUR = "/products/kettle/comments/~/1.2.3.4/"
LONG = "/products/novel/comments/~/~/"
COME_BACK = """
    mark => {
        document.querySelector("#comments").classList.add(mark);
        window.dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    }
"""
BODY = "A sentence of a long comment. " * 100 + "THE END"


@pytest.fixture(scope="module")
def kettle(tables):
    """70 comments in German and English on the product ``kettle``."""
    comments = numbered_comments("kettle", count=70, languages=("de", "en"))
    load(comments)
    return Truth(comments)


@pytest.fixture(scope="module")
def novel(tables):
    """A comment with a long body, and ones with words that do not fit into a narrow window."""
    wide = "Donaudampfschifffahrtsgesellschaft" * 6
    load(
        [
            written("novel", id="novel-long", body=BODY),
            written("novel", id="novel-" + "w" * 84, title=wide, author=wide, body=wide),
        ]
    )


def rating(visitor, value: int):
    return visitor.page.locator(f"#toggle-rating-{value}")


def language(visitor, code: str):
    return visitor.page.locator(f"#toggle-language-{code}")


def link(visitor, rel: str):
    return visitor.page.locator(f"a[rel={rel}]")


class TestToggle:
    def test_swaps_the_list_and_the_address_without_loading_the_page(self, visitor, kettle):
        visitor.page.goto(ALL)
        loads = len(visitor.loads)
        rating(visitor, 5).click()
        visitor.wait_for(*kettle.ids(ratings=[5]))
        assert visitor.address == FIVES
        assert len(visitor.loads) == loads
        assert visitor.focus == "toggle-rating-5"
        expect(rating(visitor, 5)).to_have_attribute("aria-pressed", "true")

    def test_is_pressed_by_keyboard(self, visitor, kettle):
        visitor.page.goto(ALL)
        for key, code, chosen in (("Enter", "de", ["de"]), ("Space", "en", ["de", "en"])):
            language(visitor, code).focus()
            visitor.page.keyboard.press(key)
            visitor.wait_for(*kettle.ids(chosen)[:20])
            assert visitor.address == f"/products/kettle/comments/{'.'.join(chosen)}/~/"
            assert visitor.focus == f"toggle-language-{code}"

    def test_held_down_is_pressed_once(self, visitor, kettle):
        visitor.page.goto(ALL)
        asked: list[str] = []
        visitor.page.on("request", lambda request: asked.append(request.url))
        rating(visitor, 5).focus()
        for _ in range(5):  # without the key going up, these are its repeats
            visitor.page.keyboard.down(" ")
        visitor.page.keyboard.up(" ")
        visitor.wait_for(*kettle.ids(ratings=[5]))
        assert [url for url in asked if "/comments/" in url] == [f"{visitor.page.url}"]


class TestPageLinks:
    def test_lead_on_and_back_without_loading_the_page(self, visitor, kettle):
        visitor.page.goto(ALL)
        loads, ids = len(visitor.loads), kettle.ids()
        for rel, start in (("next", 20), ("next", 40), ("next", 60), ("prev", 40), ("prev", 20)):
            link(visitor, rel).click()
            visitor.wait_for(*ids[start : start + 20])
            expect(link(visitor, "next")).to_have_count(int(start < 60))
        assert len(visitor.loads) == loads
        assert visitor.focus == "list-heading"
        expect(visitor.page.locator("#announcement")).to_have_text("Comments: 21\u201340 of 70")
        assert visitor.page.title().startswith("Comments, 21\u201340 of 70")
        expect(visitor.page.locator("#list-heading")).to_be_in_viewport()
        visitor.page.reload()
        assert visitor.comment_ids == ids[20:40]


class TestBackAndForward:
    def test_agree_with_the_address(self, visitor, kettle):
        visitor.page.goto(THREE)
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        link(visitor, "next").click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[20:40])
        second = visitor.address
        visitor.page.go_back()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        assert visitor.address == FOUR
        visitor.page.go_back()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3])[:20])
        assert visitor.address == THREE
        visitor.page.go_forward()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        visitor.page.go_forward()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[20:40])
        assert visitor.address == second

    @pytest.mark.parametrize("direction", ["back", "forward"])
    def test_agree_with_the_address_before_the_scripts_have_arrived(
        self, visitor, kettle, direction
    ):
        ids = kettle.ids()
        pages = [ids[0:20], ids[20:40], ids[40:60]]
        visitor.page.goto(ALL)
        addresses = [visitor.address]
        for shown in pages[1:]:
            link(visitor, "next").click()
            visitor.wait_for(*shown)
            addresses.append(visitor.address)
        last = 0
        if direction == "forward":
            last = 2
            visitor.page.go_back()
            visitor.wait_for(*pages[1])
            visitor.page.go_back()
            visitor.wait_for(*pages[0])
        # The page in the middle is loaded anew, and left before it has htmx.
        visitor.page.wait_for_load_state()
        held = hold_requests(visitor.page, "**/htmx*.js")
        visitor.page.evaluate(f"history.{direction}()")
        wait_until_held(visitor.page, held, "htmx")
        visitor.wait_for(*pages[1])
        visitor.page.evaluate(f"history.{direction}()")
        visitor.page.wait_for_function(
            "address => location.pathname + location.search === address", arg=addresses[last]
        )
        visitor.page.unroute("**/htmx*.js")
        visitor.wait_for(*pages[last])
        assert visitor.address == addresses[last]

    def test_give_whole_pages(self, visitor, kettle):
        visitor.page.goto(THREE)
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        visitor.page.goto("/")
        visitor.page.go_back()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        expect(visitor.page.locator(".site-header")).to_be_visible()
        expect(visitor.page.locator("h1")).to_have_text("kettle")


class TestLongComment:
    def test_unfolds_where_it_stands(self, visitor, novel):
        visitor.page.goto(LONG)
        comment = visitor.page.locator("[data-comment-id=novel-long]")
        expect(comment).not_to_contain_text("THE END")
        comment.get_by_text("Read on").click()
        expect(comment).to_contain_text("THE END")
        assert visitor.address == LONG
        assert visitor.page.evaluate("document.activeElement.classList.contains('comment-body')")


MIDDLE = """path => {
  path.scrollIntoView({ block: "center", behavior: "instant" });
  const { x, y, width, height } = path.getBoundingClientRect();
  return [x + width / 2, y + height / 2];
}"""


class TestExplanation:
    def chip(self, visitor):
        return visitor.page.get_by_role("button", name="How this page was read")

    @pytest.mark.usefixtures("kettle")
    @pytest.mark.parametrize("key", ["Enter", "Space"])
    def test_unfolds_and_folds_by_keyboard(self, visitor, key):
        visitor.page.goto(FOUR)
        folded, table = self.chip(visitor), visitor.page.locator("#explanation table").first
        expect(folded).to_have_attribute("aria-expanded", "false")
        folded.press(key)
        expect(table).to_be_visible()
        assert (visitor.address, visitor.focus) == (FOUR, "explanation-chip")
        visitor.page.keyboard.press(key)
        expect(table).to_be_hidden()

    @pytest.mark.usefixtures("kettle")
    def test_is_loaded_once(self, visitor):
        visitor.page.goto(FOUR)
        asked = []
        visitor.page.on("request", lambda request: asked.append(request.url))
        table = visitor.page.locator("#explanation table").first
        for is_visible in (True, False, True):
            visitor.page.locator("#explanation-chip").click()
            expect(table).to_be_visible(visible=is_visible)
        assert [url for url in asked if "products/kettle/comments" in url] == [
            f"{visitor.page.url}?explain=1"
        ]

    @pytest.mark.usefixtures("kettle")
    def test_is_said_to_load(self, visitor):
        visitor.page.goto(FOUR)
        held = hold_requests(visitor.page, "**/*explain=1")
        chip = visitor.page.locator("#explanation-chip")
        chip.click()
        expect(chip).to_have_attribute("aria-busy", "true")
        said = chip.evaluate("chip => getComputedStyle(chip, '::after').content")
        assert said == '"Loading…"'
        held[0].continue_()
        expect(visitor.page.locator("#explanation table").first).to_be_visible()

    @pytest.mark.usefixtures("kettle")
    def test_that_cannot_be_loaded_is_told_and_can_be_asked_for_again(self, visitor):
        visitor.page.goto(FOUR)
        visitor.page.context.set_offline(offline=True)
        visitor.page.locator("#explanation-chip").click()
        expect(visitor.page.locator("#notice")).to_contain_text("cannot be reached")
        visitor.page.context.set_offline(offline=False)
        visitor.page.locator("#explanation-chip").click()
        expect(visitor.page.locator("#explanation table").first).to_be_visible()
        expect(visitor.page.locator("#notice")).to_be_empty()
        visitor.forgive(*REFUSED, "Failed to load resource", "htmx:sendError")

    @pytest.mark.usefixtures("kettle")
    def test_is_a_page_of_its_own_without_a_script(self, open_context):
        page = open_context(java_script_enabled=False).new_page()
        page.goto(FOUR)
        page.get_by_role("button", name="How this page was read").click()
        expect(page.locator("#explanation table").first).to_be_visible()
        assert page.url.endswith(f"{FOUR}?explain=1#explanation")
        page.locator("#explanation-chip").click()
        expect(page.locator("#explanation table").first).to_be_hidden()

    def test_is_of_the_list_on_the_screen(self, visitor, kettle):
        visitor.page.goto(FOUR)
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3])[:20])
        self.chip(visitor).click()
        code = visitor.page.locator(".explanation-code").first
        expect(code).to_contain_text("--ratings=1,2,3")

    def test_unfolds_and_stays_so_from_list_to_list(self, visitor, kettle):
        visitor.page.goto(FOUR)
        table = visitor.page.locator("#explanation table").first
        expect(table).to_be_hidden()
        visitor.page.locator("#explanation-chip").click()
        expect(table).to_be_visible()
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3])[:20])
        expect(table).to_be_visible()
        assert visitor.address == THREE
        visitor.page.locator("#explanation-chip").click()
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3, 4])[:20])
        expect(table).to_have_count(0)

    @pytest.mark.usefixtures("kettle")
    def test_shows_the_sort_key_of_the_item_under_the_pointer_or_with_the_focus(self, visitor):
        visitor.page.goto(FOUR)
        visitor.page.locator("#explanation-chip").click()
        items = visitor.page.locator(".merge-item")
        keys = items.locator("text")
        expect(keys.first).to_be_hidden()
        at = items.nth(2).locator("path").evaluate(MIDDLE)
        visitor.page.mouse.move(*at)
        expect(keys.nth(2)).to_be_visible()
        visitor.page.mouse.move(0, 0)
        visitor.page.keyboard.press("Tab")
        items.first.focus()
        expect(keys.first).to_be_visible()
        expect(keys.nth(2)).to_be_hidden()


class TestNarrowWindow:
    @pytest.mark.usefixtures("novel")
    def test_of_320_pixels_needs_no_sideways_scrolling(self, open_context):
        size = {"width": 320, "height": 640}
        page = open_context(viewport=size).new_page()
        for url in (LONG, "/products/novel/", "/comments/novel-long/"):
            page.goto(url)
            unfold_all(page)
            assert page.evaluate("document.scrollingElement.scrollWidth") <= 320, url


class TestPageThatTheBrowserKept:
    def test_is_loaded_anew_only_if_it_still_waits_for_an_answer(self, visitor, kettle):
        visitor.page.goto(ALL)
        visitor.page.evaluate(COME_BACK, "as-it-was")
        expect(visitor.page.locator("#comments.as-it-was")).to_have_count(1)
        with visitor.page.expect_navigation():
            visitor.page.evaluate(COME_BACK, "htmx-request")
        visitor.wait_for(*kettle.ids()[:20])


LATE = datetime(2026, 3, 2, 20, 30, tzinfo=UTC)


@pytest.fixture
def url(tables):
    product_id = made_product()
    load([written(product_id, language="de", body="Gut.", created_at=LATE)])
    return f"/products/{product_id}/comments/de/~/"


class TestTimes:
    @pytest.mark.parametrize(
        ("zone", "locale", "day", "whose"),
        [
            ("UTC", "en-GB", "2 Mar 2026", "Times are UTC."),
            ("Asia/Tokyo", "de-DE", "3. März 2026", "in Ihrer Zeitzone"),
        ],
    )
    def test_are_those_of_the_visitors_zone(self, open_context, url, zone, locale, day, whose):
        page = open_context(timezone_id=zone, locale=locale).new_page()
        page.goto(url)
        expect(page.locator(".site-footer")).to_contain_text(whose)
        shown = page.locator(".comment time")
        expect(shown).to_have_text(day)
        expect(shown).to_have_attribute("datetime", "2026-03-02T20:30:00Z")

    def test_stay_so_in_a_list_that_is_swapped(self, open_context, url):
        page = open_context(timezone_id="Asia/Tokyo", locale="en-GB").new_page()
        page.goto(url)
        page.get_by_label("Sort by").select_option("oldest")
        expect(page.locator("#list-heading")).to_contain_text("oldest first")
        expect(page.locator(".comment time")).to_have_text("3 Mar 2026")


def test_a_press_on_a_language_stays_on_the_page(open_context, url):
    page = open_context(locale="en-GB").new_page()
    page.goto(f"{url}?order=oldest")
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("#list-heading")).to_have_text("Kommentare auf Deutsch, älteste zuerst")
    assert page.url.endswith(f"{url}?order=oldest")
    page.get_by_role("button", name="English").click()
    expect(page.locator("#list-heading")).to_have_text("Comments in German, oldest first")


RARE = "/products/seasonal/comments/de.fr/1.2/"
FILLS = re.compile(r"[?&]shown=")
"""Requests that fill a short page."""
SO_FAR = re.compile(r"match(es)? so far")


@pytest.fixture(scope="module")
def truth(tables):
    """Comments in English, with one in German or French among six of them."""
    made = numbered_comments("seasonal", count=350)
    comments = [
        replace(one, language=("de", "fr")[number % 5 % 2] if number % 6 == 0 else "en")
        for number, one in enumerate(made)
    ]
    load(comments)
    return Truth(comments)


@pytest.fixture
def wanted(truth, monkeypatch):
    """The comments of the list, which a page can hardly pay for."""
    monkeypatch.setattr(queries, "MOST_UNITS", 2.0)
    monkeypatch.setattr(queries, "MOST_UNITS_OF_AN_ITEM", 0.0)
    assert Client().get(RARE).content.count(b"data-comment-id") < 20
    return truth.ids(languages=["de", "fr"], ratings=[1, 2])


@pytest.mark.real_engine
class TestAShortPage:
    """It has few matches, because its units were spent, and is filled call by call."""

    def test_is_filled_by_htmx(self, visitor, wanted):
        visitor.page.goto(RARE)
        visitor.wait_for(*wanted[:20])
        expect(visitor.page.get_by_text(SO_FAR)).to_have_count(0)
        expect(visitor.page.locator("#extent")).to_contain_text(f"1–20 of {len(wanted)}")
        assert visitor.address == RARE
        expect(visitor.page.locator("#announcement")).to_have_text(f"1–20 of {len(wanted)}")
        visitor.page.locator("a[rel=next]").click()
        visitor.wait_for(*wanted[20:40])

    def test_says_how_far_it_came_while_it_is_filled(self, visitor, wanted):
        held = hold_requests(visitor.page, FILLS)
        visitor.page.goto(RARE)
        sentence = visitor.page.locator(".reads-on")
        expect(sentence).to_contain_text("Read back to November 2026;")
        wait_until_held(visitor.page, held, "shown=")
        visitor.page.unroute(FILLS)  # and let go what is held
        visitor.wait_for(*wanted[:20])
        expect(sentence).to_have_count(0)

    def test_leads_on_by_its_link_where_it_could_not_be_filled(self, visitor, wanted):
        visitor.page.route(FILLS, lambda route: route.fulfill(status=503))
        with visitor.page.expect_event("requestfinished", lambda one: FILLS.search(one.url)):
            visitor.page.goto(RARE)
        visitor.page.unroute(FILLS)
        shown = visitor.page.locator("[data-comment-id]").count()
        visitor.page.get_by_role("link", name="Read on", exact=True).click()
        expect(visitor.page.locator("[data-comment-id]").first).to_have_attribute(
            "data-comment-id", wanted[shown]
        )
        visitor.forgive(*REFUSED)

    def test_is_filled_from_behind_on_the_way_back(self, visitor, wanted):
        visitor.page.goto(f"{RARE}?before=end")
        visitor.wait_for(*wanted[-20:])
        expect(visitor.page.locator("#extent")).to_contain_text(f"of {len(wanted)}")
        visitor.page.locator("a[rel=prev]").first.click()
        visitor.wait_for(*wanted[:-20])
