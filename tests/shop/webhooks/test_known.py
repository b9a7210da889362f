"""The webhooks that a process knows are at most thirty seconds old, and cost no change a round."""

import pytest
from django.test import RequestFactory

from config.web.middleware import KnownWebhooksMiddleware
from dynapages.calls import metered
from dynapages.pynamodb import FAILURES
from shop.webhooks import known
from shop.webhooks.events import ORDER_PLACED
from shop.webhooks.known import (
    MOST_SECONDS,
    READ_AGAIN_SECONDS,
    Remembered,
    known_webhooks,
    list_webhooks,
    read_meanwhile,
)
from tests.support.comments.faulty import unreachable
from tests.support.webhooks import hearing_of

pytestmark = pytest.mark.usefixtures("tables")
URL = "https://example.com/events"


@pytest.fixture
def time(monkeypatch):
    """A clock that goes on when it is told to."""
    now = [1_000.0]
    monkeypatch.setattr("shop.webhooks.known.time.monotonic", lambda: now[0])

    def pass_by(seconds: float) -> None:
        now[0] += seconds

    return pass_by


@pytest.fixture
def webhook(time):
    with hearing_of(URL, ORDER_PLACED) as made:
        yield made.webhook


def reads(call) -> int:
    with metered() as meter:
        call()
    return meter.calls


class TestWhatAProcessKnows:
    def test_is_read_once_in_half_a_minute(self, webhook, time):
        assert list(known_webhooks()) == [webhook]
        time(MOST_SECONDS - 1)
        assert reads(known_webhooks) == 0
        time(1)
        assert reads(known_webhooks) == 1

    def test_is_at_most_half_a_minute_old_however_long_the_reading_took(
        self, webhook, time, monkeypatch
    ):
        def slowly() -> list[known.Webhook]:
            webhooks = list_webhooks()
            time(MOST_SECONDS - 1)
            return webhooks

        monkeypatch.setattr(known, "list_webhooks", slowly)
        known_webhooks()
        time(1)
        assert reads(known_webhooks) == 1

    def test_has_what_this_process_has_made_at_once(self, webhook):
        known_webhooks()
        with hearing_of(URL, ORDER_PLACED) as made:
            assert made.webhook in known_webhooks()

    def test_is_used_while_it_cannot_be_read_and_no_longer_than_that(self, webhook, time):
        known_webhooks()
        with unreachable():
            time(MOST_SECONDS - 1)
            with read_meanwhile():
                assert list(known_webhooks()) == [webhook]
            time(1)
            with pytest.raises(FAILURES), read_meanwhile():
                known_webhooks()
            with pytest.raises(FAILURES):
                known_webhooks()


class TestARequestThatMayWrite:
    @pytest.fixture
    def ask(self):
        """Answers a request by a view, within the middleware."""

        def ask(view, method: str = "post") -> None:
            request = getattr(RequestFactory(), method)("/")
            KnownWebhooksMiddleware(view)(request)

        return ask

    def test_has_them_read_before_they_are_too_old(self, webhook, time, ask):
        known_webhooks()
        time(READ_AGAIN_SECONDS)
        ask(lambda _request: known._reading.get().result())
        time(MOST_SECONDS - 1)
        assert reads(known_webhooks) == 0

    def test_waits_for_that_alone_where_they_are_too_old(self, webhook, ask):
        found = []
        with metered() as meter:
            ask(lambda _request: found.extend(known_webhooks()))
        assert found == [webhook]
        assert meter.calls == 1

    def test_has_them_read_at_the_same_time_as_all_else(self, webhook, ask):
        def view(_request) -> None:
            list_webhooks()  # stands for what a form reads
            known_webhooks()

        with metered() as meter:
            ask(view)
        assert meter.calls == 2
        assert meter.rounds == 1

    def test_reads_nothing_while_they_are_new(self, webhook, time, ask):
        known_webhooks()
        time(READ_AGAIN_SECONDS - 1)
        assert reads(lambda: ask(lambda _request: known_webhooks())) == 0

    @pytest.mark.parametrize("method", ["get", "head", "options"])
    def test_is_none_that_only_reads(self, webhook, ask, method):
        assert reads(lambda: ask(lambda _request: None, method)) == 0

    def test_leaves_no_reading_behind(self, webhook, ask):
        ask(lambda _request: None)
        assert known._reading.get() is None


def test_what_is_remembered_for_ever_is_never_too_old():
    assert Remembered((), read_at=float("inf")).age < 0
