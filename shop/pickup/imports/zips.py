"""Olist's geolocation: several places for each zip prefix, of which the middle is kept.

The middle is the median of the latitudes and that of the longitudes. A mean would not do: the
file has a few rows of Brazilian zip prefixes in Italy and Asia.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from statistics import median

from dynamo.files.records import Record, Rejected, RowRefused
from shop.pickup.coordinates import Coordinates
from shop.pickup.imports.fields import line_in, place_in, zip_in
from shop.pickup.places import ZipPlace


@dataclass(slots=True)
class _Rows:
    latitudes: list[float] = field(default_factory=list)
    longitudes: list[float] = field(default_factory=list)
    cities: Counter[str] = field(default_factory=Counter)


class Middles:
    """Collects the rows of a file, and yields the place of each zip prefix.

    The city is the one that most of its rows name, or of several such the first by name.
    """

    def __init__(self, columns: Mapping[str, str]) -> None:
        self._columns = columns
        self._rows: dict[str, _Rows] = {}

    def take(self, row: Record | Rejected) -> Rejected | None:
        """Add a row; return it where it is rejected."""
        if isinstance(row, Rejected):
            return row
        try:
            self._take(row)
        except RowRefused as refused:
            return Rejected(row.line, str(refused), row.shown(self._columns["zip"]))
        return None

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[ZipPlace]:
        for prefix, rows in sorted(self._rows.items()):
            middle = Coordinates.at(median(rows.latitudes), median(rows.longitudes))
            yield ZipPlace(prefix, middle, _most_frequent(rows.cities.items()))

    def _take(self, record: Record) -> None:
        prefix, place = zip_in(record, self._columns), place_in(record, self._columns)
        city = line_in(record, self._columns, "city").title()
        state = line_in(record, self._columns, "state")
        rows = self._rows.setdefault(prefix, _Rows())
        rows.latitudes.append(place.latitude)
        rows.longitudes.append(place.longitude)
        rows.cities[f"{city}, {state}"] += 1


def _most_frequent(counted: Iterable[tuple[str, int]]) -> str:
    return min(counted, key=lambda one: (-one[1], one[0]))[0]
