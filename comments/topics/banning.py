"""Words are banned as topics, and allowed again, by staff.

A ban is written in one transaction with the topics of the product on whose page it was made, which
do without the word from then on. One for all products owes a walk over them: the worker takes out
of the topics of each what is banned for all.

Topics may be made at the same time. Whoever makes them reads what is banned once more behind
storing them, and a ban is written only where the topics are as they were read with it. So a word
is taken out by one of the two.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from pynamodb.expressions.condition import Condition

from comments import keys
from comments.models import TABLE, BannedTopics
from comments.signals import announce_of_topic, topic_banned
from comments.store.derived import bulk_batches
from comments.store.table import retry
from comments.store.writing import QUEUE
from comments.topics.bans import (
    BanList,
    Bans,
    Word,
    read_banned_for_all,
    read_topics_and_bans,
    stored_word,
    without_banned,
)
from comments.topics.making import CHANGED_MEANWHILE, making_owed
from comments.topics.records import TopicsOfProduct, topics_in
from comments.topics.stored import no_replacement, read_topics, replace_topics, replacement
from dynapages.calls import in_chunks, labelled_calls
from dynapages.errors import DynamoError, gettext_noop
from dynapages.items import Item
from dynapages.process import write_actions
from dynapages.pynamodb import update
from dynapages.work import worker
from dynapages.writes import Action, ConditionFailed

MOST_OF_PRODUCT = 100
"""Words that are banned for one product."""
MOST_OF_ALL = 500
"""Words that are banned for all products: whoever makes topics reads them, half a unit for 4 KB."""
KIND = "ban-topics"
"""The kind of the due items."""
EVERY = timedelta(minutes=1)
"""How often the topics of all products are looked through, at most."""
LEASE = timedelta(minutes=15)
"""How long the worker may take for all products."""
PRODUCTS_AT_ONCE = 100
TOO_MANY_OF_PRODUCT = gettext_noop(
    "As many words are banned for this product as there may be, 100. Allow one again first."
)
TOO_MANY_OF_ALL = gettext_noop(
    "As many words are banned for all products as there may be, 500. Allow one again first."
)


class TooManyBanned(DynamoError):
    """No more words can be banned, for a product or for all; nothing was written."""


def ban(
    product_id: str,
    word: Word,
    *,
    everywhere: bool,
    by: str = "",
    now: datetime,
    just_read: tuple[TopicsOfProduct, Bans] | None = None,
) -> bool:
    """Ban a word as a topic of a product, or (``everywhere``) of all; return whether it was not.

    The product's topics do without it at once, those of others within minutes. Three units are
    read, and written are the item with the bans and that of the topics, twice as they are in one
    transaction. ``by`` is a user name. ``just_read`` is what the product has, so that it is not
    read. Raises TooManyBanned, Contended, BatchIncomplete, and botocore's errors.
    """
    known = [just_read] if just_read is not None else []

    def attempt() -> bool:
        """Write the ban; return whether it is new."""
        # A second attempt reads what has made the first one fail.
        topics, bans = known.pop() if known else read_topics_and_bans(product_id)
        banned = _list_of(bans, everywhere=everywhere)
        left = without_banned(topics.languages, [word])
        is_new = word not in banned.words
        if not is_new and left == topics.languages:
            return False
        _require_room(banned, word, everywhere=everywhere)
        actions = [_addition(_key(product_id, everywhere=everywhere), word, banned)]
        if left == topics.languages:
            actions.append(no_replacement(product_id, topics))
        else:
            actions.append(replacement(product_id, topics, left))
        if everywhere:
            actions.append(QUEUE.owe_once(KIND, {}, every=EVERY).action)
        write_actions(actions)
        return is_new

    with labelled_calls("topics"):
        is_new = retry(attempt, otherwise=CHANGED_MEANWHILE)
    if is_new:
        _announce(product_id, word, everywhere=everywhere, is_banned=True, by=by, now=now)
    return is_new


def allow(product_id: str, word: Word, *, everywhere: bool, by: str = "", now: datetime) -> bool:
    """Allow a word that was banned for a product, or for all; return whether it was banned.

    The product's topics are made anew within an hour, those of others when they are due. Two items
    of a kilobyte or so are written, in a transaction. ``by`` is a user name. Raises Contended, and
    botocore's errors.
    """
    text = stored_word(word)
    changes = [BannedTopics.stems.delete({text}), BannedTopics.version.add(1)]
    is_banned = BannedTopics.stems.contains(text)
    key = _key(product_id, everywhere=everywhere)
    removal = update(BannedTopics, key, changes, is_banned)
    with labelled_calls("topics"):
        try:
            write_actions([removal, making_owed(product_id).action])
        except ConditionFailed:
            return False
    _announce(product_id, word, everywhere=everywhere, is_banned=False, by=by, now=now)
    return True


def _list_of(bans: Bans, *, everywhere: bool) -> BanList:
    return bans.of_all if everywhere else bans.of_product


def _key(product_id: str, *, everywhere: bool) -> Item:
    return keys.banned_topics() if everywhere else keys.banned_topics(product_id)


def _require_room(banned: BanList, word: Word, *, everywhere: bool) -> None:
    """Raise TooManyBanned where no other word can be banned."""
    if word in banned.words:
        return
    if everywhere and len(banned.words) >= MOST_OF_ALL:
        raise TooManyBanned(TOO_MANY_OF_ALL)
    if not everywhere and len(banned.words) >= MOST_OF_PRODUCT:
        raise TooManyBanned(TOO_MANY_OF_PRODUCT)


def _addition(key: Item, word: Word, banned: BanList) -> Action:
    """Build the update that bans a word, on condition that nobody has written bans meanwhile."""
    condition: Condition = BannedTopics.pk.does_not_exist()
    if banned.version:
        condition = BannedTopics.version == banned.version
    changes = [BannedTopics.stems.add({stored_word(word)}), BannedTopics.version.add(1)]
    return update(BannedTopics, key, changes, condition)


def _announce(
    product_id: str, word: Word, *, everywhere: bool, is_banned: bool, by: str, now: datetime
) -> None:
    language, stem = word
    announce_of_topic(
        topic_banned,
        "" if everywhere else product_id,
        by=by,
        moment=now,
        language=language,
        stem=stem,
        is_banned=is_banned,
    )


# All products


def take_out_banned(product_ids: Iterable[str]) -> int:
    """Take what is banned for all out of the topics of products; return of how many it was.

    A product may come twice. It may be begun anew: what was taken out stays out. A unit is read for
    each product. Raises Contended, BatchIncomplete, and botocore's errors.
    """
    banned = read_banned_for_all()
    changed = 0
    if not banned:
        return changed
    for some in in_chunks(product_ids, PRODUCTS_AT_ONCE):
        # One that is commented on meanwhile moves within the list.
        for product_id in _with_any_of(banned, dict.fromkeys(some)):
            take_out(product_id, banned)
            changed += 1
        # It may take minutes, and somebody may wait for an e-mail.
        worker().make_due_calls()
    return changed


def _with_any_of(banned: Collection[Word], product_ids: Iterable[str]) -> list[str]:
    """Read the topics of products, and return the ids of those that have any of these words."""
    by_partition = {keys.topics(product_id)["pk"]["S"]: product_id for product_id in product_ids}
    table_keys = [keys.topics(product_id) for product_id in by_partition.values()]
    found: list[str] = []
    # Strongly: topics that were stored just before the ban are read by nobody else.
    for item in bulk_batches().get(TABLE, table_keys):
        languages = topics_in(item).languages
        if without_banned(languages, banned) != languages:
            found.append(by_partition[item["pk"]["S"]])
    return found


def take_out(product_id: str, banned: Collection[Word]) -> None:
    """Store the topics of a product without these words.

    Raises Contended, and botocore's errors.
    """

    def attempt() -> None:
        topics = read_topics(product_id)
        left = without_banned(topics.languages, banned)
        if left != topics.languages:
            replace_topics(product_id, topics, left)

    retry(attempt, otherwise=CHANGED_MEANWHILE)
