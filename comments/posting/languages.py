"""The detector of the language a text is written in.

`detect_language` guesses a language; `load_model` loads what it guesses by, which servers do before
they fork.
"""

from functools import lru_cache
from threading import Lock

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from comments.filters import is_language

LEAST_PROBABILITY = 0.4
"""From which a guess is made at all; at 40 characters it nearly always is."""
MOST_CHARACTERS = 2_000
"""Of a text that are looked at: enough to tell."""

_loading = Lock()


def detect_language(text: str) -> str | None:
    """Guess the ISO 639-1 code of a text's language; None where it is uncertain."""
    start = text.strip()[:MOST_CHARACTERS]
    if not start:
        return None
    language, probability = load_model().classify(start)
    return str(language) if probability >= LEAST_PROBABILITY else None


def load_model() -> LanguageIdentifier:
    """Return the model, loaded once.

    Servers call this before they fork, so that processes share it.
    """
    # Threads that came together would each load it, at 70 MB.
    with _loading:
        return _load()


@lru_cache(maxsize=1)
def _load() -> LanguageIdentifier:
    """Load the model, which takes a second or two and some 70 MB."""
    full = LanguageIdentifier.from_model_file(MODEL_FILE)
    full.set_languages([code for code in full.labels if is_language(code)])
    # One of its own, because the first keeps all languages besides, for `set_languages`: 28 MB.
    return LanguageIdentifier(
        full.nb_ptc,
        full.nb_pc,
        full.nb_classes,
        full.tk_nextmove,
        full.tk_output,
        tk_row=full.tk_row,
        norm_probs=True,
    )
