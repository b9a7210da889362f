"""Forms that are answered with 503: the page has their fields, and a button to send them again.

So nothing that was typed is lost without JavaScript, but passwords and codes. This is done only for
what one of our own pages has sent. Otherwise another site could fill in a form, and have its
visitor send it with one click.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, UnreadablePostError

FORM = "application/x-www-form-urlencoded"
TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - its name
SECRET = re.compile("password|code|secret", re.IGNORECASE)
"""Names of fields that no page shows what was typed into."""
FROM_ELSEWHERE = frozenset({"cross-site", "same-site"})


def fields_to_send_again(request: HttpRequest) -> dict[str, Any]:
    """Return what ``503.html`` needs to show a form of ours; nothing for any other request.

    A form that the site would not take, such as one that is too long, is read no further.
    """
    if request.method != "POST" or request.content_type != FORM:
        return {}
    try:
        if not is_from_our_page(request):
            return {}
        sent = dict(request.POST.lists())
        if TOKEN not in sent:  # the choice of a language, which leads back to the page before
            sent.setdefault("next", [urlsplit(request.headers.get("Referer", "")).path])
    except (BadRequest, SuspiciousOperation, UnreadablePostError, ValueError):
        return {}  # a ValueError is of a header that is no address, or no length
    secrets = {name for name in sent if SECRET.search(name)}
    shown = [(name, value) for name in sent if name not in secrets for value in sent[name]]
    return {"fields": shown, "has_secrets": bool(secrets)}


def is_from_our_page(request: HttpRequest) -> bool:
    """Return whether the browser says so; without a word from it, the answer is no.

    Raises DisallowedHost where the site was asked by another name than its own.
    """
    if request.headers.get("Sec-Fetch-Site") in FROM_ELSEWHERE:
        return False
    sender = request.headers.get("Origin") or request.headers.get("Referer", "")
    try:
        scheme, host = urlsplit(sender)[:2]
    except ValueError:
        return False
    return (scheme, host) == (request.scheme, request.get_host())
