"""``bench searches``: what is drawn, what is expected, and what its walks call wrong."""

from dataclasses import replace
from datetime import timedelta
from random import Random

import pytest

from comments.filters import CommentFilter
from comments.lists.orders import CommentOrder
from comments.search.words import parse_search
from dynapages.django.options import Progress
from dynapages.engine.server import find_dynoxide
from lab.bench import searches
from lab.bench.searches import (
    ApiReader,
    HtmlReader,
    draw_search,
    expected_ids,
    known_comments,
    measure_searches,
    searches_section,
)
from lab.reports.results import Results
from tests.support.comments.truth import numbered_comments, written
from tests.support.project import PROJECT

COMMENTS = known_comments(
    [
        written("p", id="old", language="is", rating=1, body="red pan"),
        *numbered_comments("p", count=20, languages=("is",)),
        written("p", id="ja", language="ja", rating=3, body="電池がすぐに切れる"),
    ]
)


class TestWhatIsExpected:
    def test_is_every_comment_with_all_words_in_order(self):
        found, anything = parse_search("comment number"), CommentFilter()
        newest = expected_ids(COMMENTS, found, anything, CommentOrder.NEWEST)
        assert len(newest) == 20
        assert expected_ids(COMMENTS, found, anything, CommentOrder.OLDEST) == newest[::-1]

    def test_is_in_the_chosen_languages_and_ratings_alone(self):
        found = parse_search("pan red")
        chosen = CommentFilter.of(["is"], [1])
        assert expected_ids(COMMENTS, found, chosen, CommentOrder.NEWEST) == ["old"]
        for other in (CommentFilter.of(["ja"]), CommentFilter.of((), [2])):
            assert expected_ids(COMMENTS, found, other, CommentOrder.NEWEST) == []

    def test_is_one_group_of_languages_after_the_other_where_there_are_many(self):
        """The rarest language is in the second group, although its comment is the newest."""
        codes = (
            *("af", "be", "br", "bs", "cy", "fo", "ga", "gd"),
            *("gl", "is", "ka", "kk", "lb", "lv", "mk", "mt"),
        )
        known = [
            written("p", id=f"{code}{number}", language=code, body="red pan")
            for code in codes
            for number in range(2)
        ]
        newest = written("p", id="newest", language="sq", body="red pan")
        newest = replace(newest, created_at=newest.created_at + timedelta(days=1))
        every = known_comments([*known, newest])
        for order in (CommentOrder.NEWEST, CommentOrder.OLDEST):
            ids = expected_ids(every, parse_search("pan"), CommentFilter(), order)
            assert len(ids) == 2 * 16 + 1
            assert ids[-1] == "newest"


class TestADrawnSearch:
    def test_has_words_of_a_comment_and_is_the_same_for_the_same_seed(self):
        drawn = [draw_search(Random(seed), COMMENTS) for seed in range(40)]
        assert [str(one) for one in drawn] == [
            str(draw_search(Random(seed), COMMENTS)) for seed in range(40)
        ]
        assert {len(one.search.words) for one in drawn} >= {1, 2, 3}
        assert {one.order for one in drawn} == {CommentOrder.NEWEST, CommentOrder.OLDEST}
        assert any(one.chosen.languages for one in drawn)
        assert any(one.chosen.ratings for one in drawn)

    def test_is_in_all_languages_where_that_is_asked_for(self):
        drawn = [draw_search(Random(n), COMMENTS, in_all_languages=True) for n in range(20)]
        assert {one.chosen.languages for one in drawn} == {()}


class TestAReader:
    def test_reads_the_links_and_comments_of_a_page(self):
        body = """<li data-comment-id="a&amp;b"></li>
        <a class="button" rel="prev" href="/x?q=a&amp;before=t#list">Newer</a>
        <a rel="last" href="/x?before=end">Last page</a>"""
        answer = HtmlReader().answer(body)
        assert (answer.ids, answer.previous, answer.next) == (["a&b"], "/x?q=a&before=t", None)
        assert answer.last == "/x?before=end"

    def test_reads_those_of_an_answer_of_the_api(self):
        body = '{"items": [{"id": "a"}], "next": "/n", "previous": null, "last": null, "total": 1}'
        answer = ApiReader().answer(body)
        assert (answer.ids, answer.next, answer.previous, answer.total) == (["a"], "/n", None, 1)


@pytest.mark.real_engine
@pytest.mark.slow
def test_searches_of_made_comments_are_right_and_cost_what_is_promised(
    tmp_path, settings, monkeypatch
):
    if find_dynoxide(PROJECT) is None:
        pytest.skip("dynoxide is not installed")
    settings.VAR_DIR = tmp_path
    monkeypatch.setenv("REAL_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(searches, "MADE", 600)
    found = Results(
        measure_searches(searches=20, every=1, seed=1, fresh=True, progress=Progress(shown=False))
    )
    assert "Made comments" in found.value("data")
    section = searches_section(found)
    assert section.holds, section.text()
