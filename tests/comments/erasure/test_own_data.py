"""Who is signed in downloads what is stored about them, a part at a time."""

import json
from dataclasses import replace
from typing import Any

import pytest

from comments.erasure import views
from comments.votes.services import vote
from dynamo.calls.meter import metered
from dynamo.upkeep import erasure
from shop.activity.recording import LOG
from shop.orders.items import NewLine
from tests.support.activity.making import made_entry
from tests.support.clock import now_within_a_month
from tests.support.comments.faulty import unreachable
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")
URL = "/account/data/"


@pytest.fixture
def alice():
    return someone("alice")


def downloaded(writer: Writer) -> dict[str, Any]:
    response: Any = writer.browser.post(URL)
    assert response["Content-Type"] == "application/json"
    assert response["Content-Disposition"] == 'attachment; filename="dynashop.json"'
    data: dict[str, Any] = json.loads(response.getvalue())
    return data


class TestOnesOwnData:
    def test_is_what_keys_of_the_user_lead_to(self, alice):
        lamp, bobs = made_product(), someone("bob").has_written(made_product()).comment
        alices = alice.has_written(lamp, body="long “words” " * 500).comment
        vote(comment_id=bobs.id, username=alice.username)
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        data = downloaded(alice)
        assert data["username"] == alice.username
        assert [each["pk"] for each in data["comments"]] == [f"COMMENT#{alices.id}"] * 2
        assert data["comments"][1]["text"].startswith("long “words”")
        assert [each["pk"] for each in data["votes"]] == [f"COMMENT#{bobs.id}"]
        assert [each["product_id"] for each in data["orders"]] == [lamp]
        assert "password" not in data["profile"][0]

    def test_of_others_is_not_read(self, alice):
        LOG.put(made_entry(now_within_a_month(), who=alice.username))
        with metered() as meter:
            assert not {"activity", "imported reviews"} & downloaded(alice).keys()
        assert not any("activity" in call.table for call in meter.calls)

    def test_is_all_there_in_several_parts(self, alice, monkeypatch):
        monkeypatch.setattr(erasure, "NAMES_AT_ONCE", 2)
        written = [alice.has_written(made_product()).comment.id for _ in range(5)]
        found = [each["pk"].removeprefix("COMMENT#") for each in downloaded(alice)["comments"]]
        assert sorted(found) == sorted(written)

    def test_says_when_it_is_not_complete(self, alice):
        response: Any = alice.browser.post(URL)
        with unreachable():
            data = json.loads(response.getvalue())
        assert data["error"] == "This file is not complete."
        assert "orders" not in data

    def test_is_sent_a_few_times_an_hour(self, alice, monkeypatch):
        monkeypatch.setattr(views, "DOWNLOADS", replace(views.DOWNLOADS, times=2))
        answers = [alice.browser.post(URL) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert "You have downloaded your data several times." in answers[2].content.decode()

    @pytest.mark.real_engine
    def test_costs_a_call_for_each_kind_and_for_its_items(self, alice):
        for _ in range(3):
            alice.has_written(made_product())
        with metered() as meter:
            downloaded(alice)
        assert (meter.requests(), meter.capacity_units()) == (12, 15.0)
