"""Django signals of what happens to comments, for the project's own code: see docs/installing.md.

Each is sent once, after the write is committed, in the thread that wrote; by pages, by commands and
by steps over many comments. Imports send them only with ``--signals``. What a receiver raises is
logged, and changes nothing else. A process that ends between the write and the signal has sent
none: a receiver that must miss nothing follows the table's stream instead. Of a reply, `reply_owes`
is sent before the write.

All have ``moment`` (aware), and all but the last three ``comment_id`` and ``by`` (a user name,
empty for a command). Most have ``comment``, a `comments.items.NewComment` as it is after the
change, and ``was``, the `comments.store.states.State` before. The last three are about a user,
``user_id``, or about a word, with ``by``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime

from django.dispatch import Signal

from comments.models import AskedUser, BannedTopics, Comment
from dynapages.work import Owed

_is_silent = ContextVar("is_silent", default=False)
"""Whether signals of what is written in this context are not sent."""

comment_posted = Signal()
"""A ``comment`` is in its lists for the first time; ``was`` is None, or HELD where it waited."""
comment_held = Signal()
"""A ``comment`` waits for the shop, for the ``reason`` of a gate or of an import; ``is_edit`` of a
gate, whether an edit did it; ``was`` where staff took back that they published or rejected it.
"""
comment_edited = Signal()
"""Its author changed the ``comment``, which was ``before``; ``state`` is the one it is in now."""
comment_deleted = Signal()
"""A ``comment`` is deleted, by its author, by staff, or with all data of its author; ``was``."""
comment_hidden = Signal()
"""Staff took a ``comment`` out of its lists, or (``was`` HELD) rejected it."""
comment_restored = Signal()
"""Staff put a hidden ``comment`` back into its lists; ``was``."""
comment_kept = Signal()
"""Staff dismissed the reports of a ``comment``; ``was``."""
comment_queued = Signal()
"""Staff took back that they dismissed the reports of a ``comment``: they wait again; ``was``."""
comment_picked = Signal()
"""Staff picked a comment for its product's page, or (``is_pick`` false) took that back."""
comment_reported = Signal()
"""A user reported a ``comment`` for the first time: ``reason``, and ``text``, both strings."""
comment_replied = Signal()
"""Staff wrote (``is_new``) or changed the reply, ``text``; None where they deleted it."""
vote_cast = Signal()
"""The user ``by`` finds a comment helpful, or (``is_helpful`` false) not any more."""
reply_owes = Signal()
"""Staff are about to write a new reply. A receiver returns what the project owes then: a sequence
of `dynapages.work.Owed`, each stored in the reply's own transaction, such as an e-mail; or None.
"""
review_requested = Signal()
"""A mail server took an e-mail that asks ``user_id`` for reviews of ``product_ids``, which belong
to the purchase ``purchase_id``.
"""
requests_muted = Signal()
"""``user_id`` chose not to be asked for reviews; sent again where they choose it again."""
topic_banned = Signal()
"""Staff banned a word as a topic, or (``is_banned`` false) allowed it again: by ``language`` and
``stem``, of ``product_id``, which is empty for all products.
"""


def announce(
    signal: Signal, comment_id: str, *, by: str = "", moment: datetime, **more: object
) -> None:
    """Send a signal of a comment; Django logs what a receiver raises."""
    if not are_silent():
        signal.send_robust(Comment, comment_id=comment_id, by=by, moment=moment, **more)


def announce_of_user(signal: Signal, user_id: str, *, moment: datetime, **more: object) -> None:
    """Send a signal of a user who is asked for reviews; Django logs what a receiver raises."""
    if not _is_silent.get():
        signal.send_robust(AskedUser, user_id=user_id, moment=moment, **more)


def announce_of_topic(
    signal: Signal, product_id: str, *, by: str, moment: datetime, **more: object
) -> None:
    """Send a signal of a topic of a product, or of all; Django logs what a receiver raises."""
    if not are_silent():
        signal.send_robust(BannedTopics, product_id=product_id, by=by, moment=moment, **more)


def owed_by(signal: Signal, comment_id: str, *, by: str, moment: datetime) -> list[Owed]:
    """Return what the receivers of a signal owe; Django logs what one of them raises."""
    owes: list[Owed] = []
    if are_silent():
        return owes
    answers = signal.send_robust(Comment, comment_id=comment_id, by=by, moment=moment)
    for _receiver, answer in answers:
        if answer is not None and not isinstance(answer, Exception):
            owes.extend(answer)
    return owes


def are_silent() -> bool:
    """Return whether no signals are sent of what is written now: see `unannounced`."""
    return _is_silent.get()


@contextmanager
def unannounced() -> Iterator[None]:
    """Send no signals of what is written in the block, such as samples, and owe no events."""
    before = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(before)
