"""URLs: ids in them, the site's own address, and links that choose a filter's value."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.urls import register_converter
from django.urls.converters import PathConverter, StringConverter


def site_of(request: HttpRequest) -> str:
    """Return SITE_URL; without it, as on a developer's machine, what the request was sent to."""
    return settings.SITE_URL or f"{request.scheme}://{request.get_host()}"


LONGEST_ID = 128
"""Characters of an id in a URL or a form."""


class Id(StringConverter):
    """``<id:…>``: any 1 to 128 characters but a slash."""

    regex = f"[^/]{{1,{LONGEST_ID}}}"


class IdWithSlashes(PathConverter):
    """``<id_with_slashes:…>``: any 1 to 128 characters, at the end of a URL."""

    regex = f".{{1,{LONGEST_ID}}}"


def register_id_converters() -> None:
    """Register both converters; once in a process."""
    register_converter(Id, "id")
    register_converter(IdWithSlashes, "id_with_slashes")


@dataclass(frozen=True, slots=True)
class Toggle:
    """A link that adds a value to the filter, or takes it out if it is ``pressed``.

    ``count`` is the number of items with that value, None if it is not known.
    """

    value: str
    label: str
    url: str
    pressed: bool
    count: int | None = None
