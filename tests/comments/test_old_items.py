"""Comments as the first version of the shop stored them are as good as new ones."""

from collections.abc import Callable

import pytest

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.moderation.services import feature, hide, restore
from comments.posting.services import delete_comment, edit_comment
from comments.replies.services import reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import load_comment
from comments.store.counts import CountChanges, counts_of, write
from comments.votes.services import vote
from dynamo.writes.transactions import put
from shop.catalogue.services import ensure_products
from tests.support.comments.threads import NOW, differing
from tests.support.comments.truth import written

pytestmark = pytest.mark.usefixtures("few_items")

FIRST_ATTRIBUTES = ("pk", "sk", "o", "a", "l", "r", "b", "g", "s", "u", "t", "x", "m")


@pytest.fixture
def comment(fresh):
    """A comment without version, rank, or anything else that came later; counted, as it was."""
    product_id = fresh("product")
    ensure_products(product_ids={product_id})
    comment = written(product_id, id=fresh("comment"))
    serialized = items_of(comment)[0].serialize()
    item = {name: serialized[name] for name in FIRST_ATTRIBUTES if name in serialized}
    changes = CountChanges()
    changes.add(product_id, (comment.language, comment.rating), comment.created_at, 1)
    write([put(Comment, item)], changes)
    return comment


def whole(comment: NewComment) -> list[str]:
    """What the check finds, but for the ranks of the product, which nobody has derived yet."""
    return [found for found in differing(comment) if not found.startswith("rank of product")]


DOINGS: dict[str, Callable[[str], object]] = {
    "edit": lambda i: edit_comment(load_comment(i), now=NOW, rating=1, language="pt"),
    "vote": lambda i: vote(comment_id=i, username="bob"),
    "report": lambda i: report_comment(
        comment_id=i, username="bob", reason=Reason.SPAM, text="", now=NOW
    ),
    "pick": feature,
    "reply": lambda i: reply_to(comment_id=i, text="Hi", author="sam", seen=None, now=NOW),
    "hide": lambda i: hide(comment_id=i, now=NOW),
    "hide and restore": lambda i: (hide(comment_id=i, now=NOW), restore(comment_id=i)),
    "delete": lambda i: delete_comment(i, now=NOW),
}


class TestOldItem:
    def test_has_nothing_that_differs(self, comment):
        assert whole(comment) == []

    @pytest.mark.parametrize("name", DOINGS)
    def test_bears_all_that_is_done_with_comments(self, comment, name):
        for _ in range(2):
            DOINGS[name](comment.id)
        assert whole(comment) == []
        is_there = name not in {"hide", "delete"}
        assert counts_of(comment.product_id, consistent=True).total == int(is_there)

    def test_gets_a_version_with_its_first_edit(self, comment):
        assert load_comment(comment.id).version == 0
        DOINGS["edit"](comment.id)
        assert load_comment(comment.id).version == 1
