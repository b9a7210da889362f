"""Letters to users, written and sent by a thread of this process.

A page only queues what is to be sent. So no page waits for the mail server, and the time that it
takes does not tell whether there is such a user. A letter is sent again while the database is
unavailable; one that the mail server does not take is lost, with a warning in the log.
"""

import atexit
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Literal
from urllib.parse import urlsplit

from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from dynamo.calls import clock
from dynamo.writes.background import BackgroundWrites
from shop.accounts import confirming, throttling
from shop.accounts.models import User
from shop.accounts.queries import users_called
from shop.web.rate_limits import take

AT_EXIT_SECONDS = 5.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter about the users called ``whom``: a user name or an e-mail address.

    ``site`` is the address of the site without a path, such as ``https://shop.example.com``.
    """

    kind: Literal["reset", "confirm", "changed"]
    whom: str
    site: str


def queue_letter(kind: Literal["reset", "confirm", "changed"], whom: str, site: str) -> None:
    """Queue a letter to be sent; takes microseconds and never fails."""
    LETTERS.put(Letter(kind, whom, site))


def _send(letters: Sequence[Letter]) -> None:
    for letter in letters:
        users = [user for user in users_called(letter.whom) if user.is_active and user.email]
        if users and (context := _context(letter, users)):
            _deliver(letter, users[0].email, context)


def _context(letter: Letter, users: Sequence[User]) -> dict[str, object]:
    """Return what the letter's template needs; nothing if the letter is not to be sent."""
    user = users[0]
    if letter.kind == "reset":
        return {"accounts": [_reset_link(user) for user in users]}
    if letter.kind == "confirm":
        token = confirming.token_for(user.username, user.email)
        return {"name": user.username, "path": reverse("confirm_email", args=[token])}
    if not user.email_confirmed:  # it may be somebody else's
        return {}
    return {"name": user.username, "path": reverse("password_reset")}


def _reset_link(user: User) -> dict[str, str]:
    uid = urlsafe_base64_encode(force_bytes(user.username))
    token = default_token_generator.make_token(user)
    return {"name": user.username, "path": reverse("password_reset_confirm", args=[uid, token])}


def _deliver(letter: Letter, address: str, context: dict[str, object]) -> None:
    if take(throttling.letter_to(address), now=clock.now()):
        return  # so many have arrived within the hour that the links of some still work
    of_site = {"site": letter.site, "host": urlsplit(letter.site).netloc}
    text = render_to_string(f"shop/accounts/letters/{letter.kind}.txt", context | of_site)
    subject, _, body = text.partition("\n")
    try:
        send_mail(subject, body, None, [address])
    except (SMTPException, OSError) as error:
        logger.warning("A letter (%s) was not sent: %s", letter.kind, error)


LETTERS: BackgroundWrites[Letter] = BackgroundWrites(
    _send, name="The letters to users", most=1_000, batch=1
)
"""This process's queue."""
atexit.register(LETTERS.close, seconds=AT_EXIT_SECONDS)
