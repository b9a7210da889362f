"""Sample comments for the sample shop: many languages, the ratings of real reviews, three years.

Made from phrase banks and a seed, without DynamoDB and Django. The same seed and count give
the same ids, texts and ratings on any day; only the dates move with ``now``.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from demo.sample.catalogue import SampleCatalogue, SampleProduct
from demo.sample.text import Reviewer
from demo.sample.voices import load_voices

DEFAULT_SEED = 1_972
FAVOURITE_SHARE = 5 / 12
"""Share of all comments that the most discussed product has."""
UNDISCUSSED = 6
"""Products nobody has written about."""
SPAN = timedelta(days=3 * 365)
RECENCY = 1.7
"""Above 1, recent comments are denser than old ones."""
BURSTS = 0.006
"""How often a comment begins a burst: several with one timestamp of whole seconds."""
SOURED = timedelta(days=90)
"""How long ago the product second in comments went from well liked to returned."""

LIKED = (10, 4, 7, 19, 60)
ORDINARY = (17, 7, 9, 18, 49)
DIVISIVE = (36, 8, 6, 9, 41)
POOR = (48, 14, 11, 10, 17)
MOODS = {LIKED: 50, ORDINARY: 35, DIVISIVE: 10, POOR: 5}
"""Weights of one to five stars for products of four kinds, and how frequent each kind is."""


@dataclass(frozen=True, slots=True)
class SampleComment:
    """A comment; ``language`` is ISO 639-1, ``created_at`` UTC, ``title`` may be empty."""

    id: str
    product_id: str
    language: str
    rating: int
    created_at: datetime
    author: str
    title: str
    body: str


@dataclass(frozen=True, slots=True)
class _Audience:
    """How many people write about a product, and what they thought then and think now."""

    product: SampleProduct
    size: int
    earlier: tuple[int, ...]
    lately: tuple[int, ...]


def sample_comments(
    catalogue: SampleCatalogue, *, seed: int = DEFAULT_SEED, count: int = 6_000, now: datetime
) -> Iterator[SampleComment]:
    """Write ``count`` comments, product by product, in no order of time, none after ``now``.

    ``now`` is an aware datetime. One product has five of every twelve comments, six have none.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    until = now.astimezone(UTC).replace(microsecond=0)
    voices = load_voices()
    weights = [voice.weight for voice in voices]
    authors = {voice.language: voice.authors(seed=seed) for voice in voices}
    for audience in _audiences(rng, catalogue.products, count):
        for age in _ages(rng, audience.size):
            stars = audience.lately if age < SOURED else audience.earlier
            rating = rng.choices(range(1, 6), stars)[0]
            voice = rng.choices(voices, weights)[0]
            review = Reviewer(rng, voice, audience.product).write(rating=rating)
            yield SampleComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=audience.product.id,
                language=voice.language,
                rating=rating,
                created_at=until - age,
                author=rng.choice(authors[voice.language]),
                title=review.title,
                body=review.body,
            )


def _audiences(rng: Random, products: Sequence[SampleProduct], count: int) -> Iterator[_Audience]:
    favourite, *others = rng.sample(products, len(products))[UNDISCUSSED:]
    of_favourite = round(count * FAVOURITE_SHARE)
    popularity = [rng.lognormvariate(0, 0.8) for _ in others]
    sizes = Counter(rng.choices(others, popularity, k=count - of_favourite)).most_common()
    yield _Audience(favourite, of_favourite, ORDINARY, ORDINARY)
    for rank, (product, size) in enumerate(sizes):
        mood = rng.choices(list(MOODS), list(MOODS.values()))[0]
        yield _Audience(product, size, *((LIKED, POOR) if rank == 0 else (mood, mood)))


def _ages(rng: Random, size: int) -> Iterator[timedelta]:
    """Give ages of comments; now and then one age several times, in whole seconds."""
    repeats, age = 0, timedelta()
    for _ in range(size):
        if repeats:
            repeats -= 1
        else:
            age = SPAN * rng.random() ** RECENCY
            if rng.random() < BURSTS:
                repeats = rng.randint(3, 9)
                age = timedelta(seconds=age // timedelta(seconds=1))
        yield age
