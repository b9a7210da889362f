"""The one place that writes comments: a change, the counts it changes, and what follows from it.

`write_comments` writes changes of comments in one transaction with the counts of their products.
What is derived from comments elsewhere follows by hooks, which `comments.work` sets: the copies of
the read model ``sets``, the postings of searches, and the ranks of comments and products
(`set_hooks`). A hook returns what belongs in the transaction, and what it does after the commit.

What is done after the commit is *owed*: the transaction stores a due item that names it. Whoever
commits a change does all of it at once, and then deletes the due item; where that fails, or the
process ends, the worker of any process does it (`comments.work`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any

from comments import keys, signals
from comments.models import TABLE, Comment
from comments.store import counts, dependents
from comments.store.states import is_listed, is_tombstone, product_id_of
from dynapages.calls import OutOfTime, Started, Together
from dynapages.items import Item
from dynapages.lists import id_at, moment_at
from dynapages.process import background_client, pool
from dynapages.pynamodb import FAILURES
from dynapages.work import Owed, Queue, worker
from dynapages.writes import Action

QUEUE = Queue("comments", TABLE, keys.due, client=background_client)
"""What comments owe, in their own table."""
FOLLOW = "follow"
"""The kind of a due item for what follows from a change."""
CLOSE = "close"
"""The kind of a due item for the deletion of a change that is in postings."""
PATIENCE = timedelta(minutes=1)
"""How long a change is left to the process that has committed it."""
SETTLED_AFTER = timedelta(seconds=2)
"""How long replicas may lag behind the last posting of a change."""
MOST_EVENTS = 1
"""Due items in a transaction of what the project owes: see `comment_events`."""
_PLACE = Comment.place.attr_name
_LANGUAGE = Comment.language.attr_name
_RATING = Comment.rating.attr_name


@dataclass(frozen=True, slots=True)
class CommentChange:
    """A comment's item before and after, None for none, and both whole texts where they are known.

    A text that is not known is read where it is long.
    """

    before: Item | None
    after: Item | None
    text_before: str | None = None
    text_after: str | None = None

    @property
    def was_listed(self) -> bool:
        return self.before is not None and is_listed(self.before)

    @property
    def is_listed(self) -> bool:
        return self.after is not None and is_listed(self.after)

    @property
    def is_return(self) -> bool:
        """Whether it puts a comment into its lists that was hidden or held."""
        return self.before is not None and self.is_listed and not self.was_listed

    @property
    def is_deletion(self) -> bool:
        """Whether it puts a tombstone in the place of a comment."""
        if self.before is None or self.after is None:
            return False
        return is_tombstone(self.after) and not is_tombstone(self.before)

    @property
    def comment_id(self) -> str:
        return id_at(self._comment[_PLACE]["S"])

    @property
    def product_id(self) -> str:
        """The product after it, or of a comment that is deleted, before."""
        return product_id_of(self._comment)

    @property
    def newest_place(self) -> str:
        """The place of a comment that is put into lists, maybe the newest of its product; or ""."""
        if self.after is None or self.was_listed or not self.is_listed:
            return ""
        place: str = self.after[_PLACE]["S"]
        return place

    @property
    def place_before(self) -> str:
        """The place before it, or ""."""
        if self.before is None:
            return ""
        place: str = self.before[_PLACE]["S"]
        return place

    @property
    def ratings(self) -> tuple[int, ...]:
        """The ratings before and after, of those items that have one."""
        items = [item for item in (self.after, self.before) if item is not None]
        return tuple(int(item[_RATING]["N"]) for item in items if _RATING in item)

    @property
    def _comment(self) -> Item:
        if self.after is not None and not self.is_deletion:
            return self.after
        return self.before or {}


# What is owed


@dataclass(frozen=True, slots=True)
class Owes:
    """What follows from a change of comments.

    ``ranks`` are the products to rank, each with the place of a comment that may be its newest, or
    an empty one; ``votes`` the comments to rank by their votes; ``dependents`` the comments whose
    dependents are to be deleted; ``change`` is the sort key of a `WordChange`; ``ratings`` are the
    products whose ratings have changed.
    """

    ranks: Mapping[str, str] = field(default_factory=dict)
    votes: tuple[str, ...] = ()
    dependents: tuple[str, ...] = ()
    change: str = ""
    ratings: tuple[str, ...] = ()

    @classmethod
    def of(cls, payload: Mapping[str, Any]) -> "Owes":
        """Build it from what `due_item` has stored."""
        return cls(
            ranks=payload.get("ranks", {}),
            votes=tuple(payload.get("votes", ())),
            dependents=tuple(payload.get("dependents", ())),
            change=payload.get("change", ""),
            ratings=tuple(payload.get("ratings", ())),
        )

    def and_also(self, other: "Owes") -> "Owes":
        """Return what this and another change owe together."""
        return Owes(
            ranks={**self.ranks, **other.ranks},
            votes=(*self.votes, *other.votes),
            dependents=(*self.dependents, *other.dependents),
            change=self.change or other.change,
            ratings=(*self.ratings, *other.ratings),
        )

    def due_item(self) -> Owed | None:
        """Build the due item for the change's transaction; None where nothing is owed."""
        parts = {
            "ranks": dict(self.ranks),
            "votes": list(self.votes),
            "dependents": list(self.dependents),
            "change": self.change,
            "ratings": list(self.ratings),
        }
        payload = {name: part for name, part in parts.items() if part}
        if not payload:
            return None
        return QUEUE.owe(FOLLOW, payload, after=PATIENCE)


@dataclass(slots=True)
class Committed:
    """A change that is being committed, with its due item; None where it owes nothing.

    ``close`` deletes what is stored until the change has settled, and returns False where others
    have taken it over; None where nothing is.
    """

    owed: Owed | None
    close: Callable[[], bool] | None = None

    @property
    def actions(self) -> list[Action]:
        """The action that stores the due item in the change's own transaction, if there is one."""
        return [self.owed.action] if self.owed else []

    def end(self, *, is_done: bool) -> None:
        """Have the due item deleted, once all that the change owed is done.

        Where something was not, the worker of this process does it, or that of another one. Nobody
        waits for the deletion.
        """
        if self.owed is None:
            return
        if not is_done:
            worker().wake(self.owed)
        elif self.close is None:
            worker().later(0, self._delete_due_item)
        else:
            # Replicas that lag may still show old postings: until then searches read the change.
            worker().later(SETTLED_AFTER.total_seconds(), self._delete_due_item)

    def _delete_due_item(self) -> None:
        if self.owed and (self.close is None or self.close()):
            QUEUE.done(self.owed)


# What follows from a change


def nothing_to_do() -> bool:
    """Return True, as all is done: the `finish` of what needs nothing after the commit."""
    return True


@dataclass(frozen=True, slots=True)
class Following:
    """What a hook has to do about some changes of comments.

    ``actions`` belong in their transaction. ``read_meanwhile``, if there is one, is called at the
    same time as that, and may fail. ``finish`` is called after the commit, maybe in a thread of the
    pool: it logs what fails, and returns whether all is done. ``owes`` names this for the worker.
    ``close``, if there is one, is called once the change has settled, before the due item is
    deleted.
    """

    actions: Sequence[Action] = ()
    owes: Owes = field(default_factory=Owes)
    read_meanwhile: Callable[[], None] | None = None
    finish: Callable[[], bool] = nothing_to_do
    close: Callable[[], bool] | None = None


NOTHING_FOLLOWS = Following()
Hook = Callable[[Sequence[CommentChange]], Following]
"""Returns what follows from changes that are about to be written; it may read."""


@dataclass(frozen=True, slots=True)
class DerivedTable:
    """A table of items that are derived from comments, if the project ``has_it``."""

    has_it: Callable[[], bool]
    hook: Hook


def nothing_follows(_changes: Sequence[CommentChange]) -> Following:
    """Return that nothing follows."""
    return NOTHING_FOLLOWS


@dataclass(slots=True)
class _Hooks:
    tables: Sequence[DerivedTable] = ()
    rank_returned: Hook = nothing_follows
    rate_products: Hook = nothing_follows
    rank_products: Hook = nothing_follows


_hooks = _Hooks()
CommentEvents = Callable[[Sequence[CommentChange]], Sequence[Owed]]
comment_events: set[CommentEvents] = set()
"""Each returns what the project owes because of changes that are about to be written, such as
events for others: one due item at the most, stored in the transaction of the changes. What one
raises stops the write. They are added where Django makes apps ready.
"""


def set_hooks(
    *,
    tables: Sequence[DerivedTable],
    rank_returned: Hook,
    rate_products: Hook,
    rank_products: Hook,
) -> None:
    """Set what follows changes of comments, which is finished at the same time.

    ``tables`` have items that are derived from comments, ``rank_returned`` is about comments that
    are put into their lists again; ``rate_products`` and ``rank_products`` are about the products
    of all. The last is finished in the writer's own thread: it may ask the project for names.
    """
    _hooks.tables = tables
    _hooks.rank_returned = rank_returned
    _hooks.rate_products = rate_products
    _hooks.rank_products = rank_products


def has_derived_tables() -> bool:
    """Return whether a change of what lists show must be made from the whole item."""
    return any(table.has_it() for table in _hooks.tables)


def write_comments(
    changes: Sequence[CommentChange],
    actions: Sequence[Action],
    *,
    are_ranked: bool = True,
    are_announced: bool = True,
) -> None:
    """Write the ``actions`` that make changes of comments, and all that follows from the changes.

    The actions must require that version, product and reply of each comment are as they were
    before. A caller who ranks and rates the products later says that they are not ``are_ranked``
    here, and an import of which nobody hears that they are not ``are_announced``. Raises
    ConditionFailed with the numbers of ``actions``, and Contended; what fails after the commit is
    logged, and left to the worker.
    """
    # Hooks come first: their actions belong in the same transaction.
    followings = [table.hook(changes) for table in _hooks.tables if table.has_it()]
    if are_ranked:
        returned = [change for change in changes if change.is_return]
        if returned:
            followings.append(_hooks.rank_returned(returned))
        followings.append(_hooks.rate_products(changes))
        followings.append(_hooks.rank_products(changes))
    deleted = [change.comment_id for change in changes if change.is_deletion]
    committed = _committed(followings, deleted)
    events = _events_owed(changes) if are_announced else []

    in_transaction = list(actions)
    for following in followings:
        in_transaction += following.actions
    in_transaction += committed.actions
    in_transaction += [owed.action for owed in events]
    with pool().together() as together:
        reads: list[Started[None] | None] = []
        for following in followings:
            read = following.read_meanwhile
            reads.append(None if read is None else together.start(read))
        counts.write_with_counts(in_transaction, _counted(changes))

        # The change stands from here on: what fails now is logged and owed.
        for owed in events:
            worker().wake(owed)
        calls = [partial(dependents.delete_dependents_or_log, each) for each in deleted]
        for following, started in zip(followings, reads, strict=True):
            calls.append(partial(_finish, following, started))
        outcomes = _outcomes(together, calls)
    committed.end(is_done=all(outcomes))


def _events_owed(changes: Sequence[CommentChange]) -> list[Owed]:
    """Return what the project owes because of changes; nothing of what is not announced."""
    owes: list[Owed] = []
    if not signals.are_silent():
        for events_of in comment_events:
            owes += events_of(changes)
    return owes


def _finish(following: Following, read: Started[None] | None) -> bool:
    """Do what follows after the commit; return whether all is done."""
    if read is not None:
        # What could not be read meanwhile is read now.
        with suppress(*FAILURES):
            read.result()
    return following.finish()


def _outcomes(together: Together, calls: Sequence[Callable[[], bool]]) -> list[bool]:
    """Return what calls return that are made at the same time, the last one in this thread."""
    started = [together.start(call) for call in calls[:-1]]
    outcomes = [call() for call in calls[-1:]]
    for each in started:
        try:
            outcomes.append(each.result())
        except OutOfTime:
            outcomes.append(False)
    return outcomes


def _committed(followings: Iterable[Following], deleted: Sequence[str]) -> Committed:
    """Return the change with its due item, which names all that it owes."""
    owes = Owes(dependents=tuple(deleted))
    close = None
    for following in followings:
        owes = owes.and_also(following.owes)
        # Only postings are closed: no other table has marks to delete.
        close = close or following.close
    return Committed(owes.due_item(), close)


def _counted(changes: Iterable[CommentChange]) -> counts.CountChanges:
    """Return what changes of comments add to the counts of their products."""
    counted = counts.CountChanges()
    for change in changes:
        # One that stays in its cell is counted out and in; a sum of zero is not written.
        if change.before is not None and change.was_listed:
            _count(counted, change.before, -1)
        if change.after is not None and change.is_listed:
            _count(counted, change.after, 1)
    return counted


def _count(counted: counts.CountChanges, comment: Item, number: int) -> None:
    cell = comment[_LANGUAGE]["S"], int(comment[_RATING]["N"])
    counted.add(product_id_of(comment), cell, moment_at(comment[_PLACE]["S"]), number)
