"""The user as Django knows it: an unmanaged model, loaded from and stored in DynamoDB."""

from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models

from shop.accounts.items import Account
from shop.accounts.names import LONGEST_USERNAME
from shop.accounts.services import change_account


class User(AbstractBaseUser):
    """Somebody with an account; what is kept about them is the profile's item.

    Get users by `shop.accounts.queries` and create them by `shop.accounts.services`. Django's
    views and forms change a password and call ``save()``, which works; the manager's queries
    would ask a database that does not exist, and raise ImproperlyConfigured.
    """

    username = models.CharField("user name", primary_key=True, max_length=LONGEST_USERNAME)
    email = models.EmailField("e-mail address", blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    joined_at = models.DateTimeField()

    objects: ClassVar[BaseUserManager[Self]] = BaseUserManager()

    USERNAME_FIELD = "username"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    _stored: Account | None = None

    class Meta:
        managed = False
        default_permissions = ()

    @classmethod
    def of(cls, username: str, account: Account) -> Self:
        """Make the user of an account as it is stored."""
        user = cls(
            username=username,
            password=account.password,
            email=account.email or "",
            is_staff=account.is_staff,
            is_active=account.is_active,
            joined_at=account.joined_at,
            last_login=account.last_login,
        )
        user._stored = account
        return user

    def save_base(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - Django's
        """Store what has changed since the user was loaded; Django's ``save()`` ends here.

        Raises StaleAccount, and TypeError for a user who was not loaded.
        """
        del args, kwargs
        if self._stored is None:
            raise TypeError("Create users by shop.accounts.services.create_profile.")
        account = self._account()
        change_account(username=self.username, before=self._stored, after=account)
        self._stored = account

    def _account(self) -> Account:
        return Account(
            password=self.password,
            joined_at=self.joined_at,
            email=self.email or None,
            is_staff=self.is_staff,
            is_active=self.is_active,
            last_login=self.last_login,
        )
