"""PynamoDB's models on the process's client.

PynamoDB would build a client for each model, without a lock and with a time limit of 30 seconds.
"""

from typing import Any

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from dynapages.process import client

__all__ = ["DynamoModel"]


class DynamoModel(Model):
    """A PynamoDB model whose calls use `dynapages.process.client`."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        return connection
