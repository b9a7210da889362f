"""The making of topics: when it is due, how it is owed to the worker, and how it is done.

Topics are made beside the page. Some minutes after comments of a product have changed, the worker
looks whether topics are due (`consider`), and stores that their making is owed, once an hour. It
counts the words of all comments of a language anew, as postings cannot list a product's stems.

What is made is stored on condition that the topics are as they were before the first comment was
read. Where others have written meanwhile, all is read again: a word that they took out because of
a comment that left its lists must not come back.
"""

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.utils.translation import override

from comments import keys
from comments.host import Rating, find_existing
from comments.models import TABLE
from comments.store.counts import ProductCounts, counters, counts_in
from comments.store.table import ATTEMPTS, retry
from comments.store.writing import QUEUE
from comments.topics.bans import read_banned, read_topics_and_bans, without_banned
from comments.topics.choosing import choose_topics
from comments.topics.reading import read_comments
from comments.topics.records import (
    ENOUGH_COMMENTS,
    NO_TOPICS,
    LanguageTopics,
    TopicsOfProduct,
    is_topics,
    topics_in,
)
from comments.topics.samples import Products, Vocabularies
from comments.topics.stored import read_topics, replace_topics
from comments.topics.tally import Tally
from comments.topics.vocabulary import SAMPLE
from dynapages.calls import clock, labelled_calls
from dynapages.process import client, page_batches
from dynapages.work import Owed
from dynapages.writes import ConditionFailed, Contended, write_item

KIND = "topics"
"""The kind of the due items."""
EVERY = timedelta(hours=1)
"""How often the topics of a product are made by the worker, at most."""
LEASE = timedelta(minutes=15)
"""How long the worker may take for the topics of a product."""
MOST_IN_WORKER = 30_000
"""Comments of a language up to which the worker makes topics: it may run in a process that serves
pages, and counting words takes processor time. More are left to `manage.py make_topics`.
"""
MORE_COMMENTS = 5
"""A fifth more comments than when topics were made, or fewer, make them due."""
OTHER_AVERAGE = 20
"""So does an average that is higher by a twentieth, or lower."""
CHANGED_MEANWHILE = "Others keep changing these topics."
_PRODUCT = "product"
_ANEW = "anew"

logger = logging.getLogger(__name__)


# When it is due


@dataclass(frozen=True, slots=True)
class Standing:
    """How many comments a product has, and its topics as they are stored."""

    counts: ProductCounts
    topics: TopicsOfProduct

    @property
    def due(self) -> set[str]:
        """The languages in which topics are due."""
        return languages_due(self.topics, self.counts)

    @property
    def languages(self) -> set[str]:
        """All languages in which the product has topics, or enough comments for them."""
        languages = set(self.topics.languages)
        for language in self.counts.languages:
            if _has_enough(rating_in(self.counts, language)):
                languages.add(language)
        return languages

    def comments_in(self, language: str) -> int:
        """Return how many comments the product has in a language."""
        rating = rating_in(self.counts, language)
        return rating.count if rating else 0


def read_standing(product_id: str) -> Standing:
    """Read the counts and the topics of a product, strongly, by one call, for two units as a rule.

    Raises BatchIncomplete, and botocore's errors.
    """
    known = counters().known([product_id])
    table_keys = [*counters().keys(known), keys.topics(product_id)]
    items = page_batches().get(TABLE, table_keys)
    counted = counters().sums(known, items, consistent=True)
    topics = NO_TOPICS
    for item in items:
        if is_topics(item):
            topics = topics_in(item)
    return Standing(counts_in(counted[product_id]), topics)


def languages_due(topics: TopicsOfProduct, counts: ProductCounts) -> set[str]:
    """Return the languages of a product in which topics are to be made.

    That are those with enough comments and without topics, those with other comments than when
    topics were made, by a fifth of their number or a twentieth of their average, and those that
    have topics and too few comments now.
    """
    due: set[str] = set()
    for language in {*topics.languages, *counts.languages}:
        if _is_due(topics.languages.get(language), rating_in(counts, language)):
            due.add(language)
    return due


def _is_due(stored: LanguageTopics | None, now: Rating | None) -> bool:
    if stored is None:
        return _has_enough(now)
    if now is None or not _has_enough(now):
        return True
    # By whole numbers: a fifth of 30 is exactly 6.
    if MORE_COMMENTS * abs(now.count - stored.comments) >= stored.comments:
        return True
    difference = abs(now.stars * stored.comments - stored.stars * now.count)
    return OTHER_AVERAGE * difference >= stored.stars * now.count


def _has_enough(rating: Rating | None) -> bool:
    return rating is not None and rating.count >= ENOUGH_COMMENTS


def rating_in(counts: ProductCounts, language: str) -> Rating | None:
    """Return how a product is rated by its comments in a language, None without any."""
    cells = {cell: number for cell, number in counts.cells.items() if cell[0] == language}
    return ProductCounts(cells).rating


# What the worker owes


def consider(product_id: str) -> None:
    """Store that topics of a product are to be made, if any are due that the worker makes.

    Two units of reads, and a write unit if they are. Raises BatchIncomplete, and botocore's errors.
    """
    with labelled_calls("topics"):
        standing = read_standing(product_id)
        if _made_by_worker(product_id, standing.due, standing):
            owed = QUEUE.owe_once(KIND, {_PRODUCT: product_id}, every=EVERY)
            write_item(client(), owed.action)


def owe_making(product_id: str) -> None:
    """Store that all topics of a product are to be made anew, whatever has changed: a write unit.

    Raises botocore's errors.
    """
    with labelled_calls("topics"):
        write_item(client(), making_owed(product_id).action)


def making_owed(product_id: str) -> Owed:
    """Return that all topics of a product are to be made anew; nothing is written."""
    return QUEUE.owe_once(KIND, {_PRODUCT: product_id, _ANEW: True}, every=EVERY)


def make_owed(payload: Mapping[str, Any], products: Products) -> None:
    """Make the topics that are owed, of what is due by now.

    ``products`` are for the sample of a language. Raises Contended, BatchIncomplete, and botocore's
    errors.
    """
    product_id = payload[_PRODUCT]
    now = clock.now()
    standing = read_standing(product_id)
    languages = standing.languages if payload.get(_ANEW) else standing.due
    languages = _made_by_worker(product_id, languages, standing)
    if languages:
        make_topics(product_id, languages, Vocabularies(products, now), now=now)


def _made_by_worker(product_id: str, languages: Iterable[str], standing: Standing) -> set[str]:
    """Return those of some languages that have few enough comments; log the others."""
    few: set[str] = set()
    for language in languages:
        number = standing.comments_in(language)
        if number <= MOST_IN_WORKER:
            few.add(language)
        else:
            sentence = "Topics of product %s in %s, of %s comments, are left to make_topics."
            logger.info(sentence, product_id, language, number)
    return few


# How it is done


def make_topics(
    product_id: str, languages: Collection[str], vocabularies: Vocabularies, *, now: datetime
) -> TopicsOfProduct:
    """Make the topics of a product in these languages, and store them; return all it has then.

    A language that has too few comments by now leaves them. It reads the product's comments in
    these languages, half a unit for 4 KB and for each long text, and writes one item of up to 4 KB.
    ``now`` (aware) is the moment that is shown. Raises Contended, BatchIncomplete, and botocore's
    errors.
    """
    names = _names_of(product_id)

    def make() -> TopicsOfProduct:
        before, bans = read_topics_and_bans(product_id)
        made = dict(before.languages)
        for language in sorted(languages):
            tally, newest = _tallies_of(product_id, language)
            if tally.comments < ENOUGH_COMMENTS:
                made.pop(language, None)
                continue
            others = vocabularies.of(language).without(product_id, newest)
            banned = {stem for banned_in, stem in bans.words if banned_in == language}
            topics = choose_topics(tally, others, names=names, banned=banned)
            made[language] = LanguageTopics(now, tally.comments, tally.stars, tuple(topics))
        return replace_topics(product_id, before, made)

    with labelled_calls("topics"):
        made = retry(make, otherwise=CHANGED_MEANWHILE)
        return _without_new_bans(product_id, made)


def _names_of(product_id: str) -> set[str]:
    """Read what a product is called, in each language of the site; nothing of one that is gone."""
    names: set[str] = set()
    for code, _name in settings.LANGUAGES:
        with override(code):
            for product in find_existing([product_id]).values():
                names.add(product.name)
    return names


def _tallies_of(product_id: str, language: str) -> tuple[Tally, Tally]:
    """Count the words of all comments of a product in a language, and of the newest `SAMPLE`."""
    tally, newest = Tally(language), Tally(language)
    for comment in read_comments(product_id, language):
        tally.add(comment)
        if newest.comments < SAMPLE:
            newest.add(comment)
    return tally, newest


def _without_new_bans(product_id: str, made: TopicsOfProduct) -> TopicsOfProduct:
    """Store topics that were just made without those that staff have banned meanwhile.

    Whoever bans a word takes it out of the topics that are stored: it was not in these yet.
    """
    stored = made
    for _attempt in range(ATTEMPTS):
        allowed = without_banned(stored.languages, read_banned(product_id))
        if allowed == stored.languages:
            return stored
        try:
            return replace_topics(product_id, stored, allowed)
        except ConditionFailed:
            stored = read_topics(product_id)
    raise Contended(CHANGED_MEANWHILE)
