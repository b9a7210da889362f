"""The overview of staff: what waits, and the last days, as the stored data have them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from comments.reports.services import Reason, report_comment
from comments.requests.counts import ASKED, OPENED, REVIEWED, count_one
from config.staff.charts import HEIGHT, charts_of
from dynapages.calls import clock, metered
from dynapages.process import write_actions
from shop.accounts.emails import owed_email
from shop.activity.day_counts import DayCount
from shop.activity.entries import LogVerb
from shop.activity.recording import LOG
from shop.order_status import OPEN, Status
from shop.orders.counts import read_queue_lengths
from shop.orders.placing import place_order
from shop.work import QUEUE
from tests.support.activity.making import whole_log
from tests.support.chance import unique
from tests.support.clock import this_month
from tests.support.comments.options import comments_set
from tests.support.comments.writers import Writer, edit_url, made_product, someone
from tests.support.markup import Element
from tests.support.orders.addresses import ADDRESS
from tests.support.orders.making import made_order, put, put_product
from tests.support.orders.queueing import LONG_AGO

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]
DAYS = [datetime(2026, 11, 1, tzinfo=UTC).date() + timedelta(days=number) for number in range(30)]


@pytest.fixture
def sam():
    cache.clear()
    return someone("sam", is_staff=True)


def waiting(staff: Writer) -> dict[str, Element]:
    """What waits, by the name of the link to its list."""
    items = staff.get("/staff/").page.one("ul", class_="waiting").all("li")
    return {item.one("a").text: item for item in items}


def count_in(item: Element) -> int:
    return int(item.one("strong").text.replace(",", ""))


def requests_on(staff: Writer) -> list[int]:
    """How many requests were sent, opened and followed by a comment."""
    items = staff.get("/staff/").page.one("ul", class_="request-counts").all("li")
    return [count_in(item) for item in items]


def shown_day(staff: Writer, day: datetime) -> list[str]:
    row = staff.get("/staff/").page.one("tr", data_day=day.date().isoformat())
    return [cell.text for cell in row.all("td")]


class TestWhatWaits:
    def test_are_the_orders_of_each_open_status(self, sam, fresh):
        put(*(made_order(fresh("alex"), status) for status in OPEN))
        shown = waiting(sam)
        for status, length in read_queue_lengths().items():
            assert count_in(shown[f"Orders: {status.label}"]) == length

    def test_says_how_long_the_oldest_order_has_waited(self, sam, fresh):
        put(made_order(fresh("alex"), Status.APPROVED, placed_at=LONG_AGO))
        days = (clock.now() - LONG_AGO).days
        assert f"the oldest: {days:,} d" in waiting(sam)["Orders: Approved"].text

    def test_leads_to_the_list_that_has_as_many(self, sam, fresh):
        put(made_order(fresh("alex")))
        item = waiting(sam)["Orders: Placed"]
        heading = sam.get(item.one("a")["href"]).page.one("h1").text
        assert f"{count_in(item):,}" in heading

    def test_are_comments_that_are_reported(self, sam):
        before = waiting(sam)["Reported comments"].one("strong").text
        comment = someone("alex").has_written(made_product())
        report_comment(
            comment_id=comment.comment.id,
            user_id=unique("bob"),
            reason=Reason.ABUSE,
            text="Rude.",
            now=timezone.now(),
        )
        after = waiting(sam)["Reported comments"].one("strong").text
        assert before.endswith("+") or int(after) == int(before) + 1

    def test_is_what_the_worker_gave_up(self, sam):
        before = count_in(waiting(sam)["Work given up"])
        owed = owed_email("reset", sam.username, "https://shop.example.com")
        dead = owed.after_failure(clock.now(), "No.", counts=True).given_up()
        write_actions([dead.action])
        try:
            assert count_in(waiting(sam)["Work given up"]) == before + 1
        finally:
            QUEUE.discard(dead)


class TestRequestsForReviews:
    @pytest.fixture(autouse=True)
    def days(self, settings):
        settings.REVIEW_REQUEST_DAYS = 7

    def test_are_counted_by_what_came_of_them(self, sam):
        before = requests_on(sam)
        now = clock.now()
        write_actions([count_one(now, ASKED, OPENED, REVIEWED)])
        write_actions([count_one(now - timedelta(days=29), ASKED, OPENED)])
        write_actions([count_one(now - timedelta(days=1), ASKED)])
        write_actions([count_one(now - timedelta(days=30), ASKED, OPENED, REVIEWED)])
        after = requests_on(sam)
        assert [new - old for new, old in zip(after, before, strict=True)] == [3, 2, 1]

    def test_are_not_shown_or_read_where_the_shop_asks_for_none(self, sam, settings):
        settings.REVIEW_REQUEST_DAYS = 0
        with metered() as meter:
            page = sam.get("/staff/").page
        assert not page.all("ul", class_="request-counts")
        assert not meter.labelled("review requests")

    def test_are_read_by_one_call_more_in_the_same_round(self, sam, settings):
        sam.get("/staff/")
        with metered() as asking:
            sam.get("/staff/")
        settings.REVIEW_REQUEST_DAYS = 0
        with metered() as silent:
            sam.get("/staff/")
        assert asking.calls_of("review requests") == 1
        assert asking.calls == silent.calls + 1
        assert asking.rounds == silent.rounds


class TestTheLastDays:
    def test_are_counted_as_the_log_has_them_whatever_is_done(self, sam, own_log):
        month = this_month()
        own_log(month.plus(-1), month)
        do_all_that_shops_know(sam)
        log = whole_log()
        placed = [entry for entry in log if entry.action is LogVerb.PLACED]
        written = [entry for entry in log if entry.action is LogVerb.POSTED]
        assert (len(placed), len(written)) == (2, 3)
        assert len(log) > 5
        assert shown_day(sam, clock.now()) == ["2", "3", "3.7"]

    def test_count_a_comment_once_that_waits_and_passes_after_an_edit(self, sam, own_log):
        own_log(this_month())
        alex, product_id = someone("alex"), made_product()
        with comments_set(GATE="comments.gates.hold_all"):
            comment = alex.has_written(product_id, rating=2).comment
            words = {"rating": "2", "language": "en", "title": "Anew", "body": "Other words."}
            alex.send(edit_url(comment), {**words, "version": "1"})
        alex.send(edit_url(comment), {**words, "version": "2", "body": "Words again."})
        LOG.flush(seconds=5)
        assert shown_day(sam, clock.now()) == ["0", "1", "2.0"]

    def test_lead_to_what_the_log_has_of_a_day(self, sam):
        row = sam.get("/staff/").page.one("tr", data_day=clock.now().date().isoformat())
        today, tomorrow = clock.now().date(), clock.now().date() + timedelta(days=1)
        assert row.one("a")["href"] == f"/staff/activity/?from={today}&to={tomorrow}"

    def test_are_thirty_also_in_a_shop_that_has_no_log_yet(self, sam, own_log):
        page = sam.get("/staff/").page
        assert len(page.all("tr", data_day=True)) == 30
        assert not page.all("rect")
        assert "No orders were placed." in page.text


def do_all_that_shops_know(sam: Writer) -> None:
    """Place, cancel, post, edit, hide and delete, some of each."""
    alex, lamp = someone("alex"), put_product(unique("lamp"))
    for number in range(2):
        order_id = place_order(
            username=alex.username,
            client_id=unique("form"),
            basket={lamp: 1},
            now=clock.now(),
            address=ADDRESS,
        )
        if number:
            fields = {"from_status": "PLACED", "move": "CANCELED"}
            sam.post(f"/orders/{order_id}/move/", fields)
    comments = []
    for rating in (2, 4, 5):
        writer = someone("bo")
        comments.append((writer, writer.write(lamp, rating=str(rating))))
    writer, comment = comments[0]
    writer.post(f"/comments/delete/{comment.comment.id}/")
    assert LOG.flush(seconds=10)


class TestACharts:
    def test_height_is_that_of_the_day_with_most(self):
        counts = [DayCount(day, orders=number) for number, day in enumerate(DAYS)]
        orders, _comments, _ratings = charts_of(counts)
        assert len(orders.bars) == 29
        assert orders.bars[-1].height == HEIGHT
        assert orders.figure == f"{sum(range(30))}"
        assert orders.sentence == "Most on November 30: 29."

    def test_dots_are_of_days_with_comments(self):
        counts = [DayCount(day) for day in DAYS]
        counts[3] = DayCount(DAYS[3], comments=2, stars=10)
        counts[9] = DayCount(DAYS[9], comments=1, stars=1)
        _orders, comments, ratings = charts_of(counts)
        assert [dot.words for dot in ratings.dots] == ["November 4: 5.0", "November 10: 1.0"]
        assert ratings.dots[0].y < ratings.dots[1].y
        assert ratings.figure == "3.7"
        assert comments.figure == "3"

    def test_is_empty_where_nothing_was_done(self):
        orders, comments, ratings = charts_of([DayCount(day) for day in DAYS])
        assert [*orders.bars, *comments.bars, *ratings.dots] == []
        assert ratings.figure == "–"

    def test_in_german_is_drawn_by_the_same_numbers(self, sam, own_log):
        month = this_month()
        own_log(month)
        do_all_that_shops_know(sam)
        browser = sam.browser
        english = sam.get("/staff/").page
        browser.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
        german = sam.get("/staff/").page
        assert [bar["height"] for bar in english.all("rect")]
        for name in ("x", "y", "width", "height"):
            assert [bar[name] for bar in english.all("rect")] == [
                bar[name] for bar in german.all("rect")
            ]


class TestItsPrice:
    def test_is_at_most_eight_units_in_two_rounds(self, sam, own_log):
        month = this_month()
        own_log(month.plus(-1), month)
        sam.get("/staff/")
        cache.clear()
        with metered() as meter:
            sam.get("/staff/")
        assert meter.rounds <= 2
        assert meter.units <= 8


class TestTheNavigation:
    def test_takes_its_counts_from_the_page_and_reads_nothing_for_them(self, sam):
        sam.get("/staff/")
        cache.clear()
        with metered() as meter:
            sam.get("/staff/")
        assert not meter.labelled("navigation")

    def test_has_the_overview_first_and_leads_to_what_is_rare_in_a_menu(self, sam):
        page = sam.get("/staff/").page
        links = page.one("nav", aria_label="Site")
        assert links.all("a")[0].text == "Overview"
        assert links.all("a")[0]["aria-current"] == "page"
        folded = [link.text for link in links.one("details").all("a")]
        assert folded[:4] == ["Products", "Categories", "Activity", "API keys"]

    def test_of_customers_has_none_of_it(self):
        page = someone("alex").get("/orders/").page
        assert not page.one("nav", aria_label="Site").all("details")


def test_of_customers_is_no_page():
    assert someone("alex").get("/staff/").response.status_code == 404
