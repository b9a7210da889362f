"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig


class CommentsConfig(AppConfig):
    name = "comments"
