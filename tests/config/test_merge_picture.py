import re

from config.merge_picture import MOST_NOT_SHOWN, Picture, picture_of
from dynapages.lists import Order, PageRequest, Run, explain
from dynapages_testing.merged_lists import INDEX, MergedList, Thing


def picture(size: int, **partitions: str) -> Picture:
    things = [Thing(name, "", place) for name, row in partitions.items() for place in row]
    listing = MergedList([Run(INDEX, name) for name in partitions], things)
    page = listing.read(PageRequest(size), Order.OLDEST_FIRST)
    return picture_of(explain(page, plan="by_kind"))


def columns(path: str) -> list[int]:
    return [int(x) // 18 for x in re.findall(r"M(\d+) ", path)]


class TestAPicture:
    def test_draws_each_item_in_the_lane_of_its_query(self):
        first, second = picture(4, A="adf", B="bc").lanes
        assert (columns(first.shown), columns(second.shown)) == ([1, 4], [2, 3])

    def test_joins_each_item_to_the_page(self):
        found = picture(4, A="adf", B="bc")
        first, _ = found.lanes
        assert first.joins == f"M18 {first.y}V{found.page_y}M72 {first.y}V{found.page_y}"
        assert columns(found.page) == [1, 2, 3, 4]

    def test_puts_what_is_not_shown_behind_the_page(self):
        first, second = picture(3, A="adf", B="bc").lanes
        assert (columns(first.not_shown), columns(second.not_shown)) == ([5, 6], [])

    def test_counts_what_has_no_room(self):
        (lane,) = picture(8, A="abcdefghi").lanes
        assert (len(columns(lane.not_shown)), lane.more) == (1, 0)
        first, second = picture(20, A="abcdefghijklmnopqrst", B="uvwxyz").lanes
        assert lane.more == first.more == second.more == 0
        first, second = picture(9, A="abcdefghi", B="stuvwxyzz"[:8]).lanes
        assert len(columns(second.not_shown)) == MOST_NOT_SHOWN
        assert second.more == 2

    def test_has_the_sort_key_of_each_item_of_the_page(self):
        found = picture(3, A="adf", B="bc")
        assert found.items == [(18, "a"), (36, "b"), (54, "c")]

    def test_is_wide_enough_for_each_key_and_place(self):
        name = "PRODUCT#enamelled-frying-pan/en/5"
        assert picture(1, A="a").width < picture(1, **{name: "a"}).width == 8 * len(name)

    def test_leaves_out_a_query_that_was_not_made(self):
        listing = MergedList([Run(INDEX, "A"), Run(INDEX, "B", until="a")], [Thing("A", "", "b")])
        page = listing.read(PageRequest(2, Thing("A", "", "a").position()), Order.OLDEST_FIRST)
        assert [lane.key for lane in picture_of(explain(page, plan="x")).lanes] == ["A"]
