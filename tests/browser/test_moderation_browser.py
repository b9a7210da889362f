"""Votes, reports, moderation and replies in a real browser."""

from dataclasses import replace

import pytest
from playwright.sync_api import Locator, expect

from comments.items import NewComment
from comments.moderation.queries import list_moderated
from comments.posting.services import add_comment, delete_comment
from comments.reports.services import Reason, report_comment
from comments.store.states import State
from dynapages.django.paging import anchor_of
from dynapages.lists import PageRequest
from tests.browser.conftest import Visitor
from tests.support.chance import unique
from tests.support.comments.threads import NOW, differing, made_comment, moderated
from tests.support.comments.writers import someone

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("tables")]

NASTY = """<script>window.hit=1</script><img src=x onerror="window.hit=1">'"></textarea>"""

PRESS_ONCE_IT_ARRIVES = """
    selector => {
        let arrived = false;
        document.addEventListener("htmx:afterSwap", ({target}) => {
            const button = target.matches(selector) ? target : target.querySelector(selector);
            if (arrived || button === null) return;
            arrived = true;
            queueMicrotask(() => button.click());
        });
    }
"""


@pytest.fixture
def comment():
    return made_comment()


@pytest.fixture(autouse=True)
def empty_queue():
    """The queue is of the whole shop: what other tests left in it is out of the way."""
    for state in (State.REPORTED, State.HELD, State.HIDDEN):
        while found := list_moderated(state, PageRequest(100)).items:
            for each in found:
                delete_comment(each.id)


@pytest.fixture
def bob(seat):
    return seat(someone("bob"))


@pytest.fixture
def sam(seat):
    return seat(someone("sam", is_staff=True))


def report(comment: NewComment, text: str = "") -> None:
    report_comment(comment_id=comment.id, user_id="bob", reason=Reason.ABUSE, text=text, now=NOW)


def helpful_button(visitor: Visitor, comment: NewComment) -> Locator:
    return visitor.page.locator(f"[data-comment-id='{comment.id}'] button.helpful")


class TestWhatWaits:
    @pytest.mark.parametrize("has_script", [True, False])
    def test_is_selected_and_published_without_leaving_the_page(self, sam, seat, has_script):
        for number in range(3):
            title, place = f"Waiting {number}", unique("waiting")
            add_comment(replace(made_comment(), id=place, title=title), held_for="every comment")
        page = (
            sam.page
            if has_script
            else seat(someone("kim", is_staff=True), java_script_enabled=False).page
        )
        page.goto("/staff/comments/held/")
        page.get_by_role("link", name="Select all on this page").click()
        page.get_by_label("Select the comment by").first.uncheck()
        page.locator("#bulk").get_by_role("button", name="Publish").click()
        expect(page.get_by_text("2 comments were published.")).to_be_visible()
        expect(page.locator("article h2")).to_have_text(["Waiting 0"])


class TestVoting:
    def test_presses_the_button_in_place_and_keeps_the_focus(self, bob, comment):
        bob.page.goto(f"/products/{comment.product_id}/")
        loads, button = len(bob.loads), helpful_button(bob, comment)
        for pressed, text, said in (
            ("true", "Helpful · 1", "You find this comment helpful."),
            ("false", "Helpful", "Vote removed."),
        ):
            button.focus()
            bob.page.keyboard.press("Enter")
            expect(button).to_have_attribute("aria-pressed", pressed)
            expect(button).to_have_text(f"{text}, the comment by {comment.author}")
            expect(button).to_be_focused()
            expect(bob.page.locator("#announcement")).to_have_text(said)
        assert len(bob.loads) == loads

    def test_pressed_again_as_soon_as_it_has_arrived_still_loads_no_page(self, bob, comment):
        bob.page.goto(f"/products/{comment.product_id}/")
        loads = len(bob.loads)
        bob.page.evaluate(PRESS_ONCE_IT_ARRIVES, f"#helpful-{comment.id}")
        helpful_button(bob, comment).click()
        expect(bob.page.locator("#announcement")).to_have_text("Vote removed.")
        assert len(bob.loads) == loads

    def test_of_a_comment_that_is_gone_is_told_and_leaves_the_list(self, bob, comment):
        bob.page.goto(f"/products/{comment.product_id}/")
        delete_comment(comment.id)
        helpful_button(bob, comment).click()
        expect(bob.page.locator("#notice")).to_contain_text("There is no such comment")
        expect(helpful_button(bob, comment)).to_be_visible()


class TestACommentWhoseIdHasOddSigns:
    @pytest.fixture
    def odd(self):
        comment = replace(made_comment(), id=f"a/b 50%#c.{unique('odd')}")
        add_comment(comment)
        return comment

    def test_is_voted_for_and_reported_where_it_is(self, bob, odd):
        bob.page.goto(f"/products/{odd.product_id}/comments/~/~/")
        loads, button = len(bob.loads), helpful_button(bob, odd)
        for pressed in ("true", "false"):
            button.click()
            expect(button).to_have_attribute("aria-pressed", pressed)
            expect(button).to_contain_text(f", the comment by {odd.author}")
            expect(button).to_be_focused()
        article = bob.page.locator(f"[data-comment-id='{odd.id}']")
        article.get_by_role("link", name="Report").click()
        article.get_by_label("It insults or threatens somebody").check()
        article.get_by_role("button", name="Report").click()
        expect(article.locator(".reported")).to_be_focused()
        assert len(bob.loads) == loads

    def test_is_picked_replied_to_and_hidden_where_it_is(self, sam, odd):
        address = f"/products/{odd.product_id}/comments/~/~/"
        sam.page.goto(address)
        loads = len(sam.loads)
        article = sam.page.locator(f"[data-comment-id='{odd.id}']")
        article.get_by_role("button", name="Pick").click()
        picked = sam.page.locator(f"#pick-{anchor_of('comment', odd.id)}")
        expect(picked).to_have_attribute("aria-pressed", "true")
        expect(picked).to_be_focused()
        article.get_by_role("link", name="Reply").click()
        article.locator("textarea").fill("Thank you!")
        article.get_by_role("button", name="Reply").click()
        expect(article.locator(".shop-reply .prose")).to_have_text("Thank you!")
        article.get_by_role("button", name="Hide").click()
        expect(sam.page.locator("#notice > p")).to_have_text("The comment is hidden.")
        assert (len(sam.loads), sam.address) == (loads, address)

    def test_is_reached_by_its_anchor(self, bob, odd):
        bob.page.goto(f"/products/{odd.product_id}/comments/~/~/")
        anchor = anchor_of("comment", odd.id)
        bob.page.evaluate(f"location.hash = '{anchor}'")
        assert bob.page.evaluate("document.querySelector(':target').dataset.commentId") == odd.id


class TestReporting:
    def test_unfolds_in_the_comment_and_thanks(self, bob, comment):
        bob.page.goto(f"/products/{comment.product_id}/")
        loads = len(bob.loads)
        bob.page.get_by_role("link", name="Report").click()
        expect(bob.page.locator(".report-form :focus")).to_have_count(1)
        bob.page.get_by_label("It insults or threatens somebody").check()
        bob.page.get_by_label("In your own words").fill(NASTY)
        bob.page.get_by_role("button", name="Report").click()
        thanks = bob.page.locator(".reported")
        expect(thanks).to_have_text("Thank you. The shop will look at this comment.")
        expect(thanks).to_be_focused()
        expect(helpful_button(bob, comment)).to_be_visible()
        assert len(bob.loads) == loads
        assert moderated(comment, State.REPORTED)


class TestModerating:
    def test_closes_the_gap_in_place_and_says_so(self, sam, comment):
        other = made_comment()
        for each in (comment, other):
            report(each, NASTY)
        sam.page.goto("/staff/comments/")
        loads = len(sam.loads)
        expect(sam.page.locator(".report-text").first).to_have_text(NASTY)
        row = sam.page.locator(f"[data-comment-id='{comment.id}']")
        row.get_by_role("button", name="Hide").click()
        sam.wait_for(other.id)
        expect(sam.page.locator("#notice > p")).to_have_text("The comment is hidden.")
        assert len(sam.loads) == loads
        assert differing(comment, other) == []

    def test_goes_on_with_the_next_row_and_from_the_last_with_the_one_before(self, sam):
        rows = [made_comment() for _ in range(3)]
        for each in rows:
            report(each)
        sam.page.goto("/staff/comments/")
        for pressed, then in ((rows[1], rows[2]), (rows[2], rows[0])):
            row = sam.page.locator(f"[data-comment-id='{pressed.id}']")
            row.get_by_role("button", name="Keep").click()
            expect(row).to_have_count(0)
            expect(sam.page.locator(f"#comment-{then.id}")).to_be_focused()
        sam.page.locator("article").get_by_role("button", name="Keep").click()
        expect(sam.page.locator("#list-heading")).to_be_focused()

    def test_of_a_row_that_stays_goes_on_with_it(self, sam, comment):
        report(comment)
        sam.page.goto("/staff/comments/")
        report_comment(comment_id=comment.id, user_id="cat", reason=Reason.ABUSE, text="", now=NOW)
        sam.page.locator("article").get_by_role("button", name="Keep").click()
        expect(sam.page.locator("#notice > p")).to_contain_text("Check it again")
        expect(sam.page.locator(f"#comment-{comment.id}")).to_be_focused()


class TestKeys:
    def test_move_from_comment_to_comment_and_enter_makes_the_first_decision(self, sam):
        rows = [made_comment() for _ in range(3)]
        for each in rows:
            report(each)
        sam.page.goto("/staff/comments/")
        ids = [each.get_attribute("id") for each in sam.page.locator("article").all()]
        first, second, third = (sam.page.locator(f"#{each}") for each in ids)
        for key, focused in (("j", first), ("j", second), ("j", third), ("k", second)):
            sam.page.keyboard.press(key)
            expect(focused).to_be_focused()
        sam.page.keyboard.press("Enter")
        expect(second).to_have_count(0)
        expect(third).to_be_focused()
        expect(sam.page.locator("#notice > p")).to_contain_text("Kept")

    def test_are_letters_where_somebody_types(self, sam, comment):
        report(comment)
        sam.page.goto("/staff/comments/")
        sam.page.get_by_role("link", name="Reply").click()
        sam.page.locator("textarea").fill("Just")
        sam.page.keyboard.press("j")
        expect(sam.page.locator("textarea")).to_have_value("Justj")
        expect(sam.page.locator("textarea")).to_be_focused()


class TestTakingADecisionBack:
    @pytest.mark.parametrize("has_script", [True, False])
    def test_is_one_click_in_the_notice(self, seat, comment, has_script):
        report(comment)
        page = seat(someone("kim", is_staff=True), java_script_enabled=has_script).page
        page.goto("/staff/comments/")
        page.locator("article").get_by_role("button", name="Keep").click()
        expect(page.locator(f"#comment-{comment.id}")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(page.locator(f"#comment-{comment.id}")).to_have_count(1)
        expect(page.get_by_text("The decision is taken back.")).to_be_visible()
        assert moderated(comment, State.REPORTED)

    def test_covers_no_button_at_the_end_of_the_page(self, sam, comment):
        for each in [comment, *(made_comment() for _ in range(4))]:
            report(each)
        sam.page.goto("/staff/comments/")
        sam.page.locator("article").get_by_role("button", name="Keep").first.click()
        expect(sam.page.get_by_role("button", name="Undo")).to_be_visible()
        sam.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        notice = sam.page.locator("#notice").bounding_box()
        last = sam.page.locator("a[href], button").filter(visible=True)
        boxes = [box for each in last.all() if (box := each.bounding_box())]
        inside = [b for b in boxes if b["y"] >= notice["y"]]
        behind = [b for b in boxes if b["y"] + b["height"] > notice["y"] and b not in inside]
        assert behind == []


class TestToolsInAList:
    """Of staff, on the product's page."""

    @pytest.fixture
    def newer(self, comment):
        newer = replace(comment, id=f"{comment.id}-newer", created_at=NOW)
        add_comment(newer)
        return newer

    def test_hide_a_comment_and_go_on_with_the_next(self, sam, comment, newer):
        sam.page.goto(f"/products/{comment.product_id}/comments/~/~/")
        loads = len(sam.loads)
        sam.page.get_by_role("button", name="Hide").first.click()
        sam.wait_for(comment.id)
        expect(sam.page.locator("#notice > p")).to_have_text("The comment is hidden.")
        expect(sam.page.locator(f"#comment-{comment.id}")).to_be_focused()
        assert len(sam.loads) == loads

    def test_reply_where_the_comment_is(self, sam, comment, newer):
        sam.page.goto(f"/products/{comment.product_id}/comments/~/~/")
        article = sam.page.locator(f"#comment-{comment.id}")
        for each in (article, sam.page.locator(f"#comment-{newer.id}")):
            each.get_by_role("link", name="Reply").click()
            expect(each.locator("textarea")).to_be_focused()
        article.locator("textarea").fill("x" * 4_001)
        article.get_by_role("button", name="Reply").click()
        expect(article.locator(".errorlist")).to_contain_text("1 too many")
        article.locator("textarea").fill("Thank you!")
        article.get_by_role("button", name="Reply").click()
        expect(article.locator(".shop-reply .prose")).to_have_text("Thank you!")
        expect(article.get_by_role("button", name="Change the reply")).to_be_focused()
        expect(sam.page.locator(f"#comment-{newer.id} .shop-reply .reply")).to_have_count(0)

    def test_pick_a_comment_and_take_that_back(self, sam, comment):
        sam.page.goto(f"/products/{comment.product_id}/comments/~/~/")
        sam.page.get_by_role("button", name="Pick").click()
        button = sam.page.locator(f"#pick-comment-{comment.id}")
        expect(button).to_have_attribute("aria-pressed", "true")
        expect(button).to_be_focused()
        button.click()
        expect(button).to_have_attribute("aria-pressed", "false")


class TestRepliesAndPicks:
    def test_are_swapped_in_place_and_said(self, sam, comment):
        sam.page.goto(f"/comments/{comment.id}/")
        loads, notice = len(sam.loads), sam.page.locator("#notice > p")
        for text in ("Thank you!", "Thank you very much!"):
            sam.page.locator(".reply-form textarea").fill(text)
            sam.page.locator(".reply-form button").focus()
            sam.page.keyboard.press("Enter")
            expect(sam.page.locator("#shop-reply .prose")).to_have_text(text)
            expect(notice).to_have_text("The reply is saved.")
            expect(sam.page.locator(".reply-form button")).to_be_focused()
        sam.page.get_by_role("button", name="Delete the reply").click()
        expect(sam.page.locator("#shop-reply .reply")).to_have_count(0)
        expect(sam.page.locator(".reply-form textarea")).to_have_value("")
        expect(notice).to_have_text("The reply is deleted.")
        assert len(sam.loads) == loads
        assert differing(comment) == []

    def test_of_a_pick_keeps_the_focus_on_the_button(self, sam, comment):
        sam.page.goto(f"/comments/{comment.id}/")
        loads, button = len(sam.loads), sam.page.get_by_role("button", name="Staff pick")
        for pressed, said in (("true", "is picked."), ("false", "is no longer picked.")):
            button.focus()
            sam.page.keyboard.press("Enter")
            expect(button).to_have_attribute("aria-pressed", pressed)
            expect(sam.page.locator("#notice > p")).to_have_text(f"The comment {said}")
            expect(button).to_be_focused()
        assert len(sam.loads) == loads

    def test_that_are_refused_say_so_where_they_stand(self, sam, comment):
        sam.page.goto(f"/comments/{comment.id}/")
        sam.page.locator(".reply-form textarea").fill("x" * 4_001)
        expect(sam.page.locator(".reply-form .help")).to_contain_text("1 too many")
        sam.page.locator(".reply-form button").click()
        expect(sam.page.locator(".reply-form .errorlist")).to_contain_text("1 too many")
        expect(sam.page.locator(".reply-form textarea")).to_have_value("x" * 4_001)
        expect(sam.page.locator(".reply-form textarea")).to_be_focused()
        delete_comment(comment.id)
        sam.page.locator(".reply-form textarea").fill("Short.")
        sam.page.locator(".reply-form button").click()
        expect(sam.page.locator(".form-error")).to_contain_text("There is no such comment.")
        expect(sam.page.locator(".reply-form textarea")).to_have_value("Short.")
