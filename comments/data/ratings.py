"""How files write ratings: as numbers, “4 out of 5 stars”, ★★★★☆, FIVE, or in words of a map."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from unicodedata import normalize

from dynapages.files.columns import BadMapping, parse_pairs
from dynapages.files.records import RowRefused

_LONGEST = 100
"""Characters of a rating."""
_LONGEST_SHOWN = 20
_HALF = Decimal("0.5")
_PLAIN_NUMBER = re.compile(r"\d{1,4}(?:[.,]\d{1,9})?", re.ASCII)
_WORDS = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5"}
"""Google's API for the profiles of businesses has these."""
_STAR_WORDS = (
    r"stars?|stern(?:en|e)?|étoiles?|estrellas?|estrelas?|stell[ae]|ster(?:ren)?|stjärn(?:or|a)|"
    r"stjerner?|gwiazd(?:ek|ki|ka)|y\u0131ld\u0131z|звезда|звезды|зв[её]зд|نجوم|颗星|つ星|星|★|⭐"
)
_OF = "out of|of|von|de|sur|su|di|van de|van|av|af|z|из|من"
_NUMBER = rf"[0-9.,]+½?|{'|'.join(_WORDS)}"
_OUT_OF = rf"(?P<number>{_NUMBER})(?: ?/ ?| (?:{_OF}) )(?P<highest>{_NUMBER})"
_FORMS = (
    rf"(?:rated )?{_OUT_OF}(?: ?(?:{_STAR_WORDS}))?",
    rf"(?P<number>{_NUMBER}) ?(?:{_STAR_WORDS})?",
    # The sites of Amazon in Japan, Turkey and China say the highest first, or by a clause.
    rf"(?P<highest>{_NUMBER}) ?(?:つ星のうち|y\u0131ld\u0131z üzerinden) ?(?P<number>{_NUMBER})",
    rf"(?P<number>{_NUMBER}) ?颗星,最多 ?(?P<highest>{_NUMBER}) ?颗星",
)
_PATTERNS = tuple(re.compile(form) for form in _FORMS)
_DRAWN = re.compile("(?P<full>[★⭐🌟]*)(?P<half>[½⯪⯨]?)(?P<empty>[☆✩✰]*)")
_NOT_DRAWN = re.compile("[ \ufe0e\ufe0f]+")
"""What may be between stars: blanks, and marks that say whether a star is in colours."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The lowest and the highest rating of a file, which become 1 and 5."""

    low: Decimal = Decimal(1)
    high: Decimal = Decimal(5)

    def __contains__(self, rating: Decimal) -> bool:
        return self.low <= rating <= self.high

    def __str__(self) -> str:
        return f"{self.low} to {self.high}"

    def exactly(self, rating: Decimal) -> Decimal:
        """Return a rating on the scale from 1 to 5, not rounded."""
        return 1 + (rating - self.low) * 4 / (self.high - self.low)


def scale_of(text: str) -> Scale:
    """Parse ``10..50``. Raises BadMapping."""
    low, dots, high = text.partition("..")
    are_numbers = low.strip().isdecimal() and high.strip().isdecimal()
    if not dots or not are_numbers or int(low) >= int(high):
        raise BadMapping(f"“{text}” is no scale of ratings such as 0..10 or 10..50.")
    return Scale(Decimal(low), Decimal(high))


def rating_map(text: str) -> dict[str, int]:
    """Parse ``true=5,false=1``; the keys are those of `key_of`. Raises BadMapping."""
    ratings: dict[str, int] = {}
    for written, rating in parse_pairs(text, example="true=5").items():
        if rating not in _WORDS.values():
            raise BadMapping(f"“{written}={rating}” is no rating from 1 to 5, such as true=5.")
        key = key_of(written)
        if key in ratings:
            raise BadMapping(f"“{written}” is given twice.")
        ratings[key] = int(rating)
    return ratings


def key_of(text: str) -> str:
    """Return by what a map knows a rating: in lower case, and a number however it is written."""
    text = text.strip().lower()
    number = number_in(text)
    if number is None:
        return text
    return f"{number.normalize():f}"


def exact_rating(
    text: str, scale: Scale, ratings: Mapping[str, int], decimal: str | None
) -> Decimal:
    """Return the rating from 1 to 5 that a row has, not rounded.

    ``ratings`` say what words and numbers mean; all else must be of the ``scale``. ``decimal`` as
    in `number_in`. Raises RowRefused.
    """
    mapped = ratings.get(key_of(text))
    if mapped is not None:
        return Decimal(mapped)
    shown = text[:_LONGEST_SHOWN]
    if not text:
        raise RowRefused(
            "rating is missing: --set rating=5 gives one, --skip rating= skips the row"
        )
    rating, highest = _written(text, decimal)
    if rating is None:
        raise RowRefused(
            f"rating: “{shown}” is no number from {scale}: --rating-map true=5,false=1 says what "
            f"words mean"
        )
    # That it is out of 10 does not tell whether the lowest is 0 or 1.
    if highest is not None and highest != scale.high:
        top = f"{highest.normalize():f}"
        raise RowRefused(
            f"rating: “{shown}” is out of {top}, and not on a scale from {scale}: --rating-scale "
            f"0..{top} or 1..{top} says which one it is on"
        )
    if rating not in scale:
        raise RowRefused(f"rating: “{shown}” is no number from {scale}")
    return scale.exactly(rating)


def number_in(text: str, decimal: str | None = None) -> Decimal | None:
    """Parse a number, such as a bound of ratings; None for what is none.

    ``decimal`` is the mark before decimals, a point or a comma; either where it is None.
    """
    if not _PLAIN_NUMBER.fullmatch(text):
        return None
    other_mark = {".": ",", ",": "."}.get(decimal or "")
    if other_mark and other_mark in text:
        return None
    return Decimal(text.replace(",", "."))


def _written(text: str, decimal: str | None) -> tuple[Decimal | None, Decimal | None]:
    """Return a rating, and the highest that the text says there is; None for what it has not."""
    if len(text) > _LONGEST:
        return None, None
    text = normalize("NFC", text).lower().replace("\uff0c", ",")
    drawn = _DRAWN.fullmatch(_NOT_DRAWN.sub("", text))
    if drawn and drawn[0]:
        return _drawn(drawn)
    text = " ".join(text.split())
    for pattern in _PATTERNS:
        found = pattern.fullmatch(text)
        if found is None:
            continue
        parts = found.groupdict()
        number = _spelled(parts["number"], decimal)
        if "highest" not in parts:
            return number, None
        highest = _spelled(parts["highest"], decimal)
        if highest is not None:
            return number, highest
    return None, None


def _drawn(found: re.Match[str]) -> tuple[Decimal | None, Decimal | None]:
    """Return the rating of ★★★½☆; empty stars say how many there could be."""
    number = Decimal(len(found["full"]))
    places = len(found[0])
    if found["half"]:
        number += _HALF
    if found["empty"]:
        return number, Decimal(places)
    return number, None


def _spelled(text: str, decimal: str | None) -> Decimal | None:
    """Return the number that is spelled “4.0”, “4½” or “four”; None for what is none."""
    number = number_in(_WORDS.get(text, text.removesuffix("½")), decimal)
    if number is not None and text.endswith("½"):
        number += _HALF
    return number
