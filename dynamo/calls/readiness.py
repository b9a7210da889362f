"""Readiness: whether the tables can be reached and are active, for a load balancer."""

from collections.abc import Sequence

from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, sentence_about
from dynamo.calls.models import DynamoModel

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
