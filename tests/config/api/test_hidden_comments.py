"""A hidden comment is to others as if it was not there, whatever they send about it."""

import pytest

from comments.posting.services import add_comment
from dynapages.django.callers import Scope
from tests.support.chance import unique
from tests.support.comments.deciding import hide
from tests.support.comments.truth import written
from tests.support.comments.writers import made_product, someone
from tests.support.config.api import NOBODY, Program, operations, problem_of, program_of

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
SAID = {"rating": 4, "title": "Bright", "text": "It lights up the whole desk.", "language": "en"}
OF_ONE_REQUEST = {"ratelimit", "date", "x-request-id", "content-length", "content-encoding"}
"""Headers that say nothing of a comment; compressed, an answer has a length by chance."""
BODIES: dict[str, list[object]] = {
    "GET /comments/{comment_id}": [None],
    "PUT /comments/{comment_id}": [SAID, {**SAID, "version": 1}, {**SAID, "version": 9}, {}],
    "PATCH /comments/{comment_id}": [{"rating": 4, "version": 1}, {"rating": 1, "version": 9}, {}],
    "DELETE /comments/{comment_id}": [None],
    "PUT /votes/{comment_id}": [None],
    "DELETE /votes/{comment_id}": [None],
    "PUT /reports/{comment_id}": [{"reason": "spam"}, {}],
    "PUT /replies/{comment_id}": [{"text": "Thanks."}],
    "DELETE /replies/{comment_id}": [None],
    "POST /decisions/{comment_id}": [{"decision": "hide"}, {"decision": "keep"}],
}
"""By the operations on one comment, what is sent to them."""
HEADERS: list[dict[str, str]] = [{}, {"If_Match": "*"}, {"If_Match": '"1"'}, {"If_Match": '"9"'}]
CALLERS = ("nobody", "reader", "reader of nobody", "other", "staff that write")


@pytest.fixture(scope="module")
def programs(tables):
    """By the name of who calls, a program that is neither the author's nor of staff."""
    other, sam = someone("other"), someone("sam", is_staff=True)
    return {
        "nobody": NOBODY,
        "reader": program_of(other.username, Scope.READ),
        "reader of nobody": program_of("", Scope.READ),
        "other": program_of(other.username),
        "staff that write": program_of(sam.username),
    }


@pytest.fixture(scope="module")
def hidden_id(programs):
    """The id of a comment that is hidden."""
    comment_id = someone("author").has_written(made_product()).comment.id
    hide(comment_id=comment_id)
    return comment_id


def answer_of(program: Program, name: str, comment_id: str, body: object, headers: dict) -> tuple:
    """What is answered, without what differs from one request to another."""
    method, _, path = name.partition(" ")
    answer = program.send(method, path.format(comment_id=comment_id), body, **headers)
    shown = {name: text for name, text in answer.headers.items() if name not in OF_ONE_REQUEST}
    return answer.status_code, shown, answer.text


class TestAHiddenComment:
    @pytest.mark.parametrize("caller", CALLERS)
    @pytest.mark.parametrize("name", BODIES)
    def test_is_answered_as_none(self, programs, hidden_id, caller, name):
        for body in BODIES[name]:
            for headers in HEADERS:
                of_none, of_it = (
                    answer_of(programs[caller], name, comment_id, body, headers)
                    for comment_id in (f"{hidden_id[:-1]}~", hidden_id)
                )
                assert of_it == of_none, (body, headers)
                assert of_it[0] >= 400

    def test_is_answered_as_none_where_its_product_is_gone_too(self, programs):
        comment = written(unique("gone"))
        add_comment(comment)
        other = programs["other"]
        url = "GET /comments/{comment_id}"
        assert answer_of(other, url, comment.id, None, {})[0] == 200
        hide(comment_id=comment.id)
        of_none, of_it = (
            answer_of(other, url, comment_id, None, {}) for comment_id in ("none", comment.id)
        )
        assert of_it == of_none

    def test_was_sent_each_operation_on_one_comment(self):
        assert {name for name in operations() if "{comment_id}" in name} == {*BODIES}

    def test_loses_the_vote_of_who_gave_one_and_is_not_there_then(self, programs):
        voter = program_of(someone("voter").username)
        comment_id = someone("author").has_written(made_product()).comment.id
        assert voter.put(f"/votes/{comment_id}").json()["helpful_votes"] == 1
        hide(comment_id=comment_id)
        taken_back = voter.delete(f"/votes/{comment_id}")
        assert taken_back.json() == {"has_voted": False, "helpful_votes": 0}
        assert problem_of(voter.delete(f"/votes/{comment_id}"))[0] == 404
