"""Django's user model: unmanaged, loaded from and stored in DynamoDB."""

import logging
from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.validators import RegexValidator
from django.db import models
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from dynapages.calls import clock, fault_in
from dynapages.django.security_log import log_event
from dynapages.items import Item
from dynapages.pynamodb import FAILURES
from dynapages.work import Owed
from shop import keys
from shop.accounts.names import LONGEST_USERNAME, USERNAME, USERNAME_RULE
from shop.accounts.services import change_account
from shop.models import Profile

logger = logging.getLogger(__name__)

SIGNED_IN_AT = "signed_in_at"
"""In a session: seconds since 1970."""
SECOND_FACTOR = "second_factor"
"""In a session: whether a code was shown, or missing."""


class User(AbstractBaseUser):
    """A user, stored as a `shop.models.Profile`, read by `shop.accounts.queries`.

    ``save()`` works; the manager's queries raise ImproperlyConfigured: there is no such database.
    """

    username = models.CharField(
        _("user name"),
        primary_key=True,
        max_length=LONGEST_USERNAME,
        validators=[RegexValidator(rf"\A{USERNAME.pattern}\Z", USERNAME_RULE)],
    )
    email = models.EmailField("e-mail address", blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField()
    external_id = models.TextField("name in another system", blank=True)
    session_number = models.PositiveIntegerField(null=True)
    email_confirmed = models.BooleanField(null=True)
    new_email = models.EmailField("e-mail address, until it is confirmed", null=True)
    totp_secret = models.TextField("secret of the second factor", null=True)
    totp_step = models.BigIntegerField("half minute of the latest code", null=True)
    recovery_codes = models.JSONField("hashes of recovery codes", null=True)
    mutes_replies = models.BooleanField(null=True)

    objects: ClassVar[BaseUserManager[Self]] = BaseUserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    _stored: Item | None = None
    _owes: tuple[Owed, ...] = ()

    class Meta:
        managed = False
        default_permissions = ()

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Return a typed user name as it is stored."""
        return username.strip().lower()

    @classmethod
    def of(cls, profile: Profile) -> Self:
        """Build the user of a stored profile."""
        user = cls(username=keys.username_in(profile.pk))
        for name in _STORED_FIELDS:
            setattr(user, name, getattr(profile, name))
        user.email = profile.email or ""
        user.external_id = profile.external_id or ""
        user._stored = profile.serialize()
        return user

    def _get_session_auth_hash(self, secret: Any = None) -> str:  # noqa: ANN401 - Django's
        """Mix in how often the user has signed out: a copy of a session ends with it."""
        of_password: str = super()._get_session_auth_hash(secret)  # type: ignore[misc] # not in the stubs
        if self.session_number is None:
            return of_password
        return salted_hmac(
            "shop.accounts.session",
            f"{self.session_number}:{of_password}",
            secret,
            algorithm="sha256",
        ).hexdigest()

    def owe(self, *owes: Owed) -> None:
        """Have the next ``save()`` store what is owed by it, such as an e-mail."""
        self._owes += owes

    def save_base(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        """Write what has changed since the user was loaded, for ``save()``. Raises StaleAccount."""
        del args, kwargs
        if self._stored is None:
            raise TypeError("Create users by shop.accounts.services.create_profile.")
        profile = Profile.from_raw_data(dict(self._stored))
        if self.email != (profile.email or ""):
            # Another address is not confirmed, whatever the one before was.
            self.email_confirmed = None
            self.new_email = None
        for name in _STORED_FIELDS:
            setattr(profile, name, getattr(self, name))
        profile.email = self.email or None
        profile.external_id = self.external_id or None
        change_account(before=self._stored, after=profile, owes=self._owes)
        self._stored = profile.serialize()
        self._owes = ()


_STORED_FIELDS = [field.name for field in User._meta.fields if not field.primary_key]  # noqa: SLF001 - Django documents it
"""The names of all fields but the user name, which is in the key."""


def note_sign_in(*, request: HttpRequest, user: User, **_: object) -> None:
    """Note when a user signed in, in the session and, unless the database is away, in the profile.

    For the signal ``user_logged_in``.
    """
    log_event("sign-in", user=user.username, request=request)
    user.last_login = clock.now()
    request.session[SIGNED_IN_AT] = int(user.last_login.timestamp())
    try:
        user.save(update_fields=["last_login"])
    except FAILURES as failure:
        # Signing in must work while DynamoDB is read and not written.
        fault = fault_in(failure)
        if fault is None:
            raise
        logger.warning("The date of a sign-in was not written: %s", fault)
