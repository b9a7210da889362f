"""A user changes a comment of their own: nothing is lost to anybody, and all lists follow."""

import pytest

from comments.store.comments import StoredComment, load_comment
from comments.store.counts import counts_of
from shop.orders.items import NewLine
from tests.support.comments.ranked import five_stars
from tests.support.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    error_on,
    fields_of,
    made_product,
    sign_in,
    someone,
)
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def alice():
    return someone("alice")


@pytest.fixture
def lamp():
    return made_product()


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

    def test_is_linked_from_the_comment_in_its_lists_for_its_author_alone(self, alice, posted):
        url = f"/products/{posted.comment.product_id}/"
        assert alice.get(url).page.all("a", href=edit_url(posted.comment))
        assert not someone("bob").get(url).page.all("a", href=edit_url(posted.comment))


class TestAnEdit:
    def test_moves_the_comment_to_other_lists_counts_and_ranks(self, alice, lamp, posted):
        alice.send(edit_url(posted.comment), opened(alice, posted, rating="2", language="de"))
        assert counts_of(lamp, consistent=True).cells == {("de", 2): 1}
        assert five_stars(lamp) == 0
        shown = alice.get(f"/products/{lamp}/comments/de/2/")
        assert shown.comment_ids == [posted.comment.id]
        assert alice.get(f"/products/{lamp}/comments/en/~/").comment_ids == []

    def test_leads_to_the_comment_that_says_it_was_edited(self, alice, posted):
        shown = alice.post(edit_url(posted.comment), opened(alice, posted, title="Dim"))
        assert shown.page.one("h1").text == "Dim"
        assert shown.page.one("span", class_="edited").text.startswith("edited ")
        assert shown.page.one("li", class_="message").text == "Your comment is changed."

    def test_is_said_in_lists(self, alice, lamp, posted):
        assert not alice.get(f"/products/{lamp}/").page.all("span", class_="edited")
        alice.send(edit_url(posted.comment), opened(alice, posted, title="Dim"))
        assert alice.get(f"/products/{lamp}/").page.one("span", class_="edited")

    def test_finds_the_language_out_when_asked_to(self, alice, posted):
        said = {"title": "", "body": "Elle est arrivée cassée, quel dommage.", "language": ""}
        alice.send(edit_url(posted.comment), opened(alice, posted, **said))
        assert now_stored(posted).comment.language == "fr"

    def test_keeps_author_place_and_owner(self, alice, posted):
        alice.send(edit_url(posted.comment), opened(alice, posted, title="Dim", body="x " * 2_000))
        before, after = posted.comment, now_stored(posted).comment
        assert (after.created_at, after.author, after.username) == (
            before.created_at,
            alice.username,
            alice.username,
        )

    def test_of_a_long_text_to_another_replaces_it_whole(self, alice, posted):
        for body in ("long " * 600, "longer " * 600, "short"):
            alice.send(edit_url(posted.comment), opened(alice, posted, body=body))
            assert now_stored(posted).comment.body == body.strip()

    def test_brings_the_badge_to_who_has_bought_since(self, alice, lamp, posted):
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        alice.send(edit_url(posted.comment), opened(alice, posted, title="Dim"))
        assert now_stored(posted).comment.verified

    def test_sent_twice_is_saved_once_and_success_twice(self, alice, posted):
        form = opened(alice, posted, title="Dim")
        statuses = [alice.send(edit_url(posted.comment), form).status_code for _ in range(2)]
        assert statuses == [302, 302]
        assert now_stored(posted).version == 2

    @pytest.mark.parametrize("htmx", [False, True])
    def test_with_a_mistake_keeps_what_was_typed(self, alice, posted, htmx):
        form = opened(alice, posted, title="Dim", rating="9")
        shown = alice.post(edit_url(posted.comment), form, htmx=htmx)
        assert shown.status == 422
        assert fields_of(shown)["title"] == "Dim"
        assert now_stored(posted).version == 1


class TestALostRace:
    def test_shows_both_versions_and_writes_none(self, alice, posted):
        first, second = (opened(alice, posted, title=title) for title in ("First", "Second"))
        alice.send(edit_url(posted.comment), first)
        shown = alice.post(edit_url(posted.comment), second)
        assert shown.status == 409
        assert "First" in shown.page.one(class_="theirs").text
        assert fields_of(shown)["title"] == "Second"
        assert now_stored(posted).comment.title == "First"

    def test_is_settled_by_sending_again(self, alice, posted):
        first, second = (opened(alice, posted, title=title) for title in ("First", "Second"))
        alice.send(edit_url(posted.comment), first)
        again = fields_of(alice.post(edit_url(posted.comment), second))
        assert alice.send(edit_url(posted.comment), again).status_code == 302
        assert now_stored(posted).comment.title == "Second"

    def test_is_told_to_htmx_in_the_forms_place(self, alice, posted):
        first, second = (opened(alice, posted, title=title) for title in ("First", "Second"))
        alice.send(edit_url(posted.comment), first)
        response = alice.send(edit_url(posted.comment), second, htmx=True)
        assert (response.status_code, response["HX-Retarget"]) == (409, "#comment-form")

    def test_to_a_deletion_keeps_what_was_typed(self, alice, posted):
        form = opened(alice, posted, title="Dim")
        alice.send(delete_url(posted.comment))
        shown = alice.post(edit_url(posted.comment), form)
        assert shown.status == 404
        assert "deleted" in error_on(shown)
        assert fields_of(shown)["title"] == "Dim"

    def test_between_two_browsers_of_one_user_is_noticed(self, alice, posted):
        elsewhere = sign_in(alice.username)
        here, there = opened(alice, posted, title="H"), opened(elsewhere, posted, title="T")
        assert alice.send(edit_url(posted.comment), here).status_code == 302
        assert elsewhere.send(edit_url(posted.comment), there).status_code == 409
