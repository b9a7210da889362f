"""What a change of comments still owes when it is committed: a due item in its own transaction.

Ranks, postings and the dependents of a deleted comment are written after the commit. Whoever
commits a change does so at once, and deletes the due item; where that fails, or the process ends,
the worker of any process does it (`comments.work`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from comments import keys
from comments.models import TABLE
from dynapages.process import background_client
from dynapages.work import Owed, Queue, worker
from dynapages.writes import Action

QUEUE = Queue("comments", TABLE, keys.due, client=background_client)
"""What comments owe, in their own table."""
FOLLOW, CLOSE = "follow", "close"
"""Kinds of due items: what follows from a change, and the deletion of a change that is in postings.
"""
PATIENCE = timedelta(minutes=1)
"""How long a change is left to the process that has committed it."""
SETTLED_AFTER = timedelta(seconds=2)
"""How long replicas may lag behind the last posting of a change."""


@dataclass(frozen=True, slots=True)
class Owes:
    """What follows from a change of comments.

    ``ranks`` are the products to rank, each with the place of a comment that may be its newest, or
    an empty one; ``votes`` the comments to rank by their votes; ``dependents`` the comments whose
    dependents are to be deleted; ``change`` is the sort key of a `WordChange`.
    """

    ranks: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    change: str = ""

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Owes":
        """Build it from what `due_item` has stored."""
        return cls(
            ranks=payload.get("ranks", {}),
            votes=tuple(payload.get("votes", ())),
            dependents=tuple(payload.get("dependents", ())),
            change=payload.get("change", ""),
        )

    def due_item(self) -> Owed | None:
        """Build the due item for the change's transaction; None where nothing is owed."""
        parts = {
            "ranks": dict(self.ranks),
            "votes": list(self.votes),
            "dependents": list(self.dependents),
            "change": self.change,
        }
        payload = {name: part for name, part in parts.items() if part}
        return QUEUE.owe(FOLLOW, payload, after=PATIENCE) if payload else None


NOTHING = Owes()


def ranks_of(product_ids: Iterable[str]) -> Owes:
    """Return the debt of the ranks of products."""
    return Owes(ranks=dict.fromkeys(product_ids, ""))


@dataclass(slots=True)
class Committed:
    """A change that is being committed, with its due item; None where it owes nothing.

    ``close_words`` deletes the change that names its postings, and returns False where others have
    taken it over; None where none are written. ``is_searchable`` is false where they could not be.
    """

    owed: Owed | None
    close_words: Callable[[], bool] | None = None
    is_searchable: bool = True

    @property
    def actions(self) -> list[Action]:
        """The action that stores the due item in the change's own transaction, if there is one."""
        return [self.owed.action] if self.owed else []

    def end(self, *outcomes: bool) -> None:
        """Have the due item deleted, once all that the change owed is done.

        ``outcomes`` tell whether each part was done, besides the postings. Where one was not, the
        worker of this process does it, or that of another one. Nobody waits for the deletion.
        """
        if self.owed is None:
            return
        if not (self.is_searchable and all(outcomes)):
            worker().wake(self.owed)
        elif self.close_words is None:
            worker().later(0, self._close)
        else:
            worker().later(SETTLED_AFTER.total_seconds(), self._close)

    def _close(self) -> None:
        if self.owed and (self.close_words is None or self.close_words()):
            QUEUE.done(self.owed)
