"""Accents of common endings, given back to words without any, so that Snowball knows the endings.

All words are folded before they are stemmed, those of texts and those of searches
(`comments.search.folding`). Snowball's algorithms take off endings as they are written: from
``cancion`` they would take another one than from ``canciones``. Which endings are worth it was
measured with real words (docs/adr/0048-words-without-accents.md); languages that are missing keep
what they had without.

Where a word might have an accent there or not, it gets the one that more words have. A word that
gets a wrong one still finds itself, as it gets that everywhere.
"""

import re

_CONSONANT = "[^aeiou]"
_ENDINGS = {
    "ca": [(r"(?<=.)cio", "ció")],
    "cs": [
        (r"(?<=..)e(ho|mu|m)", r"é\1"),
        (r"(?<=..)y(ch|mi?)", r"ý\1"),
        (r"(?<=..)i(ch|mi?|ho|mu)", r"í\1"),
        (r"(?<=..)a(m|ch)", r"á\1"),
    ],
    "es": [
        # Not of -aria: these are adjectives more often than conditionals.
        (r"(?<=.[bdentuv])i(a|as|an|amos|ais)", r"í\1"),
        (r"(?<=.[ei]r)i(a|as|an|amos|ais)", r"í\1"),
        (rf"(?<=.{_CONSONANT})eis", "éis"),
    ],
    "fr": [
        (r"(?<=..)e(e|es)", r"é\1"),
        (r"(?<=..)i(e|es)", r"ié\1"),
        (r"(?<=.)ere", "ère"),
    ],
    "hu": [
        (r"(?<=..[btr])ol", "ól"),
        (r"(?<=..n)al", "ál"),
        (r"(?<=..n)el", "él"),
        (r"(?<=..)ert", "ért"),
        (r"(?<=..)kent", "ként"),
    ],
    "it": [
        (r"(?<=...[ei]r)a", "à"),
        (r"(?<=.ivit)a", "à"),
        (r"(?<=.[ai]bilit)a", "à"),
    ],
    "lt": [
        (r"(?<=.)c(i\w{1,4})", r"č\1"),
        (r"(?<=.)dz(i\w{1,4})", r"dž\1"),
        (r"(?<=.)eti", "ėti"),
        (r"(?<=.)etu", "ėtų"),
    ],
    "pl": [
        (r"(?<=.)ac(y|a|e|ych|ym|ymi|ego|emu)", r"ąc\1"),
        (r"(?<=.)ow", "ów"),
        (r"(?<=..)c", "ć"),
        (r"(?<=..)a", "ą"),
    ],
    "pt": [
        (r"(?<=.)cao", "ção"),
        (r"(?<=.)coes", "ções"),
        (r"(?<=.)avel", "ável"),
        (r"(?<=.)ivel", "ível"),
        (r"(?<=.)enci(a|as)", r"ênci\1"),
        (r"(?<=.)anci(a|as)", r"ânci\1"),
        (r"(?<=..[aei])rao", "rão"),
        (r"(?<=..)iamos", "íamos"),
        (r"(?<=..)avamos", "ávamos"),
    ],
    "ro": [
        (r"(?<=..)and", "ând"),
        (r"(?<=..)ti", "ți"),
        (r"(?<=..)este", "ește"),
        (r"(?<=..)eaza", "ează"),
    ],
}
"""What ends a folded word, and what is put in its place, by languages; the first that fits."""
_RULES = {
    language: [(re.compile(f"{ending}$"), accented) for ending, accented in endings]
    for language, endings in _ENDINGS.items()
}
_HARMONY = {
    "e": {"i": "i", "o": "ö", "u": "ü"},
    "a": {"i": "\u0131", "o": "o", "u": "u"},
}
"""Of Turkish: the front vowels that go with ``e``, and the back vowels that go with ``a``."""


def with_accents(word: str, language: str) -> str:
    """Return a folded word with the accents of its ending; ``language`` is a primary code."""
    if language == "tr":
        return _in_harmony(word)
    for pattern, accented in _RULES.get(language, ()):
        changed, number = pattern.subn(accented, word)
        if number:
            return changed
    return word


def _in_harmony(word: str) -> str:
    """Return a folded word of Turkish with the vowels that go with those around them.

    After ``e`` stand ``i`` and ``ü``, after ``a`` stand ``i`` without a dot and ``u``. The first of
    both says what stands in front of it. ``o`` and ``ö`` are in the first syllable only. Of words
    without ``a`` and ``e`` nothing is known.
    """
    first = re.search("[ae]", word)
    if not first:
        return word
    vowels = _HARMONY[first[0]]
    letters = ""
    is_first_vowel = True
    for letter in word:
        if letter in _HARMONY:
            vowels = _HARMONY[letter]
        # No "ö" stands behind the first vowel: "geliyor" keeps its "o".
        if letter == "o" and not is_first_vowel:
            letters += letter
        else:
            letters += vowels.get(letter, letter)
        if letter in "aeiou":
            is_first_vowel = False
    # The ending "-ki" never changes.
    harmonic = re.sub("(?<=[dt][ae]k)\u0131$", "i", letters)
    return re.sub("(?<=[\u0131iuüae])g(?=[\u0131iuü](?:[nmzykst]|$))", "ğ", harmonic)
