"""Accounts as a Django app of their own, so that a site can leave them out."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Holds the model that ``AUTH_USER_MODEL`` names: ``accounts.User``."""

    name = "shop.accounts"
    label = "accounts"
