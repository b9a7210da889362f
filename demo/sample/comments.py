"""Sample comments for the sample shop: many languages, the ratings of real reviews, three years.

The same seed and count make the same comments on any day; only the dates move with ``now``.

Reviews are put together from the phrases of a voice. A phrase may have alternatives, ``[a|b|c]``,
and stand for the product by ``{the}`` or, where a sentence begins, ``{The}``.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from random import Random

from comments.items import NewComment
from demo.sample.catalogue import DEFAULT_SEED, SampleCatalogue, SampleProduct
from dynapages.errors import DynamoError

try:
    from faker import Faker
except ModuleNotFoundError as missing:
    raise DynamoError("Faker is not installed here; demo/requirements.txt has it.") from missing

VOICES = Path(__file__).with_name("voices_data")
AUTHORS_PER_LOCALE = 120


class Tone(StrEnum):
    """A reviewer's opinion of the product."""

    GOOD = "good"
    MIXED = "mixed"
    BAD = "bad"


ByTone = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The phrases of one language; ``weight`` is its share of the comments, not of a fixed sum."""

    language: str
    weight: int
    separator: str
    locales: Sequence[str]
    signatures: Sequence[str]
    stories: Sequence[str]
    titles: ByTone
    openers: ByTone
    points: ByTone
    closers: ByTone
    details: Mapping[str, ByTone]
    nouns: Mapping[str, str]

    def authors(self, *, seed: int) -> list[str]:
        """Make names as people of this language's countries sign with them."""
        return [name for locale in self.locales for name in _names(locale, self.signatures, seed)]


def load_voices() -> list[Voice]:
    """Read all voices, the most frequent language first."""
    voices = [
        Voice(language=path.stem, **tomllib.loads(path.read_text(encoding="utf-8")))
        for path in sorted(VOICES.glob("*.toml"))
    ]
    return sorted(voices, key=lambda voice: voice.weight, reverse=True)


def _names(locale: str, signatures: Sequence[str], seed: int) -> list[str]:
    # One Faker for each locale: a Faker of several draws the locale from the global `random`.
    fake = Faker(locale, providers=["faker.providers.person"])
    fake.seed_instance(seed)
    names = []
    for number in range(AUTHORS_PER_LOCALE):
        first, last = fake.first_name(), fake.last_name()
        signature = signatures[number % len(signatures)]
        names.append(signature.format(first=first, last=last, initial=last[0]))
    return names


TONES = {1: Tone.BAD, 2: Tone.BAD, 3: Tone.MIXED, 4: Tone.GOOD, 5: Tone.GOOD}
MOST_POINTS = {1: (0, 3), 2: (1, 3), 3: (2, 2), 4: (3, 1), 5: (3, 0)}
"""How many good and bad points a review of so many stars makes at most."""
IN_STORIES = frozenset({2, 6, 9})
"""Indexes of the points on delivery, service and colour, which the stories of essays mention."""
FAINT_PRAISE = frozenset({1, 2, 3, 9, 10})
"""Indexes of the good points that a bad review may have."""
SMALL_FAULTS = frozenset({2, 3, 4, 7, 8, 10})
"""Indexes of the bad points that a good review may have."""
EMOJI = {
    Tone.GOOD: ("👍", "😍", "🎉", "❤️", "🙌", "⭐⭐⭐⭐⭐"),
    Tone.MIXED: ("🤔", "😐", "🤷"),
    Tone.BAD: ("👎", "😡", "😞", "🙄"),
}
REMARKS = 0.25
ESSAYS = 0.06
OPENED = 0.7
DETAILED = 0.5
CLOSED = 0.5
WITH_EMOJI = 0.08
WITHOUT_TITLE = 0.12
ALTERNATIVES = re.compile(r"\[([^]]*)\]")


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Writes reviews of one product in one language; ``rng`` decides their content."""

    rng: Random
    voice: Voice
    product: SampleProduct

    def write(self, *, rating: int) -> tuple[str, str]:
        """Return a title, which may be empty, and a body: in one of four reviews a short remark.

        One in sixteen is an essay, with paragraphs and more than 1,024 bytes of UTF-8.
        """
        length, tone = self.rng.random(), TONES[rating]
        if length < REMARKS:
            body = self._remark(tone)
        elif length < 1 - ESSAYS:
            body = self._account(rating)
        else:
            body = self._essay(rating)
        title = "" if self._happens(WITHOUT_TITLE) else self.rng.choice(self.voice.titles[tone])
        return title, self._finished(body, tone)

    def _finished(self, text: str, tone: Tone) -> str:
        """Choose among alternatives, name the product, and perhaps add an emoji."""
        noun = self.voice.nouns[self.product.kind]
        text = ALTERNATIVES.sub(lambda found: self.rng.choice(found[1].split("|")), text)
        body = text.format(the=noun, The=noun[0].upper() + noun[1:])
        return f"{body} {self.rng.choice(EMOJI[tone])}" if self._happens(WITH_EMOJI) else body

    def _remark(self, tone: Tone) -> str:
        phrases = [*self.voice.openers[tone], *self.voice.closers[tone]]
        if tone is not Tone.MIXED:
            phrases += [*self.voice.points[tone], *self._details(tone)]
        return self.rng.choice(phrases)

    def _account(self, rating: int) -> str:
        tone = TONES[rating]
        sentences = self._points(rating=rating)
        if self._happens(OPENED):
            sentences.insert(0, self.rng.choice(self.voice.openers[tone]))
        if tone is not Tone.MIXED and self._happens(DETAILED):
            sentences.append(self.rng.choice(self._details(tone)))
        if self._happens(CLOSED):
            sentences.append(self.rng.choice(self.voice.closers[tone]))
        return self.voice.separator.join(sentences)

    def _essay(self, rating: int) -> str:
        tone = TONES[rating]
        stories = self.rng.sample(self.voice.stories, len(self.voice.stories))
        details = () if tone is Tone.MIXED else self._details(tone)
        paragraphs = [
            [self.rng.choice(self.voice.openers[tone]), *stories[:3]],
            [*self._points(rating=rating, besides=IN_STORIES), *details],
            [*stories[3:], self.rng.choice(self.voice.closers[tone])],
        ]
        return "\n\n".join(self.voice.separator.join(paragraph) for paragraph in paragraphs)

    def _details(self, tone: Tone) -> Sequence[str]:
        return self.voice.details[self.product.category_slugs[0]][tone]

    def _points(self, *, rating: int, besides: frozenset[int] = frozenset()) -> list[str]:
        """Choose points about different things, so that no review contradicts itself."""
        tone, (most_good, most_bad) = TONES[rating], MOST_POINTS[rating]
        everything = frozenset(range(len(self.voice.points[Tone.GOOD])))
        praise = (everything if tone is Tone.GOOD else FAINT_PRAISE) - besides
        good = self.rng.sample(sorted(praise), self._some(most_good))
        faults = (everything if tone is Tone.BAD else SMALL_FAULTS) - besides - frozenset(good)
        bad = self.rng.sample(sorted(faults), self._some(most_bad))
        chosen = {Tone.GOOD: good, Tone.BAD: bad}
        return [self.voice.points[one][place] for one, some in chosen.items() for place in some]

    def _some(self, most: int) -> int:
        return self.rng.randint(min(1, most), most)

    def _happens(self, share: float) -> bool:
        return self.rng.random() < share


FAVOURITE_SHARE = 5 / 12
"""Share of all comments that the most discussed product has."""
UNDISCUSSED = 6
"""Products without a comment."""
SPAN = timedelta(days=3 * 365)
RECENCY = 1.7
"""Above 1, recent comments are denser than old ones."""
BURSTS = 0.006
"""How often a comment begins a burst: several with one timestamp of whole seconds."""
SOURED = timedelta(days=90)
"""Age from which on comments on the product second in comments are good; later ones are bad."""

LIKED = (10, 4, 7, 19, 60)
ORDINARY = (17, 7, 9, 18, 49)
DIVISIVE = (36, 8, 6, 9, 41)
POOR = (48, 14, 11, 10, 17)
MOODS = {LIKED: 50, ORDINARY: 35, DIVISIVE: 10, POOR: 5}
"""Weights of one to five stars for products of four kinds, and how frequent each kind is."""


_Weights = tuple[int, ...]


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
    for product, size, earlier, lately in _audiences(rng, catalogue.products, count):
        for age in _ages(rng, size):
            stars = lately if age < SOURED else earlier
            rating = rng.choices(range(1, 6), stars)[0]
            voice = rng.choices(voices, weights)[0]
            title, body = Reviewer(rng, voice, product).write(rating=rating)
            yield NewComment(
                id=f"{rng.getrandbits(64):016x}",
                product_id=product.id,
                language=voice.language,
                rating=rating,
                created_at=until - age,
                author=rng.choice(authors[voice.language]),
                title=title,
                body=body,
            )


def _audiences(
    rng: Random, products: Sequence[SampleProduct], count: int
) -> Iterator[tuple[SampleProduct, int, _Weights, _Weights]]:
    """Yield products, the numbers of their comments, and weights of stars: earlier and recent."""
    favourite, *others = rng.sample(products, len(products))[UNDISCUSSED:]
    of_favourite = round(count * FAVOURITE_SHARE)
    popularity = [rng.lognormvariate(0, 0.8) for _ in others]
    sizes = Counter(rng.choices(others, popularity, k=count - of_favourite)).most_common()
    yield favourite, of_favourite, ORDINARY, ORDINARY
    for rank, (product, size) in enumerate(sizes):
        mood = rng.choices(list(MOODS), list(MOODS.values()))[0]
        yield (product, size, *((LIKED, POOR) if rank == 0 else (mood, mood)))


def _ages(rng: Random, size: int) -> Iterator[timedelta]:
    """Yield ages of comments; now and then one age several times, in whole seconds."""
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


VOTES = ((11, 8, 6, 5, 3, 2, 1, 1), (5, 3, 1), (4, 2))
"""Votes of comments, of each of the products with most comments."""
PICKS = (2, 1)
NEWEST = 200
"""How many comments of a product, the newest, have reactions."""
CRITICISM, PRAISE = (1, 2), (4, 5)
LONG = 600
"""Characters of a comment that is too long to be picked."""
REPLIES = (
    "We are sorry. Please send it back within thirty days: you get all your money back.",
    "Thank you for telling us. The first batch had this fault; we have sent you a new one.",
    "That should not have happened. Our colleagues have written to you about a replacement.",
)
COMPLAINTS = (
    ("spam", "", 1),
    ("off-topic", "This is about the parcel service, not about the product.", 2),
    ("other", "Has the same words as a comment on another product.", 1),
)
"""A reason, the text of the first report, and how many customers report the comment."""


@dataclass(frozen=True, slots=True)
class SampleReactions:
    """All reactions; few comments have few, or none.

    Votes are comments with user names, replies comments with texts; reports are comments with a
    user name, a reason as it is stored, and a text.
    """

    votes: tuple[tuple[NewComment, str], ...]
    reports: tuple[tuple[NewComment, str, str, str], ...]
    picks: tuple[NewComment, ...]
    replies: tuple[tuple[NewComment, str], ...]


def sample_reactions(
    comments: Sequence[NewComment], customers: Sequence[str], *, seed: int = DEFAULT_SEED
) -> SampleReactions:
    """Make reactions of customers, by their user names, and of the shop."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    discussed = list(_newest_of_most_discussed(comments))
    bad = [c for newest in discussed[:1] for c in newest if c.rating in CRITICISM]
    replied = [c for c in bad if c.language == "en"][: len(REPLIES)]
    reported = [c for c in bad if c not in replied]
    return SampleReactions(
        votes=tuple(_votes(rng, discussed, customers)),
        reports=tuple(_reports(rng, reported, customers)),
        picks=tuple(_picks(discussed)),
        replies=tuple(zip(replied, REPLIES, strict=False)),
    )


def _newest_of_most_discussed(comments: Sequence[NewComment]) -> Iterator[list[NewComment]]:
    sizes = Counter(comment.product_id for comment in comments)
    for product_id, _ in sizes.most_common(len(VOTES)):
        written = [comment for comment in comments if comment.product_id == product_id]
        yield sorted(written, key=lambda c: (c.created_at, c.id), reverse=True)[:NEWEST]


def _votes(
    rng: Random, discussed: Sequence[Sequence[NewComment]], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str]]:
    for newest, tallies in zip(discussed, VOTES, strict=False):
        liked = rng.sample(newest, min(len(tallies), len(newest)))
        for comment, tally in zip(liked, tallies, strict=False):
            for username in rng.sample(customers, min(tally, len(customers))):
                yield comment, username


def _reports(
    rng: Random, comments: Sequence[NewComment], customers: Sequence[str]
) -> Iterator[tuple[NewComment, str, str, str]]:
    for comment, (reason, text, number) in zip(comments, COMPLAINTS, strict=False):
        for nth, username in enumerate(rng.sample(customers, min(number, len(customers)))):
            yield comment, username, reason, "" if nth else text


def _picks(discussed: Sequence[Sequence[NewComment]]) -> Iterator[NewComment]:
    """Pick the longest good comments that are not too long."""
    for newest, number in zip(discussed, PICKS, strict=False):
        praise = [c for c in newest if c.rating in PRAISE and len(c.body) < LONG]
        yield from sorted(praise, key=lambda c: (len(c.body), c.id), reverse=True)[:number]
