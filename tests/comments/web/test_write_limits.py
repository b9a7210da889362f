"""How often somebody may write: one limit for all that is written, kept in the table."""

import pytest

from comments.store.comments import load_comment
from comments.votes.rank import count_votes
from tests.support.comments.writers import (
    WORDS,
    delete_url,
    edit_url,
    fields_of,
    new_url,
    someone,
)

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def two_writes(settings):
    settings.COMMENTS = {**settings.COMMENTS, "WRITES_PER_USER": 2}


@pytest.mark.usefixtures("two_writes")
class TestAUserWhoWritesTooOften:
    def test_can_neither_edit_nor_delete_nor_vote(self, alice, bob, lamp):
        bobs = bob.has_written(lamp).comment
        comment, _ = (alice.write(lamp).comment for _ in range(2))
        form = {**fields_of(alice.get(edit_url(comment))), "title": "Dim"}
        assert alice.send(edit_url(comment), form).status_code == 429
        for url in (delete_url(comment), f"/comments/vote/{bobs.id}/"):
            response = alice.send(url, {"helpful": "yes"})
            assert (response.status_code, int(response["Retry-After"]) > 0) == (429, True)
        assert count_votes(bobs.id) == 0
        assert load_comment(comment.id).comment == comment

    def test_leaves_room_for_others(self, alice, lamp):
        for _ in range(2):
            alice.write(lamp)
        assert someone("bob").write(lamp)

    def test_is_not_charged_for_mistakes(self, alice, lamp):
        for _ in range(5):
            alice.send(new_url(lamp), {**alice.open_form(lamp), "rating": ""})
        assert alice.write(lamp)


class TestAnAddress:
    def test_has_a_limit_for_all_its_users(self, settings, lamp):
        settings.COMMENTS = {**settings.COMMENTS, "WRITES_PER_ADDRESS": 2}
        address = {"REMOTE_ADDR": "10.77.0.1"}
        for _ in range(2):
            someone("alice", **address).write(lamp)
        bob = someone("bob", **address)
        assert bob.send(new_url(lamp), {**bob.open_form(lamp), **WORDS}).status_code == 429
        assert someone("bob").write(lamp)
