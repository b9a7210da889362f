"""``bench topics``: what it costs, and how long it takes, to make the topics of a product.

Products with few, many and very many comments in one language are made topics of, and other
products give the words to compare with. The words are made, as uneven as those of a language. In
some comments another word is planted: it must be found, in just so many.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import accumulate
from math import ceil
from random import Random
from time import perf_counter, process_time

from comments.items import NewComment, items_of
from comments.models import Comment
from comments.store.counts import cell_names
from comments.topics.making import make_topics, read_standing
from comments.topics.records import TopicsOfProduct
from comments.topics.samples import Vocabularies
from comments.topics.vocabulary import MOST_PRODUCTS, SAMPLE
from dynapages.calls import clock, metered
from dynapages.django.options import Progress
from dynapages.items import Item
from dynapages.pynamodb import DynamoModel
from lab.bench.data import SEED, SPAN, START, counter_item
from lab.bench.engines import data_file
from lab.bench.pages import create_catalogue
from lab.bench.readers import WrongAnswer
from lab.bench.site import open_site
from lab.report import Limit, Section, Table

SIZES = (1_000, 30_000)
"""Comments of the smaller products."""
LANGUAGE = "en"
PLANTED = "battery"
EVERY_PLANTED = 8
"""One comment of so many has the planted word, and is not happy."""
SYLLABLES = ("ba", "co", "den", "fi", "gra", "lo", "mer", "nu", "pla", "ro", "sti", "tor", "ve")
ENDINGS = ("", "", "s", "ing", "ed", "er", "ly")
VOCABULARY = 40_000
LENGTH_MEAN, LENGTH_DEVIATION = 2.65, 0.95
"""Of the logarithm of a text's number of words. As in real reviews half have 14 at most, and a
sixth more than lists show of them, so that their texts are read by themselves.
"""
MOST_WORDS = 400
UNITS_OF_1000 = 150.0
"""The most that 1,000 comments may cost to read: 50 of the index, and half a unit a long text."""


@dataclass(frozen=True, slots=True)
class TopicData:
    """Comments on products of ``sizes``, and on `MOST_PRODUCTS` others of `SAMPLE` each."""

    sizes: Sequence[int]
    model: type[DynamoModel] = Comment

    @property
    def name(self) -> str:
        return f"topics-{'-'.join(map(str, self.sizes))}"

    @property
    def others(self) -> Sequence[str]:
        """The ids of the products that are compared with."""
        return [f"other-{number}" for number in range(MOST_PRODUCTS)]

    def items(self) -> Iterator[Item]:
        """Yield the items of all comments and long texts, and the counts of each product."""
        random = Random(SEED)  # noqa: S311 - repeatable data, nothing secret
        words = _Words.drawn(random)
        for size in self.sizes:
            yield from _items_of_product(product_of(size), size, words, random, has_planted=True)
        for product_id in self.others:
            yield from _items_of_product(product_id, SAMPLE, words, random, has_planted=False)


def product_of(size: int) -> str:
    """Return the id of the product with so many comments."""
    return f"bench-{size}"


@dataclass(frozen=True, slots=True)
class _Words:
    """Words, and the sums of their weights by Zipf's law."""

    words: Sequence[str]
    bounds: Sequence[float]

    @classmethod
    def drawn(cls, random: Random) -> "_Words":
        words: dict[str, None] = {}
        while len(words) < VOCABULARY:
            syllables = random.choices(SYLLABLES, k=random.randint(1, 4))
            words["".join(syllables) + random.choice(ENDINGS)] = None
        # As in a language without its most frequent words, which have no postings.
        bounds = list(accumulate(1 / (rank + 10) for rank in range(VOCABULARY)))
        return cls(list(words), bounds)

    def text(self, random: Random, number: int) -> str:
        return " ".join(random.choices(self.words, cum_weights=self.bounds, k=number))


def _items_of_product(
    product_id: str, size: int, words: _Words, random: Random, *, has_planted: bool
) -> Iterator[Item]:
    numbers: Counter[str] = Counter()
    for number in range(size):
        comment = _comment(product_id, words, random)
        if has_planted and number % EVERY_PLANTED == 0:
            title = f"{PLANTED} {comment.title}"
            comment = replace(comment, title=title, rating=random.randint(1, 3))
        numbers.update(cell_names(comment.language, comment.rating, comment.created_at))
        for item in items_of(comment):
            if item is not None:
                yield item.serialize()
    yield counter_item(product_id, numbers)


def _comment(product_id: str, words: _Words, random: Random) -> NewComment:
    length = int(random.lognormvariate(LENGTH_MEAN, LENGTH_DEVIATION)) + 1
    return NewComment(
        id=f"{random.getrandbits(64):016x}",
        product_id=product_id,
        language=LANGUAGE,
        rating=random.choice((1, 2, 3, 4, 4, 5, 5, 5)),
        created_at=START + SPAN * random.random(),
        author=f"reader {random.getrandbits(16)}",
        title=words.text(random, random.randint(1, 6)),
        body=words.text(random, min(length, MOST_WORDS)),
    )


@dataclass(slots=True)
class _Cost:
    """What something took: units of Amazon DynamoDB, seconds, and those of this processor."""

    units: float = 0.0
    seconds: float = 0.0
    processor_seconds: float = 0.0

    def cells(self) -> tuple[float, float, float]:
        """Return the three, rounded as a table shows them."""
        return round(self.units, 1), round(self.seconds, 2), round(self.processor_seconds, 2)


def measure_topics(largest: int, *, fresh: bool, progress: Progress) -> Section:
    """Make the topics of three products, of which the last has ``largest`` comments.

    Raises WrongAnswer where the planted word is not found, or in another number of comments.
    """
    sizes = (*SIZES, largest)
    data = TopicData(sizes)
    path = data_file(data, fresh=fresh, progress=progress)
    rows: list[Sequence[object]] = []
    units: dict[int, float] = {}
    with open_site(path):
        create_catalogue()
        # Whatever another run has stored: the words are counted anew.
        vocabularies = Vocabularies(lambda: data.others, clock.now(), longest_used=timedelta(0))
        with _measured() as cost:
            vocabulary = vocabularies.of(LANGUAGE)
        rows.append((f"words of {vocabulary.comments:,} comments on others", *cost.cells()))
        for size in sizes:
            with _measured() as cost:
                read_standing(product_of(size))
            rows.append((f"whether {size:,} comments are due", *cost.cells()))
            with _measured() as cost:
                made = make_topics(product_of(size), [LANGUAGE], vocabularies, now=clock.now())
            _require_planted(made, size)
            rows.append((f"topics of {size:,} comments", *cost.cells()))
            units[size] = cost.units
    about = "Made comments in one language. Times are those of one run, with those of the engine."
    titles = ("what", "units", "seconds", "of this processor")
    per_1000 = 1_000 * units[largest] / largest
    return Section(
        "Topics",
        [about],
        [Table("What it takes", titles, rows)],
        [Limit(f"units for 1,000 of {largest:,} comments", UNITS_OF_1000, per_1000)],
    )


@contextmanager
def _measured() -> Iterator[_Cost]:
    """Measure what the block takes."""
    cost = _Cost()
    began, processor_began = perf_counter(), process_time()
    with metered() as meter:
        yield cost
    cost.seconds = perf_counter() - began
    cost.processor_seconds = process_time() - processor_began
    cost.units = meter.amazon_units


def _require_planted(made: TopicsOfProduct, size: int) -> None:
    """Raise WrongAnswer unless the planted word is a topic, in the number of comments it is in."""
    expected = ceil(size / EVERY_PLANTED)
    for topic in made.languages[LANGUAGE].topics:
        if topic.form == PLANTED and topic.comments == expected:
            return
    raise WrongAnswer(f"“{PLANTED}” is not found in {expected:,} of {size:,} comments.")
