"""The figures of the last run, kept as one item of the table ``shop``.

Every web node of a site finds them there. Compressed they are a few kilobytes, so that the page
costs a unit at the most.
"""

import json
import zlib

from pynamodb.attributes import BinaryAttribute

from dynamo.calls.meter import labelled_calls
from lab.designs.figures import LabFigures
from shop import keys
from shop.models import ShopItem

LABEL = "figures"


class KeptFigures(ShopItem):
    """What the last run of the lab found: JSON, compressed."""

    figures = BinaryAttribute(legacy_encoding=False)


def keep(figures: LabFigures) -> None:
    """Keep figures in the place of those of the run before."""
    spelled = json.dumps(figures.as_dict(), separators=(",", ":")).encode()
    KeptFigures(pk=keys.LAB, sk=keys.LAB, figures=zlib.compress(spelled, 9)).save()


def find_kept() -> LabFigures | None:
    """Give the figures of the last run.

    None where there was none, or only one of an older version that told other things.
    """
    with labelled_calls(LABEL):
        try:
            kept = KeptFigures.get(keys.LAB, keys.LAB)
        except KeptFigures.DoesNotExist:
            return None
    try:
        return LabFigures.of_dict(json.loads(zlib.decompress(kept.figures)))
    except (KeyError, TypeError):
        return None
