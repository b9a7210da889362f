"""A picture of the table ``shop`` and its indexes with sample rows, for the documentation.

The rows are built by the functions that every write uses, and the indexes are read from the
models, so the picture shows what the table holds.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from dynamo.items import Item
from shop.accounts.items import Account, profile_item
from shop.catalogue.category_tree import CategoryTree
from shop.catalogue.items import (
    NewCategory,
    NewProduct,
    category_item,
    parent_edge,
    product_edges,
    product_item,
)
from shop.models import ShopItem
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import NewLine, NewOrder, StatusChange, order_items_of
from shop.table import key_of

KEYS = ("pk", "sk")
START = datetime(2023, 1, 1, 9, 30, tzinfo=UTC)
LONGEST_CELL = 74


def picture() -> str:
    """Return Markdown tables of the table and each index, a row for each item with its keys."""
    items = map(ShopItem.serialize, sample_items())
    rows = list({key_of(item): item for item in items}.values())
    schema = ShopItem._get_schema()  # noqa: SLF001 - the only way to a model's declaration
    sections = [_section("The table", KEYS, rows, note="Every item.")]
    indexes = [("LSI", index) for index in schema["local_secondary_indexes"]]
    indexes += [("GSI", index) for index in schema["global_secondary_indexes"]]
    for kind, index in indexes:
        key_schema = sorted(index["key_schema"], key=lambda part: part["KeyType"])
        names = [part["AttributeName"] for part in key_schema]
        held = ", ".join(f"`{name}`" for name in index["projection"]["NonKeyAttributes"])
        note = f"{kind}. Besides its keys it holds {held}."
        sections.append(_section(f"`{index['index_name']}`", names, rows, note=note))
    return "\n".join(sections)


def sample_items() -> Iterator[ShopItem]:
    """Yield a customer, an open and a delivered order, and a product in nested categories."""
    yield profile_item("alex", Account(password="…", joined_at=START))  # noqa: S106 - no password
    for number, (status, days) in enumerate([(Status.APPROVED, 1), (Status.DELIVERED, 3)]):
        item, dependents = order_items_of(_order(number, status, days), shard=2, edge_shards=2)
        yield item
        yield from dependents
    lamp = NewProduct("lamp", "Desk lamp", ("desk-lamps",), unit_price_cents=1_999, currency="EUR")
    tree = CategoryTree.of(
        [NewCategory("light", "Lamps & light"), NewCategory("desk-lamps", "Desk lamps", "light")]
    )
    path = tree.path("desk-lamps")
    yield product_item(lamp, path=path)
    yield from product_edges(lamp, names=tree.names, shards=2)
    for step in (path[:1], path):
        yield category_item(step, shards=2)
        yield parent_edge(step)


def _order(number: int, status: Status, days: int) -> NewOrder:
    placed_at = START + timedelta(days=30 * number)
    moved_at = placed_at + timedelta(days=days)
    return NewOrder(
        id=imported_order_id(placed_at, f"sample {number}"),
        username="alex",
        placed_at=placed_at,
        lines=(NewLine("lamp", "Desk lamp", 1 + number, 1_999),),
        history=(StatusChange(Status.PLACED, placed_at), StatusChange(status, moved_at)),
        currency="EUR",
        foreign_id=None if number else "a4591c26",
    )


def _section(title: str, names: Sequence[str], rows: Sequence[Item], *, note: str) -> str:
    shown = [*names, *(name for name in KEYS if name not in names)]
    roles = dict(zip(names, ("partition key", "sort key"), strict=True))
    held = [row for row in rows if all(name in row for name in names)]
    ordered = sorted(held, key=lambda row: [row[name]["S"] for name in names])
    lines = [
        _line(f"`{name}` ({roles.get(name, 'table key')})" for name in shown),
        "|" + "---|" * len(shown),
        *(_line(_cell(row[name]["S"]) for name in shown) for row in ordered),
    ]
    return "\n".join([f"### {title}", "", note, "", *lines, ""])


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return f"`{text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + '…'}`"
