"""How long a session lasts, and whose it is.

Sessions are signed cookies: nothing is stored of them. So each has the moment of its sign-in, and
ends so long after it; signing out ends its copies (`shop.accounts.services.end_sessions`).
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject

from dynapages.calls import clock, current_meter
from shop.accounts.models import SECOND_FACTOR, SIGNED_IN_AT, User

READ_STAFF = "dynashop.read_staff"
"""In ``request.META`` once the user was read: whether it is one of the staff."""
COOKIE = "signed-in-here"
"""Names the user who was the latest to sign in with the browser."""
COOKIE_LIFETIME = timedelta(days=365)
LONGEST_STAFF_SESSION = timedelta(hours=12)
LONGEST_CUSTOMER_SESSION = timedelta(days=14)


class StaffTimingMiddleware(MiddlewareMixin):
    """Adds ``Server-Timing`` to answers for which a member of staff was read; reads nothing."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Add the header where a member of staff was read."""
        meter = current_meter()
        if meter and request.META.get(READ_STAFF, False):
            cost = f"{meter.calls} calls, {meter.rounds} rounds, {meter.units:g} units"
            response["Server-Timing"] = f'dynamodb;desc="{cost}", page;dur={meter.milliseconds:.1f}'
        return response


# Browsers that a user has signed in with


def remember(response: HttpResponse, username: str) -> None:
    """Set the cookie that names the user who has signed in with the browser."""
    response.set_signed_cookie(
        COOKIE,
        username,
        salt=COOKIE,
        max_age=COOKIE_LIFETIME,
        path=reverse("login"),  # no other page has a use for it
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def is_known(request: HttpRequest, username: str) -> bool:
    """Return whether this user was the latest to sign in with the browser."""
    latest = request.get_signed_cookie(COOKIE, default="", salt=COOKIE, max_age=COOKIE_LIFETIME)
    return latest == username


# Whose session it is


class SignedInMiddleware(AuthenticationMiddleware):
    """Sets ``request.user``, as Django's middleware does, unless the session is too old."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(lambda: _user_of(request))  # type: ignore[assignment] # as Django


def _user_of(request: HttpRequest) -> User | AnonymousUser:
    """Return the user of the request's session; end one that is too old or lacks a code."""
    user = get_user(request)
    if isinstance(user, AnonymousUser):
        request.META[READ_STAFF] = False
        return user
    session = request.session
    # A session without a moment is from 1970, and so too old.
    age = clock.now() - datetime.fromtimestamp(session.get(SIGNED_IN_AT, 0), UTC)
    longest = LONGEST_STAFF_SESSION if user.is_staff else LONGEST_CUSTOMER_SESSION
    needs_code = settings.REQUIRE_STAFF_2FA and user.is_staff and SECOND_FACTOR not in session
    if needs_code or age > longest:
        session.flush()
        return AnonymousUser()
    request.META[READ_STAFF] = user.is_staff
    return user
