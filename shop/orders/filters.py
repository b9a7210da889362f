"""The filter of a list of orders, as a value and in URLs, and the access pattern that answers it.

A range of days is a range of each run, in the same index, bounded by the run's status
(docs/orders.md).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Self
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from dynapages.lists import Index, Position, Run, id_at, timestamp
from shop import keys
from shop.days import ALL_DAYS, BadListFilter, Days
from shop.models import Order
from shop.order_status import OPEN, Status
from shop.orders.ids import id_bound
from shop.table import BY_KEY, TABLE


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
            chosen = ()
        return cls(chosen, Days.parse(since, until), open_only=bool(is_open))

    @property
    def query(self) -> str:
        """The canonical query of the filter's URL."""
        return urlencode(self.pairs)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The names and values of the canonical query."""
        pairs = [("status", status.value) for status in self.statuses]
        pairs += [("open", "1")] if self.open_only else []
        return pairs + self.days.pairs

    @property
    def shape(self) -> dict[str, int]:
        """How much it restricts, in numbers, for the log."""
        days = len(self.days.pairs)
        return {"statuses": len(self.statuses), "days": days, "open": int(self.open_only)}

    def toggle(self, status: Status) -> Self:
        """Add or remove a status."""
        changed = {*self.statuses} ^ {status}
        statuses = tuple(one for one in Status if one in changed)
        return replace(self, statuses=statuses, open_only=False)

    def in_any_status(self) -> Self:
        return replace(self, statuses=(), open_only=False)

    def only_open(self) -> Self:
        return replace(self, statuses=(), open_only=not self.open_only)

    def on_any_day(self) -> Self:
        return replace(self, days=ALL_DAYS)


def _statuses(values: Iterable[str], among: Sequence[Status]) -> tuple[Status, ...]:
    chosen = [value for value in values if value]
    for value in chosen:
        if value not in among:
            allowed = ", ".join(status.value for status in among)
            sentence = _("There is no status “%(status)s” here: choose from %(allowed)s.")
            raise BadListFilter(sentence % {"status": value, "allowed": allowed})
    return tuple(status for status in Status if status in chosen)


def _sort_key(position: Position) -> dict[str, str]:
    return {"sk": keys.order(id_at(position.place))}


_of_user = partial(Index, TABLE, partition="pk", table_key=_sort_key)
BY_STATUS = _of_user(Order.by_status.Meta.index_name, sort="order_status_date")
BY_OPEN_DATE = _of_user(Order.open_by_date.Meta.index_name, sort="order_open_date", consistent=True)
QUEUE = Index(
    TABLE,
    Order.queue.Meta.index_name,
    partition="open_shard",
    sort="open_place",
    table_key=lambda position: {"pk": keys.user(position.rest), **_sort_key(position)},
    rest_of=lambda item: keys.username_in(item["pk"]["S"]),
)
"""The place in the queue has the order's id; the rest of the table key is the customer."""


def _bounds(
    chosen: OrderFilter, *, place_at: Callable[[datetime], str]
) -> tuple[str | None, str | None]:
    since, until = (None if moment is None else place_at(moment) for moment in chosen.days.moments)
    return since, until


@dataclass(frozen=True, slots=True)
class OrderPlan:
    """The runs that one list is merged from."""

    name: str
    runs: tuple[Run, ...]


def plan_for_user(username: str, chosen: OrderFilter) -> OrderPlan:
    """Plan a list of a user's orders."""

    def plan(
        name: str, index: Index, *prefixes: str, place_at: Callable[[datetime], str] = timestamp
    ) -> OrderPlan:
        partition, bounds = keys.user(username), _bounds(chosen, place_at=place_at)
        return OrderPlan(name, tuple(Run(index, partition, one, *bounds) for one in prefixes))

    if chosen.open_only:
        return plan("open_by_date", BY_OPEN_DATE, "")
    if chosen.statuses:
        return plan("orders_by_status", BY_STATUS, *map(keys.status_prefix, chosen.statuses))
    return plan("orders_by_user", BY_KEY, keys.ORDER_PREFIX, place_at=id_bound)


def plan_for_queue(chosen: OrderFilter, *, shards: int) -> OrderPlan:
    """Plan the shop's open orders, in all open statuses when none is chosen, by days of placing."""
    since, until = _bounds(chosen, place_at=timestamp)
    runs = [
        Run(QUEUE, keys.open_shard(status, shard), since=since, until=until)
        for status in chosen.statuses or OPEN
        for shard in range(shards)
    ]
    return OrderPlan("open_orders", tuple(runs))
