"""Staff keep, hide, restore and delete comments; nobody else does, and no two of them at odds."""

import csv
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.filters import CommentFilter
from comments.imports.writer import BulkWriter
from comments.items import NewComment
from comments.lists.page import find_picks
from comments.lists.queries import find_comment
from comments.moderation import listing, views
from comments.moderation.services import (
    Decision,
    NotAsSeen,
    carry_out,
    feature,
    hide,
    keep,
    restore,
)
from comments.reports.services import Reason, report_comment
from comments.store.comments import Revision, State, load_comment
from comments.store.counts import counts_of
from comments.votes.services import vote
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.meter import metered
from dynamo.lists.reader import PageRequest
from dynamo.lists.runs import timestamp
from shop.catalogue.items import NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.chance import unique
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
    vote(comment_id=comment.id, username="bob")
    report(comment)
    return comment


def report(comment: NewComment, username: str = "bob", text: str = "") -> None:
    report_comment(comment_id=comment.id, username=username, reason=Reason.SPAM, text=text, now=NOW)


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
        assert counts_of(comment.product_id, consistent=True).total == 0
        assert helpful(comment) == []
        assert find_picks(comment.product_id) == ()
        assert (five_stars(comment.product_id), last_comment(comment.product_id)) == (0, None)
        assert moderated(comment, State.REPORTED) is None
        hidden = moderated(comment, State.HIDDEN)
        assert hidden
        assert (hidden.product_id, len(hidden.reports)) == (comment.product_id, 1)

    @pytest.mark.parametrize("is_read_before", [False, True])
    def test_is_not_undone_by_an_import(self, comment, is_read_before):
        again = replace(comment, username="", created_at=NOW)
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
        assert counts_of(comment.product_id, consistent=True).cells == {("en", 5): 1}
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
        assert counts_of(comment.product_id, consistent=True).total == int(kept)
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
        shown = sam.get("/staff/comments/")
        assert shown.status == 200
        assert "moderation" in shown.page.one("details").text
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

    def test_tell_the_one_who_was_late(self, sam, comment):
        url, fields = _form(self.article_of(sam, comment), "keep")
        hide(comment_id=comment.id, now=NOW)
        shown = sam.post(url, fields)
        assert "Somebody has decided on this comment" in shown.page.one("li", class_="warning").text
        assert state_of(comment) is State.HIDDEN


class TestPageOfAHiddenComment:
    def test_is_for_its_author_and_staff(self):
        ann, bob, sam = someone("ann"), someone("bob"), someone("sam", is_staff=True)
        comment = made_comment(username=ann.username)
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
    with pytest.raises(CommandError, match="restored or deleted, not kept"):
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
        assert [each["report"] for each in (first, second)] == ["'=1+1", ""]
        assert {each["reason"] for each in (first, second)} == {"spam"}

    def test_has_a_row_of_a_hidden_comment_without_a_report(self, sam):
        comment = made_comment()
        hide(comment_id=comment.id, now=NOW)
        (row,) = self.rows(sam, "/staff/comments/hidden/", comment)
        assert (row["reports"], row["reported_by"]) == ("0", "")
        assert row.keys() == {*listing.COLUMNS}

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
        [(Decision.KEEP, 5.0), (Decision.HIDE, 22.5), (Decision.RESTORE, 25.5)],
    )
    def test_of_a_decision(self, decision, units):
        comment = made_comment()
        vote(comment_id=comment.id, username="bob")
        report(comment)
        if decision is Decision.RESTORE:
            hide(comment_id=comment.id, now=NOW)
        with metered() as meter:
            carry_out(decision, comment_id=comment.id, now=NOW)
        assert meter.capacity_units() == units


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
