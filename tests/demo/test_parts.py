"""The sample in two parts: what a shop is opened with, and the rest behind it."""

import json
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.posting import services
from demo.management.commands import load_sample
from demo.parts import day_of_rest, rest_file
from demo.sample import orders, reactions
from demo.sample.catalogue import sample_catalogue
from dynapages.calls import clock
from dynapages.lists import PageRequest
from dynapages.process import read
from shop.catalogue.queries import list_categories

COMMENTS = 200
VOTES = ((3, 1, 1), (2,))


def load(**options: Any) -> dict[str, int]:
    out = StringIO()
    call_command("load_sample", comments=COMMENTS, json=True, stdout=out, **options)
    return json.loads(out.getvalue() or "{}")


def comments_by_product() -> dict[str, list[str]]:
    found = {}
    for product in sample_catalogue().products:
        entries = read(plan(product.id, CommentFilter()).runs, PageRequest(500)).entries
        found[product.id] = [entry.position.place for entry in entries]
    return found


@pytest.fixture(scope="module")
def var(tmp_path_factory):
    return tmp_path_factory.mktemp("var")


@pytest.fixture(autouse=True)
def small(var, settings, monkeypatch):
    settings.VAR_DIR = var
    monkeypatch.setattr(reactions, "VOTES", VOTES)
    monkeypatch.setattr(orders, "ORDERS_OF_REGULAR", 10)
    monkeypatch.setattr(orders, "ORDERS_OF_OTHERS", 10)


@pytest.mark.usefixtures("tables")
class TestALoadInParts:
    """In the order of a demo: each test goes on from the one before."""

    def test_opens_a_shop_with_some_comments_of_its_products(self):
        assert load(in_parts=True)["written"] == COMMENTS / 4
        found = comments_by_product()
        with_comments = [product for product, places in found.items() if places]
        assert len(with_comments) > 10
        assert len(list_categories(PageRequest(500)).entries) == len(sample_catalogue().categories)

    def test_notes_that_there_is_a_rest(self):
        assert day_of_rest() is not None

    def test_keeps_the_note_where_the_rest_fails(self, monkeypatch):
        def fail(*_: object, **_options: object) -> None:
            raise services.CommentGone("no more")

        monkeypatch.setattr(load_sample, "load_reactions", fail)
        with pytest.raises(CommandError, match="no more"):
            load(rest=True)
        assert day_of_rest() is not None

    def test_goes_on_with_the_dates_of_the_first_part_on_another_day(self, monkeypatch):
        tomorrow = clock.now() + timedelta(days=1)
        monkeypatch.setattr(load_sample, "now", lambda: tomorrow)
        before = comments_by_product()
        load(rest=True)
        after = comments_by_product()
        assert all(set(places) <= set(after[product]) for product, places in before.items())
        assert len(after) == len(before)

    def test_is_complete_then(self):
        assert not rest_file().exists()
        assert load(rest=True) == {}

    def test_has_loaded_what_a_whole_load_does(self):
        again = load()
        assert (again["written"], again["unchanged"]) == (0, COMMENTS)
