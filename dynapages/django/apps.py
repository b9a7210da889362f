"""The library as a Django app: connects to the DynamoDB that the settings name."""

from django.apps import AppConfig
from django.conf import settings

from dynapages.calls.client import Connection
from dynapages.django.paging import register_id_converters
from dynapages.process import connect


class DynamoAppConfig(AppConfig):
    """Registers the converters for ids, and connects to the DynamoDB of the settings."""

    name = "dynapages.django"
    label = "dynapages"
    verbose_name = "DynamoDB"

    def ready(self) -> None:
        register_id_converters()
        endpoint = settings.DYNAMODB_ENDPOINT_URL
        connect(
            Connection(
                region=settings.AWS_REGION,
                endpoint_url=endpoint or None,
                access_key=settings.AWS_ACCESS_KEY_ID,
                secret_key=settings.AWS_SECRET_ACCESS_KEY,
                single_call_threads=settings.MAX_CONCURRENT_REQUESTS,
            )
        )
