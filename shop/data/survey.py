"""The first pass of an import of orders: reads or rejects every row.

If one row of an order is rejected, all are. A malformed row may be a line of the order before or
behind it: neither is imported.

Of products, missing ones are created, and stored ones change only when that is asked for. The rules
are in docs/importing.md.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from functools import partial
from typing import Any

from django.utils.text import slugify

from dynapages.django.options import Advance, Progress
from dynapages.files.identifiers import identifier_of
from dynapages.files.json_rows import flat
from dynapages.files.records import ColumnNames, Record, Rejected, RowRefused
from dynapages.files.row_files import RowFile, open_rows
from dynapages.files.values import Skipped
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import EVERYTHING_ELSE, put_catalogue
from shop.catalogue.stored import Stored, stored_categories, stored_products
from shop.catalogue.tiles import CATEGORIES, steps_in
from shop.data.fields import UNCLEAR, decimal_mark, field_text, is_return
from shop.data.orders import ImportedOrder, Names, PlainLine, RowRef, parse_line, parse_order
from shop.data.shape import AMOUNTS, LINE_FIELDS, ORDER_FIELDS, Shape
from shop.order_status import Status


class Update(Enum):
    """Which stored products an import may change."""

    NONE = "none"
    IMPORTED = "those that an import priced"
    ALL = "also those that the shop put itself"


@dataclass(frozen=True, slots=True)
class ImportedProduct:
    """A product as files tell of it, with its price in the latest order and when that was placed.

    Unless it ``is_named``, the name is for a new one only; without a price it was never ordered.
    """

    id: str
    name: str
    is_named: bool
    category: NewCategory | None
    price_cents: int | None = None
    currency: str | None = None
    priced_at: datetime | None = None
    external_id: str | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Products that a file of products lists, by id, and what it tells of any product."""

    listed: Collection[str]
    describe: Callable[[str], ImportedProduct]


class Outcome(Enum):
    """What became of a product."""

    CREATED = "created"
    UPDATED = "updated"
    LEFT = "left as it is"


def put_products(products: Sequence[ImportedProduct], update: Update) -> Counter[Outcome]:
    """Put products of one category, and count their outcomes. Repeatable.

    Stored categories keep their names and parents. Raises like `put_catalogue`.
    """
    stored = stored_products(product.id for product in products)
    outcomes: Counter[Outcome] = Counter()
    shelves: dict[tuple[NewCategory, ...], list[NewProduct]] = {}
    for product in products:
        known = stored.get(product.id)
        may_change = known is not None and _may_change(product, known, update)
        outcome = Outcome.UPDATED if may_change else Outcome.LEFT
        outcomes[outcome if known else Outcome.CREATED] += 1
        categories, new = _wanted(product, known, may_change=may_change)
        if may_change or known is None or new.shown == known.content.shown:
            shelves.setdefault(categories, []).append(new)
    for categories, some in shelves.items():
        given = {category.slug: category for category in categories}
        # As they are stored, with those above them; new ones are in the root.
        whole = given | stored_categories(given)
        put_catalogue(categories=list(whole.values()), products=some)
    return outcomes


def category_named(name: str) -> NewCategory:
    """Build the category of a name."""
    return NewCategory(slug=slugify(name) or identifier_of(name).lower(), name=name)


def _may_change(product: ImportedProduct, known: Stored[NewProduct], update: Update) -> bool:
    if product.priced_at is None:
        return False
    stored_at = known.content.priced_at
    if stored_at is None:
        return update is Update.ALL
    return update is not Update.NONE and product.priced_at > stored_at


def _wanted(
    product: ImportedProduct, known: Stored[NewProduct] | None, *, may_change: bool
) -> tuple[tuple[NewCategory, ...], NewProduct]:
    """Return a product's categories, and the product as it should be."""
    categories: tuple[NewCategory, ...] = (product.category or EVERYTHING_ELSE,)
    if may_change and known is not None and product.category is None:
        found = steps_in(known.node, CATEGORIES)
        categories = tuple(NewCategory(category.slug, category.name) for category in found)
    new = NewProduct(
        id=product.id,
        name=product.name,
        category_slugs=tuple(category.slug for category in categories),
        unit_price_cents=product.price_cents,
        currency=product.currency,
        priced_at=product.priced_at,
        external_id=product.external_id,
    )
    if known is None:
        return categories, new
    if may_change:
        return categories, new if product.is_named else replace(new, name=known.content.name)
    return categories, replace(new, priced_at=known.content.priced_at)


OWN_FIELDS = tuple(name for name in ORDER_FIELDS if name != "order_id")
"""The fields of an order that only some of its rows may have."""
_SHOWN = 40


@dataclass(slots=True)
class FileCounts:
    """The numbers of a file's rows: ``read + rejected + skipped == rows``."""

    rows: int = 0
    rejected: int = 0
    skipped: int = 0

    @property
    def read(self) -> int:
        return self.rows - self.rejected - self.skipped


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
    counts: Mapping[str, FileCounts] = field(default_factory=dict)

    @property
    def file_names(self) -> list[str]:
        """The names of the files, for reports."""
        paths = [file.path for file in (self.orders, self.lines) if file is not None]
        are_unlike = len({path.name for path in paths}) == len(paths)
        return [path.name if are_unlike else str(path) for path in paths]


@dataclass(slots=True)
class OrdersFound:
    """The orders of the files, the oldest first, and the numbers of rows by file.

    Lines of returns are left out, and so are orders that have no others.
    ``decimal_found`` is what is before the decimals of amounts, by which unclear ones were read.
    """

    orders: list[ImportedOrder]
    counts: dict[str, FileCounts]
    names: Names
    catalogue: Catalogue | None
    returned_lines: int = 0
    orders_of_returns: int = 0
    decimal_found: str | None = None

    @property
    def statuses(self) -> Counter[Status]:
        """The numbers of orders by status."""
        return Counter(found.order.now_in.status for found in self.orders)

    @property
    def dated_by_month(self) -> int:
        """The number of orders with a date that lacks its day."""
        return sum(found.lacks_days for found in self.orders)


def survey(
    files: OrderFiles, *, reject: Callable[[Rejected], object], progress: Progress
) -> OrdersFound:
    """Read the files; call ``reject`` with each rejected row, those of the first file first.

    Where amounts may mean thousands or decimals, and the others all have one mark of decimals, they
    are read again by that. Raises FileUnreadable, and BadMapping for columns that are missing.
    """
    first = _read(files, progress)
    marks = first.marks - {"", UNCLEAR}
    if UNCLEAR not in first.marks or len(marks) != 1 or files.shape.decimal:
        return first.found(reject)
    (mark,) = marks
    again = _read(replace(files, shape=replace(files.shape, decimal=mark)), progress)
    return replace(again.found(reject), decimal_found=mark)


def _read(files: OrderFiles, progress: Progress) -> "_Survey":
    sources = [file for file in (files.orders, files.lines) if file is not None]
    size = sum(file.path.stat().st_size for file in sources if file.path.exists())
    survey = _Survey(files)
    with progress.step("Checking", total=size, unit="B") as advance:
        survey.read_orders(advance)
        if files.lines is not None:
            survey.read_lines(files.lines, advance)
    return survey


@dataclass(slots=True)
class OrderRows:
    """The rows of an order as they are found; ``faults`` are why some of them are rejected.

    ``incomplete_because`` is why one of its lines may be missing. ``marks`` are those of decimals
    in all amounts of the files. ``skipped`` are the rows whose line is left out, as asked or as a
    return, of which ``returned`` is the number.
    """

    id: str
    shape: Shape
    names: Names
    marks: set[str] = field(default_factory=set)
    texts: dict[str, str] = field(default_factory=dict)
    lines: list[PlainLine] = field(default_factory=list)
    rows: list[RowRef] = field(default_factory=list)
    faults: dict[RowRef, str] = field(default_factory=dict)
    skipped: list[RowRef] = field(default_factory=list)
    returned: int = 0
    incomplete_because: str = ""
    is_headed: bool = False
    is_unwanted: bool = False
    lines_left_out: int = 0

    @property
    def is_skipped(self) -> bool:
        """Whether the order is left out, or all of its lines are."""
        return self.is_unwanted or bool(self.lines_left_out and not (self.lines or self.faults))

    def skip_line(self, row: RowRef) -> None:
        """Leave out the line in a row."""
        self.skipped.append(row)
        self.lines_left_out += 1

    def add_own(self, record: Record, row: RowRef) -> None:
        """Add a row, and the order's own fields in it, which must not contradict those before."""
        self.rows.append(row)
        self.is_headed = True
        try:
            texts = _texts(self.shape.join_order(record), OWN_FIELDS, self.shape.columns)
        except RowRefused as refused:
            self.faults.setdefault(row, str(refused))
            return
        for name, text in texts.items():
            if self.texts.setdefault(name, text) != text:
                self.faults.setdefault(row, f"{name} is another one in another row of the order")

    def add_line(self, record: Record, row: RowRef, columns: Mapping[str, str]) -> None:
        """Add the line in a row, if there is one; a return is left out."""
        try:
            texts = _texts(self.shape.join_line(record), self.shape.line_fields, columns)
            if is_return(texts.get("quantity", "")):
                self.returned += 1
                self.lines_left_out += 1
                if not self.shape.lines_in:  # else the row is the order's
                    self.skipped.append(row)
            elif texts:
                amounts = (texts[name] for name in AMOUNTS if name in texts)
                self.marks.update(map(decimal_mark, amounts))
                texts = {**self.shape.constants, **texts}
                self.lines.append(parse_line(texts, self.names, self.shape.decimal))
        except RowRefused as refused:
            self.faults.setdefault(row, str(refused))

    def add_nested(self, record: Record, row: RowRef) -> list[str]:
        """Add the lines in a list; return the names of their values."""
        name, seen = self.shape.lines_in or "", dict[str, None]()
        value: Any = record.values.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            self.faults.setdefault(row, f"{name} is no list of objects")
            return []
        for one in value:
            try:
                line = Record(record.line, flat(one))
            except RowRefused as refused:
                self.faults.setdefault(row, f"{name}: one of them {refused}")
                continue
            rules = self.shape.line_rules
            meant = rules.apply(line) if rules else line
            if isinstance(meant, Record):
                self.add_line(meant, row, self.shape.line_columns)
                seen.update(dict.fromkeys(meant.values))
            else:
                self.lines_left_out += 1
                seen.update(dict.fromkeys(line.values))
        return list(seen)

    def parse(self) -> ImportedOrder | None:
        """Parse the order, when all its rows are found; None if they are rejected."""
        if not self.is_headed or self.incomplete_because or self.faults:
            return None
        texts = {**self.shape.constants, **self.texts, "order_id": self.id}
        try:
            return parse_order(
                texts, self.lines, rows=self.rows, shape=self.shape, names=self.names
            )
        except RowRefused as refused:
            self.faults[self.rows[0]] = str(refused)
            return None

    def rejected(self) -> Iterator[Rejected]:
        """Yield all rows of an order that is rejected."""
        shown = self.id[:_SHOWN]
        because = self.incomplete_because if self.is_headed else f"there is no order “{shown}”"
        if self.faults:
            first = next(iter(self.faults))
            because = f"line {first.line} of {first.file}, of its order “{shown}”, was rejected"
        for row in self.rows:
            if row in self.skipped and row not in self.faults:
                continue
            yield Rejected(row.line, self.faults.get(row, because), self.id, row.file)


class _Survey:
    def __init__(self, files: OrderFiles) -> None:
        self._files = files
        self._shape = files.shape
        self._orders: dict[str, OrderRows] = {}
        self._rejected: list[Rejected] = []
        self._rows: Counter[str] = Counter()
        self._skipped: Counter[str] = Counter()
        self.marks: set[str] = set()
        self._line_columns = ColumnNames()
        self._last_id = ""
        self._neighbour: OrderRows | None = None
        self._incomplete_because = ""

    def read_orders(self, advance: Advance) -> None:
        shape, name = self._shape, self._files.file_names[0]
        with_lines = self._files.lines is None and not shape.lines_in
        require = partial(shape.require_orders, with_lines=with_lines)
        for record in _rows(self._files.orders, shape.columns, require, advance):
            row = RowRef(name, record.line)
            if isinstance(record, Rejected):
                self._refuse(row, record.reason, record.id)
                self._last_id = ""
                self._mark_neighbours_incomplete(row)
            elif isinstance(record, Skipped):
                self._skip(record, row)
            elif (
                found := self._order_id(record, shape.columns, has_own=_has_own(record, shape))
            ) is None:
                self._refuse(row, "order_id is missing", "")
            elif with_lines:
                self._add_row(found, record, row)
            else:
                self._add_order(found, record, row)
        if self._line_columns.columns:
            if shape.line_rules:
                shape.line_rules.require(self._line_columns.columns)
            shape.require_lines(self._line_columns.columns)

    def read_lines(self, file: RowFile, advance: Advance) -> None:
        columns, name = self._shape.line_columns, self._files.file_names[1]
        self._incomplete_because = ""
        for found_row in _rows(file, columns, self._shape.require_lines, advance):
            is_skipped = isinstance(found_row, Skipped)
            record = found_row.record if isinstance(found_row, Skipped) else found_row
            row = RowRef(name, record.line)
            if isinstance(record, Rejected):
                self._refuse(row, record.reason, record.id)
                self._mark_neighbours_incomplete(row)
            elif (found := self._order_id(record, columns, has_own=True)) is None:
                self._refuse(row, "order_id is missing", "")
                self._mark_neighbours_incomplete(row)
            elif order := self._order(found, may_be_new=self._files.limit is None):
                order.rows.append(row)
                self._remember_neighbour(order)
                if is_skipped:
                    order.skip_line(row)
                else:
                    order.add_line(record, row, columns)

    def found(self, reject: Callable[[Rejected], object]) -> OrdersFound:
        """Parse the orders, now that all their rows are read."""
        orders: list[ImportedOrder] = []
        of_returns = 0
        for rows in self._orders.values():
            of_returns += rows.is_skipped and rows.returned > 0
            self._rows.update(row.file for row in rows.rows)
            if rows.is_skipped:
                self._skipped.update(row.file for row in rows.rows)
                continue
            self._skipped.update(row.file for row in rows.skipped if row not in rows.faults)
            if order := rows.parse():
                orders.append(order)
            else:
                self._rejected.extend(rows.rejected())
        files = self._files.file_names
        self._rejected.sort(key=lambda row: (files.index(row.file), row.line))
        for rejected in self._rejected:
            reject(rejected)
        counted = Counter(row.file for row in self._rejected)
        counts = {
            file: FileCounts(self._rows[file], counted[file], self._skipped[file]) for file in files
        }
        counts = {**self._files.counts, **counts}
        orders.sort(key=lambda found: (found.order.placed_at, found.id))
        returned = sum(rows.returned for rows in self._orders.values())
        names, catalogue = self._files.names, self._files.catalogue
        return OrdersFound(orders, counts, names, catalogue, returned, of_returns)

    def _order_id(self, record: Record, columns: Mapping[str, str], *, has_own: bool) -> str | None:
        """Return the id of a row's order; a row without own fields may belong to the one before."""
        value = record.values.get(columns.get("order_id", "order_id"))
        text = "" if value is None else str(value).strip()
        if not text and has_own:
            return None
        self._last_id = text or self._last_id
        return self._last_id or None

    def _order(self, order_id: str, *, may_be_new: bool = True) -> OrderRows | None:
        """Return the rows of an order, None of one behind the limit."""
        limit = len(self._orders) + 1 if self._files.limit is None else self._files.limit
        is_behind = len(self._orders) >= limit or not may_be_new
        if order_id not in self._orders and is_behind:
            return None
        new = OrderRows(order_id, self._shape, self._files.names, self.marks)
        return self._orders.setdefault(order_id, new)

    def _mark_neighbours_incomplete(self, row: RowRef) -> None:
        because = f"line {row.line} of {row.file}, which may be one of its lines, was rejected"
        self._incomplete_because = because
        if self._neighbour is not None:
            self._neighbour.incomplete_because = because

    def _remember_neighbour(self, order: OrderRows) -> None:
        order.incomplete_because = order.incomplete_because or self._incomplete_because
        self._neighbour, self._incomplete_because = order, ""

    def _add_row(self, order_id: str, record: Record, row: RowRef) -> None:
        if (order := self._order(order_id)) is None:
            return
        self._remember_neighbour(order)
        order.add_own(record, row)
        order.add_line(record, row, self._shape.columns)

    def _add_order(self, order_id: str, record: Record, row: RowRef) -> None:
        if order_id in self._orders:
            reason = f"“{order_id[:_SHOWN]}” is there already: the first such row counts"
            self._refuse(row, reason, order_id)
            return
        if (order := self._order(order_id)) is None:
            return
        order.add_own(record, row)
        if self._shape.lines_in:
            self._line_columns.add(order.add_nested(record, row))

    def _skip(self, skipped: Skipped, row: RowRef) -> None:
        """Leave a line out, or because of what is its order's own the whole order."""
        record, columns = skipped.record, self._shape.columns
        order_id = self._order_id(record, columns, has_own=_has_own(record, self._shape))
        order = None if order_id is None else self._order(order_id)
        if order is None:
            if order_id is None:
                self._rows[row.file] += 1
                self._skipped[row.file] += 1
            return
        self._remember_neighbour(order)
        if skipped.because in LINE_FIELDS:
            order.add_own(record, row)
            order.skip_line(row)
        else:
            order.rows.append(row)
            order.is_unwanted = True

    def _refuse(self, row: RowRef, reason: str, order_id: str) -> None:
        self._rows[row.file] += 1
        self._rejected.append(Rejected(row.line, reason, order_id, row.file))


def _has_own(record: Record, shape: Shape) -> bool:
    columns = (shape.columns.get(name, name) for name in OWN_FIELDS)
    return any(record.values.get(column) not in (None, "") for column in columns)


def _rows(
    file: RowFile,
    columns: Mapping[str, str],
    require: Callable[[Sequence[str]], None],
    advance: Advance,
) -> Iterator[Record | Rejected | Skipped]:
    id_column = columns.get("order_id", "order_id")
    with open_rows(file) as found:
        if found.are_columns_known:
            require(found.columns)
        for row in found.advancing(found.rows, advance):
            try:
                if isinstance(row, Record):  # the id of its order may be no short text
                    field_text("order_id", row.values.get(id_column))
                yield row
            except RowRefused as refused:
                yield Rejected(row.line, str(refused))
        if found.columns and not found.are_columns_known:
            require(found.columns)


def _texts(record: Record, fields: Sequence[str], columns: Mapping[str, str]) -> dict[str, str]:
    found = ((name, record.values.get(columns.get(name, name))) for name in fields)
    return {name: text for name, value in found if (text := field_text(name, value))}
