"""What copies take, as they are and compressed, computed from the items that the site derives."""

from datetime import timedelta
from math import ceil

import pytest

from comments.sets.copies import copies_of
from dynapages.items import item_bytes
from lab.bench.readers import WrongAnswer
from lab.sets import compressed
from lab.sets.compressed import (
    LONG,
    LONG_WHOLE,
    PLAIN,
    REVIEWS,
    SAMPLE,
    Primaries,
    all_primaries,
    entry_of,
    page_bytes,
    primaries_of,
    time_ways,
    weigh,
    whole_primaries_of,
)
from lab.sets.packing import Deflate
from tests.support.comments.truth import START, written
from tests.support.lab.labs import NOW, QUIET

WORDS = "The lamp gives a warm light, and the switch is easy to find. "


def comments(number: int, *, body: str = WORDS):
    """Comments a minute apart on one product, each of which says something of its own."""
    return [
        written(
            "p",
            id=f"comment-{n:04}",
            created_at=START + timedelta(minutes=n),
            title=f"Lamp {n}",
            body=body,
        )
        for n in range(number)
    ]


def weights_of(primaries: list) -> dict:
    """The weights of a few primaries by the name of the way, for pages of two."""
    data = Primaries("made", "made comments", primaries[:5], primaries[5:])
    return {weight.way: weight for weight in weigh(data, 2).weights}


class TestWeights:
    def test_of_copies_as_they_are_are_those_of_the_items(self):
        primaries = primaries_of(comments(8))
        plain = weights_of(primaries)[PLAIN]
        copies = [copy for primary in primaries[:5] for copy in copies_of(primary)]
        mean = sum(item_bytes(copy) for copy in copies) / len(copies)
        assert plain.item_bytes == pytest.approx(mean, abs=0.1)
        assert plain.write_units == 62
        # The newest page reads two and one more, and so does the one behind it.
        assert plain.page_bytes == pytest.approx(3 * item_bytes(entry_of(primaries[0])), abs=3)
        assert plain.page_units == 0.5

    def test_of_copies_that_fill_several_write_units(self):
        primaries = whole_primaries_of(comments(8, body=WORDS * 40))
        plain = weights_of(primaries)[PLAIN]
        units = 0
        for copy in copies_of(primaries[0]):
            units += ceil(item_bytes(copy) / 1_024) + ceil(item_bytes(entry_of(copy)) / 1_024)
        assert plain.write_units == units == 31 * 6

    def test_are_smaller_where_texts_are_long_or_like_the_samples(self):
        short = weights_of(primaries_of(comments(8)))
        assert short["zlib with a dictionary"].item_bytes < short[PLAIN].item_bytes / 1.4
        long = weights_of(whole_primaries_of(comments(8, body=WORDS * 40)))
        for way in long.keys() - {PLAIN}:
            assert long[way].write_units == 62
            assert long[way].stored_bytes < long[PLAIN].stored_bytes / 3

    def test_differ_between_copies_by_their_payload_alone(self):
        weights = weights_of(primaries_of(comments(8)))
        kept = {round(weight.item_bytes - weight.payload_bytes) for weight in weights.values()}
        assert len(kept) == 1

    def test_are_of_nothing_that_cannot_be_read_again(self, monkeypatch):
        monkeypatch.setattr(Deflate, "decompress", lambda _self, _compressed: b'{"x":"other"}')
        with pytest.raises(WrongAnswer, match="zlib does not give back COMMENT#comment-0000"):
            weights_of(primaries_of(comments(8)))


def test_an_entry_is_what_the_index_has_of_an_item():
    (primary,) = primaries_of(comments(1))
    copy = copies_of({**primary, "n": {"N": "3"}})[0]
    assert entry_of(copy).keys() == primary.keys()


class TestPages:
    def test_are_full_ones_with_the_entry_behind_them(self):
        entries = [("p", f"{n}", 10**n) for n in range(5)]
        assert page_bytes(entries, 2) == [11_100, 111]

    def test_are_of_one_list_each(self):
        entries = [("p", "1", 1), ("p", "2", 2), ("q", "1", 10), ("q", "2", 20)]
        assert page_bytes(entries, 1) == [3, 30]


class TestTheData:
    @pytest.fixture
    def few(self, monkeypatch, tmp_path):
        monkeypatch.setattr(compressed, "SAMPLE_COMMENTS", 30)
        monkeypatch.setattr(compressed, "LONG_COMMENTS", 20)
        monkeypatch.setenv("REAL_DATA_DIR", str(tmp_path))  # where there are none

    @pytest.mark.usefixtures("few")
    def test_has_samples_that_are_not_weighed(self):
        all_data = list(all_primaries(NOW))
        assert [data.name for data in all_data] == [SAMPLE, LONG, LONG_WHOLE]
        for data in all_data:
            weighed = {item["pk"]["S"] for item in data.weighed}
            samples = {item["pk"]["S"] for item in data.samples}
            assert samples
            assert not weighed & samples

    @pytest.mark.usefixtures("few")
    def test_has_real_reviews_where_there_are_any(self, monkeypatch, tmp_path):
        monkeypatch.setattr(compressed, "real_reviews", lambda: tmp_path / "reviews.csv")
        made = comments(40)
        monkeypatch.setattr(compressed.WordData, "comments", lambda _self: made)
        assert REVIEWS in [data.name for data in all_primaries(NOW)]

    def test_has_long_texts_whole_that_the_site_cuts(self):
        long = comments(2, body=WORDS * 40)
        whole, cut = whole_primaries_of(long)[0], primaries_of(long)[0]
        assert whole["x"]["S"] == long[0].body
        assert whole["pk"] == cut["pk"]
        assert len(cut["x"]["S"]) < 320


def test_each_way_is_timed():
    primaries = primaries_of(comments(8))
    data = Primaries("made", "made comments", primaries[:5], primaries[5:])
    efforts = time_ways(data, 2, turns=1, progress=QUIET)
    assert [effort.way for effort in efforts] == ["zlib", "zlib with a dictionary", "bz2", "lzma"]
