"""Lists of comments by any languages and ratings, walked in both directions."""

from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest

from comments.testing import make_comment
from sample_project.pages import ids_in, text_of, walked

START = datetime(2026, 1, 1, tzinfo=UTC)
LANGUAGES = ("de", "en", "fr")
COUNT = 37


@pytest.fixture
def loaded(tables):
    """Comments of three languages and five ratings, newest first; three at each moment."""
    made = [
        make_comment(
            "lamp",
            language=LANGUAGES[number % 3],
            rating=number % 5 + 1,
            created_at=START + timedelta(hours=number // 3),
        )
        for number in range(COUNT)
    ]
    return sorted(made, key=lambda one: (one.created_at, one.id), reverse=True)


@pytest.mark.parametrize(
    ("languages", "ratings"),
    [("~", "~"), ("de.en", "1.5"), ("fr", "~"), ("~", "2.3.4"), ("en", "5")],
)
class TestAList:
    def test_has_each_comment_once_and_in_order_there_and_back(
        self, loaded, visitor, languages, ratings
    ):
        wanted = [
            one.id
            for one in loaded
            if (languages == "~" or one.language in languages.split("."))
            and (ratings == "~" or str(one.rating) in ratings.split("."))
        ]
        url = f"/reviews/products/lamp/comments/{languages}/{ratings}/"
        there, last = walked(visitor, url, "next")
        back, _first = walked(visitor, last, "prev")
        assert [*chain(*there)] == wanted
        assert [*chain(*back[::-1])] == wanted


class TestThePageOfAProduct:
    def test_shows_the_newest_comments_of_this_product_alone(self, loaded, visitor):
        other = make_comment("chair")
        assert ids_in(text_of(visitor, "/reviews/products/lamp/"))[0] == loaded[0].id
        assert ids_in(text_of(visitor, "/reviews/products/chair/")) == [other.id]


class TestASearch:
    def test_finds_comments_by_other_forms_of_a_word(self, tables, visitor):
        found = make_comment("lamp", language="de", body="Zwei Lampen für den Flur.")
        make_comment("lamp", language="de", body="Sie ist schön hell.")
        page = text_of(visitor, "/reviews/products/lamp/comments/~/~/?q=Lampe")
        assert ids_in(page) == [found.id]
