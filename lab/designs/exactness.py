"""Whether an engine's capacity units are DynamoDB's: a lab on invented ones measures nothing."""

from dynamo.errors import DynamoError
from dynamo.items import Item
from lab.designs.tables import Lab, Layout
from shop.models import ShopItem

KIBIBYTES = 9
"""Size of an item that costs 9 units to write, and 3 to read strongly (4 KB each)."""
WRITE_UNITS, READ_UNITS = 10, 3
"""What it costs, keys included: the tenth kilobyte is begun."""


class InexactEngine(DynamoError):
    """The engine does not charge what DynamoDB does."""

    def __init__(self, *, wrote: float, read: float) -> None:
        super().__init__(
            f"This engine charges {wrote:g} units for writing an item of {KIBIBYTES} KB and "
            f"{read:g} for reading it, where DynamoDB charges {WRITE_UNITS} and {READ_UNITS}: its "
            "figures would be fiction. Run the lab on dynoxide, DynamoDB Local or Amazon DynamoDB."
        )


def require_exact(lab: Lab) -> None:
    """Write and read an item of known size. Raises InexactEngine, as on moto."""
    table = lab.make(Layout("probe", ShopItem))
    key: Item = {"pk": {"S": "PROBE"}, "sk": {"S": "PROBE"}}
    with lab.traffic.counted() as writing:
        lab.client.put_item(
            TableName=table.name, Item={**key, "text": {"S": "x" * KIBIBYTES * 1_024}}
        )
    with lab.traffic.counted() as reading:
        lab.client.get_item(TableName=table.name, Key=key, ConsistentRead=True)
    wrote, read = writing.cost.capacity_units, reading.cost.capacity_units
    if (wrote, read) != (WRITE_UNITS, READ_UNITS):
        raise InexactEngine(wrote=wrote, read=read)
