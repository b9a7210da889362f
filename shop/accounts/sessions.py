"""How long a session lasts, and whose it is.

Sessions are signed cookies: nothing is stored of them, and a copy is as good as the cookie. So a
session has the moment of its sign-in, and ends so long after it, however often it was signed anew
since then. Signing out ends the copies as well (`shop.accounts.services.end_sessions`).
"""

from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from dynamo.calls import clock
from shop.accounts.models import SECOND_FACTOR, SIGNED_IN_AT, User
from shop.web.timing import READ_STAFF

LONGEST_OF_STAFF = timedelta(hours=12)
LONGEST_OF_CUSTOMERS = timedelta(days=14)


class SignedInMiddleware(AuthenticationMiddleware):
    """Sets ``request.user``, as Django's middleware does, unless the session is too old."""

    def process_request(self, request: HttpRequest) -> None:
        request.user = SimpleLazyObject(lambda: _user_of(request))  # type: ignore[assignment] # as Django


def _user_of(request: HttpRequest) -> User | AnonymousUser:
    user = get_user(request)
    if user.is_authenticated and (
        _is_over(request.session, is_staff=user.is_staff)
        or (user.is_staff and _lacks_second_factor(request.session))
    ):
        request.session.flush()
        return AnonymousUser()
    request.META[READ_STAFF] = user.is_staff
    return user


def _lacks_second_factor(session: SessionBase) -> bool:
    return settings.REQUIRE_STAFF_2FA and SECOND_FACTOR not in session


def _is_over(session: SessionBase, *, is_staff: bool) -> bool:
    began = datetime.fromtimestamp(session.get(SIGNED_IN_AT, 0), UTC)
    return clock.now() - began > (LONGEST_OF_STAFF if is_staff else LONGEST_OF_CUSTOMERS)
