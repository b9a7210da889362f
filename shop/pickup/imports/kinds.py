"""The kind of a file, by the columns that its header names."""

from collections.abc import Mapping, Sequence
from enum import Enum

from dynamo.files.columns import BadMapping, columns_among

FIELDS = ("id", "name", "address", "latitude", "longitude", "hours")
OPTIONAL = frozenset({"address", "hours"})


class Kind(Enum):
    """A kind of file; its value is its name in options and messages."""

    POINTS = "points"
    GEOLOCATION = "olist-geolocation"
    SELLERS = "olist-sellers"


OLIST_COLUMNS = {
    Kind.GEOLOCATION: {
        "zip": "geolocation_zip_code_prefix",
        "latitude": "geolocation_lat",
        "longitude": "geolocation_lng",
        "city": "geolocation_city",
        "state": "geolocation_state",
    },
    Kind.SELLERS: {
        "id": "seller_id",
        "zip": "seller_zip_code_prefix",
        "city": "seller_city",
        "state": "seller_state",
    },
}


def kind_of(
    present: Sequence[str], *, are_all: bool, asked: Kind | None, named: Mapping[str, str]
) -> tuple[Kind, dict[str, str]]:
    """Return the kind of a file with these columns, and the column of each of its fields.

    Unless they ``are_all``, later rows may have other columns of points besides.

    ``asked`` overrides the kind of the header, and columns that are ``named`` mean points. Raises
    BadMapping for a needed column that is missing or there twice, and for columns that are named of
    a file of Olist's.
    """
    kind = asked or (Kind.POINTS if named else _looks_like(present))
    if kind is Kind.POINTS:
        columns = {f: column for f in FIELDS if (column := named.get(f, f))}
        needed = {f for f in columns if f not in OPTIONAL or (f in named and are_all)}
        found = columns_among(present, columns, needed=needed)
        return kind, found if are_all else columns
    if named:
        raise BadMapping(f"The columns of --{kind.value} are known; --columns is for other files.")
    columns = OLIST_COLUMNS[kind]
    return kind, columns_among(present, columns, needed=columns)


def _looks_like(present: Sequence[str]) -> Kind:
    for kind, columns in OLIST_COLUMNS.items():
        if set(columns.values()) <= set(present):
            return kind
    return Kind.POINTS
