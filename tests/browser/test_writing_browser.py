"""Comments are written in a real browser."""

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visitor
from tests.support.comments.writers import load_older, made_product, new_url, someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

NASTY = """<script>window.hit=1</script><img src=x onerror="window.hit=1">'"></textarea>{{7*7}}"""


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def writer():
    return someone("alice")


@pytest.fixture
def mine(writer, lamp):
    """A comment of alice's."""
    return writer.write(lamp).comment


@pytest.fixture
def alice(seat, writer):
    return seat(writer)


def fill(page: Page, *, stars: int = 5, title: str = "Lovely", body: str = "Bright.") -> None:
    page.locator(f"input[name=rating][value='{stars}']").check()
    page.get_by_label("Title").fill(title)
    page.get_by_label("Your comment").fill(body)


class TestPosting:
    def test_opens_its_form_on_the_products_page(self, alice, lamp):
        alice.page.goto(f"/products/{lamp}/")
        alice.page.get_by_role("link", name="Write a comment").click()
        expect(alice.page.locator("#comment-form :focus")).to_have_count(1)
        fill(alice.page, title="From here")
        alice.page.get_by_role("button", name="Post").click()
        expect(alice.page.get_by_role("heading", name="From here")).to_be_visible()

    def test_is_sent_by_ctrl_and_enter(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        fill(alice.page, title="By keys")
        alice.page.get_by_label("Your comment").press("Control+Enter")
        expect(alice.page.get_by_role("heading", name="By keys")).to_be_visible()

    def test_fills_the_stars_up_to_the_chosen_one(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        alice.page.locator("input[name=rating][value='3']").check()
        alice.page.mouse.move(0, 0)
        colours = alice.page.locator(".rating-choice").evaluate_all(
            "(stars) => stars.map((star) => getComputedStyle(star).color)"
        )
        filled, empty = set(colours[:3]), set(colours[3:])
        assert len(filled) == len(empty) == 1
        assert filled != empty

    def test_shows_the_comment_in_its_list_and_goes_on_there(self, alice, lamp):
        load_older(lamp, count=20)
        alice.page.goto(f"/products/{lamp}/")
        loads = len(alice.loads)
        alice.page.get_by_role("link", name="Write a comment").click()
        fill(alice.page, title="From here")
        alice.page.get_by_role("button", name="Post").click()
        comment = alice.page.locator("article:focus")
        expect(comment).to_contain_text("From here")
        expect(comment).to_be_in_viewport()
        expect(alice.page.get_by_role("link", name="Write a comment")).to_have_count(1)
        expect(alice.page.locator("#notice > p")).to_contain_text("Your comment is posted.")
        assert (len(alice.loads), alice.address) == (loads, f"/products/{lamp}/")

    @pytest.mark.parametrize("has_javascript", [True, False])
    def test_from_a_page_of_its_own_leads_to_the_comment(
        self, writer, lamp, site, open_context, has_javascript
    ):
        load_older(lamp, count=20)
        context = open_context(java_script_enabled=has_javascript)
        value = writer.browser.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": site}])
        page = context.new_page()
        page.goto(new_url(lamp))
        fill(page, title="From there")
        page.get_by_role("button", name="Post").click()
        comment = page.locator("article:target:focus")
        expect(comment).to_contain_text("From there")
        expect(comment).to_be_in_viewport()

    def test_of_a_second_comment_offers_the_first_in_the_place_of_the_form(self, alice, lamp, mine):
        alice.page.goto(f"/products/{lamp}/")
        alice.page.get_by_role("link", name="Write a comment").click()
        edit = alice.page.get_by_role("link", name="Edit it")
        expect(edit).to_be_focused()
        edit.click()
        expect(alice.page.get_by_label("Title")).to_have_value(mine.title)
        expect(alice.page.locator("#comment-form :focus")).to_have_count(1)
        alice.page.reload()
        alice.page.get_by_role("link", name="Write a comment").click()
        alice.page.get_by_role("link", name="Write another comment").click()
        expect(alice.page.get_by_label("Title")).to_have_value("")

    def test_twice_by_two_clicks_posts_once(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        fill(alice.page)
        alice.page.get_by_role("button", name="Post").dblclick()
        expect(alice.page.locator(".message").first).to_be_visible()
        assert len(alice.comment_ids) == 1

    def test_with_a_mistake_stays_where_it_is_with_all_that_was_typed(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        fill(alice.page, title="t" * 130, body="Still here.")
        drawn = "field => { field.style.height = '400px' }"  # as its corner does
        alice.page.get_by_label("Your comment").evaluate(drawn)
        alice.page.get_by_role("button", name="Post").click()
        expect(alice.page.locator(".errorlist")).to_contain_text("10 too many")
        expect(alice.page.get_by_label("Your comment")).to_have_value("Still here.")
        assert alice.focus == "id_title"
        assert len(alice.loads) == 1
        assert alice.page.evaluate("window.violations") == []

    def test_counts_characters_while_one_types(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        alice.page.get_by_label("Your comment").fill("ab\n🦊")
        expect(alice.page.locator("#id_body_count")).to_have_text("4 of 5,000 characters.")
        alice.page.get_by_label("Title").fill("t" * 121)
        expect(alice.page.locator("#id_title_count")).to_have_text("121 characters: 1 too many.")

    def test_shows_the_language_it_found_out(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        alice.page.get_by_label("Your comment").fill("Die Lampe ist schön hell und warm.")
        expect(alice.page.locator("#detected-language")).to_have_text("Detected: German")
        fill(alice.page, body="Die Lampe ist schön hell und warm.", title="")
        alice.page.get_by_role("button", name="Post").click()
        expect(alice.page.locator("[data-language=de]")).to_be_visible()


class TestScriptInAnyField:
    def test_is_inert_wherever_it_is_shown(self, alice, writer, lamp):
        mine = writer.write(lamp, title=NASTY[:110], body=NASTY).comment
        for url in (
            f"/products/{mine.product_id}/",
            f"/comments/{mine.id}/",
            f"/comments/edit/{mine.id}/",
            f"/comments/delete/{mine.id}/",
            f"/users/{writer.username}/",
        ):
            alice.page.goto(url)
            assert alice.page.evaluate("window.hit") is None
            assert "<script>window.hit" in (
                alice.page.locator("main").inner_text()
                + alice.page.locator("main").evaluate(
                    "m => [...m.querySelectorAll('textarea')].map(t => t.value).join()"
                )
            )


class TestTheFocus:
    def test_is_on_the_button_after_a_failure_and_in_the_page_after_its_notice(self, alice, lamp):
        alice.page.goto(new_url(lamp))
        fill(alice.page)
        alice.page.route("**/comments/new/", lambda route: route.abort())
        post = alice.page.get_by_role("button", name="Post")
        post.focus()
        alice.page.keyboard.press("Enter")
        expect(alice.page.locator("#notice")).to_contain_text("cannot be reached")
        expect(post).to_be_focused()
        alice.page.get_by_role("button", name="Dismiss").click()
        expect(alice.page.locator("#notice")).to_be_empty()
        assert alice.focus == "main"
        alice.forgive("Failed to load resource", "htmx:sendError")


class TestDeleting:
    """A page asks before it, wherever the link is."""

    def confirm(self, visitor: Visitor) -> None:
        visitor.page.get_by_role("button", name="Delete").click()

    def test_is_asked_about_and_leads_back_to_the_list(self, alice, mine):
        older = load_older(mine.product_id, count=3)
        alice.page.goto(f"/products/{mine.product_id}/")
        alice.page.get_by_role("link", name="Delete").click()
        self.confirm(alice)
        alice.wait_for(*older)
        expect(alice.page.locator(".messages")).to_contain_text("The comment is deleted.")
        assert alice.address.startswith(f"/products/{mine.product_id}/")

    def test_deep_in_a_filtered_list_leads_back_to_its_page(self, seat, lamp):
        staff = seat(someone("sam", is_staff=True))
        ids, size = load_older(lamp, count=70), settings.PAGE_SIZE
        staff.page.goto(f"/products/{lamp}/comments/en/~/")
        for page in (1, 2):
            staff.page.locator("a[rel=next]").click()
            staff.wait_for(*ids[page * size : (page + 1) * size])
        address = staff.address
        third = ids[2 * size : 3 * size + 1]
        staff.page.locator(f"[data-comment-id='{third[4]}'] .delete").click()
        self.confirm(staff)
        staff.wait_for(*third[:4], *third[5:])
        assert staff.address.partition("#")[0] == address
        staff.page.locator("a[rel=prev]").click()
        staff.wait_for(*ids[size : 2 * size])
        assert staff.is_clean()

    def test_of_all_on_the_last_page_leads_on_to_what_is_left(self, seat, lamp):
        staff = seat(someone("sam", is_staff=True))
        ids = load_older(lamp, count=settings.PAGE_SIZE + 1)
        staff.page.goto(f"/products/{lamp}/comments/en/~/")
        staff.page.locator("a[rel=next]").click()
        staff.wait_for(ids[-1])
        staff.page.get_by_role("link", name="Delete").click()
        self.confirm(staff)
        staff.wait_for()
        staff.page.locator("#comments .empty a").click()
        staff.wait_for(*ids[:-1])

    def test_does_nothing_when_one_says_no(self, alice, mine):
        alice.page.goto(f"/products/{mine.product_id}/")
        alice.page.get_by_role("link", name="Delete").click()
        alice.page.get_by_role("link", name="Do not delete it").click()
        assert alice.comment_ids == [mine.id]
