"""The browsers that a user has signed in with: a signed cookie says for whom.

It opens nothing. It only keeps apart the attempts of who has known the password before and those of
strangers, who can otherwise keep a user from signing in ("device cookies" of OWASP).
"""

from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

COOKIE = "signed-in-here"
KEPT = timedelta(days=365)


def remember(response: HttpResponse, username: str) -> None:
    """Set the cookie that names the user who has signed in with the browser."""
    response.set_signed_cookie(
        COOKIE,
        username,
        salt=COOKIE,
        max_age=KEPT,
        path=reverse("login"),  # no other page has a use for it
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known(request: HttpRequest, username: str) -> bool:
    """Return whether this user was the latest to sign in with the browser."""
    found = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=KEPT)
    return found == username
