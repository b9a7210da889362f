"""Keys of tables and indexes: what DynamoDB allows, and which engines have all of it.

The key of a global index has up to four partition and four sort attributes, in an order; that of a
table or a local index has one of each. Engines that stand in for DynamoDB may know only the latter.
"""

import re
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from dynapages.errors import DynamoError

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

Key = Sequence[Mapping[str, str]]
"""A KeySchema."""

MOST_OF_A_GLOBAL_INDEX = 4
"""Partition attributes of a global index, at the most, and sort attributes as well."""
IN_DECLARED_ORDER = "in_declared_order"
"""What `dynapages.pynamodb.SeveralAttributesIndex` adds to PynamoDB's schema of an index."""
_ROLES = {"HASH": "partition", "RANGE": "sort"}
_DYNOXIDE = re.compile(r"Dynoxide/(\d+)\.(\d+)\.(\d+)")
"""What it says of itself in the header Server."""
_FIRST_DYNOXIDE = (3, 1, 0)
"""The first one that answers queries of such indexes. Earlier ones accept the table, too."""
_REFUSAL = "Key Schema too big"
"""How DynamoDB Local refuses the table before version 3.3.0."""


class EngineLacksKeys(DynamoError):
    """An engine has no keys of several attributes, which a global index needs. Nothing was made."""

    def __init__(self, engine: str, index: str) -> None:
        super().__init__(
            f"{engine} has no keys of several attributes, which the index {index} needs. Amazon "
            "DynamoDB has them, DynamoDB Local from 3.3.0 on, moto from 5.1.21 on, dynoxide from "
            "3.1.0 on."
        )


# Keys


def key_parts(schema: Key) -> list[dict[str, str]]:
    """Return the parts of a KeySchema, partition attributes first, and nothing besides.

    Attributes of the same role stay in their order, which is a part of what the key is.
    """
    key = []
    for part in schema:
        key.append({"AttributeName": part["AttributeName"], "KeyType": part["KeyType"]})
    return sorted(key, key=itemgetter("KeyType"))  # HASH comes before RANGE


def attribute_names(schema: Key, role: str) -> list[str]:
    """Return the names of the attributes of a role, ``HASH`` or ``RANGE``, in their order."""
    return [part["AttributeName"] for part in schema if part["KeyType"] == role]


def has_several(schema: Key) -> bool:
    """Return whether a key has several partition attributes or several sort attributes."""
    return any(len(attribute_names(schema, role)) > 1 for role in _ROLES)


def require_key(owner: str, schema: Key, *, most: int = 1) -> None:
    """Raise ValueError for a key that DynamoDB would refuse; ``owner`` begins the sentence.

    ``most`` is how many attributes a role may have.
    """
    names = [part["AttributeName"] for part in schema]
    if len(set(names)) < len(names):
        raise ValueError(f"{owner} names an attribute twice in its key: {', '.join(names)}.")
    if not attribute_names(schema, "HASH"):
        raise ValueError(f"{owner} has no partition attribute.")
    for role, word in _ROLES.items():
        of_role = attribute_names(schema, role)
        if len(of_role) > most:
            raise ValueError(
                f"{owner} has {len(of_role)} {word} attributes ({', '.join(of_role)}). A global "
                f"index has at most four, a table or a local index one."
            )
    if key_parts(schema) != list(schema):
        raise ValueError(
            f"{owner} names a sort attribute before a partition attribute: {', '.join(names)}. "
            "Partition attributes come first."
        )


def require_declared_order(index: Mapping[str, Any]) -> None:
    """Raise ValueError for several attributes in PynamoDB's order, which nobody has declared.

    ``index`` is PynamoDB's schema of an index.
    """
    key = key_parts(index["key_schema"])
    if index.get(IN_DECLARED_ORDER) or not has_several(key):
        return
    partition = ", ".join(attribute_names(key, "HASH"))
    sort = ", ".join(attribute_names(key, "RANGE"))
    raise ValueError(
        f"PynamoDB would create the index {index['index_name']} with its attributes in the order "
        f"of the alphabet: partition {partition}; sort {sort}. Derive its class from "
        "dynapages.pynamodb.SeveralAttributesIndex, which keeps the order of the class."
    )


# Engines


def require_engine(
    client: "DynamoDBClient", table: str, indexes: Sequence[Mapping[str, Any]]
) -> None:
    """Raise EngineLacksKeys where an engine is known to lack what some global indexes need.

    It is known by the header Server of its answer to DescribeTable; ``table`` need not exist.
    Without an index of several attributes no call is made.
    """
    index = _first_of_several(indexes)
    if index is None:
        return
    found = _DYNOXIDE.match(_server(client, table))
    if found is None:
        return
    version = tuple(int(number) for number in found.groups())
    if version < _FIRST_DYNOXIDE:
        raise EngineLacksKeys(f"dynoxide {'.'.join(found.groups())}", index)


def lacking_engine(
    error: ClientError, indexes: Sequence[Mapping[str, Any]]
) -> EngineLacksKeys | None:
    """Return what is to be said of an engine that refused a table or an index; None if nothing."""
    index = _first_of_several(indexes)
    if index is None or _REFUSAL not in error.response["Error"].get("Message", ""):
        return None
    server = error.response["ResponseMetadata"]["HTTPHeaders"].get("server", "without a name")
    return EngineLacksKeys(f"This engine ({server})", index)


def _first_of_several(indexes: Sequence[Mapping[str, Any]]) -> str | None:
    for index in indexes:
        if has_several(index["KeySchema"]):
            name: str = index["IndexName"]
            return name
    return None


def _server(client: "DynamoDBClient", table: str) -> str:
    """Return the header Server of an answer, empty where it has none."""
    answer: Any
    try:
        answer = client.describe_table(TableName=table)
    except client.exceptions.ResourceNotFoundException as missing:
        answer = missing.response
    server: str = answer["ResponseMetadata"]["HTTPHeaders"].get("server", "")
    return server
