"""Who sends a form with a session that has ended uses up nobody's limits."""

import pytest

from comments.host import COMMENTS
from comments.web.rate_limits import WINDOW
from dynapages.calls import clock
from dynapages.django.rate_limits import limiter
from dynapages.writes import Limit
from shop.accounts.services import end_sessions
from tests.support.comments.writers import WORDS, fields_of, made_product, new_url, someone

pytestmark = pytest.mark.usefixtures("tables")


def left_of(name: str, limit: Limit) -> int:
    """Return how many uses are left, by one more that is given back."""
    spent = limiter().spend(name, limit, now=clock.now())
    limiter().give_back(name, limit)
    return spent.left + 1


def writes_left_of(username: str) -> int:
    return left_of(f"writes-of/{username}", Limit(COMMENTS["WRITES_PER_USER"], WINDOW))


@pytest.fixture
def alice():
    return someone("alice")


@pytest.fixture
def product():
    return made_product()


def post(alice, product):
    form = {**alice.open_form(product), **WORDS}
    return lambda: alice.send(new_url(product), form)


def edit(alice, product):
    own = alice.has_written(product)
    url = f"/comments/edit/{own.comment.id}/"
    form = {**fields_of(alice.get(url)), "title": "Another title"}
    return lambda: alice.send(url, form)


def delete(alice, product):
    own = alice.has_written(product)
    return lambda: alice.send(f"/comments/delete/{own.comment.id}/", {})


def vote(alice, product):
    theirs = someone("bob").has_written(product)
    return lambda: alice.send(f"/comments/vote/{theirs.comment.id}/", {"helpful": "yes"})


def report(alice, product):
    theirs = someone("bob").has_written(product)
    form = {"reason": "spam", "text": ""}
    return lambda: alice.send(f"/comments/report/{theirs.comment.id}/", form)


@pytest.mark.parametrize("prepare", [post, edit, delete, vote, report])
class TestAFormAboutComments:
    def test_is_counted_while_its_user_is_signed_in(self, alice, product, prepare):
        prepare(alice, product)()
        assert writes_left_of(alice.username) == COMMENTS["WRITES_PER_USER"] - 1

    def test_is_not_counted_once_the_session_has_ended(self, alice, product, prepare):
        send = prepare(alice, product)
        end_sessions(alice.username)
        send()
        assert writes_left_of(alice.username) == COMMENTS["WRITES_PER_USER"]
