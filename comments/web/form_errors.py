"""What keeps something typed from being written, as a form can tell it.

A form that is sent comes back on every error with all that was typed, without JavaScript too. So
its view turns whatever goes wrong into a `NotWritten`, and shows the form again with its sentence
(see `comments.web.form_pages`).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from django.http import HttpRequest

from comments.store.comments import StoredComment
from dynamo.calls.faults import FAILURES, fault_in
from dynamo.web.refusals import Refusal

SIGNED_OUT = "You are not signed in any more. Sign in on another page, then send this once more."
FORGED = (
    "This form is from before you last signed in, or cookies are blocked. Nothing was changed; "
    "send it once more."
)


class NotWritten(Exception):
    """Nothing was written, as far as is known; ``stored`` is what stands in the way."""

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


def forged() -> NotWritten:
    """Give what to say of a form without the right token against forged requests."""
    return NotWritten(HTTPStatus.FORBIDDEN, FORGED)


@contextmanager
def told() -> Iterator[None]:
    """Turn refusals, and a database that is busy or away, into NotWritten."""
    try:
        yield
    except Refusal as error:
        raise NotWritten(error.status, str(error), retry_after=error.retry_after) from error
    except FAILURES as error:
        fault = fault_in(error)
        if fault is None:
            raise
        sentence = f"{fault} Send this again in a moment: it will not be there twice."
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise NotWritten(status, sentence, retry_after=fault.retry_after) from error


def require_user(request: HttpRequest) -> str:
    """Give the name of whoever is signed in. Raises NotWritten, and what a read does."""
    if not request.user.is_authenticated:
        raise NotWritten(HTTPStatus.FORBIDDEN, SIGNED_OUT)
    return request.user.get_username()
