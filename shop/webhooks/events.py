"""Events: what webhooks are told of, in ids and facts; no text, and nobody's name.

What was taken back here must not be kept elsewhere: whoever needs more asks the API.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy

from dynapages.lists import timestamp

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

TEST = "webhook.test"
ORDER_PLACED = "order.placed"
ORDER_MOVED = "order.moved"
MEANINGS: dict[str, "StrPromise"] = {
    ORDER_PLACED: gettext_lazy("An order was placed."),
    ORDER_MOVED: gettext_lazy("An order moved to another status."),
}
"""What a webhook can be told of, by type of event. A project adds its own when apps are ready.

`TEST` is sent to any webhook, when staff ask for it.
"""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: its type, when (as in ISO 8601, in UTC), and the facts."""

    type: str
    timestamp: str
    data: Mapping[str, Any]

    @classmethod
    def at(cls, moment: datetime, event_type: str, data: Mapping[str, Any]) -> "Event":
        """Build the event of a moment (aware)."""
        return cls(event_type, timestamp(moment), data)

    @classmethod
    def of_list(cls, values: Sequence[Any]) -> "Event":
        """Build it from what `as_list` returned."""
        event_type, moment, data = values
        return cls(event_type, moment, data)

    def as_list(self) -> list[Any]:
        """Return it as JSON, for the payload of a due item."""
        return [self.type, self.timestamp, dict(self.data)]

    @property
    def id(self) -> str:
        """The id, which is the same however often the event is sent: it follows from the rest."""
        return f"evt_{digest_of(self.as_list(), size=16)}"

    @property
    def body(self) -> bytes:
        """The body of a delivery, as Standard Webhooks has it."""
        content = {"type": self.type, "timestamp": self.timestamp, "data": dict(self.data)}
        return json.dumps(content, separators=(",", ":")).encode()


def digest_of(values: Sequence[Any], *, size: int) -> str:
    """Return a digest of values that JSON can hold, of ``size`` bytes, in hexadecimal digits."""
    text = json.dumps(values, separators=(",", ":"), sort_keys=True)
    return blake2b(text.encode(), digest_size=size).hexdigest()
