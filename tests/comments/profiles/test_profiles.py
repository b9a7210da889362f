"""The page of what a user has written."""

from dataclasses import replace
from datetime import timedelta

import pytest

from comments.items import NewComment
from comments.models import Comment
from comments.posting.services import add_comment
from dynamo.calls.client import client
from tests.support.comments.browsing import HTMX, follow
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import (
    Writer,
    delete_url,
    edit_url,
    made_product,
    nobody,
    someone,
)

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def alice():
    return someone("alice")


def profile_url(writer: Writer) -> str:
    return f"/users/{writer.username}/"


def written(alice: Writer, count: int) -> list[str]:
    """Put comments of Alice's on as many products; their ids, newest first."""
    product = made_product()
    comments = [
        NewComment(
            id=f"{product}-{n:02}",
            product_id=product,
            language="en",
            rating=n % 5 + 1,
            created_at=START + timedelta(minutes=n),
            author=alice.username,
            username=alice.username,
        )
        for n in range(count)
    ]
    for comment in comments:
        add_comment(comment)
    return [comment.id for comment in reversed(comments)]


def hide(comment: NewComment) -> None:
    """Take the keys of lists away, as moderation does."""
    item = {"pk": {"S": f"COMMENT#{comment.id}"}, "sk": {"S": f"COMMENT#{comment.id}"}}
    client().update_item(
        TableName=Comment.Meta.table_name,
        Key=item,
        UpdateExpression="SET h = :h REMOVE a, l, r, b",
        ExpressionAttributeValues={":h": {"S": comment.product_id}},
    )


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

    @pytest.mark.real_engine
    @pytest.mark.fallback
    def test_is_walked_by_its_links_there_and_back(self, alice):
        ids = written(alice, 45)
        there = list(follow(profile_url(alice), "older"))
        assert [i for shown in there for i in shown.comment_ids] == ids
        back = [there[-1], *follow(there[-1].newer, "newer")]
        assert [i for shown in reversed(back) for i in shown.comment_ids] == ids

    def test_does_not_have_imported_comments_of_the_same_name(self, alice):
        product = made_product()
        load([NewComment(f"imported-{product}", product, "en", 5, START, author=alice.username)])
        assert nobody().get(profile_url(alice)).comment_ids == []

    def test_of_nobody_is_not_there(self):
        assert nobody().get("/users/nobody-at-all/").status == 404
        assert nobody().get(f"/users/{'x' * 65}/").status == 404

    def test_comes_as_a_list_to_htmx(self, alice):
        written(alice, 1)
        response = alice.browser.get(profile_url(alice), headers=HTMX)
        assert response.content.lstrip().startswith(b"<section")

    def test_refuses_the_token_of_another_profile(self, alice):
        written(alice, 21)
        older = nobody().get(profile_url(alice)).older
        assert older
        token = older.partition("?")[2]
        assert nobody().get(f"{profile_url(someone('bob'))}?{token}").status == 400

    def test_says_how_it_was_read(self, alice):
        written(alice, 2)
        assert "by_author" in nobody().get(profile_url(alice)).page.text

    def test_follows_edits_and_deletions(self, alice):
        comment = alice.has_written(made_product()).comment
        alice.send(delete_url(comment))
        assert alice.get(profile_url(alice)).comment_ids == []


class TestAHiddenComment:
    def test_is_on_it_for_its_author_and_staff_alone(self, alice):
        comment = alice.has_written(made_product()).comment
        hide(comment)
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
        hide(comment)
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

    def test_is_in_the_account_menu(self, alice):
        assert alice.get("/basket/").page.one("a", href=profile_url(alice)).text == "Comments"
