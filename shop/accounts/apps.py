"""Accounts as a Django app of their own, so that a site can leave them out."""

from django.apps import AppConfig
from django.contrib.auth import get_user_model
from django.contrib.auth.signals import user_logged_in

LAST_LOGIN_RECEIVER = "update_last_login"
"""The ``dispatch_uid`` of Django's own receiver, which knows of no database that may be away."""


class AccountsConfig(AppConfig):
    """Holds the model that ``AUTH_USER_MODEL`` names: ``accounts.User``."""

    name = "shop.accounts"
    label = "accounts"

    def ready(self) -> None:
        """Register what sends e-mails, and what notes sign-ins in profiles."""
        from shop.accounts import mailer  # noqa: F401, PLC0415 - registers what sends e-mails
        from shop.accounts.models import User, note_sign_in  # noqa: PLC0415 - apps are ready now

        if issubclass(get_user_model(), User):
            user_logged_in.disconnect(dispatch_uid=LAST_LOGIN_RECEIVER)
            user_logged_in.connect(note_sign_in, dispatch_uid=LAST_LOGIN_RECEIVER)
