"""Which clients type checkers take: boto3's, botocore's, aiobotocore's, and one of a test."""

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, Unpack, assert_type

import boto3
import botocore.session

from dynapages import Feed, Index, Pool
from dynapages.calls import Batches, QueryExplanation, explain_query
from dynapages.items import Item
from dynapages.writes import Transactions, put, write_item

INDEX = Index("notes", partition="team", sort="at")

# With the stubs of boto3 it is a DynamoDBClient. Without them mypy takes it for Any, and pyright
# for a class with `__getattr__`.
of_boto3 = boto3.client("dynamodb")
assert_type(Feed(INDEX, ["red"], client=of_boto3), Feed[dict[str, Any]])
batches = Batches(of_boto3, Pool(4))
transactions = Transactions(of_boto3)
write_item(of_boto3, put("notes", {"team": {"S": "red"}}))
assert_type(batches.get("notes", []), list[Item])
assert_type(explain_query(of_boto3, TableName="notes"), QueryExplanation)

# A resource or a Table, which pyright does not know without stubs.
table = boto3.resource("dynamodb").Table("notes")  # pyright: ignore[reportAttributeAccessIssue]
assert_type(Feed(INDEX, ["red"], client=table), Feed[dict[str, Any]])

# The stubs of botocore know no method of a client: it is declared.
of_botocore: Any = botocore.session.get_session().create_client("dynamodb", "us-east-1")
assert_type(Feed(INDEX, ["red"], client=of_botocore), Feed[dict[str, Any]])


class QueryInput(TypedDict, total=False):
    """Some parameters of a Query, as stubs declare them."""

    TableName: str
    Limit: int


class QueryOutput(TypedDict):
    """Some of what a Query answers, as stubs declare it."""

    Items: list[dict[str, Any]]
    ScannedCount: int


class AwaitedClient:
    """A client with the method of aiobotocore's, in the form of its stubs."""

    async def query(self, **kwargs: Unpack[QueryInput]) -> QueryOutput:
        """Make a Query."""
        raise NotImplementedError


awaited = Feed(INDEX, ["red"], client=AwaitedClient())
assert_type(awaited, Feed[dict[str, Any]])


class FakeClient:
    """A client of a test, with the one method that a feed calls."""

    def query(self, **parameters: object) -> dict[str, Any]:
        """Return the answer to a Query that has found nothing."""
        return {"Items": [], "Count": 0, "ScannedCount": 0}


assert_type(Feed(INDEX, ["red"], client=FakeClient()), Feed[dict[str, Any]])


class ClientOfFunctions:
    """A client whose method is an attribute."""

    query: Callable[..., Mapping[str, Any]]


assert_type(Feed(INDEX, ["red"], client=ClientOfFunctions()), Feed[dict[str, Any]])
