"""PynamoDB's models on the process's client, and its expressions in actions.

PynamoDB would build a client for each model, without a lock and with a time limit of 30 seconds,
and wrap what a call raises.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.attributes import Attribute
from pynamodb.connection import Connection, TableConnection
from pynamodb.exceptions import PynamoDBException
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action as Change
from pynamodb.expressions.update import Update
from pynamodb.models import Model

from dynapages.calls import faults
from dynapages.items import Item, Value
from dynapages.process import client
from dynapages.writes import transactions
from dynapages.writes.transactions import Action, Table

FAILURES: tuple[type[Exception], ...] = (*faults.FAILURES, PynamoDBException)
"""Everything a call to DynamoDB may raise, also by a model: PynamoDB wraps a refused request."""


class DynamoModel(Model):
    """A PynamoDB model whose calls use `dynapages.process.client`.

    A call that the database does not answer as it should raises one of
    `dynapages.calls.faults.Unavailable`, not PynamoDB's exception around it.
    """

    @classmethod
    def _get_connection(cls) -> TableConnection:
        connection = super()._get_connection()
        private: Any = connection.connection
        private._client = client()  # noqa: SLF001 - PynamoDB takes no client from outside
        private.dispatch = partial(_dispatch, private)
        return connection

    @classmethod
    def find(cls, pk: str, sk: str, *, consistent_read: bool = True) -> Self | None:
        """Read an item by its key; None where there is none."""
        try:
            return cls.get(pk, sk, consistent_read=consistent_read)
        except cls.DoesNotExist:
            return None


def _dispatch(connection: Connection, *operation: Any) -> Any:  # noqa: ANN401 - PynamoDB's
    """Make a call as PynamoDB does. Raises Unavailable, and botocore's other errors."""
    try:
        return Connection.dispatch(connection, *operation)
    except (BotoCoreError, ClientError) as error:
        fault = faults.fault_in(error)
        if fault is not None:
            raise fault from error
        raise


def update(
    table: Table,
    key: Item,
    changes: Iterable[Change],
    condition: Condition | None = None,
    *,
    return_item: bool = False,
) -> Action:
    """Build an update of an item; ``changes`` as ``Comment.place.set(…)`` builds them."""
    return transactions.update(table, key, Update(*changes), condition, return_item=return_item)


def unchanged(item: Item, *attributes: Attribute[Any]) -> Condition:
    """Require that each attribute is as it is in ``item``, or missing as it is there."""
    condition = _as_in(item, attributes[0])
    for attribute in attributes[1:]:
        condition &= _as_in(item, attribute)
    return condition


def set_or_remove(attribute: Attribute[Any], value: Value | None) -> Change:
    """Set an attribute to a value in wire form, or remove it where the value is None."""
    return attribute.remove() if value is None else attribute.set(value)


def _as_in(item: Item, attribute: Attribute[Any]) -> Condition:
    """Require that an attribute is as it is in ``item``, or missing as it is there."""
    value = item.get(attribute.attr_name)
    return attribute.does_not_exist() if value is None else attribute == value
