"""E-mails to authors whose comments the shop replies to: owed in the transaction of the reply."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.dispatch import receiver
from django.urls import reverse

from comments.host import find_products
from comments.replies.services import find_reply
from comments.signals import reply_owes
from comments.store.comments import NoSuchComment, load_comment
from dynapages.django.mail import errors_of_the_mail_server
from dynapages.work import Owed
from shop.accounts import mailer
from shop.accounts.queries import find_user
from shop.work import QUEUE

REPLY_EMAIL = "reply email"
"""The kind of these due items."""


@receiver(reply_owes)
def owe_reply_email(comment_id: str, **_: object) -> Sequence[Owed]:
    """Return the e-mail that a new reply owes; none without SITE_URL."""
    site = settings.SITE_URL
    if not site:
        return []
    return [QUEUE.owe(REPLY_EMAIL, {"comment": comment_id, "site": site})]


def send_reply_email(payload: Mapping[str, Any]) -> None:
    """Send an e-mail to a comment's author, in the comment's language if the site has it.

    None where reply or comment are deleted or hidden by now, the comment was imported, or its
    author is who replied. Raises Postponed.
    """
    comment_id, site = payload["comment"], payload["site"]
    try:
        stored = load_comment(comment_id)
    except NoSuchComment:
        return
    comment = stored.comment
    reply = find_reply(comment_id)
    # An imported comment has no user, and nobody needs an e-mail of a reply to oneself.
    if reply is None or stored.is_hidden or comment.user_id in {"", reply.user_id}:
        return
    user = find_user(comment.user_id)
    if user is None or not user.is_active or user.mutes_replies:
        return
    name = find_products([comment.product_id])[comment.product_id].name
    context = {
        "name": user.username,
        "product": " ".join(name.split()),  # a subject is one line
        "reply": reply.text,
        "path": reverse("comments:comment", args=[comment_id]),
        "opt_out": mailer.opt_out_path(user),
    }
    language = settings.LANGUAGE_CODE
    if comment.language in dict(settings.LANGUAGES):
        language = comment.language
    address = mailer.confirmed_address(user)
    with errors_of_the_mail_server(REPLY_EMAIL):
        mailer.deliver("reply", address, context, site=site, language=language)


QUEUE.register(REPLY_EMAIL, send_reply_email, lease=mailer.LEASE)
