"""What is stored about a user as one object of JSON, read and written some items at a time."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import indent
from typing import Any

from comments.erasure.user_data import IMPORTED, TRACES
from dynamo.upkeep.erasure import ReadMany, Trace, held
from shop.activity.user_data import ACTIVITY
from shop.exports import walk_through
from shop.user_data import PROFILE, PURCHASES

Batch = Sequence[Mapping[str, Any]]
Section = tuple[str, Iterable[Batch]]
"""A kind of data, and its items."""
ALL: Sequence[Trace] = (PROFILE, PURCHASES, *TRACES, ACTIVITY)
OWN: Sequence[Trace] = tuple(trace for trace in ALL if trace not in {IMPORTED, ACTIVITY})
"""What keys of the user lead to. To find the rest, all that others have done is read as well."""
SECRETS = frozenset({"password", "totp_secret", "recovery_codes"})
"""What a profile has to sign in with: whoever reads the export must not be able to."""
END = "\n  ]"


def sections_of(username: str, traces: Iterable[Trace], read: ReadMany) -> Iterator[Section]:
    """Yield the kinds of data of a user, and the orders; nothing is read before it is asked for.

    Reading raises botocore's errors.
    """
    for trace in traces:
        batches = held(trace, username, read)
        yield trace.kind, map(_without_secrets, batches) if trace is PROFILE else batches
    yield "orders", (batch.rows for batch in walk_through(username)(None))


def export_text(username: str, sections: Iterable[Section]) -> Iterator[str]:
    """Yield the text of the object, a part for each batch; what reading raises passes through.

    Then a list is open: `END` closes it.
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


def _without_secrets(profiles: Batch) -> Batch:
    return [{name: each[name] for name in each if name not in SECRETS} for each in profiles]


def _plain(value: object) -> object:
    """Return what JSON has no form of: maps and lists of PynamoDB, moments, bytes."""
    if hasattr(value, "attribute_values"):
        return dict(value.attribute_values)
    return value.hex() if isinstance(value, bytes) else str(value)
