"""What a user left is erased, but for the orders."""

import json
from dataclasses import replace

import pytest
from django.core.management import call_command

from comments.items import NewComment
from comments.moderation.services import hide
from comments.profiles.queries import ids_written_by
from comments.replies.queries import find_reply
from comments.replies.services import reply_to
from comments.store.comments import NoSuchComment, load_comment
from comments.store.counts import counts_of
from comments.votes.services import vote
from dynamo.lists.reader import PageRequest
from shop.accounts.queries import NoSuchUser, find_user, users_with_email
from shop.accounts.services import change_account
from shop.activity.entries import LogVerb
from shop.activity.recording import LOG
from shop.orders.filters import OrderFilter
from shop.orders.items import NewLine
from shop.orders.queries import has_bought, list_orders
from tests.support.activity.making import made_entry, whole_log
from tests.support.clock import now_within_a_month, this_month
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import Writer, made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def alice():
    writer = someone("alice")
    account = find_user(writer.username)._stored
    assert account
    email = f"{writer.username}@example.com"
    after = replace(account, email=email, external_id="Alice Ölsen")
    change_account(username=writer.username, before=account, after=after)
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
        vote(comment_id=bobs.id, username=alice.username)
        found = run(capsys, alice.username)["found"]
        assert (found["comments"], found["votes"], found["profile"]) == (1, 1, 1)
        assert list(ids_written_by(alice.username)) == []
        assert counts_of(lamp, consistent=True).total == 0
        assert users_with_email(f"{alice.username}@example.com") == []
        with pytest.raises(NoSuchUser):
            find_user(alice.username)

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

    def test_takes_reviews_that_were_imported_with_orders(self, capsys, alice):
        lamp = made_product()
        buy(alice, lamp)
        theirs = NewComment(f"{lamp}-1", lamp, "pt", 5, START, alice.username, verified=True)
        another = replace(theirs, id=f"{lamp}-2", author="somebody")
        load(
            [
                theirs,
                another,
                replace(another, id=f"{lamp}-3", author=alice.username, verified=False),
            ]
        )
        assert run(capsys, alice.username)["found"]["imported reviews"] == 1
        assert counts_of(lamp, consistent=True).total == 2

    def test_takes_imported_reviews_that_staff_have_hidden(self, capsys, alice):
        lamp = made_product()
        buy(alice, lamp)
        review = NewComment(f"{lamp}-1", lamp, "pt", 5, START, alice.username, verified=True)
        others = replace(review, id=f"{lamp}-2", author="somebody")
        load([review, others])
        for each in (review, others):
            hide(comment_id=each.id, now=START)
        assert run(capsys, alice.username)["found"]["imported reviews"] == 1
        with pytest.raises(NoSuchComment):
            load_comment(review.id)
        assert load_comment(others.id).comment == others

    def test_takes_the_name_off_the_replies_of_staff(self, capsys, alice):
        sam = someone("sam", is_staff=True)
        ids = [alice.has_written(made_product()).comment.id for _ in range(2)]
        for each in ids:
            reply_to(comment_id=each, text="Thanks!", author=sam.username, seen=None, now=START)
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
        assert [entry.action for entry in whole_log()] == [LogVerb.PICKED]

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

    def test_only_tells_when_dry(self, capsys, alice):
        alice.has_written(made_product())
        found = run(capsys, alice.username, "--dry-run")["found"]
        assert (found["comments"], found["profile"]) == (1, 1)
        assert len(list(ids_written_by(alice.username))) == 1
        assert find_user(alice.username).is_active

    def test_again_finds_nothing(self, capsys, alice):
        buy(alice, made_product())
        alice.has_written(made_product())
        run(capsys, alice.username)
        assert set(run(capsys, alice.username)["found"].values()) == {0}


class TestDeletingAComment:
    def test_says_what_became_of_it(self, capsys, alice):
        comment = alice.has_written(made_product()).comment
        for outcome in ("is deleted", "is not there (any more)"):
            call_command("moderate", comment.id, "delete")
            assert capsys.readouterr().out == f"The comment “{comment.id}” {outcome}.\n"
