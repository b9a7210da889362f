"""What a view reads in the round in which its user is loaded."""

from types import SimpleNamespace

from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from dynapages.django.access import Visitor, prefetch


def sent(*, is_signed_in: bool) -> HttpRequest:
    """A request with a form, and the session of a user who may have been deleted."""
    request = RequestFactory().post("/", {"name": "value"})
    request.session = {SESSION_KEY: "alex"}
    request.user = SimpleNamespace(is_authenticated=is_signed_in, is_staff=False)
    return request


def read_form(request: HttpRequest, visitor: Visitor) -> str:
    assert "_post" in vars(request)  # parsed, as Django remembers it
    return f"{visitor.user_id}: {request.POST['name']}"


@prefetch(read_form)
def view(request: HttpRequest, form: str) -> HttpResponse:
    return HttpResponse(form)


class TestAForm:
    def test_is_parsed_before_two_threads_look_at_it(self):
        assert view(sent(is_signed_in=True)).content == b"alex: value"

    def test_is_not_shown_to_a_session_without_a_user(self):
        answer = view(sent(is_signed_in=False))
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")
