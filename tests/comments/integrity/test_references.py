"""Users and products of comments that there are none of, as after a restore."""

from dataclasses import replace

import pytest

from comments.integrity import references
from comments.integrity.references import reference_differences
from comments.posting.services import add_comment, delete_comment
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.votes.services import cast_vote
from shop.accounts.services import shut_profile
from shop.catalogue.services import ensure_products
from tests.support.comments.deciding import hide
from tests.support.comments.threads import NOW
from tests.support.comments.truth import written
from tests.support.comments.writers import someone

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def comment(fresh):
    """One by a user who has an account, on a product that exists."""
    author = someone("ann").username
    comment = written(fresh("product"), id=fresh("comment"), user_id=author, author=author)
    ensure_products(product_ids={comment.product_id})
    add_comment(comment)
    return comment


def hints(*names: str) -> list[str]:
    """What is said of users and products by their names."""
    found = [d for d in reference_differences() if any(name in d.subject for name in names)]
    assert all(difference.is_hint and difference.repair is None for difference in found)
    return [
        f"{difference.kind} of {difference.subject}: {difference.stored}" for difference in found
    ]


class TestReferences:
    def test_to_what_exists_are_not_shown(self, comment):
        assert hints(comment.user_id, comment.product_id) == []

    def test_to_a_product_that_does_not_exist_are_shown_those_of_hidden_comments_too(
        self, comment, fresh
    ):
        product_id = fresh("gone")
        listed, hidden = fresh("comment"), fresh("comment")
        for comment_id in (listed, hidden):
            add_comment(replace(comment, id=comment_id, product_id=product_id))
        hide(comment_id=hidden)
        shown = hints(product_id, comment.product_id)
        assert shown == [f"comments of product {product_id}: 2 without their product"]

    def test_to_a_user_whose_account_was_shut_are_shown(self, comment):
        shut_profile(comment.user_id)
        shown = hints(comment.user_id)
        assert shown == [f"items of user {comment.user_id}: 1 without an open account"]

    def test_are_those_of_votes_reports_and_replies_as_well(self, comment, fresh):
        voter, reporter, staff = fresh("bob"), fresh("carol"), fresh("sam")
        cast_vote(comment_id=comment.id, user_id=voter)
        report_comment(
            comment_id=comment.id,
            user_id=reporter,
            author=reporter,
            reason=Reason.SPAM,
            text="",
            now=NOW,
        )
        reply_to(
            comment_id=comment.id, text="Thanks.", user_id=staff, author=staff, seen=None, now=NOW
        )
        for user_id in (voter, reporter, staff):
            assert hints(user_id) == [f"items of user {user_id}: 1 without an open account"]

    def test_of_a_comment_that_was_deleted_are_none(self, fresh):
        author, product_id = fresh("ann"), fresh("gone")
        deleted = written(product_id, id=fresh("comment"), user_id=author, author=author)
        add_comment(deleted)
        assert len(hints(author, product_id)) == 2
        delete_comment(deleted.id)
        assert hints(author, product_id) == []

    def test_are_all_looked_for_however_many_there_are(self, comment, fresh, monkeypatch):
        monkeypatch.setattr(references, "READ_AT_ONCE", 2)
        users = [fresh("voter") for _ in range(5)]
        for user_id in users:
            cast_vote(comment_id=comment.id, user_id=user_id)
        assert len(hints(*users)) == len(users)
