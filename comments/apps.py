"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig

from comments.converters import register_comment_ids


class CommentsConfig(AppConfig):
    """Makes the comments an app of the site, with their addresses."""

    name = "comments"

    def ready(self) -> None:
        register_comment_ids()
