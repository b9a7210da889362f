"""People who write comments, each with a name and a network address of their own."""

import itertools
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone
from ulid import ULID

from comments.items import NewComment
from comments.posting.services import Draft
from comments.profiles.queries import ids_written_by
from comments.store.comments import StoredComment, load_comment
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.catalogue.services import ensure_products
from tests.support.chance import unique
from tests.support.comments.browsing import Shown, Visitor
from tests.support.comments.loading import load
from tests.support.comments.posting import post_as
from tests.support.comments.truth import numbered_comments

_addresses = (f"10.9.{n >> 8 & 255}.{n & 255}" for n in itertools.count(1))

WORDS = {"rating": "5", "title": "Lovely", "body": "Bright and warm light.", "language": "en"}


class Writer(Visitor):
    """Somebody who writes comments."""

    def open_form(self, product_id: str) -> dict[str, str]:
        """The fields of a new form, as a browser would send them untouched."""
        return fields_of(self.get(f"{new_url(product_id)}?another=yes"))

    def has_written(self, product_id: str, **said: str) -> StoredComment:
        """Post a comment past the site's pages, and return it as it is stored."""
        words = {**WORDS, **said}
        draft = Draft(int(words["rating"]), words["language"], words["title"], words["body"])
        now = timezone.now()
        comment_id = str(ULID.from_datetime(now))
        post_as(
            self.username,
            draft,
            comment_id=comment_id,
            product_id=product_id,
            author=self.username,
            now=now,
        )
        return load_comment(comment_id)

    def write(self, product_id: str, **said: str) -> StoredComment:
        """Post a comment by the site's form, and return it as it is stored."""
        form = {**self.open_form(product_id), **WORDS, **said}
        response = self.send(new_url(product_id), form)
        assert response.status_code == 302, response.content.decode()
        return load_comment(next(ids_written_by(self.username)))


def someone(kind: str, *, is_staff: bool = False, **meta: Any) -> Writer:
    """Somebody new with an account, signed in."""
    username = unique(kind)
    create_profile(username=username, password=None, now=timezone.now(), is_staff=is_staff)
    return sign_in(username, **meta)


def sign_in(username: str, **meta: Any) -> Writer:
    browser = Client(**{"REMOTE_ADDR": next(_addresses), **meta})
    browser.force_login(find_user(username))
    return Writer(username, browser)


def nobody() -> Writer:
    """A visitor who is not signed in."""
    return Writer("", Client(REMOTE_ADDR=next(_addresses)))


def made_product() -> str:
    """A product nobody has written about."""
    product_id = unique("product")
    ensure_products(product_ids={product_id})
    return product_id


def load_older(product_id: str, *, count: int) -> list[str]:
    """Put comments in English of years ago, and give their ids, newest first."""
    older = [
        replace(comment, created_at=comment.created_at - timedelta(days=9_000))
        for comment in numbered_comments(product_id, count=count, languages=("en",))
    ]
    load(older)
    return [comment.id for comment in reversed(older)]


def new_url(product_id: str) -> str:
    return f"/products/{product_id}/comments/new/"


def edit_url(comment: NewComment) -> str:
    return f"/comments/edit/{comment.id}/"


def delete_url(comment: NewComment) -> str:
    return f"/comments/delete/{comment.id}/"


def fields_of(shown: Shown) -> dict[str, str]:
    """What the form on a page would send."""
    form = shown.page.one("form", id="comment-form")
    fields = {i["name"]: i["value"] for i in form.all("input", type="hidden")}
    fields |= {i["name"]: i["value"] for i in form.all("input", type="text")}
    fields |= {
        i["name"]: i["value"] for i in form.all("input", type="radio") if i.get("checked") == ""
    }
    fields["body"] = form.one("textarea").text
    chosen = [o["value"] for o in form.all("option") if o.get("selected") == ""]
    fields["language"] = chosen[0] if chosen else ""
    fields.pop("csrfmiddlewaretoken", None)
    return fields


def error_on(shown: Shown) -> str:
    """What the form on a page says is wrong."""
    wrong = shown.page.all(class_="form-error") + shown.page.all(class_="errorlist")
    return " ".join(element.text for element in wrong)
