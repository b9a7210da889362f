"""Topics whose words only hidden, deleted or erased comments have go."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from comments.data import writer
from comments.data.writer import BulkWriter
from comments.erasure.user_data import delete_written
from comments.moderation.services import Decision, decide
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.store.comments import load_comment
from comments.store.writing import QUEUE
from comments.topics import making
from comments.topics.leaving import MOST_PAGES, POSTINGS_AT_A_TIME, drop_unused
from comments.topics.records import LanguageTopics, Topic, TopicsOfProduct
from comments.topics.stored import read_topics, replace_topics
from dynapages.calls import Batches, Pool, metered
from dynapages.django.options import Progress
from dynapages.process import client
from tests.support.chance import unique
from tests.support.comments.options import comments_set
from tests.support.comments.said import choose_all, forms, talk
from tests.support.comments.searched import searching
from tests.support.comments.truth import START
from tests.support.work import finish_what_waits, work_off


@pytest.fixture(scope="module")
def site(tables, engine_name):
    """A site with topics, in tables of its own."""
    with searching(engine_name), comments_set(SEARCH=True, TOPICS=True):
        yield
        finish_what_waits()


@pytest.fixture(autouse=True)
def choosing(site, monkeypatch):
    monkeypatch.setattr(making, "choose_topics", choose_all)
    for owed in QUEUE.waiting():
        QUEUE.done(owed)


@pytest.fixture
def lamp():
    return unique("lamp")


def post(comments):
    for comment in comments:
        add_comment(comment)
    finish_what_waits()
    return comments


def put_topic(product_id, form="zipper", stem="zipper", comments=1):
    """Store a topic that was made some time ago."""
    language = LanguageTopics(START, 30, 120, (Topic(stem, form, comments, comments),))
    replace_topics(product_id, read_topics(product_id), {"en": language})


def topics_of(product_id):
    languages = read_topics(product_id).languages
    return forms(languages["en"].topics) if "en" in languages else []


def owed_anew(product_id):
    return [
        owed
        for owed in QUEUE.waiting()
        if owed.kind == making.KIND and owed.payload == {"product": product_id, "anew": True}
    ]


def hide(comment):
    decide(Decision.HIDE, comment_id=comment.id, seen=None, who="", now=START)


def delete(comment):
    delete_comment(comment.id)


@pytest.fixture
def without_makings(monkeypatch):
    """Topics of few comments are not taken out by a making."""
    monkeypatch.setattr(making, "consider", Mock())
    monkeypatch.setattr(writer, "consider", Mock())


@pytest.mark.usefixtures("without_makings")
@pytest.mark.parametrize("leave", [hide, delete])
def test_a_topic_goes_with_the_last_comment_that_has_its_word(lamp, leave):
    (comment,) = post(talk(lamp, 1, body="The zipper broke."))
    put_topic(lamp)
    leave(comment)
    finish_what_waits()
    work_off()
    assert topics_of(lamp) == []


@pytest.mark.usefixtures("without_makings")
@pytest.mark.parametrize("leave", [hide, delete])
def test_it_stays_while_another_listed_comment_has_the_word(lamp, leave):
    comment, _other = post(talk(lamp, 2, body="ZIPPER broke."))
    put_topic(lamp)
    leave(comment)
    finish_what_waits()
    work_off()
    assert topics_of(lamp) == ["zipper"]


@pytest.mark.usefixtures("without_makings")
def test_an_edit_and_a_new_comment_have_nothing_looked_for(lamp):
    comment, _other = post(talk(lamp, 2, body="The zipper broke."))
    put_topic(lamp)
    with metered() as meter:
        edit_comment(load_comment(comment.id), body="The zipper is fine.", rating=5, now=START)
        finish_what_waits()
        work_off()
    assert meter.labelled("ratings")
    assert meter.labelled("topics") == []


def test_where_others_write_the_word_otherwise_topics_are_made_anew(lamp):
    post(talk(lamp, 30, body="Two zippers broke."))
    put_topic(lamp)
    drop_unused(lamp)
    assert topics_of(lamp) == ["zipper"]
    assert len(owed_anew(lamp)) == 1
    work_off()
    assert topics_of(lamp) == ["broke", "two", "zippers"]


def test_a_word_further_on_in_a_long_text_is_not_taken_for_gone(lamp):
    post(talk(lamp, 1, body=f"{'Fine words. ' * 150}The zipper broke."))
    put_topic(lamp)
    drop_unused(lamp)
    assert topics_of(lamp) == ["zipper"]
    assert owed_anew(lamp)


def test_other_topics_stay_as_they_are(lamp):
    post(talk(lamp, 1, body="The strap broke."))
    topics = (Topic("zipper", "zipper", 9, 1), Topic("strap", "strap", 8, 2))
    languages = {"en": LanguageTopics(START, 30, 120, topics)}
    replace_topics(lamp, TopicsOfProduct(), languages)
    drop_unused(lamp)
    left = read_topics(lamp)
    assert left.languages["en"] == LanguageTopics(START, 30, 120, topics[1:])
    assert left.version == 2


def test_a_product_without_topics_costs_a_read(lamp):
    with metered() as meter:
        drop_unused(lamp)
    assert meter.calls == 1


@pytest.mark.real_engine
def test_a_look_costs_a_page_of_postings_and_at_most_three(lamp):
    post(talk(lamp, 1, body="The zipper broke."))
    put_topic(lamp)
    with metered() as meter:
        drop_unused(lamp)
    assert (meter.calls, meter.units) == (2, 1.5)
    other = unique("lamp")
    post(talk(other, POSTINGS_AT_A_TIME * MOST_PAGES + 5, body="Two zippers broke."))
    put_topic(other)
    with metered() as meter:
        drop_unused(other)
    # The topics, so many pages, and what is owed.
    assert meter.calls == 1 + MOST_PAGES + 1


def test_after_an_erasure_topics_have_no_word_of_the_user(lamp):
    (mine,) = post(talk(lamp, 1, body="Zorblax " * 5, user_id="zoe", author="Zoe"))
    post(talk(lamp, 30, body="Battery died."))
    put_topic(lamp, "zorblax", "zorblax")
    delete_written("zoe", mine.id)
    finish_what_waits()
    assert owed_anew(lamp)
    work_off()
    assert topics_of(lamp) == ["battery", "died"]


def bring(comments):
    """Import comments, and finish what is owed, but for what comes minutes later."""
    bulk = BulkWriter(Batches(client(), Pool(1)))
    bulk.write(comments)
    bulk.finish(Progress(shown=False))
    return comments


@pytest.mark.usefixtures("without_makings")
def test_a_topic_goes_when_an_import_moves_the_last_comment_to_another_product(lamp):
    (comment,) = bring(talk(lamp, 1, body="The zipper broke."))
    put_topic(lamp)
    bring([replace(comment, product_id=unique("other"))])
    finish_what_waits()
    work_off()
    assert topics_of(lamp) == []


@pytest.mark.usefixtures("without_makings")
def test_an_import_that_moves_nothing_has_nothing_looked_for(lamp):
    (comment,) = bring(talk(lamp, 1, body="The zipper broke."))
    put_topic(lamp)
    with metered() as meter:
        bring([replace(comment, rating=1), *talk(lamp, 2)])
        finish_what_waits()
        work_off()
    assert meter.labelled("topics") == []
