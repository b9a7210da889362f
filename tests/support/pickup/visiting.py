"""The page of pickup points, and what is on it."""

from shop.orders.items import NewOrder
from tests.support.comments.browsing import Shown


def page_of(order: NewOrder) -> str:
    return f"/orders/{order.id}/pickup/"


def near(spot: tuple[float, float]) -> str:
    return f"?near={spot[0]:.6f}, {spot[1]:.6f}"


def ids(shown: Shown) -> list[str]:
    return [element["data-point-id"] for element in shown.page.all("li", data_point_id=True)]
