"""A list knows who wrote a comment, whatever its id looks like: the entry says so."""

import pytest

from comments.host import SETS
from comments.items import NewComment
from comments.models import SHOWN, Comment
from comments.posting.services import add_comment
from comments.search.models import WordItem
from dynapages.django.callers import Scope
from dynapages.process import client
from dynapages.tables import create_missing
from tests.support.chance import unique
from tests.support.comments.options import comments_set
from tests.support.comments.read_models import fill
from tests.support.comments.truth import written
from tests.support.comments.writers import Writer, edit_url, made_product
from tests.support.config.api import program_of
from tests.support.work import finish_what_waits

pytestmark = pytest.mark.usefixtures("model")

IDS = {"made here": "01JWBDYB56GVVRDSCV6P5WD7FM", "of another system": "review-7", "long": "x" * 90}
INDEXES = [
    name for name, one in vars(Comment).items() if hasattr(getattr(one, "Meta", None), "index_name")
]


@pytest.fixture(params=IDS.values(), ids=IDS)
def own(request, model, alice):
    """A comment by alice, under an id of some system, in lists by either read model."""
    comment_id = unique(request.param[:-13])
    comment = written(
        made_product(), id=comment_id, user_id=alice.username, author="Alice", verified=True
    )
    add_comment(comment)
    if model == SETS:
        fill([comment.id])
    return comment


def page_of(comment: NewComment) -> str:
    return f"/products/{comment.product_id}/comments/~/~/"


def links(writer: Writer, comment: NewComment, url: str) -> list[str]:
    """The addresses that a comment in a list links to."""
    (shown,) = writer.get(url).page.all(data_comment_id=comment.id)
    return [a["href"] for a in shown.all("a", href=True)]


class TestTheAuthor:
    def test_can_edit_from_a_list(self, alice, own):
        assert edit_url(own) in links(alice, own, page_of(own))

    def test_can_edit_from_the_own_profile(self, alice, own):
        assert edit_url(own) in links(alice, own, f"/users/{alice.username}/")

    def test_is_not_asked_to_vote(self, alice, bob, own):
        assert not alice.get(page_of(own)).page.all("button", name="helpful")
        assert bob.get(page_of(own)).page.all("button", name="helpful")

    def test_can_edit_from_a_search(self, alice, own):
        create_missing([WordItem], client=client())
        with comments_set(SEARCH=True):
            add_comment(another := written(own.product_id, id=unique("r"), user_id=alice.username))
            finish_what_waits()
            assert edit_url(another) in links(alice, another, f"{page_of(own)}?q=says")


class TestOthers:
    def test_cannot_edit(self, bob, own):
        assert edit_url(own) not in links(bob, own, page_of(own))

    def test_get_to_the_profile_of_the_author(self, alice, bob, own):
        assert f"/users/{alice.username}/" in links(bob, own, page_of(own))

    def test_see_no_profile_of_an_author_who_is_no_user(self, model, alice, bob):
        comment = written(made_product(), id=unique("r"), author=alice.username, verified=True)
        add_comment(comment)
        if model == SETS:
            fill([comment.id])
        assert not [url for url in links(bob, comment, page_of(comment)) if "/users/" in url]


class TestTheAPI:
    def test_says_the_same_of_a_comment_in_a_list_and_alone(self, alice, own):
        program = program_of(alice.username, Scope.READ)
        (in_list,) = program.get(f"/products/{own.product_id}/comments").json()["items"]
        alone = program.get(f"/comments/{own.id}").json()
        assert in_list["username"] == alone["username"] == alice.username


class TestTheEntry:
    def test_says_it_in_every_index(self):
        assert INDEXES
        for name in INDEXES:
            projected = getattr(Comment, name).Meta.projection.non_key_attributes
            assert Comment.user_id.attr_name in projected
        assert Comment.user_id.attr_name in SHOWN
