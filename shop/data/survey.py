"""The first pass of an import of orders: reads or rejects every row.

If one row of an order is rejected, all are. A malformed row may be a line of the order before or
behind it: neither is imported. The rules are in docs/importing.md.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from dynapages.django.forecasts import checking_forecast
from dynapages.django.options import Advance, Progress
from dynapages.files.records import ColumnNames, Record, Rejected, RowRefused
from dynapages.files.reports import RowCounts
from dynapages.files.row_files import OpenRows, RowFile, open_rows
from dynapages.files.values import Skipped
from shop.data.amounts import UNCLEAR, Amounts
from shop.data.fields import field_text
from shop.data.imported_products import Catalogue
from shop.data.names import Names
from shop.data.order_rows import OrderRows
from shop.data.orders import ImportedOrder, RowRef
from shop.data.shape import LINE_FIELDS, Shape
from shop.order_status import Status

_NO_ORDER = "order_id is missing"
_OF_PRODUCTS = ("product_id", "product_name")
"""Fields of which a line of an order has at least one."""
_SHOWN = 40
"""Characters of an order's id that a reason repeats."""


@dataclass(frozen=True, slots=True)
class OrderFiles:
    """A file of orders, and a second one of their lines unless the first has them.

    Only the first ``limit`` orders are read. ``catalogue`` is what other files tell of products,
    and ``counts`` are those of their rows.
    """

    orders: RowFile
    lines: RowFile | None
    shape: Shape
    limit: int | None = None
    names: Names = field(default_factory=Names)
    catalogue: Catalogue | None = None
    counts: Mapping[str, RowCounts] = field(default_factory=dict)

    @property
    def file_names(self) -> list[str]:
        """The names of the files, for reports."""
        paths = [self.orders.path]
        if self.lines is not None:
            paths.append(self.lines.path)
        names = [path.name for path in paths]
        if len(set(names)) < len(names):  # they are in different folders
            return [str(path) for path in paths]
        return names


@dataclass(slots=True)
class SurveyResult:
    """The orders of the files, the oldest first, and the numbers of rows by file.

    Lines of returns are left out, and so are orders that have no others.
    ``assumed_decimal`` is what is before the decimals of amounts, by which unclear ones were read.
    """

    orders: list[ImportedOrder]
    counts: dict[str, RowCounts]
    names: Names
    catalogue: Catalogue | None
    returned_lines: int = 0
    orders_of_returns: int = 0
    assumed_decimal: str | None = None
    amounts: Amounts = field(default_factory=Amounts)
    html_rows: int = 0

    @property
    def statuses(self) -> Counter[Status]:
        """The numbers of orders by status."""
        return Counter(imported.order.now_in.status for imported in self.orders)


def read_order_files(
    files: OrderFiles, *, reject: Callable[[Rejected], object], progress: Progress
) -> SurveyResult:
    """Read the files; call ``reject`` with each rejected row, those of the first file first.

    Where amounts may mean thousands or decimals, and the others all have one mark of decimals, they
    are read again by that. Raises FileUnreadable, and BadMapping for columns that are missing.
    """
    first = _read(files, progress)
    # 22.368 may be thousands, unless all other amounts have points before their cents.
    marks = first.amounts.marks
    clear_marks = marks - {"", UNCLEAR}
    if UNCLEAR not in marks or len(clear_marks) != 1 or files.shape.amounts.decimal:
        return first.result(reject)
    (mark,) = clear_marks
    shape = replace(files.shape, amounts=replace(files.shape.amounts, decimal=mark))
    second = _read(replace(files, shape=shape), progress)
    return replace(second.result(reject), assumed_decimal=mark)


def _read(files: OrderFiles, progress: Progress) -> "_Survey":
    """Read all rows of the files once."""
    size = 0
    for file in (files.orders, files.lines):
        if file is not None and file.path.exists():
            size += file.path.stat().st_size
    survey = _Survey(files, progress)
    with progress.step("Checking", total=size, unit="B") as advance:
        survey.read_orders(advance)
        if files.lines is not None:
            survey.read_lines(files.lines, advance)
    return survey


class _Survey:
    """The orders of files while their rows are read."""

    def __init__(self, files: OrderFiles, progress: Progress) -> None:
        self.amounts = Amounts(files.shape.amounts)
        self._progress = progress
        self._files = files
        self._shape = files.shape
        self._orders: dict[str, OrderRows] = {}
        self._rejected: list[Rejected] = []
        # Rows that belong to no order.
        self._rows: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self._line_columns = ColumnNames()
        # A row that cannot be read may be a line of the order before it or behind it.
        self._neighbour: OrderRows | None = None
        self._incomplete_because = ""
        # Why orders are incomplete of which a row has only the first fields.
        self._broken: dict[str, str] = {}
        self._opened: dict[str, OpenRows] = {}
        # Rows that are rejected because of others.
        self._rows_of_orders: set[RowRef] = set()

    def read_orders(self, advance: Advance) -> None:
        """Read the file of orders, or the only one."""
        shape, name = self._shape, self._files.file_names[0]
        with_lines = self._files.lines is None and not shape.lines_in
        require = partial(shape.require_orders, with_lines=with_lines)
        file = self._files.orders
        for record in self._rows_in(file, name, shape.columns, require, advance=advance):
            row = RowRef(name, record.line)
            if isinstance(record, Rejected):
                self._refuse_broken(record, row, shape.columns)
            elif isinstance(record, Skipped):
                self._skip(record, row)
            else:
                self._add(record, row, with_lines=with_lines)
        # Which columns nested lines have is known when all were read.
        if self._line_columns.columns:
            if shape.line_rules:
                shape.line_rules.require(self._line_columns.columns)
            shape.require_lines(self._line_columns.columns)

    def read_lines(self, file: RowFile, advance: Advance) -> None:
        """Read the second file."""
        columns, name = self._shape.line_columns, self._files.file_names[1]
        self._incomplete_because = ""
        require = self._shape.require_lines
        for file_row in self._rows_in(file, name, columns, require, advance=advance):
            is_skipped = isinstance(file_row, Skipped)
            record = file_row.record if isinstance(file_row, Skipped) else file_row
            row = RowRef(name, record.line)
            # Lines may be in any order: only those around a bad row may belong together.
            if isinstance(record, Rejected):
                self._refuse_broken(record, row, columns)
                continue
            order_id = _order_id(record, columns)
            if not order_id:
                self._refuse_without_order(record, row, columns)
                continue
            order = self._order(order_id, may_be_new=self._files.limit is None)
            if order is None:
                continue
            order.rows.append(row)
            self._remember_neighbour(order)
            if is_skipped:
                order.skip_line(row)
            else:
                order.add_line(record, row, columns)

    def _rows_in(
        self,
        file: RowFile,
        name: str,
        columns: Mapping[str, str],
        require: Callable[[Sequence[str]], None],
        *,
        advance: Advance,
    ) -> Iterator[Record | Rejected | Skipped]:
        """Yield the rows of a file; one whose id of an order is too long is rejected."""
        id_column = columns.get("order_id", "order_id")
        with open_rows(replace(file, require=require)) as opened:
            self._opened[name] = opened
            forecast = checking_forecast(self._progress)
            rows = forecast.of_file(opened.rows, opened.bytes_read, file.path.stat().st_size)
            for row in opened.advancing(rows, advance):
                try:
                    if isinstance(row, Record):  # the id of its order may be no short text
                        field_text("order_id", row.values.get(id_column))
                    yield row
                except RowRefused as refused:
                    yield Rejected(row.line, str(refused))
            if opened.columns and not opened.are_columns_known:
                require(opened.columns)

    def result(self, reject: Callable[[Rejected], object]) -> SurveyResult:
        """Parse the orders, now that all their rows are read."""
        orders: list[ImportedOrder] = []
        for rows in self._orders.values():
            rows.incomplete_because = rows.incomplete_because or self._broken.get(rows.id, "")
            self._count(rows)
            if rows.is_skipped:
                continue
            order = rows.parse()
            if order is None:
                self._rejected.extend(rows.rejected())
                if not rows.faults:
                    self._rows_of_orders.update(rows.rows)
            else:
                orders.append(order)
        # By time, so that of two orders the later one decides about products and purchases.
        orders.sort(key=lambda imported: (imported.order.placed_at, imported.id))
        self._report_rejected(reject)
        of_returns = [rows for rows in self._orders.values() if rows.is_skipped and rows.returned]
        return SurveyResult(
            orders,
            counts={**self._files.counts, **self._counts()},
            names=self._files.names,
            catalogue=self._files.catalogue,
            returned_lines=sum(rows.returned for rows in self._orders.values()),
            orders_of_returns=len(of_returns),
            amounts=self.amounts,
            html_rows=sum(len(rows.html_rows) for rows in self._orders.values()),
        )

    def _count(self, rows: OrderRows) -> None:
        """Add the rows of an order to the numbers of rows of each file."""
        for row in rows.rows:
            self._rows[row.file] += 1
            # A row with a fault is rejected, whether its line was to be skipped or not.
            is_line_skipped = row in rows.skipped and row not in rows.faults
            if rows.is_skipped or is_line_skipped:
                self._skipped[row.file] += 1

    def _report_rejected(self, reject: Callable[[Rejected], object]) -> None:
        files = self._files.file_names
        self._rejected.sort(key=lambda row: (files.index(row.file), row.line))
        for file in files:
            of_file = [rejected for rejected in self._rejected if rejected.file == file]
            of_orders = {row.line for row in self._rows_of_orders if row.file == file}
            for rejected in self._opened[file].explained(of_file, but_not=of_orders):
                reject(rejected)

    def _counts(self) -> dict[str, RowCounts]:
        """Return the numbers of rows by file."""
        rejected = Counter(row.file for row in self._rejected)
        return {
            name: RowCounts(
                self._rows[name], rejected[name], self._skipped[name], self._opened[name].detected
            )
            for name in self._files.file_names
        }

    def _order(self, order_id: str, *, may_be_new: bool = True) -> OrderRows | None:
        """Return the rows of an order, None of one behind the limit."""
        if order_id not in self._orders:
            limit = self._files.limit
            is_behind = limit is not None and len(self._orders) >= limit
            if is_behind or not may_be_new:
                return None
            self._orders[order_id] = OrderRows(
                order_id, self._shape, self._files.names, self.amounts
            )
        return self._orders[order_id]

    def _mark_neighbours_incomplete(self, row: RowRef) -> None:
        because = _because_of(row)
        self._incomplete_because = because
        if self._neighbour is not None:
            self._neighbour.incomplete_because = because

    def _remember_neighbour(self, order: OrderRows) -> None:
        order.incomplete_because = order.incomplete_because or self._incomplete_because
        self._neighbour = order
        self._incomplete_because = ""

    def _add(self, record: Record, row: RowRef, *, with_lines: bool) -> None:
        """Add a row of the first file to its order."""
        order_id = _order_id(record, self._shape.columns)
        if not order_id and with_lines:
            self._refuse_without_order(record, row, self._shape.columns)
        elif not order_id:
            self._refuse(row, _NO_ORDER, "")
        elif with_lines:
            self._add_row(order_id, record, row)
        else:
            self._add_order(order_id, record, row)

    def _add_row(self, order_id: str, record: Record, row: RowRef) -> None:
        """Add a row that has a line of its order, and maybe fields of the order."""
        order = self._order(order_id)
        if order is None:
            return
        self._remember_neighbour(order)
        order.add_own(record, row)
        order.add_line(record, row, self._shape.columns, may_be_summary=True)

    def _add_order(self, order_id: str, record: Record, row: RowRef) -> None:
        """Add a row that is an order, and the lines that are nested in it."""
        if order_id in self._orders:
            reason = f"“{order_id[:_SHOWN]}” is there already: the first such row counts"
            self._refuse(row, reason, order_id)
            return
        order = self._order(order_id)
        if order is None:
            return
        order.add_own(record, row)
        if self._shape.lines_in:
            self._line_columns.add(order.add_nested(record, row))

    def _skip(self, skipped: Skipped, row: RowRef) -> None:
        """Leave a line out, or because of what is its order's own the whole order."""
        order_id = _order_id(skipped.record, self._shape.columns)
        if not order_id:
            self._rows[row.file] += 1
            self._skipped[row.file] += 1
            return
        order = self._order(order_id)
        if order is None:
            return
        self._remember_neighbour(order)
        if skipped.because in LINE_FIELDS:
            order.add_own(skipped.record, row)
            order.skip_line(row)
        else:
            order.rows.append(row)
            order.is_unwanted = True

    def _refuse_broken(self, rejected: Rejected, row: RowRef, columns: Mapping[str, str]) -> None:
        """Refuse a row that could not be read, which may be a line of an order."""
        order_id = _order_id(rejected.record, columns) if rejected.record else ""
        self._refuse(row, rejected.reason, rejected.id or order_id[:_SHOWN])
        if order_id:
            self._broken[order_id] = _because_of(row)
        else:
            self._mark_neighbours_incomplete(row)

    def _refuse_without_order(
        self, record: Record, row: RowRef, columns: Mapping[str, str]
    ) -> None:
        """Refuse a row without the id of an order, which may be a line of one."""
        self._refuse(row, _NO_ORDER, "")
        # Without a product it is no line, but a total of all orders, say.
        if any(_text(record, columns.get(name, name)) for name in _OF_PRODUCTS):
            self._mark_neighbours_incomplete(row)

    def _refuse(self, row: RowRef, reason: str, order_id: str) -> None:
        self._rows[row.file] += 1
        self._rejected.append(Rejected(row.line, reason, order_id, row.file))


def _because_of(row: RowRef) -> str:
    return f"line {row.line} of {row.file}, which may be one of its lines, was rejected"


def _order_id(record: Record, columns: Mapping[str, str]) -> str:
    """Return the id of a row's order; empty if it is missing."""
    return _text(record, columns.get("order_id", "order_id"))


def _text(record: Record, column: str) -> str:
    value = record.values.get(column)
    return "" if value is None else str(value).strip()
