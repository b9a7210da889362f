"""Lists by FilterExpression where nothing sorts: read all there is, sort, and cut the page out.

A Scan, and a Query on a key that does not sort as the list does, give no page: any item not read
yet could belong on it. To be right a client reads to the end whatever page it wants, every time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dynamo.items import Item, Value
from dynamo.lists.reader import Order, PageRequest
from dynamo.lists.runs import OneOf

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class Sieve:
    """What a FilterExpression lets through: items with one of some values, and within bounds.

    ``within`` gives for an attribute the lowest string, and the one it stays below.
    """

    one_of: tuple[OneOf, ...] = ()
    within: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def spelled(self) -> dict[str, Any]:
        """Spell it as parameters of a Scan or Query; it has at least one term."""
        terms: list[str] = []
        names: dict[str, str] = {}
        values: dict[str, Value] = {}
        for number, term in enumerate(self.one_of):
            names[f"#f{number}"] = term.attribute
            listed = {f":f{number}_{n}": value for n, value in enumerate(term.values)}
            values |= listed
            terms.append(f"#f{number} IN ({', '.join(listed)})")
        for number, (attribute, (low, high)) in enumerate(self.within.items()):
            names[f"#b{number}"] = attribute
            values |= {f":low{number}": {"S": low}, f":high{number}": {"S": high}}
            terms.append(f"#b{number} >= :low{number} AND #b{number} < :high{number}")
        return {
            "FilterExpression": " AND ".join(terms),
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }


def scan(client: "DynamoDBClient", table: str, sieve: Sieve) -> Iterator[Item]:
    """Give what a sieve lets through of a whole table, in no order: a call for each megabyte."""
    request: dict[str, Any] = {"TableName": table, **sieve.spelled()}
    while True:
        answer = client.scan(**request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def query(
    client: "DynamoDBClient", table: str, *, partition: str, prefix: str, sieve: Sieve
) -> Iterator[Item]:
    """Give what a sieve lets through of a partition's items whose sort key begins so."""
    spelled = sieve.spelled()
    spelled["ExpressionAttributeNames"] |= {"#p": "pk", "#s": "sk"}
    spelled["ExpressionAttributeValues"] |= {":p": {"S": partition}, ":s": {"S": prefix}}
    request: dict[str, Any] = {
        "TableName": table,
        "KeyConditionExpression": "#p = :p AND begins_with(#s, :s)",
        **spelled,
    }
    while True:
        answer = client.query(**request)
        yield from answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def cut_out(
    items: Iterator[Item],
    request: PageRequest,
    *,
    place: Callable[[Item], str],
    order: Order = Order.NEWEST_FIRST,
) -> Sequence[Item]:
    """Sort items by their places and give those next behind the position."""
    newest_first = order is Order.NEWEST_FIRST
    ordered = sorted(items, key=place, reverse=newest_first)
    behind = request.position.place if request.position else None
    left = [
        item
        for item in ordered
        if behind is None or (place(item) < behind if newest_first else place(item) > behind)
    ]
    return left[: request.size]
