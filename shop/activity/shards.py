"""The shards of a month's entries: how many there are, for each of its two series.

An item of the month's table holds their number, from the first write on; it never changes. Each
process remembers it.
"""

from typing import TYPE_CHECKING

from dynapages.items import Item, table_key
from dynapages.writes import SHARDS, ConditionFailed, put, shards_in, write_item
from shop.activity.months import Month
from shop.activity.tables import Activity, model_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ACTIVITY_SHARDS = 1
"""That the series of a new month are spread over: one takes 1,000 entries a second."""
_SHARDS_KEY = table_key("SHARDS", "SHARDS")
_shards_by_table: dict[str, int] = {}


def find_shards(month: Month, *, client: "DynamoDBClient") -> int:
    """Return in how many shards a month's entries are; 0 before the first entry."""
    known = _shards_by_table.get(month.table)
    if known is not None:
        return known
    # Not there before the first entry, and then not remembered: it may come any time.
    item = client.get_item(TableName=month.table, Key=_SHARDS_KEY).get("Item")
    if not item:
        return 0
    return _remember(month, item)


def settle_shards(month: Month, *, client: "DynamoDBClient") -> int:
    """Return how many shards to write a month's entries to; the first caller sets it."""
    known = _shards_by_table.get(month.table)
    if known is not None:
        return known
    item: Item = {**_SHARDS_KEY, SHARDS: {"N": str(ACTIVITY_SHARDS)}}
    try:
        write_item(client, put(model_of(month), item, Activity.pk.does_not_exist()))
    except ConditionFailed:  # another caller was first
        answer = client.get_item(TableName=month.table, Key=_SHARDS_KEY, ConsistentRead=True)
        return _remember(month, answer["Item"])
    return _remember(month, item)


def forget_shards(month: Month) -> None:
    """Forget the shards of a table that is gone."""
    _shards_by_table.pop(month.table, None)


def _remember(month: Month, item: Item) -> int:
    """Return the number in an item, and remember it for this process."""
    shards = shards_in(item)
    _shards_by_table[month.table] = shards
    return shards
