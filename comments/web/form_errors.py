"""Errors a form shows when it was not saved.

A form comes back on every error with all that was typed, without JavaScript too. So its view turns
all errors into `FormNotSaved`, and shows the form again with its sentence (see
`comments.web.form_pages`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from comments.store.comments import StoredComment
from dynamo.calls.faults import FAILURES, fault_in
from dynamo.web.refusals import Refusal

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
