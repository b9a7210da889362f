"""Staff keep, hide, restore and delete comments; nobody else does, and no two of them at odds."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.filters import CommentFilter
from comments.imports.writer import BulkWriter
from comments.integrity.comments import comment_differences
from comments.items import NewComment
from comments.lists.page import find_picks
from comments.lists.queries import find_comment
from comments.models import Comment
from comments.moderation.services import (
    Decision,
    NotAsSeen,
    carry_out,
    feature,
    hide,
    keep,
    restore,
)
from comments.posting.services import delete_comment, edit_comment
from comments.reports.services import Reason, report_comment
from comments.store.comments import NoSuchComment, Revision, State, load_comment
from comments.store.counts import counts_of
from comments.votes.services import refresh_comment, vote
from dynamo.calls.batches import Batches
from dynamo.calls.client import client, pool
from dynamo.calls.meter import metered
from dynamo.lists.reader import PageRequest
from shop.catalogue.items import NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.chance import unique
from tests.support.comments.faulty import before_the_next_transaction, troubled
from tests.support.comments.ranked import five_stars, last_comment
from tests.support.comments.threads import NOW, differing, helpful, made_comment, moderated
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


def report(comment: NewComment, username: str = "bob") -> None:
    report_comment(comment_id=comment.id, username=username, reason=Reason.SPAM, text="", now=NOW)


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


def spoil(comment: NewComment, name: str, value: dict[str, str]) -> None:
    key = {"S": f"COMMENT#{comment.id}"}
    client().update_item(
        TableName=Comment.Meta.table_name,
        Key={"pk": key, "sk": key},
        UpdateExpression="SET #n = :v",
        ExpressionAttributeNames={"#n": name},
        ExpressionAttributeValues={":v": value},
    )


class TestKeeping:
    def test_takes_it_out_of_the_queue_and_of_nothing_else(self, comment):
        keep(comment_id=comment.id, seen=seen_now(comment))
        assert moderated(comment, State.REPORTED) is None
        assert lists_with(comment) == EVERYWHERE
        assert differing(comment) == []

    def test_twice_is_success(self, comment):
        seen = seen_now(comment)
        for _ in range(2):
            keep(comment_id=comment.id, seen=seen)

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
        assert differing(comment) == []

    def test_puts_it_among_the_hidden_ones_with_its_reports(self, comment):
        hide(comment_id=comment.id, now=NOW)
        assert moderated(comment, State.REPORTED) is None
        hidden = moderated(comment, State.HIDDEN)
        assert hidden
        assert (hidden.product_id, len(hidden.reports)) == (comment.product_id, 1)

    def test_twice_counts_once(self, comment):
        seen = seen_now(comment)
        for _ in range(2):
            hide(comment_id=comment.id, seen=seen, now=NOW)
        assert counts_of(comment.product_id, consistent=True).total == 0
        assert differing(comment) == []

    def test_what_nobody_reported_is_possible(self):
        comment = made_comment()
        hide(comment_id=comment.id, seen=seen_now(comment), now=NOW)
        assert moderated(comment, State.HIDDEN)
        assert differing(comment) == []

    def test_a_comment_that_was_edited_meanwhile_is_told(self, comment):
        seen = seen_now(comment)
        edit_comment(load_comment(comment.id), now=NOW, title="Polite now")
        with pytest.raises(NotAsSeen):
            hide(comment_id=comment.id, seen=seen, now=NOW)
        assert lists_with(comment) == EVERYWHERE

    def test_leaves_an_edit_to_its_author(self, comment):
        hide(comment_id=comment.id, now=NOW)
        edit_comment(load_comment(comment.id), now=NOW, rating=1, language="de")
        assert counts_of(comment.product_id, consistent=True).total == 0
        restore(comment_id=comment.id)
        assert counts_of(comment.product_id, consistent=True).cells == {("de", 1): 1}
        assert differing(comment) == []

    def test_is_not_undone_by_an_import(self, comment):
        hide(comment_id=comment.id, now=NOW)
        again = NewComment(**{**_fields(comment), "username": "", "created_at": NOW})
        BulkWriter(Batches(client(), pool())).write([again])
        assert state_of(comment) is State.HIDDEN
        assert differing(comment) == []

    def test_is_not_undone_by_an_import_that_has_read_it_before(self, comment):
        again = NewComment(**{**_fields(comment), "username": "", "created_at": NOW})
        with before_the_next_transaction(lambda: hide(comment_id=comment.id, now=NOW)):
            BulkWriter(Batches(client(), pool())).write([again])
        assert state_of(comment) is State.HIDDEN
        assert differing(comment) == []

    def test_is_not_undone_by_a_vote_that_is_being_ranked(self, comment):
        def tally() -> int:
            hide(comment_id=comment.id, now=NOW)
            return 1

        assert not refresh_comment(comment.id, tally=tally)
        assert helpful(comment) == []
        assert differing(comment) == []

    def test_of_what_is_gone_is_told(self, comment):
        delete_comment(comment.id)
        with pytest.raises(NoSuchComment):
            hide(comment_id=comment.id, now=NOW)


class TestRestoring:
    def test_puts_it_back_where_it_was(self, comment):
        before = load_comment(comment.id).comment
        hide(comment_id=comment.id, now=NOW)
        restore(comment_id=comment.id, seen=seen_now(comment))
        assert load_comment(comment.id).comment == before
        assert lists_with(comment) == EVERYWHERE
        assert counts_of(comment.product_id, consistent=True).cells == {("en", 5): 1}
        assert helpful(comment) == [1]
        assert (five_stars(comment.product_id), last_comment(comment.product_id)) == (
            1,
            comment.id,
        )
        assert moderated(comment, State.HIDDEN) is None
        assert differing(comment) == []

    def test_twice_counts_once(self, comment):
        hide(comment_id=comment.id, now=NOW)
        seen = seen_now(comment)
        for _ in range(2):
            restore(comment_id=comment.id, seen=seen)
        assert counts_of(comment.product_id, consistent=True).total == 1
        assert differing(comment) == []

    def test_what_is_only_reported_is_refused(self, comment):
        with pytest.raises(NotAsSeen, match="kept, hidden or deleted"):
            restore(comment_id=comment.id)


class TestDeleting:
    @pytest.mark.parametrize("first", [keep, hide])
    def test_takes_it_out_of_the_index_too(self, comment, first):
        carry_out(Decision(first.__name__), comment_id=comment.id, now=NOW)
        for _ in range(2):
            carry_out(Decision.DELETE, comment_id=comment.id, now=NOW)
        with pytest.raises(NoSuchComment):
            load_comment(comment.id)
        assert moderated(comment, State.REPORTED) is moderated(comment, State.HIDDEN) is None
        assert differing(comment) == []

    def test_what_was_decided_otherwise_meanwhile_is_told(self, comment):
        seen = seen_now(comment)
        keep(comment_id=comment.id)
        with pytest.raises(NotAsSeen):
            carry_out(Decision.DELETE, comment_id=comment.id, seen=seen, now=NOW)
        assert lists_with(comment) == EVERYWHERE


@pytest.mark.real_engine
class TestTwoModeratorsAtOnce:
    @pytest.mark.parametrize(
        ("one", "other"), [(Decision.KEEP, Decision.HIDE), (Decision.HIDE, Decision.KEEP)]
    )
    def test_one_wins_and_the_other_is_told(self, comment, one, other):
        seen = seen_now(comment)
        carry_out(one, comment_id=comment.id, seen=seen, now=NOW)
        with pytest.raises(NotAsSeen):
            carry_out(other, comment_id=comment.id, seen=seen, now=NOW)
        assert differing(comment) == []

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
        (difference,) = [d for d in comment_differences() if comment.id in d.subject]
        assert difference.kind == "marks"
        assert difference.mend
        assert difference.mend()
        assert differing(comment) == []

    def test_finds_hidden_comments_that_are_picked(self, comment):
        hide(comment_id=comment.id, now=NOW)
        spoil(comment, "f", {"S": f"FEATURED#{comment.product_id}"})
        (difference,) = [d for d in comment_differences() if comment.id in d.subject]
        assert difference.mend
        assert difference.mend()
        assert differing(comment) == []


class TestPages:
    @pytest.fixture
    def sam(self):
        return someone("sam", is_staff=True)

    def decision_on(
        self, sam: Writer, comment: NewComment, decision: str
    ) -> tuple[str, dict[str, str]]:
        """The address and the fields of a button."""
        return _form(self.article_of(sam, comment), decision)

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

    @pytest.mark.parametrize(
        ("decision", "state"), [("keep", State.LISTED), ("hide", State.HIDDEN)]
    )
    def test_decide(self, sam, comment, decision, state):
        url, fields = self.decision_on(sam, comment, decision)
        shown = sam.post(url, fields)
        assert shown.page.all("li", class_="success")
        assert state_of(comment) is state
        assert differing(comment) == []

    def test_tell_the_one_who_was_late(self, sam, comment):
        url, fields = self.decision_on(sam, comment, "keep")
        hide(comment_id=comment.id, now=NOW)
        shown = sam.post(url, fields)
        assert "Somebody has decided on this comment" in shown.page.one("li", class_="warning").text
        assert state_of(comment) is State.HIDDEN

    def test_tell_that_it_is_gone(self, sam, comment):
        url, fields = self.decision_on(sam, comment, "keep")
        delete_comment(comment.id)
        shown = sam.post(url, fields)
        assert "somebody has deleted it" in shown.page.one("li", class_="warning").text

    def test_refuse_a_form_that_says_nothing(self, sam, comment):
        url = f"/staff/comments/decide/{comment.id}/"
        wrong = ({}, {"decision": "burn", "seen": "LISTED.1.0"}, {"decision": "keep", "seen": "x"})
        for fields in wrong:
            assert sam.send(url, fields).status_code == 400

    def test_are_walked_by_tokens(self, sam, settings):
        settings.PAGE_SIZE = 2
        comments = [made_comment() for _ in range(5)]
        for comment in comments:
            report(comment)
        ids, url = [], "/staff/comments/"
        while url:
            shown = sam.get(url)
            ids += shown.comment_ids
            url = shown.older
        assert len(ids) == len(set(ids))
        assert {comment.id for comment in comments} <= set(ids)


class TestPageOfAHiddenComment:
    def test_is_for_its_author_and_staff(self):
        ann, bob, sam = someone("ann"), someone("bob"), someone("sam", is_staff=True)
        comment = made_comment(username=ann.username)
        hide(comment_id=comment.id, now=NOW)
        url = f"/comments/{comment.id}/"
        assert [who.get(url).status for who in (ann, sam, bob, nobody())] == [200, 200, 404, 404]
        assert "has hidden this comment" in ann.get(url).page.one(class_="banner").text
        assert find_comment(comment.id).is_hidden

    def test_lets_staff_restore_it(self):
        sam, comment = someone("sam", is_staff=True), made_comment()
        hide(comment_id=comment.id, now=NOW)
        page = sam.get(f"/comments/{comment.id}/").page
        shown = sam.post(*_form(page.one(class_="staff-tools"), "restore"))
        assert shown.status == 200
        assert lists_with(comment) == EVERYWHERE


class TestCommand:
    def test_decides(self, comment, capsys):
        for decision, state in (("hide", State.HIDDEN), ("restore", State.LISTED)):
            call_command("moderate", comment.id, decision)
            assert state_of(comment) is state
        assert "is back in its lists." in capsys.readouterr().out

    def test_says_what_cannot_be(self, comment):
        with pytest.raises(CommandError, match="There is no comment"):
            call_command("moderate", "never-there", "hide")
        hide(comment_id=comment.id, now=NOW)
        with pytest.raises(CommandError, match="restored or deleted, not kept"):
            call_command("moderate", comment.id, "keep")


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


def _fields(comment: NewComment) -> dict[str, Any]:
    return {name: getattr(comment, name) for name in comment.__slots__}


def _form(part: Any, decision: str) -> tuple[str, dict[str, str]]:
    (form,) = (f for f in part.all("form") if f.all("input", name="decision", value=decision))
    fields = {i["name"]: i["value"] for i in form.all("input", type="hidden")}
    fields.pop("csrfmiddlewaretoken", None)
    return form["action"], fields
