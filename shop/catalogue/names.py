"""Names as they sort and as they are searched: without case, marks and punctuation."""

from itertools import groupby
from unicodedata import category, combining, normalize

LONGEST_NAME = 400
"""Bytes of a folded name: it fits a sort key of 1,024 bytes with the longest id."""
WORD_JOINT = "-"
"""Between words; sorts behind ``#`` and ``$``, so that a name sorts before longer ones."""
PARENT_JOINT = "$"
"""Between the names of a category and its child; sorts behind ``#`` and before names."""
_UNDECOMPOSED = {
    "ø": "o",
    "đ": "d",
    "ł": "l",
    "ħ": "h",
    "ð": "d",
    "\N{LATIN SMALL LETTER DOTLESS I}": "i",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
}
"""Letters without a decomposition in Unicode, and how they sort."""
_WITHOUT_MARKS = str.maketrans(_UNDECOMPOSED)


def fold_name(name: str) -> str:
    """Return a name as it sorts, such as ``cafe-creme`` for “Café  Crème!”; may be empty."""
    return cut_name(WORD_JOINT.join(words_in(name)))


def cut_name(fold_name: str) -> str:
    """Return as much of a folded name as fits a sort key in front of an id."""
    return fold_name.encode()[:LONGEST_NAME].decode(errors="ignore")


def words_in(text: str) -> list[str]:
    """Return the words of a text without case, marks and punctuation."""
    # Twice, as folding the case of a letter may give one that has a decomposition again.
    decomposed = normalize("NFKD", normalize("NFKD", text).casefold())
    letters = "".join(letter for letter in decomposed if not combining(letter))
    words = []
    for is_word, run in groupby(letters.translate(_WITHOUT_MARKS), key=_is_of_a_word):
        if is_word:
            words.append("".join(run))
    return words


def _is_of_a_word(letter: str) -> bool:
    return letter.isalnum() or category(letter).startswith("M")
