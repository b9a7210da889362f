"""Gates: comments are published, held or rejected before anybody sees them."""

import logging

import pytest

from comments import gates
from comments.filters import CommentFilter
from comments.gates import (
    Author,
    Hold,
    Publish,
    Reject,
    block_author,
    hold_all,
    hold_first,
    hold_links,
    hold_words,
    is_blocked,
    judge,
    unblock_author,
)
from comments.items import NewComment
from comments.models import Comment
from comments.posting.services import add_comment
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from comments.store.states import State
from dynapages.calls import clock, metered
from dynapages.lists import PageRequest
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.threads import differing
from tests.support.comments.truth import written
from tests.support.comments.walking import ids_on, read_page
from tests.support.comments.writers import WORDS, Writer, edit_url, made_product, new_url

pytestmark = pytest.mark.usefixtures("few_items")
SOMEONE = Author("someone")


def publish(_draft: NewComment, _author: Author) -> Publish:
    return Publish()


def reject(_draft: NewComment, _author: Author) -> Reject:
    return Reject("Please write about the lamp itself.")


def fail(_draft: NewComment, _author: Author) -> Publish:
    raise ZeroDivisionError


def forget(_draft: NewComment, _author: Author) -> None:
    return None


def gate(*names: str) -> comments_set:
    return comments_set(GATE=[f"{__name__}.{name}" for name in names])


def state_of(comment: NewComment) -> State:
    return load_comment(comment.id).state


def total(product_id: str) -> int:
    return read_counts(product_id, consistent=True).total


def draft(**parts: str) -> NewComment:
    return written("lamp", **parts)


class TestTheShippedGates:
    def test_hold_all_holds_all(self):
        assert isinstance(hold_all(draft(), SOMEONE), Hold)

    def test_hold_first_lets_pass_who_has_published(self, ann):
        author = Author(ann.username)
        assert isinstance(hold_first(draft(), author), Hold)
        comment = ann.has_written(made_product()).comment
        assert hold_first(draft(), author) == Publish()
        hide(comment_id=comment.id)
        assert isinstance(hold_first(draft(), author), Hold)

    @pytest.mark.parametrize(
        ("title", "body", "is_held"),
        [
            ("", "Bright and warm.", False),
            ("", "See https://example.com/lamp", True),
            ("WWW.example.org", "", True),
            ("", "cheaper at lamps.shop!", True),
            ("", "It shines. Com­fortable... 3.5 of 5", False),
            ("", "I like it.And the colour", False),
        ],
    )
    def test_hold_links_holds_what_looks_like_one(self, title, body, is_held):
        assert isinstance(hold_links(draft(title=title, body=body), SOMEONE), Hold) is is_held

    @pytest.mark.parametrize(
        ("title", "body", "is_held"),
        [
            ("", "Bright and warm.", False),
            ("", "Get a casino bonus", True),
            ("CASINO", "", True),
            ("", "With free spins!", True),
            ("", "A casinoesque lamp", False),
            ("", "Free of spins", False),
        ],
    )
    def test_hold_words_holds_whole_words_of_the_list(self, title, body, is_held):
        with comments_set(HELD_WORDS=("casino", "Free spins")):
            verdict = hold_words(draft(title=title, body=body), SOMEONE)
        assert isinstance(verdict, Hold) is is_held

    def test_hold_words_holds_nothing_without_a_list(self):
        assert hold_words(draft(body="casino"), SOMEONE) == Publish()


class TestSeveralGates:
    @pytest.mark.parametrize(
        ("names", "expected"),
        [
            ((), Publish),
            (("publish",), Publish),
            (("publish", "hold_all"), Hold),
            (("hold_all", "reject", "publish"), Reject),
        ],
    )
    def test_decide_by_the_strictest(self, names, expected):
        paths = [f"{gates.__name__ if n == 'hold_all' else __name__}.{n}" for n in names]
        with comments_set(GATE=paths):
            assert isinstance(judge(draft(), SOMEONE), expected)

    def test_hold_what_a_blocked_author_writes(self):
        with gate("publish"):
            assert judge(draft(), Author("someone", is_blocked=True)) == Hold(gates.BLOCKED)

    @pytest.mark.parametrize("name", ["fail", "forget"])
    def test_hold_where_one_fails_and_log_one_line(self, caplog, name):
        with gate(name), caplog.at_level(logging.ERROR):
            assert judge(draft(), SOMEONE) == Hold(gates.FAILED)
        (record,) = caplog.records
        assert name in record.getMessage()
        assert record.exc_info is None


class TestPosting:
    def test_of_a_held_comment_leads_to_its_page(self, ann):
        product_id = made_product()
        with comments_set(GATE="comments.gates.hold_all"):
            form = {**ann.open_form(product_id), **WORDS}
            answers = [ann.send(new_url(product_id), form) for _ in range(2)]
        (url,) = {answer["Location"] for answer in answers}
        shown = ann.get(url)
        assert "waits for the shop" in shown.page.one(class_="banner").text
        assert total(product_id) == 0

    def test_of_a_rejected_comment_keeps_what_was_typed(self, ann):
        product_id = made_product()
        with gate("reject"):
            shown = ann.post(new_url(product_id), {**ann.open_form(product_id), **WORDS})
        assert shown.status == 422
        assert "about the lamp itself" in shown.page.text
        assert WORDS["body"] in shown.page.one("textarea").text
        assert total(product_id) == 0

    def test_of_a_blocked_author_waits(self, ann):
        block_author(ann.username, now=clock.now())
        comment = ann.write(made_product()).comment
        assert state_of(comment) is State.HELD
        unblock_author(ann.username)
        assert state_of(ann.write(made_product()).comment) is State.LISTED

    def test_reads_the_block_for_half_a_unit(self, ann):
        with metered() as meter:
            assert not is_blocked(ann.username)
        assert (meter.calls, meter.units) == (1, 0.5)


class TestAnEdit:
    @pytest.fixture
    def comment(self, ann):
        return ann.has_written(made_product()).comment

    def save(self, ann: Writer, comment: NewComment, **changes: str) -> None:
        version = str(load_comment(comment.id).version)
        ann.send(edit_url(comment), {**WORDS, "version": version, **changes})

    def test_that_the_gate_holds_takes_a_comment_out_of_its_lists(self, ann, comment):
        with comments_set(GATE="comments.gates.hold_links"):
            self.save(ann, comment, body="See https://example.com/", rating="1", language="de")
        assert state_of(comment) is State.HELD
        assert total(comment.product_id) == 0
        assert differing(comment) == []

    def test_without_what_it_was_held_for_is_published(self, ann, comment):
        with comments_set(GATE="comments.gates.hold_links"):
            self.save(ann, comment, body="See https://example.com/")
            self.save(ann, comment, body="See the box.", rating="2")
        assert state_of(comment) is State.LISTED
        page = read_page(comment.product_id, CommentFilter.parse("~", "2"), PageRequest(20))
        assert ids_on(page) == [comment.id]
        assert total(comment.product_id) == 1
        assert differing(comment) == []

    def test_of_a_hidden_comment_leaves_it_hidden(self, ann, comment):
        hide(comment_id=comment.id)
        for option in ((), "comments.gates.hold_all"):
            with comments_set(GATE=option):
                self.save(ann, comment, body=f"With {option}.")
            assert state_of(comment) is State.HIDDEN
        assert differing(comment) == []

    def test_that_changes_nothing_asks_no_gate(self, ann, comment):
        with gate("reject"):
            self.save(ann, comment)
        assert state_of(comment) is State.LISTED


class TestTheItem:
    def test_has_the_reason_and_the_product(self):
        comment = written(made_product())
        add_comment(comment, held_for="a reason")
        stored = load_comment(comment.id)
        assert stored.item[Comment.hold_reason.attr_name] == {"S": "a reason"}
        assert stored.item[Comment.hidden_product.attr_name] == {"S": comment.product_id}
        assert stored.comment == comment

    def test_is_right_to_the_check(self):
        comment = written(made_product())
        add_comment(comment, held_for="a reason")
        assert differing(comment) == []

    def test_has_a_reason_that_is_cut_where_it_is_long(self, monkeypatch):
        monkeypatch.setattr(gates, "hold_all", lambda *_: Hold("about #42" + "." * 500))
        with comments_set(GATE="comments.gates.hold_all"):
            verdict = judge(draft(), SOMEONE)
        assert isinstance(verdict, Hold)
        assert verdict.reason.startswith("about #42...")
        assert len(verdict.reason) == gates.LONGEST_REASON
