"""How many requests for reviews were sent, opened and followed by a comment, by day.

One item has the counts of a month (UTC): attributes such as ``a05``, the requests that a mail
server took on the fifth. What came of a request is counted on the day on which it was sent. Each
count changes in the transaction that notes on the request's own item what is counted, so once.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from comments import keys
from comments.models import TABLE
from dynapages.calls import labelled_calls
from dynapages.items import Item
from dynapages.process import page_batches
from dynapages.writes import Action, Expression, update

ASKED = "a"
OPENED = "o"
REVIEWED = "r"
DAYS = 30
"""Of which the figures are, today's included."""


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How many requests were sent, and how many of these were opened, and followed by a comment."""

    asked: int
    opened: int
    reviewed: int


def count_one(asked_at: datetime, *events: str) -> Action:
    """Build the update that counts one more of each of these events.

    ``asked_at`` is when the request was sent.
    """
    names: dict[str, str] = {}
    additions: list[str] = []
    for number, event in enumerate(events):
        names[f"#{number}"] = _attribute(event, asked_at)
        additions.append(f"#{number} :one")
    changes = Expression(f"ADD {', '.join(additions)}", names, {":one": {"N": "1"}})
    return update(TABLE, keys.requests_of_month(_month(asked_at)), changes)


def read_request_counts(now: datetime) -> RequestCounts:
    """Return the counts of the last `DAYS` days, by one call; half a unit for each month.

    These are two months, but three on the first of March. Metered as ``review requests``.
    """
    days = [now - timedelta(days=before) for before in range(DAYS)]
    months = sorted({_month(day) for day in days})
    with labelled_calls("review requests"):
        items = page_batches().get(
            TABLE, [keys.requests_of_month(month) for month in months], consistent=False
        )
    by_key = {item["pk"]["S"]: item for item in items}

    def total(event: str) -> int:
        number = 0
        for day in days:
            item = by_key.get(keys.requests_of_month(_month(day))["pk"]["S"], {})
            number += _count_in(item, event, day)
        return number

    return RequestCounts(total(ASKED), total(OPENED), total(REVIEWED))


def _count_in(item: Item, event: str, day: datetime) -> int:
    return int(item.get(_attribute(event, day), {"N": "0"})["N"])


def _attribute(event: str, day: datetime) -> str:
    return f"{event}{day:%d}"


def _month(day: datetime) -> str:
    return f"{day:%Y-%m}"
