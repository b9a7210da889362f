"""The comments of the sample shop: on which products, with what ratings and when, over three years.

The same seed and count make the same comments on any day; only the dates move with ``now``. What
they say is `demo.sample.reviews`'.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import DEFAULT_SEED, SampleCatalogue, SampleProduct
from demo.sample.reviews import Reviewer, load_voices
from demo.sample.variety import vary

FAVOURITE_SHARE = 5 / 12
"""Share of all comments that the most discussed product has."""
UNDISCUSSED = 6
"""Products without a comment."""
SPAN = timedelta(days=3 * 365)
RECENCY = 1.7
"""Above 1, recent comments are denser than old ones."""
SHARE_OF_BURSTS = 0.006
"""How often a comment begins a burst: several with one timestamp of whole seconds."""
SOURED = timedelta(days=90)
"""Age from which on comments on the product second in comments are good; later ones are bad."""

LIKED = (10, 4, 7, 19, 60)
ORDINARY = (17, 7, 9, 18, 49)
DIVISIVE = (36, 8, 6, 9, 41)
POOR = (48, 14, 11, 10, 17)
MOODS = {LIKED: 50, ORDINARY: 35, DIVISIVE: 10, POOR: 5}
"""Weights of one to five stars for products of four kinds, and how frequent each kind is."""

StarWeights = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Audience:
    """A product, the number of its comments, and the weights of their stars: first, and lately."""

    product: SampleProduct
    comments: int
    stars: StarWeights
    recent_stars: StarWeights


def sample_comments(
    catalogue: SampleCatalogue, *, seed: int = DEFAULT_SEED, count: int = 6_000, now: datetime
) -> Iterator[NewComment]:
    """Write ``count`` comments, product by product, in no order of time, none after ``now``.

    ``now`` is an aware datetime. One product has five of every twelve comments, six have none.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    until = now.astimezone(UTC).replace(microsecond=0)
    voices = load_voices()
    weights = [voice.weight for voice in voices]
    authors = {voice.language: voice.authors(seed=seed) for voice in voices}
    # What is drawn is drawn in this order, always: else a seed would make other comments.
    by_language = {voice.language: voice for voice in voices}
    for audience in _audiences(rng, catalogue.products, count):
        written = []
        for age in _ages(rng, audience.comments):
            stars = audience.recent_stars if age < SOURED else audience.stars
            rating = rng.choices(range(1, 6), stars)[0]
            voice = rng.choices(voices, weights)[0]
            title, body = Reviewer(rng, voice, audience.product).write(rating=rating)
            comment = NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=audience.product.id,
                language=voice.language,
                rating=rating,
                created_at=until - age,
                author=rng.choice(authors[voice.language]),
                title=title,
                body=body,
            )
            written.append(comment)
        again = Random(f"{seed} {audience.product.id}")  # noqa: S311 - repeatable sample data
        yield from vary(written, audience.product, by_language, again)


def _audiences(rng: Random, products: Sequence[SampleProduct], count: int) -> Iterator[Audience]:
    """Yield the products that have comments, the favourite first, then by their number."""
    favourite, *others = rng.sample(products, len(products))[UNDISCUSSED:]
    of_favourite = round(count * FAVOURITE_SHARE)
    popularity = [rng.lognormvariate(0, 0.8) for _product in others]
    sizes = Counter(rng.choices(others, popularity, k=count - of_favourite)).most_common()
    yield Audience(favourite, of_favourite, ORDINARY, ORDINARY)
    for rank, (product, size) in enumerate(sizes):
        mood = rng.choices(list(MOODS), list(MOODS.values()))[0]
        if rank == 0:
            yield Audience(product, size, LIKED, POOR)
        else:
            yield Audience(product, size, mood, mood)


def _ages(rng: Random, size: int) -> Iterator[timedelta]:
    """Yield ages of comments; now and then one age several times, in whole seconds."""
    repeats = 0
    age = timedelta()
    for _comment in range(size):
        if repeats:
            repeats -= 1
        else:
            age = SPAN * rng.random() ** RECENCY
            if rng.random() < SHARE_OF_BURSTS:
                repeats = rng.randint(3, 9)
                age = timedelta(seconds=age // timedelta(seconds=1))
        yield age
