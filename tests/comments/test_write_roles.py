"""Who may do what: every role and action, by sending the form's fields without its page."""

import pytest
from django.test import Client

from comments.stored import NoSuchComment, StoredComment, load_comment
from shop.accounts.queries import find_user
from tests.comments.writers import (
    WORDS,
    Writer,
    delete_url,
    edit_url,
    made_product,
    new_url,
    nobody,
    someone,
)

pytestmark = pytest.mark.usefixtures("tables")

EDIT = {**WORDS, "title": "Changed", "version": "1"}


@pytest.fixture
def alice() -> Writer:
    return someone("alice")


@pytest.fixture
def posted(alice: Writer) -> StoredComment:
    return alice.write(made_product())


def in_role(role: str, alice: Writer) -> Writer:
    return {
        "author": lambda: alice,
        "customer": lambda: someone("bob"),
        "staff": lambda: someone("sam", is_staff=True),
        "visitor": nobody,
    }[role]()


def is_there(posted: StoredComment) -> bool:
    try:
        load_comment(posted.comment.id)
    except NoSuchComment:
        return False
    return True


class TestRoles:
    @pytest.mark.parametrize(
        ("role", "see_form", "send"),
        [("author", 200, 422), ("customer", 200, 422), ("staff", 200, 422), ("visitor", 302, 403)],
    )
    def test_posting_needs_a_user_and_a_form_of_theirs(self, alice, role, see_form, send):
        writer, url = in_role(role, alice), new_url(made_product())
        assert writer.get(url).status == see_form
        assert writer.send(url, {**WORDS, "form_id": "forged"}).status_code == send

    @pytest.mark.parametrize(
        ("role", "see_form", "send"),
        [("author", 200, 302), ("customer", 404, 404), ("staff", 404, 404), ("visitor", 302, 403)],
    )
    def test_editing_is_for_the_author_alone(self, alice, posted, role, see_form, send):
        writer, url = in_role(role, alice), edit_url(posted.comment)
        assert writer.get(url).status == see_form
        assert writer.send(url, EDIT).status_code == send
        changed = load_comment(posted.comment.id).comment.title == "Changed"
        assert changed is (role == "author")

    @pytest.mark.parametrize(
        ("role", "see_form", "send", "stays"),
        [
            ("author", 200, 302, False),
            ("customer", 404, 404, True),
            ("staff", 200, 302, False),
            ("visitor", 302, 302, True),
        ],
    )
    def test_deleting_is_for_the_author_and_staff(self, alice, posted, role, see_form, send, stays):
        writer, url = in_role(role, alice), delete_url(posted.comment)
        assert writer.get(url).status == see_form
        assert writer.send(url).status_code == send
        assert is_there(posted) is stays

    @pytest.mark.parametrize("role", ["author", "customer", "staff", "visitor"])
    def test_buttons_are_shown_to_those_who_may(self, alice, posted, role):
        page = in_role(role, alice).get(f"/comments/{posted.comment.id}/").page
        assert bool(page.all("a", href=edit_url(posted.comment))) is (role == "author")
        deletable = bool(page.all("a", href=delete_url(posted.comment)))
        assert deletable is (role in {"author", "staff"})


class TestForgery:
    @pytest.mark.parametrize("action", ["post", "edit", "delete", "detect"])
    def test_from_another_site_is_refused(self, alice, posted, action):
        browser = Client(enforce_csrf_checks=True)
        browser.force_login(find_user(alice.username))
        url = {
            "post": new_url(posted.comment.product_id),
            "edit": edit_url(posted.comment),
            "delete": delete_url(posted.comment),
            "detect": "/languages/detect/",
        }[action]
        assert browser.post(url, EDIT).status_code == 403
        assert load_comment(posted.comment.id).comment == posted.comment

    @pytest.mark.parametrize("url", [delete_url, edit_url])
    def test_by_a_link_changes_nothing(self, alice, posted, url):
        alice.browser.get(url(posted.comment), EDIT)
        assert load_comment(posted.comment.id).comment == posted.comment

    def test_of_an_author_by_an_imports_name_gives_no_rights(self, alice, posted):
        bob = someone("bob")
        form = {**bob.open_form(posted.comment.product_id), **WORDS, "author": alice.username}
        bob.send(new_url(posted.comment.product_id), form)
        assert load_comment(posted.comment.id).comment == posted.comment
        assert bob.get(f"/users/{bob.username}/").comment_ids
