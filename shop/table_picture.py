"""A picture of the table ``shop`` and its indexes with a few rows, drawn from the code itself.

The rows are built by the functions that every write uses, and the indexes are read from the
models, so that the picture in the documentation cannot tell anything else than the table does.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

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
from shop.orders.items import NewLine, NewOrder, StatusChange, order_items_of, wire

KEYS = ("pk", "sk")
START = datetime(2023, 1, 1, 9, 30, tzinfo=UTC)
LONGEST_CELL = 74


def picture() -> str:
    """Draw the table and each index as Markdown tables, a row for each item with its keys."""
    rows = list({(item.pk, item.sk): wire(item) for item in sample_items()}.values())
    schema = ShopItem._get_schema()  # noqa: SLF001 - the only way to a model's declaration
    indexes = [("LSI", index) for index in schema["local_secondary_indexes"]]
    indexes += [("GSI", index) for index in schema["global_secondary_indexes"]]
    sections = [_section("The table", KEYS, rows, note="Every item.")]
    sections += [_index_section(index, kind, rows) for kind, index in indexes]
    return "\n".join(sections)


def sample_items() -> Iterator[ShopItem]:
    """Return a customer with an open and a shipped order, and a product in a category of another."""
    yield profile_item("alex", Account(password="…", joined_at=START))  # noqa: S106 - no password
    for order in _orders():
        item, dependents = order_items_of(order, shard=2, edge_shards=2)
        yield item
        yield from dependents
    yield from _catalogue()


def _catalogue() -> Iterator[ShopItem]:
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


def _orders() -> Iterator[NewOrder]:
    for number, (status, days) in enumerate([(Status.SHIPPED, 3), (Status.APPROVED, 1)]):
        placed_at = START + timedelta(days=30 * number)
        yield NewOrder(
            id=imported_order_id(placed_at, f"sample {number}"),
            username="alex",
            placed_at=placed_at,
            lines=(NewLine("lamp", "Desk lamp", 1 + number, 1_999),),
            history=(
                StatusChange(Status.PLACED, placed_at),
                StatusChange(status, placed_at + timedelta(days=days)),
            ),
            currency="EUR",
            foreign_id=None if number else "a4591c26",
        )


def _index_section(index: Mapping[str, Any], kind: str, rows: Sequence[Item]) -> str:
    schema = sorted(index["key_schema"], key=lambda part: part["KeyType"])
    names = tuple(part["AttributeName"] for part in schema)
    projected = index["projection"]["NonKeyAttributes"]
    note = f"{kind}. Besides its keys it holds {', '.join(f'`{name}`' for name in projected)}."
    found = [row for row in rows if all(name in row for name in names)]
    return _section(f"`{index['index_name']}`", names, found, note=note)


def _section(title: str, names: tuple[str, ...], rows: Sequence[Item], *, note: str) -> str:
    shown = (*names, *(name for name in KEYS if name not in names))
    ordered = sorted(rows, key=lambda row: [row[name]["S"] for name in names])
    lines = [
        f"### {title}",
        "",
        f"{note}",
        "",
        f"| {' | '.join(_headings(names, shown))} |",
        "|" + "---|" * len(shown),
        *(f"| {' | '.join(_cell(row, name) for name in shown)} |" for row in ordered),
        "",
    ]
    return "\n".join(lines)


def _headings(names: Sequence[str], shown: Sequence[str]) -> list[str]:
    roles = dict(zip(names, ("partition key", "sort key"), strict=True))
    return [f"`{name}` ({roles.get(name, 'table key')})" for name in shown]


def _cell(row: Item, name: str) -> str:
    text = row[name]["S"]
    return f"`{text if len(text) <= LONGEST_CELL else text[:LONGEST_CELL] + '…'}`"
