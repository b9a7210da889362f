"""Ids from outside: a bound, and converters for ``path()``, to keep keys in DynamoDB's limits.

A sort key has at most 1,024 bytes and a partition key 2,048; DynamoDB answers a longer one with an
error. 128 characters of up to four bytes leave room for any prefix, and a URL with a longer id is
not found.
"""

from django.urls import register_converter
from django.urls.converters import PathConverter, StringConverter

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
