"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig

from comments.converters import register_comment_ids
from shop.catalogue.name_copies import register_name_copies


class CommentsConfig(AppConfig):
    """The app of comments, with the converter of their URLs and the names in rankings."""

    name = "comments"

    def ready(self) -> None:
        from comments.rankings.derivation import rename_ranks  # noqa: PLC0415 - models are ready now

        register_comment_ids()
        register_name_copies(rename_ranks)
