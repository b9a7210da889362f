"""Topics that cannot be are found, and mended."""

from datetime import UTC, datetime

import pytest

from comments import keys
from comments.models import TABLE
from comments.posting.services import add_comment, delete_comment
from comments.store.table import read_item
from comments.store.writing import QUEUE
from comments.topics import making
from comments.topics.banning import allow, ban
from comments.topics.stored import read_topics
from dynapages.process import client
from tests.support.comments.threads import NOW, differences, mended
from tests.support.comments.topical import Word, put_topics
from tests.support.comments.truth import written
from tests.support.work import work_off

pytestmark = pytest.mark.usefixtures("few_items", "nothing_waits")
BATTERY = ("en", "batteri")
WORDS = {"en": [Word("battery", 40, 5), Word("wheels", 30, 30)], "de": [Word("Akku", 35, 5)]}


@pytest.fixture
def comment(fresh):
    """One of a product with topics."""
    comment = written(fresh("product"), id=fresh("comment"), rating=5)
    add_comment(comment)
    put_topics(comment.product_id, WORDS)
    work_off()
    return comment


@pytest.fixture
def nothing_waits():
    """Nothing is banned for all, and nothing owed."""
    client().delete_item(TableName=TABLE, Key=keys.banned_topics())
    for owed in QUEUE.waiting():
        QUEUE.done(owed)


def spoil_topics(comment) -> None:
    """Bring banned topics back, behind everybody's back."""
    put_topics(comment.product_id, WORDS, version=9)


def test_topics_that_can_be_are_no_difference(comment):
    ban(comment.product_id, ("en", "brake"), everywhere=False, now=NOW)
    assert differences(comment) == []


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_topic_that_is_banned_is_found_and_taken_out(comment, everywhere):
    ban(comment.product_id, BATTERY, everywhere=everywhere, now=NOW)
    work_off()
    assert differences(comment) == []
    spoil_topics(comment)
    (found,) = mended(comment)
    assert found.kind == "topics"
    assert found.stored == "en/batteri, which is banned"
    topics = read_topics(comment.product_id).languages
    assert [topic.form for topic in topics["en"].topics] == ["wheels"]
    assert [topic.form for topic in topics["de"].topics] == ["Akku"]


def test_a_topic_that_the_worker_takes_out_is_none(comment):
    other = put_topics(f"{comment.product_id}-other", WORDS)
    ban(other, BATTERY, everywhere=True, now=NOW)
    assert differences(comment) == []


def test_a_topic_that_is_allowed_again_is_none(comment):
    ban(comment.product_id, BATTERY, everywhere=False, now=NOW)
    allow(comment.product_id, BATTERY, everywhere=False, now=NOW)
    for owed in QUEUE.waiting():
        QUEUE.done(owed)
    spoil_topics(comment)
    assert differences(comment) == []


@pytest.mark.parametrize(("count", "good"), [(30, 31), (0, 0), (30, -1)])
def test_numbers_that_cannot_be_are_found_and_made_anew(comment, count, good):
    put_topics(comment.product_id, {"en": [Word("battery", count, good)]}, version=9)
    (found,) = mended(comment)
    assert found.stored == f"en/batteri, {good} of {count} happy"
    (owed,) = QUEUE.waiting()
    assert (owed.kind, owed.payload["product"]) == (making.KIND, comment.product_id)


def test_topics_of_a_product_without_comments_are_found_and_deleted(comment):
    delete_comment(comment.id, by="", now=datetime.now(UTC))
    # The worker is about to look at the product.
    assert differences(comment) == []
    work_off()
    (found,) = mended(comment)
    assert (found.stored, found.expected) == ("de; en", "none")
    assert not read_item(keys.topics(comment.product_id))
