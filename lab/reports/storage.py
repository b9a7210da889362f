"""The figures of the last run of ``compare``, stored as one item of the table ``shop``.

Every web node reads them there. Compressed they are a few kilobytes: a read costs a unit at most.
Those of the documentation are in a file.
"""

import json
import zlib
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from pynamodb.attributes import BinaryAttribute

from dynamo.calls.meter import labelled_calls
from lab.reports.design_figures import LabFigures
from shop import keys
from shop.models import ShopItem

LABEL = "figures"
PUBLISHED = Path("lab", "figures.json")
"""Below ``docs``."""


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


@lru_cache(maxsize=1)
def find_published() -> LabFigures | None:
    """Return the figures of the documentation; None where the site runs without it."""
    path = settings.BASE_DIR / "docs" / PUBLISHED
    return LabFigures.of_dict(json.loads(path.read_text())) if path.exists() else None


def publish(figures: LabFigures, folder: Path) -> Path:
    """Write figures into the documentation in a folder; return the file."""
    path = folder / PUBLISHED
    path.write_text(json.dumps(figures.as_dict(), indent=1) + "\n")
    return path
