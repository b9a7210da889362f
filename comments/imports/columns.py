"""Which column of a file holds which field of a comment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
)
OPTIONAL = frozenset({"author", "title", "body", "reply", "replied_at"})


class BadMapping(ValueError):
    """An option names a column, field or language that there is not; the text lists those."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file by field: those the user ``named``, else of the field's own name.

    ``product_id`` None: each row has its own.
    """

    named: Mapping[str, str]
    product_id: str | None = None

    def among(self, present: Sequence[str]) -> dict[str, str]:
        """Give the column of each field that the file has.

        Raises BadMapping for a named or needed column that is not ``present``, or twice.
        """
        for field, column in self.by_field().items():
            is_needed = field in self.named or field not in OPTIONAL
            if is_needed and column not in present:
                raise BadMapping(_no_column(field, column, present))
            if present.count(column) > 1:
                raise BadMapping(f"There are {present.count(column)} columns “{column}”.")
        return {field: name for field, name in self.by_field().items() if name in present}

    def by_field(self) -> dict[str, str]:
        """Give the column of each field, whether or not a file has it."""
        by_row = FIELDS if self.product_id is None else [f for f in FIELDS if f != "product_id"]
        return {field: self.named.get(field, field) for field in by_row}


def parse_pairs(text: str) -> dict[str, str]:
    """Read ``a=b,c=d``. Raises BadMapping for anything else."""
    pairs: dict[str, str] = {}
    for pair in filter(None, (part.strip() for part in text.split(","))):
        left, equals, right = (part.strip() for part in pair.partition("="))
        if not (left and equals and right):
            raise BadMapping(f"“{pair}” is no pair such as id=review_id.")
        if left in pairs:
            raise BadMapping(f"“{left}” is given twice.")
        pairs[left] = right
    return pairs


def parse_columns(text: str) -> dict[str, str]:
    """Read ``field=column,…``. Raises BadMapping for a field that comments do not have."""
    named = parse_pairs(text)
    for field in named:
        if field not in FIELDS:
            raise BadMapping(f"There is no field “{field}”; the fields are: {', '.join(FIELDS)}.")
    return named


def _no_column(field: str, column: str, present: Sequence[str]) -> str:
    spelled = ", ".join(present) or "none"
    for_field = "" if field == column else f" (for {field})"
    return f"There is no column “{column}”{for_field}; the columns are: {spelled}."
