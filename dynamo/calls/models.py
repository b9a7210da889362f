"""PynamoDB's models with the client of this process, and whether their tables can be used."""

from collections.abc import Sequence
from typing import Any

from pynamodb.connection import TableConnection
from pynamodb.models import Model

from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about


class DynamoModel(Model):
    """A PynamoDB model whose calls use `dynamo.calls.client.client`."""

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        return connection


USABLE = frozenset({"ACTIVE", "UPDATING"})


def unreadiness(models: Sequence[type[DynamoModel]]) -> str | None:
    """Return why pages cannot be served now, None when they can."""
    for model in models:
        table = model.Meta.table_name
        try:
            status = client().describe_table(TableName=table)["Table"]["TableStatus"]
        except FAILURES as failure:
            return f"{table}: {sentence_about(failure)}"
        if status not in USABLE:
            return f"{table}: {status}"
    return None
