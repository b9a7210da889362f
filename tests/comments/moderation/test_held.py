"""Comments that wait for the shop: seen by their author and staff alone, and what staff do."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from comments.items import NewComment
from comments.moderation.queries import count_reports
from comments.sets.copies import primary_actions
from comments.store.comments import load_comment
from comments.store.counts import read_counts
from comments.store.states import State
from dynapages.calls import clock, metered
from shop.accounts.queries import find_user
from tests.support.comments.options import comments_set
from tests.support.comments.threads import differing, made_comment, moderated
from tests.support.comments.writers import Visitor, Writer, made_product, nobody
from tests.support.markup import Element

pytestmark = pytest.mark.usefixtures("few_items")
WAITING = "/staff/comments/held/"
SURFACES = (
    "/",
    "/products/{product}/",
    "/products/{product}/comments/~/~/",
    "/products/{product}/comments/en/5/",
    "/products/{product}/comments/~/~/?order=highest",
    "/products/{product}/comments/~/~/?order=oldest",
    "/api/v1/products/{product}/comments",
    "/products/{product}/comments/~/~/?format=atom",
    "/products/{product}/comments/~/~/?order=helpful",
    "/api/v1/products/{product}/comments/most-helpful",
    "/users/{author}/",
    "/api/v1/users/{author}/comments",
    "/users/{author}/?format=atom",
    "/rankings/most-loved/",
    "/rankings/recently-commented/",
    "/sitemap.xml",
)
WORDS_OF_IT = "Nobody but its author and staff reads this sentence."


@pytest.fixture(autouse=True)
def gate():
    with comments_set(GATE="comments.gates.hold_all"):
        yield


@pytest.fixture
def held(ann) -> NewComment:
    return ann.has_written(made_product(), title=WORDS_OF_IT, body=WORDS_OF_IT).comment


def shown_to(visitor: Visitor, url: str, comment: NewComment) -> tuple[int, str]:
    address = url.format(product=comment.product_id, author=comment.user_id)
    response = visitor.browser.get(address)
    return response.status_code, response.content.decode()


def seen(comment: NewComment) -> str:
    stored = load_comment(comment.id)
    return f"{stored.state}.{stored.version}.0"


def decide(sam: Writer, comment: NewComment, decision: str) -> Any:
    form = {"decision": decision, "seen": seen(comment)}
    return sam.send(f"/staff/comments/decide/{comment.id}/", form)


def row_of(sam: Writer, comment: NewComment) -> Element:
    """Return the row of a comment, on whichever page of the waiting ones it is."""
    url: str | None = WAITING
    while url:
        shown = sam.get(url)
        for row in shown.page.all("article", data_comment_id=comment.id):
            return row
        url = shown.older
    raise AssertionError(f"{comment.id} is on no page")


class TestAHeldComment:
    @pytest.mark.parametrize("url", SURFACES)
    def test_is_on_no_page_of_others(self, held, bob, url):
        for visitor in (nobody(), bob):
            status, body = shown_to(visitor, url, held)
            assert status == 200
            assert WORDS_OF_IT not in body
            assert held.id not in body

    def test_has_no_page_for_others(self, held, bob):
        url = f"/comments/{held.id}/"
        assert [one.get(url).status for one in (nobody(), bob)] == [404, 404]

    @pytest.mark.parametrize("action", ["vote", "report", "edit", "delete"])
    def test_cannot_be_acted_on_by_others(self, held, bob, action):
        url = f"/comments/{action}/{held.id}/"
        form = {"reason": "spam", "helpful": "yes", "version": "1", "rating": "1", "body": "No."}
        assert bob.post(url, form).status in {400, 404, 422}
        assert load_comment(held.id).comment == held

    def test_counts_nowhere(self, held):
        assert read_counts(held.product_id, consistent=True).total == 0
        body = shown_to(nobody(), "/products/{product}/", held)[1]
        assert "aggregateRating" not in body
        assert differing(held) == []

    def test_is_not_exported(self, held, tmp_path):
        for product in (held.product_id, None):
            file = tmp_path / f"{product}.jsonl"
            call_command(
                "export_comments", output=file, product=product, format="jsonl", stdout=StringIO()
            )
            assert held.id not in file.read_text()

    def test_is_in_no_plan_of_explain(self, held):
        out = StringIO()
        call_command("explain", "comments", product=held.product_id, json=True, stdout=out)
        assert json.loads(out.getvalue())["items_read"] == 0

    def test_has_no_copies_in_sets(self, held):
        with comments_set(READ_MODEL="sets"):
            assert primary_actions(None, load_comment(held.id).item) == []

    def test_is_marked_for_its_author(self, held, ann):
        for url in (f"/users/{ann.username}/", f"/comments/{held.id}/"):
            page = ann.get(url).page
            assert "Waiting for the shop" in [badge.text for badge in page.all(class_="badge")]

    def test_is_in_the_data_its_author_downloads(self, held, ann):
        find_user(ann.username)
        assert WORDS_OF_IT in ann.browser.post("/account/data/").getvalue().decode()


class TestStaff:
    def test_read_what_waits_and_why(self, held, sam):
        article = row_of(sam, held)
        assert WORDS_OF_IT in article.text
        assert "every comment" in article.text
        buttons = [button.text.split(",")[0].strip() for button in article.all("button")]
        assert buttons == ["Publish", "Reject"]
        assert article.one("a", class_="button-danger").text.split(",")[0].strip() == "Delete"

    def test_publish(self, held, sam, ann):
        assert decide(sam, held, "publish").status_code == 302
        assert load_comment(held.id).state is State.LISTED
        assert read_counts(held.product_id, consistent=True).total == 1
        assert WORDS_OF_IT in shown_to(nobody(), "/products/{product}/", held)[1]
        assert moderated(held, State.HELD) is None
        assert differing(held) == []

    def test_reject_into_the_hidden_ones(self, held, sam):
        decide(sam, held, "reject")
        assert load_comment(held.id).state is State.HIDDEN
        assert moderated(held, State.HIDDEN)
        assert differing(held) == []
        decide(sam, held, "restore")
        assert read_counts(held.product_id, consistent=True).total == 1

    def test_do_not_hide_what_is_in_no_list(self, held, sam):
        decide(sam, held, "hide")
        assert load_comment(held.id).state is State.HELD

    def test_do_not_publish_what_was_edited_meanwhile(self, held, sam, ann):
        before = seen(held)
        form = {"version": "1", "rating": "1", "title": "", "body": "Worse.", "language": "en"}
        ann.send(f"/comments/edit/{held.id}/", form)
        sam.send(f"/staff/comments/decide/{held.id}/", {"decision": "publish", "seen": before})
        assert load_comment(held.id).state is State.HELD

    def test_find_them_in_a_file(self, held, sam):
        rows = b"".join(sam.browser.get("/staff/comments/held.csv").streaming_content).decode()
        assert held.id in rows

    def test_are_told_of_them_in_the_navigation(self, held):
        count, _ = count_reports()
        assert count >= 1
        with comments_set(GATE=()), metered() as meter:
            count_reports()
        assert meter.calls == 1


class TestInBulk:
    @pytest.fixture
    def several(self, ann):
        product_id = made_product()
        return [ann.has_written(product_id).comment for _ in range(3)]

    def send(self, sam: Writer, decision: str, values: list[str]) -> Any:
        form = {"decision": decision, "comment": values}
        return sam.post("/staff/comments/decide/", form)

    @pytest.mark.parametrize(
        ("decision", "state"), [("publish", State.LISTED), ("reject", State.HIDDEN)]
    )
    def test_those_that_are_selected_are_decided_on(self, sam, several, decision, state):
        left, *chosen = several
        self.send(sam, decision, [f"{seen(one)} {one.id}" for one in chosen])
        assert [load_comment(one.id).state for one in chosen] == [state] * 2
        assert load_comment(left.id).state is State.HELD
        assert read_counts(left.product_id, consistent=True).total == 2 * state.is_listed

    def test_one_that_has_changed_is_left_alone_and_told_of(self, sam, several):
        first, second, _ = several
        values = [f"HELD.9.0 {first.id}", f"{seen(second)} {second.id}"]
        shown = self.send(sam, "publish", values)
        assert [load_comment(one.id).state for one in (first, second)] == [
            State.HELD,
            State.LISTED,
        ]
        assert shown.messages == [
            "1 comment was published. Recently commented",
            "1 comment was changed or decided on by others since you looked, and was not touched.",
        ]

    @pytest.mark.parametrize(
        ("decision", "sentence", "address"),
        [
            ("publish", "2 comments were published.", "/rankings/recently-commented/"),
            ("reject", "2 comments were rejected and hidden.", "/staff/comments/hidden/"),
        ],
    )
    def test_are_told_of_in_one_sentence_with_a_link(
        self, sam, several, decision, sentence, address
    ):
        chosen = several[:2]
        shown = self.send(sam, decision, [f"{seen(one)} {one.id}" for one in chosen])
        notice = shown.page.one("li", class_="message")
        assert notice.text.startswith(sentence)
        assert notice.one("a")["href"] == address

    def test_none_are_selected_is_said(self, sam):
        assert self.send(sam, "publish", []).messages == ["Select the comments first."]

    def test_all_of_a_page_are_selected_by_a_link(self, sam, several):
        link = next(a["href"] for a in sam.get(WAITING).page.all("a", class_="bulk-all"))
        boxes = sam.get(link).page.all("input", name="comment")
        assert len(boxes) >= 3
        assert all("checked" in box.attributes for box in boxes)
        values = [box["value"] for box in boxes]
        self.send(sam, "publish", values)
        states = {load_comment(value.partition(" ")[2]).state for value in values}
        assert states == {State.LISTED}

    def test_none_are_selected_of_the_page_that_comes_next(self, sam, several):
        link = next(a["href"] for a in sam.get(WAITING).page.all("a", class_="bulk-all"))
        page = sam.get(link).page
        addresses = [page.one("form", id="bulk")["action"]]
        addresses += [form["action"] for form in page.all("form") if "next=" in form["action"]]
        assert len(addresses) > len(several)
        assert not [address for address in addresses if "selected" in address]

    @pytest.mark.parametrize(
        ("decision", "values"),
        [("delete", []), ("publish", ["x"]), ("", []), ("publish", ["HELD.1.0 a"] * 21)],
    )
    def test_what_no_form_of_ours_says_is_refused(self, sam, decision, values):
        assert self.send(sam, decision, values).status == 400

    def test_is_for_staff(self, ann, several):
        assert self.send(ann, "publish", [f"{seen(several[0])} {several[0].id}"]).status == 404


class TestBlockingAnAuthor:
    def test_is_asked_about_done_and_undone(self, ann, sam):
        profile, url = f"/users/{ann.username}/", f"/staff/authors/{ann.username}/"
        with comments_set(GATE=()):
            ann.has_written(made_product())
            assert url in [a["href"] for a in sam.get(profile).page.all("a")]
            for blocked, state in (("yes", State.HELD), ("no", State.LISTED)):
                assert f'value="{blocked}"' in sam.browser.get(url).content.decode()
                sam.send(url, {"blocked": blocked})
                assert load_comment(ann.write(made_product()).comment.id).state is state

    def test_is_for_staff_and_for_users_that_exist(self, ann, sam):
        assert ann.get(f"/staff/authors/{ann.username}/").status == 404
        assert sam.get("/staff/authors/nobody-of-this-name/").status == 404

    def test_is_not_offered_to_others(self, ann, bob):
        assert "/staff/authors/" not in bob.browser.get(f"/users/{ann.username}/").content.decode()


def test_an_imported_comment_passes_no_gate():
    assert load_comment(made_comment(created_at=clock.now()).id).state is State.LISTED
