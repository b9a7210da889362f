"""Asking customers for reviews, once about a purchase, and noting what came of it.

The order of the writes is such that a process may end between any two of them:

1. One conditional write claims the user, for two minutes. It fails where they do not want to be
   asked, were asked in the last 14 days, or another process has claimed them.
2. The e-mail is handed to the mail server.
3. One transaction notes that the server took it, on the purchase and on the user, and counts it.

Of two processes at the same time one sends. Whoever ends before the second step has sent nothing,
and the purchase is asked about when it is due again. **A second e-mail may come** where a process
ends, or loses the database, after the mail server took the e-mail and before that is noted; and
where the mail server takes longer than two minutes.

That a request was opened or answered is noted behind the answer of the page: where the process ends
just then, the figure is one too low.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from secrets import token_hex

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.update import Action as Change

from comments import keys, signals
from comments.host import Product
from comments.models import AskedUser, ReviewRequest
from comments.requests import counts
from comments.requests.emails import build_email
from comments.requests.purchases import DuePurchase
from comments.requests.queries import asked_in, find_asked, products_to_review
from comments.store.table import read_item, retry, write_if_condition_holds
from dynapages.django.mail import errors_of_the_mail_server
from dynapages.items import Item
from dynapages.lists import SEPARATOR, parse_timestamp, timestamp
from dynapages.process import client, write_actions
from dynapages.pynamodb import update
from dynapages.work import Postponed
from dynapages.writes import Action, ConditionFailed, put, write_item

INTERVAL = timedelta(days=14)
"""A customer is asked once in this time, whatever they buy."""
LEASE = timedelta(minutes=2)
"""How long a process has a user to itself: a mail server may take its time at each step."""
KIND = "review request"
"""What the log calls these e-mails."""
_BUSY = "Another process is asking the same customer."
_EVENTS = {
    ReviewRequest.opened_at.attr_name: counts.OPENED,
    ReviewRequest.reviewed_at.attr_name: counts.REVIEWED,
}
"""The moments that are noted on a request, by their attributes, and how they are counted."""


class Outcome(StrEnum):
    """What became of a purchase that was due.

    `REVIEWED` is also said where none of its products exists any more, and `NO_ADDRESS` where the
    mail server refuses the address for good.
    """

    SENT = "sent"
    ASKED_BEFORE = "asked before"
    TOO_SOON = "too soon"
    MUTED = "muted"
    REVIEWED = "reviewed"
    NO_ADDRESS = "no address"


@dataclass(frozen=True, slots=True)
class Consideration:
    """What would become of a purchase now, and the products to ask about if it is `SENT`."""

    outcome: Outcome
    products: Sequence[Product] = ()


# Asking


def consider(purchase: DuePurchase, *, now: datetime) -> Consideration:
    """Return what `request_review` would do. Nothing is written or sent."""
    if not purchase.address:
        return Consideration(Outcome.NO_ADDRESS)
    asked = find_asked(purchase.user_id, purchase.id)
    if asked.is_asked_before:
        return Consideration(Outcome.ASKED_BEFORE)
    if asked.is_muted:
        return Consideration(Outcome.MUTED)
    if _is_too_soon(asked.last_asked_at, now):
        return Consideration(Outcome.TOO_SOON)
    products = products_to_review(purchase)
    if not products:
        return Consideration(Outcome.REVIEWED)
    return Consideration(Outcome.SENT, products)


def request_review(purchase: DuePurchase, *, site: str, now: datetime) -> Outcome:
    """Ask the buyer of a purchase for reviews by e-mail, unless something speaks against it.

    ``site`` is what links begin with, such as ``https://shop.example.com``. Asking again about the
    same purchase sends nothing; see above for the exception. Raises Postponed where the mail server
    is away or another process asks the same customer, and botocore's errors.
    """
    started = time.monotonic()
    considered = consider(purchase, now=now)
    if considered.outcome is not Outcome.SENT:
        return considered.outcome
    # What may fail is done before anybody is claimed.
    message = build_email(purchase, considered.products, site=site)
    # Reads may have waited for a slow database: the claim is for two minutes from here on.
    claimed_at = now + timedelta(seconds=time.monotonic() - started)
    claim = f"{timestamp(claimed_at + LEASE)}{SEPARATOR}{token_hex(4)}"
    refusal = _claim(purchase.user_id, claim, now=claimed_at)
    if refusal is not None:
        return refusal
    given_back = _given_back_if_postponed(purchase.user_id, claim)
    with given_back, errors_of_the_mail_server(KIND) as sending:
        message.send()
    is_noted = _note_asked(purchase, is_refused=sending.is_refused, now=now)
    if sending.is_refused:
        return Outcome.NO_ADDRESS
    if is_noted:
        signals.announce_of_user(
            signals.review_requested,
            purchase.user_id,
            moment=now,
            purchase_id=purchase.id,
            product_ids=[product.id for product in considered.products],
        )
    return Outcome.SENT


def _is_too_soon(last_asked_at: datetime | None, now: datetime) -> bool:
    return last_asked_at is not None and last_asked_at > now - INTERVAL


def _claim(user_id: str, claim: str, *, now: datetime) -> Outcome | None:
    """Have a user to this process alone; return why not, None where it has them.

    Raises Postponed where another process has.
    """
    last, lease, muted = AskedUser.last_asked_at, AskedUser.claim, AskedUser.is_muted
    may_be_asked = (
        muted.does_not_exist()
        & (last.does_not_exist() | (last <= timestamp(now - INTERVAL)))
        & (lease.does_not_exist() | (lease < timestamp(now)))
    )
    changes = [lease.set(claim)]
    key = keys.asked_user(user_id)
    try:
        write_item(client(), update(AskedUser, key, changes, may_be_asked, return_item=True))
    except ConditionFailed as error:
        stored = error.failed[0]
        # It was sent twice, as the answer to the first was lost.
        if stored.get(lease.attr_name) == {"S": claim}:
            return None
        asked = asked_in(stored)
        if asked.is_muted:
            return Outcome.MUTED
        if _is_too_soon(asked.last_asked_at, now):
            return Outcome.TOO_SOON
        raise Postponed(_BUSY) from error
    return None


@contextmanager
def _given_back_if_postponed(user_id: str, claim: str) -> Iterator[None]:
    """End the claim on a user where no e-mail was sent, so that the next attempt need not wait."""
    try:
        yield
    except Postponed:
        is_mine = AskedUser.claim == claim
        changes = [AskedUser.claim.remove()]
        write_if_condition_holds(update(AskedUser, keys.asked_user(user_id), changes, is_mine))
        raise


def _note_asked(purchase: DuePurchase, *, is_refused: bool, now: datetime) -> bool:
    """Note that a request was sent, and count it; or that its address ``is_refused`` for good.

    Returns whether it was noted: not where another process has noted the same, or where the data of
    the user was erased meanwhile.
    """
    key = keys.request(purchase.user_id, purchase.id)
    request = ReviewRequest(
        pk=key["pk"]["S"],
        sk=key["sk"]["S"],
        asked_at=timestamp(now),
        is_refused=is_refused or None,
    )
    of_user: list[Change] = [AskedUser.claim.remove()]
    if not is_refused:
        of_user.append(AskedUser.last_asked_at.set(timestamp(now)))
    user_key = keys.asked_user(purchase.user_id)
    actions: list[Action] = [
        put(ReviewRequest, request.serialize(), ReviewRequest.pk.does_not_exist()),
        update(AskedUser, user_key, of_user, AskedUser.pk.exists()),
    ]
    if not is_refused:
        actions.append(counts.count_one(now, counts.ASKED))
    try:
        write_actions(actions)
    except ConditionFailed:
        return False
    return True


# What comes of it


def note_opened(user_id: str, purchase_id: str, *, now: datetime) -> None:
    """Note that a user has opened the link of a request, and count it; once."""
    _note_moments(user_id, purchase_id, [ReviewRequest.opened_at], now=now)


def note_reviewed(user_id: str, purchase_id: str, *, now: datetime) -> None:
    """Note that a user has posted a comment by the link of a request, and count it; once.

    It was opened then, too.
    """
    moments = [ReviewRequest.opened_at, ReviewRequest.reviewed_at]
    _note_moments(user_id, purchase_id, moments, now=now)


def _note_moments(
    user_id: str, purchase_id: str, attributes: Sequence[UnicodeAttribute], *, now: datetime
) -> None:
    """Note those moments of a request that are not noted yet, and count each in its transaction."""
    key = keys.request(user_id, purchase_id)

    def attempt() -> None:
        stored = read_item(key)
        missing = [each for each in attributes if each.attr_name not in stored]
        # A request that was not noted, or is erased, is not counted either.
        if stored and missing:
            write_actions(_actions_of_moments(key, stored, missing, now=now))

    retry(attempt)


def _actions_of_moments(
    key: Item, stored: Item, missing: Sequence[UnicodeAttribute], *, now: datetime
) -> list[Action]:
    condition = ReviewRequest.pk.exists()
    changes = []
    events = []
    for attribute in missing:
        condition &= attribute.does_not_exist()
        changes.append(attribute.set(timestamp(now)))
        events.append(_EVENTS[attribute.attr_name])
    asked_at = parse_timestamp(stored[ReviewRequest.asked_at.attr_name]["S"])
    noted = update(ReviewRequest, key, changes, condition)
    return [noted, counts.count_one(asked_at, *events)]


# The choice of the customer


def choose(user_id: str, *, is_muted: bool, now: datetime) -> None:
    """Ask a user for no more reviews, or again; also where that is so already."""
    key = keys.asked_user(user_id)
    muted = AskedUser.is_muted
    if not is_muted:
        # Who was never asked has no item, and needs none.
        write_if_condition_holds(update(AskedUser, key, [muted.remove()], AskedUser.pk.exists()))
        return
    write_item(client(), update(AskedUser, key, [muted.set(True)]))
    signals.announce_of_user(signals.requests_muted, user_id, moment=now)
