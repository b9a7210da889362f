"""The forms in which comments are written."""

from dataclasses import asdict
from functools import lru_cache
from threading import Lock
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from comments.filters import RATINGS, all_languages, is_language, language_name
from comments.posting.services import Draft, draft_of
from comments.store.comments import StoredComment
from comments.web.forms import TextField, bound_length

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


LONGEST_TITLE = 120
LONGEST_TEXT = 5_000
"""Characters."""
DETECT = gettext_lazy("Detect from the text")
DEFAULT_LANGUAGE = "en"


class CommentForm(forms.Form):
    """The content of a comment; ``fallback`` is its language where none can be detected."""

    rating = forms.TypedChoiceField(
        label=gettext_lazy("Rating"),
        coerce=int,
        choices=lambda: [(n, ngettext("%d star", "%d stars", n) % n) for n in RATINGS],
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose one to five stars.")
        ),
    )
    title = forms.CharField(label=gettext_lazy("Title"), required=False, max_length=LONGEST_TITLE)
    body = TextField(label=gettext_lazy("Your comment"), required=False, max_length=LONGEST_TEXT)
    language = forms.CharField(label=gettext_lazy("Language"), required=False)

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 - Django's
        fallback: str = DEFAULT_LANGUAGE,
        **kwargs: Any,  # noqa: ANN401 - Django's
    ) -> None:
        super().__init__(*args, **kwargs)
        self._fallback = fallback if is_language(fallback) else DEFAULT_LANGUAGE
        bound_length(self.fields["title"], LONGEST_TITLE)
        bound_length(self.fields["body"], LONGEST_TEXT)

    def clean_title(self) -> str:
        return " ".join(self.cleaned_data["title"].split())

    def clean_language(self) -> str:
        """Return the language chosen, empty to have it detected."""
        language: str = self.cleaned_data["language"]
        if language and not is_language(language):
            raise ValidationError(_("Choose a language from the list."))
        return language

    @property
    def detected(self) -> str:
        """The language detected in the text as typed, else the fallback."""
        text = f"{self['title'].value() or ''}\n{self['body'].value() or ''}"
        return detect_language(text) or self._fallback

    @property
    def detect_label(self) -> str:
        if not self["body"].value() and not self["title"].value():
            return str(DETECT)
        return _("Detected: %(language)s") % {"language": language_name(self.detected)}

    @property
    def languages(self) -> list[tuple[str, str]]:
        return all_languages()

    @property
    def draft(self) -> Draft:
        said = self.cleaned_data
        return Draft(
            rating=said["rating"],
            language=said["language"] or self.detected,
            title=said["title"],
            body=said["body"],
        )


class NewCommentForm(CommentForm):
    """A new comment; ``form_id`` is of `comments.posting.services.new_form_id`."""

    form_id = forms.CharField(widget=forms.HiddenInput)


class EditForm(CommentForm):
    """A change of a comment that was read in this ``version``."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    @classmethod
    def of(cls, stored: StoredComment) -> "EditForm":
        return cls(initial={**asdict(draft_of(stored.comment)), "version": stored.version})
