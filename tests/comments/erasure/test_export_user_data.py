"""What is stored about a user is printed on request, and nothing of anybody else."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.votes.services import vote
from shop import keys
from shop.accounts.queries import find_user
from shop.activity.recording import LOG
from shop.models import Profile
from shop.orders.items import NewLine
from tests.support.activity.making import made_entry
from tests.support.clock import now_within_a_month
from tests.support.comments.writers import made_product, someone
from tests.support.orders.making import made_order, put

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def alice():
    return someone("alice")


def exported(username: str) -> dict[str, Any]:
    out = StringIO()
    call_command("export_user_data", username, stdout=out)
    data: dict[str, Any] = json.loads(out.getvalue())
    return data


class TestExport:
    def test_has_all_that_an_erasure_finds_and_the_orders(self, alice):
        lamp, bobs = made_product(), someone("bob").has_written(made_product()).comment
        alices = alice.has_written(lamp, body="long " * 900).comment
        vote(comment_id=bobs.id, username=alice.username)
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

    def test_has_no_second_factor(self, alice):
        profile = Profile.get(keys.user(alice.username), keys.profile(alice.username))
        profile.update([Profile.totp_secret.set("JBSWY3DP"), Profile.recovery_codes.set(["c0de"])])
        shown = exported(alice.username)
        assert not {"totp_secret", "recovery_codes"} & shown["profile"][0].keys()
        assert "JBSWY3DP" not in json.dumps(shown)
        assert "c0de" not in json.dumps(shown)

    def test_has_no_password(self, alice):
        password = find_user(alice.username).password
        assert "password" not in exported(alice.username)["profile"][0]
        assert password not in json.dumps(exported(alice.username))

    def test_of_nobody_is_empty(self, fresh):
        data = exported(fresh("nobody"))
        assert not any(data[kind] for kind in data.keys() - {"username"})

    def test_needs_a_user_name(self):
        with pytest.raises(CommandError, match="A user name has 3 to 64"):
            exported("x y")


class TestAnErasedUser:
    def test_has_no_page_though_the_name_stays_taken(self, alice, client):
        put(made_order(alice.username))
        assert client.get(f"/users/{alice.username}/").status_code == 200
        call_command("delete_user_data", alice.username, stdout=StringIO())
        assert client.get(f"/users/{alice.username}/").status_code == 404
