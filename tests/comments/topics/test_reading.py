"""What topics are made from: all listed comments of a product in a language, with whole texts."""

from dataclasses import replace
from math import ceil

import pytest

from comments import keys
from comments.models import TABLE
from comments.moderation.services import Decision, carry_out
from comments.posting.services import delete_comment
from comments.topics import reading
from comments.topics.reading import newest_comments, read_comments
from dynapages.calls import clock, metered
from dynapages.items import item_bytes
from dynapages.process import client
from dynapages.work import worker
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.said import talk

pytestmark = pytest.mark.usefixtures("tables")
LONG = "A long story of a charger. " * 100
"""More than lists show of a comment."""


@pytest.fixture
def lamp():
    return unique("lamp")


def bodies(product_id: str, language: str = "en") -> list[str]:
    return [comment.body for comment in read_comments(product_id, language)]


@pytest.mark.parametrize("at_a_time", [2, 3, 200])
def test_all_comments_are_read_the_newest_first_in_pages(lamp, monkeypatch, at_a_time):
    monkeypatch.setattr(reading, "AT_A_TIME", at_a_time)
    comments = [
        replace(comment, title=f"Title {number}", body=f"Text {number}", rating=number % 5 + 1)
        for number, comment in enumerate(talk(lamp, 7))
    ]
    load(comments)
    read = [(one.title, one.body, one.rating, one.author) for one in read_comments(lamp, "en")]
    assert read == [(one.title, one.body, one.rating, one.author) for one in comments[::-1]]


def test_long_texts_are_read_whole(lamp):
    load([*talk(lamp, 1, body="Short."), *talk(lamp, 2, body=LONG.strip())])
    assert sorted(bodies(lamp)) == [LONG.strip(), LONG.strip(), "Short."]


def test_of_a_long_text_that_is_gone_the_excerpt_is_read(lamp):
    [comment] = talk(lamp, 1, body=LONG.strip())
    load([comment])
    client().delete_item(TableName=TABLE, Key=keys.comment_key(comment.id, keys.BODY))
    [body] = bodies(lamp)
    assert body.startswith("A long story of a charger.")
    assert len(body) < len(LONG) / 2


def test_what_is_in_no_list_of_the_product_and_language_is_not_read(lamp):
    shown, hidden, deleted = (
        comment for body in ("shown", "hidden", "deleted") for comment in talk(lamp, 1, body=body)
    )
    german = talk(lamp, 1, body="deutsch", language="de")
    load([shown, hidden, deleted, *german, *talk(unique("other"), 1, body="another product")])
    carry_out(Decision.HIDE, comment_id=hidden.id, now=clock.now())
    delete_comment(deleted.id)
    assert bodies(lamp) == ["shown"]
    assert bodies(lamp, "de") == ["deutsch"]


@pytest.mark.parametrize(("most", "expected"), [(2, ["c", "b"]), (9, ["c", "b", "a"])])
def test_the_newest_comments_are_as_many_as_are_asked_for(lamp, most, expected):
    comments = zip(talk(lamp, 3), "abc", strict=True)
    load([replace(comment, body=body) for comment, body in comments])
    assert [comment.body for comment in newest_comments(lamp, "en", most)] == expected


def test_calls_that_wait_are_made_between_two_pages(lamp, monkeypatch):
    monkeypatch.setattr(reading, "AT_A_TIME", 2)
    events: list[str] = []
    monkeypatch.setattr(worker(), "make_due_calls", lambda: events.append("due calls"))
    load(talk(lamp, 4))
    for _comment in read_comments(lamp, "en"):
        events.append("comment")
    assert events[:6] == ["comment", "comment", "due calls"] * 2


@pytest.mark.real_engine
def test_reading_costs_half_a_unit_for_4_kb_and_for_each_long_text(lamp):
    comments = [*talk(lamp, 28), *talk(lamp, 2, body=LONG.strip())]
    load(comments)
    entries = client().query(
        TableName=TABLE,
        IndexName="by_language",
        KeyConditionExpression="l = :l",
        ExpressionAttributeValues={":l": {"S": keys.product_partition(lamp, "en")}},
    )["Items"]
    size = sum(map(item_bytes, entries))
    with metered() as meter:
        assert len(bodies(lamp)) == 30
    units = [(call.operation, call.capacity_units) for call in meter.log]
    assert units == [("Query", ceil(size / 4_096) / 2), ("BatchGetItem", 2 / 2)]
