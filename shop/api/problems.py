"""The errors of the shop as problems of an API, each of a type with a stable code."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy

from dynapages.django.refusals import Refusal
from dynapages.ninja import ProblemType
from shop.catalogue import editing, tiles
from shop.catalogue.views import NO_SUCH_PRODUCT
from shop.orders import queries as orders
from shop.orders import views as order_views
from shop.orders.placing import CurrenciesDiffer
from shop.pickup.queries import NoSuchPoint

NO_PRODUCT = ProblemType("no-such-product", HTTPStatus.NOT_FOUND, "There is no such product.")
NO_CATEGORY = ProblemType("no-such-category", HTTPStatus.NOT_FOUND, "There is no such category.")
NO_ORDER = ProblemType(
    "no-such-order", HTTPStatus.NOT_FOUND, "There is no such order, or it is somebody else's."
)
NO_PICKUP_POINT = ProblemType(
    "no-such-pickup-point", HTTPStatus.CONFLICT, "The pickup point does not exist any more."
)
PRODUCT_EXISTS = ProblemType(
    "product-exists", HTTPStatus.CONFLICT, "There is a product with the id of the new one."
)
PRODUCT_CHANGED = ProblemType(
    "product-changed",
    HTTPStatus.CONFLICT,
    "The product is not the version any more that was to be changed.",
)
CATEGORY_EXISTS = ProblemType(
    "category-exists", HTTPStatus.CONFLICT, "There is a category with the slug of the new one."
)
CATEGORY_CHANGED = ProblemType(
    "category-changed",
    HTTPStatus.CONFLICT,
    "The category is not the version any more that was to be changed.",
)
UNKNOWN_CATEGORY = ProblemType(
    "unknown-category", HTTPStatus.CONFLICT, "A category of the product does not exist."
)
UNKNOWN_PARENT = ProblemType(
    "unknown-parent", HTTPStatus.CONFLICT, "The category's `parent` does not exist, or is off."
)
CATEGORY_NOT_EMPTY = ProblemType(
    "category-not-empty",
    HTTPStatus.CONFLICT,
    "The category has others in it: it cannot be moved or taken off.",
)
CATEGORY_IN_ITSELF = ProblemType(
    "category-in-itself", HTTPStatus.CONFLICT, "The category's `parent` is the category itself."
)
CATEGORY_TOO_DEEP = ProblemType(
    "category-too-deep", HTTPStatus.CONFLICT, "The category's `parent` lies in too many others."
)
CATEGORY_FULL = ProblemType(
    "category-full", HTTPStatus.CONFLICT, "The category's `parent` has too many others in it."
)
PRODUCT_NOT_SOLD = ProblemType(
    "product-not-sold",
    HTTPStatus.CONFLICT,
    "Products of the order, `product_ids`, are not for sale.",
)
CURRENCIES_DIFFER = ProblemType(
    "currencies-differ",
    HTTPStatus.CONFLICT,
    "The products of the order have their prices in several currencies.",
)
ORDER_MOVED = ProblemType(
    "order-moved",
    HTTPStatus.CONFLICT,
    "The order is not in the status any more it was seen in: `current` has it.",
)
MOVE_NOT_ALLOWED = ProblemType(
    "move-not-allowed",
    HTTPStatus.CONFLICT,
    "The key's user moves no order from `source` to `target`: `allowed` has the targets.",
)
NO_USER = ProblemType(
    "key-without-user", HTTPStatus.FORBIDDEN, "The key has no user, whose orders it could be."
)


class KeyWithoutUser(Refusal):
    """A key of nobody was sent for what is a user's."""

    problem_type = NO_USER


PROBLEM_TYPES = (
    NO_USER,
    PRODUCT_EXISTS,
    PRODUCT_CHANGED,
    CATEGORY_EXISTS,
    CATEGORY_CHANGED,
    UNKNOWN_CATEGORY,
    PRODUCT_NOT_SOLD,
    ORDER_MOVED,
    MOVE_NOT_ALLOWED,
)
"""Of errors that are refusals themselves, and of those that an operation answers with more."""
ERRORS: dict[type[Exception], tuple[ProblemType, object]] = {
    tiles.NoSuchProduct: (NO_PRODUCT, NO_SUCH_PRODUCT),
    tiles.NoSuchCategory: (NO_CATEGORY, gettext_lazy("There is no such category.")),
    orders.NoSuchOrder: (NO_ORDER, gettext_lazy(order_views.NO_SUCH_ORDER)),
    NoSuchPoint: (
        NO_PICKUP_POINT,
        gettext_lazy("That pickup point no longer exists. Please choose another."),
    ),
    editing.NoSuchParent: (UNKNOWN_PARENT, None),
    editing.CategoryNotEmpty: (CATEGORY_NOT_EMPTY, None),
    editing.CategoryInItself: (CATEGORY_IN_ITSELF, None),
    editing.CategoryTooDeep: (CATEGORY_TOO_DEEP, None),
    editing.CategoryFull: (CATEGORY_FULL, None),
    CurrenciesDiffer: (CURRENCIES_DIFFER, None),
}
"""For `dynapages.ninja.ProblemAPI`."""
