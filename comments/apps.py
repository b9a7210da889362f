"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig


class CommentsConfig(AppConfig):
    """Makes the comments an app of the site."""

    name = "comments"
