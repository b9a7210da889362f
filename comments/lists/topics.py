"""The topics of a product as pages show them: each is a link to the search of its word."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from comments import keys
from comments.filters import CommentFilter, language_name
from comments.host import has_topics, product_reader
from comments.lists.listing import list_url
from comments.lists.search_queries import SearchRequest
from comments.models import TABLE
from comments.search.words import Search
from comments.topics.records import (
    NO_TOPICS,
    LanguageTopics,
    TopicsOfProduct,
    most_comments_first,
    topics_in,
)
from dynapages.calls import labelled_calls
from dynapages.process import page_batches, pool


@dataclass(frozen=True, slots=True)
class ShownTopic:
    """A word that many comments have; ``url`` is the list of these.

    See `comments.topics.records.Topic`.
    """

    form: str
    comments: int
    good: int
    percent_happy: int
    url: str


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """The topics of a product in one language, the first one first.

    ``comments`` is the number of all comments in the language at ``made_at`` (aware).
    """

    language: str
    made_at: datetime
    comments: int
    topics: tuple[ShownTopic, ...]

    @property
    def language_name(self) -> str:
        """The language in the active one."""
        return language_name(self.language)


@dataclass(frozen=True, slots=True)
class ShownTopics:
    """The topics of a product on its page: a group in front, and those behind a fold.

    There is none in front where none is in the language of the page's list.
    """

    first: TopicGroup | None
    others: tuple[TopicGroup, ...]


def find_topics(product_id: str) -> TopicsOfProduct:
    """Read the topics of a product, eventually consistent, by one call for half a unit.

    Where the project has no topics, there are none, and nothing is read.
    """
    if not has_topics():
        return NO_TOPICS
    with labelled_calls("topics"):
        items = page_batches().get(TABLE, [keys.topics(product_id)], consistent=False)
    if not items:
        return NO_TOPICS
    return topics_in(items[0])


def read_groups(product_id: str) -> tuple[TopicGroup, ...]:
    """Read the topics of a product that exists, in a round with it. Raises NoSuchProduct."""
    with pool().together() as together:
        read_product = product_reader(together, product_id)
        topics = find_topics(product_id)
        read_product()
        return groups_of(product_id, topics)


def groups_of(product_id: str, topics: TopicsOfProduct) -> tuple[TopicGroup, ...]:
    """Return the topics of each language that has any, the one with most comments first."""
    languages = sorted(topics.languages.items(), key=most_comments_first)
    groups: list[TopicGroup] = []
    for language, of_language in languages:
        if of_language.topics:
            groups.append(_group(product_id, language, of_language))
    return tuple(groups)


def shown_topics(
    product_id: str, topics: TopicsOfProduct, *, languages: Sequence[str] = ()
) -> ShownTopics | None:
    """Arrange topics for a page whose list is in these ``languages``; None without any topics.

    A list in all languages is in none of them: the language with most comments is in front.
    """
    groups = groups_of(product_id, topics)
    if not groups:
        return None
    first: TopicGroup | None = None
    others: list[TopicGroup] = []
    for group in groups:
        is_wanted = not languages or group.language in languages
        if is_wanted and first is None:
            first = group
        else:
            others.append(group)
    return ShownTopics(first, tuple(others))


def _group(product_id: str, language: str, of_language: LanguageTopics) -> TopicGroup:
    # One address for all of them: that of each would take longer than all else.
    url = list_url(product_id, CommentFilter.of([language]))
    shown: list[ShownTopic] = []
    for topic in of_language.topics:
        # A search for one form of a word finds all of them.
        search = SearchRequest(Search(topic.form, (topic.form,)))
        one = ShownTopic(
            form=topic.form,
            comments=topic.comments,
            good=topic.good,
            percent_happy=topic.percent_happy,
            url=f"{url}?{search.query}",
        )
        shown.append(one)
    return TopicGroup(language, of_language.made_at, of_language.comments, tuple(shown))
