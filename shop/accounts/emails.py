"""E-mails to users, written and sent by a thread of this process.

So no page waits for the mail server, or tells by its time whether there is such a user. An e-mail
is sent again while the database is unavailable; what the mail server does not take is lost.
"""

import atexit
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Literal, get_args
from urllib.parse import urlsplit

from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import get_language, override

from dynapages.calls import clock
from dynapages.django.rate_limits import take
from shop.accounts import rate_limits, services
from shop.accounts.models import User
from shop.accounts.queries import users_called
from shop.background import BackgroundWrites

AT_EXIT_SECONDS = 5.0
FactorEvent = Literal["factor_on", "factor_off", "recovery_code", "codes_rest"]
Kind = Literal["reset", "confirm", "changed", "moved"] | FactorEvent
OF_FACTOR: tuple[FactorEvent, ...] = get_args(FactorEvent)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Email:
    """An e-mail about the users called ``whom``: a user name or an e-mail address.

    ``site`` is its address without a path, such as ``https://shop.example.com``; ``given_up`` the
    e-mail address that a user had before (``moved``); ``language`` a code of ``LANGUAGES``.
    """

    kind: Kind
    whom: str
    site: str
    given_up: str = ""
    language: str | None = None


def queue_email(kind: Kind, whom: str, site: str, *, given_up: str = "") -> None:
    """Queue an email in the language of the page; takes microseconds and never fails."""
    EMAILS.put(Email(kind, whom, site, given_up, get_language()))


def _send(email: Email) -> None:
    users = [user for user in users_called(email.whom) if user.is_active]
    address, context = _addressed(email, users) if users else ("", {})
    if address:
        with override(email.language):
            _deliver(email, address, context)


def _addressed(email: Email, users: Sequence[User]) -> tuple[str, Mapping[str, object]]:
    """Return the address that an email goes to (empty: none), and what its template needs."""
    user = users[0]
    about = {"name": user.username}
    if email.kind == "reset":
        return user.email, {"accounts": [_reset_link(user) for user in users]}
    if email.kind == "confirm":
        address = user.new_email or ("" if user.email_confirmed else user.email)
        token = services.token_for(user.username, address)
        path = reverse("confirm_email", args=[token])
        return address, {**about, "path": path, "is_new": bool(user.new_email)}
    if email.kind == "moved":
        return email.given_up, {**about, "path": reverse("password_change")}
    # What is not confirmed may be somebody else's.
    address = user.email if user.email_confirmed else ""
    of_factor = {"event": email.kind, "codes_left": len(user.recovery_codes or ())}
    return address, {**about, **of_factor, "path": reverse("password_reset")}


def _reset_link(user: User) -> dict[str, str]:
    uid = urlsafe_base64_encode(force_bytes(user.username))
    token = default_token_generator.make_token(user)
    return {"name": user.username, "path": reverse("password_reset_confirm", args=[uid, token])}


def _deliver(email: Email, address: str, context: Mapping[str, object]) -> None:
    is_link = email.kind in {"reset", "confirm"}
    limit = rate_limits.LETTERS_TO_AN_EMAIL if is_link else rate_limits.NOTICES_TO_AN_EMAIL
    if take(limit.use(address), now=clock.now()):
        return  # so many have arrived within the hour that the links of some still work
    of_site = {"site": email.site, "host": urlsplit(email.site).netloc}
    template = "second_factor" if email.kind in OF_FACTOR else email.kind
    text = render_to_string(f"shop/accounts/emails/{template}.txt", {**context, **of_site})
    subject, _, body = text.partition("\n")
    try:
        send_mail(subject, body, None, [address])
    except (SMTPException, OSError) as error:
        logger.warning("An e-mail (%s) was not sent: %s", email.kind, error)


EMAILS: BackgroundWrites[Email] = BackgroundWrites(_send, name="The emails to users", most=1_000)
"""This process's queue."""
atexit.register(EMAILS.close, seconds=AT_EXIT_SECONDS)
