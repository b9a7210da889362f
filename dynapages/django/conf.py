"""The settings of Django that this adapter reads; each has a default."""

import os
from typing import Any, Final

from django.conf import settings

__all__ = ["DEFAULTS", "setting"]

DEFAULTS: Final[dict[str, Any]] = {
    # Where DynamoDB is: empty for Amazon's, in the region. By default the environment says so, and
    # without keys the credentials are those of botocore's usual chain.
    "DYNAMODB_ENDPOINT_URL": os.environ.get("DYNAMODB_ENDPOINT_URL", ""),
    "AWS_REGION": os.environ.get("AWS_REGION")
    or os.environ.get("AWS_DEFAULT_REGION")
    or "us-east-1",
    "AWS_ACCESS_KEY_ID": None,
    "AWS_SECRET_ACCESS_KEY": None,
    # Requests that a process works on at a time: connections that are kept for them.
    "MAX_CONCURRENT_REQUESTS": 4,
    # Seconds that all calls of a page, and of a form, may take together (`BudgetMiddleware`).
    "PAGE_SECONDS": 2.5,
    "WRITE_SECONDS": 6.0,
    # Proxies in front of the site that add to X-Forwarded-For.
    "TRUSTED_PROXIES": 0,
    # What addresses begin with in feeds and e-mails; empty for what a request was sent to.
    "SITE_URL": "",
    # The name of the site, as the author of its feeds.
    "SITE_NAME": "",
    # For `create_tables`: dotted paths of models, and of functions that make further tables.
    "DYNAMODB_MODELS": (),
    "DYNAMODB_TABLE_MAKERS": (),
    "DYNAMODB_IS_AN_ENGINE": False,
    # The dotted path of a function that returns a `dynapages.writes.rate_limiter.Limiter`.
    "RATE_LIMITER": "",
    # The element of each page that htmx puts the sentences of refusals into.
    "NOTICE": "#notice",
}


def setting(name: str) -> Any:  # noqa: ANN401 - each setting has a type of its own
    """Return a setting of the project, or its default."""
    return getattr(settings, name, DEFAULTS[name])
