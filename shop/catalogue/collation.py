"""How names sort: without regard to case, accents and punctuation.

A key is compared byte by byte, so that a plain name would put “Ärmel” behind “Zebra” and “zebra”
behind “Zoo”. What is folded here is the primary level of the Unicode collation algorithm, as far
as it can be had without its tables: no language's own order of letters.
"""

from itertools import groupby
from unicodedata import category, combining, normalize

LONGEST = 400
"""Bytes of a folded name: with the longest id it still fits a sort key of 1,024."""
JOINT = "-"
"""Between words. It sorts behind ``#`` and ``$``, so that a name stands before those it begins."""
_WITHOUT_MARKS = str.maketrans(
    dict(zip("øđłħð\N{LATIN SMALL LETTER DOTLESS I}", "odlhdi", strict=True))
    | {"æ": "ae", "œ": "oe", "þ": "th"}
)
"""Letters that Unicode does not take apart."""


def folded(name: str) -> str:
    """Give the words of a name as they sort, such as ``cafe-creme`` for “Café  Crème!”.

    It holds nothing that sorts before ``-``, and may be empty.
    """
    taken_apart = normalize("NFKD", normalize("NFKD", name).casefold())
    letters = "".join(letter for letter in taken_apart if not combining(letter))
    runs = groupby(letters.translate(_WITHOUT_MARKS), key=_is_of_a_word)
    words = JOINT.join("".join(run) for is_word, run in runs if is_word)
    return words.encode()[:LONGEST].decode(errors="ignore")


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or category(letter).startswith("M")
