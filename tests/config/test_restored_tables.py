"""Tables that were restored to different moments: what differs then, and what a repair makes of it.

DynamoDB restores each table by itself, and a backup may have each item of a table as it was at a
moment of its own, up to a minute before or after.
"""

import json
from collections.abc import Iterator
from http import HTTPStatus
from io import StringIO
from itertools import product
from random import Random
from string import Formatter

import pytest
from django.core.management import call_command
from django.test import Client, override_settings

from comments.profiles.queries import ids_written_by
from comments.store.comments import NoSuchComment, load_comment
from comments.testing.work import later
from comments.work import QUEUE as COMMENTS_QUEUE
from shop.accounts.queries import find_user
from shop.accounts.services import end_sessions
from shop.api_keys.services import NoSuchKey, find_key
from shop.work import QUEUE as SHOP_QUEUE
from tests.support.config.addresses import (
    API_MATRIX,
    address,
    api_request,
    argument_names,
    routes,
)
from tests.support.config.moments import (
    BUYER,
    ERASED,
    MOMENTS,
    STAFF,
    TABLES,
    Moments,
    every_read_model,
    live,
    post_by_key,
)
from tests.support.config.restored import checked, differences_of_pages, kinds_in
from tests.support.work import finish_what_waits, work_off

pytestmark = [pytest.mark.usefixtures("tables"), pytest.mark.real_engine]

IN_NIGHTLY = (pytest.mark.slow, pytest.mark.long)
"""Further combinations of moments, seconds each."""
NAMES = {("comments", "name")}
"""Names of products in rankings, which are the catalogue's."""
POSTINGS = {("words", "postings"), ("words", "words")}
COPIES = {
    ("sets", "orphaned primary"),
    ("sets", "orphaned copies"),
    ("sets", "stale primary"),
    ("sets", "stale copies"),
    ("sets", "sets"),
}
COPIES_LATE = {
    ("sets", "stale copies"),
    ("sets", "orphaned copies"),
    ("sets", "missing copies"),
}
"""What is found where primaries were written, and their copies were not yet."""
ALONE = {
    "shop": NAMES,
    "comments": NAMES | POSTINGS | COPIES,
    "words": POSTINGS,
    "sets": COPIES,
    "activity": set(),
}
"""What is found where one table is of the early moment, and the others are of the late one."""
LOST = {("comments", "body"), ("orders", "lines"), ("accounts", "account")}
"""What nothing tells of, so that no repair can put it."""
FAULT = HTTPStatus.INTERNAL_SERVER_ERROR
ANOTHER_KEY = "another-key-for-tests"
DERIVED = ("comments", "words", "sets")
"""Tables of which lists show something else until they are repaired."""


@pytest.fixture(scope="module")
def moments() -> Iterator[Moments]:
    with every_read_model():
        yield live()


class TestTablesOfOneMoment:
    @pytest.mark.parametrize(
        "moment",
        [
            pytest.param("early", marks=IN_NIGHTLY),
            pytest.param("middle", marks=IN_NIGHTLY),
            "late",
        ],
    )
    def test_need_no_repair(self, moments, moment):
        moments.bring_back(**dict.fromkeys(TABLES, moment))
        found = checked()
        assert (found["found"], found["hints"]) == ([], [])
        assert differences_of_pages() == []


class TestOneTableOfAnEarlierMoment:
    @pytest.mark.parametrize(
        "table",
        [
            "shop",
            "comments",
            pytest.param("words", marks=IN_NIGHTLY),
            pytest.param("sets", marks=IN_NIGHTLY),
            pytest.param("activity", marks=IN_NIGHTLY),
        ],
    )
    def test_differs_in_just_these_kinds_and_is_repaired(self, moments, table):
        moments.bring_back(**{table: "early"})
        assert bool(differences_of_pages()) is (table in DERIVED)
        repaired = checked("--repair")
        assert (kinds_in(repaired["found"]), repaired["left"]) == (ALONE[table], 0)
        assert checked()["found"] == []
        assert differences_of_pages() == []

    def test_may_be_empty_where_it_is_derived_from_another(self, moments):
        """Then it needs no backup."""
        moments.bring_back(words="never", sets="never")
        assert checked("--repair")["left"] == 0
        assert checked()["found"] == []
        assert differences_of_pages() == []


class TestOneTableOfAMomentAtWhichWorkWasGoingOn:
    @pytest.mark.parametrize(
        ("table", "kinds"),
        [
            ("comments", set()),
            ("words", {("words", "change")}),
            pytest.param("shop", set(), marks=IN_NIGHTLY),
            pytest.param("sets", COPIES_LATE, marks=IN_NIGHTLY),
        ],
    )
    def test_is_repaired_and_the_rest_of_its_work_is_done(self, moments, caplog, table, kinds):
        moments.bring_back(**{table: "unfinished"})
        # A restore takes longer than a process is given to finish its own work.
        with later():
            assert kinds_in(checked("--repair")["found"]) == kinds
        for queue in (COMMENTS_QUEUE, SHOP_QUEUE):
            finish_what_waits()
            caplog.clear()
            work_off(queue)
            assert [one for one in caplog.records if one.name.startswith("dynapages.work")] == []
        with later():
            assert checked()["found"] == []
        assert differences_of_pages() == []


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("shop", "comments", "derived"), [*product(MOMENTS, repeat=3)])
def test_tables_of_any_moments_are_repaired(moments, shop, comments, derived):
    moments.bring_back(shop=shop, comments=comments, words=derived, sets=derived)
    assert checked("--repair")["left"] == 0
    assert checked()["found"] == []
    assert differences_of_pages() == []


class TestATableOfWhichEachItemIsOfAMomentOfItsOwn:
    @pytest.mark.parametrize("table", ["shop", "comments"])
    def test_is_repaired_but_for_what_is_lost(self, moments, table):
        self.is_repaired(moments, table, seed=1)

    @pytest.mark.slow
    @pytest.mark.long
    @pytest.mark.parametrize("seed", range(2, 10))
    @pytest.mark.parametrize("table", ["shop", "comments", "words", "sets"])
    def test_is_repaired_but_for_what_is_lost_by_any_chance(self, moments, table, seed):
        self.is_repaired(moments, table, seed=seed)

    def is_repaired(self, moments: Moments, table: str, *, seed: int) -> None:
        moments.tear(table, Random(seed))
        assert checked("--repair")["differences"] > 0
        assert kinds_in(checked()["found"]) <= LOST
        assert differences_of_pages() == []


# What is on the pages meanwhile

ARGUMENTS = {
    "slug": ("light", "garden"),
    "product_id": ("lamp", "sofa"),
    "comment_id": ("old-lamp-1", "late-sofa-1", "old-rug-1"),
    "username": (BUYER, "fred"),
    "user_slug": (BUYER, "fred"),
    "languages": ("~",),
    "ratings": ("~", "5"),
}
"""What addresses name: of each something that is in all tables, and something that is in some."""
OTHERS = ("x",)
"""Of what is in no table."""


def addresses(order_ids: list[str]) -> Iterator[str]:
    """Yield addresses of all routes, each with several arguments, and those of searches."""
    for route in routes():
        names = argument_names(route)
        values = [{**ARGUMENTS, "order_id": order_ids}.get(name, OTHERS) for name in names]
        for chosen in product(*values):
            path = address(route, dict(zip(names, chosen, strict=True)))
            yield path
            if names == ["product_id"]:
                yield f"{path}?q=velvet"


def failing(moments: Moments, who: str | None) -> dict[str, int]:
    """Ask for all addresses; return the statuses of those where the site is at fault."""
    browser = Client(raise_request_exception=False)
    if who:
        browser.force_login(find_user(who))
    statuses = {}
    for path in addresses(moments.order_ids(BUYER)):
        headers = {}
        if path.startswith("/api/") and who == STAFF:
            headers["Authorization"] = f"Bearer {moments.staff_key}"
        statuses[path] = browser.get(path, headers=headers).status_code
    assert HTTPStatus.OK in statuses.values()
    return {path: status for path, status in statuses.items() if status >= FAULT}


@pytest.mark.parametrize(
    "uneven",
    [
        {"shop": "early"},
        pytest.param({"comments": "early", "words": "middle"}, marks=IN_NIGHTLY),
        pytest.param({"words": "early", "sets": "middle", "activity": "early"}, marks=IN_NIGHTLY),
    ],
    ids=["shop", "comments", "derived tables"],
)
class TestPagesOfUnevenTables:
    def test_are_no_errors_for_staff(self, moments, uneven):
        moments.bring_back(**uneven)
        assert failing(moments, STAFF) == {}

    @pytest.mark.slow
    @pytest.mark.parametrize("who", [None, BUYER])
    def test_are_no_errors_for_others(self, moments, uneven, who):
        moments.bring_back(**uneven)
        assert failing(moments, who) == {}


@pytest.mark.slow
class TestWritesToUnevenTables:
    @pytest.mark.parametrize(
        "uneven",
        [
            {"comments": "early", "words": "middle"},
            {"shop": "early"},
            {"words": "early", "sets": "middle"},
        ],
        ids=["comments", "shop", "derived tables"],
    )
    def test_are_no_errors_and_are_repaired_with_the_rest(self, moments, uneven):
        moments.bring_back(**uneven)
        assert failing_writes(moments) == {}
        finish_what_waits()
        with later():
            checked("--repair")
            assert checked()["found"] == []
        assert differences_of_pages() == []


def failing_writes(moments: Moments) -> dict[str, int]:
    """Make all requests of the API as staff; return the statuses where the site is at fault."""
    browser = Client(raise_request_exception=False)
    values = {**ARGUMENTS, "order_id": moments.order_ids(BUYER)}
    headers = {"Authorization": f"Bearer {moments.staff_key}"}
    statuses = {}
    for name, (_answers, body) in API_MATRIX.items():
        wanted = [field for _text, field, _spec, _way in Formatter().parse(name) if field]
        for chosen in product(*(values[field] for field in wanted)):
            method, path = api_request(name, dict(zip(wanted, chosen, strict=True)))
            answer = browser.generic(
                method,
                f"/api/v1{path}",
                json.dumps(body) if body else "",
                content_type="application/json",
                headers=headers,
            )
            statuses[f"{method} {path}"] = answer.status_code
    assert HTTPStatus.CREATED in statuses.values()
    return {request: status for request, status in statuses.items() if status >= FAULT}


# What no repair can know


class TestAnEarlierShop:
    def test_has_the_keys_again_that_were_revoked_since(self, moments):
        moments.bring_back()
        with pytest.raises(NoSuchKey):
            find_key(moments.revoked_key)
        moments.bring_back(shop="middle")
        assert find_key(moments.revoked_key).user_id == BUYER

    def test_has_the_passwords_of_then(self, moments):
        moments.bring_back()
        assert find_user("bob").check_password("another")
        moments.bring_back(shop="middle")
        assert find_user("bob").check_password("secret")

    def test_has_the_sessions_again_that_were_ended_since(self, moments):
        moments.bring_back(shop="middle")
        browser = Client()
        browser.force_login(find_user("carol"))
        end_sessions("carol")
        moments.bring_back(shop="middle")
        assert browser.get("/account/").status_code == HTTPStatus.OK
        with override_settings(SECRET_KEY=ANOTHER_KEY, SECRET_KEY_FALLBACKS=[]):
            assert browser.get("/account/").status_code == HTTPStatus.FOUND

    def test_answers_a_request_as_before_though_its_comment_is_gone(self, moments):
        moments.bring_back(shop="middle", comments="early")
        answer = post_by_key(moments.revoked_key)
        assert (answer.status_code, answer["Idempotent-Replayed"]) == (201, "true")
        with pytest.raises(NoSuchComment):
            load_comment(answer.json()["id"])

    @override_settings(SECRET_KEY=ANOTHER_KEY, SECRET_KEY_FALLBACKS=[])
    def test_answers_no_request_as_before_with_another_secret_key(self, moments):
        moments.bring_back(shop="middle", comments="early")
        answer = post_by_key(moments.revoked_key)
        assert answer.status_code == 201
        assert "Idempotent-Replayed" not in answer
        assert load_comment(answer.json()["id"]).comment.user_id == BUYER

    def test_lacks_users_and_products_of_which_there_are_comments(self, moments):
        moments.bring_back(shop="early")
        assert checked()["hints"] == []
        found = checked("--only=references")
        assert found["left"] == 0
        assert {row["subject"] for row in found["hints"]} == {
            "user dora",
            "user fred",
            "product bed",
            "product sofa",
        }

    def test_has_the_account_again_that_was_erased_since(self, moments):
        moments.bring_back(shop="early")
        assert find_user(ERASED).email == f"{ERASED}@mail.example"
        erase_again()
        assert not find_user(ERASED).email


class TestEarlierComments:
    def test_have_those_again_that_were_erased_since(self, moments):
        moments.bring_back(comments="early")
        checked("--repair")
        assert sorted(ids_written_by(ERASED)) != []
        (row,) = checked("--only=references")["hints"]
        assert row["subject"] == f"user {ERASED}"
        erase_again()
        assert sorted(ids_written_by(ERASED)) == []
        assert checked("--only=references")["hints"] == []
        assert differences_of_pages() == []

    def test_show_what_was_hidden_since(self, moments):
        moments.bring_back()
        assert load_comment("old-chair-1").state.is_listed is False
        moments.bring_back(comments="early")
        assert load_comment("old-chair-1").state.is_listed


def erase_again() -> None:
    call_command("delete_user_data", ERASED, stdout=StringIO())
