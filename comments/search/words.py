"""The words of comments and of searches, as the stems that postings are kept under.

A word is a run of letters, marks and digits, in any script. It is folded (NFKC and case) and cut at
`LONGEST_WORD` characters, then stemmed by Snowball's algorithm of the comment's language; languages
without one keep the folded word. Scripts that are written without spaces are divided into
overlapping pairs of characters, in comments of any language.

Words that stand in over a tenth of a language's comments are common: they have no postings.
common.toml lists their stems.

Texts are compared by whole stems, of up to 320 bytes. What is stored and asked for has a bounded
form: `stem_in_keys` in keys, `digest_of` in the set of a posting. Whoever changes these, that list,
or how words are found, changes `VERSION`.
"""

import re
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from unicodedata import category, normalize

import snowballstemmer
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

VERSION = "w2"
"""Of the stems, in the keys of all postings."""
MOST_STEMS = 60
"""Stems that a comment has postings of."""
MOST_WORDS = 8
"""Words of a search; each pair of characters counts as one."""
LONGEST_SEARCH = 200
LONGEST_WORD = 40
_LONGEST_RUN = 4 * LONGEST_WORD
"""Characters that are folded of a run: ordering marks takes time by the square of their number."""
LONGEST_STEM_IN_KEYS = 16
"""Bytes of UTF-8 up to which a stem stands in a partition key as it is."""
_DIGEST_BYTES = 5
_DIGEST_MARK = "#"
"""In front of what stands for a longer stem: no stem has it, as stems have no punctuation."""

_ALGORITHMS = dict(
    re.findall(
        r"(\w\w):(\w+)",
        "ar:arabic ca:catalan cs:czech da:danish de:german el:greek en:english eo:esperanto "
        "es:spanish et:estonian eu:basque fa:persian fi:finnish fr:french ga:irish hi:hindi "
        "hu:hungarian hy:armenian id:indonesian it:italian lt:lithuanian nb:norwegian ne:nepali "
        "nl:dutch nn:norwegian no:norwegian pl:polish pt:portuguese ro:romanian ru:russian "
        "sr:serbian st:sesotho sv:swedish ta:tamil tr:turkish yi:yiddish",
    )
)
"""Snowball's algorithms by ISO 639-1 codes."""
_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Kana; Han
)


class BadSearch(ValueError):
    """A search of too many words or characters; its text is a sentence for users."""


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody searches for: the text as typed, and its different words."""

    text: str
    words: tuple[str, ...]

    def stems(self, language: str) -> tuple[str, ...]:
        """Return the stems to look for in comments of a language, without common ones."""
        return stems_of(" ".join(self.words), language)

    def common(self, language: str) -> tuple[str, ...]:
        """Return the words that are not looked for in comments of a language: they are common."""
        return tuple(word for word in self.words if not stems_of(word, language))


def parse_search(text: str) -> Search:
    """Return the search that was typed. Raises BadSearch."""
    text = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", " ", text).split())
    if len(text) > LONGEST_SEARCH:
        raise BadSearch(_("Search for at most %d characters.") % LONGEST_SEARCH)
    words: dict[str, str] = {}
    for start, end, folded in _stems(text, language=""):
        words.setdefault(folded, text[start:end])
    if len(words) > MOST_WORDS:
        raise BadSearch(_("Search for at most %d words.") % MOST_WORDS)
    return Search(text, tuple(words.values()))


def every_stem(text: str, language: str, *, without: Collection[str] = ()) -> Iterator[str]:
    """Yield the different stems of a text in their order."""
    seen = {*without}
    for _start, _end, stem in _stems(text, language):
        if stem not in seen:
            seen.add(stem)
            yield stem


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the different stems of a text in their order, without common ones."""
    return tuple(every_stem(text, language, without=_common(language)))


def indexed_stems(title: str, body: str, language: str) -> tuple[str, ...]:
    """Return the stems that a comment is found by: its first `MOST_STEMS`, title first."""
    stems = every_stem(f"{title}\n{body}", language, without=_common(language))
    return tuple(islice(stems, MOST_STEMS))


def digest_of(stem: str) -> bytes:
    """Return the five bytes that stand for a stem in the set of a posting.

    Two stems of one digest are as one word: a search for one finds comments with the other, too,
    and marks nothing in these. Of stems that nobody chose for it, one pair in 10^12 has one digest.
    Whoever looks for such a pair finds it in seconds, and gains nothing: their comment is found by
    a word that they could have written into it.
    """
    return blake2b(stem.encode(), digest_size=_DIGEST_BYTES).digest()


def stem_in_keys(stem: str) -> str:
    """Return what stands for a stem in partition keys, of at most `LONGEST_STEM_IN_KEYS` bytes.

    That is the stem, or the digest of a longer one.
    """
    if len(stem.encode()) <= LONGEST_STEM_IN_KEYS:
        return stem
    return _DIGEST_MARK + urlsafe_b64encode(digest_of(stem)).decode().rstrip("=")


def marked(text: str, stems: Collection[str], language: str) -> SafeString:
    """Return a text as HTML, with the words that have one of these stems in ``<mark>``."""
    parts, done = list[str](), 0
    for start, end, stem in _stems(text, language):
        if stem in stems:
            if start >= done:  # else it overlaps the one before, and is marked with it
                parts += [escape(text[done:start]), "<mark>", "</mark>"]
            parts.insert(-1, escape(text[max(start, done) : end]))
            done = end
    return SafeString("".join([*parts, escape(text[done:])]))


def _stems(text: str, language: str) -> Iterator[tuple[int, int, str]]:
    """Yield where each word of a text begins and ends, and its stem.

    That is the folded word, where the language has no algorithm or this leaves nothing.
    """
    algorithm, done = _ALGORITHMS.get(_primary(language)), 0
    for found in _pattern().finditer(text):
        start, end = found.start(), max(found.end(), found.end("pair"))
        if end == done:  # the last character of a run is in the pair before
            continue
        stem, done = _folded(text[start:end]), end
        if algorithm:
            with _STEMMING:
                stem = _stemmer(algorithm).stemWord(stem) or stem
        yield start, end, stem


@cache
def _pattern() -> re.Pattern[str]:
    """Return what finds words, and characters of scripts without spaces with the next in a pair.

    Variation selectors are no marks here: they follow emoji.
    """
    within = chain(range(0x300, 0xFE00), range(0xFE10, 0x1E94B))
    marks = "".join(one for one in map(chr, within) if category(one)[0] == "M")
    spaceless = rf"(?=\w)[{_SPACELESS}][{marks}\uff9e\uff9f]*"
    letter = rf"[^\W_{_SPACELESS}]"
    return re.compile(
        rf"{letter}(?:{letter}|[{marks}])*|(?=(?P<pair>{spaceless}(?:{spaceless})?)){spaceless}"
    )


def _folded(word: str) -> str:
    """Return the form that all spellings of a word share, of letters, marks and digits only."""
    folded = normalize("NFKC", normalize("NFKC", word[:_LONGEST_RUN]).casefold())
    folded = folded.replace("i\u0307", "i")  # İ of Turkish
    return "".join(one for one in folded if category(one)[0] in "LMN")[:LONGEST_WORD]


_stemmer = cache(snowballstemmer.stemmer)
_STEMMING = Lock()
"""Stemmers keep what they are working on in themselves: one thread uses them at a time."""


def _primary(language: str) -> str:
    return language.lower().partition("-")[0]


@cache
def _common(language: str) -> frozenset[str]:
    lists = tomllib.loads(Path(__file__).with_name("common.toml").read_text(encoding="utf-8"))
    return frozenset(lists.get(_primary(language), ()))
