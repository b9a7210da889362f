"""The words of comments and of searches, as the stems that postings are kept under.

A word is a run of letters, marks and digits, in any script. It is folded (NFKC and case) and cut at
`LONGEST_WORD` characters, then stemmed by Snowball's algorithm of the comment's language; languages
without one keep the folded word. Scripts that are written without spaces are divided into
overlapping pairs of characters, in comments of any language.

Words that stand in over a tenth of a language's comments are common: they have no postings.
common.toml lists their stems. Whoever changes that list, or how words are found, changes `VERSION`.
"""

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice, pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple
from unicodedata import category, normalize

import snowballstemmer
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

VERSION = "w1"
"""Of the stems, in the keys of all postings."""
MOST_STEMS = 60
"""Stems that a comment has postings of."""
MOST_WORDS = 8
"""Words of a search; each pair of characters counts as one."""
LONGEST_SEARCH = 200
LONGEST_WORD = 40
_LONGEST_RUN = 4 * LONGEST_WORD
"""Characters that are folded of a run: ordering marks takes time by the square of their number."""

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
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


class BadSearch(ValueError):
    """A search of too many words or characters; its text is a sentence for users."""


class Word(NamedTuple):
    """A word as it stands in a text, and folded."""

    start: int
    end: int
    folded: str


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
        left_out, text = _common(_primary(language)), " ".join(self.words)
        return tuple(
            text[word.start : word.end] for word, stem in _stems(text, language) if stem in left_out
        )


def parse_search(text: str) -> Search:
    """Return the search that was typed. Raises BadSearch."""
    text = " ".join(_CONTROLS.sub(" ", text).split())
    if len(text) > LONGEST_SEARCH:
        raise BadSearch(_("Search for at most %d characters.") % LONGEST_SEARCH)
    words: dict[str, str] = {}
    for word in _words(text):
        words.setdefault(word.folded, text[word.start : word.end])
    if len(words) > MOST_WORDS:
        raise BadSearch(_("Search for at most %d words.") % MOST_WORDS)
    return Search(text, tuple(words.values()))


def every_stem(text: str, language: str) -> Iterator[str]:
    """Yield the different stems of a text in their order, common ones too."""
    seen = set[str]()
    for _word, stem in _stems(text, language):
        if stem not in seen:
            seen.add(stem)
            yield stem


def stems_of(text: str, language: str) -> tuple[str, ...]:
    """Return the different stems of a text in their order, without common ones."""
    return tuple(_uncommon(text, language))


def indexed_stems(title: str, body: str, language: str) -> tuple[str, ...]:
    """Return the stems that a comment is found by: its first `MOST_STEMS`, title first."""
    return tuple(islice(_uncommon(f"{title}\n{body}", language), MOST_STEMS))


def marked(text: str, stems: Collection[str], language: str) -> SafeString:
    """Return a text as HTML, with the words that have one of these stems in ``<mark>``."""
    parts, done = [], 0
    for start, end in _joined(word for word, stem in _stems(text, language) if stem in stems):
        parts += [escape(text[done:start]), f"<mark>{escape(text[start:end])}</mark>"]
        done = end
    return mark_safe("".join([*parts, escape(text[done:])]))  # noqa: S308 - all of it is escaped


def _joined(words: Iterable[Word]) -> Iterator[tuple[int, int]]:
    """Yield where words begin and end, those that overlap as one."""
    start = end = 0
    for word in words:
        if word.start >= end:
            if end:
                yield start, end
            start = word.start
        end = word.end
    if end:
        yield start, end


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds runs of one kind of script, and the characters of one without spaces.

    Variation selectors are no marks here: they follow emoji.
    """
    within = chain(range(0x300, 0xFE00), range(0xFE10, 0x1E94B))
    marks = "".join(one for one in map(chr, within) if category(one)[0] == "M")
    spaceless = rf"(?=\w)[{_SPACELESS}][{marks}\uff9e\uff9f]*"
    letter = rf"[^\W_{_SPACELESS}]"
    word = rf"{letter}(?:{letter}|[{marks}])*"
    return re.compile(rf"(?P<word>{word})|(?:{spaceless})+"), re.compile(spaceless)


def _words(text: str) -> Iterator[Word]:
    """Yield the words of a text, pairs of characters where its script has no spaces."""
    runs, characters = _patterns()
    for run in runs.finditer(text):
        if run["word"]:
            yield Word(*run.span(), _folded(run.group()))
            continue
        found = [
            Word(*one.span(), _folded(one.group()))
            for one in characters.finditer(text, *run.span())
        ]
        if len(found) == 1:
            yield found[0]
        for one, other in pairwise(found):
            yield Word(one.start, other.end, (one.folded + other.folded)[:LONGEST_WORD])


def _folded(word: str) -> str:
    """Return the form that all spellings of a word share, of letters, marks and digits only."""
    folded = normalize("NFKC", normalize("NFKC", word[:_LONGEST_RUN]).casefold())
    folded = folded.replace("i\u0307", "i")  # İ of Turkish
    return "".join(one for one in folded if category(one)[0] in "LMN")[:LONGEST_WORD]


def _uncommon(text: str, language: str) -> Iterator[str]:
    left_out = _common(_primary(language))
    return (stem for stem in every_stem(text, language) if stem not in left_out)


def _stems(text: str, language: str) -> Iterator[tuple[Word, str]]:
    """Yield the words of a text, each with its stem; itself where the algorithm leaves nothing."""
    algorithm = _ALGORITHMS.get(_primary(language))
    for word in _words(text):
        stem = word.folded
        if algorithm:
            with _STEMMING:
                stem = _stemmer(algorithm).stemWord(stem) or stem
        yield word, stem


_stemmer = cache(snowballstemmer.stemmer)
_STEMMING = Lock()
"""Stemmers keep what they are working on in themselves: one thread uses them at a time."""


def _primary(language: str) -> str:
    return language.lower().partition("-")[0]


@cache
def _common(language: str) -> frozenset[str]:
    lists = tomllib.loads(Path(__file__).with_name("common.toml").read_text(encoding="utf-8"))
    return frozenset(lists.get(language, ()))
