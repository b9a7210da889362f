"""Reactions to the sample shop's comments, written by the services that the site uses.

Loading them again changes nothing, even where comments were deleted, hidden or replied to since.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta

from comments.items import NewComment
from comments.moderation.services import feature
from comments.posting.services import CommentExists, CommentGone, add_comment
from comments.replies.services import ReplyChanged, reply_to
from comments.reports.services import Reason, report_comment
from comments.store.comments import NoSuchComment
from comments.votes.services import vote
from demo.sample.orders import REGULAR, STAFF, SampleSales
from demo.sample.reactions import SampleReactions
from shop.order_status import Status
from shop.orders.items import NewOrder

LATER = timedelta(hours=20)
"""The time from a comment to the reactions to it."""
BY_REGULAR = (
    (5, "Would buy it again", "Came two days early and does what it should. I use it every day."),
    (2, "Not for me", "Smaller than I thought, and the colour is another one than in the picture."),
    (4, "", "Good for the price. The manual could be better, but one does not need it."),
)
"""Stars, title and text of what one customer writes about products they bought."""


def load_reactions(reactions: SampleReactions, *, now: datetime) -> None:
    """Write votes, reports, picks and replies, none dated after ``now``."""
    for comment, username in reactions.votes:
        with suppress(NoSuchComment):
            vote(comment_id=comment.id, username=username)
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
    for comment, text in reactions.replies:
        with suppress(NoSuchComment, ReplyChanged):
            reply_to(
                comment_id=comment.id,
                text=text,
                author=STAFF,
                seen=None,
                now=min(comment.created_at + LATER, now),
            )


def load_own_comments(sales: SampleSales, *, not_about: str, now: datetime) -> None:
    """Write a customer's comments on what they bought, except on one product, not after ``now``."""
    bought = _bought_by_regular(sales, not_about)
    for (order, product_id), (rating, title, body) in zip(bought, BY_REGULAR, strict=False):
        comment = NewComment(
            id=f"of-{order.foreign_id}",
            product_id=product_id,
            language="en",
            rating=rating,
            created_at=min(order.now_in.moment + LATER, now),
            author=REGULAR,
            title=title,
            body=body,
            username=REGULAR,
            verified=True,
        )
        with suppress(CommentExists, CommentGone):
            add_comment(comment)


def _bought_by_regular(sales: SampleSales, not_about: str) -> Iterator[tuple[NewOrder, str]]:
    """Yield the newest delivered orders, each with a product that those before did not have."""
    seen = {not_about}
    for order in reversed(sales.orders):
        if order.username == REGULAR and order.now_in.status is Status.DELIVERED:
            unseen = [line.product_id for line in order.lines if line.product_id not in seen]
            if unseen:
                seen.add(unseen[0])
                yield order, unseen[0]
