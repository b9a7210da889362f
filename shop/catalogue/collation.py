"""How names sort: without regard to case, accents and punctuation.

Sort keys are compared byte by byte, which puts “Ärmel” behind “Zebra” and “zebra” behind “Zoo”.
Folding approximates the primary level of the Unicode collation algorithm without its tables.
"""

from itertools import groupby
from unicodedata import category, combining, normalize

LONGEST = 400
"""Bytes of a folded name: it fits a sort key of 1,024 bytes with the longest id."""
JOINT = "-"
"""Between words; sorts behind ``#`` and ``$``, so that a name sorts before longer ones."""
_WITHOUT_MARKS = str.maketrans(
    dict(zip("øđłħð\N{LATIN SMALL LETTER DOTLESS I}", "odlhdi", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters without a decomposition in Unicode."""


def folded(name: str) -> str:
    """Return a name as it sorts, such as ``cafe-creme`` for “Café  Crème!”; may be empty."""
    taken_apart = normalize("NFKD", normalize("NFKD", name).casefold())
    letters = "".join(letter for letter in taken_apart if not combining(letter))
    runs = groupby(letters.translate(_WITHOUT_MARKS), key=_is_of_a_word)
    words = JOINT.join("".join(run) for is_word, run in runs if is_word)
    return words.encode()[:LONGEST].decode(errors="ignore")


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or category(letter).startswith("M")
