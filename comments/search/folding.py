"""Words without accents, so that ``café`` and ``cafe`` are one word in texts and searches alike.

All accents of the Latin script go, and letters of it that have no plain form by Unicode, such as
``ø`` and ``ł``; accents of Greek; the two dots of the Russian ``ё``; points of Hebrew; vowel signs
of Arabic. Marks of other scripts stay: there they are vowels. No script is written in letters of
another one.
"""

import re
from unicodedata import category, normalize

_LATIN_AND_GREEK = ((0xC0, 0x24F), (0x370, 0x3FF), (0x1E00, 0x1FFF))
"""The first and last code points of what has letters with accents."""
_MARKS = re.compile(
    "["
    "\u0300-\u036f"  # what NFKC leaves of them stands over letters of Latin and Greek, or is stress
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic
    "]+"
)
_WITHOUT_PLAIN_FORM = {
    "æ": "ae",
    "ð": "d",
    "ø": "o",
    "þ": "th",
    "đ": "d",
    "ħ": "h",
    "\u0131": "i",
    "ĸ": "k",
    "ł": "l",
    "ŋ": "n",
    "œ": "oe",
    "ŧ": "t",
    "ƀ": "b",
    "ɓ": "b",
    "ɗ": "d",
    "ə": "e",
    "ɛ": "e",
    "ɨ": "i",
    "ƙ": "k",
    "ɔ": "o",
    "ƴ": "y",
    "ƶ": "z",
    "\u0451": "\u0435",  # Cyrillic
}


def _plain_forms() -> dict[int, str]:
    """Return what each letter with accents becomes, by its code point."""
    plain = {ord(letter): form for letter, form in _WITHOUT_PLAIN_FORM.items()}
    for first, last in _LATIN_AND_GREEK:
        for code_point in range(first, last + 1):
            # Unicode's decomposition of a letter has its accents as signs of their own.
            signs = normalize("NFD", chr(code_point))
            letters = [sign for sign in signs if category(sign) != "Mn"]
            if letters != [chr(code_point)]:
                forms = [_WITHOUT_PLAIN_FORM.get(letter, letter) for letter in letters]
                plain[code_point] = "".join(forms)
    return plain


_PLAIN_FORMS = _plain_forms()


def without_accents(word: str) -> str:
    """Return a word in lower case and NFKC without accents, maybe nothing."""
    # Most words have none, and are not looked at letter by letter.
    if word.isascii():
        return word
    return _MARKS.sub("", word.translate(_PLAIN_FORMS))
