"""E-mails to authors whose comments the shop replies to: a receiver of the comments' signal."""

from django.conf import settings
from django.dispatch import receiver
from django.urls import reverse

from comments.host import find_products
from comments.replies.services import find_reply
from comments.signals import comment_replied
from comments.store.comments import NoSuchComment, load_comment
from shop.accounts.emails import EMAILS, Email


@receiver(comment_replied)
def queue_reply_email(comment_id: str, by: str, *, is_new: bool, **_: object) -> None:
    """Queue an e-mail about a new reply, not a changed or deleted one; none without SITE_URL."""
    if is_new and (site := settings.SITE_URL):
        EMAILS.put(lambda: write_reply_email(comment_id, by, site))


def write_reply_email(comment_id: str, by: str, site: str) -> Email | None:
    """Return the e-mail to a comment's author, in the comment's language if the site has it.

    None where reply or comment are deleted or hidden by now, the comment was imported, or its
    author is who replied.
    """
    try:
        stored = load_comment(comment_id)
    except NoSuchComment:
        return None
    comment, reply = stored.comment, find_reply(comment_id)
    if reply is None or stored.is_hidden or comment.username in {"", by}:
        return None
    name = find_products([comment.product_id])[comment.product_id].name
    details = {
        "product": " ".join(name.split()),  # a subject is one line
        "reply": reply.text,
        "path": reverse("comments:comment", args=[comment_id]),
    }
    known = comment.language in dict(settings.LANGUAGES)
    language = comment.language if known else settings.LANGUAGE_CODE
    return Email("reply", comment.username, site, language=language, details=details)
