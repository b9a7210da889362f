"""Imports of files each of whose rows is one thing: a product, a pickup point or a postcode.

Of two rows with one id the later counts. What is stored already is not written again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from dynapages.calls import in_chunks
from dynapages.django.forecasts import writing_forecast
from dynapages.django.options import Progress
from dynapages.files.columns import columns_among
from dynapages.files.records import Record, Rejected, RowRefused, text_of
from dynapages.files.rejects import RejectsFile
from dynapages.files.row_files import OpenRows, RowFile
from dynapages.files.two_passes import TwoPassImport
from dynapages.files.values import Skipped

ROWS_AT_A_TIME = 500
Built = TypeVar("Built")
Texts = Mapping[str, str]
"""The texts of a row by field; those that it does not have are empty."""
Row = Record | Rejected | Skipped


def _all_of(rows: Iterable[Row]) -> Iterable[Row]:
    return rows


def _nothing() -> None:
    """Do nothing."""


@dataclass(frozen=True, slots=True)
class PlainFile(Generic[Built]):
    """A file whose rows have a text for each of ``fields``, by the first of which they are known.

    ``build`` makes something of these texts, or raises RowRefused. ``named`` are the columns of
    fields that are not called like them, ``usual`` those that may be missing like ``optional``
    fields. ``pick`` says which rows count, before they are parsed. A trial writes nothing.
    """

    file: RowFile
    fields: tuple[str, ...]
    optional: Collection[str]
    build: Callable[[Texts], Built]
    named: Mapping[str, str] = field(default_factory=dict)
    usual: Mapping[str, str] = field(default_factory=dict)
    pick: Callable[[Iterable[Row]], Iterable[Row]] = _all_of
    is_trial: bool = False

    def parse(self, opened: OpenRows) -> Iterator[Built | Rejected | Skipped]:
        """Parse rows. Raises BadMapping for columns that are missing."""
        columns = self._columns
        for row in self.pick(opened.rows):
            yield self._parse_row(row, columns) if isinstance(row, Record) else row
        # A file of CSV says its columns at once (`write`), one of JSON only with its rows; an empty
        # one has none.
        if opened.columns:
            self._require(opened.columns)

    def write(
        self,
        put: Callable[[Sequence[Built]], object],
        *,
        id_of: Callable[[Built], str],
        rejects: RejectsFile,
        progress: Progress,
        when_checked: Callable[[], object] = _nothing,
    ) -> dict[str, Any]:
        """Check all rows, then ``put`` the last of each id, some at a time; return the figures.

        Rows are built again before they are put: ``when_checked`` is called in between.
        Raises FileUnreadable, BadMapping and RejectsUnwritable before the first is put.
        """

        def version_of(row: Built) -> tuple[str, int]:
            return id_of(row), 0

        file = replace(self.file, require=self._require)
        passes = TwoPassImport[Built](file, self.parse, version_of)
        with rejects:
            passes.check(rejects, progress)
        when_checked()
        if not self.is_trial:
            with progress.step("Writing", total=passes.won, unit=" rows") as advance:
                forecast = writing_forecast(progress)
                written = 0
                for some in in_chunks(passes.winning(), ROWS_AT_A_TIME):
                    put(some)
                    advance(len(some))
                    written += len(some)
                    forecast.note(written, passes.won)
        return {
            "rows": passes.rows,
            "read": passes.read,
            "rejected": passes.rejected,
            "skipped": passes.skipped,
            "superseded": passes.superseded,
            "spelling": passes.detected,
        }

    @property
    def _columns(self) -> dict[str, str]:
        """The column of each field."""
        named = {**self.usual, **self.named}
        return {name: named.get(name, name) for name in self.fields}

    def _require(self, present: Sequence[str]) -> None:
        """Raise BadMapping for a column that is missing."""
        columns = self._columns
        needed = [name for name in columns if name not in self.optional or self.named.get(name)]
        columns_among(present, columns, needed=needed)

    def _parse_row(self, record: Record, columns: Mapping[str, str]) -> Built | Rejected:
        """Build what a row is, or return it as rejected."""
        try:
            texts: dict[str, str] = {}
            for name, column in columns.items():
                texts[name] = text_of(name, record.values.get(column)).strip()
            return self.build(texts)
        except RowRefused as refused:
            return Rejected(record.line, str(refused), record.shown(columns[self.fields[0]]))
