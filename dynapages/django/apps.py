"""The library as a Django app: connects to the DynamoDB that the settings name."""

from django.apps import AppConfig

from dynapages.calls.client import Connection, connect
from dynapages.django.conf import setting
from dynapages.django.paging import register_id_converters

__all__ = ["DynamoAppConfig"]


class DynamoAppConfig(AppConfig):
    """Registers the converters for ids, and connects to the DynamoDB of the settings."""

    name = "dynapages.django"
    label = "dynapages"
    verbose_name = "DynamoDB"

    def ready(self) -> None:
        register_id_converters()
        connect(
            Connection(
                region=setting("AWS_REGION"),
                endpoint_url=setting("DYNAMODB_ENDPOINT_URL") or None,
                access_key=setting("AWS_ACCESS_KEY_ID"),
                secret_key=setting("AWS_SECRET_ACCESS_KEY"),
                single_call_threads=setting("MAX_CONCURRENT_REQUESTS"),
            )
        )
