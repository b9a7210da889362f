"""The base of all PynamoDB models, bound to the process's one client.

A model declares a table's keys and indexes and how its items are spelled. It never derives a
key by itself: PynamoDB's transactions and batches do not call an overridden ``save()``, so keys
are computed when an item is built, in one function of each app.
"""

from typing import Any

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from dynamo.calls.client import client


class DynamoModel(Model):
    """A PynamoDB model whose calls go through `dynamo.calls.client.client`: metered, with its limits."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        return connection
