import json
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from comments.posting.services import add_comment
from comments.search.models import WordItem
from comments.search.words import MOST_STEMS
from comments.store import writing
from comments.store.writing import QUEUE as COMMENTS_QUEUE
from comments.testing.work import later
from comments.topics.making import EVERY, consider
from comments.topics.samples import Vocabularies
from comments.topics.stored import read_topics
from dynapages.calls import clock, metered
from dynapages.process import client
from dynapages.tables import create_missing
from dynapages.work import worker
from lab.management.commands import estimate as estimating
from lab.stored_figures import store_figures
from shop.orders.items import NewOrder
from shop.webhooks import sending
from shop.webhooks.events import ORDER_MOVED
from shop.work import QUEUE
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.said import put, talk
from tests.support.comments.topical import with_topics
from tests.support.comments.truth import numbered_comments, written
from tests.support.comments.writers import made_product, someone
from tests.support.lab.labs import made_design, made_figures
from tests.support.orders.asking import DAYS, SITE, THAT_DAY, asked, customer, deliver, shipped
from tests.support.receivers import Receiver, ThisMachine, make_certificate, receiving, status
from tests.support.webhooks import hearing_of
from tests.support.work import finish_what_waits

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]


@pytest.fixture
def product_id():
    made = made_product()
    load(numbered_comments(made, count=30))
    return made


@pytest.fixture
def lamp():
    """A product of which topics are made; every sixth of its texts is longer than lists show."""
    made = made_product()
    put([*talk(made, 50), *talk(made, 10, body="Battery died. " * 100)])
    return made


READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan"})


def units_of(done: Callable[[], object]) -> estimating.ReadsAndWrites:
    """The units that Amazon takes for what is done."""
    with metered() as meter:
        done()
    reads = sum(call.amazon_units for call in meter.log if call.operation in READS)
    writes = sum(call.amazon_units for call in meter.log if call.operation not in READS)
    return estimating.ReadsAndWrites(reads, writes)


def units_of_delivery(order: NewOrder) -> estimating.ReadsAndWrites:
    return units_of(lambda: deliver(order))


def estimated(*words: str) -> str:
    out = StringIO()
    call_command("estimate", *words, stdout=out)
    return out.getvalue()


class TestAnEstimate:
    def test_multiplies_metered_units_by_the_prices(self, product_id):
        store_figures(made_figures(made_design("planner")))
        options = ("--product", product_id, "--pages-a-day", "1000000", "--comments-a-day", "1000")
        pages, comments, _looks = json.loads(estimated(*options, "--json"))
        assert 2 <= pages["units"] <= 4
        assert pages["dollars"] == pytest.approx(pages["units"] * 30 * 0.125, rel=0.01)
        assert comments["units"] == 66
        assert comments["dollars"] == pytest.approx(66 * 1000 * 30 * 0.625 / 1_000_000)

    def test_takes_the_figures_of_the_design_in_use(self, product_id, settings, monkeypatch):
        monkeypatch.setattr(estimating, "find_stored", lambda: None)
        by_indexes = estimating.units_of_comment()
        settings.COMMENTS = {**settings.COMMENTS, "READ_MODEL": "sets"}
        assert estimating.units_of_comment() > 5 * by_indexes

    def test_has_the_words_of_comments_where_they_are_searched(self, product_id):
        store_figures(made_figures(made_design("planner")))
        assert "their words" not in estimated("--product", product_id)
        with comments_set(SEARCH=True):
            _, _, words, _ = json.loads(estimated("--product", product_id, "--json"))
        assert words["what"] == "their words"
        assert 4 <= words["units"] <= 3 + MOST_STEMS

    def test_has_for_words_what_amazon_takes_more_for_a_comment_with_them(
        self, fresh, monkeypatch, settings
    ):
        monkeypatch.setattr(writing, "SETTLED_AFTER", timedelta())
        create_missing([WordItem], client=client())
        product = made_product()

        def units_written(*, is_searched: bool) -> float:
            comment = written(product, id=fresh("comment"), title="A lamp", body="Bright, warm.")
            with comments_set(SEARCH=is_searched), metered() as meter:
                add_comment(comment)
                finish_what_waits()
            return sum(c.amazon_units for c in meter.log if "Write" in c.operation)

        units_written(is_searched=False)  # the first one also begins the product's counts
        more = units_written(is_searched=True) - units_written(is_searched=False)
        for is_engine in (True, False):
            settings.DYNAMODB_IS_AN_ENGINE = is_engine
            assert estimating.units_of_words(product) == more > 0

    def test_is_of_amazon_whichever_database_answers(self, product_id):
        store_figures(made_figures(made_design("planner")))
        assert "Units are those that Amazon DynamoDB takes." in estimated("--product", product_id)

    def test_has_the_looks_of_processes_that_find_nothing_to_do(self, product_id):
        store_figures(made_figures(made_design("planner")))
        options = ("--product", product_id, "--processes", "3")
        looks = json.loads(estimated(*options, "--json"))[-1]
        assert looks["what"] == "looks for work"
        assert (looks["a_day"], looks["units"]) == (3 * 24 * 60, 4.0)

    def test_says_what_an_idle_process_takes_a_day(self, product_id):
        store_figures(made_figures(made_design("planner")))
        report = estimated("--product", product_id, "--processes", "3")
        assert "no work to do takes 4 units for each look, 5,760 a day." in report

    def test_has_requests_for_reviews_and_events_of_webhooks_where_there_are_any(self, product_id):
        store_figures(made_figures(made_design("planner")))
        options = ("--review-requests-a-day", "100", "--webhook-events-a-day", "1000")
        *_, requests, events, _looks = json.loads(
            estimated("--product", product_id, *options, "--json")
        )
        assert (requests["what"], requests["a_day"]) == ("requests for reviews", 100)
        assert (events["what"], events["a_day"]) == ("events to a webhook", 1000)
        of_request, of_event = estimating.UNITS_OF_REQUEST, estimating.UNITS_OF_EVENT
        millions = 100 * 30 / 1_000_000
        assert requests["dollars"] == pytest.approx(
            millions * (of_request.reads * 0.125 + of_request.writes * 0.625)
        )
        assert events["units"] == of_event.reads + of_event.writes

    def test_has_the_making_of_topics_where_there_is_any(self, lamp):
        store_figures(made_figures(made_design("planner")))
        options = ("--product", lamp, "--topic-makings-a-month", "3")
        *_, topics, samples, _looks = json.loads(estimated(*options, "--json"))
        assert (topics["what"], topics["a_day"]) == ("topics of the product", 0.1)
        assert topics["dollars"] < samples["dollars"]
        # No more samples than makings.
        assert samples["a_day"] == 0.1

    def test_has_a_sample_of_each_language_once_a_week_at_the_most(self, lamp):
        store_figures(made_figures(made_design("planner")))
        put(talk(lamp, 30, body="Akku", language="de"))
        options = ("--product", lamp, "--topic-makings-a-month", "900")
        *_, samples, _looks = json.loads(estimated(*options, "--json"))
        assert samples["a_day"] == pytest.approx(2 / 7, abs=0.01)

    def test_says_that_no_topics_are_made_of_few_comments(self):
        store_figures(made_figures(made_design("planner")))
        few = made_product()
        put(talk(few, 29))
        with pytest.raises(CommandError, match="fewer than 30 comments in each language"):
            estimated("--product", few, "--topic-makings-a-month", "1")

    def test_is_of_the_most_loved_product_without_one(self, product_id):
        someone("fan").has_written(product_id, rating=5)
        assert "product pages" in estimated()

    def test_says_what_is_missing(self, product_id, monkeypatch):
        with pytest.raises(CommandError, match="no product “nothing”"):
            estimated("--product", "nothing")
        monkeypatch.setattr(estimating, "find_stored", lambda: None)
        monkeypatch.setattr(estimating, "find_published", lambda: None)
        with pytest.raises(CommandError, match=r"run 'manage.py compare' first"):
            estimated("--product", product_id)


@pytest.fixture
def receiver(tmp_path, monkeypatch) -> Iterator[Receiver]:
    """A receiver on this machine that takes whatever it is sent."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    certificate = make_certificate(tmp_path)
    monkeypatch.setattr(sending, "INTERNET", ThisMachine(certificate[0]))
    with receiving(*certificate, status(204)) as receiver:
        yield receiver


class TestWhatIsMeasured:
    def test_is_what_a_request_for_reviews_takes(self, settings):
        """From the delivery to the e-mail, without the look that finds it due."""
        settings.SITE_URL, settings.REVIEW_REQUEST_DAYS = SITE, 0
        without = units_of_delivery(shipped(customer()))
        settings.REVIEW_REQUEST_DAYS = DAYS
        asking = customer()
        owing = units_of_delivery(shipped(asking))
        finish_what_waits()
        with later(THAT_DAY):
            done = units_of(lambda: worker().look([QUEUE]))
            look = units_of(lambda: worker().look([QUEUE]))
        assert len(asked(asking)) == 1
        assert (
            estimating.ReadsAndWrites(
                reads=owing.reads - without.reads + done.reads - look.reads,
                writes=owing.writes - without.writes + done.writes,
            )
            == estimating.UNITS_OF_REQUEST
        )

    def test_is_what_an_event_takes_that_one_webhook_hears_of(self, receiver):
        """Without the webhooks, which a process reads for all changes of some seconds."""
        without = units_of_delivery(shipped(customer()))
        finish_what_waits()
        with hearing_of(receiver.url, ORDER_MOVED):
            owing = units_of_delivery(shipped(customer()))
            done = units_of(finish_what_waits)
        assert len(receiver.requests) == 1
        assert (
            estimating.ReadsAndWrites(
                reads=done.reads, writes=owing.writes - without.writes + done.writes
            )
            == estimating.UNITS_OF_EVENT
        )

    def test_is_what_a_making_of_topics_takes(self, lamp):
        """From the look whether they are due, without the look that finds them owed."""
        store_figures(made_figures(made_design("planner")))
        for owed in COMMENTS_QUEUE.waiting():
            COMMENTS_QUEUE.done(owed)
        # No sample is taken for it.
        Vocabularies(list, clock.now(), longest_used=timedelta()).of("en")
        options = ("--product", lamp, "--topic-makings-a-month", "1", "--json")
        *_, topics, _samples, _looks = json.loads(estimated(*options))
        with with_topics():
            considering = units_of(lambda: consider(lamp))
            with later(EVERY):
                done = units_of(lambda: worker().look([COMMENTS_QUEUE]))
                look = units_of(lambda: worker().look([COMMENTS_QUEUE]))
        assert read_topics(lamp).languages["en"].comments == 60
        reads = considering.reads + done.reads - look.reads
        writes = considering.writes + done.writes
        assert topics["units"] == reads + writes
        assert writes == estimating.UNITS_OF_MAKING.writes
