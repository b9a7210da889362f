"""Which column of a file holds which field of a comment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynamo.files import columns
from dynamo.files.columns import columns_among

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


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a file by field: those the user ``named``, else of the field's own name.

    ``product_id`` None: each row has its own.
    """

    named: Mapping[str, str]
    product_id: str | None = None

    def among(self, present: Sequence[str]) -> dict[str, str]:
        """Return the column of each field that the file has.

        Raises BadMapping for a named or needed column that is not ``present``, or twice.
        """
        by_field = self.by_field()
        needed = {field for field in by_field if field in self.named or field not in OPTIONAL}
        return columns_among(present, by_field, needed=needed)

    def by_field(self) -> dict[str, str]:
        """Return the column of each field, whether or not a file has it."""
        by_row = FIELDS if self.product_id is None else [f for f in FIELDS if f != "product_id"]
        return {field: self.named.get(field, field) for field in by_row}


def parse_columns(text: str) -> dict[str, str]:
    """Read ``field=column,…``. Raises BadMapping for a field that comments do not have."""
    return columns.parse_columns(text, fields=FIELDS)
