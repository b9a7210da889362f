"""Single updates on items that transactions write as well.

A transaction that is under way on an item makes a plain UpdateItem fail with
TransactionConflictException, which botocore does not retry. Here it waits for the transaction to
pass, a bounded number of times. An update costs half of a transaction of one.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dynamo.calls.backoff import Backoff
from dynamo.items import Item
from dynamo.writes.transactions import ConditionFailed, Contended

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_BACKOFF = Backoff(attempts=10, first=0.02, longest=1.0)


def update_item(
    client: "DynamoDBClient",
    parameters: Mapping[str, Any],
    *,
    backoff: Backoff = _BACKOFF,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Update an item by the parameters of UpdateItem.

    Raises ConditionFailed, with the item as number 0 where the parameters ask for it, Contended
    when transactions on the item kept coming, and botocore's errors.
    """
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
                raise Contended("Too many others are writing the same at the moment.") from error
        else:
            return
        sleep(pause)
