"""How many files a reader has to know to follow a request, its threads included."""

import pytest
from django.core.cache import cache

from dynamo.calls.client import connect, current_connection
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

MOST_OF_A_LIST = 42
MOST_OF_A_POST = 49


class TestTheFilesEntered:
    def test_by_a_list_of_comments_are_few(self):
        visitor, (product_id, another) = nobody(), (made_product(), made_product())
        for each in (product_id, another):
            load_older(each, count=60)

        def read(product: str) -> None:
            url = f"/products/{product}/comments/en/1.2.5/"
            assert visitor.browser.get(url, headers=HTMX).status_code == 200

        read(another)  # what is done once in a process is done
        cache.clear()
        connect(current_connection())  # with new threads, which are watched
        entered = files_entered(lambda: read(product_id))
        assert {"comments/views.py", "dynamo/calls/attempts.py"} <= entered
        assert len(entered) <= MOST_OF_A_LIST, sorted(entered)

    def test_by_a_posted_comment_are_few(self):
        author, product_id = someone("author"), made_product()
        author.write(product_id)
        form = {**author.open_form(product_id), **WORDS}

        def post() -> None:
            assert author.send(new_url(product_id), form).status_code == 302

        connect(current_connection())  # with new threads, which are watched
        entered = files_entered(post)
        assert "comments/posting/services.py" in entered
        assert len(entered) <= MOST_OF_A_POST, sorted(entered)
