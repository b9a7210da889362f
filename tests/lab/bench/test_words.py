"""``bench words``: what is drawn, and what a search must find."""

from random import Random

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.search.words import parse_search
from lab.bench.words import draw_search, expected_ids, known_comments
from tests.support.comments.truth import numbered_comments, written

COMMENTS = known_comments(
    [
        written("p", id="old", language="is", rating=1, body="red pan"),
        *numbered_comments("p", count=20, languages=("is",)),
        written("p", id="ja", language="ja", rating=3, body="電池がすぐに切れる"),
    ]
)


class TestWhatIsExpected:
    def test_is_every_comment_with_all_words_in_order(self):
        search, anything = parse_search("comment number"), CommentFilter()
        newest = expected_ids(COMMENTS, search, anything, CommentOrder.NEWEST)
        assert len(newest) == 20
        assert expected_ids(COMMENTS, search, anything, CommentOrder.OLDEST) == newest[::-1]

    def test_is_in_the_chosen_languages_and_ratings_alone(self):
        search = parse_search("pan red")
        chosen = CommentFilter.of(["is"], [1])
        assert expected_ids(COMMENTS, search, chosen, CommentOrder.NEWEST) == ["old"]
        for other in (CommentFilter.of(["ja"]), CommentFilter.of((), [2])):
            assert expected_ids(COMMENTS, search, other, CommentOrder.NEWEST) == []


class TestADrawnSearch:
    def test_has_words_of_a_comment_and_is_the_same_for_the_same_seed(self):
        drawn = [draw_search(Random(seed), COMMENTS) for seed in range(40)]
        again = [draw_search(Random(seed), COMMENTS) for seed in range(40)]
        assert drawn == again
        assert {len(one.search.words) for one in drawn} >= {1, 2, 3}
        assert {one.order for one in drawn} == {CommentOrder.NEWEST, CommentOrder.OLDEST}
        assert any(one.chosen.languages for one in drawn)
        assert any(one.chosen.ratings for one in drawn)
