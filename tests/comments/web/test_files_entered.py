"""How many files a reader has to know to follow a request."""

import pytest

from tests.support.comments.browsing import HTMX
from tests.support.comments.writers import (
    WORDS,
    load_older,
    made_product,
    new_url,
    nobody,
    someone,
)
from tests.support.entered import files_entered

pytestmark = [pytest.mark.real_engine, pytest.mark.usefixtures("tables")]

MOST_OF_A_LIST = 54
"""Wanted: 42."""
MOST_OF_A_POST = 66
"""Wanted: 52."""


class TestTheFilesEntered:
    def test_by_a_list_of_comments_are_few(self):
        visitor, product_id = nobody(), made_product()
        load_older(product_id, count=60)
        url = f"/products/{product_id}/comments/en/1.2.5/"

        def read() -> None:
            assert visitor.browser.get(url, headers=HTMX).status_code == 200

        for _ in range(2):
            read()
        entered = files_entered(read)
        assert "comments/views.py" in entered
        assert len(entered) <= MOST_OF_A_LIST, sorted(entered)

    def test_by_a_posted_comment_are_few(self):
        author, product_id = someone("author"), made_product()
        author.has_written(product_id)
        form = {**author.open_form(product_id), **WORDS}

        def post() -> None:
            assert author.send(new_url(product_id), form).status_code == 302

        entered = files_entered(post)
        assert "comments/posting/services.py" in entered
        assert len(entered) <= MOST_OF_A_POST, sorted(entered)
