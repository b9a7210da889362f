"""The catalogue and the orders in the site's API (docs/api.md)."""

from collections.abc import Collection
from dataclasses import replace
from datetime import date
from decimal import Decimal
from http import HTTPStatus
from typing import Annotated, Literal

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from ninja import Field, Query, Router, Schema
from ninja.errors import HttpError
from pydantic import BeforeValidator, StringConstraints, WithJsonSchema

from dynapages import ninja
from dynapages.calls import clock
from dynapages.django.callers import Scope
from dynapages.django.paging import Pager
from dynapages.django.refusals import Refusal
from dynapages.files.identifiers import IDENTIFIER
from dynapages.lists import PageRequest, PageResult
from dynapages.ninja import IdText, Listing, ListOf, Moment, PageOf, caller_of, lists
from shop.accounts.rate_limits import count_order_change
from shop.basket.delivery import chosen_pickup
from shop.catalogue import editing, tiles
from shop.catalogue import queries as catalogue
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.listing import category_pager, search_pager
from shop.catalogue.search import find_products, parse_search
from shop.catalogue.views import NO_SUCH_PRODUCT
from shop.days import BadListFilter, Days, parse_day
from shop.order_status import ENDS, OPEN, Status
from shop.orders import queries as orders
from shop.orders import views as order_views
from shop.orders.entries import OrderEntry, WholeOrder, money
from shop.orders.filters import OrderFilter
from shop.orders.forms import LONGEST_REASON
from shop.orders.items import MOST_LINES, MOST_OF_A_PRODUCT, NewPickup
from shop.orders.listing import OrderList, queue_pager, total_of
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_order
from shop.orders.placing import OrderRefused, place_order
from shop.pickup.queries import NoSuchPoint

ERRORS: dict[type[Exception], tuple[HTTPStatus, object]] = {
    tiles.NoSuchProduct: (HTTPStatus.NOT_FOUND, gettext_lazy(NO_SUCH_PRODUCT)),
    tiles.NoSuchCategory: (HTTPStatus.NOT_FOUND, gettext_lazy("There is no such category.")),
    orders.NoSuchOrder: (HTTPStatus.NOT_FOUND, gettext_lazy(order_views.NO_SUCH_ORDER)),
    NoSuchPoint: (
        HTTPStatus.CONFLICT,
        gettext_lazy("That pickup point no longer exists. Please choose another."),
    ),
    editing.Changed: (HTTPStatus.CONFLICT, None),
    editing.CategoryRefused: (HTTPStatus.CONFLICT, None),
    OrderRefused: (HTTPStatus.CONFLICT, None),
    OrderMoved: (HTTPStatus.CONFLICT, None),
    MoveNotAllowed: (HTTPStatus.CONFLICT, None),
}
"""For `dynapages.ninja.ProblemAPI`."""
router = Router(tags=["shop"])
READ = ninja.KEY_OR_NOBODY
OWN = ninja.KeyAuth(Scope.READ)
WRITE = ninja.KeyAuth(Scope.WRITE)
STAFF = ninja.KeyAuth(Scope.STAFF)

Money = Annotated[
    Decimal,
    WithJsonSchema({"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$", "examples": ["18.50"]}),
]
"""In the currency's main unit."""
Day = Annotated[date, BeforeValidator(parse_day)]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=300, pattern=r"[^\s\u0000]")
]
NewId = Annotated[str, StringConstraints(pattern=IDENTIFIER)]


# What the catalogue's operations take and return


class CategoryLink(Schema):
    """A category by its name."""

    slug: str
    name: str
    url: str


class CategoryOut(CategoryLink):
    """A category with those it lies in, from the root."""

    trail: list[CategoryLink]


class ProductOut(Schema):
    """A product; one without a price cannot be bought."""

    id: str
    name: str
    url: str
    price: Money | None = Field(validation_alias="unit_price")
    currency: str
    image: str


class WholeProductOut(ProductOut):
    """A product with its description and categories; staff change the ``version``.

    Only they see the ``external_id``, and the price of one that ``is_off``.
    """

    description: str
    categories: list[CategoryLink]
    is_off: bool
    external_id: str | None = None
    version: str | None = None


class WholeCategoryOut(CategoryOut):
    """A category with those in it; staff change the ``version``.

    ``copies_wait`` after a change that further products and categories follow in a moment.
    """

    children: list[CategoryLink]
    is_off: bool
    version: str | None = None
    copies_wait: bool = False


class ProductIn(Schema):
    """A product as it is to be, from the ``version`` that was read, empty for a new one.

    One that ``is_off`` is in no list and not sold.
    """

    name: Name
    description: str = Field("", max_length=5_000)
    price: str | None = Field(None, pattern=r"^[0-9]{1,10}(\.[0-9]{1,2})?$", examples=["18.50"])
    currency: str | None = Field(None, pattern=r"^[A-Z]{3}$")
    categories: list[IdText] = Field([], max_length=editing.MOST_CATEGORIES)
    external_id: IdText | None = None
    is_off: bool = False
    version: str = Field("", max_length=32)


class CategoryIn(Schema):
    """A category as it is to be, from the ``version`` that was read, empty for a new one.

    ``parent`` is the slug of the one that it lies in. One that ``is_off`` is in no list.
    """

    name: Name
    parent: IdText | None = None
    is_off: bool = False
    version: str = Field("", max_length=32)


# What the operations on orders take and return


class OrderOut(Schema):
    """An order; lists are sorted by ``date``.

    That is when it entered its status where statuses are chosen, else when it was placed.
    """

    id: str
    url: str
    username: str
    status: Status
    date: Moment
    placed: Moment
    total: Money
    currency: str
    item_count: int
    foreign_id: str


class LineOut(Schema):
    """A product in an order, as it was then."""

    product_id: str
    name: str
    quantity: int
    unit_price: Money


class StepOut(Schema):
    """A status that an order entered."""

    status: Status
    moment: Moment
    reason: str


class WholeOrderOut(OrderOut):
    """An order with its history and up to 100 of its lines, from ``first_line`` on."""

    lines: list[LineOut] = Field(validation_alias="items")
    first_line: int
    line_count: int
    history: list[StepOut]
    pickup: NewPickup | None


class LineIn(Schema):
    """So many pieces of a product."""

    product_id: IdText
    quantity: int = Field(1, ge=1, le=MOST_OF_A_PRODUCT)


class OrderIn(Schema):
    """An order at today's prices, to the door or to a pickup point."""

    lines: list[LineIn] = Field(min_length=1, max_length=MOST_LINES)
    pickup_point: IdText | None = None


class MoveIn(Schema):
    """A move between two statuses, with a reason where it ends the order."""

    source: Status
    target: Status
    reason: str = Field("", max_length=LONGEST_REASON)


class Chosen(Schema):
    """Statuses, and UTC days from ``since`` up to but not ``until``; ``open`` excludes statuses."""

    status: list[Status] = Field([], max_length=len(Status))
    since: Day | None = None
    until: Day | None = None
    open: bool = False


class Queued(Schema):
    """Open statuses, and UTC days of placing from ``since`` up to but not ``until``."""

    status: list[Literal[Status.PLACED, Status.APPROVED, Status.PROCESSING]] = Field(
        [], max_length=len(OPEN)
    )
    since: Day | None = None
    until: Day | None = None


# The catalogue


@router.get("/categories", response=Listing[CategoryOut], auth=READ)
@lists
def list_categories(request: HttpRequest) -> ListOf[tiles.CategoryNode]:
    """List all categories by name, each followed by those in it."""
    return ListOf(Pager("", "categories/tree"), catalogue.list_all_categories, catalogue.PLAN)


@router.get("/categories/{slug}/products", response=Listing[ProductOut], auth=READ)
@lists
def list_products(
    request: HttpRequest, slug: IdText, order: catalogue.ProductOrder | None = None
) -> ListOf[tiles.ProductTile]:
    """List a category's products by id, by name, or by price those that have one."""
    plan = "products of a category" if order is None else catalogue.PLAN

    def read(page_request: PageRequest) -> PageResult[tiles.ProductTile]:
        return catalogue.read_category(slug, page_request, order=order)

    return ListOf(category_pager(slug, order), read, plan)


@router.get("/search", response=Listing[ProductOut], auth=READ)
@lists
def search_products(
    request: HttpRequest,
    q: Annotated[str, Query(max_length=200)] = "",
    by: Annotated[str, Query(max_length=200)] = "",
) -> ListOf[tiles.ProductTile]:
    """List products by the beginnings of words of their names; links add ``by``."""
    typed = " ".join(q.split())
    words = parse_search(typed)

    def read(page_request: PageRequest) -> PageOf[tiles.ProductTile]:
        result = find_products(words, page_request, leading=by)
        pager = search_pager(typed, words, result.leading)  # the next page need not try each word
        return PageOf(result.items, result.page, pager=pager)

    return ListOf(search_pager(typed, words, by), read, "words of names")


@router.get("/products", response=Listing[ProductOut], auth=READ)
@lists
def all_products(request: HttpRequest) -> ListOf[tiles.ProductTile]:
    """List all products by name."""
    return ListOf(Pager("", "products/all"), catalogue.list_all_products, catalogue.PLAN)


@router.get("/products/{product_id}", response=WholeProductOut, auth=READ)
def get_product(request: HttpRequest, product_id: IdText) -> WholeProductOut:
    """Return a product."""
    if not caller_of(request).allows(Scope.STAFF):
        return WholeProductOut.model_validate(catalogue.find_product(product_id))
    # Staff change what they read: an older version would be refused.
    stored = editing.find_editable(product_id)  # as of the last write
    content = stored.content
    product = tiles.product_in(product_id, [stored.node])
    shown = WholeProductOut.model_validate(replace(product, description=content.description))
    shown.version = stored.version
    shown.external_id = content.external_id
    shown.currency = content.currency or ""
    if content.unit_price_cents is not None:
        shown.price = money(content.unit_price_cents)
    return shown


@router.put("/products/{product_id}", response=WholeProductOut, auth=STAFF)
def save_product(request: HttpRequest, product_id: NewId, body: ProductIn) -> object:
    """Create or change a product, take it off or put it back."""
    if (body.price is None) is not (body.currency is None):
        raise Refusal(_("A price needs its currency, and a currency its price."))
    cents = None
    if body.price is not None:
        cents = int(Decimal(body.price).scaleb(2))
    product = NewProduct(
        product_id,
        category_slugs=tuple(body.categories),
        unit_price_cents=cents,
        **body.dict(exclude={"price", "categories", "version"}),
    )
    editing.save_product(product, version=body.version)
    return get_product(request, product_id)


@router.get("/categories/{slug}", response=WholeCategoryOut, auth=READ)
def get_category(request: HttpRequest, slug: IdText) -> WholeCategoryOut:
    """Return a category."""
    is_staff = caller_of(request).allows(Scope.STAFF)
    shown = WholeCategoryOut.model_validate(catalogue.find_category(slug, consistent=is_staff))
    if is_staff:
        shown.version = editing.find_editable_category(slug).version
    return shown


@router.put("/categories/{slug}", response=WholeCategoryOut, auth=STAFF)
def save_category(request: HttpRequest, slug: NewId, body: CategoryIn) -> object:
    """Create, rename or move a category, take it off or put it back."""
    category = NewCategory(slug, body.name, body.parent, body.is_off)
    is_done = editing.save_category(category, version=body.version)
    shown = get_category(request, slug)
    # The answer is right already, but not yet all that lies below.
    shown.copies_wait = not is_done
    return shown


# Orders


@router.get("/orders", response=Listing[OrderOut], auth=OWN)
@lists
def own_orders(request: HttpRequest, chosen: Query[Chosen]) -> ListOf[OrderEntry]:
    """List the orders of the key's user, newest first."""
    return _orders_of(_user(request), chosen)


@router.get("/staff/customers/{username}/orders", response=Listing[OrderOut], auth=STAFF)
@lists
def customer_orders(
    request: HttpRequest, username: IdText, chosen: Query[Chosen]
) -> ListOf[OrderEntry]:
    """List a customer's orders, newest first."""
    return _orders_of(username, chosen)


@router.get("/staff/orders", response=Listing[OrderOut], auth=STAFF)
@lists
def open_orders(request: HttpRequest, chosen: Query[Queued]) -> ListOf[OrderEntry]:
    """List the open orders of all customers, oldest first."""
    statuses = _statuses_in_order(chosen.status)
    if statuses == OPEN:  # all of them: no filter
        statuses = ()
    order_filter = _filter(chosen, statuses, open_only=False)

    def read(page_request: PageRequest) -> PageOf[OrderEntry]:
        return _page_of(orders.list_open_orders(order_filter, page_request), order_filter)

    return ListOf(queue_pager(order_filter), read)


def _orders_of(username: str, chosen: Chosen) -> ListOf[OrderEntry]:
    """Return the list of a customer's orders; reading it raises Http404 without such a customer."""
    order_filter = _filter(chosen, _statuses_in_order(chosen.status), open_only=chosen.open)

    def read(page_request: PageRequest) -> PageOf[OrderEntry]:
        result = orders.read_orders(username, order_filter, page_request)
        has_orders = any(result.counts.values())
        if not has_orders:
            order_views.require_customer(username)
        return _page_of(result, order_filter)

    return ListOf(OrderList(username, "").pager(order_filter), read)


def _statuses_in_order(statuses: Collection[Status]) -> tuple[Status, ...]:
    return tuple(status for status in Status if status in statuses)


def _filter(
    chosen: Chosen | Queued, statuses: tuple[Status, ...], *, open_only: bool
) -> OrderFilter:
    """Return the filter of a list of orders. Raises Refusal."""
    try:
        return OrderFilter(statuses, Days(chosen.since, chosen.until), open_only=open_only)
    except BadListFilter as error:
        raise Refusal(str(error)) from error


def _page_of(result: orders.OrdersResult, chosen: OrderFilter) -> PageOf[OrderEntry]:
    """Build a page of orders with their total, as far as the counts have it."""
    total = total_of(chosen, result.counts)
    return PageOf(result.items, result.page, total, result.plan.name)


def _user(request: HttpRequest) -> str:
    """Return the key's user. Raises HttpError 403 for a key of nobody."""
    username = caller_of(request).user_id
    if not username:
        raise HttpError(HTTPStatus.FORBIDDEN, _("This key has no user: make one with --user."))
    return username


@router.get("/orders/{order_id}", response=WholeOrderOut, auth=OWN)
def get_order(
    request: HttpRequest, order_id: IdText, first_line: Annotated[int, Query(ge=1, le=10**6)] = 1
) -> WholeOrder:
    """Return an order with its lines, by its id or its foreign id; staff find anybody's."""

    def is_of_staff() -> bool:
        return caller_of(request).allows(Scope.STAFF)

    # Asked only where the order is not the user's own, as staff find any.
    return orders.find_order(
        order_id,
        username=_user(request),
        sees_all=is_of_staff,
        first_line=first_line,
    )


def _count_change(request: HttpRequest) -> None:
    """Count a change of the orders of the key's user as pages do; those by staff are not."""
    if not caller_of(request).allows(Scope.STAFF):
        count_order_change(request, _user(request))


@router.post("/orders", response={201: WholeOrderOut}, auth=WRITE)
def place(request: HttpRequest, body: OrderIn) -> object:
    """Place an order for the key's user."""
    # A product may be on several lines; the order has it on one.
    basket: dict[str, int] = {}
    for line in body.lines:
        basket[line.product_id] = basket.get(line.product_id, 0) + line.quantity
    if max(basket.values()) > MOST_OF_A_PRODUCT:
        raise Refusal(_("The quantity must be from 1 to %(most)s.") % {"most": MOST_OF_A_PRODUCT})
    _count_change(request)
    order_id = place_order(
        username=_user(request),
        client_id=ninja.token_of(request).hex(),
        basket=basket,
        pickup=chosen_pickup(body.pickup_point or ""),
        now=clock.now(),
    )
    return get_order(request, order_id)


@router.post("/orders/{order_id}/moves", response=WholeOrderOut, auth=WRITE)
def move(request: HttpRequest, order_id: IdText, body: MoveIn) -> object:
    """Move an order from the status it was seen in to another."""
    caller = caller_of(request)
    is_staff = caller.allows(Scope.STAFF)
    reason = ""
    if body.target in ENDS:
        reason = body.reason.replace("\r\n", "\n").strip()
    _count_change(request)
    move_order(
        username=orders.owner_of(order_id) if is_staff else caller.user_id,
        order_id=order_id,
        source=body.source,
        target=body.target,
        is_staff=is_staff,
        who=caller.user_id,
        reason=reason,
        now=clock.now(),
    )
    return get_order(request, order_id)
