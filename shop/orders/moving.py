"""Moves of orders from status to status, and orders that are too large for one transaction.

A move is conditional on the status it leaves, so of two at once one fails. Keys, history, counts
and the purchases that “also bought” counts change with the status in one transaction.

A large order becomes visible with its own item, which the last transaction puts. Those before it
write the lines, which nothing leads to yet, and *staged* edges to the products that the customer
did not buy before: these count once their order is there. All of them require the token in the
order's *draft*. Whoever takes a draft over, the same import again or a check that deletes what is
left, replaces the token, and shuts the writer before out. The last transaction deletes the draft.

No transaction can change all edges either when such an order is put, delivered or sent back. It is
*unsettled* in that transaction, and until `settle` changed its edges: a process that ends meanwhile
leaves the mark, by which an import, the same move or a check finds what is to be done.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from secrets import token_urlsafe

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from dynapages.calls import clock, in_chunks
from dynapages.items import Item, table_key
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import write
from dynapages.pynamodb import unchanged, update
from dynapages.writes import (
    MOST_ACTIONS,
    Action,
    ConditionFailed,
    Contended,
    Deltas,
    check,
    delete,
)
from shop import keys
from shop.catalogue.items import also_bought, nearest_to, purchase_data
from shop.catalogue.queries import DERIVED, purchase_updates
from shop.models import Order, OrderDraft, OrderItem, Purchase, ShopItem
from shop.order_status import Move, Status, may_move
from shop.orders.actions import DERIVED as ORDER_KEYS
from shop.orders.actions import deltas_of, log_order, put_actions, tell_moved
from shop.orders.items import (
    NewOrder,
    StatusChange,
    derived_keys,
    history_entry,
    moment_in,
    order_items_of,
)
from shop.orders.queries import NoSuchOrder, every_line, owner_of, stored_order
from shop.table import (
    OPEN_ORDERS,
    Key,
    key_of,
    put_of,
    read_items,
    set_or_remove,
    write_with_counts,
)

COUNTERS = 2
"""Actions of the counts of a customer and of the queue."""
MOST_PURCHASES = MOST_ACTIONS - COUNTERS - 1
"""Edges that the transaction of a move can change."""
AT_ONCE = MOST_ACTIONS - 1
"""Items in a transaction beside the check of a draft or an order."""
ABANDONED_AFTER = timedelta(minutes=1)
"""How long after it was begun or resumed an order that is still a draft counts as left behind."""
_ATTEMPTS = 5


def new_token() -> str:
    """Return a mark for an order that is to be settled, unlike all before."""
    return token_urlsafe(9)


def write_in_parts(order: NewOrder, deltas: Deltas) -> None:
    """Write an order of any size with its counts; where it was interrupted, what is left of it.

    Raises ConditionFailed with the number 0 and the order that is stored by its id, or with the
    number 1 if another order has its foreign id, and what `dynapages.writes.transactions` raises.
    """
    _until_unchanged(lambda: _write(order, deltas))
    settle(order.username, order.id)


def _write(order: NewOrder, deltas: Deltas) -> None:
    item, dependents = order_items_of(order, shard=OPEN_ORDERS.pick())
    lines = [one for one in dependents if isinstance(one, OrderItem)]
    edges = [one for one in dependents if isinstance(one, Purchase)]
    pointers = [one for one in dependents if not isinstance(one, OrderItem | Purchase)]
    _require_absent(item, pointers)
    item.unsettled = new_token()
    token = _take_draft(order)
    for some in in_chunks(lines, AT_ONCE):
        _write_for(order.id, token, [put_of(line) for line in some])
    for staged in in_chunks(edges, AT_ONCE):
        _write_for(order.id, token, list(_staged(staged)))
    actions = [*put_actions([item, *pointers]).values(), _draft_deletion(order.id, token)]
    write_with_counts(actions, deltas)


class _Refused(ConditionFailed):
    """No further attempt can help."""


def _until_unchanged(attempt: Callable[[], None]) -> None:
    """Write until nobody else changed what was read. Raises Contended after the last attempt."""
    for _attempt in range(_ATTEMPTS):
        try:
            return attempt()
        except _Refused:
            raise
        except ConditionFailed:
            continue
    raise Contended


def _require_absent(order: Order, pointers: Sequence[ShopItem]) -> None:
    wanted = [(one.pk, one.sk) for one in (order, *pointers[:1])]
    found = read_items(wanted)
    if stored := found.get(wanted[0]):
        raise _Refused({0: stored})
    if found:
        discard(order.sk.removeprefix(keys.ORDER_PREFIX))
        raise _Refused({1: {}})


def _take_draft(order: NewOrder) -> str:
    """Create the draft of an order, or take over that of an earlier attempt; return its token."""
    content = repr((order.username, order.lines)).encode()
    digest = blake2b(content, digest_size=12).hexdigest()
    key = draft_key(order.id)
    stored = read_items([key]).get(key, {})
    if stored and stored["digest"]["S"] != digest:  # the file was changed since
        discard(order.id)
        _delete_staged(order.username, order.id)
        stored = {}
    draft = OrderDraft(
        pk=key[0],
        sk=key[1],
        token=new_token(),
        digest=digest,
        line_count=len(order.lines),
        since=timestamp(clock.now()),
    )
    write([put_of(draft, unchanged(stored, OrderDraft.pk, OrderDraft.token))])
    token: str = draft.token
    return token


def _write_for(order_id: str, token: str, actions: Sequence[Action]) -> None:
    if actions:
        is_ours = OrderDraft.token == token
        write([check(OrderDraft, table_key(*draft_key(order_id)), is_ours), *actions])


def _staged(edges: Sequence[Purchase]) -> Iterator[Action]:
    """Yield puts of those edges that the customer does not have."""
    found = read_items((edge.pk, edge.sk) for edge in edges)
    orders = read_items(
        (edge["pk"]["S"], keys.order(edge["order_id"]["S"]))
        for edge in found.values()
        if "is_staged" in edge
    )
    for edge in edges:
        seen = found.get((edge.pk, edge.sk), {})
        # An edge that an interrupted import staged, of an order that is not there, is none.
        counts = "is_staged" not in seen or (edge.pk, keys.order(seen["order_id"]["S"])) in orders
        if seen and (counts or seen["order_id"]["S"] == edge.order_id):
            continue
        staged = Purchase(
            pk=edge.pk, sk=edge.sk, username=edge.username, order_id=edge.order_id, is_staged=True
        )
        same = unchanged(seen, Purchase.pk, Purchase.order_id, Purchase.is_staged)
        yield put_of(staged, same)


def discard(order_id: str) -> bool:
    """Delete what is left of an order that is still a draft; return whether there is a draft.

    Staged edges are left: nothing of theirs is visible. Raises ConditionFailed if its writer went
    on meanwhile.
    """
    key = draft_key(order_id)
    seen = read_items([key]).get(key)
    if seen is None:
        return False
    token = new_token()
    own = table_key(*key)
    same = unchanged(seen, OrderDraft.token)
    write([update(OrderDraft, own, [OrderDraft.token.set(token)], same)])
    kept = _lines_stored(order_id)
    numbers = range(kept + 1, int(seen["line_count"]["N"]) + 1)
    for some in in_chunks(numbers, AT_ONCE):
        line_keys = [table_key(keys.item(order_id, n), keys.order(order_id)) for n in some]
        _write_for(order_id, token, [delete(OrderItem, line) for line in line_keys])
    write([_draft_deletion(order_id, token)])
    return True


def _lines_stored(order_id: str) -> int:
    """Return how many lines the visible order of this id has: a later file may have fewer."""
    try:
        order = stored_order(owner_of(order_id), order_id)
    except NoSuchOrder:
        return 0
    return int(order.line_count)


def _delete_staged(username: str, order_id: str) -> None:
    edges = Purchase.query(
        keys.user(username),
        Purchase.sk.startswith(keys.bought(username, "")),
        filter_condition=(Purchase.order_id == order_id) & Purchase.is_staged.exists(),
        consistent_read=True,
    )
    for edge in edges:
        delete_staged((edge.pk, edge.sk), order_id)


def delete_staged(key: Key, order_id: str) -> None:
    """Delete an edge that an order staged. Raises ConditionFailed if it is another's by now."""
    is_staged = (Purchase.order_id == order_id) & Purchase.is_staged.exists()
    write([delete(Purchase, table_key(*key), is_staged)])


def is_abandoned(draft: Item) -> bool:
    """Return whether nobody took a draft over for so long that its writer was interrupted."""
    return parse_timestamp(draft["since"]["S"]) <= clock.now() - ABANDONED_AFTER


def settle(username: str, order_id: str) -> None:
    """Make the edges to the products of an unsettled order what its status asks for.

    An edge stays with a later order of the product. Costs up to 6 capacity units for each product:
    one is for reading it. Raises what `dynapages.writes.transactions` raises.
    """
    _until_unchanged(lambda: _settle(username, order_id))


def _settle(username: str, order_id: str) -> None:
    order = Order.find(keys.user(username), keys.order(order_id))
    if order is None or order.unsettled is None:
        return
    products = dict.fromkeys(line["product_id"]["S"] for line in every_line(order))
    nearest = nearest_to(products, ())
    key = table_key(order.pk, order.sk)
    same = (Order.unsettled == order.unsettled) & (Order.status == order.status)
    for some in in_chunks(products, AT_ONCE):
        status = Status(order.status)
        if actions := list(_settling(username, order_id, some, nearest, status=status)):
            write([check(Order, key, same), *actions])
    write([update(Order, key, [Order.unsettled.remove()], same)])


def _settling(
    username: str,
    order_id: str,
    product_ids: Sequence[str],
    nearest: Sequence[str],
    *,
    status: Status,
) -> Iterator[Action]:
    found = read_items((keys.user(username), keys.bought(username, one)) for one in product_ids)
    is_delivered = status is Status.DELIVERED
    for key, edge in found.items():  # of an erased customer there are none
        product_id = key[1].removeprefix(keys.bought(username, ""))
        of_order, is_staged = edge["order_id"]["S"], "is_staged" in edge
        is_listed = all(name in edge for name in DERIVED)
        is_settled = of_order == order_id and is_listed is is_delivered
        if not is_staged and (is_settled or of_order > order_id):
            continue
        also = also_bought(product_id, nearest)
        values: dict[str, object] = {"also": also} if also else {}
        if is_delivered:
            values |= purchase_data(username, product_id, moment_in(order_id))
        changes = [
            Purchase.order_id.set(order_id),
            Purchase.is_staged.remove(),
            *set_or_remove(Purchase, ("also", *DERIVED), values),
        ]
        same = unchanged(edge, Purchase.order_id, Purchase.is_staged)
        yield update(Purchase, table_key(*key_of(edge)), changes, same)


def draft_key(order_id: str) -> Key:
    """Return the key of the draft of an order."""
    key = keys.draft(order_id)
    return key, key


def _draft_deletion(order_id: str, token: str) -> Action:
    return delete(OrderDraft, table_key(*draft_key(order_id)), OrderDraft.token == token)


MOMENT = timedelta(microseconds=1)
"""The precision of a history."""


class MoveRefused(ValueError):
    """An order was not moved; the text says why."""


class MoveNotAllowed(MoveRefused):
    """There is no such move, or this user may not make it."""


class OrderMoved(MoveRefused):
    """The order is in another status by now."""

    sentence = gettext_noop("Order %(id)s is already %(status)s, so it was not changed.")

    def __init__(self, order_id: str, current: Status) -> None:
        super().__init__(_(self.sentence) % {"id": order_id, "status": current.in_words})
        self.current = current


class MovedByAnother(OrderMoved):
    """The order is in the wanted status, but by somebody else's move."""

    sentence = gettext_noop("Order %(id)s was already %(status)s by somebody else.")


MOVER_CHARACTERS = 16


def mover_of(order_id: str, who: str) -> str:
    """Return what an order's history knows a user by, empty for a command.

    It is no name, so that the history need not be searched when a user is erased, and differs from
    order to order; with another SECRET_KEY nobody is known again.
    """
    digest = salted_hmac("shop.orders.mover", f"{order_id}/{who}", algorithm="sha256").hexdigest()
    return digest[:MOVER_CHARACTERS] if who else ""


def move_order(
    *,
    username: str,
    order_id: str,
    source: Status,
    target: Status,
    is_staff: bool,
    who: str = "",
    reason: str = "",
    now: datetime,
) -> None:
    """Move a customer's order from the status ``source`` to ``target``.

    ``who`` is the user name for the activity log; ``reason`` is for the order's history. A move is
    later than all before it, whatever ``now`` is. The same move again by the same user changes
    nothing. Raises MoveNotAllowed, NoSuchOrder, MovedByAnother when the same move is somebody
    else's, and OrderMoved when the order is in neither status.
    """
    if not may_move(source, target, is_staff=is_staff):
        sentence = _("You cannot move an order from “%(source)s” to “%(target)s”.")
        raise MoveNotAllowed(sentence % {"source": source.label, "target": target.label})
    order = stored_order(username, order_id)
    mover = mover_of(order_id, who)
    if [change.status for change in order.history[-2:]] == [source, target]:
        _require_mover(order, mover, order_id)
        if order.unsettled:  # the process that moved it was interrupted
            settle(username, order_id)
        return
    if order.status != source:
        raise OrderMoved(order_id, Status(order.status))
    now = max(now, parse_timestamp(order.history[-1].at) + MOMENT)
    change = StatusChange(target, now, reason=reason, mover=mover)
    try:
        write_move(_status_update(order, source, change), order, source=source, target=target)
    except ConditionFailed as failure:
        there = failure.failed[0]
        if not there:
            raise NoSuchOrder(order_id) from failure
        found = Order.from_raw_data(dict(there))
        if found.status != target:
            raise OrderMoved(order_id, Status(found.status)) from failure
        _require_mover(found, mover, order_id)
        return
    log_order(order_id=order_id, username=username, who=who, source=source, target=target, at=now)
    tell_moved(order_id, username, source, target, at=now, by=who)


def _status_update(order: Order, source: Status, target: StatusChange) -> Action:
    """Build the update of an order to a status, if it is still in ``source``."""
    derived = derived_keys(
        order_id=order.sk.removeprefix(keys.ORDER_PREFIX),
        now_in=target,
        placed_at=parse_timestamp(order.placed_at),
        shard=int(order.shard),
    )
    unsettled = unsettled_by(order, source, target.status)
    changes = [
        Order.status.set(target.status.value),
        Order.history.set(Order.history.append([history_entry(target)])),
        *set_or_remove(Order, ORDER_KEYS, derived),
        *([Order.unsettled.set(unsettled)] if unsettled else []),
    ]
    key = table_key(order.pk, order.sk)
    return update(Order, key, changes, Order.status == source.value, return_item=True)


def unsettled_by(order: Order, source: Status, target: Status) -> str | None:
    """Return a new mark for an order of more purchases than a move can change, else None."""
    has_many = int(order.line_count) > MOST_PURCHASES
    return new_token() if has_many and Status.DELIVERED in {source, target} else None


def _require_mover(order: Order, mover: str, order_id: str) -> None:
    """Raise MovedByAnother unless the latest move was the mover's: their form was sent again."""
    if (order.history[-1].mover or "") != mover:
        raise MovedByAnother(order_id, Status(order.status))


def write_move(change: Action, order: Order, *, source: Status, target: Status) -> None:
    """Write the change of an order to another status, with its counts and purchases.

    Those of an order that is `unsettled_by` the move, which ``change`` must say, are changed by
    further transactions. Raises ConditionFailed by the condition of ``change``, number 0, and what
    `dynapages.writes.transactions` raises.
    """
    username = keys.username_in(order.pk)
    deltas = deltas_of(username, left=source, entered=target)
    if unsettled_by(order, source, target):
        write_with_counts([change], deltas, may_spread=True)
        settle(username, order.sk.removeprefix(keys.ORDER_PREFIX))
        return
    purchases = _purchases(order, source, target)
    while True:
        try:
            write_with_counts([change, *purchases], deltas, may_spread=True)
        except ConditionFailed as failure:
            if 0 in failure.failed:
                raise
            # These products were ordered again, or their customer was erased.
            purchases = [each for n, each in enumerate(purchases, 1) if n not in failure.failed]
        else:
            return


def _purchases(order: Order, source: Status, target: Status) -> list[Action]:
    if Status.DELIVERED not in {source, target}:
        return []
    order_id = order.sk.removeprefix(keys.ORDER_PREFIX)
    return purchase_updates(
        [line["product_id"]["S"] for line in every_line(order)],
        username=keys.username_in(order.pk),
        order_id=order_id,
        moment=moment_in(order_id),
        delivered=target is Status.DELIVERED,
    )


@dataclass(frozen=True, slots=True)
class Moved:
    """The outcome for one of several orders; ``refusal`` is empty when it was moved.

    ``by_another`` says that somebody else had moved it to the same status.
    """

    order_id: str
    refusal: str = ""
    by_another: bool = False


def move_orders(order_ids: Sequence[str], move: Move, *, who: str, now: datetime) -> list[Moved]:
    """Move several orders of any customers as staff, each in its own transaction."""
    moved = []
    for order_id in dict.fromkeys(order_ids):
        refusal, by_another = "", False
        try:
            move_order(
                username=owner_of(order_id),
                order_id=order_id,
                source=move.source,
                target=move.target,
                is_staff=True,
                who=who,
                now=now,
            )
        except MoveRefused as error:
            refusal, by_another = str(error), isinstance(error, MovedByAnother)
        except NoSuchOrder:
            refusal = _("There is no order %(id)s.") % {"id": order_id}
        moved.append(Moved(order_id, refusal, by_another))
    return moved
