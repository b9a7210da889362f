"""The figures of the last run of ``compare``, stored as one item of the table ``shop``.

Every web node reads them there. Compressed they are a few kilobytes: a read costs a unit at most.
"""

import json
import zlib

from pynamodb.attributes import BinaryAttribute

from dynamo.calls.meter import labelled_calls
from lab.reports.design_figures import LabFigures
from shop import keys
from shop.models import ShopItem

LABEL = "figures"


class StoredFigures(ShopItem):
    """What the last run found: JSON, compressed."""

    figures = BinaryAttribute(legacy_encoding=False)


def store(figures: LabFigures) -> None:
    """Store figures in the place of those of the run before."""
    text = json.dumps(figures.as_dict(), separators=(",", ":"))
    StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=zlib.compress(text.encode(), 9)).save()


def find_stored() -> LabFigures | None:
    """Return the figures of the last run.

    None where there was none, or only one of a version whose figures had another shape.
    """
    with labelled_calls(LABEL):
        try:
            stored = StoredFigures.get(keys.LAB, keys.LAB)
        except StoredFigures.DoesNotExist:
            return None
    try:
        return LabFigures.of_dict(json.loads(zlib.decompress(stored.figures)))
    except (KeyError, TypeError):
        return None
