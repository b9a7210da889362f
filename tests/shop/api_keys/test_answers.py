"""A request that is sent again with its idempotency key is answered as before."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.http import HttpResponse

from dynapages.calls import metered
from shop import keys
from shop.api_keys import answers
from shop.api_keys.answers import (
    LARGEST_BODY,
    OTHER_WORK_SECONDS,
    Attempt,
    KeyInUse,
    KeyReused,
    begin,
    finish,
    forget,
    release,
)
from shop.models import ApiAnswer

pytestmark = pytest.mark.usefixtures("tables")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
CREATED = HttpResponse(b'{"id": "\xc3\xa9"}', "application/json", 201)


@pytest.fixture
def attempt(fresh):
    """The first attempt at a request, which has begun."""
    attempt = begin(fresh("key"), "digest", now=NOW)
    assert is_first(attempt)
    return attempt


@pytest.fixture
def name(attempt):
    return attempt.name


def is_first(attempt: Attempt) -> bool:
    return attempt.answer is None and not attempt.is_second


def is_second(attempt: Attempt) -> bool:
    return attempt.answer is None and attempt.is_second


def shown(answer: HttpResponse | Attempt) -> tuple[int, str, bytes]:
    if isinstance(answer, Attempt):
        assert not answer.is_second
        answer = answer.answer
    assert answer is not None
    return answer.status_code, answer["Content-Type"], answer.content


def longest() -> timedelta:
    return timedelta(seconds=settings.WRITE_SECONDS + OTHER_WORK_SECONDS)


class TestARequestThatIsSentAgain:
    def test_is_answered_as_before(self, name, attempt):
        finish(attempt, CREATED, now=NOW)
        assert shown(begin(name, "digest", now=NOW + SECOND)) == shown(CREATED)

    def test_is_carried_out_again_a_day_later_though_its_answer_is_there(self, name, attempt):
        finish(attempt, CREATED, now=NOW)
        assert shown(begin(name, "digest", now=NOW + DAY - SECOND)) == shown(CREATED)
        assert is_first(begin(name, "other", now=NOW + DAY))
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "other", now=NOW + DAY)

    def test_is_carried_out_again_when_it_was_forgotten(self, name, attempt):
        forget(attempt)
        assert is_first(begin(name, "other", now=NOW))

    def test_is_answered_with_the_headers_of_the_answer_itself(self, name, attempt):
        headers = {"ETag": '"3"', "Location": "/comments/é", "Retry-After": "7"}
        finish(attempt, HttpResponse(b"", "text/plain", 201, headers=headers), now=NOW)
        again = begin(name, "digest", now=NOW).answer
        assert (again["ETag"], again["Location"]) == ('"3"', headers["Location"])
        assert "Retry-After" not in again

    def test_is_answered_without_a_type_where_there_was_none(self, name, attempt):
        answer = HttpResponse(status=204)
        del answer["Content-Type"]
        finish(attempt, answer, now=NOW)
        again = begin(name, "digest", now=NOW).answer
        assert (again.status_code, "Content-Type" in again) == (204, False)

    def test_is_refused_with_another_content(self, name, attempt):
        with pytest.raises(KeyReused, match="another request"):
            begin(name, "other", now=NOW)
        finish(attempt, CREATED, now=NOW)
        with pytest.raises(KeyReused, match="another request"):
            begin(name, "other", now=NOW + 2 * longest())

    def test_is_answered_with_a_body_up_to_300_kb(self, name, attempt):
        finish(attempt, HttpResponse(b"x" * LARGEST_BODY, "text/plain", 201), now=NOW)
        assert begin(name, "digest", now=NOW).answer.content == b"x" * LARGEST_BODY

    def test_is_answered_without_a_body_that_is_too_large_to_store(self, name, attempt):
        finish(attempt, HttpResponse(b"x" * (LARGEST_BODY + 1), "text/plain", 201), now=NOW)
        assert shown(begin(name, "digest", now=NOW)) == (201, "text/plain", b"")


class TestARequestThatIsBeingCarriedOut:
    def test_says_when_to_come_back(self, name, attempt):
        with pytest.raises(KeyInUse, match="still running") as raised:
            begin(name, "digest", now=NOW + SECOND)
        assert raised.value.retry_after == longest().total_seconds() - 1
        with pytest.raises(KeyInUse, match="still running") as raised:
            begin(name, "digest", now=NOW + longest() - SECOND / 10)
        assert raised.value.retry_after == 1

    def test_is_taken_over_once_when_its_process_must_have_died(self, name, attempt):
        later = NOW + longest()
        assert is_second(begin(name, "digest", now=later))
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "digest", now=later)

    def test_is_not_taken_over_by_another_request(self, name, attempt):
        with pytest.raises(KeyReused, match="another request"):
            begin(name, "other", now=NOW + longest())

    def test_keeps_its_first_answer(self, name, attempt):
        finish(attempt, CREATED, now=NOW)
        finish(attempt, HttpResponse(b"", "text/plain", 503), now=NOW)
        forget(attempt)
        assert shown(begin(name, "digest", now=NOW)) == shown(CREATED)

    def test_has_begun_though_the_answer_to_its_write_was_lost(self, fresh, monkeypatch):
        name = fresh("key")
        write_item = answers.write_item

        def twice(*arguments):
            write_item(*arguments)
            write_item(*arguments)

        monkeypatch.setattr(answers, "write_item", twice)
        assert is_first(begin(name, "digest", now=NOW))


class TestARequestThatAFaultHasEnded:
    @pytest.fixture(autouse=True)
    def released(self, attempt):
        release(attempt)

    def test_is_carried_out_at_once_by_a_second_attempt(self, name):
        assert is_second(begin(name, "digest", now=NOW))
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "digest", now=NOW)

    def test_is_not_carried_out_with_another_content(self, name):
        with pytest.raises(KeyReused, match="another request"):
            begin(name, "other", now=NOW)

    @pytest.mark.parametrize("end", [release, forget])
    def test_may_be_sent_a_third_time(self, name, end):
        end(begin(name, "digest", now=NOW))
        third = begin(name, "digest", now=NOW)
        assert is_second(third)
        finish(third, CREATED, now=NOW)
        assert shown(begin(name, "digest", now=NOW)) == shown(CREATED)

    def test_is_not_released_by_the_attempt_before(self, name, attempt):
        begin(name, "digest", now=NOW)
        release(attempt)
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "digest", now=NOW)


class TestAStoredAnswer:
    def test_has_no_name_in_its_key_and_expires(self, name, attempt):
        finish(attempt, CREATED, now=NOW + SECOND)
        item = ApiAnswer.find(*keys.answer(name).values())
        assert name not in str(item.serialize())
        assert item.expires_at == NOW + SECOND + DAY

    def test_is_not_stored_for_a_request_that_never_began(self, fresh):
        name = fresh("key")
        finish(Attempt(name, "run"), CREATED, now=NOW)
        assert is_first(begin(name, "digest", now=NOW))

    @pytest.mark.real_engine
    def test_costs_two_writes(self, fresh):
        name = fresh("key")
        with metered() as meter:
            attempt = begin(name, "digest", now=NOW)
            finish(attempt, CREATED, now=NOW)
        assert meter.calls == 2
