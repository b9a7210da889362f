"""A count that is wrongly zero hides nothing for good, and is put right."""

from datetime import timedelta

import pytest

from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.empty_partitions import MOST_CHECKED
from comments.lists.queries import CommentPage, list_comments
from comments.store.counts import counts_of
from dynamo.lists.reader import PageRequest
from tests.support.comments.loading import load
from tests.support.comments.miscounting import settle
from tests.support.comments.truth import START

pytestmark = pytest.mark.usefixtures("tables")
THREES_AND_FIVES = CommentFilter.of(["en"], [3, 5])


def make(product_id: str, *, count: int = 24) -> list[NewComment]:
    """Comments in English that are rated 3 and 5 by turns."""
    return [
        NewComment(
            id=f"{product_id}-{number:03}",
            product_id=product_id,
            language="en",
            rating=3 if number % 2 else 5,
            created_at=START + timedelta(minutes=number),
            body="…",
        )
        for number in range(count)
    ]


def pages(product_id: str, chosen: CommentFilter, *, size: int) -> list[CommentPage]:
    found = []
    request: PageRequest | None = PageRequest(size)
    while request:
        page = list_comments(product_id, chosen, request, counts=counts_of(product_id))
        found.append(page)
        position = page.page.entries[-1].position if page.page.has_next else None
        request = PageRequest(size, position) if position else None
    return found


@pytest.fixture
def product_id(fresh):
    product_id = fresh("miscounted")
    load(make(product_id))
    settle(product_id, {"en.3": 0})
    return product_id


class TestAPartitionWronglyHeldForEmpty:
    def test_is_not_read_before_the_last_page(self, product_id):
        first = pages(product_id, THREES_AND_FIVES, size=5)[0]
        assert {comment.rating for comment in first.comments} == {5}

    def test_is_shown_on_the_last_page_at_the_latest(self, product_id):
        found = pages(product_id, THREES_AND_FIVES, size=5)
        ids = [comment.id for page in found for comment in page.comments]
        assert sorted(ids) == [comment.id for comment in make(product_id)]

    def test_is_in_its_place_where_one_page_holds_all(self, product_id):
        (page,) = pages(product_id, THREES_AND_FIVES, size=50)
        assert [c.id for c in page.comments] == [c.id for c in reversed(make(product_id))]

    def test_is_found_when_nothing_else_is_in_the_list(self, product_id):
        (page,) = pages(product_id, CommentFilter.of(["en"], [3]), size=20)
        assert len(page.comments) == 12

    @pytest.mark.fallback
    def test_is_counted_right_from_then_on(self, product_id):
        pages(product_id, THREES_AND_FIVES, size=5)
        counts = counts_of(product_id, consistent=True)
        assert counts.cells == {("en", 3): 12, ("en", 5): 12}

    def test_is_in_its_place_for_the_next_reader(self, product_id):
        pages(product_id, THREES_AND_FIVES, size=5)
        found = pages(product_id, THREES_AND_FIVES, size=5)
        ids = [comment.id for page in found for comment in page.comments]
        assert ids == [comment.id for comment in reversed(make(product_id))]

    @pytest.mark.real_engine
    def test_is_found_by_some_reader_where_there_are_many(self, product_id):
        chosen = CommentFilter.of(["da", "de", "en", "es", "fr", "it", "nl", "pt"], [3, 5])
        for _ in range(20):
            (page,) = pages(product_id, chosen, size=50)
            late = [read for read in page.shown.reads if read not in page.page.reads]
            assert len(late) <= MOST_CHECKED
            if len(page.comments) == 24:
                return
        raise AssertionError("no reader found it")


class TestAPartitionThatIsEmpty:
    def test_changes_nothing(self, fresh):
        product_id = fresh("counted")
        load(make(product_id))
        chosen = CommentFilter.of(["en", "de"], [1, 5])
        before = counts_of(product_id, consistent=True)
        (page,) = pages(product_id, chosen, size=20)
        assert {comment.rating for comment in page.comments} == {5}
        assert counts_of(product_id, consistent=True) == before
