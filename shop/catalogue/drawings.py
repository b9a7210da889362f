"""Drawings of categories, from one file of symbols: a category has the one of its slug."""

import re
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from django.contrib.staticfiles import finders
from django.templatetags.static import static

FILE = "tiles.svg"


def drawing_url(slugs: Iterable[str]) -> str:
    """Return the address of the drawing of the first slug that has one; empty for none."""
    return next((f"{static(FILE)}#{slug}" for slug in slugs if slug in _drawn()), "")


@lru_cache(maxsize=1)
def _drawn() -> frozenset[str]:
    path = finders.find(FILE)
    if path is None:
        return frozenset()
    return frozenset(re.findall(r'<symbol id="([^"]+)"', Path(path).read_text(encoding="utf-8")))
