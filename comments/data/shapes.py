"""How a file writes comments: its columns, ratings, languages, and what of it is public.

A `Shape` says it of one file; `preset` returns that of a known export. docs/importing.md has the
rules.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from comments.data.ratings import Scale
from comments.items import NewState
from dynapages.files.columns import BadMapping, columns_among
from dynapages.files.dates import DateFormats

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
    "helpful",
    "exported_votes",
    "state",
    "product_name",
    "product_external_id",
    "text_format",
)
PICTURES = "pictures"
"""The field whose values are counted, and not kept."""
PLAIN = "plain"
HTML = "html"
TEXT_FORMATS = frozenset((PLAIN, HTML, ""))
"""What ``text_format`` may be; empty where it is to be found out."""
NEEDED = frozenset({"id", "product_id", "language", "rating", "created_at"})
ID_FROM = ("product_id", "author", "created_at", "body")
"""What tells comments without ids apart."""
LONGEST_COLUMN = 100
"""Characters of a column's name that are compared, and shown when a row is rejected."""
_COLUMNS_OF_PICTURES = ("pictures", "images")
_PRESETS = Path(__file__).parent / "presets.toml"

AllowedValues = Mapping[str, Sequence[str]]
"""The values that columns may have, in lower case, by `column_key`."""


def column_key(column: str) -> str:
    """Return the letters and digits of a column's name, in lower case.

    Vendors change how they write a name: ``review_status`` became ``Review Status``.
    """
    # Only the start: the cache must not hold names of a million characters.
    return _letters_and_digits(column[:LONGEST_COLUMN])


@lru_cache(maxsize=1_024)
def _letters_and_digits(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


@dataclass(frozen=True, slots=True)
class Shape:
    """How a file writes comments.

    - ``columns``: the columns of a field that is not named like it, of which the first counts that
      a row has; none where the file does not have the field. ``named`` are the fields whose column
      must be there.
    - ``constants``: the values of fields where a row has none.
    - ``states``: the states that other words mean, in lower case.
    - ``languages``: the codes of languages by other names that the file has for them, in lower
      case.
    - ``ratings``: the ratings from 1 to 5 that words and numbers of the file mean, by
      `comments.data.ratings.key_of`.
    - ``keep_html``: whether texts that are HTML stay as they are.
    - ``id_from``: the columns or fields whose digest is the id of a row without one.
    - ``only``: a row that has one of these columns is rejected unless its value is allowed.
    - ``public``: by field, such columns too: of a row with another value the field is left out.
    - ``bought``: the values of ``verified`` that mean that the author bought the product, where the
      file does not have true and false; any other value means that it is not known.
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
    states: Mapping[str, NewState] = field(default_factory=dict)
    ratings: Mapping[str, int] = field(default_factory=dict)
    dates: DateFormats = field(default_factory=DateFormats)
    scale: Scale = field(default_factory=Scale)
    detect_language: bool = False
    id_from: Sequence[str] = ()
    keep_html: bool = False
    only: AllowedValues = field(default_factory=dict)
    public: Mapping[str, AllowedValues] = field(default_factory=dict)
    bought: Sequence[str] = ()
    low: str | None = None
    high: str | None = None
    element: str | None = None
    rows: str | None = None
    decimal: str | None = None
    id_prefix: str = ""

    def of(self, name: str) -> Sequence[str]:
        """Return the columns that may hold a field."""
        if name == PICTURES:
            return self.columns.get(name, _COLUMNS_OF_PICTURES)
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

        Raises BadMapping for the column of a needed or ``named`` field that is missing, and for a
        column of a field or of ``only`` or ``public`` that is there twice.
        """
        columns: dict[str, list[str]] = {}
        for name in (*FIELDS, PICTURES):
            columns[name] = [column for column in self.of(name) if column in present]
            self._require_column(name, columns[name], present)
        # A rule must not be met by one of two columns of the same name and broken by the other.
        decisive = self._columns_of_rules()
        for column in present:
            if column_key(column) in decisive:
                columns_among(present, {column: column}, needed=[])
        return replace(self, columns=columns)

    def _require_column(self, name: str, columns: Sequence[str], present: Sequence[str]) -> None:
        """Raise BadMapping where a field has no column but needs one, or has one twice."""
        is_needed = name in self.named or name in self._needed_fields()
        candidates = columns or self.of(name)
        if candidates:
            needed = []
            if is_needed:
                needed.append(name)
            columns_among(present, {name: candidates[0]}, needed=needed)
        elif is_needed:
            raise BadMapping(f"{name} has no column: give it one, or a value by --set.")

    def _columns_of_rules(self) -> Collection[str]:
        """Return the keys of the columns that decide whether a row or a field is published."""
        columns = set(self.only)
        for rules in self.public.values():
            columns |= set(rules)
        return columns

    def _needed_fields(self) -> Collection[str]:
        """Return the fields that must have a column, as nothing stands for it."""
        replaced = set(self.constants)
        if self.id_from:
            replaced.add("id")
        if self.detect_language:
            replaced.add("language")
        return NEEDED - replaced


# Known exports


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
    values = {"id_from": ID_FROM, **known[name]}
    values.pop("about")
    # What `only` decides on is published: some have a column of this name that says more.
    values["columns"] = {"state": (), **values.get("columns", {})}
    values["only"] = _by_column_key(values.get("only", {}))
    public: dict[str, AllowedValues] = {}
    for field_name, rules in values.get("public", {}).items():
        public[field_name] = _by_column_key(rules)
    values["public"] = public
    return Shape(**values)


def _by_column_key(rules: Mapping[str, Sequence[str]]) -> AllowedValues:
    return {column_key(column): allowed for column, allowed in rules.items()}
