"""Checks of topics: what is stored is compared with a count of all comments as they are now.

Numbers are those of the moment at which topics were made. Where comments have changed since, they
may differ; where a language has as many comments and stars as then, none should.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from comments.topics.reading import read_comments
from comments.topics.records import Topic, TopicsOfProduct
from comments.topics.tally import Tally, WordCount


@dataclass(frozen=True, slots=True)
class TopicDifference:
    """A topic that is not what the comments say now: their numbers, or how they write the word.

    One that ``is_wrong`` is of a language whose comments are as they were when it was made.
    """

    language: str
    topic: Topic
    comments: int
    good: int
    is_written: bool
    is_wrong: bool


def topic_differences(product_id: str, topics: TopicsOfProduct) -> Iterator[TopicDifference]:
    """Yield what differs between topics of a product and a count of all its comments now.

    It reads what the making of these topics reads. Raises BatchIncomplete, and botocore's errors.
    """
    for language, of_language in sorted(topics.languages.items()):
        tally = Tally(language)
        for comment in read_comments(product_id, language):
            tally.add(comment)
        then = of_language.comments, of_language.stars
        is_unchanged = then == (tally.comments, tally.stars)
        for topic in of_language.topics:
            word = tally.words.get(topic.stem, WordCount())
            is_written = topic.form.casefold() in {form.casefold() for form in word.spellings}
            if is_written and (word.comments, word.good) == (topic.comments, topic.good):
                continue
            yield TopicDifference(
                language, topic, word.comments, word.good, is_written, is_wrong=is_unchanged
            )
