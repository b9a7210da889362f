"""``load_sample``: the sample shop in the tables."""

import json
from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.lists.entries import entry_of
from comments.lists.highlights import find_picks
from comments.moderation.queries import list_moderated
from comments.profiles.queries import ids_written_by, list_written_by
from comments.rankings.queries import list_most_helpful
from comments.store.states import State
from demo.loading import PASSWORD, SIGN_IN
from demo.sample import orders, reactions
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from demo.sample.orders import REGULAR
from demo.sample.reactions import REPLIES
from dynapages.calls import metered
from dynapages.items import table_key
from dynapages.lists import PageRequest, every_entry
from dynapages.process import client, read
from shop.accounts.queries import find_user
from shop.catalogue.queries import find_product, list_categories
from shop.for_comments import has_bought
from shop.models import ShopItem

pytestmark = pytest.mark.usefixtures("loaded")

WRITES = {"BatchWriteItem", "TransactWriteItems", "UpdateItem", "PutItem"}


VOTES = ((3, 1, 1), (2,))
"""Votes of comments, of the products with most comments."""


def load(**options: Any) -> dict[str, int]:
    out = StringIO()
    call_command("load_sample", comments=200, json=True, stdout=out, **options)
    return json.loads(out.getvalue() or "{}")


@pytest.fixture(scope="module")
def loaded(tables):
    """What the second load printed, which went on after the first was interrupted at its end."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reactions, "VOTES", VOTES)
        patch.setattr(orders, "ORDERS_OF_REGULAR", 30)
        patch.setattr(orders, "ORDERS_OF_OTHERS", 30)
        load()
        last = sample_catalogue().categories[-1]
        key = table_key("CATEGORY#~", f"CATEGORY#{last.slug}")
        client().delete_item(TableName=ShopItem.Meta.table_name, Key=key)
        yield load(if_empty=True)


class TestLoadSample:
    def test_puts_every_product_with_its_description_and_categories(self):
        for product in sample_catalogue().products:
            found = find_product(product.id)
            assert (found.name, found.description) == (product.name, product.description)
            assert {c.slug for c in found.categories} == set(product.category_slugs)

    def test_leads_from_the_root_to_every_category_also_after_an_interruption(self):
        edges = every_entry(list_categories, at_once=500)
        slugs = {edge.item["sk"]["S"].removeprefix("CATEGORY#") for edge in edges}
        assert slugs >= {category.slug for category in sample_catalogue().categories}

    def test_puts_the_comments_asked_for(self):
        found = Counter[str]()
        for product in sample_catalogue().products:
            runs = plan(product.id, CommentFilter()).runs
            found[product.id] = len(read(runs, PageRequest(500)).entries)
        assert found.total() == 200 + len(list(ids_written_by(REGULAR)))
        assert 0 in found.values()

    def test_again_writes_no_comment(self, loaded):
        assert (loaded["written"], loaded["unchanged"]) == (0, 200)

    def test_says_what_it_loads_and_how_long_that_takes_before_it_does(self, capsys):
        call_command("load_sample", comments=200)
        first, last = capsys.readouterr().out.splitlines()
        assert first == (
            "Filling the shop, this once: 60 products, 60 orders, 200 comments (about 5 s)"
        )
        assert last.endswith("0 comments written, 200 unchanged.")

    def test_within_the_demo_says_no_name_of_a_table_and_nothing_where_it_is_there(self, capsys):
        call_command("fill_demo", sample=True, sign_in=False, words=False, sets=False)
        assert capsys.readouterr().out == ""

    def test_only_if_empty_does_nothing_when_it_is_there(self):
        with metered() as meter:
            load(if_empty=True)
        assert not WRITES & {call.operation for call in meter.log}


class TestSigningIn:
    @pytest.mark.parametrize("if_empty", [False, True])
    def test_is_made_possible_for_two_accounts_that_exist(self, *, if_empty):
        for username in SIGN_IN:
            account = find_user(username)
            account.set_unusable_password()
            account.is_staff = False
            account.save()
        load(sign_in=True, if_empty=if_empty)
        found = [find_user(username) for username in SIGN_IN]
        assert [user.check_password(PASSWORD) for user in found] == [True, True]
        assert [user.is_staff for user in found] == [False, True]

    def test_changes_no_password_that_somebody_set(self):
        account = find_user(SIGN_IN[1])
        account.set_password("mine")
        account.is_staff = False
        account.save()
        load(sign_in=True)
        found = find_user(SIGN_IN[1])
        assert found.check_password("mine")
        assert not found.is_staff


def favourite() -> str:
    """The product that most comments are about."""
    return next(sample_comments(sample_catalogue(), count=200, now=datetime.now(UTC))).product_id


class TestWhatHappensAroundTheComments:
    def test_is_that_customers_find_some_helpful(self):
        comments = list_most_helpful(favourite(), PageRequest(20)).items
        votes = [comment.helpful_votes for comment in comments]
        assert votes == sorted(VOTES[0], reverse=True)

    def test_is_that_some_wait_for_staff_with_reasons(self):
        waiting = list_moderated(State.REPORTED, PageRequest(20)).items
        assert sorted(one.report_count for one in waiting) == [1, 1, 2]
        assert all(one.reports[0].reason for one in waiting)

    def test_is_that_staff_pick_some_and_reply_to_some(self):
        picks = find_picks(favourite())
        runs = plan(favourite(), CommentFilter.of((), (1, 2))).runs
        listed = [entry_of(entry.item) for entry in read(runs, PageRequest(100)).entries]
        assert len(picks) == 2
        assert {comment.reply.text for comment in listed if comment.reply} == set(REPLIES)

    def test_is_that_a_customer_writes_about_what_they_bought(self):
        written = list_written_by(REGULAR, PageRequest(20)).items
        assert len(written) == 3
        for comment in written:
            assert comment.is_verified
            assert has_bought(REGULAR, comment.product_id)

    def test_happens_once_however_often_it_is_loaded(self):
        call_command("check_integrity", "--only=comments", "--json", stdout=StringIO())
