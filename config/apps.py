"""The Django app that wires shop and comments, and registers the checks of the settings."""

from django.apps import AppConfig
from django.core import checks

from config.checks import check_deployment, check_engine, check_settings


class ConfigConfig(AppConfig):
    """Registers the system checks of the settings and of the engine."""

    name = "config"

    def ready(self) -> None:
        """Connect the two apps by their signals and hooks, and register the checks."""
        # Imported now: these modules need models, which are ready only here.
        import config.comment_log  # noqa: PLC0415 - connects its receivers
        import config.reply_emails  # noqa: PLC0415 - the same
        import config.reviews.requests  # noqa: F401, PLC0415 - the same
        from comments.rankings.services import rename_ranks  # noqa: PLC0415 - models are ready now
        from comments.store.writing import comment_events  # noqa: PLC0415 - the same
        from config.reviews.links import COMMENTS  # noqa: PLC0415 - the same
        from config.webhooks.comment_events import COMMENT_MEANINGS, owed_by_comments  # noqa: PLC0415 - the same
        from shop.catalogue.changes import name_copies  # noqa: PLC0415 - the same
        from shop.reviews import connect_reviews  # noqa: PLC0415 - the same
        from shop.webhooks.events import MEANINGS  # noqa: PLC0415 - the same

        name_copies.add(rename_ranks)
        connect_reviews(COMMENTS)
        comment_events.add(owed_by_comments)
        MEANINGS.update(COMMENT_MEANINGS)
        checks.register(check_settings, "config")
        checks.register(check_engine, checks.Tags.database)
        checks.register(check_deployment, "config", deploy=True)
