"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig

from comments.converters import register_comment_ids


class CommentsConfig(AppConfig):
    """The app of comments, with the converter of their URLs."""

    name = "comments"

    def ready(self) -> None:
        register_comment_ids()
