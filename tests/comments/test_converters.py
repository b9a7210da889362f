"""Every comment has a page of its own, whatever its id looks like."""

from urllib.parse import unquote

import pytest
from django.urls import resolve, reverse

from comments.apps import RESERVED_STARTS
from comments.lists.entries import comment_url
from comments.posting.services import add_comment
from tests.support.comments.truth import written
from tests.support.comments.writers import delete_url, made_product

IDS = [
    *(f"{word}/7" for word in RESERVED_STARTS),
    *(f"{word}/edit/7" for word in RESERVED_STARTS),
    *RESERVED_STARTS,
    "edit/",
    "edit//",
    "editor/7",
    "a/edit/7",
    "7",
    "ä b%2F?#/7",
    "x" * 128,
    "edit/" + "x" * 123,
]


class TestAddress:
    def test_is_the_same_for_items_of_lists(self):
        for comment_id in IDS:
            assert comment_url(comment_id) == reverse("comments:comment", args=[comment_id])

    @pytest.mark.parametrize(
        "name",
        [
            "comment",
            "edit_comment",
            "delete_comment",
            "vote_comment",
            "report_comment",
            "reply_to_comment",
        ],
    )
    def test_of_any_id_leads_to_that_comment(self, name):
        for comment_id in IDS:
            match = resolve(unquote(reverse(f"comments:{name}", args=[comment_id])))
            assert (match.url_name, match.kwargs) == (name, {"comment_id": comment_id})

    def test_is_the_id_alone_unless_that_is_taken(self):
        assert reverse("comments:comment", args=["a/7"]) == "/comments/a/7/"
        assert reverse("comments:comment", args=["edit"]) == "/comments/edit/"
        assert reverse("comments:comment", args=["edit/7"]) == "/comments/~/edit/7/"


@pytest.mark.usefixtures("tables")
class TestCommentWhoseIdReadsAsAnAction:
    def test_is_reached_from_its_list_and_deleted_by_its_whole_id(self, sam, fresh):
        comment = written(made_product(), id=f"edit/{fresh('c')}", body="Reached.")
        add_comment(comment)
        page = sam.get(f"/products/{comment.product_id}/comments/~/~/").page
        article = page.one("article", data_comment_id=comment.id)
        url = next(a["href"] for a in article.all("a") if comment.id in a["href"])
        assert "Reached." in sam.get(url).page.one(class_="comment-body").text
        assert sam.send(delete_url(comment)).status_code == 302
        assert sam.get(url).status == 404
