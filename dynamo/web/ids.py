"""Ids in addresses: converters for ``path()`` that keep keys within DynamoDB's limits.

A sort key holds 1,024 bytes and a partition key 2,048; DynamoDB answers a longer one with an
error, not with "nothing there". 128 characters of up to four bytes leave room for any prefix,
and an address with a longer id is simply no page.
"""

from django.urls import register_converter
from django.urls.converters import PathConverter, StringConverter


class Id(StringConverter):
    """``<id:…>``: any 1 to 128 characters but a slash."""

    regex = "[^/]{1,128}"


class IdWithSlashes(PathConverter):
    """``<id_with_slashes:…>``: any 1 to 128 characters; an address must not go on behind it."""

    regex = ".{1,128}"


def register_id_converters() -> None:
    """Make both known to ``path()``, once for the process."""
    register_converter(Id, "id")
    register_converter(IdWithSlashes, "id_with_slashes")
