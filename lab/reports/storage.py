"""The figures of the last run of ``compare``, stored as one item of the table ``shop``.

Every web node reads them there. Compressed by bzip2, which takes a quarter less than zlib, they are
less than 4 KB: half a unit to read. Those of the documentation are in a file.
"""

import bz2
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from pynamodb.attributes import BinaryAttribute

from dynamo.calls.meter import labelled_calls
from lab.reports.results import Results
from shop import keys
from shop.models import ShopItem

LABEL = "figures"
PUBLISHED = Path("lab", "figures.jsonl")
"""Below ``docs``."""


class StoredFigures(ShopItem):
    """What the last run found: rows as JSON lines, compressed."""

    figures = BinaryAttribute(legacy_encoding=False)


def store(figures: Results) -> None:
    """Store figures in the place of those of the run before."""
    compressed = bz2.compress(figures.as_lines().encode())
    StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=compressed).save()


def find_stored() -> Results | None:
    """Return the figures of the last run.

    None where there was none, or only one of a version whose figures had another shape.
    """
    with labelled_calls(LABEL):
        try:
            stored = StoredFigures.get(keys.LAB, keys.LAB)
        except StoredFigures.DoesNotExist:
            return None
    try:
        return Results.of_lines(bz2.decompress(stored.figures).decode())
    except (OSError, ValueError, TypeError):
        return None


@lru_cache(maxsize=1)
def find_published() -> Results | None:
    """Return the figures of the documentation; None where the site runs without it."""
    path = settings.BASE_DIR / "docs" / PUBLISHED
    return Results.of_lines(path.read_text()) if path.exists() else None


def publish(figures: Results, folder: Path) -> Path:
    """Write figures into the documentation in a folder; return the file."""
    path = folder / PUBLISHED
    path.write_text(figures.as_lines())
    return path
