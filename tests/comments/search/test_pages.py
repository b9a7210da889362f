"""The page of a search: its field, words, marks, sentences, limits, formats, and who sees what."""

from dataclasses import replace
from datetime import timedelta
from urllib.parse import urlencode

import pytest

from comments.search.words import LONGEST_SEARCH, MOST_WORDS
from tests.support.comments.browsing import HTMX, Shown
from tests.support.comments.options import comments_set
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.comments.writers import Writer, nobody, someone

pytestmark = pytest.mark.real_engine

BODIES = (
    "Der Akku ist leer.",
    "Akkus & <b>Kabel</b>, gut.",
    "Das Display ist gut.",
    "Akku leer, Kabel gut, Display neu.",
)


@pytest.fixture(scope="module", autouse=True)
def search(tables, engine_name):
    with searching(engine_name):
        yield


@pytest.fixture
def product(fresh):
    """A product with four German comments and an English one, the last written the newest."""
    product_id = fresh("searched")
    german = [
        written(
            product_id,
            id=f"{product_id}-{number}",
            language="de",
            created_at=START + timedelta(minutes=number),
            body=body,
        )
        for number, body in enumerate(BODIES)
    ]
    load_searched([*german, replace(german[0], id=f"{product_id}-en", language="en")])
    return product_id


def url_of(product_id: str, words: str, chosen: str = "de/~", **more: str) -> str:
    return f"/products/{product_id}/comments/{chosen}/?{urlencode({'q': words, **more})}"


def asked(product_id: str, words: str, chosen: str = "de/~", **more: str) -> Shown:
    return nobody().read(url_of(product_id, words, chosen, **more))


def numbers(shown: Shown) -> list[str]:
    return [one.rpartition("-")[2] for one in shown.comment_ids]


class TestThePageOfASearch:
    def test_shows_the_comments_with_all_words_newest_first(self, product):
        assert numbers(asked(product, "leer AKKU")) == ["3", "0"]

    def test_shows_them_oldest_first(self, product):
        url = f"/products/{product}/comments/de/~/?order=oldest&q=akku+leer"
        assert numbers(nobody().read(url)) == ["0", "3"]
