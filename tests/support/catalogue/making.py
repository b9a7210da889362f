"""Made catalogues and sales, and the plain answers that their lists must agree with."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.names import fold_name
from shop.catalogue.queries import ProductOrder
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.importing import put_orders
from shop.orders.items import NewLine, NewOrder, StatusChange

START = datetime(2024, 3, 1, tzinfo=UTC)
NAMES = ("Lamp", "lamp!", "Lamp shade", "Ärmel", "armband", "Zoo", "émile", "C#", "C", "日本", "!?")
PRICES = (None, 0, 5, 995, 1_000, 1_000, 10_000, 99_999_999)
"""Names and prices of which many are equal, or fold to the same."""


def products_in(slug: str, count: int) -> list[NewProduct]:
    return [
        NewProduct(
            id=f"{slug}{'#' * (number % 3)}{number:03}",
            name=NAMES[number * 7 % len(NAMES)],
            category_slugs=(slug,),
            unit_price_cents=PRICES[number * 5 % len(PRICES)],
            currency="EUR",
        )
        for number in range(count)
    ]


def in_order(products: Sequence[NewProduct], order: ProductOrder) -> list[str]:
    """The ids of products as a list in that order has them."""
    if order is ProductOrder.NAME:
        ordered = sorted(products, key=lambda p: (fold_name(p.name), p.id))
        return [product.id for product in ordered]
    priced = [(p.unit_price_cents, p.id) for p in products if p.unit_price_cents is not None]
    return [i for _, i in sorted(priced, reverse=order is ProductOrder.DEAREST)]


def category(slug: str, parent: str | None = None) -> NewCategory:
    return NewCategory(slug, f"Category {slug}", parent)


def sell(username: str, products: Sequence[str], *, day: int, status: Status) -> None:
    """Place an order of one piece of each product so many days after the start."""
    at = START + timedelta(days=day)
    put_orders(
        [
            NewOrder(
                id=imported_order_id(at, f"{username} {day}"),
                username=username,
                placed_at=at,
                lines=tuple(NewLine(product, product, 1, 100) for product in products),
                history=(StatusChange(status, at),),
                currency="EUR",
            )
        ]
    )
