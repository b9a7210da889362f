"""Staff keep, hide, restore and delete comments; nobody else does, and no two of them at odds."""

import csv
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from django.core.management import CommandError, call_command

from comments.data.writer import BulkWriter
from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.highlights import find_picks
from comments.lists.queries import find_comment
from comments.moderation import queries, views
from comments.moderation.services import Decision, NotAsSeen, carry_out
from comments.posting.services import add_comment, delete_comment
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from comments.store.states import Revision, State
from comments.votes.services import cast_vote
from dynapages.calls import Batches, metered
from dynapages.lists import PageRequest, timestamp
from dynapages.process import client, pool
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.chance import unique
from tests.support.comments.browsing import Shown
from tests.support.comments.deciding import feature, hide, keep, restore
from tests.support.comments.faulty import before_the_next_transaction, troubled
from tests.support.comments.ranked import five_stars, last_comment
from tests.support.comments.threads import (
    NOW,
    differing,
    helpful,
    made_comment,
    mended,
    moderated,
    spoil,
)
from tests.support.comments.walking import ids_on, read_page
from tests.support.comments.writers import Writer, nobody, someone
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("few_items")
EVERYWHERE = [("~", "~"), ("en", "~"), ("~", "5"), ("en", "5")]


@pytest.fixture
def comment():
    """A comment that bob found helpful, and reported."""
    comment = made_comment()
    cast_vote(comment_id=comment.id, user_id="bob")
    report(comment)
    return comment


def report(comment: NewComment, user_id: str = "bob", text: str = "") -> None:
    report_comment(
        comment_id=comment.id,
        user_id=user_id,
        author=f"{user_id} the reader",
        reason=Reason.SPAM,
        text=text,
        now=NOW,
    )


def seen_now(comment: NewComment) -> Revision:
    return Revision.of(load_comment(comment.id).item)


def state_of(comment: NewComment) -> State:
    return seen_now(comment).state


def lists_with(comment: NewComment) -> list[tuple[str, str]]:
    """The lists, by languages and ratings, that the comment is in."""
    return [
        chosen
        for chosen in EVERYWHERE
        if comment.id
        in ids_on(read_page(comment.product_id, CommentFilter.parse(*chosen), PageRequest(20)))
    ]


class TestKeeping:
    def test_a_comment_that_was_reported_once_more_is_told(self, comment):
        seen = seen_now(comment)
        report(comment, "cat")
        with pytest.raises(NotAsSeen):
            keep(comment_id=comment.id, seen=seen)
        assert moderated(comment, State.REPORTED)


class TestHiding:
    def test_takes_it_out_of_lists_counts_and_rankings(self, comment):
        feature(comment.id)
        hide(comment_id=comment.id, seen=seen_now(comment), now=NOW)
        assert lists_with(comment) == []
        assert read_counts(comment.product_id, consistent=True).total == 0
        assert helpful(comment) == []
        assert find_picks(comment.product_id) == ()
        assert (five_stars(comment.product_id), last_comment(comment.product_id)) == (0, None)
        assert moderated(comment, State.REPORTED) is None
        hidden = moderated(comment, State.HIDDEN)
        assert hidden
        assert (hidden.product_id, len(hidden.reports)) == (comment.product_id, 1)

    @pytest.mark.parametrize("is_read_before", [False, True])
    def test_is_not_undone_by_an_import(self, comment, is_read_before):
        again = replace(comment, user_id="", created_at=NOW)
        conceal = partial(hide, comment_id=comment.id, now=NOW)
        with before_the_next_transaction(conceal) if is_read_before else nullcontext(conceal()):
            BulkWriter(Batches(client(), pool())).write([again])
        assert state_of(comment) is State.HIDDEN
        assert differing(comment) == []


class TestRestoring:
    def test_puts_it_back_where_it_was(self, comment):
        before = load_comment(comment.id).comment
        hide(comment_id=comment.id, now=NOW)
        restore(comment_id=comment.id, seen=seen_now(comment))
        assert load_comment(comment.id).comment == before
        assert lists_with(comment) == EVERYWHERE
        assert read_counts(comment.product_id, consistent=True).cells == {("en", 5): 1}
        assert helpful(comment) == [1]
        assert (five_stars(comment.product_id), last_comment(comment.product_id)) == (1, comment.id)
        assert moderated(comment, State.HIDDEN) is None
        assert differing(comment) == []


class TestDeleting:
    def test_what_was_decided_otherwise_meanwhile_is_told(self, comment):
        seen = seen_now(comment)
        keep(comment_id=comment.id)
        with pytest.raises(NotAsSeen):
            carry_out(Decision.DELETE, comment_id=comment.id, seen=seen, now=NOW)
        assert lists_with(comment) == EVERYWHERE


@pytest.mark.real_engine
class TestTwoModeratorsAtOnce:
    def test_who_read_the_same_are_told_apart_by_the_table(self, comment):
        """Twenty decisions at once, on a table where transactions meet."""
        seen = seen_now(comment)
        decisions = [Decision.KEEP, Decision.HIDE] * 10
        with troubled(seed=3, conflicts=0.2, throttled=0.0), ThreadPoolExecutor(10) as threads:
            won = list(threads.map(lambda each: _carried_out(each, comment, seen), decisions))
        kept = state_of(comment) is State.LISTED
        wanted = Decision.KEEP if kept else Decision.HIDE
        assert {decision for decision, done in zip(decisions, won, strict=True) if done} == {wanted}
        assert read_counts(comment.product_id, consistent=True).total == int(kept)
        assert differing(comment) == []


class TestIntegrity:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("q", {"S": "MODERATION#HIDDEN"}),
            ("j", {"S": "2026-11-20T09:30:00.000000Z#other"}),
            ("nr", {"N": "7"}),
            ("f", {"S": "FEATURED#other"}),
            ("y", {"M": {"x": {"S": "Another reply."}}}),
        ],
    )
    def test_finds_and_mends_marks_that_are_wrong(self, comment, name, value):
        spoil(comment, name, value)
        assert [difference.kind for difference in mended(comment)] == ["marks"]

    def test_finds_hidden_comments_that_are_picked(self, comment):
        hide(comment_id=comment.id, now=NOW)
        spoil(comment, "f", {"S": f"FEATURED#{comment.product_id}"})
        assert len(mended(comment)) == 1


def reply_url(comment: NewComment) -> str:
    return f"/staff/comments/reply/{comment.id}/"


def pick_url(comment: NewComment) -> str:
    return f"/staff/comments/feature/{comment.id}/"


def here(row: Element) -> str:
    return quote(f"/staff/comments/#{row['id']}", safe="")


class TestPages:
    def article_of(self, sam: Writer, comment: NewComment) -> Element:
        """What is shown of a comment, on whichever page of the queue it is."""
        url: str | None = "/staff/comments/"
        while url:
            shown = sam.get(url)
            if comment.id in shown.comment_ids:
                return shown.page.one(data_comment_id=comment.id)
            url = shown.older
        raise AssertionError("not in the queue")

    def test_list_reports_oldest_first_with_an_explanation(self, sam, comment):
        shown = sam.get("/staff/comments/?explain=1")
        assert shown.status == 200
        assert "moderation" in shown.page.one("details", id="explanation").text
        articles = shown.page.all("article", class_="moderated")
        waiting = [article.all("time")[-1]["datetime"] for article in articles]
        assert waiting == sorted(waiting) != []

    def test_name_the_product_and_lead_to_it_and_to_the_author(self, sam):
        product_id, ann = unique("lamp"), someone("ann")
        put_catalogue(categories=[], products=[NewProduct(product_id, "Desk lamp", ())])
        comment = ann.has_written(product_id).comment
        report(comment)
        article = self.article_of(sam, comment)
        assert article.one("a", href=f"/products/{product_id}/").text == "Desk lamp"
        assert article.one("a", href=f"/users/{ann.username}/").text == ann.username

    def test_name_the_language(self, sam):
        comment = made_comment(language="fr")
        report(comment)
        assert "French" in self.article_of(sam, comment).one(class_="byline").text

    def test_lead_back_to_the_next_row_after_a_decision_and_from_the_last_to_the_one_before(
        self, sam, comment
    ):
        report(made_comment())
        rows = sam.get("/staff/comments/").page.all("article", class_="moderated")
        anchors = [row["id"] for row in rows]
        assert {row["tabindex"] for row in rows} == {"-1"}
        for row, then in zip(rows, [*anchors[1:], anchors[-2]], strict=True):
            url, _ = _form(row, "keep")
            assert parse_qs(urlsplit(url).query)["next"] == [f"/staff/comments/#{then}"]

    def test_have_the_buttons_for_a_reply_and_a_pick_which_lead_back_to_the_row(self, sam, comment):
        row = self.article_of(sam, comment)
        for link in (
            row.one("a", href=f"{reply_url(comment)}?next={here(row)}")["hx-get"],
            row.one("form", action=f"{pick_url(comment)}?next={here(row)}")["hx-post"],
        ):
            assert parse_qs(urlsplit(link).query)["next"] == [f"/staff/comments/#{row['id']}"]

    def test_do_not_say_whether_a_comment_is_a_pick_which_the_queue_does_not_know(
        self, sam, comment
    ):
        feature(comment.id)
        button = self.article_of(sam, comment).one("button", id=f"pick-comment-{comment.id}")
        assert (button.text.split(" ,")[0], button.get("aria-pressed")) == ("Pick", None)

    def test_of_what_is_hidden_offer_neither_a_reply_nor_a_pick(self, sam, comment):
        hide(comment_id=comment.id, now=NOW)
        shown = sam.get("/staff/comments/hidden/")
        row = shown.page.one(data_comment_id=comment.id)
        assert [button.text.split(" ,")[0] for button in row.all("button")] == ["Restore"]
        assert row.all(class_="reply-place") == []

    def test_tell_the_one_who_was_late(self, sam, comment):
        url, fields = _form(self.article_of(sam, comment), "keep")
        hide(comment_id=comment.id, now=NOW)
        shown = sam.post(url, fields)
        assert "This comment was changed" in shown.page.one("li", class_="warning").text
        assert state_of(comment) is State.HIDDEN


class TestAListOfAProductForStaff:
    """Hide, Pick and Reply, without the comment's page."""

    @pytest.fixture
    def product(self, comment):
        add_comment(replace(comment, id=f"{comment.id}-2", created_at=NOW))
        return f"/products/{comment.product_id}/comments/~/~/"

    def button(self, page: Element, name: str) -> Element:
        """A button in the older of the two comments, or in the only one."""
        article = page.all("article", class_="comment")[-1]
        return next(b for b in article.all("button") if b.text.startswith(name))

    def press(self, sam: Writer, product: str, name: str, *, htmx: bool = False) -> Shown:
        button = self.button(sam.get(product).page, name)
        assert button["form"] == sam.get(product).page.one("form", method="post", id="votes")["id"]
        fields = {button["name"]: button["value"], "next": product}
        return sam.post(button["hx-post" if htmx else "formaction"], fields, htmx=htmx)

    @pytest.mark.parametrize("htmx", [False, True])
    def test_hides_in_place_and_leads_to_the_next_comment(self, sam, comment, product, htmx):
        shown = self.press(sam, product, "Hide", htmx=htmx)
        assert shown.response.redirect_chain == [(f"{product}#comment-{comment.id}-2", 302)]
        assert shown.comment_ids == [f"{comment.id}-2"]
        assert shown.messages == ["The comment is hidden."]
        assert state_of(comment) is State.HIDDEN

    def test_picks_and_leads_back_to_the_comment(self, sam, comment, product):
        shown = self.press(sam, product, "Pick")
        assert shown.response.redirect_chain == [(f"{product}#comment-{comment.id}", 302)]
        assert [pick.id for pick in find_picks(comment.product_id)] == [comment.id]

    def test_with_htmx_swaps_the_pick_for_a_button_that_takes_it_back(self, sam, comment, product):
        button = self.press(sam, product, "Pick", htmx=True).page.one("button")
        assert button["aria-pressed"] == "true"
        assert button["id"] == f"pick-comment-{comment.id}"

    def test_replies_and_leads_back_to_the_comment(self, sam, comment, product):
        article = sam.get(product).page.one(data_comment_id=comment.id)
        link = article.one(class_="reply-place").one("a")["href"]
        form = sam.get(link).page.one(class_="reply-form")
        shown = sam.post(form["action"], {"text": "Thank you!", "version": "0"})
        assert shown.response.redirect_chain == [(f"{product}#comment-{comment.id}", 302)]
        article = shown.page.one(data_comment_id=comment.id)
        assert "Thank you!" in article.one(class_="shop-reply").text

    def test_opens_several_replies_none_of_which_has_an_id_of_another(self, sam, comment, product):
        ids = comment.id, f"{comment.id}-2"
        areas = [
            sam.get(f"/staff/comments/reply/{i}/", htmx=True).page.one("textarea") for i in ids
        ]
        assert len({area["id"] for area in areas}) == 2

    def test_of_a_reply_that_is_there_begins_with_it(self, sam, comment):
        reply_to(comment_id=comment.id, text="Thanks.", user_id="sam", seen=None, now=NOW)
        form = sam.get(reply_url(comment)).page.one(class_="reply-form")
        assert form.one("textarea").text == "Thanks."
        assert form.one("input", name="version")["value"] == "1"

    @pytest.mark.parametrize("decision", ["keep", "restore", "delete"])
    def test_decides_nothing_else_without_the_revision_that_was_seen(self, sam, comment, decision):
        url = f"/staff/comments/decide/{comment.id}/"
        assert sam.send(url, {"decision": decision}).status_code == 400

    def test_shows_customers_none_of_it(self, bob, product):
        page = bob.get(product).page
        assert page.all(class_="reply-place") == []
        assert [b for b in page.all("button") if b.text.startswith(("Hide", "Pick"))] == []

    def test_offers_no_reply_to_what_is_hidden_or_gone(self, sam, comment):
        hide(comment_id=comment.id, now=NOW)
        assert sam.get(reply_url(comment)).status == 404
        delete_comment(comment.id)
        assert sam.get(reply_url(comment)).status == 404


class TestPageOfAHiddenComment:
    def test_is_for_its_author_and_staff(self):
        ann, bob, sam = someone("ann"), someone("bob"), someone("sam", is_staff=True)
        comment = made_comment(user_id=ann.username)
        hide(comment_id=comment.id, now=NOW)
        url = f"/comments/{comment.id}/"
        assert [who.get(url).status for who in (ann, sam, bob, nobody())] == [200, 200, 404, 404]
        assert "has hidden this comment" in ann.get(url).page.one(class_="banner").text
        assert find_comment(comment.id).is_hidden


def test_the_command_decides_and_says_what_cannot_be(comment, capsys):
    for decision, state in (("hide", State.HIDDEN), ("restore", State.LISTED)):
        call_command("moderate", comment.id, decision)
        assert state_of(comment) is state
    assert "is back in its lists." in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no comment"):
        call_command("moderate", "never-there", "hide")
    hide(comment_id=comment.id, now=NOW)
    with pytest.raises(CommandError, match="A hidden comment is restored or deleted"):
        call_command("moderate", comment.id, "keep")


class TestCsv:
    def rows(self, sam: Writer, queue: str, *comments: NewComment) -> list[dict[str, str]]:
        """The rows of some comments in the file that a queue's page links to."""
        url = sam.get(queue).page.one(class_="csv").one("a")["href"]
        response: Any = sam.browser.get(url)
        assert response["Content-Type"] == "text/csv; charset=utf-8"
        lines = response.getvalue().decode().splitlines()
        ids = {comment.id for comment in comments}
        return [row for row in csv.DictReader(lines) if row["comment_id"] in ids]

    def test_has_what_the_filter_of_its_page_lets_through(self, sam):
        one, other = made_comment(rating=1), made_comment(rating=5)
        report(one, "bob", "")
        report(other, "bob", "")
        rows = self.rows(sam, "/staff/comments/?rating=1", one, other)
        assert [row["comment_id"] for row in rows] == [one.id]

    def test_has_a_row_for_each_report(self, sam):
        comment = made_comment()
        report(comment, "bob", "=1+1")
        report(comment, "cat")
        first, second = self.rows(sam, "/staff/comments/", comment)
        assert {name: first[name] for name in ("product_id", "author", "rating", "reports")} == {
            "product_id": comment.product_id,
            "author": comment.author,
            "rating": str(comment.rating),
            "reports": "2",
        }
        assert first["waiting_since"] == first["reported_at"] == timestamp(NOW)
        assert [each["reported_by"] for each in (first, second)] == ["bob", "cat"]
        assert [each["reporter"] for each in (first, second)] == [
            "bob the reader",
            "cat the reader",
        ]
        assert [each["report"] for each in (first, second)] == ["'=1+1", ""]
        assert {each["reason"] for each in (first, second)} == {"spam"}

    def test_has_a_row_of_a_hidden_comment_without_a_report(self, sam):
        comment = made_comment()
        hide(comment_id=comment.id, now=NOW)
        (row,) = self.rows(sam, "/staff/comments/hidden/", comment)
        assert (row["reports"], row["reported_by"]) == ("0", "")
        assert row.keys() == {*queries.COLUMNS}

    @pytest.mark.real_engine
    def test_is_read_in_parts_the_first_of_them_before_it_is_sent(self, sam, monkeypatch):
        monkeypatch.setattr(views, "COMMENTS_AT_A_TIME", 2)
        comments = [made_comment() for _ in range(5)]
        for comment in comments:
            report(comment)
        with metered() as meter:
            sam.browser.get("/staff/comments.csv")
        assert len(meter.labelled("reports")) == 2
        assert len(self.rows(sam, "/staff/comments/", *comments)) == 5


@pytest.mark.real_engine
class TestCapacity:
    @pytest.mark.parametrize(
        ("decision", "units"),
        [(Decision.KEEP, 5.0), (Decision.HIDE, 24.5), (Decision.RESTORE, 32.5)],
    )
    def test_of_a_decision(self, decision, units):
        comment = made_comment()
        cast_vote(comment_id=comment.id, user_id="bob")
        report(comment)
        if decision is Decision.RESTORE:
            hide(comment_id=comment.id, now=NOW)
        with metered() as meter:
            carry_out(decision, comment_id=comment.id, now=NOW)
        assert meter.units == units


def _carried_out(decision: Decision, comment: NewComment, seen: Revision) -> bool:
    try:
        carry_out(decision, comment_id=comment.id, seen=seen, now=NOW)
    except NotAsSeen:
        return False
    return True


def _form(part: Any, decision: str) -> tuple[str, dict[str, str]]:
    (form,) = (f for f in part.all("form") if f.all("input", name="decision", value=decision))
    fields = {i["name"]: i["value"] for i in form.all("input", type="hidden")}
    fields.pop("csrfmiddlewaretoken", None)
    return form["action"], fields
