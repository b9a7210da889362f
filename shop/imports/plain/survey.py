"""The first pass of an import in the plain shape: reads or rejects every row.

An order has the rows of its own fields and of its lines, in one file or in two. If one of them is
rejected, all are. A malformed row may be a line of the order before or behind it: neither is
imported. The rows are kept in memory, because those of an order may be anywhere.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynamo.files.columns import ColumnNames
from dynamo.files.records import Record, Rejected, RowRefused
from dynamo.files.row_files import RowFile, open_rows
from dynamo.progress import Advance, Progress
from shop.imports.found import FileCounts
from shop.imports.loading import Place
from shop.imports.names import Names
from shop.imports.plain.drafts import OWN_FIELDS, Draft
from shop.imports.plain.fields import text_of
from shop.imports.plain.orders import PlainOrder
from shop.imports.plain.shape import Shape


@dataclass(frozen=True, slots=True)
class PlainFiles:
    """A file of orders, and a second one of their lines unless the first has them.

    Only the first ``limit`` orders are read.
    """

    orders: RowFile
    lines: RowFile | None
    shape: Shape
    limit: int | None = None

    @property
    def names(self) -> list[str]:
        """The names of the files, for reports."""
        paths = [file.path for file in (self.orders, self.lines) if file is not None]
        are_unlike = len({path.name for path in paths}) == len(paths)
        return [path.name if are_unlike else str(path) for path in paths]


@dataclass(slots=True)
class PlainFound:
    """The orders of the files, the oldest first, and the numbers of rows by file."""

    orders: list[PlainOrder]
    counts: dict[str, FileCounts]
    names: Names


def survey(
    files: PlainFiles, *, reject: Callable[[Rejected], object], progress: Progress
) -> PlainFound:
    """Read the files; call ``reject`` with each rejected row, those of the first file first.

    Raises FileUnreadable, and BadMapping for columns that are missing.
    """
    sources = [file for file in (files.orders, files.lines) if file is not None]
    size = sum(file.path.stat().st_size for file in sources if file.path.exists())
    survey = _Survey(files)
    with progress.step("Checking", total=size, unit="B") as advance:
        survey.read_orders(advance)
        if files.lines is not None:
            survey.read_lines(files.lines, advance)
    return survey.found(reject)


class _Survey:
    def __init__(self, files: PlainFiles) -> None:
        self._files = files
        self._shape = files.shape
        self._names = Names()
        self._drafts: dict[str, Draft] = {}
        self._rejected: list[Rejected] = []
        self._rows: Counter[str] = Counter()
        self._line_columns = ColumnNames()
        self._last_id = ""
        self._beside: Draft | None = None
        self._doubt = ""

    def read_orders(self, advance: Advance) -> None:
        shape, name = self._shape, self._files.names[0]
        with_lines = self._files.lines is None and not shape.lines_in

        def require(columns: Sequence[str]) -> None:
            shape.require_orders(columns, with_lines=with_lines)

        for row in _rows(self._files.orders, shape.columns, require, advance):
            place = Place(name, row.line)
            if isinstance(row, Rejected):
                self._refuse(place, row.reason, row.id)
                self._last_id = ""
                self._doubt_orders_beside(place)
            elif (
                found := self._order_id(row, shape.columns, has_own=_has_own(row, shape))
            ) is None:
                self._refuse(place, "order_id is missing", "")
            elif with_lines:
                self._take_row(found, row, place)
            else:
                self._take_order(found, row, place)
        if self._line_columns.columns:
            shape.require_lines(self._line_columns.columns)

    def read_lines(self, file: RowFile, advance: Advance) -> None:
        columns, name = self._shape.line_columns, self._files.names[1]
        self._doubt = ""
        for row in _rows(file, columns, self._shape.require_lines, advance):
            place = Place(name, row.line)
            if isinstance(row, Rejected):
                self._refuse(place, row.reason, row.id)
                self._doubt_orders_beside(place)
            elif (found := self._order_id(row, columns, has_own=True)) is None:
                self._refuse(place, "order_id is missing", "")
                self._doubt_orders_beside(place)
            elif found in self._drafts or self._files.limit is None:
                draft = self._drafts.setdefault(found, self._new(found))
                draft.places.append(place)
                self._note_beside(draft)
                draft.add_line(row, place, columns)

    def found(self, reject: Callable[[Rejected], object]) -> PlainFound:
        """Parse the orders, now that all their rows are read."""
        orders = [order for draft in self._drafts.values() for order in self._parsed(draft)]
        files = self._files.names
        self._rejected.sort(key=lambda row: (files.index(row.file), row.line))
        for rejected in self._rejected:
            reject(rejected)
        counted = Counter(row.file for row in self._rejected)
        counts = {file: FileCounts(self._rows[file], counted[file]) for file in files}
        orders.sort(key=lambda found: (found.order.placed_at, found.id))
        return PlainFound(orders, counts, self._names)

    def _order_id(self, record: Record, columns: Mapping[str, str], *, has_own: bool) -> str | None:
        """Return the id of a row's order; a row without own fields may belong to the one before."""
        value = record.values.get(columns.get("order_id", "order_id"))
        text = "" if value is None else str(value).strip()
        if not text and has_own:
            return None
        self._last_id = text or self._last_id
        return self._last_id or None

    def _draft(self, order_id: str) -> Draft | None:
        """Return the draft of an order, None of one behind the limit."""
        limit = self._files.limit
        if order_id not in self._drafts and limit is not None and len(self._drafts) >= limit:
            return None
        return self._drafts.setdefault(order_id, self._new(order_id))

    def _new(self, order_id: str) -> Draft:
        return Draft(order_id, self._shape, self._names)

    def _doubt_orders_beside(self, place: Place) -> None:
        self._doubt = (
            f"line {place.line} of {place.file}, which may be one of its lines, was rejected"
        )
        if self._beside is not None:
            self._beside.doubt = self._doubt

    def _note_beside(self, draft: Draft) -> None:
        draft.doubt = draft.doubt or self._doubt
        self._beside, self._doubt = draft, ""

    def _take_row(self, order_id: str, record: Record, place: Place) -> None:
        if (draft := self._draft(order_id)) is None:
            return
        draft.places.append(place)
        self._note_beside(draft)
        draft.add_own(record, place)
        draft.add_line(record, place, self._shape.columns)

    def _take_order(self, order_id: str, record: Record, place: Place) -> None:
        if order_id in self._drafts:
            reason = f"“{order_id[:40]}” is there already: the first such row counts"
            self._refuse(place, reason, order_id)
            return
        if (draft := self._draft(order_id)) is None:
            return
        draft.places.append(place)
        draft.add_own(record, place)
        if self._shape.lines_in:
            self._line_columns.add(draft.add_nested(record, place))

    def _parsed(self, draft: Draft) -> Iterator[PlainOrder]:
        self._rows.update(place.file for place in draft.places)
        order = draft.parse()
        if order is None:
            self._rejected.extend(draft.rejected())
        else:
            yield order

    def _refuse(self, place: Place, reason: str, order_id: str) -> None:
        self._rows[place.file] += 1
        self._rejected.append(Rejected(place.line, reason, order_id, place.file))


def _has_own(record: Record | Rejected, shape: Shape) -> bool:
    if isinstance(record, Rejected):
        return False
    columns = (shape.columns.get(name, name) for name in OWN_FIELDS)
    return any(record.values.get(column) not in (None, "") for column in columns)


def _rows(
    file: RowFile,
    columns: Mapping[str, str],
    require: Callable[[Sequence[str]], None],
    advance: Advance,
) -> Iterator[Record | Rejected]:
    id_column = columns.get("order_id", "order_id")
    with open_rows(file) as found:
        if found.are_columns_known:
            require(found.columns)
        for row in found.advancing(found.rows, advance):
            yield _with_readable_id(row, id_column) if isinstance(row, Record) else row
        if found.columns and not found.are_columns_known:
            require(found.columns)


def _with_readable_id(record: Record, column: str) -> Record | Rejected:
    """Return a row, rejected where the id of its order is no short text."""
    try:
        text_of("order_id", record.values.get(column))
    except RowRefused as refused:
        return Rejected(record.line, str(refused))
    return record
