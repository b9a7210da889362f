"""How the entries of a month are stored: in how many shards, and in which series.

An item of the month's table holds the number of its shards, from the first write on, and whether
there is one series for most kinds: neither changes. It is remembered by each process.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynapages.items import Item, table_key
from dynapages.writes import SHARDS, ConditionFailed, put, shards_in, write_item
from shop.activity.months import Month
from shop.activity.tables import Activity, model_of

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

ACTIVITY_SHARDS = 1
"""That the series of a new month are spread over: one takes 1,000 entries a second."""
MAIN_SERIES = "MAIN"
"""The series of entries that are of no kind apart."""
_LAYOUT_KEY = table_key("SHARDS", "SHARDS")
_MAIN_SERIES_ATTRIBUTE: Item = {"series": {"S": MAIN_SERIES}}
"""What the item of the shards has in months that have this series."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How many shards a series is in, 0 before the first entry, and whether each kind is one."""

    shards: int
    is_by_kind: bool = False


_layouts_by_table: dict[str, Layout] = {}


def layout_of(month: Month, *, client: "DynamoDBClient") -> Layout:
    """Return how a month's entries are stored."""
    known = _layouts_by_table.get(month.table)
    if known is not None:
        return known
    # Not there before the first entry, and then not remembered: it may come any time.
    item = client.get_item(TableName=month.table, Key=_LAYOUT_KEY).get("Item")
    if not item:
        return Layout(0)
    return _remember(month, item)


def settle_layout(month: Month, *, client: "DynamoDBClient") -> Layout:
    """Return how to write a month's entries; the first caller sets it."""
    known = _layouts_by_table.get(month.table)
    if known is not None:
        return known
    item: Item = {
        **_LAYOUT_KEY,
        **_MAIN_SERIES_ATTRIBUTE,
        SHARDS: {"N": str(ACTIVITY_SHARDS)},
    }
    try:
        write_item(client, put(model_of(month), item, Activity.pk.does_not_exist()))
    except ConditionFailed:  # another caller was first
        answer = client.get_item(TableName=month.table, Key=_LAYOUT_KEY, ConsistentRead=True)
        return _remember(month, answer["Item"])
    return _remember(month, item)


def forget_layout(month: Month) -> None:
    """Forget the layout of a table that is gone."""
    _layouts_by_table.pop(month.table, None)


def _remember(month: Month, item: Item) -> Layout:
    """Return the layout that an item describes, and remember it for this process."""
    has_main_series = _MAIN_SERIES_ATTRIBUTE.items() <= item.items()
    layout = Layout(shards_in(item), is_by_kind=not has_main_series)
    _layouts_by_table[month.table] = layout
    return layout
