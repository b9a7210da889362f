"""A list of one user's orders as its page shows it: tabs, dates, and the URLs around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynamo.lists.reader import PageRequest
from dynamo.web.paging import Pager
from dynamo.web.toggles import Toggle
from shop.order_status import OPEN, Status
from shop.orders.entries import OrderEntry
from shop.orders.filters import OrderFilter
from shop.orders.queries import OrderPage


@dataclass(frozen=True, slots=True)
class OrderListing:
    """A page of a list, and the ways from it to its neighbours.

    ``form_hidden`` is what the form of the dates has to carry along.
    """

    orders: Sequence[OrderEntry]
    tabs: Sequence[Toggle]
    all_statuses: Toggle
    open_orders: Toggle
    from_date: str
    to_date: str
    clear_dates_url: str | None
    form_hidden: Sequence[tuple[str, str]]
    form_action: str
    older_url: str | None
    newer_url: str | None
    first_url: str
    is_first: bool


@dataclass(frozen=True, slots=True)
class OrderList:
    """A user's orders at an address, ``/orders/`` or the staff's for that customer."""

    username: str
    address: str

    def url(self, chosen: OrderFilter) -> str:
        """Give the canonical URL of the list narrowed to something."""
        return f"{self.address}?{chosen.query}" if chosen.query else self.address

    def pager(self, chosen: OrderFilter) -> Pager:
        """Give the pages of the list; its tokens are bound to the user and the filter."""
        list_name = f"orders/{self.username}?{chosen.query}"
        return Pager(first_url=self.url(chosen), list_name=list_name)

    def listing(
        self,
        chosen: OrderFilter,
        found: OrderPage,
        *,
        request: PageRequest,
        counts: Mapping[Status, int],
    ) -> OrderListing:
        """Arrange a page of the list for its template."""
        pager = self.pager(chosen)
        has_dates = chosen.since is not None or chosen.until is not None
        return OrderListing(
            orders=found.orders,
            tabs=self._tabs(chosen, counts),
            all_statuses=self._all(chosen, counts),
            open_orders=self._open(chosen, counts),
            from_date=chosen.since.isoformat() if chosen.since else "",
            to_date=chosen.until.isoformat() if chosen.until else "",
            clear_dates_url=self.url(chosen.on_any_day()) if has_dates else None,
            form_hidden=chosen.on_any_day().pairs,
            form_action=self.address,
            older_url=pager.next_url(found.page),
            newer_url=pager.previous_url(found.page),
            first_url=pager.first_url,
            is_first=request.position is None,
        )

    def _tabs(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> list[Toggle]:
        return [
            Toggle(
                value=status.value,
                label=status.label,
                url=self.url(chosen.toggle(status)),
                pressed=status in chosen.statuses,
                count=counts[status],
            )
            for status in Status
        ]

    def _all(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> Toggle:
        return Toggle(
            value="~",
            label="All",
            url=self.url(chosen.in_any_status()),
            pressed=not chosen.statuses and not chosen.open_only,
            count=sum(counts.values()),
        )

    def _open(self, chosen: OrderFilter, counts: Mapping[Status, int]) -> Toggle:
        return Toggle(
            value="1",
            label="Open",
            url=self.url(chosen.only_open()),
            pressed=chosen.open_only,
            count=sum(counts[status] for status in OPEN),
        )
