"""Comments on products, by any set of languages and ratings."""

from django.apps import AppConfig, apps
from django.conf import settings
from django.core.checks import Tags, register
from django.core.exceptions import ImproperlyConfigured
from django.urls import register_converter
from django.urls.converters import get_converters

from dynapages.django.paging import IdWithSlashes

RESERVED_STARTS = ("edit", "delete", "vote", "report", "~")
"""What addresses under ``comments/`` begin with that are not pages of comments."""
QUEUE = "comments.work.QUEUE"
"""What comments owe: the worker looks there, whether or not the project's settings say so."""


class PlainCommentId(IdWithSlashes):
    """``<plain_comment_id:…>``: an id whose page is at ``comments/<id>/``."""

    regex = rf"(?!(?:{'|'.join(RESERVED_STARTS)})/.){IdWithSlashes.regex}"


class UserSlug(IdWithSlashes):
    """``<user_slug:…>``: what stands for a user, such as the id."""

    regex = ".{1,254}"


class CommentsConfig(AppConfig):
    """The app of comments, with converters for their URLs and the checks of its project."""

    name = "comments"

    def import_models(self) -> None:
        # The models need the settings that it completes: no check would be reached.
        if not apps.is_installed("dynapages.django"):
            raise ImproperlyConfigured("Add 'dynapages.django' to INSTALLED_APPS for 'comments'.")
        super().import_models()

    def ready(self) -> None:
        from comments import work  # noqa: PLC0415 - users are ready now
        from comments.checks import check_project, check_tables  # noqa: PLC0415 - users are ready now
        from comments.moderation import year_counts  # noqa: PLC0415 - users are ready now

        work.set_up()
        year_counts.connect()
        register(check_project, "comments")
        register(check_tables, Tags.database)
        converters = {"plain_comment_id": PlainCommentId, "user_slug": UserSlug}
        for name, converter in converters.items():
            if name not in get_converters():  # tests may get apps ready several times
                register_converter(converter, name)
        if QUEUE not in settings.WORK_QUEUES:
            settings.WORK_QUEUES = [*settings.WORK_QUEUES, QUEUE]
        if not settings.RATE_LIMITER:
            settings.RATE_LIMITER = "comments.store.table.limiter"
