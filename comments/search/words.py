"""The words of comments and of searches, as the stems that postings are kept under.

A word is a run of letters, marks and digits, in any script. It is folded, by NFKC, case and accents
(`comments.search.folding`), and cut at `LONGEST_WORD` characters. Particles and articles are taken
off (`comments.search.particles`); then it is stemmed by Snowball's algorithm of the comment's
language, which knows the accents of endings (`comments.search.endings`). Languages without one keep
the folded word.

Scripts that are written without spaces are divided into overlapping pairs of characters, in
comments of any language. Such a character without another one next to it has no stem.

Words that are joined by a sign, such as ``e-bike``, have one more stem, of both together: so
``ebike`` finds them. Searches have none: ``e-bike`` looks for its two words.

Words that stand in over a tenth of a language's comments are common: they have no postings.
common.toml lists their stems.

Texts are compared by whole stems, of up to 320 bytes. What is stored and asked for has a bounded
form: `stem_in_keys` in keys, `digest_of` in the set of a posting. Whoever changes these, that list,
or how words are found, changes `VERSION`.
"""

import re
import tomllib
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from unicodedata import category, normalize

from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from comments.search import words_w2
from comments.search.endings import with_accents
from comments.search.folding import without_accents
from comments.search.particles import without_particles
from comments.search.snowball import primary, stemmed

VERSION = "w3"
"""Of the stems, in the keys of all postings that are written."""
OLDER = "w2"
"""Of postings that are searched, too, until all are of `VERSION`: ``COMMENTS["SEARCH_OLDER"]``."""
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
MOST_JOINED = 4
"""Words with signs between them that have a stem together; of more there is none."""
STEMS_REMEMBERED = 20_000
"""Words whose stems a process remembers, some 200 bytes each."""
_DIGEST_BYTES = 5
_DIGEST_MARK = "#"
"""In front of what stands for a longer stem: no stem has it, as stems have no punctuation."""

_SPACELESS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai and Lao, Burmese, Khmer
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9d"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Kana; Han
)
_APOSTROPHES = "'\u2019\u02bc"
_SIGNS = frozenset(f"{_APOSTROPHES}-\u2010\u2011&")
"""What joins words: apostrophes, hyphens, and ``&``."""
_ELISION = ("ca", "fr", "it")
"""Languages in which an apostrophe stands between two words that are said as one."""


class BadSearch(ValueError):
    """A search of too many words or characters; its text is a sentence for users."""


@dataclass(frozen=True, slots=True)
class Search:
    """What somebody searches for: the text as typed, and its different words.

    ``ignored`` are parts of the text between blanks that have no word, such as "👍". ``alone`` are
    single characters of scripts without spaces, which no comment is found by.
    """

    text: str
    words: tuple[str, ...]
    ignored: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    def stems(self, language: str, version: str = VERSION) -> tuple[str, ...]:
        """Return the stems to look for in comments of a language, without common ones."""
        return stems_of(" ".join(self.words), language, version)

    def common(self, language: str) -> tuple[str, ...]:
        """Return the words that are not looked for in comments of a language: they are common."""
        return tuple(word for word in self.words if not stems_of(word, language))


def parse_search(text: str) -> Search:
    """Return the search that was typed. Raises BadSearch."""
    # Control characters and halves of surrogate pairs cannot be stored, nor shown again.
    text = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]", " ", text).split())
    if len(text) > LONGEST_SEARCH:
        raise BadSearch(_("Search for at most %d characters.") % LONGEST_SEARCH)
    words: dict[str, str] = {}
    alone: dict[str, None] = {}
    ignored: dict[str, None] = {}
    for part in text.split():
        has_word = False
        for word in _words(part):
            folded = _folded(word.text)
            if not folded:
                continue
            has_word = True
            if word.is_alone:
                alone[word.text] = None
            else:
                words.setdefault(folded, word.text)
        if not has_word:
            ignored[part] = None
    if len(words) > MOST_WORDS:
        raise BadSearch(_("Search for at most %d words.") % MOST_WORDS)
    return Search(text, tuple(words.values()), tuple(ignored), tuple(alone))


def every_stem(
    text: str, language: str, *, without: Collection[str] = (), version: str = VERSION
) -> Iterator[str]:
    """Yield the different stems of a text in their order, behind them those of joined words."""
    seen = {*without}
    for stem in _all_stems(text, language, version):
        if stem not in seen:
            seen.add(stem)
            yield stem


def _all_stems(text: str, language: str, version: str) -> Iterator[str]:
    if version == OLDER:
        return words_w2.stems(text, language)
    return (found.stem for found in _stems(text, language))


def stems_of(text: str, language: str, version: str = VERSION) -> tuple[str, ...]:
    """Return the different stems of a text in their order, without common ones."""
    without = _common_of(language, version)
    return tuple(every_stem(text, language, without=without, version=version))


def indexed_stems(title: str, body: str, language: str, version: str = VERSION) -> tuple[str, ...]:
    """Return the stems that a comment is found by: its first `MOST_STEMS`, title first."""
    without = _common_of(language, version)
    stems = every_stem(f"{title}\n{body}", language, without=without, version=version)
    return tuple(islice(stems, MOST_STEMS))


def spellings_of_stems(title: str, body: str, language: str) -> dict[str, list[str]]:
    """Return the stems of `indexed_stems`, each with the words that have it, as they are written.

    A stem that joined words alone have is without any, and so is a pair of characters of a script
    that is written without spaces.
    """
    common = _common(language)
    spellings: dict[str, list[str]] = {}
    for found in _stems(f"{title}\n{body}", language):
        if found.stem in common:
            continue
        of_stem = spellings.setdefault(found.stem, [])
        if found.word:
            of_stem.append(found.word)
    return dict(islice(spellings.items(), MOST_STEMS))


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
    places = []
    for found in _stems(text, language):
        if found.stem in stems:
            places.append((found.start, found.end))
    parts: list[str] = []
    done = 0
    for start, end in sorted(places):
        # A word within joined ones is marked with them.
        if end <= done:
            continue
        # One that overlaps the word before continues its mark: it gets none of its own.
        if start >= done:
            parts += [escape(text[done:start]), "<mark>", "</mark>"]
        parts.insert(-1, escape(text[max(start, done) : end]))
        done = end
    return SafeString("".join([*parts, escape(text[done:])]))


class _Word(NamedTuple):
    """A word of a text, or a pair of characters of a script without spaces.

    ``is_alone`` says that it is one such character, without another one next to it.
    """

    start: int
    end: int
    text: str
    is_spaceless: bool
    is_alone: bool


class _Stem(NamedTuple):
    """A stem in a text, and where what has it begins and ends.

    ``word`` is that as it is written; "" of joined words, and of pairs of characters.
    """

    start: int
    end: int
    stem: str
    word: str = ""


def _stems(text: str, language: str) -> Iterator[_Stem]:
    """Yield the stems of a text in their order, those of joined words behind all."""
    code = primary(language)
    words = [word for word in _words(text) if not word.is_alone]
    for word in words:
        stem = _stem(word.text, code)
        if stem:
            written = "" if word.is_spaceless else word.text
            yield _Stem(word.start, word.end, stem, written)
    # So that "ebike" finds "e-bike".
    for joined in _joined(text, words, code):
        stem = _stem("".join(word.text for word in joined), code)
        stems_of_parts = [_stem(word.text, code) for word in joined]
        if stem not in stems_of_parts:
            yield _Stem(joined[0].start, joined[-1].end, stem)


def _words(text: str) -> Iterator[_Word]:
    """Yield the words of a text, and its pairs of characters without spaces."""
    done = 0
    for match in _pattern().finditer(text):
        start, end = match.start(), max(match.end(), match.end("pair"))
        # The last character of a run is in the pair before.
        if end == done:
            continue
        done = end
        is_spaceless = match["pair"] is not None
        is_alone = is_spaceless and end == match.end()
        yield _Word(start, end, text[start:end], is_spaceless=is_spaceless, is_alone=is_alone)


def _joined(text: str, words: Sequence[_Word], code: str) -> Iterator[list[_Word]]:
    """Yield words that stand together with one sign between each two, `MOST_JOINED` at most.

    Numbers alone are dates or ranges.
    """
    signs = _SIGNS
    if code in _ELISION:
        signs -= frozenset(_APOSTROPHES)
    spaced = [word for word in words if not word.is_spaceless]
    for together in _chains(text, spaced, signs):
        has_letters = not all(word.text.isdecimal() for word in together)
        if 1 < len(together) <= MOST_JOINED and has_letters:
            yield together


def _chains(text: str, words: Sequence[_Word], signs: Collection[str]) -> Iterator[list[_Word]]:
    """Yield all words, in lists of those that stand together with a sign between each two."""
    together = list[_Word]()
    for word in words:
        if together and text[together[-1].end : word.start] not in signs:
            yield together
            together = []
        together.append(word)
    if together:
        yield together


def _stem(word: str, code: str) -> str:
    """Return the stem of a word in a language, given by its primary code; "" of signs alone."""
    return _stem_of_run(word[:_LONGEST_RUN], code)


@lru_cache(maxsize=STEMS_REMEMBERED)
def _stem_of_run(word: str, code: str) -> str:
    folded = without_particles(_folded(word), code)
    return without_accents(stemmed(with_accents(folded, code), code))


@cache
def _pattern() -> re.Pattern[str]:
    """Return what finds words, and characters of scripts without spaces with the next in a pair.

    Variation selectors are no marks here: they follow emoji.
    """
    code_points = chain(range(0x300, 0xFE00), range(0xFE10, 0x1E94B))
    marks = ""
    for code_point in code_points:
        if category(chr(code_point)).startswith("M"):
            marks += chr(code_point)
    spaceless = rf"(?=\w)[{_SPACELESS}][{marks}\uff9e\uff9f]*"
    letter = rf"[^\W_{_SPACELESS}{_APOSTROPHES}]"  # one of these is a letter by Unicode
    return re.compile(
        rf"{letter}(?:{letter}|[{marks}])*|(?=(?P<pair>{spaceless}(?:{spaceless})?)){spaceless}"
    )


def _folded(word: str) -> str:
    """Return the form that all spellings of a word share, of letters, marks and digits only."""
    if word.isascii():
        return word[:LONGEST_WORD].lower()
    # Folding the case may bring up what NFKC joins: so it is applied before and after.
    folded = normalize("NFKC", normalize("NFKC", word[:_LONGEST_RUN]).casefold())
    plain = without_accents(folded)
    letters = [sign for sign in plain if category(sign)[0] in "LMN"]
    return "".join(letters)[:LONGEST_WORD]


@cache
def _common(language: str) -> frozenset[str]:
    """Return the common stems of a language, of the version that is written now."""
    lists = tomllib.loads(Path(__file__).with_name("common.toml").read_text(encoding="utf-8"))
    return frozenset(lists.get(primary(language), ()))


def _common_of(language: str, version: str) -> frozenset[str]:
    if version == OLDER:
        return words_w2.common(language)
    return _common(language)
