"""What keeps the lab honest, and the shop unharmed."""

from dataclasses import replace

import pytest

from comments.filters import CommentFilter
from dynapages.calls import Batches
from dynapages.process import client, pool
from lab.bench.pages import WrongAnswer
from lab.designs import comments as lab_comments
from lab.designs import measuring
from lab.designs import run as lab_run
from lab.designs.comments import FILTER, SETS, compare_comments, questions, sample
from lab.designs.measuring import Layout, NeverConsistent, OutsideTheLab, pages_of
from lab.designs.run import InexactEngine, require_exact
from shop.models import ShopItem
from tests.support.lab.labs import NOW, lab_tables, small_lab

pytestmark = pytest.mark.usefixtures("tables")

ITEM = {"pk": {"S": "LAB#test"}, "sk": {"S": "LAB#test"}}


@pytest.fixture(autouse=True)
def impatience(monkeypatch):
    monkeypatch.setattr(measuring, "SETTLING", 0.0)


class TestAWrongAnswer:
    @pytest.mark.real_engine
    def test_is_refused_before_anything_is_counted(self, monkeypatch):
        lacking = replace(FILTER, read=lambda *asked: FILTER.read(*asked)[1:])
        monkeypatch.setattr(lab_comments, "DESIGNS", (lacking,))
        with small_lab() as lab, pytest.raises(WrongAnswer, match="as “filter” reads it"):
            compare_comments(lab, sample(60, now=NOW))
        assert lab_tables() == []


class TestAnIndexThatLagsBehind:
    @pytest.mark.real_engine
    def test_is_waited_for(self, monkeypatch):
        monkeypatch.setattr(measuring, "SETTLING", 30.0)
        monkeypatch.setattr(measuring, "_PAUSE", 0.01)  # between looks
        asked: list[object] = []

        def late(*question):
            asked.append(question)
            return FILTER.read(*question)[: len(asked) - 1]

        monkeypatch.setattr(lab_comments, "DESIGNS", (replace(FILTER, read=late),))
        with small_lab() as lab:
            found = compare_comments(lab, sample(60, now=NOW))
        assert found.number("items") == 5


class TestTheTablesOfALab:
    @pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError, SystemExit])
    def test_are_removed_whatever_ends_it(self, failure):
        with pytest.raises(failure), small_lab() as lab:  # noqa: PT012 - the block is the test
            lab.make(Layout("first", ShopItem))
            lab.make(Layout("second", ShopItem, ("queue",)))
            raise failure
        assert lab_tables() == []


class TestTheShopsTables:
    def test_cannot_be_written_to_by_batches_or_transactions(self):
        put = {"Put": {"TableName": ShopItem.Meta.table_name, "Item": ITEM}}
        with small_lab():
            with pytest.raises(OutsideTheLab):
                Batches(client(), pool()).put(ShopItem.Meta.table_name, [ITEM])
            with pytest.raises(OutsideTheLab):
                client().transact_write_items(TransactItems=[put])
        assert "Item" not in client().get_item(TableName=ShopItem.Meta.table_name, Key=ITEM)

    def test_are_stood_for_by_the_labs(self):
        with small_lab() as lab:
            made = lab.make(Layout("probe", ShopItem))
            batches = Batches(client(), pool())
            with lab.redirection.to(made.in_place):
                batches.put(ShopItem.Meta.table_name, [ITEM])
                found = batches.get(ShopItem.Meta.table_name, [ITEM])
        assert found == [ITEM]
        assert "Item" not in client().get_item(TableName=ShopItem.Meta.table_name, Key=ITEM)


class TestAnEngine:
    @pytest.mark.real_engine
    def test_that_charges_too_little_is_refused(self, monkeypatch):
        monkeypatch.setattr(lab_run, "WRITE_UNITS", 11)
        with small_lab() as lab, pytest.raises(InexactEngine, match="charges 10 units"):
            require_exact(lab)


class TestAWriteThatNeverArrives:
    @pytest.mark.real_engine
    def test_ends_the_run(self, monkeypatch):
        monkeypatch.setattr(measuring, "PATIENCE", 0.1)
        monkeypatch.setattr(lab_comments, "_following", lambda *_: lambda: None)  # no handler
        monkeypatch.setattr(lab_comments, "DESIGNS", (SETS,))
        with small_lab() as lab, pytest.raises(NeverConsistent, match="sets"):
            compare_comments(lab, sample(60, now=NOW))
        assert lab_tables() == []


class TestTheQuestions:
    def test_are_a_popular_a_rare_and_a_four_of_five_filter(self):
        listed = sample(600, now=NOW).listed
        asked = questions(listed, size=5)
        popular, rare, four = asked.values()
        assert popular == CommentFilter.of(ratings=[5])
        assert len(rare.languages) == len(rare.ratings) == 1
        assert four == CommentFilter.of(ratings=[1, 2, 4, 5])

    @pytest.mark.parametrize(
        ("items", "pages"),
        [
            (0, [1]),
            (3, [1]),
            (10, [1, 2]),
            (30, [1, 3, 6]),
            (500, [1, 50, 100]),
            (505, [1, 100, 101]),
        ],
    )
    def test_are_of_the_first_page_the_hundredth_or_middle_one_and_the_last(self, items, pages):
        assert pages_of(items, size=5) == pages
