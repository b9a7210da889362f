"""Answers of DynamoDB: where a Query or a Scan stopped."""

from collections.abc import Mapping
from typing import Any

from dynapages.items import Item


def last_key(answer: Mapping[str, Any]) -> Item | None:
    """Return the LastEvaluatedKey of a Query or Scan; None where it has read all.

    Stores that imitate DynamoDB, and mocks of it, also say that by an empty key, or by None.
    """
    return answer.get("LastEvaluatedKey") or None
