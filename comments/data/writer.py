"""Bulk writes of comments, for imports and the sample data.

The stored items are read first, so that an interrupted load is resumed by starting it again.
Comments are put some dozens to a transaction with their bodies, counts and primary items, on
condition that what was read is still stored. The ranks are derived at the end: `rank_products`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass
from functools import partial
from operator import add

from comments import keys
from comments.data.upserts import Change, Verdict
from comments.items import NewComment
from comments.models import TABLE
from comments.rankings.derivation import Touch
from comments.rankings.services import refresh_ranks
from comments.signals import announce, comment_edited, comment_posted
from comments.store.comments import State, comment_in
from comments.store.counts import CountChanges, write
from comments.store.table import ATTEMPTS, comment_key
from dynapages.calls import Batches, clock
from dynapages.django.options import Progress
from dynapages.writes import MOST_ACTIONS, ConditionFailed, Contended

CHUNK = 1_000
"""Comments written at a time: some rounds of parallel transactions."""
CHUNK_CHARACTERS = 8_000_000
"""Text of a chunk, at the most: what bounds the memory of a load."""
TRANSACTION_CHARACTERS = 800_000
"""Text of a transaction, at the most: DynamoDB takes 4 MB in one, of up to 4 bytes a character."""


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """The numbers of comments by verdict; ``moved`` of the replaced were about another product.

    ``collided`` are those with the id of a comment that is none of their versions.
    """

    new: int = 0
    replaced: int = 0
    unchanged: int = 0
    superseded: int = 0
    moved: int = 0
    collided: int = 0

    @classmethod
    def of(cls, changes: Sequence[Change]) -> "VerdictCounts":
        counts = Counter(change.verdict.name.lower() for change in changes)
        return cls(
            **counts,
            moved=sum(change.is_move for change in changes),
            collided=sum(change.is_collision for change in changes),
        )

    def __add__(self, other: "VerdictCounts") -> "VerdictCounts":
        return VerdictCounts(*map(add, astuple(self), astuple(other)))


Prepare = Callable[[set[str]], object]


class BulkWriter:
    """Writes comments in bulk; ``announces`` them by signals if it is told to."""

    def __init__(self, batches: Batches, *, announces: bool = False) -> None:
        self._batches = batches
        self._announces = announces
        self._touched: set[str] = set()
        self._known: dict[str, Touch] = {}

    def write(self, comments: Sequence[NewComment]) -> VerdictCounts:
        """Write the comments that are new or newer than stored, and count the verdicts.

        Ids must not repeat, and the number must be bounded (`in_chunks`). Raises Contended when
        others keep changing the same comments; the same call again writes the rest.
        """
        return VerdictCounts.of(self.put(comments))

    def put(
        self, comments: Sequence[NewComment], *, prepare: Prepare = lambda _products: None
    ) -> list[Change]:
        """Do what `write` does, and return the changes.

        ``prepare`` is called with the products of comments before these are written.
        """
        decided: list[Change] = []
        for _ in range(ATTEMPTS):
            changes = self.compare(comments)
            self._note(changes)
            needed = [change for change in changes if change.is_needed]
            prepare({change.comment.product_id for change in needed})
            lost = self._put(needed)
            if self._announces:
                _announce(change for change in needed if change.comment.id not in lost)
            decided += [change for change in changes if change.comment.id not in lost]
            comments = [comment for comment in comments if comment.id in lost]
            if not comments:
                return decided
        raise Contended(f"{len(comments)} comments were changed by others at every attempt.")

    def rank_products(self, progress: Progress) -> None:
        """Derive the ranks of all products of the comments written since the last call.

        Where all comments of a product were stored already its ranks are only compared. A failure
        is logged and not raised.
        """
        touched = {p: touch for p, touch in self._known.items() if p in self._touched}
        seen = {p: touch for p, touch in self._known.items() if p not in self._touched}
        with progress.step("Ranking", total=len(self._known), unit=" products") as advance:
            if refresh_ranks(touched, log_failures=True, advance=advance):
                refresh_ranks(seen, only_stale=True, log_failures=True, advance=advance)
        self._touched, self._known = set(), {}

    def _note(self, changes: Iterable[Change]) -> None:
        for change in changes:
            if change.is_needed:
                self._touched |= change.products
            for product in {change.comment.product_id, *change.left_products}:
                is_new = product == change.comment.product_id
                place = change.place if is_new else ""
                seen = int(is_new and change.verdict is not Verdict.SUPERSEDED)
                known = self._known.get(product, Touch())
                self._known[product] = Touch(max(known.newest, place), known.seen + seen)

    def compare(self, comments: Sequence[NewComment]) -> list[Change]:
        """Read what is stored under the ids of comments, and return what they would change."""
        table_keys = [comment_key(comment.id) for comment in comments]
        found = {item["pk"]["S"]: item for item in self._batches.get(TABLE, table_keys)}
        return [
            Change.between(found.get(keys.comment(comment.id)), comment) for comment in comments
        ]

    def _put(self, changes: Sequence[Change]) -> set[str]:
        lost = self._batches.pool.gather(
            [partial(_write_together, group) for group in _transactions(changes)]
        )
        return {comment_id for group in lost for comment_id in group}


def _announce(changes: Iterable[Change]) -> None:
    for change in changes:
        comment, now = change.comment, clock.now()
        about = partial(announce, comment_id=comment.id, moment=now, comment=comment)
        if change.stored is None:
            about(comment_posted, was=None)
        else:
            about(comment_edited, before=comment_in(change.stored), state=State.of(change.stored))


def _write_together(changes: Sequence[Change]) -> list[str]:
    counted = CountChanges()
    for change in changes:
        change.count(counted)
    try:
        write([action for change in changes for action in change.actions()], counted)
    except ConditionFailed:
        return [change.comment.id for change in changes]
    return []


def _transactions(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Divide changes into transactions that DynamoDB takes, their counts included."""
    group: list[Change] = []
    actions, characters, products = 0, 0, set[str]()
    for change in sorted(changes, key=lambda change: change.comment.product_id):
        actions += change.cost
        characters += change.characters
        products |= change.products
        is_full = actions + len(products) > MOST_ACTIONS or characters > TRANSACTION_CHARACTERS
        if group and is_full:
            yield group
            group = []
            actions, characters = change.cost, change.characters
            products = set(change.products)
        group.append(change)
    if group:
        yield group


def in_chunks(comments: Iterable[NewComment]) -> Iterator[list[NewComment]]:
    """Divide comments into lists of bounded size, however long their texts are."""
    chunk: list[NewComment] = []
    characters = 0
    for comment in comments:
        chunk.append(comment)
        characters += len(comment.body)
        if len(chunk) == CHUNK or characters >= CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk
