"""The filter of a list of orders, as a value and in URLs, and the access pattern that answers it.

A range of days is a range of each run, in the same index, bounded by the run's status
(docs/orders.md).
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Self
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from dynapages.items import Item
from dynapages.lists import Index, Position, Run, id_at, timestamp
from shop import keys
from shop.days import ALL_DAYS, BadListFilter, Days
from shop.models import Order
from shop.order_status import OPEN, Status
from shop.orders.ids import id_bound
from shop.table import BY_KEY, TABLE


def _order_key(position: Position) -> dict[str, str]:
    return {"sk": keys.order(id_at(position.place))}


def _queue_key(position: Position) -> dict[str, str]:
    return {"pk": keys.user(position.rest), **_order_key(position)}


def _customer_in(item: Item) -> str:
    return keys.username_in(item["pk"]["S"])


BY_STATUS = Index(
    TABLE,
    Order.by_status.Meta.index_name,
    partition="pk",
    sort="order_status_date",
    table_key=_order_key,
)
BY_OPEN_DATE = Index(
    TABLE,
    Order.open_by_date.Meta.index_name,
    partition="pk",
    sort="order_open_date",
    table_key=_order_key,
    consistent=True,
)
QUEUE = Index(
    TABLE,
    Order.queue.Meta.index_name,
    partition="open_shard",
    sort="open_place",
    table_key=_queue_key,
    rest_of=_customer_in,
)
"""The place in the queue has the order's id; the rest of the table key is the customer."""


@dataclass(frozen=True, slots=True)
class OrderFilter:
    """Statuses (none means any), and days.

    With statuses the days are when orders entered their status, else when they were placed.
    ``open_only`` lists open orders, strongly read; it excludes ``statuses``.
    """

    statuses: tuple[Status, ...] = ()
    days: Days = ALL_DAYS
    open_only: bool = False

    def __post_init__(self) -> None:
        if self.open_only and self.statuses:
            raise BadListFilter(_("Choose either open orders or statuses, not both."))

    @classmethod
    def parse(
        cls,
        *,
        statuses: Iterable[str] = (),
        since: str = "",
        until: str = "",
        is_open: str = "",
        among: Sequence[Status] = tuple(Status),
    ) -> Self:
        """Parse a URL's values; a day is ``YYYY-MM-DD``, or empty. Raises BadListFilter.

        Statuses must be ``among`` those of the list: all of the queue's are the same as none.
        """
        if is_open not in {"", "1"}:
            raise BadListFilter(_("“open” must be 1, not “%(value)s”.") % {"value": is_open})
        chosen = _statuses(statuses, among)
        if chosen == OPEN == among:
            chosen = ()  # one address for one list
        return cls(chosen, Days.parse(since, until), open_only=bool(is_open))

    @property
    def query(self) -> str:
        """The canonical query of the filter's URL."""
        return urlencode(self.pairs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names and values of the canonical query."""
        pairs = [("status", status.value) for status in self.statuses]
        if self.open_only:
            pairs.append(("open", "1"))
        return pairs + self.days.pairs

    @property
    def shape(self) -> dict[str, int]:
        """How much it restricts, in numbers, for the log."""
        days = len(self.days.pairs)
        return {"statuses": len(self.statuses), "days": days, "open": int(self.open_only)}

    def toggle(self, status: Status) -> Self:
        """Add or remove a status."""
        changed = {*self.statuses} ^ {status}
        return replace(self, statuses=_in_order(changed), open_only=False)

    def in_any_status(self) -> Self:
        return replace(self, statuses=(), open_only=False)

    def only_open(self) -> Self:
        return replace(self, statuses=(), open_only=not self.open_only)

    def on(self, days: Days) -> Self:
        return replace(self, days=days)

    def on_any_day(self) -> Self:
        return self.on(ALL_DAYS)


def _statuses(values: Iterable[str], among: Sequence[Status]) -> tuple[Status, ...]:
    """Return the statuses in values of a URL, each once. Raises BadListFilter for others."""
    chosen: list[str] = []
    for value in values:
        if not value:  # an empty field of a form
            continue
        if value not in among:
            allowed = ", ".join(status.value for status in among)
            sentence = _("There is no status “%(status)s” here: choose from %(allowed)s.")
            raise BadListFilter(sentence % {"status": value, "allowed": allowed})
        chosen.append(value)
    return _in_order(chosen)


def _in_order(statuses: Collection[str]) -> tuple[Status, ...]:
    """Return statuses in the order in which an order passes them, each once."""
    return tuple(status for status in Status if status in statuses)


@dataclass(frozen=True, slots=True)
class OrderPlan:
    """The runs that one list is merged from."""

    name: str
    runs: tuple[Run, ...]


def plan_for_user(username: str, chosen: OrderFilter) -> OrderPlan:
    """Plan a list of a user's orders."""
    partition = keys.user(username)
    if chosen.open_only:
        since, until = _bounds(chosen, timestamp)
        return OrderPlan("open_by_date", (Run(BY_OPEN_DATE, partition, "", since, until),))
    if chosen.statuses:
        since, until = _bounds(chosen, timestamp)
        prefixes = [keys.status_prefix(status) for status in chosen.statuses]
        runs = [Run(BY_STATUS, partition, prefix, since, until) for prefix in prefixes]
        return OrderPlan("orders_by_status", tuple(runs))
    since, until = _bounds(chosen, id_bound)  # an id begins with the moment of placing
    run = Run(BY_KEY, partition, keys.ORDER_PREFIX, since, until)
    return OrderPlan("orders_by_user", (run,))


def plan_for_queue(chosen: OrderFilter, *, shards: int) -> OrderPlan:
    """Plan the shop's open orders, in all open statuses when none is chosen, by days of placing."""
    since, until = _bounds(chosen, timestamp)
    runs: list[Run] = []
    for status in chosen.statuses or OPEN:
        for shard in range(shards):
            partition = keys.open_shard(status, shard)
            runs.append(Run(QUEUE, partition, since=since, until=until))
    return OrderPlan("open_orders", tuple(runs))


def _bounds(
    chosen: OrderFilter, place_at: Callable[[datetime], str]
) -> tuple[str | None, str | None]:
    """Return where the chosen days begin and end in an index, None for no bound."""
    since, until = chosen.days.moments
    return _bound(since, place_at), _bound(until, place_at)


def _bound(moment: datetime | None, place_at: Callable[[datetime], str]) -> str | None:
    if moment is None:
        return None
    return place_at(moment)
