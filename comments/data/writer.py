"""Bulk writes of comments, for imports and the sample data.

The stored items are read first, so that an interrupted load is resumed by starting it again.
Each comment is compared with the one stored under its id (`comments.data.changes`); some dozens are
put in a transaction with their bodies, counts and primary items, on condition that what was read is
still stored. The ranks are derived at the end, and what earlier imports have left is finished:
`BulkWriter.finish`. Before each part is written, a due item says which products must be ranked.
"""

import logging
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from comments import keys, signals
from comments.data.changes import HELD_ELSEWHERE, Change, Verdict, VerdictCounts
from comments.host import has_topics, is_searchable
from comments.items import NewComment, NewState
from comments.keys import comment_key
from comments.models import TABLE
from comments.rankings.ratings import owe_copies, refresh_ratings
from comments.rankings.services import RankHint, refresh_ranks
from comments.search.pending import changes_of
from comments.search.writer import finish_change
from comments.store.comments import comment_in
from comments.store.derived import bulk_batches
from comments.store.states import State
from comments.store.table import ATTEMPTS
from comments.store.writing import (
    MOST_EVENTS,
    CommentChange,
    Committed,
    Owes,
    write_comments,
)
from comments.topics.making import consider
from dynapages.calls import (
    Backoff,
    Batches,
    clock,
    few_of,
    in_chunks,
    one_task,
    sentence_about,
    size_of_batch,
)
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.lists import sort_key_of
from dynapages.process import client
from dynapages.pynamodb import FAILURES
from dynapages.work import worker
from dynapages.writes import MOST_ACTIONS, Action, ConditionFailed, Contended, write_item

CHUNK = 1_000
"""Comments written at a time: some rounds of parallel transactions."""
CHUNK_CHARACTERS = 8_000_000
"""Text of a chunk, at the most: what bounds the memory of a load."""
TRANSACTION_CHARACTERS = 800_000
"""Text of a transaction, at the most: DynamoDB takes 4 MB in one, of up to 4 bytes a character."""
CLOSING_SECONDS = 10.0
"""How long an import waits at its end until its changes can be deleted."""
FINISHING = Backoff(attempts=1)
"""For a change that another process is writing, which nobody but a patient job waits for."""
PRODUCTS_AT_ONCE = 400
"""Products whose unfinished changes are looked for together."""

Prepare = Callable[[set[str]], object]
"""Is called with the ids of products before comments on them are written."""

logger = logging.getLogger(__name__)


def bounded_chunks(comments: Iterable[NewComment]) -> Iterator[list[NewComment]]:
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


def _prepare_nothing(_product_ids: set[str]) -> None:
    """Do nothing before comments are written."""


class BulkWriter:
    """Writes comments in bulk; with ``announces`` it sends the signals of each, as pages do."""

    def __init__(self, batches: Batches, *, announces: bool = False) -> None:
        self._batches = batches
        self._announces = announces
        self._changed_products: set[str] = set()
        # Those that comments have left for another one.
        self._left_products: set[str] = set()
        self._hints: dict[str, RankHint] = {}
        self._owed: list[Committed] = []

    def write(self, comments: Sequence[NewComment]) -> VerdictCounts:
        """Write the comments that are new or newer than stored, and count the verdicts.

        Ids must not repeat, and the number must be bounded (`bounded_chunks`). Raises Contended
        when others keep changing the same comments; the same call again writes the rest.
        """
        return VerdictCounts.of(self.put(comments))

    def put(
        self, comments: Sequence[NewComment], *, prepare: Prepare = _prepare_nothing
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
            # Before the first write: a process that is killed leaves what has to be ranked.
            self._owe_ranks(needed)
            lost_ids = self._put(needed)
            settled = [change for change in changes if change.comment.id not in lost_ids]
            decided += settled
            if self._announces:
                _announce(change for change in settled if change.is_needed)
            # What others have changed meanwhile is compared anew.
            comments = [comment for comment in comments if comment.id in lost_ids]
            if not comments:
                return decided
        raise Contended(f"{len(comments)} comments were changed by others at every attempt.")

    def compare(self, comments: Sequence[NewComment]) -> list[Change]:
        """Read what is stored under the ids of comments, and return what they would change."""
        table_keys = [comment_key(comment.id) for comment in comments]
        stored: dict[str, Item] = {}
        for item in self._batches.get(TABLE, table_keys):
            stored[item["pk"]["S"]] = item
        changes: list[Change] = []
        for comment in comments:
            changes.append(Change.between(stored.get(keys.comment(comment.id)), comment))
        return changes

    def note_written(self, comment: NewComment) -> None:
        """Note a comment that an interrupted import has written, for what it may still owe."""
        place = sort_key_of(comment.created_at, comment.id)
        self._changed_products.add(comment.product_id)
        # It may have been changed since: it is not counted as seen.
        self._add_hint(comment.product_id, place, 0)

    def finish(self, progress: Progress) -> int:
        """Do what the comments written since the last call owe, and those that were there already.

        An import before this one may have been killed. Returns how many changes are left, whose
        postings or ranks could not be written: the worker goes on with them. What fails is logged.
        """
        left = self._finish_postings(progress)
        if self._rank_products(progress) and self._rate_products(progress):
            for committed in self._owed:
                committed.end(is_done=True)
        else:
            # What an earlier run has owed is left as well, and not counted here.
            left += max(1, len(self._owed))
        self._consider_topics(progress)
        self._changed_products, self._left_products = set(), set()
        self._hints, self._owed = {}, []
        worker().flush(seconds=CLOSING_SECONDS)
        return left

    # Writing

    def _note(self, changes: Iterable[Change]) -> None:
        """Note which products change, and what is known of each for its ranks."""
        for change in changes:
            if change.is_needed:
                self._changed_products |= change.products
                self._left_products |= change.left_products
            # What is in no list is no comment of its product that ranks count.
            is_seen = change.verdict is not Verdict.SUPERSEDED and change.is_listed
            place = change.place if change.is_listed else ""
            self._add_hint(change.comment.product_id, place, int(is_seen))
            # A product that a comment has left may have lost its newest one.
            for product_id in change.left_products:
                self._add_hint(product_id, "", 0)

    def _add_hint(self, product_id: str, place: str, seen: int) -> None:
        hint = self._hints.get(product_id, RankHint())
        self._hints[product_id] = RankHint(max(hint.newest, place), hint.seen + seen)

    def _owe_ranks(self, changes: Sequence[Change]) -> None:
        """Store that the products of comments must be ranked, before these are written."""
        product_ids: set[str] = set()
        for change in changes:
            product_ids |= change.products
        owed = Owes(ranks=dict.fromkeys(product_ids, "")).due_item()
        if owed is None:
            return
        write_item(client(), owed.action)
        # Its key is enough to delete it: a large import has thousands, each with many products.
        self._owed.append(Committed(replace(owed, payload={})))

    def _put(self, changes: Sequence[Change]) -> set[str]:
        """Write changes; return the ids of the comments that others have changed meanwhile."""
        write = partial(_write_in_turn, are_announced=self._announces)
        transactions = _transactions(changes, reserved=MOST_EVENTS if self._announces else 0)
        lost_ids: set[str] = set()
        for lost in self._batches.pool.map(write, transactions):
            lost_ids.update(lost)
        return lost_ids

    # Finishing

    def _rank_products(self, progress: Progress) -> bool:
        """Derive the ranks of all products; return whether nothing failed.

        Where all comments of a product were stored already its ranks are only compared.
        """
        changed: dict[str, RankHint] = {}
        only_seen: dict[str, RankHint] = {}
        for product_id, hint in self._hints.items():
            if product_id in self._changed_products:
                changed[product_id] = hint
            else:
                only_seen[product_id] = hint
        with progress.step("Ranking", total=len(self._hints), unit=" products") as advance:
            if not refresh_ranks(changed, log_failures=True, advance=advance):
                return False
            return refresh_ranks(only_seen, only_stale=True, log_failures=True, advance=advance)

    def _rate_products(self, progress: Progress) -> bool:
        """Write the ratings of all products where these are listed; return whether none failed."""
        with progress.step("Rating", total=len(self._hints), unit=" products") as advance:
            return refresh_ratings(self._hints, log_failures=True, advance=advance)

    def _consider_topics(self, progress: Progress) -> None:
        """Have topics made of products whose comments have changed enough; what fails is logged."""
        if not has_topics():
            return
        _owe_look_or_log(self._left_products)
        total = len(self._changed_products)
        with progress.step("Looking at topics", total=total, unit=" products") as advance:
            for product_ids in in_chunks(sorted(self._changed_products), PRODUCTS_AT_ONCE):
                self._batches.pool.map(_consider_topics_or_log, product_ids)
                advance(len(product_ids))

    def _finish_postings(self, progress: Progress) -> int:
        """Write the postings that this import, or one before it, has left behind.

        Returns how many changes of these products could not be finished.
        """
        if not is_searchable():
            return 0
        # What this import has written itself needs no second look.
        worker().flush(seconds=CLOSING_SECONDS)
        unfinished: set[str] = set()
        with progress.step("Finishing", total=len(self._hints), unit=" products") as advance:
            for product_ids in in_chunks(sorted(self._hints), PRODUCTS_AT_ONCE):
                for changes in self._batches.pool.map(changes_of, product_ids):
                    unfinished.update(changes)
                advance(len(product_ids))
        outcomes = [_finish_or_log(change) for change in sorted(unfinished)]
        return outcomes.count(False)


def _owe_look_or_log(product_ids: Collection[str]) -> None:
    """Have the worker look whether topics have words of comments alone that are not listed now."""
    try:
        owe_copies(product_ids, left=product_ids)
    except FAILURES as failure:
        sentence = "Topics of %d products (%s) are not looked at: %s"
        named = few_of(sorted(product_ids))
        logger.warning(sentence, len(product_ids), named, sentence_about(failure))


def _consider_topics_or_log(product_id: str) -> None:
    try:
        consider(product_id)
    except FAILURES as failure:
        sentence = "Topics of product %s are left to make_topics: %s"
        logger.warning(sentence, product_id, sentence_about(failure))


def _finish_or_log(change: str) -> bool:
    pauses = FINISHING.pauses()
    while True:
        try:
            finish_change(change, bulk_batches())
        except FAILURES as failure:
            # The worker may be writing the same postings: a patient job waits until it is done.
            pause = next(pauses, None)
            if pause is None or not isinstance(failure, ConditionFailed):
                logger.warning("The change %s was left behind: %s", change, sentence_about(failure))
                return False
            time.sleep(pause)
        else:
            return True


def _announce(changes: Iterable[Change]) -> None:
    """Send the signals of comments that were written: posted, or edited."""
    for change in changes:
        comment = change.comment
        moment = clock.now()
        if change.stored is None:
            _announce_new(comment)
        else:
            signals.announce(
                signals.comment_edited,
                comment.id,
                moment=moment,
                comment=comment,
                before=comment_in(change.stored),
                state=State.of(change.stored),
            )


def _announce_new(comment: NewComment) -> None:
    """Send the signal of a comment that was not there; there is none of one that is hidden."""
    moment = clock.now()
    if comment.state is NewState.HELD:
        signals.announce(
            signals.comment_held,
            comment.id,
            moment=moment,
            comment=comment,
            reason=HELD_ELSEWHERE,
        )
    elif comment.state is NewState.PUBLISHED:
        signals.announce(
            signals.comment_posted, comment.id, moment=moment, comment=comment, was=None
        )


# Transactions


def _write_in_turn(changes: Sequence[Change], *, are_announced: bool) -> list[str]:
    """Write changes like `_write_transaction`, with few others at a time where that is slow."""
    with one_task():
        return _write_transaction(changes, are_announced=are_announced)


def _write_transaction(changes: Sequence[Change], *, are_announced: bool) -> list[str]:
    """Write changes in a transaction; return their ids where others have changed one of them."""
    imported: list[CommentChange] = []
    actions: list[Action] = []
    for change in changes:
        imported.append(CommentChange(change.stored, change.merged, text_after=change.comment.body))
        actions += change.actions()
    try:
        write_comments(imported, actions, are_ranked=False, are_announced=are_announced)
    except ConditionFailed:
        return [change.comment.id for change in changes]
    return []


def _transactions(changes: Sequence[Change], *, reserved: int) -> Iterator[list[Change]]:
    """Divide changes into transactions that DynamoDB takes, with what else these store.

    That are the counts of each product, and where comments can be searched a change, a mark of it
    in each product, and its due item. As many actions as are ``reserved`` are left for others.
    """
    actions_of_product, actions_of_all = 1, reserved
    if is_searchable():
        actions_of_product, actions_of_all = 2, 2 + reserved
    most_actions = size_of_batch(MOST_ACTIONS)
    group: list[Change] = []
    actions, characters = 0, 0
    products: set[str] = set()
    # Those of one product together share its counts.
    for change in sorted(changes, key=_product_id_of):
        actions += change.cost
        characters += change.characters
        products |= change.products
        in_transaction = actions + actions_of_product * len(products) + actions_of_all
        # Several comments in a transaction share the writes of counts, marks and the due item.
        is_full = in_transaction > most_actions or characters > TRANSACTION_CHARACTERS
        if group and is_full:
            yield group
            group = []
            actions, characters = change.cost, change.characters
            products = set(change.products)
        group.append(change)
    if group:
        yield group


def _product_id_of(change: Change) -> str:
    return change.comment.product_id
