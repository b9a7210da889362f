"""Single writes of items that transactions write as well.

PutItem, UpdateItem and DeleteItem fail with TransactionConflictException while a transaction on
their item is in progress; botocore does not retry that. Here it is retried like a transaction. A
single write costs half the capacity units of a transaction with one action. All single writes go
through `write_one`: which items transactions write may change.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dynamo.calls.backoff import Backoff
from dynamo.items import Item
from dynamo.writes.actions import Action, parameters
from dynamo.writes.transactions import BACKOFF, ConditionFailed, Contended

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def write_one(
    client: "DynamoDBClient",
    action: Action,
    *,
    backoff: Backoff = BACKOFF,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Carry out one action of `dynamo.writes.actions`: a put, an update or a delete.

    Raises ConditionFailed (the item is number 0), Contended when transactions on the item were
    in progress at every attempt, and botocore's errors.
    """
    (kind,) = action
    calls: Mapping[str, Callable[..., object]] = {
        "Put": client.put_item,
        "Update": client.update_item,
        "Delete": client.delete_item,
    }
    pauses = backoff.pauses()
    while True:
        try:
            calls[kind](**parameters(action))
        except client.exceptions.ConditionalCheckFailedException as error:
            held: Mapping[str, Any] = error.response
            item: Item = held.get("Item", {})
            raise ConditionFailed({0: item}) from error
        except client.exceptions.TransactionConflictException as error:
            pause = next(pauses, None)
            if pause is None:
                raise Contended from error
        else:
            return
        sleep(pause)
