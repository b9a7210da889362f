"""The forms in which comments are written, and the signed id of a form for a new one.

The id of a new comment is made with its form, and signed for its user and product: the same form
sent twice is the same comment, and no form can replace another comment.
"""

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from ulid import ULID

from comments.filters import RATINGS, all_languages, is_language, language_name
from comments.posting.languages import detect_language
from comments.posting.services import Draft, draft_of
from comments.store.comments import StoredComment
from comments.web.forms import TextField, bound_length

LONGEST_TITLE = 120
"""Characters."""
LONGEST_TEXT = 5_000
"""Characters."""
FORM_LIVES = timedelta(days=1)
"""How long a form may lie open before it is sent."""
DETECT = gettext_lazy("Detect from the text")
DEFAULT_LANGUAGE = "en"
_CHOOSE_A_RATING = gettext_lazy("Choose one to five stars.")


# The id of a form


class BadForm(ValueError):
    """The form has no valid comment id, is somebody else's, or too old."""


def new_form_id(*, user_id: str, product_id: str, now: datetime) -> str:
    """Build the id of a new comment, signed for its user and product."""
    return _signer(user_id, product_id).sign(str(ULID.from_datetime(now)))


def comment_id_in(form_id: str, *, user_id: str, product_id: str) -> str:
    """Parse the comment's id from a form id. Raises BadForm."""
    try:
        comment_id = _signer(user_id, product_id).unsign(form_id, max_age=FORM_LIVES)
    except BadSignature as error:  # SignatureExpired is one
        raise BadForm(_("This form is too old, or was made for somebody else.")) from error
    return comment_id


def _signer(user_id: str, product_id: str) -> TimestampSigner:
    return TimestampSigner(salt=f"comments.form/{user_id}/{product_id}")


# Forms


def _rating_choices() -> list[tuple[int, str]]:
    return [(n, ngettext("%d star", "%d stars", n) % n) for n in RATINGS]


class CommentForm(forms.Form):
    """The content of a comment; ``fallback`` is its language where none can be detected."""

    rating = forms.TypedChoiceField(
        label=gettext_lazy("Rating"),
        coerce=int,
        choices=_rating_choices,
        error_messages={"required": _CHOOSE_A_RATING, "invalid_choice": _CHOOSE_A_RATING},
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
        """The content that was typed, once the form is valid."""
        typed = self.cleaned_data
        return Draft(
            rating=typed["rating"],
            language=typed["language"] or self.detected,
            title=typed["title"],
            body=typed["body"],
        )


class NewCommentForm(CommentForm):
    """A new comment; ``form_id`` is of `new_form_id`.

    ``request`` is the token of the request for reviews that has led to the form, if one has.
    """

    form_id = forms.CharField(widget=forms.HiddenInput)
    request = forms.CharField(widget=forms.HiddenInput, required=False)


class EditForm(CommentForm):
    """A change of a comment that was read in this ``version``."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    @classmethod
    def of(cls, stored: StoredComment) -> "EditForm":
        return cls(initial={**asdict(draft_of(stored.comment)), "version": stored.version})
