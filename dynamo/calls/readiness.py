"""Readiness: whether the tables can be reached and are active, and the engine is a recent one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from dynamo.calls.client import client
from dynamo.calls.faults import FAILURES, EngineTooOld, fault_in, sentence_about
from dynamo.calls.models import DynamoModel
from dynamo.items import table_key

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

TOO_MANY_FOR_OLD_ONES = 26
"""Actions of a transaction; Amazon DynamoDB took 25 until September 2022."""
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


def too_old(engine: "DynamoDBClient", table: str) -> EngineTooOld | None:
    """Return the fault of an engine that takes too few actions in a transaction.

    It is asked to write nothing on conditions that do not hold; ``table`` need not exist. None also
    where the answer tells nothing. Not for Amazon DynamoDB, where the call would cost units.
    """
    missing = [table_key(f"NONE#{n}", f"NONE#{n}") for n in range(TOO_MANY_FOR_OLD_ONES)]
    exists: dict[str, Any] = {"TableName": table, "ConditionExpression": "attribute_exists(pk)"}
    checks: Any = [{"ConditionCheck": exists | {"Key": key}} for key in missing]
    try:
        engine.transact_write_items(TransactItems=checks)
    except FAILURES as failure:
        fault = fault_in(failure)
        return fault if isinstance(fault, EngineTooOld) else None
    return None
