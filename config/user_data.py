"""All that is stored about a user, in the shop and among the comments, for exports and erasure.

`sections_of` reads it, kind by kind; `export_text` writes it as an object of JSON.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from textwrap import indent
from typing import Any

from comments.erasure.user_data import TRACES as COMMENT_TRACES
from dynapages.calls import Keyed
from dynapages.items import Item
from dynapages.upkeep import Trace
from shop.data.exports import walk_through
from shop.user_data import ACTIVITY, API_KEYS, EMAILS, PROFILE, PURCHASES, REQUESTS

ALL_TRACES: Sequence[Trace] = (
    PROFILE,
    API_KEYS,
    EMAILS,
    REQUESTS,
    PURCHASES,
    *COMMENT_TRACES,
    ACTIVITY,
)
OWN_TRACES: Sequence[Trace] = (PROFILE, API_KEYS, REQUESTS, PURCHASES, *COMMENT_TRACES)
"""What keys of the user lead to. To find the rest, all that others have done is read as well."""
SECRETS = frozenset({"password", "totp_secret", "recovery_codes", "secret_hash"})
"""What somebody signs in with: whoever reads the export must not be able to."""
NAMES_AT_A_TIME = 100
LIST_END = "\n  ]"
"""Closes the list of a kind of data in `export_text`."""

ReadMany = Callable[[Sequence[Keyed]], Iterable[Keyed]]
"""Returns those of the items at some keys that there are, each with its table."""
Batch = Sequence[Mapping[str, Any]]
Section = tuple[str, Iterable[Batch]]
"""A kind of data, and its items."""


# Reading


def sections_of(username: str, traces: Iterable[Trace], read: ReadMany) -> Iterator[Section]:
    """Yield the kinds of data of a user, and the orders; each is read while it is iterated."""
    for trace in traces:
        yield trace.kind, _batches_of(trace, username, read)
    yield "orders", (batch.rows for batch in walk_through(username)(None))


def _batches_of(trace: Trace, username: str, read: ReadMany) -> Iterator[Batch]:
    """Yield what is stored of a user of one kind, `NAMES_AT_A_TIME` names at a time.

    Each item is its attributes by their names in the model, without secrets.
    """
    names = iter(trace.find(username))
    while some_names := list(dict.fromkeys(islice(names, NAMES_AT_A_TIME))):
        keys: list[tuple[type[Any], str, Item]] = []
        for name in some_names:
            keys += trace.keys(username, name)
        stored = {}
        for table, item in read([(table, key) for _model, table, key in keys]):
            stored[_identity(table, item)] = item
        batch = []
        for model, table, key in keys:
            stored_item = stored.get(_identity(table, key))
            if stored_item:
                batch.append(_attributes(model, stored_item))
        yield batch


def _identity(table: str, item: Item) -> tuple[str, str, str]:
    return table, item["pk"]["S"], item["sk"]["S"]


def _attributes(model: type[Any], item: Item) -> dict[str, Any]:
    """Return the values of an item, without secrets, by their names in the model.

    Attributes that the model does not have keep their stored names.
    """
    known = {attribute.attr_name for attribute in model.get_attributes().values()}
    values = dict(model.from_raw_data(dict(item)).attribute_values)
    for name in item.keys() - known:
        (values[name],) = item[name].values()
    for name in SECRETS & values.keys():
        del values[name]
    return values


# Writing


def export_text(username: str, sections: Iterable[Section]) -> Iterator[str]:
    """Yield the text of the object, a part for each batch.

    What reading raises passes through; then a list is open: `LIST_END` closes it.
    """
    yield f'{{\n  "username": {json.dumps(username)}'
    for kind, batches in sections:
        yield f",\n  {json.dumps(kind)}: ["
        separator = ""
        for batch in batches:
            if batch:
                yield separator + ",".join(_text(item) for item in batch)
                separator = ","
        yield LIST_END
    yield "\n}\n"


def _text(item: Mapping[str, Any]) -> str:
    text = json.dumps(dict(item), default=_plain, ensure_ascii=False, indent=2)
    return "\n" + indent(text, "    ")


def _plain(value: object) -> object:
    """Return what JSON has no form of: maps and lists of PynamoDB, moments, bytes."""
    if hasattr(value, "attribute_values"):
        return dict(value.attribute_values)
    if isinstance(value, bytes):
        return value.hex()
    return str(value)
