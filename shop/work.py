"""What the shop owes: a due item in the transaction that owes it, such as an e-mail.

A worker does it, in each web process or in a process of its own (see `dynapages.work`). Kinds are
registered by the modules that do them.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime

from dynapages.process import background_client, client
from dynapages.work import Owed, Queue, worker
from dynapages.writes import Action, write_item
from shop import keys
from shop.table import TABLE

QUEUE = Queue("shop", TABLE, keys.due, client=background_client)
"""What is owed is stored in the table of the shop."""


def actions_of(owes: Iterable[Owed]) -> list[Action]:
    """Return the actions that store what is owed, for the transaction that owes it."""
    return [owed.action for owed in owes]


def do_at_once(owes: Iterable[Owed]) -> None:
    """Have the worker of this process do what was stored; nobody waits for it."""
    for owed in owes:
        worker().wake(owed)


def owe_alone(owed: Owed) -> None:
    """Store what is owed by nothing that is written, and have it done at once.

    One write. Raises botocore's errors.
    """
    write_item(client(), owed.action)
    worker().wake(owed)


def everything_owed(*, until: datetime | None = None) -> Iterator[Owed]:
    """Yield all that waits, ``until`` a moment or whatever its own, and all that was given up.

    Strongly consistent.
    """
    yield from QUEUE.waiting(until=until)
    yield from QUEUE.dead()
