"""The library for PynamoDB: models in, models out."""

from dynapages.pynamodb.feeds import feed_of, index_of
from dynapages.pynamodb.indexes import SeveralAttributesIndex
from dynapages.pynamodb.models import FAILURES, DynamoModel, set_or_remove, unchanged, update

__all__ = [
    "FAILURES",
    "DynamoModel",
    "SeveralAttributesIndex",
    "feed_of",
    "index_of",
    "set_or_remove",
    "unchanged",
    "update",
]
