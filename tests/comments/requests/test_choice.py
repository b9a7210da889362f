"""Customers choose not to be asked for reviews: by one click of a mail program, or on a page."""

import pytest
from django.core import signing
from django.test import Client
from django.utils import timezone

from comments import keys
from comments.requests.links import choice_path, request_token
from comments.requests.services import Outcome
from comments.store.table import read_item
from tests.support.comments.faulty import unreachable
from tests.support.comments.requested import ask, emails_to, opt_out_path, purchase_of

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
STOP, START = "Stop these e-mails", "Send me these e-mails"


@pytest.fixture
def url(ann):
    """The address in the header of an e-mail to ann, who is then free to be asked again."""
    ask(purchase_of(ann.username))
    (email,) = emails_to(ann.username)
    return opt_out_path(email)


@pytest.fixture
def program():
    """A mail program: without a session, and without a token of a form."""
    return Client(enforce_csrf_checks=True)


def is_muted(user_id):
    return ask(purchase_of(user_id)) is Outcome.MUTED


class TestOptingOut:
    def test_takes_one_post(self, ann, url, program):
        answer = program.post(url, {"List-Unsubscribe": "One-Click"})
        assert (answer.status_code, is_muted(ann.username)) == (200, True)
        assert program.post(url).status_code == 200, "it can be sent again"

    def test_is_only_offered_by_get(self, ann, url, program):
        answer = program.get(url)
        assert STOP in answer.content.decode()
        assert answer["X-Robots-Tag"] == "noindex"
        assert "no-store" in answer["Cache-Control"]
        assert not is_muted(ann.username)

    def test_is_taken_back_by_the_same_link(self, ann, url, program):
        assert START in program.post(url, {"wanted": "no"}).content.decode()
        assert START in program.get(url).content.decode()
        assert STOP in program.post(url, {"wanted": "yes"}).content.decode()
        assert not is_muted(ann.username)

    def test_is_possible_for_years(self, ann, url, program, monkeypatch):
        monkeypatch.setattr(signing.time, "time", lambda: timezone.now().timestamp() + 1e8)
        assert program.post(url).status_code == 200
        assert is_muted(ann.username)

    def test_is_refused_by_a_link_that_was_made_up_or_is_for_something_else(self, ann, program):
        for token in ("WyJhIiwiYiJd:1tMxyz:AAAA", request_token(ann.username, "order")):
            assert program.post(f"/review-requests/{token}/").status_code == 404
        assert not is_muted(ann.username)

    def test_is_refused_where_the_user_is_gone_and_stores_nothing(self, program, fresh):
        gone = fresh("gone")
        assert program.post(choice_path(gone)).status_code == 404
        assert not read_item(keys.asked_user(gone))

    def test_is_in_german_too(self, url, program):
        german = {"Accept-Language": "de"}
        assert "Diese E-Mails abbestellen" in program.get(url, headers=german).content.decode()
        assert "Diese E-Mails bekommen" in program.post(url, headers=german).content.decode()

    def test_is_told_when_the_database_is_away(self, url, program):
        with unreachable():
            assert program.post(url).status_code == 503


class TestTheOwnPage:
    def test_has_the_choice_of_the_signed_in_user(self, ann):
        for button, other in [(STOP, START), (START, STOP)]:
            page = ann.get("/review-requests/").page.one("main")
            (form,) = (one for one in page.all("form") if "/review-requests/" in one["action"])
            assert form.one("button").text == button
            fields = {one["name"]: one["value"] for one in form.all("input")}
            assert other in ann.browser.post(form["action"], fields).content.decode()

    def test_is_not_for_visitors_who_are_not_signed_in(self):
        answer = Client().get("/review-requests/")
        assert answer["Location"].startswith("/accounts/login/")
