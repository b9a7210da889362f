"""The figures of the site's last comparison, stored in an item of the shop's table."""

import bz2

from pynamodb.attributes import BinaryAttribute

from dynapages.calls import labelled_calls
from lab.figures import Figures
from shop import keys
from shop.models import ShopItem

CALLS_LABEL = "figures"


class StoredFigures(ShopItem):
    """The figures: compressed JSON."""

    figures = BinaryAttribute(legacy_encoding=False)


def store_figures(figures: Figures) -> None:
    """Store figures in the place of those of the run before."""
    compressed = bz2.compress(figures.as_json().encode())
    StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=compressed).save()


def find_stored() -> Figures | None:
    """Return the figures of the site's last run.

    None where there was none, or only one of a version whose figures had another shape.
    """
    with labelled_calls(CALLS_LABEL):
        try:
            stored = StoredFigures.get(keys.LAB, keys.LAB)
        except StoredFigures.DoesNotExist:
            return None
    # Figures of an older version are no failure: 'compare' writes new ones.
    try:
        return Figures.from_json(bz2.decompress(stored.figures).decode())
    except (OSError, ValueError, TypeError, KeyError):
        return None
