"""Orders: lists of them, one with its lines, placing and moving."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import Query
from ninja import Status as WithStatus

from dynapages import ninja
from dynapages.calls import clock
from dynapages.django.attempts import is_second_attempt
from dynapages.django.callers import Scope
from dynapages.django.refusals import Refusal
from dynapages.lists import PageRequest
from dynapages.ninja import (
    ListOf,
    PageOf,
    api_address,
    caller_of,
    conflict,
    lists,
    problem,
)
from dynapages.process import pool
from shop.accounts.rate_limits import order_change_counted
from shop.addresses.address import NewAddress
from shop.addresses.checking import BadAddress, checked_address
from shop.addresses.forms import tidy_lines
from shop.api import problems
from shop.api.problems import KeyWithoutUser
from shop.api.routing import OWN, STAFF, WRITE, router
from shop.api.shapes import (
    Chosen,
    Customer,
    FirstLine,
    MoveIn,
    MoveRefusal,
    OrderId,
    OrderIn,
    OrderListing,
    OrderRefusal,
    Queued,
    WholeOrderOut,
)
from shop.basket.delivery import read_pickup
from shop.days import BadListFilter, Days
from shop.order_status import ENDS, OPEN, Status, moves_from
from shop.orders import queries as orders
from shop.orders import views as order_views
from shop.orders.entries import OrderEntry, WholeOrder
from shop.orders.filters import OrderFilter
from shop.orders.items import MOST_OF_A_PRODUCT
from shop.orders.listing import OrderList, queue_pager, total_of
from shop.orders.moving import MoveNotAllowed, OrderMoved, move_stored_order
from shop.orders.placing import NotSold, place_read_basket, read_basket
from shop.orders.refs import OrderRef


@router.get("/orders", response=OrderListing, auth=OWN)
@lists
def own_orders(request: HttpRequest, chosen: Query[Chosen]) -> ListOf[OrderEntry]:
    """List the orders of the key's user, newest first."""
    return _orders_of(_user(request), chosen)


@router.get("/staff/customers/{username}/orders", response=OrderListing, auth=STAFF)
@lists
def customer_orders(
    request: HttpRequest, username: Customer, chosen: Query[Chosen]
) -> ListOf[OrderEntry]:
    """List a customer's orders, newest first."""
    return _orders_of(username, chosen)


@router.get("/staff/orders", response=OrderListing, auth=STAFF)
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
    """Return the key's user. Raises KeyWithoutUser for a key of nobody."""
    username = caller_of(request).user_id
    if not username:
        raise KeyWithoutUser(_("This key has no user: make one with --user."))
    return username


@router.get("/orders/{order_id}", response=WholeOrderOut, auth=OWN)
def get_order(request: HttpRequest, order_id: OrderId, first_line: FirstLine = 1) -> WholeOrder:
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


@contextmanager
def _change_counted(request: HttpRequest) -> Iterator[None]:
    """Count a change of the orders of the key's user as pages do, while the block reads.

    Not those by staff, and not a second attempt at one, which is counted already.
    """
    is_staff = caller_of(request).allows(Scope.STAFF)
    if is_staff or is_second_attempt(request):
        yield
        return
    with order_change_counted(request, _user(request)):
        yield


@router.post(
    "/orders",
    response={HTTPStatus.CREATED: WholeOrderOut, HTTPStatus.CONFLICT: OrderRefusal},
    auth=WRITE,
)
def place(request: HttpRequest, response: HttpResponse, body: OrderIn) -> object:
    """Place an order for the key's user."""
    # A product may be on several lines; the order has it on one.
    basket: dict[str, int] = {}
    for line in body.lines:
        basket[line.product_id] = basket.get(line.product_id, 0) + line.quantity
    if max(basket.values()) > MOST_OF_A_PRODUCT:
        raise Refusal(_("The quantity must be from 1 to %(most)s.") % {"most": MOST_OF_A_PRODUCT})
    address = _address_of(body)
    with _change_counted(request), pool().together() as together:
        choice = together.start(read_pickup, body.pickup_point or "")
        read = read_basket(
            username=_user(request), client_id=ninja.token_of(request).hex(), basket=basket
        )
        pickup = choice.result()
    try:
        placed = place_read_basket(read, pickup=pickup.require(), address=address, now=clock.now())
    except NotSold as error:
        return problem(problems.PRODUCT_NOT_SOLD, error, product_ids=error.product_ids)
    response["Location"] = api_address(request, "get_order", placed.id)
    # One that was placed before may have been moved since: it is read.
    order = placed.written or get_order(request, placed.id)
    return WithStatus(HTTPStatus.CREATED, order)


def _address_of(body: OrderIn) -> NewAddress | None:
    """Return the address that an order is to go to. Raises Refusal."""
    if body.address is None:
        return None
    if body.pickup_point is not None:
        raise Refusal(_("An order goes to an address or to a pickup point: leave one of them out."))
    typed = body.address
    address = NewAddress(
        name=typed.name.strip(),
        lines=tidy_lines(typed.lines),
        postal_code=typed.postal_code.strip(),
        city=typed.city.strip(),
        region=typed.region.strip(),
        country=typed.country,
    )
    try:
        return checked_address(address)
    except BadAddress as error:
        parts = [f"address.{part}: {sentence}" for part, sentence in error.problems.items()]
        raise Refusal(" ".join(parts)) from error


@router.post(
    "/orders/{order_id}/moves",
    response={HTTPStatus.OK: WholeOrderOut, HTTPStatus.CONFLICT: MoveRefusal},
    auth=WRITE,
)
def move(request: HttpRequest, order_id: OrderId, body: MoveIn) -> object:
    """Move an order from the status it was seen in to another."""
    caller = caller_of(request)
    is_staff = caller.allows(Scope.STAFF)
    reason = body.reason.replace("\r\n", "\n").strip()
    if reason and body.target not in ENDS:
        sentence = _("A reason is kept where an order is cancelled or returned: leave it out here.")
        raise Refusal(sentence)
    with _change_counted(request):
        owner = orders.find_owner(order_id) if is_staff else caller.user_id
        order = orders.find_stored_order(OrderRef(order_id, owner or ""))
    if order is None:
        raise orders.NoSuchOrder(order_id)

    def whole_order() -> WholeOrder:
        # Whose it is is known by now, also where it is not the key's user's.
        return orders.find_order(order_id, username=owner)

    try:
        move_stored_order(
            order,
            source=body.source,
            target=body.target,
            is_staff=is_staff,
            who=caller.user_id,
            reason=reason,
            now=clock.now(),
        )
    except MoveNotAllowed as error:
        moves = moves_from(body.source, is_staff=is_staff)
        allowed = [each.target for each in moves]
        return problem(problems.MOVE_NOT_ALLOWED, error, allowed=allowed)
    except OrderMoved as error:
        current = WholeOrderOut.model_validate(whole_order(), context={"request": request})
        return conflict(request, problems.ORDER_MOVED, error, current)
    return whole_order()
