"""The phrases of sample reviews: one file of ``voices_data`` for each language."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from faker import Faker

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
