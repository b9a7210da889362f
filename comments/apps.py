"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig
from django.urls import register_converter

from dynapages.django.paging import IdWithSlashes

TAKEN = ("edit", "delete", "vote", "report", "~")
"""What addresses under ``/comments/`` begin with that are not pages of comments."""


class PlainCommentId(IdWithSlashes):
    """``<plain_comment_id:…>``: an id whose page is at ``/comments/<id>/``."""

    regex = rf"(?!(?:{'|'.join(TAKEN)})/.){IdWithSlashes.regex}"


class CommentsConfig(AppConfig):
    """The app of comments, with the converter of their URLs."""

    name = "comments"

    def ready(self) -> None:
        register_converter(PlainCommentId, "plain_comment_id")
