"""The URL of a comment: ``/comments/<id>/``.

Imported ids are kept, slashes included, and so some of them read as the URL of what is done with
another comment: that of ``edit/7`` would be the form that edits ``7``. Those few have their page at
``/comments/~/edit/7/``; `django.urls.reverse` builds the right one.
"""

from django.urls import register_converter

from dynamo.web.ids import IdWithSlashes

TAKEN = ("edit", "delete", "vote", "report", "~")
"""What addresses under ``/comments/`` begin with that are not pages of comments."""


class PlainCommentId(IdWithSlashes):
    """``<plain_comment_id:…>``: an id whose page is at ``/comments/<id>/``."""

    regex = rf"(?!(?:{'|'.join(TAKEN)})/.){IdWithSlashes.regex}"


def register_comment_ids() -> None:
    """Register the converter for ``path()``, once for the process."""
    register_converter(PlainCommentId, "plain_comment_id")
