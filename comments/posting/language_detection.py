"""Language detection by py3langid, offline, with the model in its package."""

from functools import lru_cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from comments.languages import is_language

SURE = 0.4
"""The probability from which a guess is made at all; at 40 characters it nearly always is."""
LOOKED_AT = 2_000
"""Characters of a text that are enough to tell."""


def detect_language(text: str) -> str | None:
    """Guess the ISO 639-1 code of a text's language; None where it is uncertain."""
    start = text.strip()[:LOOKED_AT]
    if not start:
        return None
    language, probability = load().classify(start)
    return str(language) if probability >= SURE else None


_loading = Lock()


def load() -> LanguageIdentifier:
    """Return the model, loaded once.

    Servers call this before they fork, so that processes share it.
    """
    with _loading:
        return _load()


@lru_cache(maxsize=1)
def _load() -> LanguageIdentifier:
    """Load the model, which takes a second or two and some 70 MB."""
    full = LanguageIdentifier.from_model_file(MODEL_FILE)
    full.set_languages([code for code in full.labels if is_language(code)])
    # One of its own, because the first keeps all languages besides, for `set_languages`: 28 MB.
    return LanguageIdentifier(
        *(full.nb_ptc, full.nb_pc, full.nb_classes, full.tk_nextmove, full.tk_output),
        tk_row=full.tk_row,
        norm_probs=True,
    )
