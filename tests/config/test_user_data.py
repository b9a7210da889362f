"""What is stored about a user: erased, printed and downloaded, and nothing of anybody else."""

import json
import logging
from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from comments.items import NewComment
from comments.profiles.queries import ids_written_by
from comments.replies.services import find_reply, reply_to
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import read_counts
from comments.votes.services import cast_vote
from config import user_data
from config import user_data_views as views
from dynapages.calls import metered
from dynapages.django.callers import Scope
from dynapages.lists import PageRequest
from dynapages.process import write_actions
from shop import keys
from shop.accounts.emails import owed_email, queue_email
from shop.accounts.queries import find_user, users_with_email
from shop.activity.entries import LogVerb
from shop.activity.recording import LOG
from shop.api_keys.services import create_key, list_keys
from shop.for_comments import has_bought
from shop.models import Profile
from shop.orders.filters import OrderFilter
from shop.orders.items import NewLine
from shop.orders.queries import list_orders
from shop.work import everything_owed
from tests.support.activity.making import made_entry, whole_log
from tests.support.clock import now_within_a_month, this_month
from tests.support.comments.deciding import hide
from tests.support.comments.faulty import unreachable
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def alice():
    writer = someone("alice")
    user = find_user(writer.username)
    user.email, user.external_id = f"{writer.username}@example.com", "Alice Ölsen"
    user.save()
    return writer


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    call_command("delete_user_data", *arguments, "--json")
    return json.loads(capsys.readouterr().out)


def buy(writer: Writer, product: str) -> None:
    put(made_order(writer.username, lines=[NewLine(product, "Lamp", 1, 100)]))


class TestDeletingUserData:
    def test_takes_comments_votes_and_the_profile(self, capsys, alice):
        lamp, bobs = made_product(), someone("bob").has_written(made_product()).comment
        alice.has_written(lamp, body="long " * 900)
        cast_vote(comment_id=bobs.id, user_id=alice.username)
        found = run(capsys, alice.username)["found"]
        assert (found["comments"], found["votes"], found["profile"]) == (1, 1, 1)
        assert list(ids_written_by(alice.username)) == []
        assert read_counts(lamp, consistent=True).total == 0
        assert users_with_email(f"{alice.username}@example.com") == []
        assert find_user(alice.username) is None

    def test_takes_emails_that_are_owed_or_were_given_up(self, capsys, alice):
        bob, address = someone("bob"), f"{alice.username}@example.com"
        for whom in (alice.username, address, bob.username):
            queue_email("reset", whom, "https://shop.example.com")
        moved = owed_email("moved", "somebody", "https://shop.example.com", given_up=address)
        write_actions([moved.given_up().action])
        assert run(capsys, alice.username, "--dry-run")["found"]["e-mails that are owed"] == 3
        assert run(capsys, alice.username)["found"]["e-mails that are owed"] == 3
        left = [one.payload["whom"] for one in everything_owed()]
        assert bob.username in left
        assert not {alice.username, address, "somebody"} & set(left)

    def test_is_told_to_the_security_log_so_that_it_can_be_done_again(self, capsys, caplog, alice):
        with caplog.at_level(logging.INFO, "security"):
            run(capsys, alice.username, "--dry-run")
            run(capsys, alice.username)
        events = [json.loads(one.getMessage()) for one in caplog.records if one.name == "security"]
        erased = {"event": "account-erased", "user": alice.username, "by": "delete_user_data"}
        assert events == [erased]

    def test_keeps_orders_under_a_name_that_is_of_no_use(self, capsys, alice):
        lamp = made_product()
        buy(alice, lamp)
        assert run(capsys, alice.username)["orders_kept"]
        user = find_user(alice.username)
        assert (user.is_active, user.email, user.has_usable_password()) == (False, "", False)
        assert user.external_id == ""
        assert len(list_orders(alice.username, OrderFilter(), PageRequest(5)).items) == 1
        assert not has_bought(alice.username, lamp)
        assert alice.browser.get("/orders/").status_code == 302

    def test_says_that_it_closed_an_account_with_orders_and_once(self, capsys, alice):
        buy(alice, made_product())
        for told in ("profile: 1 closed", "profile: 0 closed"):
            call_command("delete_user_data", alice.username)
            assert told in capsys.readouterr().out.splitlines()

    def test_takes_reviews_that_were_imported_with_orders(self, capsys, alice):
        lamp = made_product()
        buy(alice, lamp)
        another = NewComment(f"{lamp}-1", lamp, "pt", 5, START, alice.username, verified=True)
        theirs = replace(another, id=f"{lamp}-2", user_id=alice.username)
        load([theirs, another])
        assert run(capsys, alice.username)["found"]["comments"] == 1
        assert load_comment(another.id).comment == another  # by somebody of the same name
        assert read_counts(lamp, consistent=True).total == 1

    def test_takes_imported_reviews_that_staff_have_hidden(self, capsys, alice):
        lamp = made_product()
        buy(alice, lamp)
        others = NewComment(f"{lamp}-1", lamp, "pt", 5, START, "somebody", verified=True)
        review = replace(others, id=f"{lamp}-2", user_id=alice.username)
        load([review, others])
        for each in (review, others):
            hide(comment_id=each.id, now=START)
        assert run(capsys, alice.username)["found"]["comments"] == 1
        with pytest.raises(NoSuchComment):
            load_comment(review.id)
        assert load_comment(others.id).comment == others

    def test_takes_the_name_off_the_replies_of_staff(self, capsys, alice):
        sam = someone("sam", is_staff=True)
        ids = [alice.has_written(made_product()).comment.id for _ in range(2)]
        for each in ids:
            reply_to(comment_id=each, text="Thanks!", user_id=sam.username, seen=None, now=START)
        assert run(capsys, sam.username)["found"]["names on replies"] == 2
        replies = [reply for each in ids if (reply := find_reply(each))]
        assert [(reply.text, reply.author) for reply in replies] == [("Thanks!", "")] * 2

    def test_takes_what_the_activity_log_tells_of_them(self, capsys, own_log, alice):
        own_log(this_month())
        sam = someone("sam", is_staff=True)
        order = made_order(alice.username)
        put(order)
        comment_id = alice.has_written(made_product()).comment.id
        sam.send(f"/orders/{order.id}/move/", {"from_status": "PLACED", "move": "APPROVED"})
        sam.send(f"/staff/comments/feature/{comment_id}/", {"featured": "yes"})
        assert run(capsys, alice.username)["found"]["activity"] == 2
        left = [(entry.action, entry.who) for entry in whole_log()]
        assert sorted(left) == [(LogVerb.DELETED, ""), (LogVerb.PICKED, sam.username)]

    def test_takes_the_entries_that_could_not_be_written_to_it(
        self, capsys, own_log, alice, settings, tmp_path
    ):
        own_log(this_month())
        settings.VAR_DIR = tmp_path
        assert LOG._spool is not None
        LOG._spool.save([made_entry(now_within_a_month(), about=alice.username)])
        assert run(capsys, alice.username)["found"]["activity"] == 1
        assert whole_log() == []
        assert list(tmp_path.iterdir()) == []

    def test_revokes_their_keys_of_the_api(self, capsys, alice):
        keys_of = {
            name: create_key(name="Till", scope=Scope.READ, username=name, now=START)[0]
            for name in (alice.username, someone("bob").username)
        }
        assert run(capsys, alice.username)["found"]["API keys"] == 1
        listed = list_keys()
        assert [key in listed for key in keys_of.values()] == [False, True]

    def test_only_tells_when_dry(self, capsys, alice):
        alice.has_written(made_product())
        found = run(capsys, alice.username, "--dry-run")["found"]
        assert (found["comments"], found["profile"]) == (1, 1)
        assert len(list(ids_written_by(alice.username))) == 1
        assert find_user(alice.username).is_active


def exported(username: str) -> dict[str, Any]:
    out = StringIO()
    call_command("export_user_data", username, stdout=out)
    data: dict[str, Any] = json.loads(out.getvalue())
    return data


class TestExport:
    def test_has_all_that_an_erasure_finds_and_the_orders(self, alice):
        lamp, bobs = made_product(), someone("bob").has_written(made_product()).comment
        alices = alice.has_written(lamp, body="long " * 900).comment
        cast_vote(comment_id=bobs.id, user_id=alice.username)
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        LOG.put(made_entry(now_within_a_month(), who=alice.username))
        data = exported(alice.username)
        assert data["username"] == alice.username
        assert [profile["is_staff"] for profile in data["profile"]] == [False]
        assert [each["pk"] for each in data["comments"]] == [f"COMMENT#{alices.id}"] * 2
        assert data["comments"][1]["text"].startswith("long long")
        assert [each["pk"] for each in data["votes"]] == [f"COMMENT#{bobs.id}"]
        assert [each["product_id"] for each in data["orders"]] == [lamp]
        assert len(data["purchases"]) == 1
        assert {each["who"] for each in data["activity"]} == {alice.username}

    def test_has_no_password_and_no_second_factor(self, alice):
        profile = Profile.get(keys.user(alice.username), keys.profile(alice.username))
        profile.update([Profile.totp_secret.set("JBSWY3DP"), Profile.recovery_codes.set(["c0de"])])
        shown = exported(alice.username)
        assert not {"password", "totp_secret", "recovery_codes"} & shown["profile"][0].keys()
        password = find_user(alice.username).password
        assert not any(secret in json.dumps(shown) for secret in (password, "JBSWY3DP", "c0de"))

    def test_has_keys_of_the_api_without_their_secrets(self, alice):
        key, _ = create_key(name="Till", scope=Scope.WRITE, username=alice.username, now=START)
        create_key(name="Other", scope=Scope.READ, username="", now=START)
        (held,) = exported(alice.username)["API keys"]
        assert (held["id"], held["name"], held["scope"]) == (key.id, "Till", "write")
        assert "secret_hash" not in held

    def test_of_nobody_is_empty(self, fresh):
        data = exported(fresh("nobody"))
        assert not any(data[kind] for kind in data.keys() - {"username"})


class TestAnErasedUser:
    def test_has_no_page_though_the_name_stays_taken(self, alice, client):
        put(made_order(alice.username))
        assert client.get(f"/users/{alice.username}/").status_code == 200
        call_command("delete_user_data", alice.username, stdout=StringIO())
        assert client.get(f"/users/{alice.username}/").status_code == 404


URL = "/account/data/"


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
        cast_vote(comment_id=bobs.id, user_id=alice.username)
        put(made_order(alice.username, lines=[NewLine(lamp, "Lamp", 1, 100)]))
        data = downloaded(alice)
        assert data["username"] == alice.username
        assert [each["pk"] for each in data["comments"]] == [f"COMMENT#{alices.id}"] * 2
        assert data["comments"][1]["text"].startswith("long “words”")
        assert [each["pk"] for each in data["votes"]] == [f"COMMENT#{bobs.id}"]
        assert [each["product_id"] for each in data["orders"]] == [lamp]
        assert "password" not in data["profile"][0]

    def test_is_sent_when_the_button_of_its_page_is_pressed(self, alice):
        button = alice.get(URL).page.one("main").one("form", method="post").one("button")
        assert button.text == "Download your data"

    def test_of_others_is_not_read(self, alice):
        LOG.put(made_entry(now_within_a_month(), who=alice.username))
        with metered() as meter:
            assert "activity" not in downloaded(alice)
        assert not any("activity" in call.table for call in meter.log)

    def test_is_all_there_in_several_parts(self, alice, monkeypatch):
        monkeypatch.setattr(user_data, "NAMES_AT_A_TIME", 2)
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
        assert (meter.calls, meter.units) == (16, 18.5)
