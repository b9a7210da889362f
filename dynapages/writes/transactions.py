"""Actions on items, and writes of them: many in one transaction, or one by itself.

    changes = Expression("SET #p = :p", {"#p": "place"}, {":p": {"S": place}})
    write_transaction(client, [update("comments", key, changes)])

An action is built by `put`, `update`, `check` or `delete`; its condition and its changes are an
`Expression`, or those of PynamoDB. `write_transaction` and `Transactions` send TransactWriteItems,
`write_item` sends PutItem, UpdateItem or DeleteItem.

DynamoDB cancels a transaction that meets another one on the same item with TransactionConflict,
which botocore does not retry. Here it is, with backoff and jitter, a bounded number of times. A
condition that does not hold is raised at once. Follows "Amazon DynamoDB Transactions: How it works"
of the Developer Guide.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from botocore.exceptions import ClientError

from dynapages.calls.client_types import ItemClient
from dynapages.calls.faults import (
    CANCELLED_AS_THROTTLED,
    FAILURES,
    EngineTooOld,
    Throttled,
    fault_in,
)
from dynapages.calls.pool import Backoff, one_operation
from dynapages.errors import DynamoError
from dynapages.items import Item, table_key

Action = Mapping[str, Any]
"""One of the actions of TransactWriteItems: ``{"Put": …}``, ``{"Update": …}`` and so on."""
Table = str | type[Any]
"""The name of a table, or a model of PynamoDB."""

MOST_ACTIONS = 100
"""In one transaction."""
TOO_MANY_FOR_OLD_ENGINES = 26
"""Actions; Amazon DynamoDB, and engines like it, took 25 until September 2022."""
BACKOFF = Backoff(attempts=10, first=0.02, longest=1.0)

_PLACEHOLDER = re.compile(r"[#:]\w+")
_CONDITION_FAILED = "ConditionalCheckFailed"
_CONFLICT = "TransactionConflict"
_RETRIED_ERRORS = frozenset({"TransactionInProgressException", "TransactionConflictException"})


class ConditionFailed(DynamoError):
    """A condition of the transaction did not hold; nothing was written.

    ``failed`` maps the number (from 0) of each such action to the item as it is stored, or to an
    empty item unless the action was built with ``return_item``.
    """

    def __init__(self, failed: Mapping[int, Item]) -> None:
        super().__init__("Something that was read has changed since; nothing was written.")
        self.failed = failed


class Contended(Throttled):
    """Other writers of the same items won until the last attempt; nothing was written."""

    retry_after = 1

    def __init__(self, text: str = "Too many others are writing the same at the moment.") -> None:
        super().__init__(text)


# Actions and their expressions


class Serializable(Protocol):
    """A condition, or the changes of an update: an `Expression`, or what PynamoDB makes of them."""

    def serialize(self, names: dict[str, str], values: dict[str, Any], /) -> str | None:
        """Return its text; add its attribute names and values to those that have placeholders."""


@dataclass(frozen=True, slots=True)
class Expression:
    """A condition or an update as botocore takes it: its text, with its names and values.

    Its placeholders are its own: a condition and the changes of one action may have the same ones.
    """

    text: str
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)

    def serialize(self, names: dict[str, str], values: dict[str, Any], /) -> str:
        """Return the text with placeholders that nothing else of the action has."""

        def replaced(match: re.Match[str]) -> str:
            own = match.group()
            if own in self.names:
                return names.setdefault(self.names[own], f"#{len(names)}")
            if own in self.values:
                placeholder = f":{len(values)}"
                values[placeholder] = self.values[own]
                return placeholder
            return own

        return _PLACEHOLDER.sub(replaced, self.text)


def put(
    table: Table, item: Item, condition: Serializable | None = None, *, return_item: bool = False
) -> Action:
    """Build a put of a whole item into ``table``.

    With ``return_item`` a condition that does not hold reports the item as it is.
    """
    return {"Put": _parameters(table, condition, return_item=return_item) | {"Item": item}}


def update(
    table: Table,
    key: Item,
    changes: Serializable,
    condition: Serializable | None = None,
    *,
    return_item: bool = False,
) -> Action:
    """Build an update of an item."""
    built = _parameters(table, condition, changes=changes, return_item=return_item)
    return {"Update": built | {"Key": key}}


def check(table: Table, key: Item, condition: Serializable) -> Action:
    """Build a condition on an item that is not written."""
    return {"ConditionCheck": _parameters(table, condition) | {"Key": key}}


def delete(table: Table, key: Item, condition: Serializable | None = None) -> Action:
    """Build a delete; without a condition it succeeds where there is no item."""
    return {"Delete": _parameters(table, condition) | {"Key": key}}


def parameters(action: Action) -> Mapping[str, Any]:
    """Return the parameters of PutItem, UpdateItem or DeleteItem that do the same."""
    (of_action,) = action.values()
    return dict(of_action)


def unchanged(item: Item, *names: str) -> Expression:
    """Require that each attribute is as it is in ``item``, or missing as it is there."""
    terms = []
    values = {}
    for number, name in enumerate(names):
        if name in item:
            terms.append(f"#{number} = :{number}")
            values[f":{number}"] = item[name]
        else:
            terms.append(f"attribute_not_exists(#{number})")
    placeholders = {f"#{number}": name for number, name in enumerate(names)}
    return Expression(" AND ".join(terms), placeholders, values)


def _parameters(
    table: Table,
    condition: Serializable | None,
    *,
    changes: Serializable | None = None,
    return_item: bool = False,
) -> dict[str, Any]:
    """Build what all actions have in common; DynamoDB refuses parameters that are empty."""
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    built: dict[str, Any] = {
        "TableName": table if isinstance(table, str) else table.Meta.table_name
    }
    # Each adds its own names and values to those that both share.
    if changes is not None:
        built["UpdateExpression"] = changes.serialize(names, values)
    if condition is not None:
        built["ConditionExpression"] = condition.serialize(names, values)
    built["ExpressionAttributeNames"] = {name: path for path, name in names.items()}
    built["ExpressionAttributeValues"] = values
    if return_item:
        built["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {name: value for name, value in built.items() if value}


# Transactions


@dataclass(frozen=True, slots=True)
class Transactions:
    """Write transactions of one client; ``sleep`` takes seconds."""

    client: ItemClient = field(repr=False)
    backoff: Backoff = BACKOFF
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)

    def write(
        self,
        build: Callable[[], Sequence[Action]],
        *,
        on_conflict: Callable[[frozenset[int]], None] | None = None,
        on_throttled: Callable[[frozenset[int]], None] | None = None,
    ) -> None:
        """Write the actions ``build`` returns; it is called again after a conflict.

        There may be 100 actions, each on another item. ``on_conflict`` is called before that, with
        the numbers (from 0) of the actions that met another transaction; ``on_throttled`` with
        those that were throttled, all where DynamoDB names none. Attempts with the same actions
        have the same ClientRequestToken, so that one whose answer was lost is not carried out
        again. Raises ConditionFailed, Contended after the last attempt, and botocore's errors.
        """
        # DynamoDB knows a token for ten minutes: all attempts together must be over before.
        with one_operation():
            self._write(build, on_conflict, on_throttled)

    def _write(
        self,
        build: Callable[[], Sequence[Action]],
        on_conflict: Callable[[frozenset[int]], None] | None,
        on_throttled: Callable[[frozenset[int]], None] | None,
    ) -> None:
        pauses = self.backoff.pauses()
        actions: Any = list(build())
        token = uuid4().hex
        is_certain = True
        while True:
            try:
                self.client.transact_write_items(TransactItems=actions, ClientRequestToken=token)
            except ClientError as error:
                obstacles = _obstacles_in(error, len(actions))
                # Once an answer was lost, what was sent with this token may have been carried out.
                if error.response.get("ResponseMetadata", {}).get("RetryAttempts"):
                    is_certain = False
            else:
                return
            pause = next(pauses, None)
            if pause is None:
                raise Contended
            if obstacles.throttled and on_throttled is not None:
                on_throttled(obstacles.throttled)
            # After a lost answer the conflict may be with this very transaction: keep its token.
            if obstacles.conflicts and is_certain:
                if on_conflict is not None:
                    on_conflict(obstacles.conflicts)
                rebuilt = list(build())
                if rebuilt != actions:
                    actions, token = rebuilt, uuid4().hex
            self.sleep(pause)


def write_transaction(client: ItemClient, actions: Iterable[Action]) -> None:
    """Write actions in one transaction. Raises like `Transactions.write`."""
    listed = list(actions)

    def build() -> Sequence[Action]:
        return listed

    Transactions(client).write(build)


def too_old(client: ItemClient, table: str) -> EngineTooOld | None:
    """Return the fault of an engine that takes too few actions in a transaction.

    The call writes nothing, as its conditions do not hold; ``table`` need not exist. Amazon
    DynamoDB would charge for it.
    """
    missing = [f"NONE#{number}" for number in range(TOO_MANY_FOR_OLD_ENGINES)]
    exists = Expression("attribute_exists(pk)")
    try:
        write_transaction(client, [check(table, table_key(key, key), exists) for key in missing])
    except FAILURES as failure:
        fault = fault_in(failure)
        return fault if isinstance(fault, EngineTooOld) else None
    return None


@dataclass(frozen=True, slots=True)
class _Obstacles:
    """Why a transaction is tried again, by the numbers of its actions.

    ``conflicts`` met another transaction, ``throttled`` were more than their partitions allow.
    """

    conflicts: frozenset[int] = frozenset()
    throttled: frozenset[int] = frozenset()


def _obstacles_in(error: ClientError, count: int) -> _Obstacles:
    """Return what was in the way of a transaction of ``count`` actions. Raises what is final."""
    code = error.response["Error"]["Code"]
    if code in _RETRIED_ERRORS:
        return _Obstacles()
    if isinstance(fault_in(error), Throttled):
        return _Obstacles(throttled=frozenset(range(count)))
    if code != "TransactionCanceledException":
        raise error
    reasons: Sequence[Mapping[str, Any]] = error.response.get("CancellationReasons", [])
    failed: dict[int, Item] = {}
    conflicts = set()
    throttled = set()
    for number, reason in enumerate(reasons):
        reason_code = reason.get("Code")
        if reason_code == _CONDITION_FAILED:
            failed[number] = reason.get("Item", {})
        elif reason_code == _CONFLICT:
            conflicts.add(number)
        elif reason_code in CANCELLED_AS_THROTTLED:
            throttled.add(number)
    if failed:
        raise ConditionFailed(failed) from error
    if not conflicts and not throttled:
        raise error
    return _Obstacles(frozenset(conflicts), frozenset(throttled))


# One action by itself


def write_item(
    client: ItemClient,
    action: Action,
    *,
    backoff: Backoff = BACKOFF,
    sleep: Callable[[float], None] = time.sleep,
    return_values: str = "NONE",
) -> Item:
    """Write one item by the action that `put`, `update` or `delete` has built.

    Returns the attributes that ``return_values`` asks for, such as ``UPDATED_NEW``: see UpdateItem
    of the API Reference. Raises ConditionFailed (the item is number 0), Contended when transactions
    on the item were in progress at every attempt, and botocore's errors.
    """
    (kind,) = action
    calls: Mapping[str, Callable[..., Mapping[str, Any]]] = {
        "Put": client.put_item,
        "Update": client.update_item,
        "Delete": client.delete_item,
    }
    pauses = backoff.pauses()
    while True:
        try:
            response = calls[kind](**parameters(action), ReturnValues=return_values)
        except client.exceptions.ConditionalCheckFailedException as error:
            refusal: Mapping[str, Any] = error.response
            item: Item = refusal.get("Item", {})
            raise ConditionFailed({0: item}) from error
        except client.exceptions.TransactionConflictException as error:
            pause = next(pauses, None)
            if pause is None:
                raise Contended from error
        else:
            attributes: Item = response.get("Attributes", {})
            return attributes
        sleep(pause)
