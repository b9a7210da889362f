"""Gates: what decides on a comment before it is published.

A gate is a function of a draft (a `NewComment`) and its `Author` that returns `Publish`, `Hold` or
`Reject`. The option ``GATE`` is the dotted path of one, or a sequence of them: the strictest
decides. New words of an edit pass it too. A comment that is held is in no list and not counted;
its author and staff see it, and staff publish or reject it. What blocked authors write is held
whatever the gate says.
"""

import logging
import re
from dataclasses import dataclass
from datetime import datetime

from django.utils.module_loading import import_string
from django.utils.translation import gettext_noop

from comments import keys
from comments.host import COMMENTS
from comments.items import NewComment
from comments.lists.entries import entry_of
from comments.models import TABLE, BlockedAuthor
from comments.profiles.queries import latest_written_by
from dynapages.calls import labelled_calls
from dynapages.items import Item, table_key
from dynapages.lists import timestamp
from dynapages.process import client
from dynapages.writes import delete, put, write_item

LONGEST_REASON = 100
"""Characters: the reason is stored with the key of the comment's product."""
EVERY = gettext_noop("every comment")
FIRST = gettext_noop("first comment of its author")
LINK = gettext_noop("it has a link")
WORD = gettext_noop("it has a word of the list")
BLOCKED = gettext_noop("its author is blocked")
FAILED = gettext_noop("the gate failed")
_LINK = re.compile(
    r"https?:|www\.|\b[\w-]+\.(?:com|info|io|net|org|ru|shop|top|xyz)\b", re.IGNORECASE
)

logger = logging.getLogger(__name__)


# What a gate is told, and what it returns


@dataclass(frozen=True, slots=True)
class Publish:
    """The comment is put into its lists."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The comment waits for staff, who read the ``reason``, up to `LONGEST_REASON` of it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Reject:
    """The comment is not stored; its author reads the ``sentence`` above what was typed."""

    sentence: str


Verdict = Publish | Hold | Reject


@dataclass(frozen=True, slots=True)
class Author:
    """The user who writes a comment; what pages call them is in the draft."""

    user_id: str
    is_blocked: bool = False

    def has_published(self) -> bool:
        """Read whether any of the author's newest comments is in its lists: a call, 0.5 units."""
        newest = latest_written_by(self.user_id).entries
        return any(not entry_of(entry.item).is_hidden for entry in newest)


# Gates that projects may name


def hold_all(_draft: NewComment, _author: Author) -> Verdict:
    """Hold every comment."""
    return Hold(EVERY)


def hold_first(_draft: NewComment, author: Author) -> Verdict:
    """Hold comments of authors who have none that is published."""
    if author.has_published():
        return Publish()
    return Hold(FIRST)


def hold_links(draft: NewComment, _author: Author) -> Verdict:
    """Hold comments with what looks like a link in the title or the text."""
    if _LINK.search(f"{draft.title}\n{draft.body}"):
        return Hold(LINK)
    return Publish()


def hold_words(draft: NewComment, _author: Author) -> Verdict:
    """Hold comments with a word or a phrase of the option ``HELD_WORDS``, in any case.

    A word is found as a whole: "spin" is not found in "spinning".
    """
    text = f"{draft.title}\n{draft.body}".casefold()
    for word in COMMENTS["HELD_WORDS"]:
        if re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text):
            return Hold(WORD)
    return Publish()


# Blocked authors


def block_author(user_id: str, *, now: datetime) -> None:
    """Hold what a user writes from now on; also where they were blocked before."""
    key = keys.author(user_id)
    block = BlockedAuthor(pk=key, sk=key, blocked_at=timestamp(now))
    write_item(client(), put(BlockedAuthor, block.serialize()))


def unblock_author(user_id: str) -> None:
    """Let a user publish again, as far as the gate does; also where they were not blocked."""
    write_item(client(), delete(BlockedAuthor, block_key(user_id)))


def is_blocked(user_id: str) -> bool:
    """Return whether staff have blocked a user: one call of half a unit."""
    with labelled_calls("block"):
        return "Item" in client().get_item(TableName=TABLE, Key=block_key(user_id))


def block_key(user_id: str) -> Item:
    """Build the key of the item that says that a user is blocked."""
    key = keys.author(user_id)
    return table_key(key, key)


# The verdict on a comment


def judge(draft: NewComment, author: Author) -> Verdict:
    """Return the strictest verdict of the gates; that of one that raises is to hold, and logged.

    What an author writes whom staff have blocked is held.
    """
    verdicts = [_verdict_of(path, draft, author) for path in COMMENTS.paths("GATE")]
    if author.is_blocked:
        verdicts.append(Hold(BLOCKED))
    # The strictest first, whichever gate said it.
    for kind in (Reject, Hold):
        for verdict in verdicts:
            if isinstance(verdict, kind):
                return verdict
    return Publish()


def _verdict_of(path: str, draft: NewComment, author: Author) -> Verdict:
    """Return the verdict of the gate with this dotted path; where it fails, to hold."""
    try:
        verdict = import_string(path)(draft, author)
    except Exception as error:  # noqa: BLE001 - the project's own code must not lose the comment
        fault = repr(error)
    else:
        if isinstance(verdict, Hold):
            return Hold(verdict.reason[:LONGEST_REASON])
        if isinstance(verdict, Publish | Reject):
            return verdict
        fault = f"it returned {verdict!r}"
    logger.error("The gate %s failed on comment %s: %s", path, draft.id, fault)
    return Hold(FAILED)
