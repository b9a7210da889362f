"""Templates that a project has of its own, in place of those of apps."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.test import override_settings


@contextmanager
def own_templates(folder: Path, sources: Mapping[str, str]) -> Iterator[None]:
    """Have the templates of apps, and before them those of ``sources`` (by name) in ``folder``."""
    write_templates(folder, sources)
    with override_settings(TEMPLATES=[{**settings.TEMPLATES[0], "DIRS": [folder]}]):
        yield


def write_templates(folder: Path, sources: Mapping[str, str]) -> None:
    for name, source in sources.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
