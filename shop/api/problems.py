"""The errors of the shop as problems of an API, each of a type with a stable code."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy

from dynapages.django.refusals import Refusal
from dynapages.ninja import ProblemType
from shop.catalogue import editing, tiles
from shop.catalogue.views import NO_SUCH_PRODUCT
from shop.orders import queries as orders
from shop.orders import views as order_views
from shop.orders.moving import MoveNotAllowed, OrderMoved
from shop.orders.placing import OrderRefused
from shop.pickup.queries import NoSuchPoint

NO_PRODUCT = ProblemType("no-such-product", HTTPStatus.NOT_FOUND, "There is no such product.")
NO_CATEGORY = ProblemType("no-such-category", HTTPStatus.NOT_FOUND, "There is no such category.")
NO_ORDER = ProblemType(
    "no-such-order", HTTPStatus.NOT_FOUND, "There is no such order, or it is somebody else's."
)
NO_PICKUP_POINT = ProblemType(
    "no-such-pickup-point", HTTPStatus.CONFLICT, "The pickup point does not exist any more."
)
CATALOGUE_CHANGED = ProblemType(
    "catalogue-changed",
    HTTPStatus.CONFLICT,
    "The product or category is not the version any more that was to be changed.",
)
CATEGORY_REFUSED = ProblemType(
    "category-refused", HTTPStatus.CONFLICT, "The category cannot lie where it was to be put."
)
ORDER_REFUSED = ProblemType(
    "order-refused", HTTPStatus.CONFLICT, "What was ordered cannot be sold as it was ordered."
)
ORDER_MOVED = ProblemType(
    "order-moved", HTTPStatus.CONFLICT, "The order is not in the status any more it was seen in."
)
MOVE_NOT_ALLOWED = ProblemType(
    "move-not-allowed", HTTPStatus.CONFLICT, "No order moves from this status to that one."
)
NO_USER = ProblemType(
    "key-without-user", HTTPStatus.FORBIDDEN, "The key has no user, whose orders it could be."
)


class KeyWithoutUser(Refusal):
    """A key of nobody was sent for what is a user's."""

    problem_type = NO_USER


PROBLEM_TYPES = (NO_USER,)
"""Of errors that are refusals themselves."""
ERRORS: dict[type[Exception], tuple[ProblemType, object]] = {
    tiles.NoSuchProduct: (NO_PRODUCT, gettext_lazy(NO_SUCH_PRODUCT)),
    tiles.NoSuchCategory: (NO_CATEGORY, gettext_lazy("There is no such category.")),
    orders.NoSuchOrder: (NO_ORDER, gettext_lazy(order_views.NO_SUCH_ORDER)),
    NoSuchPoint: (
        NO_PICKUP_POINT,
        gettext_lazy("That pickup point no longer exists. Please choose another."),
    ),
    editing.Changed: (CATALOGUE_CHANGED, None),
    editing.CategoryRefused: (CATEGORY_REFUSED, None),
    OrderRefused: (ORDER_REFUSED, None),
    OrderMoved: (ORDER_MOVED, None),
    MoveNotAllowed: (MOVE_NOT_ALLOWED, None),
}
"""For `dynapages.ninja.ProblemAPI`."""
