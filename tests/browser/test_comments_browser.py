"""The comment pages in Chromium, with and without JavaScript."""

import pytest
from playwright.sync_api import expect

from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, numbered_comments, written

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
def kettle(tables) -> Truth:
    """70 comments in German and English on the product ``kettle``."""
    comments = numbered_comments("kettle", count=70, languages=("de", "en"))
    load(comments)
    return Truth(comments)


@pytest.fixture(scope="module")
def novel(tables) -> None:
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


def unfold_explanation(visitor):
    table = visitor.page.locator("#explanation table").first
    expect(table).to_be_hidden()
    visitor.page.locator("#explanation summary").click()
    expect(table).to_be_visible()


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

    def test_opens_in_a_tab_of_its_own_with_the_control_key(self, visitor, kettle):
        visitor.page.goto(ALL)
        with visitor.page.context.expect_page() as opened:
            rating(visitor, 5).click(modifiers=["Control"])
        opened.value.wait_for_url(f"**{FIVES}#comments")
        assert visitor.address == ALL
        assert visitor.comment_ids == kettle.ids()[:20]


class TestAComment:
    def test_says_its_language_except_in_a_list_of_one(self, visitor, kettle):
        language = visitor.page.locator("[data-comment-id] .in-language").first
        for chosen, is_said in (("~", True), ("de", False), ("de.en", True)):
            visitor.page.goto(f"/products/kettle/comments/{chosen}/~/")
            expect(language).to_be_visible(visible=is_said)


class TestPageLinks:
    def test_lead_on_and_back_without_loading_the_page(self, visitor, kettle):
        visitor.page.goto(ALL)
        loads, ids = len(visitor.loads), kettle.ids()
        for start in (20, 40, 60):
            link(visitor, "next").click()
            visitor.wait_for(*ids[start : start + 20])
        expect(link(visitor, "next")).to_have_count(0)
        for start in (40, 20, 0):
            link(visitor, "prev").click()
            visitor.wait_for(*ids[start : start + 20])
        expect(link(visitor, "prev")).to_have_count(0)
        assert len(visitor.loads) == loads

    def test_show_the_list_from_its_top_and_survive_a_reload(self, visitor, kettle):
        visitor.page.goto(ALL)
        link(visitor, "next").scroll_into_view_if_needed()
        link(visitor, "next").click()
        visitor.wait_for(*kettle.ids()[20:40])
        assert visitor.focus == "list-heading"
        expect(visitor.page.locator("#announcement")).to_have_text(
            "Comments: about 21\u201340 of 70"
        )
        assert visitor.page.title().startswith("Comments, about 21\u201340 of 70")
        expect(visitor.page.locator("#list-heading")).to_be_in_viewport()
        assert "?after=" in visitor.address
        visitor.page.reload()
        assert visitor.comment_ids == kettle.ids()[20:40]


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


class TestExplanation:
    def test_unfolds_and_stays_so_from_list_to_list(self, visitor, kettle):
        visitor.page.goto(FOUR)
        unfold_explanation(visitor)
        rating(visitor, 4).click()
        visitor.wait_for(*kettle.ids(ratings=[1, 2, 3])[:20])
        expect(visitor.page.locator("#explanation table").first).to_be_visible()


class TestWithoutJavaScript:
    def test_toggles_and_page_links_are_links(self, plain_visitor, kettle):
        plain_visitor.page.goto(THREE)
        rating(plain_visitor, 4).click()
        plain_visitor.page.wait_for_url(f"**{FOUR}#comments")
        expect(rating(plain_visitor, 4)).to_be_in_viewport()
        link(plain_visitor, "next").click()
        plain_visitor.page.wait_for_url("**after=**")
        expect(plain_visitor.page.locator("#list-heading")).to_be_in_viewport()
        ids = plain_visitor.page.locator("[data-comment-id]")
        shown = [ids.nth(n).get_attribute("data-comment-id") for n in range(ids.count())]
        assert shown == kettle.ids(ratings=[1, 2, 3, 4])[20:40]
        link(plain_visitor, "prev").click()
        expect(link(plain_visitor, "prev")).to_have_count(0)
        unfold_explanation(plain_visitor)


class TestNarrowWindow:
    PAGES = (
        "/", ALL, FOUR, LONG, "/products/novel/", "/products/kettle/", "/comments/novel-long/",
        "/products/none/",
    )  # fmt: skip

    @pytest.mark.usefixtures("kettle", "novel")
    def test_of_320_pixels_needs_no_sideways_scrolling(self, open_context):
        size = {"width": 320, "height": 640}
        page = open_context(viewport=size).new_page()
        for url in self.PAGES:
            page.goto(url)
            page.locator("details").evaluate_all("all => all.forEach(it => { it.open = true })")
            assert page.evaluate("document.scrollingElement.scrollWidth") <= 320, url


class TestPageThatTheBrowserKept:
    def test_is_loaded_anew_only_if_it_still_waits_for_an_answer(self, visitor, kettle):
        visitor.page.goto(ALL)
        visitor.page.evaluate(COME_BACK, "as-it-was")
        expect(visitor.page.locator("#comments.as-it-was")).to_have_count(1)
        with visitor.page.expect_navigation():
            visitor.page.evaluate(COME_BACK, "htmx-request")
        visitor.wait_for(*kettle.ids()[:20])
