"""The places that customers type: coordinates, or a postcode with a known prefix.

There is no geocoding: imports give the middle of the postcodes with a prefix.
"""

import re

from django.utils.translation import gettext as _

from shop import keys
from shop.pickup.cells import BadCoordinates, Coordinates
from shop.pickup.items import ZipLocation, zip_location_of
from shop.table import read_for_page

LONGEST_ZIP = 10
SHORTEST_PREFIX = 3
_NUMBER = r"[-+]?\d{1,3}(?:\.\d{1,20})?"
_COORDINATES = re.compile(rf"({_NUMBER})\s*[,;\s]\s*({_NUMBER})", re.ASCII)
_ZIP = re.compile(rf"[0-9A-Z]{{{SHORTEST_PREFIX},{LONGEST_ZIP}}}", re.ASCII)


class BadLocation(ValueError):
    """The text is neither coordinates nor a postcode; the message says what is."""


class NoSuchZip(LookupError):
    """No prefix of the postcode is known."""


def locate(text: str) -> ZipLocation:
    """Return the place of a postcode or of coordinates. Raises BadLocation and NoSuchZip."""
    coordinates = _COORDINATES.fullmatch(text.strip())
    if coordinates is None:
        return find_zip(text)
    latitude, longitude = coordinates.groups()
    try:
        place = Coordinates.at(float(latitude), float(longitude))
    except BadCoordinates as error:
        sentence = _("Latitudes are from -90 to 90, and longitudes from -180 to 180.")
        raise BadLocation(sentence) from error
    return ZipLocation("", place, str(place))


def find_zip(text: str) -> ZipLocation:
    """Return the place of a postcode by its longest known prefix, read in one batch.

    What follows a hyphen is ignored. Raises BadLocation and NoSuchZip.
    """
    code = zip_code_of(text)
    if not code:
        raise BadLocation(_unknown_place(text))
    prefix_keys = [
        keys.zip_prefix(code[:length]) for length in range(SHORTEST_PREFIX, len(code) + 1)
    ]
    items = read_for_page((key, key) for key in prefix_keys)
    if not items:
        raise NoSuchZip(_unknown_place(text))
    # The longest prefix names the smallest region.
    return max((zip_location_of(item) for item in items), key=_prefix_length)


def zip_code_of(text: str) -> str:
    """Return a postcode without blanks and what follows a hyphen; empty where it is none."""
    before_hyphen = text.strip().upper().partition("-")[0]
    code = re.sub(r"\s", "", before_hyphen)
    return code if _ZIP.fullmatch(code) else ""


def _prefix_length(location: ZipLocation) -> int:
    return len(location.prefix)


def _unknown_place(text: str) -> str:
    return _("We don't know “%(place)s”. Try a postcode such as 1100.") % {"place": text.strip()}
