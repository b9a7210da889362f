"""The forms of basket, orders, queue and pickup points."""

from functools import partial

from shop.order_status import Status
from shop.orders.items import NewOrder
from shop.pickup.bulk_writes import put_points
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint
from tests.support.chance import unique
from tests.support.forms.cast import (
    Cast,
    Form,
    form_of,
    form_to,
    lamp,
    oldest_orders,
    order_of,
    typed,
)
from tests.support.markup import Element
from tests.support.orders.addresses import TYPED

MOVED_TOGETHER = 20
PLACE = (38.7139, -9.1394)


# The basket


def put_into_basket(cast: Cast) -> Form:
    return form_of(cast.author, "/basket/add/", {"product_id": lamp(), "quantity": "2"})


def change_quantity(cast: Cast) -> Form:
    product_id = _put(cast)
    return form_of(cast.author, "/basket/change/", {"product_id": product_id, "quantity": "3"})


def take_out(cast: Cast) -> Form:
    return form_of(cast.author, "/basket/remove/", {"product_id": _put(cast)})


def _put(cast: Cast) -> str:
    product_id = lamp()
    cast.author.send("/basket/add/", {"product_id": product_id, "quantity": "2"})
    return product_id


def order_again(cast: Cast) -> Form:
    order = order_of(cast.author.username)
    return form_of(cast.author, f"/orders/{order.id}/again/")


# Orders


def place(cast: Cast, *, point_id: str = "") -> Form:
    """Of two products, in a browser of its own: another's basket is not this one's."""
    customer = cast.browser_of(cast.author.username)
    for _ in range(2):
        customer.send("/basket/add/", {"product_id": lamp(), "quantity": "2"})
    page = customer.get("/basket/order/").page
    fields = {**typed(form_to(page, "/basket/place/")), "point": point_id, **TYPED}
    return form_of(customer, "/basket/place/", fields)


def place_to_point(cast: Cast) -> Form:
    return place(cast, point_id=_point().id)


def cancel(cast: Cast) -> Form:
    return _ask(cast, order_of(cast.author.username), "cancel")


def send_back(cast: Cast) -> Form:
    return _ask(cast, order_of(cast.author.username, Status.DELIVERED), "return")


def _ask(cast: Cast, order: NewOrder, what: str) -> Form:
    page = cast.author.get(f"/orders/{order.id}/{what}/").page
    path = f"/orders/{order.id}/move/"
    fields = {**typed(form_to(page, path)), "reason": "No longer needed."}
    return form_of(cast.author, path, fields)


# The queue


def move(cast: Cast, source: Status, target: Status) -> Form:
    """From the order's page."""
    (order,) = oldest_orders(source, number=1)
    shown = cast.staff.get(f"/orders/{order.id}/")
    path, fields = shown.action(order.id, target)
    return form_of(cast.staff, path, fields)


def move_many(cast: Cast) -> Form:
    """As the queue's page has their form."""
    oldest_orders(Status.PLACED, number=MOVED_TOGETHER)
    page = cast.staff.get("/staff/orders/?status=PLACED").page
    form = page.one("form", id="bulk")
    chosen = [box["value"] for box in page.all("input", name="order", form="bulk")]
    assert len(chosen) == MOVED_TOGETHER
    fields = {**typed(form), "order": chosen, "move": Status.APPROVED}
    return form_of(cast.staff, form["action"], fields)


def take_move_back(cast: Cast) -> Form:
    form = move(cast, Status.PROCESSING, Status.SHIPPED)
    shown = cast.staff.post(form.path, form.fields)
    return _undo(cast, shown.page.one("li", class_="message").one("form"))


def take_moves_back(cast: Cast) -> Form:
    form = move_many(cast)
    shown = cast.staff.post(form.path, form.fields)
    return _undo(cast, shown.page.one("form", class_="undo"))


def _undo(cast: Cast, button: Element) -> Form:
    fields = {"undo": button.one("input", name="undo")["value"]}
    return form_of(cast.staff, button["action"], fields)


def move_all(cast: Cast) -> Form:
    """The first step, which moves a page."""
    oldest_orders(Status.PLACED, number=MOVED_TOGETHER)
    page = cast.staff.get("/staff/orders/?status=PLACED").page
    path = page.one("a", class_="bulk-all")["href"]
    form = form_to(cast.staff.get(path).page, path.partition("?")[0])
    return form_of(cast.staff, form["action"], typed(form))


# Pickup points


def choose_point(cast: Cast) -> Form:
    order, point = order_of(cast.author.username), _point()
    return form_of(cast.author, f"/orders/{order.id}/pickup/choose/", {"point": point.id})


def forget_point(cast: Cast) -> Form:
    order, point = order_of(cast.author.username), _point()
    cast.author.send(f"/orders/{order.id}/pickup/choose/", {"point": point.id})
    return form_of(cast.author, f"/orders/{order.id}/pickup/forget/")


def _point() -> PickupPoint:
    place = Coordinates.at(*PLACE)
    point = PickupPoint(unique("point"), "Café Central", "Rua Direita 7", place, "Daily 7-22")
    put_points([point])
    return point


FORMS = {
    "put into the basket": put_into_basket,
    "change a quantity": change_quantity,
    "take out of the basket": take_out,
    "order again": order_again,
    "place an order": place,
    "place an order to a pickup point": place_to_point,
    "cancel an order": cancel,
    "return an order": send_back,
    "move an order": partial(move, source=Status.PLACED, target=Status.APPROVED),
    "move an order to DELIVERED": partial(move, source=Status.SHIPPED, target=Status.DELIVERED),
    "move 20 orders": move_many,
    "take a move back": take_move_back,
    "take 20 moves back": take_moves_back,
    "move all orders, a step of 20": move_all,
    "choose a pickup point": choose_point,
    "forget a pickup point": forget_point,
}
