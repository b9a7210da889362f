"""The place a visitor types: coordinates, or a postcode with a known prefix.

There is no geocoding: imports give the middle of the postcodes with a prefix.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from dynapages.calls import Batches
from dynapages.items import Item
from dynapages.process import client, pool
from shop import keys
from shop.models import ZipPlace as StoredPlace
from shop.pickup.cells import BadCoordinates, Coordinates
from shop.table import TABLE, read_for_page, read_items

LONGEST_ZIP, SHORTEST_PREFIX = 10, 3

_NUMBER = r"[-+]?\d{1,3}(?:\.\d{1,20})?"
_COORDINATES = re.compile(rf"({_NUMBER})\s*[,;\s]\s*({_NUMBER})", re.ASCII)
_ZIP = re.compile(rf"[0-9A-Z]{{{SHORTEST_PREFIX},{LONGEST_ZIP}}}", re.ASCII)


class BadLocation(ValueError):
    """The text is neither coordinates nor a postcode; the message says what is."""


class NoSuchZip(LookupError):
    """No prefix of the postcode is known."""


@dataclass(frozen=True, slots=True)
class ZipLocation:
    """The middle of the postcodes with a prefix; ``prefix`` and ``city`` may be empty."""

    prefix: str
    place: Coordinates
    city: str = ""

    def __str__(self) -> str:
        return f"{self.prefix} {self.city}".strip()


def locate(text: str) -> ZipLocation:
    """Return the place of a postcode or coordinates. Raises BadPlace and NoSuchZip."""
    coordinates = _COORDINATES.fullmatch(text.strip())
    if coordinates is None:
        return find_zip(text)
    latitude, longitude = (float(number) for number in coordinates.groups())
    try:
        place = Coordinates.at(latitude, longitude)
    except BadCoordinates as error:
        sentence = _("Latitudes are from -90 to 90, and longitudes from -180 to 180.")
        raise BadLocation(sentence) from error
    return ZipLocation("", place, str(place))


def find_zip(text: str) -> ZipLocation:
    """Find a postcode's place by its longest known prefix, in one batch of reads.

    What follows a hyphen is ignored. Raises BadPlace and NoSuchZip.
    """
    code = zip_code_of(text)
    if not code:
        raise BadLocation(_unknown(text))
    prefixes = [code[:length] for length in range(SHORTEST_PREFIX, len(code) + 1)]
    own_keys = map(keys.zip_prefix, prefixes)
    found = map(_zip_place, read_for_page((key, key) for key in own_keys))
    longest = max(found, key=lambda one: len(one.prefix), default=None)
    if longest is None:
        raise NoSuchZip(_unknown(text))
    return longest


def zip_code_of(text: str) -> str:
    """Return a postcode without blanks and what follows a hyphen; empty where it is none."""
    code = re.sub(r"\s", "", text.strip().upper().partition("-")[0])
    return code if _ZIP.fullmatch(code) else ""


def _unknown(text: str) -> str:
    sentence = _("We don't know “%(place)s”. Try a postcode such as 1100.")
    return sentence % {"place": text.strip()}


def put_zips(places: Iterable[ZipLocation]) -> int:
    """Write the places of zip prefixes; return how many were new or changed."""
    wanted = {keys.zip_prefix(place.prefix): place for place in places}
    found = read_items((key, key) for key in wanted)
    stored = {key: _zip_place(item) for (key, _sk), item in found.items()}
    changed = [place for key, place in wanted.items() if stored.get(key) != place]
    Batches(client(), pool()).put(TABLE, [_item(place).serialize() for place in changed])
    return len(changed)


def _item(place: ZipLocation) -> StoredPlace:
    key = keys.zip_prefix(place.prefix)
    return StoredPlace(
        pk=key,
        sk=key,
        latitude=place.place.latitude,
        longitude=place.place.longitude,
        city=place.city,
    )


def _zip_place(item: Item) -> ZipLocation:
    return ZipLocation(
        keys.zip_in(item["pk"]["S"]), Coordinates.of(item), item.get("city", {}).get("S", "")
    )
