"""Single updates of items that transactions write as well.

UpdateItem fails with TransactionConflictException while a transaction on the item is in progress;
botocore does not retry that. Here it is retried like a transaction. An update costs half the
capacity units of a transaction with one action.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dynamo.calls.backoff import Backoff
from dynamo.items import Item
from dynamo.writes.actions import Action
from dynamo.writes.transactions import BACKOFF, ConditionFailed, Contended

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def update_item(
    client: "DynamoDBClient",
    update: Action | Mapping[str, Any],
    *,
    backoff: Backoff = BACKOFF,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Update an item, by an action of `dynamo.writes.actions.update` or UpdateItem's parameters.

    Raises ConditionFailed (the item is number 0), Contended when transactions on the item were
    in progress at every attempt, and botocore's errors.
    """
    parameters = update.get("Update", update)
    pauses = backoff.pauses()
    while True:
        try:
            client.update_item(**parameters)
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
