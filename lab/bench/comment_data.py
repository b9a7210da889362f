"""The comments that are measured: many, on one product, and the right answers about them.

Made from a seed: the same on every machine. Languages and ratings are as uneven as in real reviews,
moments are random over three years, and texts are filler of realistic lengths in no language.
In `CommentData` nothing depends on anything else, as the planner assumes; in `SeasonData` languages
and ratings depend on the moment, as in real reviews.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from math import exp
from random import Random
from typing import TypeVar

from comments import keys
from comments.filters import RATINGS, CommentFilter
from comments.items import NewComment, items_of
from comments.models import Comment
from comments.store.counts import Cell, cell
from dynamo.items import Item, table_key
from dynamo.lists.places import place_of

T = TypeVar("T")
PRODUCT_ID = "bench"
LANGUAGES = {"en": 60, "de": 20, "fr": 10, "es": 5, "it": 2, "nl": 1.5, "pt": 1, "ja": 0.5}
STARS = dict(zip(RATINGS, (37, 8, 9, 9, 37), strict=True))
"""Weights of languages and ratings."""
SEASONS = {
    "en": (60, 0.8, 0.3),
    "de": (40, 0.2, 0.2),
    "fr": (30, 0.45, 0.1),
    "es": (30, 1.0, 0.1),
    "it": (10, 0.3, 0.05),
    "nl": (8, 0.0, 0.1),
    "pt": (6, 0.8, 0.1),
    "ja": (4, 0.5, 0.02),
}
"""Of each language the weight in its season, and the season's middle and width, as parts of the
span."""
LATER_STARS = dict(zip(RATINGS, (55, 3, 12, 15, 15), strict=True))
"""Weights of ratings that those in ``STARS`` drift to."""
START, SPAN = datetime(2021, 1, 1, tzinfo=UTC), timedelta(days=3 * 365)
TYPICAL_TEXT, TEXT_SPREAD = 4.9, 0.8
"""Mean and deviation of the logarithm of a text's length: half are shorter than 135 letters."""
LONGEST_TEXT = 4_000
TITLED = 0.8
AUTHORS = 20_000
WORDS = (
    *("the", "it", "was", "and", "after", "two", "weeks", "of", "use", "battery", "lamp", "box"),
    *("arrived", "late", "again", "works", "as", "expected", "colour", "is", "nothing", "like"),
    *("picture", "would", "buy", "not", "my", "daughter", "loves", "this", "returned", "money"),
    *("quality", "for", "price", "surprisingly", "good", "broke", "screen", "sound", "delivery"),
)


@dataclass(frozen=True, slots=True)
class CommentData:
    """``count`` comments on one product, the same for the same seed."""

    count: int
    seed: int = 2_024
    model: type[Comment] = Comment

    @property
    def name(self) -> str:
        return f"comments-{self.count}"

    def items(self) -> Iterator[Item]:
        """Yield the items of the comments and of long bodies, and the product's counts."""
        counts: Counter[Cell] = Counter()
        for comment in self.comments():
            counts[comment.language, comment.rating] += 1
            for item in items_of(comment):
                if item is not None:
                    yield item.serialize()
        yield counts_item(PRODUCT_ID, counts)

    def comments(self) -> Iterator[NewComment]:
        """Yield the comments, in no order of time."""
        rng = Random(self.seed)  # noqa: S311 - repeatable data, nothing secret
        filler = " ".join(rng.choices(WORDS, k=20_000))
        languages, stars = weighted(LANGUAGES), weighted(STARS)
        for _ in range(self.count):
            yield NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=PRODUCT_ID,
                language=languages(rng),
                rating=stars(rng),
                created_at=START + SPAN * rng.random(),
                author=f"reader {rng.randrange(AUTHORS)}",
                title=_cut(filler, rng.random(), 8 + int(rng.random() * 40))
                if rng.random() < TITLED
                else "",
                body=_cut(filler, rng.random(), _length(rng)),
            )


@dataclass(frozen=True, slots=True)
class SeasonData(CommentData):
    """Comments whose languages come and go, and whose ratings drift."""

    @property
    def name(self) -> str:
        return f"seasons-{self.count}"

    def comments(self) -> Iterator[NewComment]:
        rng = Random(self.seed + 1)  # noqa: S311 - repeatable data, nothing secret
        for comment in CommentData.comments(self):
            part = (comment.created_at - START) / SPAN
            language, rating = weighted(_languages_at(part))(rng), weighted(_stars_at(part))(rng)
            yield replace(comment, language=language, rating=rating)


def _languages_at(part: float) -> dict[str, float]:
    return {
        language: weight * exp(-(((part - middle) / width) ** 2))
        for language, (weight, middle, width) in SEASONS.items()
    }


def _stars_at(part: float) -> dict[int, float]:
    return {stars: STARS[stars] * (1 - part) + LATER_STARS[stars] * part for stars in RATINGS}


def counts_item(product_id: str, counts: Mapping[Cell, int]) -> Item:
    """Build the item that holds a product's counts."""
    key = keys.counts(product_id, 0)
    return {**table_key(key, key), **{cell(*of): {"N": str(n)} for of, n in counts.items()}}


class CommentAnswers:
    """The right answer for every filter, from the comments themselves."""

    def __init__(self, comments: Iterable[NewComment]) -> None:
        self._places: dict[Cell, list[str]] = defaultdict(list)
        for comment in comments:
            place = place_of(comment.created_at, comment.id)
            self._places[comment.language, comment.rating].append(place)

    def places(self, chosen: CommentFilter) -> Sequence[str]:
        """Return the places of a list's comments, newest first."""
        found = [
            place
            for (language, rating), places in self._places.items()
            if (not chosen.languages or language in chosen.languages)
            and (not chosen.ratings or rating in chosen.ratings)
            for place in places
        ]
        return sorted(found, reverse=True)


def weighted(weights: Mapping[T, float]) -> Callable[[Random], T]:
    """Return a function that picks a value by its weight with one number of a generator."""
    values, bounds = list(weights), list(accumulate(weights.values()))
    return lambda rng: rng.choices(values, cum_weights=bounds)[0]


def _length(rng: Random) -> int:
    return min(int(rng.lognormvariate(TYPICAL_TEXT, TEXT_SPREAD)) + 1, LONGEST_TEXT)


def _cut(filler: str, where: float, length: int) -> str:
    start = int(where * (len(filler) - LONGEST_TEXT))
    return filler[start : start + length].strip() or "ok"
