"""Versions of comments by the API: edits of parts, If-Match, and what a conflict brings."""

import httpx
import pytest

from comments.posting import services as posting
from dynapages.django.callers import Scope
from dynapages.writes import Contended
from tests.support.comments.deciding import hide
from tests.support.comments.options import comments_set
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import Program, problem_of, program_of

pytestmark = pytest.mark.usefixtures("tables")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
OTHER = {**SAID, "rating": 1}
GERMAN = "Die Lampe leuchtet den ganzen Tisch aus, das gefällt mir sehr gut."


@pytest.fixture
def author():
    return program_of(someone("author").username)


@pytest.fixture
def staff():
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


@pytest.fixture
def comment(author):
    """The address of a comment in its first version."""
    return posted(author).json()["api_url"]


def posted(author: Program, **said: object) -> httpx.Response:
    answer = author.post(f"/products/{made_product()}/comments", {**SAID, **said})
    assert answer.status_code == 201, answer.text
    return answer


def content_of(answer: httpx.Response) -> dict:
    assert answer.status_code == 200, answer.text
    return {name: answer.json()[name] for name in SAID}


class TestAPatch:
    @pytest.mark.parametrize(
        "sent",
        [{"rating": 1}, {"title": "So so"}, {"title": ""}, {"text": "Broke."}, {"language": "fr"}],
    )
    def test_changes_what_is_sent_and_keeps_the_rest(self, author, comment, sent):
        answer = author.patch(comment, {**sent, "version": 1})
        assert content_of(answer) == {**SAID, **sent}
        assert answer.json()["version"] == 2
        assert content_of(author.get(comment)) == {**SAID, **sent}

    def test_without_any_part_leaves_the_comment_as_it_is(self, author, comment):
        answer = author.patch(comment, {"version": 1})
        assert (content_of(answer), answer.json()["version"]) == (SAID, 1)

    def test_stores_a_title_on_one_line_and_lines_in_one_form(self, author, comment):
        sent = {"title": " So \n so ", "text": " One\r\nTwo\r ", "version": 1}
        answer = content_of(author.patch(comment, sent))
        assert (answer["title"], answer["text"]) == ("So so", "One\nTwo")

    def test_detects_the_language_anew_where_it_is_null(self, author, comment):
        kept = author.patch(comment, {"title": "", "text": GERMAN, "version": 1})
        assert content_of(kept)["language"] == "en"
        anew = author.patch(comment, {"language": None, "version": 2})
        assert content_of(anew) == {**SAID, "title": "", "text": GERMAN, "language": "de"}

    @pytest.mark.parametrize("name", ["rating", "title", "text"])
    def test_of_a_part_to_null_is_refused(self, author, comment, name):
        answer = author.patch(comment, {name: None, "version": 1})
        assert problem_of(answer)[0] == 422
        assert [each["at"] for each in answer.json()["errors"]] == [f"body.{name}"]
        assert content_of(author.get(comment)) == SAID

    def test_needs_a_version(self, author, comment):
        assert problem_of(author.patch(comment, {"rating": 1})) == (
            428,
            "Say which version you change: send “If-Match” or “version”.",
        )

    def test_once_more_is_a_second_attempt(self, author, comment):
        answers = [author.patch(comment, {"rating": 1, "version": 1}) for _ in range(2)]
        assert [content_of(one) for one in answers] == [OTHER, OTHER]
        assert [one.json()["version"] for one in answers] == [2, 2]

    def test_is_decided_on_by_the_gate(self, author, comment):
        with comments_set(GATE="comments.gates.hold_all"):
            answer = author.patch(comment, {"text": "Buy at my shop.", "version": 1})
        assert answer.json()["is_hidden"] is True


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
class TestAnEdit:
    def test_is_of_the_version_that_if_match_names(self, author, comment, method):
        etag = author.get(comment).headers["ETag"]
        answer = author.send(method, comment, OTHER, If_Match=etag)
        assert (content_of(answer), answer.json()["version"]) == (OTHER, 2)

    def test_is_of_the_version_of_the_edit_before_it(self, author, comment, method):
        first = author.send(method, comment, OTHER, If_Match='"1"')
        again = author.send(method, comment, SAID, If_Match=first.headers["ETag"])
        assert again.json()["version"] == 3

    def test_is_of_any_version_by_an_asterisk(self, author, comment, method):
        author.patch(comment, {"rating": 5, "version": 1})
        assert content_of(author.send(method, comment, OTHER, If_Match="*")) == OTHER

    def test_of_any_version_is_made_whoever_is_first(self, author, comment, method, monkeypatch):
        edit_comment, times = posting.edit_comment, []

        def meets_another_edit(stored, **parts):
            times.append(stored.version)
            if len(times) < 3:
                raise posting.EditLost(stored)
            return edit_comment(stored, **parts)

        monkeypatch.setattr(posting, "edit_comment", meets_another_edit)
        assert content_of(author.send(method, comment, OTHER, If_Match="*")) == OTHER
        assert times == [1, 1, 1]

    def test_is_refused_when_it_keeps_meeting_others(self, author, comment, method, monkeypatch):
        def meets_another_edit(stored, **_parts):
            raise posting.EditLost(stored)

        monkeypatch.setattr(posting, "edit_comment", meets_another_edit)
        answer = author.send(method, comment, OTHER, If_Match="*")
        assert (problem_of(answer)[0], answer.json()["code"]) == (503, "unavailable")
        assert Contended.__name__ not in answer.text

    @pytest.mark.parametrize(
        ("in_body", "headers", "status"),
        [
            ({"version": 1}, {}, 409),
            ({}, {"If_Match": '"1"'}, 412),
            ({"version": 1}, {"If_Match": '"1"'}, 412),
            ({}, {"If_Match": '"abc"'}, 412),
            ({}, {"If_Match": f'"{"9" * 5_000}"'}, 412),
        ],
    )
    def test_of_another_version_is_answered_with_what_is_there(
        self, author, comment, method, in_body, headers, status
    ):
        author.patch(comment, {"rating": 5, "version": 1})
        answer = author.send(method, comment, {**OTHER, **in_body}, **headers)
        refused, sentence = problem_of(answer)
        assert (refused, answer.json()["code"]) == (status, "comment-changed")
        assert "changed in the meantime" in sentence
        assert answer.json()["current"] == author.get(comment).json()
        assert answer.json()["current"]["rating"] == 5

    def test_that_is_there_already_is_a_second_attempt_by_any_version(
        self, author, comment, method
    ):
        author.patch(comment, {"rating": 1, "version": 1})
        for headers in ({"If_Match": '"1"'}, {"If_Match": '"7"'}, {"If_Match": "*"}):
            answer = author.send(method, comment, OTHER, **headers)
            assert (content_of(answer), answer.json()["version"]) == (OTHER, 2)

    @pytest.mark.parametrize(
        ("if_match", "said"),
        [
            ("1", "takes one ETag"),
            ('"1", "2"', "takes one ETag"),
            ("", "takes one ETag"),
            ('"2"', "say different things"),
        ],
    )
    def test_by_headers_that_are_none_is_refused(self, author, comment, method, if_match, said):
        answer = author.send(method, comment, {**OTHER, "version": 1}, If_Match=if_match)
        status, sentence = problem_of(answer)
        assert (status, said in sentence) == (400, True)
        assert content_of(author.get(comment)) == SAID

    def test_of_a_hidden_comment_is_answered_with_it_to_its_author(self, author, comment, method):
        hide(comment_id=author.get(comment).json()["id"])
        answer = author.send(method, comment, {**OTHER, "version": 0})
        assert answer.json()["current"]["is_hidden"] is True


class TestAConflict:
    def test_is_answered_again_to_the_same_idempotency_key(self, author, comment):
        author.patch(comment, {"rating": 5, "version": 1})
        first, again = (author.put(comment, {**OTHER, "version": 1}, once="e") for _ in range(2))
        assert (first.json(), first.status_code) == (again.json(), again.status_code)
        assert first.json()["current"]["version"] == 2

    def test_of_idempotency_keys_has_nothing_that_is_current(self, author, comment):
        author.put(comment, {**OTHER, "version": 1}, once="e")
        answer = author.put(comment, {**SAID, "version": 2}, once="e")
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency-key-reused")
        assert "current" not in answer.json()

    def test_of_a_post_brings_the_comment_that_was_edited_since(self, author, monkeypatch):
        token = b"0123456789abcdef"
        monkeypatch.setattr("dynapages.ninja.token_of", lambda _request: token)
        product_id = made_product()
        made = author.post(f"/products/{product_id}/comments", SAID).json()
        author.patch(made["api_url"], {"rating": 1, "version": 1})
        answer = author.post(f"/products/{product_id}/comments", SAID)
        assert (answer.status_code, answer.json()["code"]) == (409, "comment-changed")
        assert answer.json()["current"] == author.get(made["api_url"]).json()


class TestADeletion:
    def test_is_of_the_version_that_if_match_names(self, author, comment):
        stale = author.get(comment).headers["ETag"]
        author.patch(comment, {"rating": 1, "version": 1})
        refused = author.delete(comment, If_Match=stale)
        assert (problem_of(refused)[0], refused.json()["code"]) == (412, "comment-changed")
        assert refused.json()["current"] == author.get(comment).json()
        current = author.get(comment).headers["ETag"]
        assert author.delete(comment, If_Match=current).status_code == 204
        assert author.get(comment).status_code == 404

    @pytest.mark.parametrize("headers", [{}, {"If_Match": "*"}])
    def test_is_of_any_version_else(self, author, comment, headers):
        author.patch(comment, {"rating": 1, "version": 1})
        assert author.delete(comment, **headers).status_code == 204

    def test_of_another_version_by_staff_brings_the_comment_with_its_revision(
        self, author, staff, comment
    ):
        author.patch(comment, {"rating": 1, "version": 1})
        answer = staff.delete(comment, If_Match='"1"')
        assert (answer.status_code, answer.json()["current"]["revision"]) == (412, "LISTED.2.0")

    def test_of_what_is_gone_is_answered_as_without_a_version(self, author, comment):
        author.delete(comment)
        for headers in ({}, {"If_Match": '"1"'}, {"If_Match": "*"}):
            assert problem_of(author.delete(comment, **headers))[0] == 404


class TestAReply:
    @pytest.fixture
    def url(self, comment):
        return comment.replace("/comments/", "/replies/")

    def test_that_is_another_by_now_is_answered(self, staff, comment, url):
        staff.put(url, {"text": "Thank you."})
        answer = staff.put(url, {"text": "Sorry."})
        assert (problem_of(answer)[0], answer.json()["code"]) == (409, "reply-changed")
        assert answer.json()["current"] == staff.get(comment).json()["reply"]
        assert answer.json()["current"]["version"] == 1

    def test_that_is_deleted_by_now_is_answered_with_null(self, staff, url):
        answer = staff.put(url, {"text": "Sorry.", "version": 3})
        assert (answer.status_code, answer.json()["current"]) == (409, None)

    @pytest.mark.parametrize("method", ["PUT", "DELETE"])
    def test_does_not_take_the_version_of_its_comment(self, staff, comment, url, method):
        body = {"text": "Thanks."} if method == "PUT" else None
        etag = staff.get(comment).headers["ETag"]
        answer = staff.send(method, url, body, If_Match=etag)
        assert (problem_of(answer)[0], answer.json()["errors"][0]["at"]) == (422, "header.If-Match")
        assert staff.get(comment).json()["reply"] is None


class TestADecision:
    def test_on_what_has_changed_is_answered_with_what_to_decide_on(self, author, staff, comment):
        url = comment.replace("/comments/", "/decisions/")
        seen = staff.get(comment).json()["revision"]
        author.patch(comment, {"rating": 1, "version": 1})
        answer = staff.post(url, {"decision": "hide", "revision": seen})
        assert (problem_of(answer)[0], answer.json()["code"]) == (409, "comment-not-as-seen")
        assert answer.json()["current"] == staff.get(comment).json()
        now = answer.json()["current"]["revision"]
        assert staff.post(url, {"decision": "hide", "revision": now}).status_code == 204

    def test_that_does_not_fit_is_answered_with_the_comment(self, staff, comment):
        url = comment.replace("/comments/", "/decisions/")
        answer = staff.post(url, {"decision": "reject"})
        assert (answer.status_code, answer.json()["current"]["is_hidden"]) == (409, False)
