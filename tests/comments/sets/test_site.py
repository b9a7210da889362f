"""The whole site on the sets: what is written is shown, at once to its author and soon to all."""

import pytest

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.page import CommentsRequest, read_comments_page
from comments.lists.queries import list_comments
from comments.posting.services import delete_comment, edit_comment
from comments.rankings.newest import find_newest
from comments.sets.copies import Consumer
from comments.sets.models import TABLE
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from dynapages.lists import PageRequest
from dynapages.process import client
from tests.support.comments.browsing import visit
from tests.support.comments.deciding import hide, restore
from tests.support.comments.miscounting import settle
from tests.support.comments.options import comments_set
from tests.support.comments.threads import NOW
from tests.support.comments.writers import delete_url, edit_url, fields_of, made_product
from tests.support.sets.stored import stored_items

pytestmark = [pytest.mark.usefixtures("streamed"), pytest.mark.real_engine]


@pytest.fixture(params=["names", "masks"])
def spelling(request):
    """Each spelling of the sets, in the same table: the products are others."""
    drain()  # what others left is spelled as they had it
    with comments_set(SETS_KEY_FORMAT=request.param):
        yield request.param
        drain()


@pytest.fixture
def comment(alice):
    """What alice has written, five stars, in English; its copies are made."""
    stored = alice.has_written(made_product())
    drain()
    return stored.comment


def drain() -> None:
    Consumer(pause=0).walk().drain()


def url(comment: NewComment, languages: str = "~", ratings: str = "~") -> str:
    return f"/products/{comment.product_id}/comments/{languages}/{ratings}/"


LISTS = [("~", "~"), ("~", "5"), ("~", "1.2"), ("en", "~"), ("en", "1.5"), ("de", "1.5")]
IN_ENGLISH_FIVE = [("~", "~"), ("~", "5"), ("en", "~"), ("en", "1.5")]
IN_ENGLISH_ONE = [("~", "~"), ("~", "1.2"), ("en", "~"), ("en", "1.5")]


def lists_with(comment: NewComment) -> list[tuple[str, str]]:
    """The lists, as anybody sees them, that show the comment; a few of each kind are looked at."""
    return [
        (languages, ratings)
        for languages, ratings in LISTS
        if comment.id in visit(url(comment, languages, ratings)).comment_ids
    ]


class TestAComment:
    def test_that_is_posted_is_in_its_lists_and_moves_when_it_is_edited(
        self, spelling, comment, alice
    ):
        assert lists_with(comment) == IN_ENGLISH_FIVE
        form = fields_of(alice.get(edit_url(comment)))
        alice.post(edit_url(comment), {**form, "rating": "1"})
        drain()
        assert lists_with(comment) == IN_ENGLISH_ONE

    def test_that_is_hidden_is_in_none_until_it_is_restored(self, comment):
        hide(comment_id=comment.id, now=NOW)
        drain()
        assert lists_with(comment) == []
        restore(comment_id=comment.id)
        drain()
        assert lists_with(comment) == IN_ENGLISH_FIVE

    def test_that_is_deleted_is_in_none(self, comment, alice):
        alice.post(delete_url(comment))
        drain()
        assert lists_with(comment) == []
        assert stored_items(comment.id) == {}

    def test_is_its_products_highlight(self, comment):
        wanted = CommentsRequest(
            None, PageRequest(20), product_id=comment.product_id, accept_language="en"
        )
        found = read_comments_page(wanted).highlights
        assert found is not None
        assert found.positive is not None
        assert found.positive.id == comment.id
        assert found.negative is None
        assert found.last_commented == comment.created_at

    def test_is_its_products_newest(self, comment):
        newest = find_newest({}, unsure=[comment.product_id], starts={})
        assert newest[comment.product_id].endswith(comment.id)


class TestItsAuthor:
    def test_sees_it_come_move_and_go_at_once(self, alice):
        comment = alice.write(made_product()).comment
        assert alice.get(url(comment, "en", "5")).comment_ids == [comment.id]
        form = fields_of(alice.get(edit_url(comment)))
        alice.post(edit_url(comment), {**form, "rating": "1", "title": "Changed"})
        assert alice.get(url(comment, "en", "5")).comment_ids == []
        shown = alice.get(url(comment, "en", "1"))
        assert (shown.comment_ids, "Changed" in shown.page.text) == ([comment.id], True)
        alice.post(delete_url(comment))
        assert alice.get(url(comment, "en", "1")).comment_ids == []


class TestACopyThatLagsBehind:
    def test_of_a_deleted_comment_leads_to_a_page_that_says_so(self, comment):
        delete_comment(comment.id, now=NOW)
        assert comment.id in visit(url(comment, "en", "5")).comment_ids
        assert visit(f"/comments/{comment.id}/").status == 404

    def test_of_a_comment_in_another_language_is_shown_once(self, comment):
        """Half of the writes of its move are done: it is in the sets of both languages."""
        older = [c for c in stored_items(comment.id).values() if "/en/" in c["sk"]["S"]]
        edit_comment(load_comment(comment.id), now=NOW, language="de")
        drain()
        for copy in older:
            client().put_item(TableName=TABLE, Item=copy)
        assert visit(url(comment, "de.en", "5")).comment_ids == [comment.id]
        for copy in older:
            key = {name: copy[name] for name in ("pk", "sk")}
            client().delete_item(TableName=TABLE, Key=key)

    def test_is_no_products_newest(self, comment):
        delete_comment(comment.id, now=NOW)
        assert (
            find_newest({}, unsure=[comment.product_id], starts={}).get(comment.product_id, "")
            == ""
        )


class TestASetWronglyHeldForEmpty:
    def test_is_found_and_counted_right_from_then_on(self, comment, alice):
        alice.write(comment.product_id, rating="1")
        drain()
        settle(comment.product_id, {"en.5": 0})
        chosen, counts = CommentFilter.of(["en"], [4, 5]), read_counts(comment.product_id)
        assert counts.of(chosen) == 0
        found = list_comments(comment.product_id, chosen, PageRequest(20), counts=counts)
        assert [each.id for each in found.comments] == [comment.id]
        assert read_counts(comment.product_id, consistent=True).of(chosen) == 1
