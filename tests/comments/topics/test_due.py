"""When topics are due, and what the worker owes and does about it."""

import logging
from unittest.mock import patch

import pytest

from comments.data.writer import BulkWriter
from comments.posting.services import add_comment
from comments.store.counts import ProductCounts
from comments.store.writing import QUEUE
from comments.topics import making
from comments.topics.making import consider, languages_due, owe_making, read_standing
from comments.topics.records import LanguageTopics, TopicsOfProduct
from comments.topics.stored import read_topics
from dynapages.calls import Batches, Pool, metered
from dynapages.django.options import Progress
from dynapages.process import client
from dynapages.writes import Contended, write_item
from tests.support.chance import unique
from tests.support.comments.options import comments_set
from tests.support.comments.said import choose_all, forms, put, talk
from tests.support.comments.searched import searching
from tests.support.comments.truth import START
from tests.support.work import finish_what_waits, work_off

pytestmark = pytest.mark.usefixtures("tables")


def stored(language: str = "en", *, comments: int, stars: int) -> TopicsOfProduct:
    return TopicsOfProduct({language: LanguageTopics(START, comments, stars)}, version=1)


NONE = TopicsOfProduct()
FEW = stored(comments=100, stars=400)


@pytest.mark.parametrize(
    ("topics", "numbers", "due"),
    [
        # None are stored yet: by number alone.
        (NONE, {("en", 4): 29}, set()),
        (NONE, {("en", 4): 30}, {"en"}),
        (NONE, {("en", 1): 10, ("en", 5): 20}, {"en"}),
        (NONE, {("en", 4): 20, ("de", 4): 20}, set()),
        (NONE, {("en", 4): 30, ("de", 4): 40, ("fr", 4): 3}, {"de", "en"}),
        # A fifth more comments, or fewer.
        (FEW, {("en", 4): 100}, set()),
        (FEW, {("en", 4): 119}, set()),
        (FEW, {("en", 4): 120}, {"en"}),
        (FEW, {("en", 4): 81}, set()),
        (FEW, {("en", 4): 80}, {"en"}),
        (stored(comments=30, stars=120), {("en", 4): 35}, set()),
        (stored(comments=30, stars=120), {("en", 4): 36}, {"en"}),
        # An average that is higher or lower by a twentieth: 4.0 becomes 4.2, or 3.8.
        (FEW, {("en", 4): 81, ("en", 5): 19}, set()),
        (FEW, {("en", 4): 80, ("en", 5): 20}, {"en"}),
        (FEW, {("en", 4): 81, ("en", 3): 19}, set()),
        (FEW, {("en", 4): 80, ("en", 3): 20}, {"en"}),
        # Too few are left, or none.
        (FEW, {("en", 4): 29}, {"en"}),
        (FEW, {}, {"en"}),
        (stored(comments=30, stars=120), {("en", 4): 29}, {"en"}),
        # Each language by its own.
        (FEW, {("en", 4): 100, ("de", 4): 30}, {"de"}),
    ],
)
def test_topics_are_due_by_the_numbers_of_comments_and_stars(topics, numbers, due):
    assert languages_due(topics, ProductCounts(numbers)) == due


@pytest.fixture
def lamp():
    return unique("lamp")


@pytest.fixture
def forgotten():
    """Nothing is owed at the beginning."""
    for owed in QUEUE.waiting():
        QUEUE.done(owed)


def owed_makings(product_id: str) -> list[object]:
    return [
        owed.payload
        for owed in QUEUE.waiting()
        if owed.kind == making.KIND and owed.payload["product"] == product_id
    ]


class TestToConsider:
    def test_owes_a_making_where_topics_are_due_once(self, lamp):
        put(talk(lamp))
        consider(lamp)
        consider(lamp)
        assert owed_makings(lamp) == [{"product": lamp}]

    def test_owes_nothing_where_none_are_due(self, lamp):
        put(talk(lamp, 29))
        consider(lamp)
        assert owed_makings(lamp) == []

    def test_owes_nothing_for_more_comments_than_the_worker_counts(self, lamp, monkeypatch, caplog):
        monkeypatch.setattr(making, "MOST_IN_WORKER", 30)
        put([*talk(lamp, 31), *talk(lamp, 29, language="de")])
        with caplog.at_level(logging.INFO, "comments.topics.making"):
            consider(lamp)
        assert owed_makings(lamp) == []
        assert caplog.messages == [
            f"Topics of product {lamp} in en, of 31 comments, are left to make_topics."
        ]

    @pytest.mark.real_engine
    def test_costs_two_units_and_one_more_where_something_is_due(self, lamp):
        put(talk(lamp, 29))
        for number, units in ((29, 2), (30, 3)):
            with metered() as meter:
                consider(lamp)
            assert (number, meter.units) == (number, units)
            put(talk(lamp, 1))

    def test_reads_counts_and_topics_together(self, lamp):
        put(talk(lamp))
        with metered() as meter:
            standing = read_standing(lamp)
        assert meter.calls == 1
        assert standing.due == standing.languages == {"en"}


@pytest.fixture(scope="module")
def site(tables, engine_name):
    """A site with topics, in tables of its own."""
    with searching(engine_name), comments_set(SEARCH=True, TOPICS=True):
        yield
        finish_what_waits()


@pytest.fixture
def choosing(site, monkeypatch):
    monkeypatch.setattr(making, "choose_topics", choose_all)


@pytest.mark.usefixtures("choosing", "forgotten")
class TestTheWorker:
    def test_makes_topics_after_the_last_of_enough_comments_was_posted(self, lamp):
        *first, last = talk(lamp, 30, body="Battery died.")
        put(first)
        work_off()
        assert read_topics(lamp).languages == {}
        add_comment(last)
        work_off()
        topics = read_topics(lamp)
        assert topics.version == 1
        assert forms(topics.languages["en"].topics) == ["battery", "died"]
        assert topics.languages["en"].comments == 30

    def test_makes_topics_after_an_import(self, lamp):
        writer = BulkWriter(Batches(client(), Pool(1)))
        writer.write(talk(lamp))
        writer.finish(Progress(shown=False))
        assert owed_makings(lamp) == [{"product": lamp}]
        work_off()
        assert forms(read_topics(lamp).languages["en"].topics) == ["battery", "died"]

    def test_has_topics_left_behind_by_an_import_that_could_not_look(self, lamp, caplog):
        writer = BulkWriter(Batches(client(), Pool(1)))
        writer.write(talk(lamp))
        with patch("comments.data.writer.consider", side_effect=Contended):
            assert writer.finish(Progress(shown=False)) == 0
        assert f"Topics of product {lamp} are left to make_topics" in caplog.text
        assert owed_makings(lamp) == []

    def test_makes_all_anew_what_was_owed_anew(self, lamp):
        put(talk(lamp))
        consider(lamp)
        work_off()
        owe_making(lamp)
        work_off()
        assert read_topics(lamp).version == 2

    def test_makes_nothing_that_is_not_due_any_more(self, lamp):
        put(talk(lamp))
        consider(lamp)
        work_off()
        owed = QUEUE.owe(making.KIND, {"product": lamp})
        write_item(client(), owed.action)
        work_off()
        assert read_topics(lamp).version == 1

    def test_leaves_more_comments_than_it_counts_to_the_command(self, lamp, monkeypatch):
        put(talk(lamp))
        owe_making(lamp)
        monkeypatch.setattr(making, "MOST_IN_WORKER", 29)
        work_off()
        assert read_topics(lamp).version == 0
        assert owed_makings(lamp) == []

    def test_makes_none_where_topics_were_switched_off(self, lamp):
        put(talk(lamp))
        owe_making(lamp)
        with comments_set(TOPICS=False):
            work_off()
        assert read_topics(lamp).version == 0
        assert owed_makings(lamp) == []

    def test_reads_nothing_of_topics_where_there_are_none(self, lamp):
        with comments_set(TOPICS=False), metered() as meter:
            add_comment(talk(lamp, 1)[0])
            work_off()
        assert meter.labelled("ratings")
        assert meter.labelled("topics") == []
