"""Sample reviews, put together from the phrases of a voice.

A phrase may have alternatives, ``[a|b|c]``, and stand for the product by ``{the}`` or, where a
sentence begins, ``{The}``.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from random import Random

from demo.sample.catalogue import SampleProduct
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
