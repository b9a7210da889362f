"""What a key may write, and who sees it: the rules of the pages."""

import pytest

from comments.gates import Reject
from comments.signals import comment_replied
from dynapages.django.callers import Scope
from tests.support.comments.deciding import hide
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, Program, problem_of, program_of

pytestmark = pytest.mark.usefixtures("tables")
NO_VERSION = "Say which version you change: send “If-Match” or “version”."
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}


@pytest.fixture
def lamp():
    return made_product()


@pytest.fixture
def author():
    return program_of(someone("author").username)


@pytest.fixture
def other():
    return program_of(someone("other").username)


@pytest.fixture
def staff():
    return program_of(someone("sam", is_staff=True).username, Scope.STAFF)


@pytest.fixture
def comment(author, lamp):
    return posted(author, lamp)


def posted(author: Program, product_id: str, **said: object) -> dict:
    answer = author.post(f"/products/{product_id}/comments", {**SAID, **said})
    assert answer.status_code == 201, answer.text
    return answer.json()


def called_dora(_user):
    return "Dora"


def ids_at(program: Program, url: str) -> list[str]:
    return [one["id"] for one in program.get(url).json()["items"]]


class TestARating:
    def test_may_be_written_with_a_point(self, author, lamp):
        assert posted(author, lamp, rating=5.0)["rating"] == 5

    @pytest.mark.parametrize("rating", ["5", True, 4.5, None])
    def test_that_is_no_whole_number_is_refused(self, author, lamp, rating):
        answer = author.post(f"/products/{lamp}/comments", {**SAID, "rating": rating})
        assert problem_of(answer) == (422, "body.rating: This has to be a whole number.")


class TestAComment:
    def test_is_stored_as_it_was_sent_with_its_lines(self, author, lamp):
        found = posted(author, lamp, title="  So   &\nso ", text=" One\r\n\r\nTwo\r ")
        assert (found["title"], found["text"]) == ("So & so", "One\n\nTwo")
        assert (found["username"], found["product_id"]) == (author.username, lamp)
        assert (found["is_hidden"], found["version"], found["reply"]) == (False, 1, None)

    def test_has_the_name_of_the_keys_user_who_is_not_read_once_more_for_it(self, author, lamp):
        # `FIND_USER` leads nowhere, so who asks it fails.
        with comments_set(DISPLAY_NAME=f"{__name__}.called_dora", FIND_USER="nowhere"):
            found = posted(author, lamp)
        assert (found["author"], found["username"]) == ("Dora", author.username)

    def test_is_in_the_language_of_its_words_unless_that_is_said(self, author, lamp):
        german = {"title": "Schön", "text": "Die Lampe leuchtet den ganzen Tisch aus, sehr gut."}
        assert posted(author, lamp, **german, language=None)["language"] == "de"
        assert posted(author, lamp, **german)["language"] == "en"
        assert posted(author, lamp, title="", text="", language=None)["language"] == "en"

    def test_that_is_long_has_its_whole_text_at_its_own_address(self, author, lamp):
        text = "long words " * 300
        found = posted(author, lamp, text=text)
        (listed,) = NOBODY.get(f"/products/{lamp}/comments").json()["items"]
        assert (found["text"], found["is_excerpt"]) == (text.strip(), False)
        assert (listed["is_excerpt"], len(listed["text"]) < len(text)) == (True, True)
        assert NOBODY.get(f"/comments/{listed['id']}").json()["text"] == text.strip()

    def test_with_slashes_in_its_id_is_found_by_it(self, author):
        product_id = made_product()
        load([written(product_id, id=f"{product_id}/a/b")])
        assert NOBODY.get(f"/comments/{product_id}/a/b").json()["id"] == f"{product_id}/a/b"
        assert author.put(f"/votes/{product_id}/a/b").json()["helpful_votes"] == 1

    def test_about_what_is_not_there_is_refused(self, author):
        assert problem_of(author.post("/products/none/comments", SAID))[0] == 404

    def test_with_a_nul_is_refused(self, author, lamp):
        answer = author.post(f"/products/{lamp}/comments", {**SAID, "text": "a\0b"})
        assert problem_of(answer)[0] == 422

    def test_is_changed_in_the_version_that_was_read(self, author, comment):
        url = f"/comments/{comment['id']}"
        assert author.put(url, {**SAID, "rating": 1, "version": 1}).json()["version"] == 2
        stale = author.put(url, {**SAID, "rating": 2, "version": 1})
        status, sentence = problem_of(stale)
        assert (status, "changed in the meantime" in sentence) == (409, True)
        assert author.get(url).json()["rating"] == 1
        again = author.put(url, {**SAID, "rating": 1, "version": 1})
        assert (again.status_code, again.json()["version"]) == (200, 2)

    def test_needs_its_version_to_be_changed(self, author, comment):
        answer = author.put(f"/comments/{comment['id']}", SAID)
        assert problem_of(answer) == (428, NO_VERSION)

    def test_of_another_is_not_there_to_be_changed_or_deleted(self, other, staff, comment):
        url = f"/comments/{comment['id']}"
        for program in (other, staff):
            assert problem_of(program.put(url, {**SAID, "version": 1}))[0] == 404
        assert problem_of(other.delete(url))[0] == 404
        assert NOBODY.get(url).status_code == 200

    def test_is_deleted_by_its_author_or_by_staff(self, author, staff, lamp):
        for program in (author, staff):
            url = f"/comments/{posted(author, lamp)['id']}"
            answer = program.delete(url)
            assert (answer.status_code, answer.content) == (204, b"")
            assert problem_of(NOBODY.get(url))[0] == 404

    def test_that_is_gone_cannot_be_written_again(self, author, lamp):
        url = f"/products/{lamp}/comments"
        own = author.post(url, SAID, once="a").json()
        author.delete(f"/comments/{own['id']}")
        assert author.post(url, SAID, once="a").json() == own  # what was answered then
        assert ids_at(NOBODY, url) == []


class TestAHiddenComment:
    def test_is_shown_to_its_author_and_to_staff_alone(self, author, other, staff, comment):
        hide(comment_id=comment["id"])
        url, listed = f"/comments/{comment['id']}", f"/users/{author.username}/comments"
        for program in (author, staff):
            assert program.get(url).json()["is_hidden"] is True
            assert ids_at(program, listed) == [comment["id"]]
        for program in (NOBODY, other, program_of("", Scope.READ)):
            assert problem_of(program.get(url))[0] == 404
            assert ids_at(program, listed) == []
        for program in (author, staff, NOBODY):
            assert ids_at(program, f"/products/{comment['product_id']}/comments") == []


class TestAGate:
    @pytest.fixture(autouse=True)
    def gate(self):
        with comments_set(GATE="comments.gates.hold_all"):
            yield

    def test_holds_what_is_posted_until_staff_publish_it(self, author, staff, lamp):
        held = posted(author, lamp)
        url = f"/comments/{held['id']}"
        assert held["is_hidden"] is True
        assert problem_of(NOBODY.get(url))[0] == 404
        assert author.get(url).json()["is_hidden"] is True
        seen = staff.get(url).json()["revision"]
        decision = {"decision": "publish", "revision": seen}
        assert staff.post(f"/decisions/{held['id']}", decision).status_code == 204
        assert ids_at(NOBODY, f"/products/{lamp}/comments") == [held["id"]]

    def test_refuses_in_its_own_words(self, author, lamp):
        with comments_set(GATE=f"{__name__}.reject"):
            answer = author.post(f"/products/{lamp}/comments", SAID)
        assert problem_of(answer) == (403, "Not today.")


def reject(*_):
    return Reject("Not today.")


class TestADecision:
    def test_hides_and_restores(self, staff, lamp, comment):
        url = f"/products/{lamp}/comments"
        for decision, shown in (("hide", []), ("restore", [comment["id"]])):
            revision = staff.get(f"/comments/{comment['id']}").json()["revision"]
            said = {"decision": decision, "revision": revision}
            assert staff.post(f"/decisions/{comment['id']}", said).status_code == 204
            assert ids_at(NOBODY, url) == shown

    def test_on_what_has_changed_since_is_refused(self, author, staff, comment):
        revision = staff.get(f"/comments/{comment['id']}").json()["revision"]
        author.put(f"/comments/{comment['id']}", {**SAID, "rating": 1, "version": 1})
        said = {"decision": "hide", "revision": revision}
        status, sentence = problem_of(staff.post(f"/decisions/{comment['id']}", said))
        assert (status, "changed, reported or decided on" in sentence) == (409, True)
        assert NOBODY.get(f"/comments/{comment['id']}").status_code == 200
        del said["revision"]
        assert staff.post(f"/decisions/{comment['id']}", said).status_code == 204

    def test_that_does_not_fit_is_refused_with_those_that_do(self, staff, comment):
        url = f"/decisions/{comment['id']}"
        answer = staff.post(url, {"decision": "reject"})
        assert problem_of(answer) == (
            409,
            "A comment that is in its lists is hidden or deleted. Nothing was changed.",
        )
        assert answer.json()["code"] == "decision-not-possible"
        assert answer.json()["allowed"] == ["hide", "delete"]
        hide(comment_id=comment["id"])
        answer = staff.post(url, {"decision": "keep"})
        assert answer.json()["code"] == "decision-not-possible"
        assert answer.json()["allowed"] == ["restore", "delete"]

    @pytest.mark.parametrize("decision", ["publish", "keep", "restore"])
    def test_on_what_was_seen_in_its_lists_already_is_refused(self, staff, comment, decision):
        revision = staff.get(f"/comments/{comment['id']}").json()["revision"]
        said = {"decision": decision, "revision": revision}
        answer = staff.post(f"/decisions/{comment['id']}", said)
        assert (answer.status_code, answer.json()["code"]) == (409, "decision-not-possible")

    def test_that_was_made_already_changes_nothing(self, staff, comment):
        revision = staff.get(f"/comments/{comment['id']}").json()["revision"]
        for said in ({"revision": revision}, {"revision": revision}, {}):
            answer = staff.post(f"/decisions/{comment['id']}", {"decision": "hide", **said})
            assert answer.status_code == 204
        seen = staff.get(f"/comments/{comment['id']}").json()["revision"]
        said = {"decision": "hide", "revision": seen}
        assert staff.post(f"/decisions/{comment['id']}", said).status_code == 409

    @pytest.mark.parametrize(
        "said", [{}, {"decision": "burn"}, {"decision": "hide", "revision": "x"}]
    )
    def test_that_there_is_not_is_refused(self, staff, comment, said):
        assert problem_of(staff.post(f"/decisions/{comment['id']}", said))[0] == 422

    def test_is_shown_what_it_is_about_as_staff_alone(self, author, other, staff, comment):
        url = f"/comments/{comment['id']}"
        revisions = [program.get(url).json()["revision"] for program in (NOBODY, author, staff)]
        assert [one is None for one in revisions] == [True, True, False]


class TestAVote:
    def test_counts_once_and_is_told_to_its_voter(self, other, author, comment):
        url, lists = f"/votes/{comment['id']}", f"/products/{comment['product_id']}/comments"
        assert [other.put(url).json()["helpful_votes"] for _ in range(2)] == [1, 1]
        told = {name: program.get(lists).json()["items"][0]["has_voted"] for name, program in (
            ("other", other), ("author", author), ("nobody", NOBODY),
            ("a key of nobody", program_of("", Scope.READ)),
        )}  # fmt: skip
        assert told == {"other": True, "author": False, "nobody": None, "a key of nobody": None}
        helpful = other.get(f"{lists}/most-helpful").json()["items"]
        assert [(one["helpful_votes"], one["has_voted"]) for one in helpful] == [(1, True)]
        assert [other.delete(url).json()["helpful_votes"] for _ in range(2)] == [0, 0]

    def test_is_in_the_number_of_the_comment_right_away(self, other, author, comment):
        url = f"/comments/{comment['id']}"
        assert author.get(url).json()["helpful_votes"] == 0
        other.put(f"/votes/{comment['id']}")
        votes = {program.get(url).json()["helpful_votes"] for program in (other, author, NOBODY)}
        assert votes == {1}
        edited = author.patch(url, {"rating": 5, "version": 1}).json()
        assert edited["helpful_votes"] == 1
        other.delete(f"/votes/{comment['id']}")
        assert author.get(url).json()["helpful_votes"] == 0

    def test_is_counted_of_a_hidden_comment_too(self, other, author, staff, comment):
        other.put(f"/votes/{comment['id']}")
        hide(comment_id=comment["id"])
        for program in (author, staff):
            assert program.get(f"/comments/{comment['id']}").json()["helpful_votes"] == 1

    def test_makes_another_etag_of_the_same_version(self, other, author, comment):
        url = f"/comments/{comment['id']}"
        before = author.get(url).headers["ETag"]
        other.put(f"/votes/{comment['id']}")
        after = author.get(url).headers["ETag"]
        assert before != after
        assert author.put(url, {**SAID, "rating": 1}, If_Match=before).json()["version"] == 2

    def test_for_ones_own_comment_is_refused(self, author, comment):
        status, sentence = problem_of(author.put(f"/votes/{comment['id']}"))
        assert (status, sentence.endswith(".")) == (403, True)

    def test_for_what_is_not_there_is_refused(self, other, comment):
        assert problem_of(other.put("/votes/none"))[0] == 404
        hide(comment_id=comment["id"])
        assert problem_of(other.put(f"/votes/{comment['id']}"))[0] == 404


class TestAReport:
    def test_is_told_to_staff_once(self, other, staff, comment):
        for reason in ("spam", "abuse"):
            said = {"reason": reason, "text": "Look at it."}
            assert other.put(f"/reports/{comment['id']}", said).status_code == 204
        assert staff.get(f"/comments/{comment['id']}").json()["revision"].endswith(".1")

    @pytest.mark.parametrize(
        "said", [{}, {"reason": "boring"}, {"reason": "spam", "text": "x" * 9_999}]
    )
    def test_without_a_reason_that_there_is_is_refused(self, other, comment, said):
        assert problem_of(other.put(f"/reports/{comment['id']}", said))[0] == 422


class TestAReply:
    def test_is_written_changed_and_deleted(self, staff, comment):
        url = f"/replies/{comment['id']}"
        first = staff.put(url, {"text": "Thank you."}).json()["reply"]
        assert (first["text"], first["version"]) == ("Thank you.", 1)
        second = staff.put(url, {"text": "Thanks.", "version": 1}).json()["reply"]
        assert (second["text"], second["version"]) == ("Thanks.", 2)
        assert NOBODY.get(f"/comments/{comment['id']}").json()["reply"]["text"] == "Thanks."
        assert [staff.delete(url).status_code for _ in range(2)] == [204, 204]
        assert NOBODY.get(f"/comments/{comment['id']}").json()["reply"] is None

    def test_to_what_was_replied_to_meanwhile_is_refused(self, staff, comment):
        url = f"/replies/{comment['id']}"
        staff.put(url, {"text": "Thank you."})
        for said in ({"text": "Sorry."}, {"text": "Sorry.", "version": 2}):
            status, sentence = problem_of(staff.put(url, said))
            assert (status, "Somebody else has written" in sentence) == (409, True)

    def test_that_is_there_already_is_not_told_of_again(self, staff, comment):
        told = []
        comment_replied.connect(lambda **_: told.append(1), weak=False, dispatch_uid="test")
        try:
            for version in (0, 0, 1):
                found = staff.put(
                    f"/replies/{comment['id']}", {"text": "Thank you.", "version": version}
                ).json()["reply"]
                assert found["version"] == 1
        finally:
            comment_replied.disconnect(dispatch_uid="test")
        assert told == [1]

    @pytest.mark.parametrize("text", ["", "  \n", "x" * 4_001, "a\0b"])
    def test_without_words_is_refused(self, staff, comment, text):
        assert problem_of(staff.put(f"/replies/{comment['id']}", {"text": text}))[0] == 422
