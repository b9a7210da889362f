"""Forms and links work without JavaScript.

The pages are read and their forms sent without a browser, which would add nothing to plain HTML.
What only a browser shows of it is in the modules beside this one.
"""

from urllib.parse import urlencode

import pytest
from django.test import RequestFactory

from comments.reports.services import Reason, report_comment
from comments.store.states import State
from config.web.shedding import Shedding, Slots
from tests.support.browser.plain import PlainBrowser
from tests.support.comments.loading import load
from tests.support.comments.threads import NOW, made_comment, moderated
from tests.support.comments.truth import Truth, numbered_comments
from tests.support.comments.writers import made_product, new_url, someone
from tests.support.markup import read_markup

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def comment():
    return made_comment()


@pytest.fixture
def bob():
    return PlainBrowser.of(someone("bob").browser)


@pytest.fixture
def sam():
    return PlainBrowser.of(someone("sam", is_staff=True).browser)


class TestAComment:
    def test_is_posted_and_deleted(self, bob):
        lamp = made_product()
        bob.goto(new_url(lamp))
        bob.press("Post", rating="5", title="Lovely", body="Bright.")
        assert bob.messages == ["Thank you! Your comment is posted."]
        assert len(bob.page.all(data_comment_id=True)) == 1
        bob.goto(f"/products/{lamp}/")
        bob.click("Delete")
        bob.press("Delete")
        assert bob.messages == ["The comment is deleted."]
        assert bob.page.all(data_comment_id=True) == []

    def test_is_found_helpful(self, bob, comment):
        url = f"/products/{comment.product_id}/"
        bob.goto(url)
        bob.press("Helpful")
        button = bob.page.one("button", class_="helpful")
        assert (button["aria-pressed"], bob.url.partition("#")[0]) == ("true", url)

    def test_is_reported(self, bob, comment):
        bob.goto(f"/comments/{comment.id}/")
        bob.click("Report")
        bob.press("Report", reason=Reason.OTHER.value)
        assert "The shop will look" in bob.messages[0]
        assert moderated(comment, State.REPORTED)

    def test_is_kept(self, sam, comment):
        report_comment(comment_id=comment.id, user_id="bob", reason=Reason.ABUSE, text="", now=NOW)
        sam.goto("/staff/comments/")
        row = sam.page.one(data_comment_id=comment.id)
        sam.press("Keep", within=row)
        assert "Reports dismissed" in sam.messages[0]
        assert sam.page.all(data_comment_id=comment.id) == []

    def test_is_answered_and_picked(self, sam, comment):
        sam.goto(f"/comments/{comment.id}/")
        for button, typed, told in (
            ("Reply", {"text": "Thank you!"}, "The reply is saved."),
            ("Staff pick", {}, "The comment is picked."),
            ("Delete the reply", {}, "The reply is deleted."),
        ):
            sam.press(button, **typed)
            assert sam.messages == [told]


class TestAList:
    def test_is_put_in_another_order(self, bob):
        lamp = made_product()
        load(made := numbered_comments(lamp, count=3))
        newest, oldest = Truth(made).ids(), Truth(made).ids()[::-1]
        bob.goto(f"/products/{lamp}/")
        for order, url, ids in (
            ("oldest", f"/products/{lamp}/comments/~/~/?order=oldest", oldest),
            ("newest", f"/products/{lamp}/comments/~/~/", newest),
            ("helpful", f"/products/{lamp}/comments/~/~/?order=helpful", newest),
            ("oldest", f"/products/{lamp}/comments/~/~/?order=oldest", oldest),
        ):
            bob.press("Show", order=order)
            found = [one["data-comment-id"] for one in bob.page.all(data_comment_id=True)]
            assert (bob.url, found) == (url, ids)


class TestAFormThatAFullSiteRefuses:
    TYPED = "Half an hour of work, “quoted” & all"

    def refuse(self, bob: PlainBrowser, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Send the form on the page to a site without a free slot; show what it answers."""
        monkeypatch.setattr(Slots, "acquire", lambda *_, **__: False)
        fields = bob._fields(bob.page.one("form", id="comment-form"))
        sent = {**fields, "rating": "4", "title": "Typed", "body": self.TYPED}
        request = RequestFactory(headers={"Origin": "http://testserver"}).post(
            path, urlencode(sent), content_type="application/x-www-form-urlencoded"
        )
        answer = b"".join(Shedding(lambda *_: [])(request.environ, lambda *_: print))
        bob.page, bob.url = read_markup(answer.decode()), path
        monkeypatch.undo()

    def test_is_sent_again_by_the_button(self, bob, monkeypatch):
        lamp = made_product()
        bob.goto(new_url(lamp))
        self.refuse(bob, new_url(lamp), monkeypatch)
        bob.press("Send again")
        assert bob.messages == ["Thank you! Your comment is posted."]
        assert self.TYPED in bob.page.one(data_comment_id=True).text
