"""Who may call which operation: keys by their scopes and users, and never a cookie."""

import re
from dataclasses import replace

import pytest
from django.test import Client

from config import api
from dynapages.calls import clock, metered
from dynapages.django.callers import Scope
from shop.accounts.services import change_account, delete_profile, profile_of, shut_profile
from shop.api_keys.services import revoke_key
from tests.support.comments.deciding import hide
from tests.support.comments.writers import made_product, someone
from tests.support.config.addresses import API_MATRIX, KEYS, api_request, belongings
from tests.support.config.api import (
    NOBODY,
    PROBLEM,
    ROOT,
    Program,
    operations,
    problem_of,
    program_of,
)
from tests.support.security_log import events

pytestmark = pytest.mark.usefixtures("tables")
WRONG = f"dynashop_{'0' * 12}_{'x' * 43}"
NO_KEY = "Send a key of the API that is valid: “Authorization: Bearer …”."


@pytest.fixture(scope="module")
def owned(tables):
    return belongings(someone("owner"))


@pytest.fixture
def writer():
    return program_of(someone("writer").username)


def make_customer(username: str) -> None:
    """Have a user be of the staff no more."""
    profile = profile_of(username)
    before = profile.serialize()
    profile.is_staff = False
    change_account(before=before, after=profile)


class TestAKey:
    def test_finds_what_its_user_may_see(self, owned):
        program = program_of(owned.owner.username, Scope.READ)
        (order,) = program.get("/orders").json()["items"]
        assert order["id"] == owned.order_id

    def test_of_nobody_has_no_orders(self):
        reader = program_of("", Scope.READ)
        assert problem_of(reader.get("/orders")) == (
            403,
            "This key has no user: make one with --user.",
        )
        assert reader.get("/categories").status_code == 200

    @pytest.mark.parametrize("url", ["/orders", "/categories"])
    @pytest.mark.parametrize(
        "sent",
        [
            *("", "Bearer", "Bearer ", f"Bearer {WRONG}", f"Basic {WRONG}", "Bearer x y"),
            *(WRONG, f"Bearer {WRONG[:-1]}", f"Bearer {'x' * 5_000}"),
        ],
    )
    def test_that_is_none_is_refused_even_where_none_is_needed(self, url, sent):
        answer = NOBODY.get(url, Authorization=sent)
        assert problem_of(answer) == (401, NO_KEY)
        assert answer.headers["WWW-Authenticate"] == "Bearer"

    def test_with_the_secret_of_another_is_refused(self, writer):
        other = program_of(writer.username)
        mixed = Program(writer.text[:-43] + other.text[-43:])
        assert problem_of(mixed.get("/categories"))[0] == 401

    @pytest.mark.parametrize("url", ["/orders", "/categories"])
    def test_that_was_revoked_is_refused(self, writer, url):
        assert writer.get(url).status_code == 200
        revoke_key(writer.key_id, now=clock.now())
        assert problem_of(writer.get(url)) == (401, NO_KEY)

    @pytest.mark.parametrize("close", [shut_profile, delete_profile])
    def test_whose_user_is_not_active_any_more_is_refused(self, writer, close):
        close(writer.username)
        for url in ("/orders", "/categories"):
            assert problem_of(writer.get(url)) == (401, NO_KEY)

    def test_of_staff_whose_user_is_a_customer_by_now_is_refused(self):
        program = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        assert program.get("/staff/orders").status_code == 200
        make_customer(program.username)
        for url in ("/staff/orders", "/orders"):
            assert problem_of(program.get(url)) == (401, NO_KEY)

    @pytest.mark.parametrize("scope", [Scope.READ, Scope.WRITE])
    def test_of_staff_does_no_more_than_its_scope(self, owned, scope):
        program = program_of(someone("sam", is_staff=True).username, scope)
        assert problem_of(program.get("/staff/orders"))[0] == 403
        assert problem_of(program.get(f"/orders/{owned.order_id}"))[0] == 404

    @pytest.mark.real_engine
    def test_is_no_text_that_costs_a_read(self):
        with metered() as meter:
            NOBODY.get("/orders", Authorization="Bearer x")
        assert meter.calls == 0


class TestAKeyThatIsRefused:
    """Is an event of the security log, so that a guessed or revoked key can be seen."""

    @pytest.fixture
    def refused(self, caplog):
        """Sends a request with a key, and returns what the event says besides its kind."""
        caplog.set_level("INFO", "security")

        def send(text: str, url: str = "/categories", method: str = "GET") -> dict[str, str]:
            program = Program(text, address="203.0.113.7")
            assert program.send(method, url).status_code in {401, 403}
            (event,) = events(caplog, "api-key-refused")
            # It may hold an underscore itself.
            secret = text.split("_", maxsplit=2)[-1]
            assert secret not in caplog.text
            assert event.pop("network") == "203.0.113.7"
            return {name: value for name, value in event.items() if name != "event"}

        return send

    @pytest.mark.parametrize("text", ["guess", WRONG[:-1], f"{WRONG}x"])
    def test_has_no_id_where_it_has_not_a_keys_form(self, refused, text):
        assert refused(text) == {"user": "", "reason": "malformed"}

    def test_was_never_made(self, refused):
        assert refused(WRONG) == {"user": "", "reason": "unknown", "key": "0" * 12}

    def test_was_revoked(self, refused, writer):
        revoke_key(writer.key_id, now=clock.now())
        assert refused(writer.text) == {"user": "", "reason": "revoked", "key": writer.key_id}

    def test_has_a_secret_that_was_guessed(self, refused, writer):
        text = writer.text[:-43] + "x" * 43
        assert refused(text) == {"user": "", "reason": "wrong-secret", "key": writer.key_id}

    @pytest.mark.parametrize("close", [shut_profile, delete_profile])
    def test_is_of_a_user_who_is_not_active(self, refused, writer, close):
        close(writer.username)
        said = {"user": writer.username, "reason": "user-inactive", "key": writer.key_id}
        assert refused(writer.text) == said

    def test_is_of_a_user_who_is_not_staff_any_more(self, refused):
        program = program_of(someone("sam", is_staff=True).username, Scope.STAFF)
        make_customer(program.username)
        said = {"user": program.username, "reason": "user-not-staff", "key": program.key_id}
        assert refused(program.text) == said

    def test_needs_another_scope(self, refused, writer):
        said = {"user": writer.username, "reason": "scope", "needed": "staff", "key": writer.key_id}
        assert refused(writer.text, "/replies/none", "DELETE") == said

    def test_is_no_event_where_none_was_sent(self, caplog):
        caplog.set_level("INFO", "security")
        assert NOBODY.get("/orders", Authorization="Basic eA==").status_code == 401
        assert NOBODY.get("/orders").status_code == 401
        assert events(caplog, "api-key-refused") == []


class TestACookie:
    @pytest.mark.parametrize("is_staff", [False, True])
    def test_authorises_nothing(self, is_staff):
        visitor = someone("visitor", is_staff=is_staff)
        comment = visitor.has_written(made_product()).comment
        for url in ("/orders", "/staff/orders", "/orders/none"):
            answer = visitor.browser.get(f"{ROOT}{url}")
            assert (answer.status_code, answer["Content-Type"]) == (401, PROBLEM)
        for send, url in (
            (visitor.browser.put, f"/votes/{comment.id}"),
            (visitor.browser.delete, f"/comments/{comment.id}"),
            (visitor.browser.post, "/orders"),
        ):
            body = {"lines": [{"product_id": "lamp"}]}
            answer = send(f"{ROOT}{url}", body, content_type="application/json")
            assert answer.status_code == 401, url

    def test_shows_nothing_more(self):
        visitor = someone("visitor")
        comment = visitor.has_written(made_product()).comment
        hide(comment_id=comment.id)
        url = f"{ROOT}/users/{visitor.username}/comments"
        assert visitor.browser.get(url).json()["items"] == []
        assert visitor.browser.get(f"{ROOT}/comments/{comment.id}").status_code == 404

    def test_is_not_asked_for_a_token_of_forms(self, writer):
        browser = Client(
            enforce_csrf_checks=True, headers={"Authorization": f"Bearer {writer.text}"}
        )
        url = f"{ROOT}/products/{made_product()}/comments"
        assert browser.post(url, {"rating": 5}, content_type="application/json").status_code == 201


class TestAnOperation:
    @pytest.mark.parametrize("name", operations())
    def test_says_in_the_schema_which_keys_it_needs(self, name):
        needed = operations()[name]["security"]
        is_public = API_MATRIX[name][0].startswith("200")
        assert [*needed[0]] == ["KeyAuth"]
        assert needed[1:] == ([{}] if is_public else [])

    def test_has_a_row_in_the_matrix(self):
        assert {*API_MATRIX} == {*operations()}

    @pytest.mark.parametrize("name", API_MATRIX)
    def test_answers_each_key_as_the_matrix_says(self, programs, name):
        statuses, body = API_MATRIX[name]
        for key, status in zip(KEYS, statuses.split(), strict=True):
            mine = belongings(programs["owner"][1]).arguments
            method, url = api_request(name, mine)
            answer = programs[key][0].send(method, url, body)
            assert (key, answer.status_code) == (key, int(status)), answer.text
            if answer.status_code >= 400:
                problem_of(answer)

    @pytest.mark.parametrize("name", operations())
    def test_needs_the_scope_that_the_schema_and_a_problem_name(self, programs, name):
        method, _, path = name.partition(" ")
        mine = belongings(programs["owner"][1]).arguments
        answer = programs["reader"][0].send(method, path.format_map(mine), {})
        (scope,) = operations()[name]["security"][0]["KeyAuth"]
        named = re.search("needs a key of the scope “(.+)”", answer.text)
        assert scope == (named[1] if named else "read")


@pytest.fixture(scope="module")
def programs(tables):
    """By the name of a key, the program that has it and its user."""
    owner, other, staff = (someone(name, is_staff=name == "staff") for name in KEYS[2:])
    return {
        "none": (NOBODY, None),
        "reader": (program_of("", Scope.READ), None),
        "owner": (program_of(owner.username), owner),
        "other": (program_of(other.username), other),
        "staff": (program_of(staff.username, Scope.STAFF), staff),
    }


class TestTheLimit:
    def test_counts_down_and_then_says_how_long_to_wait(self, monkeypatch, writer):
        monkeypatch.setattr(api, "READ_LIMIT", replace(api.READ_LIMIT, times=3))
        left = [writer.get("/categories").headers["RateLimit"] for _ in range(3)]
        assert left == [f'"reads";r={number}' for number in (2, 1, 0)]
        answer = writer.get("/categories")
        status, sentence = problem_of(answer)
        assert (status, sentence[:38]) == (429, "This key has sent too many requests. T")
        wait = int(answer.headers["Retry-After"])
        assert 1 <= wait <= 20
        assert answer.headers["RateLimit"] == f'"reads";r=0;t={wait}'
        assert answer.headers["RateLimit-Policy"] == '"reads";q=3;w=60'

    def test_is_of_one_key_and_another_for_writes(self, monkeypatch, writer):
        monkeypatch.setattr(api, "READ_LIMIT", replace(api.READ_LIMIT, times=1))
        assert [writer.get("/categories").status_code for _ in range(2)] == [200, 429]
        assert program_of(writer.username).get("/categories").status_code == 200
        answer = writer.put("/votes/none")
        assert (answer.status_code, answer.headers["RateLimit"]) == (404, '"writes";r=299')

    def test_is_none_without_a_key(self):
        assert "RateLimit" not in NOBODY.get("/categories").headers

    def test_is_told_with_a_problem_too(self, writer):
        assert writer.get("/orders/none").headers["RateLimit"] == '"reads";r=599'
