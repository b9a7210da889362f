"""How a file spells comments: its columns, dates, ratings and languages."""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from dynapages.django.files.records import BadMapping, DateFormats, columns_among

FIELDS = (
    "id",
    "product_id",
    "language",
    "rating",
    "created_at",
    "author",
    "title",
    "body",
    "reply",
    "replied_at",
    "username",
    "verified",
    "product_name",
    "product_external_id",
)
NEEDED = frozenset({"id", "product_id", "language", "rating", "created_at"})
ID_FROM = ("product_id", "author", "created_at", "body")
"""What tells comments without ids apart."""
_PRESETS = Path(__file__).parent / "presets.toml"


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest rating of a file, which become 1 and 5."""

    low: Decimal = Decimal(1)
    high: Decimal = Decimal(5)

    def __contains__(self, rating: Decimal) -> bool:
        return self.low <= rating <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"

    def exactly(self, rating: Decimal) -> Decimal:
        """Return a rating on the scale from 1 to 5, not rounded."""
        return 1 + (rating - self.low) * 4 / (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Shape:
    """How comments are spelled in a file.

    - ``columns``: the columns of a field that is not named like it, of which the first counts that
      a row has; none where the file does not have the field. ``named`` are the fields whose column
      must be there.
    - ``constants``: the values of fields where a row has none.
    - ``languages``: the codes of the file's languages that are spelled otherwise, in lower case.
    - ``id_from``: the columns or fields whose digest is the id of a row without one.
    - ``only``: rows whose value of a column is not among these are rejected.
    - ``low`` and ``high``: the columns with the scale of a row's rating, instead of ``scale``.
    - ``element``: the name of the elements of XML that are rows.
    - ``rows``: the list in an object of JSON that has the rows.
    - ``decimal``: what is before the decimals of a rating, either of both if it is None.
    - ``id_prefix``: what is put before each id.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: Collection[str] = ()
    constants: Mapping[str, str] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)
    dates: DateFormats = field(default_factory=DateFormats)
    scale: Scale = field(default_factory=Scale)
    detect_language: bool = False
    id_from: Sequence[str] = ()
    is_html: bool = False
    only: Mapping[str, Sequence[str]] = field(default_factory=dict)
    low: str | None = None
    high: str | None = None
    element: str | None = None
    rows: str | None = None
    decimal: str | None = None
    id_prefix: str = ""

    def of(self, name: str) -> Sequence[str]:
        return self.columns.get(name, (name,))

    def under(self, product_id: str) -> "Shape":
        """Return the shape of a file whose comments are all about one product."""
        return replace(
            self,
            columns={**self.columns, "product_id": ()},
            named=[name for name in self.named if name != "product_id"],
            constants={**self.constants, "product_id": product_id},
        )

    def among(self, present: Sequence[str]) -> "Shape":
        """Return the shape of a file that has the columns ``present`` and no others.

        Raises BadMapping for the column of a needed or ``named`` field that is missing, or there
        twice.
        """
        found = {name: [column for column in self.of(name) if column in present] for name in FIELDS}
        for name in FIELDS:
            is_needed = name in self.named or name in self._needed
            wanted = found[name] or self.of(name)
            if wanted:
                columns_among(present, {name: wanted[0]}, needed=[name] if is_needed else [])
            elif is_needed:
                raise BadMapping(f"{name} has no column: give it one, or a value by --set.")
        return replace(self, columns=found)

    @property
    def _needed(self) -> Collection[str]:
        replaced = {*self.constants}
        replaced |= {"id"} if self.id_from else set()
        replaced |= {"language"} if self.detect_language else set()
        return NEEDED - replaced


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """Return the known exports, by name: what `preset` makes a shape of, and ``about``."""
    return tomllib.loads(_PRESETS.read_text("utf-8"))


def preset(name: str) -> Shape:
    """Return the shape of a known export. A row without an id gets one made of `ID_FROM`.

    Raises BadMapping for a name that is not known.
    """
    known = presets()
    if name not in known:
        raise BadMapping(f"There is no preset “{name}”; the presets are: {', '.join(known)}.")
    values = {key: value for key, value in known[name].items() if key != "about"}
    return Shape(**{"id_from": ID_FROM, **values})


def scale_of(text: str) -> Scale:
    """Parse ``10..50``. Raises BadMapping."""
    low, dots, high = text.partition("..")
    if not (dots and low.strip().isdecimal() and high.strip().isdecimal() and int(low) < int(high)):
        raise BadMapping(f"“{text}” is no scale of ratings such as 0..10 or 10..50.")
    return Scale(Decimal(low), Decimal(high))
