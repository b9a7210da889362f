"""The page of what a user has written."""

from dataclasses import replace

import pytest

from comments.items import NewComment
from comments.posting.services import add_comment
from tests.support.comments.deciding import hide
from tests.support.comments.loading import load
from tests.support.comments.threads import NOW
from tests.support.comments.truth import START
from tests.support.comments.truth import written as written_by
from tests.support.comments.writers import (
    Writer,
    delete_url,
    edit_url,
    made_product,
    nobody,
    someone,
)

pytestmark = pytest.mark.usefixtures("tables")


def profile_url(writer: Writer) -> str:
    return f"/users/{writer.username}/"


def written(alice: Writer, count: int) -> list[str]:
    """Put comments of Alice's on as many products; their ids, newest first."""
    product, name = made_product(), alice.username
    ids = [f"{product}-{n:02}" for n in range(count)]
    for comment_id in ids:
        add_comment(written_by(product, id=comment_id, author=name, user_id=name))
    return ids


class TestTheProfile:
    def test_shows_what_was_written_newest_first_with_its_products(self, alice):
        lamp, desk = made_product(), made_product()
        first, second = alice.has_written(lamp).comment, alice.has_written(desk).comment
        shown = nobody().get(profile_url(alice))
        assert shown.comment_ids == [second.id, first.id]
        assert [about.text for about in shown.page.all(class_="about")] == [
            f"On {desk}",
            f"On {lamp}",
        ]

    def test_does_not_have_imported_comments_of_the_same_name(self, alice):
        product = made_product()
        load([NewComment(f"imported-{product}", product, "en", 5, START, author=alice.username)])
        assert nobody().get(profile_url(alice)).comment_ids == []

    def test_refuses_the_token_of_another_profile(self, alice):
        written(alice, 21)
        older = nobody().get(profile_url(alice)).older
        assert older
        token = older.partition("?")[2]
        assert nobody().get(f"{profile_url(someone('bob'))}?{token}").status == 400

    @pytest.mark.parametrize("name", ["nobody-at-all", "x" * 65])
    def test_of_nobody_is_not_there(self, name):
        assert nobody().get(f"/users/{name}/").status == 404


class TestAHiddenComment:
    def test_is_on_it_for_its_author_and_staff_alone(self, alice):
        comment = alice.has_written(made_product()).comment
        hide(comment_id=comment.id, now=NOW)
        for writer, sees in (
            (alice, True),
            (someone("sam", is_staff=True), True),
            (someone("bob"), False),
            (nobody(), False),
        ):
            shown = writer.get(profile_url(alice))
            assert (comment.id in shown.comment_ids) is sees
            assert writer.get(f"/comments/{comment.id}/").status == (200 if sees else 404)

    def test_can_be_edited_and_deleted_by_its_author_and_stays_hidden(self, alice):
        comment = alice.has_written(made_product()).comment
        hide(comment_id=comment.id, now=NOW)
        form = {"rating": "1", "title": "Worse", "body": "", "language": "de", "version": "1"}
        assert alice.send(edit_url(comment), form).status_code == 302
        assert nobody().get(f"/products/{comment.product_id}/comments/~/~/").comment_ids == []
        assert alice.send(delete_url(comment)).status_code == 302
        assert alice.get(profile_url(alice)).comment_ids == []


class TestTheNameOnAComment:
    def test_leads_to_the_profile_where_a_user_has_written_it(self, alice):
        comment = alice.has_written(made_product()).comment
        shown = nobody().get(f"/products/{comment.product_id}/")
        assert shown.page.one("a", class_="author")["href"] == profile_url(alice)

    def test_leads_nowhere_where_it_was_imported(self):
        product = made_product()
        comment = NewComment(f"imported-{product}", product, "en", 5, START, author="alex")
        load([comment, replace(comment, id=f"{product}-2", verified=True)])
        shown = nobody().get(f"/products/{product}/")
        assert len(shown.page.all("bdi", class_="author")) == 2
