"""The forms in which comments are written."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from http import HTTPStatus
from threading import Lock
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from comments.filters import RATINGS, all_languages, is_language, language_name
from comments.posting.services import Draft, draft_of
from comments.store.comments import StoredComment
from dynamo.calls.faults import FAILURES, fault_in
from dynamo.web.paging import grouped, wants_partial
from dynamo.web.refusals import Refusal


class NoLonger(MaxLengthValidator):
    """Refuses a text that is too long, and says by how much."""

    def __call__(self, value: str) -> None:
        over = len(value) - self.limit_value
        if over > 0:
            sentence = _("%(length)s characters: %(over)s too many.")
            figures = {"length": grouped(len(value)), "over": grouped(over)}
            raise ValidationError(sentence, code="max_length", params=figures)


def bound_length(field: forms.Field, longest: int) -> None:
    """Let a field of ``longest`` characters say by how much a text is too long."""
    others = (each for each in field.validators if not isinstance(each, MaxLengthValidator))
    field.validators = [*others, NoLonger(longest)]


def count_characters(form: forms.Form, name: str, *, longest: int) -> None:
    """Mark a field of ``longest`` characters for the script that counts; nothing is cut off."""
    bound = form[name]
    bound_length(bound.field, longest)
    attributes = bound.field.widget.attrs
    attributes.pop("maxlength", None)
    attributes["data-longest"] = str(longest)
    bound.help_text = format_html(
        '{} <span data-count-of="{}" data-fits="{}" data-too-many="{}">{}</span>',
        bound.help_text,
        bound.auto_id,
        _("{length} of {longest} characters."),
        _("{length} characters: {over} too many."),
        _("Up to %(longest)s characters.") % {"longest": grouped(longest)},
    )


class TextField(forms.CharField):
    """A text whose line ends count as one character each."""

    def to_python(self, value: Any) -> str:  # noqa: ANN401 - Django's
        text = super().to_python(value)
        return text.replace("\r\n", "\n").replace("\r", "\n") if text else ""


SIGNED_OUT = gettext_lazy(
    "You are not signed in any more. Sign in on another page, then send this once more."
)
FORGED = gettext_lazy(
    "This form is from before you last signed in, or cookies are blocked. Nothing was changed: "
    "send it once more."
)


class FormNotSaved(Exception):
    """Nothing was saved, as far as is known; ``stored`` is the comment it conflicts with."""

    def __init__(
        self,
        status: HTTPStatus,
        sentence: str = "",
        *,
        stored: StoredComment | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.stored = stored
        self.retry_after = retry_after


def forged() -> FormNotSaved:
    """Return the error of a form without the right CSRF token."""
    return FormNotSaved(HTTPStatus.FORBIDDEN, str(FORGED))


@contextmanager
def as_form_errors() -> Iterator[None]:
    """Turn refusals, and faults of the database, into FormNotSaved."""
    try:
        yield
    except Refusal as error:
        raise FormNotSaved(error.status, str(error), retry_after=error.retry_after) from error
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None:
            raise
        again = _("Send this again in a moment: it will not be there twice.")
        sentence = f"{_(str(fault))} {again}"
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise FormNotSaved(status, sentence, retry_after=fault.retry_after) from error


def require_user(request: HttpRequest) -> str:
    """Return the name of the signed-in user. Raises FormNotSaved, and what a read does."""
    if not request.user.is_authenticated:
        raise FormNotSaved(HTTPStatus.FORBIDDEN, str(SIGNED_OUT))
    return request.user.get_username()


@dataclass(frozen=True, slots=True)
class FormPage:
    """The templates of a page and of the fragment with its form.

    ``target`` is the element that htmx swaps the fragment for: a selector, or ``this`` for the
    form that was sent.
    """

    whole: str
    fragment: str
    target: str = "this"

    def show(
        self, request: HttpRequest, form: forms.Form, context: Mapping[str, object]
    ) -> HttpResponse:
        return self._render(request, {**context, "form": form}, HTTPStatus.OK)

    def show_again(
        self,
        request: HttpRequest,
        form: forms.Form,
        context: Mapping[str, object],
        *,
        refusal: FormNotSaved,
    ) -> HttpResponse:
        """Show a form as it was sent, with the error."""
        if refusal.sentence:
            form.add_error(None, refusal.sentence)
        # The user is read from the database: where that is away, the page must do without.
        error = {
            "form": form,
            "is_away": refusal.status is HTTPStatus.SERVICE_UNAVAILABLE,
            "is_signed_out": refusal.sentence == str(SIGNED_OUT),
        }
        response = self._render(request, {**context, **error}, refusal.status)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(refusal.retry_after)
        if wants_partial(request):
            response["HX-Retarget"] = self.target
            response["HX-Reswap"] = "outerHTML"
        return response

    def _render(
        self, request: HttpRequest, context: Mapping[str, object], status: HTTPStatus
    ) -> HttpResponse:
        template = self.fragment if wants_partial(request) else self.whole
        response = render(request, template, dict(context), status=status)
        patch_vary_headers(response, ("HX-Request",))
        return response


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
        error_messages={
            "required": gettext_lazy("Choose one to five stars."),
            "invalid_choice": gettext_lazy("Choose one to five stars."),
        },
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
