"""The plain shape of orders and lines: their fields, and the columns and statuses of a file."""

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from dynapages.files.columns import BadMapping, columns_among
from dynapages.files.dates import DateFormats
from dynapages.files.records import Record
from dynapages.files.values import ValueRules
from shop.data.amounts import AS_WRITTEN, AmountRules
from shop.order_status import Status

_PRESETS = Path(__file__).parent / "presets.toml"
KNOWN_STATUSES = {
    Status.PLACED: ("created", "new", "open", "pending", "pending payment", "on hold"),
    Status.APPROVED: ("paid", "confirmed", "invoiced"),
    Status.PROCESSING: ("in process", "in progress", "packed"),
    Status.SHIPPED: ("sent", "dispatched", "in transit"),
    Status.DELIVERED: ("complete", "completed", "fulfilled"),
    Status.CANCELED: ("cancelled", "failed", "voided", "unavailable"),
    Status.RETURNED: ("refunded",),
}
Statuses = Mapping[str, Status | None]
"""What a file's statuses mean, in lower case; None means that the dates of an order decide."""
Join = Callable[[Record], Record]
"""Adds to a record what other files say of it."""
DATES = {status: f"{status.value.lower()}_at" for status in Status}
"""The fields that say when an order entered its statuses, such as ``placed_at``."""
PICKUP = ("pickup_id", "pickup_name", "pickup_address", "pickup_hours")
ADDRESS = (
    *("address_name", "address_lines", "address_postal_code"),
    *("address_city", "address_region", "address_country"),
)
ORDER_FIELDS = (
    "order_id",
    "customer",
    "status",
    *DATES.values(),
    "history",
    "currency",
    "zip",
    "foreign_id",
    "id_prefix",
    "customer_external_id",
    *PICKUP,
    *ADDRESS,
)
LINE_FIELDS = (
    *("product_id", "product_name", "category", "quantity", "unit_price", "discount"),
    *("line_total", "listed_as", "product_external_id"),
)
"""Of a line, besides its ``order_id``."""
LINE_NUMBER = "line_number"
"""The number of a line in its order, of files all of whose lines have one."""


def status_of(text: str, mapped: Statuses) -> Status | None:
    """Return the status that a file calls ``text``, None if the dates tell it.

    WooCommerce's prefix ``wc-`` is ignored. Raises KeyError if it is unknown.
    """
    lower = text.lower()
    if lower in mapped:
        return mapped[lower]
    # “wc-on-hold” and “ON_HOLD” are “on hold”.
    plain = lower.removeprefix("wc-").replace("-", " ").replace("_", " ")
    for status, names in KNOWN_STATUSES.items():
        if plain == status.value.lower() or plain in names:
            return status
    raise KeyError(text)


def columns_of(fields: Iterable[str], named: Mapping[str, str]) -> dict[str, list[str]]:
    """Return the column of each field, of which some are ``named`` otherwise, or not there."""
    columns: dict[str, list[str]] = {}
    for name in fields:
        column = named.get(name, name)
        columns[name] = [column] if column else []
    return columns


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """Return the known exports, by name: their ``columns`` and ``statuses``, and ``about``."""
    return tomllib.loads(_PRESETS.read_text(encoding="utf-8"))


def _unchanged(record: Record) -> Record:
    return record


@dataclass(frozen=True, slots=True)
class Shape:
    """Which columns of files hold which fields of orders and lines, and what values mean.

    ``columns`` are those of fields in the first file, or the only one, and ``line_columns`` those
    in the second file or in the nested lists named ``lines_in``; an empty column means that a
    field is not there. ``constants`` are the values of fields where a row has none; ``amounts``
    is how these are written; ``line_rules`` are those of values in nested lists. HTML in names
    becomes text unless ``keep_html``. ``join_order`` and ``join_line`` add to a record what other
    files tell of it, and may raise RowRefused.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    line_columns: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, str] = field(default_factory=dict)
    statuses: Statuses = field(default_factory=dict)
    dates: DateFormats = field(default_factory=DateFormats)
    lines_in: str | None = None
    amounts: AmountRules = AS_WRITTEN
    line_rules: ValueRules | None = None
    keep_html: bool = False
    are_lines_numbered: bool = False
    join_order: Join = _unchanged
    join_line: Join = _unchanged

    @property
    def line_fields(self) -> tuple[str, ...]:
        """The fields of a line, besides its ``order_id``."""
        return (*LINE_FIELDS, LINE_NUMBER) if self.are_lines_numbered else LINE_FIELDS

    @property
    def needs_status(self) -> bool:
        """Whether each order needs a status: not where ``status=`` says that there are none."""
        return self.columns.get("status") != ""

    def require_orders(self, present: Sequence[str], *, with_lines: bool) -> None:
        """Raise BadMapping unless a file of orders, maybe with their lines, has its columns."""
        needed = ["order_id", "customer", "placed_at", "currency"]
        fields = list(ORDER_FIELDS)
        if self.needs_status:
            needed.append("status")
        if with_lines:
            needed += _needed_of_lines(present, self.columns)
            fields += LINE_FIELDS
        self._require(present, self.columns, fields, needed)

    def require_lines(self, present: Sequence[str]) -> None:
        """Raise BadMapping unless a file of lines, or a nested list of them, has its columns."""
        order_id = [] if self.lines_in else ["order_id"]
        needed = [*order_id, *_needed_of_lines(present, self.line_columns)]
        self._require(present, self.line_columns, [*order_id, *self.line_fields], needed)

    def _require(
        self,
        present: Sequence[str],
        columns: Mapping[str, str],
        fields: Sequence[str],
        needed: Collection[str],
    ) -> None:
        """Raise BadMapping unless a file has the ``needed`` columns, and all that are named."""
        required = {name for name in needed if name not in self.constants}
        column_of: dict[str, str] = {}
        for name in fields:
            column = columns.get(name, name)
            if column:
                column_of[name] = column
        without_column = sorted(required - column_of.keys())
        if without_column:
            name = without_column[0]
            raise BadMapping(f"The field “{name}” needs a column, or a value by --set.")
        # A column that was named must be there as well.
        named = columns.keys() & column_of.keys()
        columns_among(present, column_of, needed=required | named)


def _needed_of_lines(present: Collection[str], columns: Mapping[str, str]) -> list[str]:
    needed = ["product_id", "quantity"]
    if columns.get("line_total", "line_total") not in present:
        needed.append("unit_price")
    return needed
