"""How many requests were sent, opened and answered: each counted once, on the day it was sent."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from comments import keys
from comments.models import TABLE
from comments.requests.counts import RequestCounts, read_request_counts
from comments.requests.services import INTERVAL, note_opened, note_reviewed, request_review
from dynapages.calls import metered
from dynapages.process import client
from tests.support.chance import unique
from tests.support.comments.faulty import EVENTS, Killed, faults
from tests.support.comments.requested import SITE, purchase_of

pytestmark = [pytest.mark.newest, pytest.mark.usefixtures("tables")]
END_OF_MONTH = datetime(2031, 1, 31, 23, 50, tzinfo=UTC)


@pytest.fixture(autouse=True)
def no_counts():
    """Months of these tests' own, in which nothing is counted yet."""
    for month in range(1, 5):
        client().delete_item(TableName=TABLE, Key=keys.requests_of_month(f"2031-{month:02}"))


def sent(now: datetime) -> tuple[str, str]:
    """Ask a customer at a moment; who they are, and about what they were asked."""
    purchase = purchase_of(unique("ann"))
    request_review(purchase, site=SITE, now=now)
    return purchase.user_id, purchase.id


class TestTheCounts:
    def test_are_of_what_was_sent_opened_and_answered(self):
        requests = [sent(END_OF_MONTH) for _ in range(3)]
        note_opened(*requests[0], now=END_OF_MONTH)
        note_reviewed(*requests[1], now=END_OF_MONTH)
        assert read_request_counts(END_OF_MONTH) == RequestCounts(asked=3, opened=2, reviewed=1)

    def test_count_nothing_twice(self):
        request = sent(END_OF_MONTH)
        for _ in range(2):
            note_opened(*request, now=END_OF_MONTH)
            note_reviewed(*request, now=END_OF_MONTH)
        assert read_request_counts(END_OF_MONTH) == RequestCounts(1, 1, 1)

    def test_count_once_what_happens_twice_at_once(self):
        request = sent(END_OF_MONTH)
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: note_reviewed(*request, now=END_OF_MONTH), range(4)))
        assert read_request_counts(END_OF_MONTH) == RequestCounts(1, 1, 1)

    def test_are_of_the_day_on_which_was_asked_across_the_end_of_a_month(self):
        request = sent(END_OF_MONTH)
        a_day_later = END_OF_MONTH + timedelta(days=1)
        sent(a_day_later)
        note_opened(*request, now=a_day_later)
        assert read_request_counts(END_OF_MONTH).opened == 1
        assert read_request_counts(a_day_later) == RequestCounts(2, 1, 0)

    def test_are_of_thirty_days(self):
        sent(END_OF_MONTH)
        assert read_request_counts(END_OF_MONTH + timedelta(days=29)).asked == 1
        assert read_request_counts(END_OF_MONTH + timedelta(days=30)).asked == 0

    def test_are_of_three_months_on_the_first_of_march(self):
        sent(END_OF_MONTH)
        assert read_request_counts(datetime(2031, 3, 1, tzinfo=UTC)).asked == 1

    @pytest.mark.real_engine
    def test_are_read_by_one_call(self):
        sent(END_OF_MONTH)
        sent(END_OF_MONTH + timedelta(days=1))
        with metered() as meter:
            read_request_counts(END_OF_MONTH + timedelta(days=2))
        assert (meter.calls, meter.units) == (1, 1.0)

    def test_are_nothing_where_nobody_was_asked(self):
        assert read_request_counts(END_OF_MONTH) == RequestCounts(0, 0, 0)

    def test_do_not_have_what_nobody_was_asked(self):
        note_reviewed(unique("ann"), "no-order", now=END_OF_MONTH)
        assert read_request_counts(END_OF_MONTH).reviewed == 0

    @pytest.mark.parametrize("when", EVENTS)
    def test_are_as_the_requests_say_wherever_the_process_ends(self, when):
        rounds = 0
        for fault in faults(when, every_call=True, kills=True):
            before = read_request_counts(END_OF_MONTH)
            request = sent(END_OF_MONTH)
            with fault.injected(), suppress(Killed):
                note_reviewed(*request, now=END_OF_MONTH)
            note_reviewed(*request, now=END_OF_MONTH)
            after = read_request_counts(END_OF_MONTH)
            assert after.reviewed == before.reviewed + 1, fault
            assert after.opened == before.opened + 1, fault
            rounds += 1
        assert rounds > 1


def test_a_customer_is_counted_for_each_request():
    ann = unique("ann")
    for number in range(2):
        now = END_OF_MONTH + number * (INTERVAL + timedelta(minutes=1))
        request_review(purchase_of(ann), site=SITE, now=now)
    assert read_request_counts(END_OF_MONTH + 2 * INTERVAL).asked == 2
