"""What keeps the comparison of designs honest, and the shop unharmed."""

import pytest

from comments.filters import CommentFilter
from comments.models import Comment
from dynapages.process import client
from lab.bench.readers import WrongAnswer
from lab.designs import measuring
from lab.designs.comments import (
    CopyForEverySet,
    QueryAndFilter,
    choose_filters,
    compare_comments,
    load_sample,
)
from lab.designs.measuring import NeverConsistent, pages_of
from tests.support.lab.labs import NOW, PAGE_SIZE, QUIET, lab_engine

on_dynoxide = [pytest.mark.real_engine, pytest.mark.usefixtures("dynoxide")]


def compared(design):
    with lab_engine():
        comments = load_sample(60, now=NOW)
        compare_comments(comments, page_size=PAGE_SIZE, progress=QUIET, designs=[design])


class WithoutTheFirst(QueryAndFilter):
    """A design whose pages lack an item."""

    def read_list(self, product_id, chosen, request):
        return super().read_list(product_id, chosen, request)[1:]


class WithoutHandler(CopyForEverySet):
    """A design whose copies nobody makes."""

    def follow(self):
        """Do nothing."""


class TestADesign:
    pytestmark = on_dynoxide

    def test_that_answers_wrongly_is_not_measured(self):
        with pytest.raises(WrongAnswer, match="as “filter” reads it"):
            compared(WithoutTheFirst)

    def test_whose_write_never_arrives_ends_the_run(self, monkeypatch):
        monkeypatch.setattr(measuring, "CONSISTENT_SECONDS", 0.1)
        with pytest.raises(NeverConsistent, match="sets"):
            compared(WithoutHandler)

    def test_leaves_the_tables_of_the_site_alone(self, tables):
        name = Comment.Meta.table_name
        before = client().describe_table(TableName=name)["Table"]["TableArn"]
        compared(QueryAndFilter)
        assert client().describe_table(TableName=name)["Table"]["TableArn"] == before


class TestTheLists:
    def test_are_a_popular_a_rare_and_a_four_of_five_filter(self):
        comments = load_sample(600, now=NOW).of_product
        popular, rare, four = choose_filters(comments, size=5).values()
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
    def test_are_read_at_the_first_page_the_hundredth_or_middle_one_and_the_last(
        self, items, pages
    ):
        assert pages_of(items, size=5) == pages
