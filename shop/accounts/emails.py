"""E-mails to users, written and sent by a thread of this process.

So no page waits for the mail server, or tells by its time whether there is such a user. An e-mail
is sent again while the database is unavailable; what the mail server does not take is lost.
"""

import atexit
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from email.policy import Policy
from smtplib import SMTPException
from typing import Literal, get_args
from urllib.parse import urlsplit

from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
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
Kind = Literal["reset", "confirm", "changed", "moved", "reply", "waiting"] | FactorEvent
OF_FACTOR: tuple[FactorEvent, ...] = get_args(FactorEvent)
logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Email:
    """An e-mail about the users called ``whom``: a user name or an e-mail address.

    ``site`` is its address without a path, such as ``https://shop.example.com``; ``given_up`` the
    e-mail address that a user had before (``moved``); ``language`` a code of ``LANGUAGES``;
    ``details`` what the templates of ``reply`` and ``waiting`` show.
    """

    kind: Kind
    whom: str
    site: str
    given_up: str = ""
    language: str | None = None
    details: Mapping[str, object] = field(default_factory=dict)


def queue_email(kind: Kind, whom: str, site: str, *, given_up: str = "") -> None:
    """Queue an email in the language of the page; takes microseconds and never fails."""
    EMAILS.put(Email(kind, whom, site, given_up, get_language()))


Queued = Email | Callable[[], Email | None]
"""An email, or what writes one in the thread of the queue, because it reads; None: none is sent."""


def _send(queued: Queued) -> None:
    email = queued if isinstance(queued, Email) else queued()
    if email is None:
        return
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
    if email.kind == "reply":
        token = services.token_for(user.username, address, salt=services.OF_REPLIES)
        opt_out = {"opt_out": reverse("reply_emails", args=[token])}
        return "" if user.mutes_replies else address, {**about, **email.details, **opt_out}
    of_factor = {"event": email.kind, "codes_left": len(user.recovery_codes or ())}
    return address, {**about, **of_factor, **email.details, "path": reverse("password_reset")}


def _reset_link(user: User) -> dict[str, str]:
    uid = urlsafe_base64_encode(force_bytes(user.username))
    token = default_token_generator.make_token(user)
    return {"name": user.username, "path": reverse("password_reset_confirm", args=[uid, token])}


def _deliver(email: Email, address: str, context: Mapping[str, object]) -> None:
    limit = {
        **dict.fromkeys(("reset", "confirm"), rate_limits.LETTERS_TO_AN_EMAIL),
        "reply": rate_limits.REPLIES_TO_AN_EMAIL,
        "waiting": rate_limits.DIGESTS_TO_AN_EMAIL,
    }.get(email.kind, rate_limits.NOTICES_TO_AN_EMAIL)
    if take(limit.use(address), now=clock.now()):
        return  # so many have arrived within the hour that the links of some still work
    of_site = {"site": email.site, "host": urlsplit(email.site).netloc}
    template = "second_factor" if email.kind in OF_FACTOR else email.kind
    text = render_to_string(f"shop/accounts/emails/{template}.txt", {**context, **of_site})
    subject, _, body = text.partition("\n")
    message = EmailMessage(subject, body, to=[address])
    if "opt_out" in context:
        url = _Unfolded(f"<{email.site}{context['opt_out']}>")
        message.extra_headers = {url.name: url, f"{url.name}-Post": f"{url.name}=One-Click"}
    try:
        message.send()
    except (SMTPException, OSError) as error:
        logger.warning("An e-mail (%s) was not sent: %s", email.kind, error)
        if email.kind == "waiting":  # the job may be run again
            rate_limits.give_back(limit.use(address))


class _Unfolded(str):
    """A header of one line: since Django 6, ``email.policy`` encodes a long URL as words."""

    __slots__ = ()
    name = "List-Unsubscribe"

    def fold(self, *, policy: Policy) -> str:
        return f"{self.name}: {self}{policy.linesep}"


EMAILS: BackgroundWrites[Queued] = BackgroundWrites(_send, name="The emails to users", most=1_000)
"""This process's queue."""
atexit.register(EMAILS.close, seconds=AT_EXIT_SECONDS)
