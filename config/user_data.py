"""All that is stored about a user, in the shop and among the comments, for exports and erasure."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from textwrap import indent
from typing import Any

from comments.erasure.user_data import TRACES as OF_COMMENTS
from dynapages.calls import Keyed
from dynapages.items import Item
from dynapages.upkeep import Trace
from shop.data.exports import walk_through
from shop.user_data import ACTIVITY, API_KEYS, EMAILS, PROFILE, PURCHASES

ReadMany = Callable[[Sequence[Keyed]], Iterable[Keyed]]
NAMES_AT_ONCE = 100


def held(trace: Trace, username: str, read: ReadMany) -> Iterator[list[dict[str, Any]]]:
    """Yield what is stored of a person of one kind, `NAMES_AT_ONCE` names at a time.

    Each item is its attributes by their names in the model. ``read`` returns the items that there
    are.
    """
    names = iter(trace.find(username))
    while some := list(dict.fromkeys(islice(names, NAMES_AT_ONCE))):
        wanted = [kept for name in some for kept in trace.keys(username, name)]
        found = {
            _identity(table, item): item
            for table, item in read([(table, key) for _, table, key in wanted])
        }
        items = [(model, found.get(_identity(table, key))) for model, table, key in wanted]
        yield [_attributes(model, item) for model, item in items if item]


def _identity(table: str, item: Item) -> tuple[str, str, str]:
    return table, item["pk"]["S"], item["sk"]["S"]


def _attributes(model: type[Any], item: Item) -> dict[str, Any]:
    """Return the values by their names in the model; what it does not know as it is stored."""
    known = {attribute.attr_name for attribute in model.get_attributes().values()}
    others = {name: next(iter(item[name].values())) for name in item.keys() - known}
    return {**model.from_raw_data(dict(item)).attribute_values, **others}


Batch = Sequence[Mapping[str, Any]]
Section = tuple[str, Iterable[Batch]]
"""A kind of data, and its items."""
ALL: Sequence[Trace] = (PROFILE, API_KEYS, EMAILS, PURCHASES, *OF_COMMENTS, ACTIVITY)
OWN: Sequence[Trace] = tuple(trace for trace in ALL if trace not in {EMAILS, ACTIVITY})
"""What keys of the user lead to. To find the rest, all that others have done is read as well."""
SECRETS = frozenset({"password", "totp_secret", "recovery_codes", "secret_hash"})
"""What somebody signs in with: whoever reads the export must not be able to."""
END = "\n  ]"


def sections_of(username: str, traces: Iterable[Trace], read: ReadMany) -> Iterator[Section]:
    """Yield the kinds of data of a user, and the orders; nothing is read before it is asked for."""
    for trace in traces:
        yield trace.kind, map(_without_secrets, held(trace, username, read))
    yield "orders", (batch.rows for batch in walk_through(username)(None))


def export_text(username: str, sections: Iterable[Section]) -> Iterator[str]:
    """Yield the text of the object, a part for each batch.

    What reading raises passes through; then a list is open: `END` closes it.
    """
    yield f'{{\n  "username": {json.dumps(username)}'
    for kind, batches in sections:
        yield f",\n  {json.dumps(kind)}: ["
        joint = ""
        for batch in filter(None, batches):
            yield joint + ",".join(map(_text, batch))
            joint = ","
        yield END
    yield "\n}\n"


def _text(item: Mapping[str, Any]) -> str:
    text = json.dumps(dict(item), default=_plain, ensure_ascii=False, indent=2)
    return "\n" + indent(text, "    ")


def _without_secrets(batch: Batch) -> Batch:
    return [{name: each[name] for name in each if name not in SECRETS} for each in batch]


def _plain(value: object) -> object:
    """Return what JSON has no form of: maps and lists of PynamoDB, moments, bytes."""
    if hasattr(value, "attribute_values"):
        return dict(value.attribute_values)
    return value.hex() if isinstance(value, bytes) else str(value)
