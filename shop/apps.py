"""The shop: catalogue, customers and orders, in one table."""

from django.apps import AppConfig


class ShopConfig(AppConfig):
    """Makes the shop an app of the site."""

    name = "shop"
