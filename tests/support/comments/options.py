"""The options of the app of comments, as a test wants them."""

from typing import Any

from django.conf import settings
from django.test import override_settings


def comments_set(**options: Any) -> override_settings:
    """Return a context in which these options are set, and the others as they are."""
    return override_settings(COMMENTS={**settings.COMMENTS, **options})
