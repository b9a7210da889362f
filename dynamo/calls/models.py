"""The base of all PynamoDB models, which uses the process's client.

A model declares a table's keys and indexes and its items' attributes. It derives no key by itself:
PynamoDB's transactions and batches do not call an overridden ``save()``, so each app computes keys
where it builds an item.
"""

from typing import Any

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from dynamo.calls.client import client


class DynamoModel(Model):
    """A PynamoDB model whose calls use `dynamo.calls.client.client`."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        return connection
