"""Loading of the sample shop, written by the services and imports that the site uses.

Loading it again changes nothing, even where comments were deleted, hidden or replied to since.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from comments.items import NewComment
from comments.moderation.services import feature
from comments.posting.services import CommentExists, CommentGone, add_comment
from comments.replies.services import ReplyChanged, reply_to
from comments.reports.services import Reason, report_comment
from comments.signals import unannounced
from comments.store.comments import NoSuchComment
from comments.topics.making import make_topics, read_standing
from comments.topics.samples import Vocabularies
from comments.votes.services import cast_vote
from demo.sample.orders import REGULAR, STAFF, SampleSales
from demo.sample.pickup_points import sample_points, sample_zips
from demo.sample.reactions import SampleReactions
from dynapages.calls import in_chunks
from dynapages.lists import PageRequest
from dynapages.process import client, pool, slow_client
from shop.accounts.queries import find_user
from shop.accounts.services import ensure_profile
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.activity.months import Month
from shop.activity.queries import list_activity
from shop.activity.recording import write_entry
from shop.activity.tables import make_table
from shop.order_status import Status
from shop.orders.importing import put_orders
from shop.orders.items import NewOrder
from shop.pickup.bulk_writes import put_points, put_zips

PASSWORD = "sample-shop"  # noqa: S105 - published, and only used where --sign-in asks for it
SIGN_IN = ("alex", "sam")
"""A customer with many orders, and a member of staff."""
ORDERS_AT_A_TIME = 100
REACTION_DELAY = timedelta(hours=20)
"""The time from a comment to the reactions to it."""
BY_REGULAR = (
    (5, "Would buy it again", "Came two days early and does what it should. I use it every day."),
    (2, "Not for me", "Smaller than I thought, and the colour is another one than in the picture."),
    (4, "", "Good for the price. The manual could be better, but one does not need it."),
)
"""Stars, title and text of what one customer writes about products they bought."""
BY_CUSTOMERS = frozenset({Status.PLACED, Status.CANCELED, Status.RETURNED})
"""The statuses that customers give an order; the others are given by staff."""


# Accounts, orders and pickup points


def load_users(sales: SampleSales, *, now: datetime, sign_in: bool) -> None:
    """Create the sample's accounts; with ``sign_in`` two of them get the published password."""
    for username in sales.usernames:
        ensure_profile(username=username, joined_at=now)
    if sign_in:
        let_sign_in()


def let_sign_in() -> None:
    """Set the published password of two accounts, unless they are missing or have one."""
    for username in SIGN_IN:
        user = find_user(username)
        if user and not user.has_usable_password():
            user.set_password(PASSWORD)
            user.is_staff = username == STAFF
            user.save()


def load_orders(sales: SampleSales, *, advance: Callable[[int], object]) -> None:
    """Write the sample's orders; those that exist, of any day, stay as they are."""
    for chunk in in_chunks(sales.orders, ORDERS_AT_A_TIME):
        put_orders(chunk)
        advance(len(chunk))


def load_pickup_points() -> None:
    """Write the sample's pickup points, and the locations of their postcodes."""
    put_zips(sample_zips())
    put_points(sample_points())


# Comments, and reactions to them


@unannounced()
def load_reactions(reactions: SampleReactions, *, now: datetime) -> None:
    """Write votes, reports, picks and replies, none dated after ``now``."""
    for comment, username in reactions.votes:
        with suppress(NoSuchComment):
            cast_vote(comment_id=comment.id, user_id=username)
    for comment, username, reason, text in reactions.reports:
        with suppress(NoSuchComment):
            report_comment(
                comment_id=comment.id,
                user_id=username,
                author=username,
                reason=Reason(reason),
                text=text,
                now=min(comment.created_at + REACTION_DELAY, now),
            )
    for pick in reactions.picks:
        with suppress(NoSuchComment):
            feature(pick.id, now=now)
    for comment, text in reactions.replies:
        with suppress(NoSuchComment, ReplyChanged):
            reply_to(
                comment_id=comment.id,
                text=text,
                user_id=STAFF,
                author=STAFF,
                seen=None,
                now=min(comment.created_at + REACTION_DELAY, now),
            )


def load_own_comments(sales: SampleSales, *, not_about: str, now: datetime) -> None:
    """Write a customer's comments on what they bought, except on one product, not after ``now``."""
    purchases = _bought_by_regular(sales, not_about)
    for (order, product_id), (rating, title, body) in zip(purchases, BY_REGULAR, strict=False):
        comment = NewComment(
            id=f"of-{order.foreign_id}",
            product_id=product_id,
            language="en",
            rating=rating,
            created_at=min(order.now_in.moment + REACTION_DELAY, now),
            author=REGULAR,
            title=title,
            body=body,
            user_id=REGULAR,
            verified=True,
        )
        with suppress(CommentExists, CommentGone):
            add_comment(comment)


def _bought_by_regular(sales: SampleSales, not_about: str) -> Iterator[tuple[NewOrder, str]]:
    """Yield the newest delivered orders, each with a product that those before did not have."""
    seen = {not_about}
    for order in reversed(sales.orders):
        if order.username != REGULAR or order.now_in.status is not Status.DELIVERED:
            continue
        for line in order.lines:
            if line.product_id not in seen:
                seen.add(line.product_id)
                yield order, line.product_id
                break


# The activity log


def make_due_topics(
    product_ids: Sequence[str], *, now: datetime, advance: Callable[[int], object]
) -> None:
    """Make what buyers say about products, where there are enough comments."""

    def products() -> Sequence[str]:
        return product_ids

    vocabularies = Vocabularies(products, now)
    for product_id in product_ids:
        due = read_standing(product_id).due
        if due:
            make_topics(product_id, due, vocabularies, now=now)
        advance(1)


def load_activity(
    sales: SampleSales,
    comments: Iterable[NewComment],
    reactions: SampleReactions,
    *,
    names: Mapping[str, str],
    now: datetime,
) -> None:
    """Write entries of this month and the one before, unless there are any in the log.

    ``names`` are those of the products, which may not be stored yet.
    """
    if list_activity((), PageRequest(1), now=now).items:
        return
    this_month = Month.of(now)
    last_month = this_month.plus(-1)
    for month in (last_month, this_month):
        make_table(month, client=slow_client())
    begin = datetime(last_month.year, last_month.month, 1, tzinfo=UTC)
    entries: list[LogEntry] = []
    for entry in _log_entries(sales, comments, reactions, now=now):
        if entry.moment >= begin:
            entries.append(replace(entry, name=names.get(entry.about, "")))
    pool().map(partial(write_entry, client=client()), entries)


def _log_entries(
    sales: SampleSales,
    comments: Iterable[NewComment],
    reactions: SampleReactions,
    *,
    now: datetime,
) -> Iterator[LogEntry]:
    """Yield the entries of all orders, comments, picks and replies, in no order of time."""
    for order in sales.orders:
        yield from _of_order(order)
    for comment in comments:
        yield _posted(comment)
    for comment in reactions.picks:
        yield _by_staff(LogVerb.PICKED, comment, now=now)
    for comment, _text in reactions.replies:
        yield _by_staff(LogVerb.REPLIED, comment, now=now)


def _by_staff(action: LogVerb, comment: NewComment, *, now: datetime) -> LogEntry:
    return replace(
        _posted(comment),
        kind=Kind.MODERATION,
        action=action,
        moment=min(comment.created_at + REACTION_DELAY, now),
        who=STAFF,
        became="",
    )


def _of_order(order: NewOrder) -> Iterator[LogEntry]:
    before = ""
    for change in order.history:
        yield LogEntry(
            kind=Kind.ORDER,
            action=LogVerb.MOVED if before else LogVerb.PLACED,
            moment=change.moment,
            who=order.username if change.status in BY_CUSTOMERS else STAFF,
            subject=order.id,
            about=order.username,
            was=before,
            became=change.status,
        )
        before = change.status


def _posted(comment: NewComment) -> LogEntry:
    return LogEntry(
        kind=Kind.COMMENT,
        action=LogVerb.POSTED,
        moment=comment.created_at,
        who=comment.author,
        subject=comment.id,
        about=comment.product_id,
        became=str(comment.rating),
    )
