"""What the README's pictures show is still on the page that they are of."""

from datetime import timedelta

import pytest

from demo.screenshot import WORDS, WORDS_SHOWN
from tests.support.comments.searched import load_searched, searching
from tests.support.comments.truth import START, written
from tests.support.project import PROJECT

pytestmark = [pytest.mark.browser, pytest.mark.real_engine]

PAN = "pictured-pan"


@pytest.fixture(scope="module", autouse=True)
def pan(tables, engine_name):
    """A product with two pages of bad comments in two languages, of several months."""
    with searching(engine_name):
        load_searched(
            written(
                PAN,
                id=f"{PAN}-{number}",
                created_at=START - timedelta(days=number),
                language=("de", "en")[number % 2],
                rating=(1, 1, 2, 2, 5)[number % 5],
                body="It lasted a week.",
            )
            for number in range(60)
        )
        yield


def test_every_word_of_the_pictures_is_on_the_page(visitor):
    page = visitor.page
    page.goto(f"/products/{PAN}/comments/de.en/1.2/")
    page.locator("#explanation-chip").click()
    page.locator("#explanation").wait_for()
    recorded = (PROJECT / "docs" / WORDS).read_text("utf-8").splitlines()
    assert len(recorded) > 15
    assert set(recorded) - set(page.evaluate(WORDS_SHOWN)) == set()
