"""What happens around the sample shop's comments, done by the services that the site uses.

Doing it again changes nothing, also where comments were deleted, hidden or replied to meanwhile.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from comments.items import NewComment
from comments.picks.services import feature
from comments.posting.services import CommentExists, CommentGone, add_comment
from comments.replies.services import ReplyChanged, reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import NoSuchComment
from comments.votes.services import vote
from demo.sample.orders import REGULAR, STAFF, SampleOrder, SampleSales
from demo.sample.reactions import SampleReactions

LATER = timedelta(hours=20)
"""How long after a comment something is done about it."""
BY_REGULAR = (
    (5, "Would buy it again", "Came two days early and does what it should. I use it every day."),
    (2, "Not for me", "Smaller than I thought, and the colour is another one than in the picture."),
    (4, "", "Good for the price. The manual could be better, but one does not need it."),
)
"""Stars, title and text of what one customer writes about things they have bought."""


def load_reactions(reactions: SampleReactions, *, now: datetime) -> None:
    """Write votes, reports, picks and replies, none dated after ``now``."""
    for given in reactions.votes:
        with suppress(NoSuchComment):
            vote(comment_id=given.comment.id, username=given.username)
    for report in reactions.reports:
        with suppress(NoSuchComment):
            report_comment(
                comment_id=report.comment.id,
                username=report.username,
                reason=Reason(report.reason),
                text=report.text,
                now=min(report.comment.created_at + LATER, now),
            )
    for pick in reactions.picks:
        with suppress(NoSuchComment):
            feature(pick.id)
    for reply in reactions.replies:
        with suppress(NoSuchComment, ReplyChanged):
            reply_to(
                comment_id=reply.comment.id,
                text=reply.text,
                author=STAFF,
                seen=None,
                now=min(reply.comment.created_at + LATER, now),
            )


def load_own_comments(sales: SampleSales, *, not_about: str, now: datetime) -> None:
    """Let one customer write about what they bought, but one product, not after ``now``."""
    bought = _bought_by_regular(sales, not_about)
    for (order, product_id), (rating, title, body) in zip(bought, BY_REGULAR, strict=False):
        comment = NewComment(
            id=f"of-{order.reference}",
            product_id=product_id,
            language="en",
            rating=rating,
            created_at=min(order.history[-1].entered_at + LATER, now),
            author=REGULAR,
            title=title,
            body=body,
            username=REGULAR,
            verified=True,
        )
        with suppress(CommentExists, CommentGone):
            add_comment(comment)


def _bought_by_regular(sales: SampleSales, not_about: str) -> Iterator[tuple[SampleOrder, str]]:
    """Give the newest delivered orders, each with a product that those before did not have."""
    told_of = {not_about}
    for order in reversed(sales.orders):
        if order.username == REGULAR and order.status == "DELIVERED":
            untold = [line.product_id for line in order.lines if line.product_id not in told_of]
            if untold:
                told_of.add(untold[0])
                yield order, untold[0]
