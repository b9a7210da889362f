"""A comment is changed: nothing is lost to anybody, and all lists follow."""

from dataclasses import replace

import pytest
from django.utils import timezone

from comments.lists.queries import find_comment
from comments.posting.services import CommentExists, add_comment, edit_comment
from comments.store.comments import StoredComment, load_comment
from comments.store.counts import read_counts
from shop.orders.items import NewLine
from tests.support.comments.ranked import five_stars
from tests.support.comments.truth import written
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    fields_of,
    nobody,
    someone,
)
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def posted(alice, lamp):
    return alice.has_written(lamp)


def opened(alice: Writer, posted: StoredComment, **said: str) -> dict[str, str]:
    return {**fields_of(alice.get(edit_url(posted.comment))), **said}


def now_stored(posted: StoredComment) -> StoredComment:
    return load_comment(posted.comment.id)


class TestTheForm:
    def test_holds_the_comment_as_it_is(self, alice, posted):
        fields = opened(alice, posted)
        assert {name: fields[name] for name in WORDS} == WORDS
        assert fields["version"] == "1"


class TestSomebodyElse:
    @pytest.mark.parametrize("is_staff", [False, True])
    def test_changes_nothing_by_a_whole_form(self, posted, is_staff):
        other = someone("other", is_staff=is_staff)
        form = {**WORDS, "title": "Changed", "version": "1"}
        assert other.send(edit_url(posted.comment), form).status_code == 404
        assert now_stored(posted).comment == posted.comment

    def test_is_offered_what_is_theirs_to_do(self, alice, bob, sam, posted):
        edit, delete = edit_url(posted.comment), delete_url(posted.comment)
        for who, offered in (
            (nobody(), "helpful"),
            (bob, "helpful"),
            (alice, "edit delete"),
            (sam, "delete helpful staff-tools"),
        ):
            page = who.get(f"/comments/{posted.comment.id}/").page
            found = {
                "edit": page.all("a", href=edit),
                "delete": page.all("a", href=delete),
                "helpful": page.all(class_="helpful"),
                "staff-tools": page.all(class_="staff-tools"),
            }
            assert [name for name in found if found[name]] == offered.split()

    def test_cannot_post_in_the_authors_name(self, alice, bob, lamp):
        bobs = bob.write(lamp, author=alice.username).comment
        assert (bobs.author, bobs.user_id) == (bob.username, bob.username)


class TestAnEdit:
    def test_moves_the_comment_to_other_lists_counts_and_ranks(self, alice, lamp, posted):
        alice.send(edit_url(posted.comment), opened(alice, posted, rating="2", language="de"))
        assert read_counts(lamp, consistent=True).cells == {("de", 2): 1}
        assert five_stars(lamp) == 0
        shown = alice.get(f"/products/{lamp}/comments/de/2/")
        assert shown.comment_ids == [posted.comment.id]
        assert alice.get(f"/products/{lamp}/comments/en/~/").comment_ids == []

    def test_leads_to_the_comment_that_says_it_was_edited(self, alice, posted):
        shown = alice.post(edit_url(posted.comment), opened(alice, posted, title="Dim"))
        assert shown.page.one("h1").text == "Dim"
        assert shown.page.one("span", class_="edited").text.startswith("edited ")
        assert shown.page.one("li", class_="message").text == "Your comment is changed."

    def test_finds_the_language_out_when_asked_to(self, alice, posted):
        said = {"title": "", "body": "Elle est arrivée cassée, quel dommage.", "language": ""}
        alice.send(edit_url(posted.comment), opened(alice, posted, **said))
        assert now_stored(posted).comment.language == "fr"

    def test_of_a_long_text_to_another_replaces_it_and_nothing_else(self, alice, posted):
        for body in ("long " * 600, "longer " * 600, "short"):
            alice.send(edit_url(posted.comment), opened(alice, posted, body=body))
            assert now_stored(posted).comment == replace(posted.comment, body=body.strip())

    def test_brings_the_badge_to_who_has_bought_since(self, alice, lamp, posted):
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        alice.send(edit_url(posted.comment), opened(alice, posted, title="Dim"))
        assert now_stored(posted).comment.verified


class TestALostRace:
    def test_shows_both_versions_and_is_settled_by_sending_again(self, alice, posted):
        first, second = (opened(alice, posted, title=title) for title in ("First", "Second"))
        alice.send(edit_url(posted.comment), first)
        shown = alice.post(edit_url(posted.comment), second)
        assert shown.status == 409
        assert "First" in shown.page.one(class_="theirs").text
        assert fields_of(shown)["title"] == "Second"
        assert now_stored(posted).comment.title == "First"
        assert alice.send(edit_url(posted.comment), fields_of(shown)).status_code == 302
        assert now_stored(posted).comment.title == "Second"


class TestAdding:
    def test_refuses_an_id_that_is_taken(self, fresh):
        comment = written(fresh("product"), id=fresh("comment"), title="Good")
        add_comment(comment)
        with pytest.raises(CommentExists):
            add_comment(replace(comment, title="Something else"))
        assert find_comment(comment.id).title == "Good"


class TestEditing:
    def test_that_changes_nothing_writes_nothing(self, posted):
        edit_comment(posted, now=timezone.now(), title=posted.comment.title)
        assert now_stored(posted) == posted
