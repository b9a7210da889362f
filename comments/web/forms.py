"""Forms with text, the errors they show, and pages that come back with all that was typed.

A form's view turns all errors into `FormNotSaved` (`as_form_errors`, `require_user`), and shows the
form again with its sentence (`FormPage`). It counts a write before it makes it
(`comments.web.rate_limits`).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from comments.host import NO_SUCH_PRODUCT, NoSuchProduct
from comments.store.comments import NoSuchComment, StoredComment
from comments.users import user_id_of
from dynapages.calls import fault_in
from dynapages.django.paging import anchor_of, grouped, wants_partial
from dynapages.django.refusals import Refusal
from dynapages.pynamodb import FAILURES

NO_SUCH_COMMENT = gettext_lazy("There is no such comment. It may have been deleted.")
NOT_IN_LISTS = gettext_lazy("There is no such comment. It may have been deleted or hidden.")
SIGNED_OUT = gettext_lazy(
    "You are not signed in any more. Sign in on another page, then send this once more."
)
FORGED = gettext_lazy(
    "This form is from before you last signed in, or cookies are blocked. Nothing was changed: "
    "send it once more."
)
View = Callable[..., HttpResponse]
FormAgain = Callable[..., HttpResponse | None]
"""Answers with a form that was sent without the right CSRF token, or None."""


# Fields


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
    validators: list[Callable[[Any], None]] = []
    for validator in field.validators:
        if not isinstance(validator, MaxLengthValidator):
            validators.append(validator)
    field.validators = [*validators, NoLonger(longest)]


class TextField(forms.CharField):
    """A text whose line ends count as one character each."""

    def to_python(self, value: Any) -> str:  # noqa: ANN401 - Django's
        text = super().to_python(value)
        if not text:
            return ""
        return text.replace("\r\n", "\n").replace("\r", "\n")


class FormInList(forms.Form):
    """A form with a ``text``, of ``longest`` characters, that is unfolded below a comment.

    Several may be on a page: an id stands for one field of one form, and begins with ``kind``.
    """

    kind: ClassVar[str]
    longest: ClassVar[int]

    def __init__(
        self,
        data: Mapping[str, str] | None = None,
        *,
        comment_id: str,
        initial: dict[str, object] | None = None,
    ) -> None:
        auto_id = f"{anchor_of(self.kind, comment_id)}-%s"
        super().__init__(data, initial=initial, auto_id=auto_id)
        bound = self["text"]
        bound_length(bound.field, self.longest)
        attributes = bound.field.widget.attrs
        attributes.pop("maxlength", None)  # nothing is cut off: a script counts
        attributes["data-longest"] = str(self.longest)
        bound.help_text = format_html(
            '{} <span data-count-of="{}" data-fits="{}" data-too-many="{}">{}</span>',
            bound.help_text,
            bound.auto_id,
            _("{length} of {longest} characters."),
            _("{length} characters: {over} too many."),
            _("Up to %(longest)s characters.") % {"longest": grouped(self.longest)},
        )


# Errors


@contextmanager
def missing_as_404(sentence: object = NO_SUCH_COMMENT) -> Iterator[None]:
    """Turn a product or, with the sentence, a comment that is not there into Http404."""
    try:
        yield
    except NoSuchComment as error:
        raise Http404(sentence) from error
    except NoSuchProduct as error:
        raise Http404(NO_SUCH_PRODUCT) from error


# Views and pages


def redisplay_on_csrf_failure(again: FormAgain) -> Callable[[View], View]:
    """Mark a view whose form is answered by ``again``, with the view's arguments.

    ``again`` must not write. When it returns None, the usual page for status 403 is shown.
    """

    def mark(view: View) -> View:
        view.again = again  # type: ignore[attr-defined] # for CSRF_FAILURE_VIEW
        return view

    return mark


def form_page(again: FormAgain) -> Callable[[View], View]:
    """Mark a view that shows a form (GET) and takes it (POST); see `redisplay_on_csrf_failure`."""
    allow_methods = require_http_methods(["GET", "HEAD", "POST"])
    mark = redisplay_on_csrf_failure(again)

    def decorate(view: View) -> View:
        return mark(never_cache(allow_methods(view)))

    return decorate


@dataclass(eq=False)
class FormNotSaved(Exception):
    """Nothing was saved, as far as is known; ``stored`` is the comment it conflicts with."""

    status: HTTPStatus
    sentence: str = ""
    _: KW_ONLY
    stored: StoredComment | None = None
    retry_after: int | None = None


def forged() -> FormNotSaved:
    """Return the error of a form without the right CSRF token."""
    return FormNotSaved(HTTPStatus.FORBIDDEN, str(FORGED))


@contextmanager
def as_form_errors(missing: object = NO_SUCH_COMMENT) -> Iterator[None]:
    """Turn refusals, a ``missing`` comment and faults of the database into FormNotSaved."""
    try:
        yield
    except NoSuchComment as error:
        raise FormNotSaved(HTTPStatus.NOT_FOUND, str(missing)) from error
    except Refusal as error:
        raise FormNotSaved(error.status, str(error), retry_after=error.retry_after) from error
    except FAILURES as error:
        fault = fault_in(error)
        # It is a mistake of this program: the page for status 500 says so.
        if fault is None:
            raise
        again = _("Send this again in a moment: it won't be posted twice.")
        sentence = f"{_(str(fault))} {again}"
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise FormNotSaved(status, sentence, retry_after=fault.retry_after) from error


def require_user(request: HttpRequest) -> str:
    """Return the id of the signed-in user. Raises FormNotSaved, and what a read does."""
    if not request.user.is_authenticated:
        raise FormNotSaved(HTTPStatus.FORBIDDEN, str(SIGNED_OUT))
    return user_id_of(request.user)


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
        is_signed_out = refusal.sentence == str(SIGNED_OUT)
        # The user is read from the database: where that is away, the page must do without.
        error = {
            "form": form,
            "is_away": refusal.status is HTTPStatus.SERVICE_UNAVAILABLE,
            "sign_in_url": resolve_url(settings.LOGIN_URL) if is_signed_out else "",
        }
        response = self._render(request, {**context, **error}, refusal.status)
        if refusal.retry_after is not None:
            response["Retry-After"] = str(refusal.retry_after)
        if wants_partial(request):
            # The form takes its own place, wherever a success would have gone.
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
