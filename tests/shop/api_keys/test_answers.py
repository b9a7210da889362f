"""A request that is sent again with its idempotency key is answered as before."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from django.http import HttpResponse

from dynapages.calls import metered
from shop import keys
from shop.api_keys import answers
from shop.api_keys.answers import LARGEST_BODY, OTHER_WORK_SECONDS, KeyInUse, begin, finish, forget
from shop.models import ApiAnswer

pytestmark = pytest.mark.usefixtures("tables")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=UTC)
DAY = timedelta(days=1)
SECOND = timedelta(seconds=1)
CREATED = HttpResponse(b'{"id": "\xc3\xa9"}', "application/json", 201)


@pytest.fixture
def name(fresh):
    """A name whose request has begun."""
    name = fresh("key")
    assert begin(name, "digest", now=NOW) is None
    return name


def shown(answer: HttpResponse | None) -> tuple[int, str, bytes]:
    assert answer is not None
    return answer.status_code, answer["Content-Type"], answer.content


def longest() -> timedelta:
    return timedelta(seconds=settings.WRITE_SECONDS + OTHER_WORK_SECONDS)


class TestARequestThatIsSentAgain:
    def test_is_answered_as_before(self, name):
        finish(name, CREATED, now=NOW)
        assert shown(begin(name, "digest", now=NOW + SECOND)) == shown(CREATED)

    def test_is_carried_out_again_a_day_later_though_its_answer_is_there(self, name):
        finish(name, CREATED, now=NOW)
        assert shown(begin(name, "digest", now=NOW + DAY - SECOND)) == shown(CREATED)
        assert begin(name, "other", now=NOW + DAY) is None
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "other", now=NOW + DAY)

    def test_is_carried_out_again_when_it_was_forgotten(self, name):
        forget(name)
        assert begin(name, "other", now=NOW) is None

    def test_is_refused_with_another_content(self, name):
        with pytest.raises(KeyInUse, match="another request"):
            begin(name, "other", now=NOW)
        finish(name, CREATED, now=NOW)
        with pytest.raises(KeyInUse, match="another request"):
            begin(name, "other", now=NOW + 2 * longest())

    def test_is_answered_with_a_body_up_to_300_kb(self, name):
        finish(name, HttpResponse(b"x" * LARGEST_BODY, "text/plain", 201), now=NOW)
        assert begin(name, "digest", now=NOW).content == b"x" * LARGEST_BODY

    def test_is_answered_without_a_body_that_is_too_large_to_store(self, name):
        finish(name, HttpResponse(b"x" * (LARGEST_BODY + 1), "text/plain", 201), now=NOW)
        assert shown(begin(name, "digest", now=NOW)) == (201, "text/plain", b"")


class TestARequestThatIsBeingCarriedOut:
    def test_says_when_to_come_back(self, name):
        with pytest.raises(KeyInUse, match="still running") as raised:
            begin(name, "digest", now=NOW + SECOND)
        assert raised.value.retry_after == longest().total_seconds() - 1
        with pytest.raises(KeyInUse, match="still running") as raised:
            begin(name, "digest", now=NOW + longest() - SECOND / 10)
        assert raised.value.retry_after == 1

    def test_is_taken_over_once_when_its_process_must_have_died(self, name):
        later = NOW + longest()
        assert begin(name, "digest", now=later) is None
        with pytest.raises(KeyInUse, match="still running"):
            begin(name, "digest", now=later)

    def test_is_not_taken_over_by_another_request(self, name):
        with pytest.raises(KeyInUse, match="another request"):
            begin(name, "other", now=NOW + longest())

    def test_keeps_its_first_answer(self, name):
        finish(name, CREATED, now=NOW)
        finish(name, HttpResponse(b"", "text/plain", 503), now=NOW)
        forget(name)
        assert shown(begin(name, "digest", now=NOW)) == shown(CREATED)

    def test_has_begun_though_the_answer_to_its_write_was_lost(self, fresh, monkeypatch):
        name = fresh("key")
        write_item = answers.write_item

        def twice(*arguments):
            write_item(*arguments)
            write_item(*arguments)

        monkeypatch.setattr(answers, "write_item", twice)
        assert begin(name, "digest", now=NOW) is None


class TestAStoredAnswer:
    def test_has_no_name_in_its_key_and_expires(self, name):
        finish(name, CREATED, now=NOW + SECOND)
        item = ApiAnswer.find(*keys.answer(name).values())
        assert name not in str(item.serialize())
        assert item.expires_at == NOW + SECOND + DAY

    def test_is_not_stored_for_a_request_that_never_began(self, fresh):
        name = fresh("key")
        finish(name, CREATED, now=NOW)
        assert begin(name, "digest", now=NOW) is None

    @pytest.mark.real_engine
    def test_costs_two_writes(self, fresh):
        name = fresh("key")
        with metered() as meter:
            begin(name, "digest", now=NOW)
            finish(name, CREATED, now=NOW)
        assert meter.calls == 2
