"""A comment as items: what is stored where, and that a list entry is lean."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from comments.filters import CommentFilter
from comments.items import EXCERPT, LONGEST_LISTED_TEXT, excerpt, items_of
from comments.lists.queries import find_comment, list_comments
from comments.models import All, ByLanguage, ByLanguageAndRating, ByRating
from comments.store.counts import read_counts
from dynapages.lists import PageRequest
from tests.support.comments.loading import load
from tests.support.comments.truth import written

INDEXES = (All, ByLanguage, ByRating, ByLanguageAndRating)


class TestKeys:
    def test_name_the_filter_values_of_their_index(self):
        raw = items_of(written("lamp", language="de", rating=2))[0].serialize()
        partitions = [raw[index.partition.attr_name]["S"] for index in INDEXES]
        assert partitions == [f"PRODUCT#lamp{values}" for values in ("", "/de", "/2", "/de/2")]

    def test_sort_by_the_moment_wherever_it_was_written(self):
        tokyo = timezone(timedelta(hours=9))
        item, _ = items_of(written("lamp", created_at=datetime(2026, 1, 1, 8, tzinfo=tokyo)))
        assert item.place.startswith("2025-12-31T23:00:00.000000Z#")

    def test_are_not_made_of_a_moment_without_a_zone(self):
        with pytest.raises(ValueError, match="time zone"):
            items_of(written("lamp", created_at=datetime(2026, 1, 1)))  # noqa: DTZ001 - the point


class TestListEntry:
    def test_holds_nothing_that_its_partition_key_tells(self):
        language, rating = "g", "s"
        projected = [set(index.Meta.projection.non_key_attributes) for index in INDEXES]
        assert [{language, rating} & names for names in projected] == [
            {language, rating}, {rating}, {language}, set(),
        ]  # fmt: skip

    def test_leaves_out_what_is_empty(self):
        raw = items_of(written("lamp", author="", title="", body=""))[0].serialize()
        assert not {"u", "t", "x", "m"} & set(raw)


class TestLongBody:
    @pytest.mark.parametrize("body", ["x" * LONGEST_LISTED_TEXT, "ü" * (LONGEST_LISTED_TEXT // 2)])
    def test_of_320_bytes_still_travels_in_lists(self, body):
        item, apart = items_of(written("lamp", body=body))
        assert (item.text, apart) == (body, None)

    @pytest.mark.parametrize(
        "body", ["x" * (LONGEST_LISTED_TEXT + 1), "ü" * (LONGEST_LISTED_TEXT // 2 + 1)]
    )
    def test_of_a_byte_more_is_an_item_of_its_own(self, body):
        item, apart = items_of(written("lamp", body=body))
        assert apart is not None
        assert (apart.pk, apart.text) == (item.pk, body)
        assert len(item.text.encode()) <= LONGEST_LISTED_TEXT
        assert item.body_bytes == len(body.encode())

    @pytest.mark.parametrize("body", ["word " * 400, "🦊" * 700, "x" * 3_000, " " * 2_000 + "x"])
    def test_is_shown_by_an_excerpt_of_its_beginning(self, body):
        shown = excerpt(body)
        assert shown.endswith("…")
        assert body.startswith(shown[:-1])
        assert len(shown[:-1].encode()) <= EXCERPT
        assert len(shown[:-1].strip()) > 0 or not body[:240].strip()


@pytest.mark.usefixtures("tables")
class TestStoredComment:
    @pytest.mark.parametrize("body", ["", "two\n\nparagraphs", "long 🦊 " * 500])
    @pytest.mark.parametrize("chosen", [((), ()), (("ja",), ()), ((), (2,)), (("ja",), (2,))])
    def test_is_read_back_as_it_was_written(self, fresh, body, chosen):
        product_id = fresh("product")
        moment = datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)
        comment = written(
            product_id, language="ja", rating=2, created_at=moment, title="題", body=body
        )
        load([comment])
        counts, request = read_counts(product_id), PageRequest(5)
        (entry,) = list_comments(
            product_id, CommentFilter.of(*chosen), request, counts=counts
        ).comments
        assert (entry.language, entry.rating, entry.created) == ("ja", 2, moment)
        assert (entry.author, entry.title) == ("Ada", "題")
        assert find_comment(comment.id).body == body
        assert entry.text == body or entry.is_long
