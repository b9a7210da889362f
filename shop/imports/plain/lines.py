"""Parsing of an order's lines. All of it raises RowRefused."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP

from dynamo.files.records import RowRefused
from shop.imports.names import Names
from shop.imports.plain.fields import Texts, cents, fraction, needed, pieces
from shop.orders.items import MOST_LINES, NewLine


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A row of a line: ``total_cents`` are for all pieces; "" where a name or category is missing.

    ``called`` is the product's id as the file has it.
    """

    product_id: str
    called: str
    name: str
    category: str
    quantity: int
    total_cents: int


def parse_line(texts: Texts, names: Names) -> PlainLine:
    """Parse a line, whose total is given, or follows from price, number and discount."""
    called = needed(texts, "product_id")
    quantity = pieces(texts, "quantity")
    if "line_total" in texts:
        total = cents(texts, "line_total")
    else:
        whole = cents(texts, "unit_price") * quantity
        total = int((whole * (1 - fraction(texts, "discount"))).to_integral_value(ROUND_HALF_UP))
    return PlainLine(
        product_id=names.product(called),
        called=called,
        name=texts.get("product_name", ""),
        category=texts.get("category", ""),
        quantity=quantity,
        total_cents=total,
    )


def merge_lines(lines: Iterable[PlainLine]) -> tuple[NewLine, ...]:
    """Build an order's lines: one for all pieces of a product at one price.

    A total that is no multiple of the number of pieces becomes two lines, a cent apart, so that
    the sum is exact.
    """
    found: dict[tuple[str, str, int], int] = {}
    for line in lines:
        price, rest = divmod(line.total_cents, line.quantity)
        for quantity, at in ((line.quantity - rest, price), (rest, price + 1)):
            if quantity:
                key = line.product_id, line.name or line.called, at
                found[key] = found.get(key, 0) + quantity
    if len(found) > MOST_LINES:
        raise RowRefused(f"it has {len(found)} different products, more than {MOST_LINES}")
    return tuple(
        NewLine(product_id=product_id, name=name, quantity=quantity, unit_price_cents=at)
        for (product_id, name, at), quantity in found.items()
    )
