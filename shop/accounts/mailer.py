"""The sending of e-mails to users: what the worker does for what `shop.accounts.emails` owes.

An e-mail is written when it is sent, from what is stored by then. It is sent at least once: where a
process is killed after the mail server has taken it, and before its due item is deleted, it is sent
again. While the mail server is away, or takes nothing, it is tried again for hours; what the server
refuses for good, because of the address, is not.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from smtplib import SMTPException
from typing import Any
from urllib.parse import urlsplit

from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import override

from dynapages.calls import clock
from dynapages.django.mail import add_opt_out, errors_of_the_mail_server
from dynapages.django.rate_limits import NamedLimit, count_uses, give_back
from shop.accounts import confirmation, rate_limits
from shop.accounts.emails import EMAIL, FACTOR_EVENTS, Email
from shop.accounts.models import User
from shop.accounts.queries import users_called
from shop.work import QUEUE

LEASE = timedelta(minutes=2)
"""A mail server may take its time at each of several steps, and must not get the e-mail twice."""


# What is owed


def send_owed(payload: Mapping[str, Any]) -> None:
    """Send an e-mail that is owed; none where its user is gone. Raises Postponed."""
    email = Email.of(payload)
    users = [user for user in users_called(email.whom) if user.is_active]
    if not users:
        return
    address, context = _addressed(email, users)
    # One template has the texts of all events of the second factor.
    template = "second_factor" if email.kind in FACTOR_EVENTS else email.kind
    with errors_of_the_mail_server(email.kind):
        deliver(template, address, context, site=email.site, language=email.language)


def _addressed(email: Email, users: Sequence[User]) -> tuple[str, Mapping[str, object]]:
    """Return the address that an e-mail goes to (empty: none), and what its template needs."""
    user = users[0]
    context: dict[str, object] = {"name": user.username}
    if email.kind == "reset":
        return user.email, {"accounts": [_reset_link(user) for user in users]}
    if email.kind == "confirm":
        # One that is to be confirmed: the new one, or the first one.
        address = user.new_email or ""
        if not address and not user.email_confirmed:
            address = user.email
        token = confirmation.token_for(user.username, address)
        path = reverse("confirm_email", args=[token])
        return address, {**context, "path": path, "is_new": bool(user.new_email)}
    if email.kind == "moved":
        return email.given_up, {**context, "path": reverse("password_change")}
    context["path"] = reverse("password_reset")
    context["event"] = email.kind
    context["codes_left"] = len(user.recovery_codes or ())
    return confirmed_address(user), context


def _reset_link(user: User) -> dict[str, str]:
    """Return a user's name, and the path of the page where they choose a new password."""
    uid = urlsafe_base64_encode(force_bytes(user.username))
    token = default_token_generator.make_token(user)
    return {"name": user.username, "path": reverse("password_reset_confirm", args=[uid, token])}


# What other modules send


def confirmed_address(user: User) -> str:
    """Return the address of a user; empty where it is not confirmed: it may be somebody else's."""
    return user.email if user.email_confirmed else ""


def opt_out_path(user: User) -> str:
    """Return the path of the page that stops e-mails about replies."""
    token = confirmation.token_for(user.username, user.email, salt=confirmation.REPLIES_SALT)
    return reverse("reply_emails", args=[token])


def deliver(
    template: str,
    address: str,
    context: Mapping[str, object],
    *,
    site: str,
    language: str | None,
) -> None:
    """Send an e-mail to an address, none to an empty one.

    None either beyond the limit of its kind: so many have arrived that the links of some still
    work. Raises SMTPException and OSError; the e-mail does not count then.
    """
    if not address:
        return
    use = _limit_of(template).use(address)
    # Counted before it is sent; given back if the server does not take it.
    if count_uses(use, now=clock.now()):
        return
    context_with_site = {**context, "site": site, "host": urlsplit(site).netloc}
    with override(language):
        text = render_to_string(f"shop/accounts/emails/{template}.txt", context_with_site)
        subject, _newline, body = text.partition("\n")
        message = EmailMessage(subject, body, to=[address])
        if "opt_out" in context:
            add_opt_out(message, f"{site}{context['opt_out']}")
        try:
            message.send()
        except (SMTPException, OSError):
            give_back(use)
            raise


def _limit_of(template: str) -> NamedLimit:
    """Return the limit of e-mails to one address that a template counts against."""
    if template in {"reset", "confirm"}:
        return rate_limits.LINKS_TO_AN_EMAIL
    if template == "reply":
        return rate_limits.REPLIES_TO_AN_EMAIL
    if template == "waiting":
        return rate_limits.DIGESTS_TO_AN_EMAIL
    return rate_limits.NOTICES_TO_AN_EMAIL


QUEUE.register(EMAIL, send_owed, lease=LEASE)
