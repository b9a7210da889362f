"""Reviews in many languages: titles and texts, put together from the phrases of a voice.

A voice is a language, with its phrases and its authors' names, in ``voices_data``. A phrase may
have alternatives, ``[a|b|c]``, and stand for the product by ``{the}`` or, where a sentence begins,
``{The}``. `load_voices` reads them, `Reviewer` writes a review.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from operator import attrgetter
from pathlib import Path
from random import Random

from demo.sample.catalogue import SampleProduct
from dynapages.errors import DynamoError

try:
    from faker import Faker
except ModuleNotFoundError as missing:
    raise DynamoError("Faker is not installed here; demo/requirements.txt has it.") from missing

VOICES_FOLDER = Path(__file__).with_name("voices_data")
AUTHORS_PER_LOCALE = 120
PARAGRAPH = "\n\n"
"""Between the paragraphs of an essay; other reviews have one."""
ALTERNATIVES = re.compile(r"\[([^]]*)\]")

# Indexes of points: all voices have the same ones in the same order.
STORY_POINTS = frozenset({2, 6, 9})
"""On delivery, service and colour, which the stories of essays mention."""
FAINT_PRAISE = frozenset({1, 2, 3, 9, 10})
"""Good points that a bad review may have."""
SMALL_FAULTS = frozenset({2, 3, 4, 7, 8, 10})
"""Bad points that a good review may have."""
MOST_POINTS = {1: (0, 3), 2: (1, 3), 3: (2, 2), 4: (3, 1), 5: (3, 0)}
"""How many good and bad points a review of so many stars has at the most."""

# Shares of all reviews.
SHARE_OF_REMARKS = 0.25
SHARE_OF_ESSAYS = 0.06
SHARE_OPENED = 0.7
SHARE_DETAILED = 0.5
SHARE_CLOSED = 0.5
SHARE_WITH_EMOJI = 0.08
SHARE_WITHOUT_TITLE = 0.12


class Tone(StrEnum):
    """A reviewer's opinion of the product."""

    GOOD = "good"
    MIXED = "mixed"
    BAD = "bad"


TONES = {1: Tone.BAD, 2: Tone.BAD, 3: Tone.MIXED, 4: Tone.GOOD, 5: Tone.GOOD}
"""The tones of reviews by their stars."""
EMOJI = {
    Tone.GOOD: ("👍", "😍", "🎉", "❤️", "🙌", "⭐⭐⭐⭐⭐"),
    Tone.MIXED: ("🤔", "😐", "🤷"),
    Tone.BAD: ("👎", "😡", "😞", "🙄"),
}


# Voices


@dataclass(frozen=True, slots=True, kw_only=True)
class Voice:
    """The phrases of one language; ``weight`` is its share of the comments, not of a fixed sum.

    The phrases of ``titles`` and the like are by their tone, those of ``details`` by the category
    of a product before. ``nouns`` are names of products by their kind.
    """

    language: str
    weight: int
    separator: str
    locales: Sequence[str]
    signatures: Sequence[str]
    stories: Sequence[str]
    titles: Mapping[str, Sequence[str]]
    openers: Mapping[str, Sequence[str]]
    points: Mapping[str, Sequence[str]]
    closers: Mapping[str, Sequence[str]]
    details: Mapping[str, Mapping[str, Sequence[str]]]
    nouns: Mapping[str, str]

    def authors(self, *, seed: int) -> list[str]:
        """Make names as people of this language's countries sign with them."""
        names = []
        for locale in self.locales:
            names += _names(locale, self.signatures, seed)
        return names


def load_voices() -> list[Voice]:
    """Read all voices, the most frequent language first."""
    voices = []
    for path in sorted(VOICES_FOLDER.glob("*.toml")):
        phrases = tomllib.loads(path.read_text(encoding="utf-8"))
        voices.append(Voice(language=path.stem, **phrases))
    return sorted(voices, key=attrgetter("weight"), reverse=True)


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


# Reviews


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
        tone = TONES[rating]
        length = self.rng.random()
        if length < SHARE_OF_REMARKS:
            body = self._remark(tone)
        elif length < 1 - SHARE_OF_ESSAYS:
            body = self._account(rating)
        else:
            body = self._essay(rating)
        title = ""
        if not self._happens(SHARE_WITHOUT_TITLE):
            title = self.rng.choice(self.voice.titles[tone])
        return title, self._finished(body, tone)

    def _finished(self, text: str, tone: Tone) -> str:
        """Choose among alternatives, name the product, and perhaps add an emoji."""
        noun = self.voice.nouns[self.product.kind]
        text = ALTERNATIVES.sub(self._choose_alternative, text)
        body = text.format(the=noun, The=noun[0].upper() + noun[1:])
        if self._happens(SHARE_WITH_EMOJI):
            body += f" {self.rng.choice(EMOJI[tone])}"
        return body

    def _choose_alternative(self, match: re.Match[str]) -> str:
        alternatives: list[str] = match[1].split("|")
        return self.rng.choice(alternatives)

    def _remark(self, tone: Tone) -> str:
        phrases = [*self.voice.openers[tone], *self.voice.closers[tone]]
        if tone is not Tone.MIXED:
            phrases += [*self.voice.points[tone], *self._details(tone)]
        return self.rng.choice(phrases)

    def _account(self, rating: int) -> str:
        """Return a text of one paragraph."""
        tone = TONES[rating]
        sentences = self._points(rating)
        if self._happens(SHARE_OPENED):
            sentences.insert(0, self.rng.choice(self.voice.openers[tone]))
        if tone is not Tone.MIXED and self._happens(SHARE_DETAILED):
            sentences.append(self.rng.choice(self._details(tone)))
        if self._happens(SHARE_CLOSED):
            sentences.append(self.rng.choice(self.voice.closers[tone]))
        return self.voice.separator.join(sentences)

    def _essay(self, rating: int) -> str:
        """Return a text of three paragraphs."""
        tone = TONES[rating]
        stories = self.rng.sample(self.voice.stories, len(self.voice.stories))
        details = () if tone is Tone.MIXED else self._details(tone)
        paragraphs = [
            [self.rng.choice(self.voice.openers[tone]), *stories[:3]],
            [*self._points(rating, without=STORY_POINTS), *details],
            [*stories[3:], self.rng.choice(self.voice.closers[tone])],
        ]
        return PARAGRAPH.join(self.voice.separator.join(paragraph) for paragraph in paragraphs)

    def _details(self, tone: Tone) -> Sequence[str]:
        return self.voice.details[self.product.category_slugs[0]][tone]

    def _points(self, rating: int, *, without: frozenset[int] = frozenset()) -> list[str]:
        """Choose points about different things, so that no review contradicts itself."""
        tone = TONES[rating]
        most_good, most_bad = MOST_POINTS[rating]
        good_points = self.voice.points[Tone.GOOD]
        bad_points = self.voice.points[Tone.BAD]
        all_points = frozenset(range(len(good_points)))
        praise = all_points if tone is Tone.GOOD else FAINT_PRAISE
        good = self.rng.sample(sorted(praise - without), self._some(most_good))
        faults = all_points if tone is Tone.BAD else SMALL_FAULTS
        bad = self.rng.sample(sorted(faults - without - frozenset(good)), self._some(most_bad))
        return [good_points[index] for index in good] + [bad_points[index] for index in bad]

    def _some(self, most: int) -> int:
        """Return a number from 1 to ``most``; 0 where that is 0."""
        return self.rng.randint(min(1, most), most)

    def _happens(self, share: float) -> bool:
        return self.rng.random() < share
