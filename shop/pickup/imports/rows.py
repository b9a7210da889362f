"""The parsing of a row into a pickup point."""

from collections.abc import Mapping
from dataclasses import dataclass

from dynamo.files.records import Record, Rejected, RowRefused
from shop.pickup.imports.fields import line_in, place_in, point_id_in, zip_in
from shop.pickup.imports.kinds import Kind
from shop.pickup.places import ZipPlace
from shop.pickup.points import PickupPoint

_ID_SHOWN = 6


@dataclass(frozen=True, slots=True)
class PointParser:
    """Parses the records of a file of points, or of sellers.

    Sellers have a zip prefix only: ``zips`` has the places of those.
    """

    kind: Kind
    columns: Mapping[str, str]
    zips: Mapping[str, ZipPlace]

    def read(self, row: Record | Rejected) -> PickupPoint | Rejected:
        """Parse a record, or reject it with a reason."""
        if isinstance(row, Rejected):
            return row
        try:
            return self._seller(row) if self.kind is Kind.SELLERS else self._point(row)
        except RowRefused as refused:
            return Rejected(row.line, str(refused), row.shown(self.columns["id"]))

    def _point(self, record: Record) -> PickupPoint:
        return PickupPoint(
            id=point_id_in(record, self.columns),
            name=line_in(record, self.columns, "name"),
            address=line_in(record, self.columns, "address", is_needed=False),
            place=place_in(record, self.columns),
            hours=line_in(record, self.columns, "hours", is_needed=False),
        )

    def _seller(self, record: Record) -> PickupPoint:
        point_id, prefix = point_id_in(record, self.columns), zip_in(record, self.columns)
        if prefix not in self.zips:
            raise RowRefused(
                f"it is not known where the zip prefix {prefix} is: import Olist's geolocation"
            )
        city = line_in(record, self.columns, "city").title()
        state = line_in(record, self.columns, "state")
        return PickupPoint(
            id=point_id,
            name=f"{city}, at seller {point_id[:_ID_SHOWN]}",
            address=f"{prefix} {city}, {state}",
            place=self.zips[prefix].place,
        )


def point_of_zip(place: ZipPlace) -> PickupPoint:
    """Build a pickup point in the middle of a zip prefix."""
    return PickupPoint(
        id=f"zip-{place.prefix}",
        name=f"{place.city.rpartition(', ')[0] or place.city} {place.prefix}",
        address=str(place),
        place=place.place,
    )
