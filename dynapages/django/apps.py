"""The library as a Django app: connects to the DynamoDB that the settings name."""

import os
from types import ModuleType
from typing import Any, Final

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register

from dynapages.calls.client import Connection
from dynapages.django.checks import check_keys, check_templates
from dynapages.django.paging import register_id_converters
from dynapages.django.tables import compare_with_first_request
from dynapages.django.work import start_with_first_request
from dynapages.process import connect

DEFAULTS: Final[dict[str, Any]] = {
    # Where DynamoDB is: empty for Amazon's, in the region. Without keys the credentials are those
    # of botocore's usual chain.
    "DYNAMODB_ENDPOINT_URL": os.environ.get("DYNAMODB_ENDPOINT_URL", ""),
    "AWS_REGION": os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION", "us-east-1"),
    "AWS_ACCESS_KEY_ID": None,
    "AWS_SECRET_ACCESS_KEY": None,
    "DYNAMODB_TABLE_PREFIX": "",
    # Whether the library builds, signs and parses each call in botocore's place.
    "DYNAMODB_LIBRARY_TRANSPORT": False,
    # Items on a page of a list.
    "PAGE_SIZE": 20,
    # Requests that a process works on at a time: so many connections are kept for them.
    "MAX_CONCURRENT_REQUESTS": 4,
    # Seconds that all calls of a page, and of a form, may take together (`BudgetMiddleware`).
    "PAGE_SECONDS": 2.5,
    "WRITE_SECONDS": 6.0,
    # Proxies in front of the site that add to X-Forwarded-For (`client_network`).
    "TRUSTED_PROXIES": 0,
    # What addresses in feeds begin with, if not with what a request was sent to; their author.
    "SITE_URL": "",
    "SITE_NAME": "",
    # For `create_tables`: dotted paths of models, and of functions that make further tables.
    "DYNAMODB_MODELS": (),
    "DYNAMODB_TABLE_MAKERS": (),
    "DYNAMODB_IS_AN_ENGINE": False,
    # For `rate_limits`: the dotted path of a function that returns a `Limiter`.
    "RATE_LIMITER": "",
    # For `work`: dotted paths of queues, and whether processes that serve do what is owed in them.
    "WORK_QUEUES": (),
    "WORK_IN_WEB": True,
    # For `dynapages.ninja`: what the paths of an API begin with, empty without one; the dotted path
    # of a function that says who sends a key; and what addresses of types of problems begin with.
    "API_PATH": "",
    "API_AUTHENTICATOR": "",
    "API_PROBLEM_TYPES": "",
    # The folder in which imports list the rows they reject.
    "VAR_DIR": "var",
}
"""All settings that this adapter reads, and what they are where the project does not set them."""


class DynamoAppConfig(AppConfig):
    """Completes the settings, registers converters for ids, and connects to DynamoDB."""

    name = "dynapages.django"
    label = "dynapages"
    verbose_name = "DynamoDB"

    def __init__(self, app_name: str, app_module: ModuleType | None) -> None:
        super().__init__(app_name, app_module)
        # Before any app's models are imported, which are named by them.
        for name, value in DEFAULTS.items():
            if not hasattr(settings, name):
                setattr(settings, name, value)

    def ready(self) -> None:
        register_id_converters()
        register(check_templates, Tags.templates)
        register(check_keys, Tags.models)
        compare_with_first_request()
        start_with_first_request()
        connect(
            Connection(
                region=settings.AWS_REGION,
                endpoint_url=settings.DYNAMODB_ENDPOINT_URL or None,
                access_key=settings.AWS_ACCESS_KEY_ID,
                secret_key=settings.AWS_SECRET_ACCESS_KEY,
                single_call_threads=settings.MAX_CONCURRENT_REQUESTS,
                library_transport=settings.DYNAMODB_LIBRARY_TRANSPORT,
            )
        )
