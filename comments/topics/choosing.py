"""The choice of topics: which words say most about what buyers of a product care for."""

from collections.abc import Collection

from comments.topics.records import Topic
from comments.topics.tally import Tally
from comments.topics.vocabulary import Vocabulary


def choose_topics(
    tally: Tally,
    others: Vocabulary,
    *,
    names: Collection[str] = (),
    banned: Collection[str] = (),
) -> list[Topic]:
    """Return the topics of a product in a language, at most `MOST_TOPICS`, the first one first.

    ``others`` are the words of comments on other products, ``names`` what the product is called,
    ``banned`` are stems.
    """
    del tally, others, names, banned
    return []
