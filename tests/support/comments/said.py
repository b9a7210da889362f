"""Comments with words that are planted in them, for tests of topics."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from comments.items import NewComment
from comments.topics.records import Topic
from comments.topics.tally import Tally
from comments.topics.vocabulary import Vocabulary
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import START, written

MANY = 5
"""Comments from which on `choose_all` takes a word for a topic."""


def talk(
    product_id: str,
    count: int = 30,
    *,
    body: str = "Battery died.",
    ratings: Sequence[int] = (4,),
    since: datetime = START,
    **changes: object,
) -> list[NewComment]:
    """So many comments that say the same, a minute apart, their ratings by turns."""
    return [
        written(
            product_id,
            id=unique("comment"),
            body=body,
            rating=ratings[number % len(ratings)],
            created_at=since + timedelta(minutes=number),
            **changes,
        )
        for number in range(count)
    ]


def choose_all(
    tally: Tally,
    others: Vocabulary,
    *,
    names: Collection[str] = (),
    banned: Collection[str] = (),
) -> list[Topic]:
    """Take each word of many comments for a topic, but for names and what is banned."""
    assert others.language == tally.language
    return [
        Topic(stem, word.spellings.most_common(1)[0][0].lower(), word.comments, word.good)
        for stem, word in sorted(tally.words.items())
        if word.comments >= MANY and stem not in banned and stem not in names
    ]


def forms(topics: Iterable[Topic]) -> list[str]:
    return [topic.form for topic in topics]


def put(comments: Iterable[NewComment]) -> None:
    """Put comments that no search finds: topics are made without postings, which take long."""
    with comments_set(SEARCH=False):
        load(comments)
