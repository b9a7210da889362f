"""Taking back a decision on comments, soon after it, by whoever has made it.

======== ===================================================================================
decision is taken back by
======== ===================================================================================
publish  holding the comment again, for the same reason
reject   holding the comment again, for the same reason
keep     putting it into the queue again, with its reports and since when it waits
hide     putting it into its lists again, and into the queue or among the picks if it was there
restore  hiding it again
======== ===================================================================================

What a comment was before stands in a `Note`, signed, which the button that takes it back sends. A
comment goes back only from the `Revision` that the decision left it in: what others have decided,
edited or reported since stays.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core import signing
from django.utils.translation import gettext_lazy

from comments import keys
from comments.models import Comment
from comments.moderation.services import NotAsSeen, write_changes
from comments.signals import (
    announce,
    comment_held,
    comment_hidden,
    comment_picked,
    comment_queued,
    comment_restored,
)
from comments.store.comments import StoredComment, load_comment
from comments.store.states import (
    Revision,
    State,
    changes_to_list,
    changes_to_withhold,
    hold_reason,
)
from comments.store.table import Changes, retry
from dynapages.items import Item, Value
from dynapages.lists import sort_key_of

UNDO_WITHIN = timedelta(minutes=10)
"""How long a decision can be taken back."""
LONGEST_UNDO = 1_600
"""Characters of a signed text of notes and its address: a cookie has 2,048, with the sentence."""
_SALT = "comments.moderation.undoing"
_QUEUE = Comment.moderation_partition.attr_name
_QUEUE_PLACE = Comment.moderation_place.attr_name
_PICKED = Comment.featured_partition.attr_name
_MEANWHILE = gettext_lazy(
    "This comment was changed, reported or decided on since, so the decision was not taken back."
)


class TooLate(ValueError):
    """What was sent is no note of this user's, or too old."""


@dataclass(frozen=True, slots=True)
class Note:
    """What a comment was ``before`` a decision, and what this left it as (``after``).

    ``place`` was its place in a queue and ``reason`` why it was held; ``place_after`` is its place
    since. They are empty for none.
    """

    comment_id: str
    before: State
    after: Revision
    place: str
    place_after: str
    reason: str | None
    was_pick: bool

    @classmethod
    def of(cls, before: StoredComment, target: State, *, now: datetime) -> "Note":
        """Note what a comment was before a decision, made ``now``, that led to ``target``."""
        item = before.item
        seen = Revision.of(item)
        place = _place_of(item)
        place_after = ""
        if target is not State.LISTED:
            place_after = place or sort_key_of(now, before.comment.id)
        return cls(
            comment_id=before.comment.id,
            before=before.state,
            after=Revision(target, seen.version, seen.reports),
            place=place,
            place_after=place_after,
            reason=hold_reason(item),
            was_pick=_PICKED in item,
        )

    def as_list(self) -> list[Any]:
        """Return it as JSON, in few characters."""
        places = [each.removesuffix(self.comment_id) for each in (self.place, self.place_after)]
        after, before = str(self.after), self.before.value
        return [self.comment_id, before, after, *places, self.reason, int(self.was_pick)]

    @classmethod
    def of_list(cls, values: list[Any]) -> "Note":
        """Build it from what `as_list` returned."""
        comment_id, before, after, *places, reason, was_pick = values
        place, place_after = (f"{each}{comment_id}" if each else "" for each in places)
        return cls(
            comment_id=comment_id,
            before=State(before),
            after=Revision.parse(after),
            place=place,
            place_after=place_after,
            reason=reason,
            was_pick=bool(was_pick),
        )


def _place_of(item: Item) -> str:
    """Return a comment's place in a queue, empty where it is in none."""
    return item[_QUEUE_PLACE]["S"] if _QUEUE_PLACE in item else ""


def sign_notes(notes: Sequence[Note], *, who: str) -> str:
    """Return notes as text that only ``who`` may send back."""
    return signing.dumps([who, [note.as_list() for note in notes]], salt=_SALT, compress=True)


def read_notes(text: str, *, who: str) -> list[Note]:
    """Return the notes in a text of `sign_notes`. Raises TooLate, also where they are another's."""
    try:
        signed_for, lists = signing.loads(text, salt=_SALT, max_age=UNDO_WITHIN)
    except signing.BadSignature as error:
        raise TooLate from error
    if signed_for != who:
        raise TooLate
    return [Note.of_list(values) for values in lists]


def undo(note: Note, *, who: str, now: datetime) -> bool:
    """Make a comment what it was before a decision; return False where it is so already.

    Raises NotAsSeen where the comment is not as the decision left it, NoSuchComment and Contended.
    """
    goal = Revision(note.before, note.after.version, note.after.reports)

    def attempt() -> StoredComment | None:
        """Write it; return the comment as it was until then, None where the button came twice."""
        current = load_comment(note.comment_id)
        revision = Revision.of(current.item)
        if revision == goal:
            return None
        if (revision, _place_of(current.item)) != (note.after, note.place_after):
            raise NotAsSeen(str(_MEANWHILE))
        write_changes(current, _changes_back(current, note))
        return current

    decided = retry(attempt)
    if decided is None:
        return False
    _announce(decided, note, who=who, now=now)
    return True


def _changes_back(current: StoredComment, note: Note) -> Changes:
    """Return the changes that make a comment what it was before a decision."""
    place: Value = {"S": note.place}
    comment = current.comment
    if not note.before.is_listed:
        return changes_to_withhold(comment, since=place, reason=note.reason)
    changes: dict[str, Value | None] = {}
    if not current.state.is_listed:
        changes |= changes_to_list(comment)
        if note.was_pick:
            changes[_PICKED] = {"S": keys.featured(comment.product_id)}
    if note.before is State.REPORTED:
        changes[_QUEUE] = {"S": keys.moderation(State.REPORTED)}
        changes[_QUEUE_PLACE] = place
    return changes


def _announce(decided: StoredComment, note: Note, *, who: str, now: datetime) -> None:
    """Send the signals of what has become of a comment again."""
    tell = partial(
        announce, comment_id=note.comment_id, by=who, moment=now, comment=decided.comment
    )
    was = decided.state
    if note.before is State.HELD:
        tell(comment_held, reason=note.reason or "", was=was)
    elif note.before is State.HIDDEN:
        tell(comment_hidden, was=was)
    elif was.is_listed:
        tell(comment_queued, was=was)
    else:
        tell(comment_restored, was=was)
        if note.was_pick:
            tell(comment_picked, is_pick=True)
