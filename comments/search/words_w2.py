"""The stems of version ``w2``, as long as a site has postings of it (``COMMENTS["SEARCH_OLDER"]``).

They are found as before accents were folded, and never change. This module and common_w2.toml go
in one piece, with `comments.search.words.OLDER`.
"""

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from unicodedata import category, normalize

from comments.search.snowball import primary, stemmed

_LONGEST_WORD = 40
_LONGEST_RUN = 4 * _LONGEST_WORD
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Kana; Han
)


def stems(text: str, language: str) -> Iterator[str]:
    """Yield the stem of each word of a text, and of each pair of characters without spaces."""
    code = primary(language)
    done = 0
    for match in _pattern().finditer(text):
        start, end = match.start(), max(match.end(), match.end("pair"))
        # The last character of a run is in the pair before.
        if end == done:
            continue
        done = end
        yield stemmed(_folded(text[start:end]), code)


@cache
def common(language: str) -> frozenset[str]:
    """Return the common stems of a language."""
    path = Path(__file__).with_name("common_w2.toml")
    lists = tomllib.loads(path.read_text(encoding="utf-8"))
    return frozenset(lists.get(primary(language), ()))


@cache
def _pattern() -> re.Pattern[str]:
    # Variation selectors are no marks here: they follow emoji.
    marks = ""
    for code_point in chain(range(0x300, 0xFE00), range(0xFE10, 0x1E94B)):
        if category(chr(code_point)).startswith("M"):
            marks += chr(code_point)
    spaceless = rf"(?=\w)[{_SPACELESS}][{marks}\uff9e\uff9f]*"
    letter = rf"[^\W_{_SPACELESS}]"
    return re.compile(
        rf"{letter}(?:{letter}|[{marks}])*|(?=(?P<pair>{spaceless}(?:{spaceless})?)){spaceless}"
    )


def _folded(word: str) -> str:
    folded = normalize("NFKC", normalize("NFKC", word[:_LONGEST_RUN]).casefold())
    folded = folded.replace("i\u0307", "i")
    letters = [sign for sign in folded if category(sign)[0] in "LMN"]
    return "".join(letters)[:_LONGEST_WORD]
