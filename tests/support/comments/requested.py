"""Purchases whose buyers are asked for reviews, and the e-mails that ask them."""

import re
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from django.core import mail
from django.core.mail import EmailMessage

from comments.requests.purchases import DuePurchase
from comments.requests.services import Outcome, request_review
from dynapages.calls import clock
from tests.support.chance import unique
from tests.support.comments.writers import made_product

SITE = "https://shop.example.com"


def purchase_of(user_id: str, *product_ids: str, **told: Any) -> DuePurchase:
    """A purchase of a week ago, of a product of its own unless some are named."""
    purchase = DuePurchase(
        id=unique("order"),
        user_id=user_id,
        address=f"{user_id}@example.com",
        bought_at=clock.now() - timedelta(days=7),
        product_ids=product_ids or (made_product(),),
        name=user_id,
    )
    return replace(purchase, **told)


def ask(purchase: DuePurchase, *, after: timedelta = timedelta(0)) -> Outcome:
    """Ask about a purchase, now or some time later."""
    return request_review(purchase, site=SITE, now=clock.now() + after)


def emails_to(user_id: str) -> list[EmailMessage]:
    return [one for one in mail.outbox if one.to == [f"{user_id}@example.com"]]


def links_in(email: EmailMessage) -> list[str]:
    """The paths of the links in an e-mail, with their queries."""
    return re.findall(rf"{re.escape(SITE)}(\S+)", str(email.body))


def form_links_in(email: EmailMessage) -> list[str]:
    return [link for link in links_in(email) if "/comments/new/" in urlsplit(link).path]


def opt_out_path(email: EmailMessage) -> str:
    return str(email.extra_headers["List-Unsubscribe"]).strip("<>").removeprefix(SITE)
