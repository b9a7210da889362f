"""Compressed set items: nothing is lost, and what the database reads stays as it was."""

import pytest

from comments.items import items_of
from comments.sets.copies import AUTO, copies_of, primary_of
from dynapages.items import item_bytes
from lab.sets.packing import (
    DICTIONARY_BYTES,
    PACKED,
    Deflate,
    DeflateWithDictionary,
    dictionary_of,
    packings,
)
from tests.support.comments.truth import written

REPLY = {"x": {"S": "Danke für die Zeilen!"}, "at": {"S": "2026-11-20T09:30:00.000000Z"}}
TEXT = "It gives a warm light, and 日本語 as well. 🙂 " * 12


def primary(comment_id: str = "one", **attributes: object) -> dict:
    """A set item with all that a list can show."""
    comment, _body = items_of(written("p", id=comment_id, title="Warm", body=TEXT))
    item = {**comment.serialize(), "i": {"S": "alice"}, "v": {"BOOL": True}, "y": {"M": REPLY}}
    return {**primary_of(item), "n": {"N": "3"}, **attributes}


SAMPLES = [primary(f"sample-{number}") for number in range(3)]
WAYS = {way.name: way for way in packings(SAMPLES)}


@pytest.mark.parametrize("name", list(WAYS))
class TestEachWay:
    def test_gives_back_what_it_was_given(self, name):
        for item in (primary(), *copies_of(primary())):
            assert WAYS[name].unpack(WAYS[name].pack(item)) == item

    def test_gives_back_an_item_that_shows_nothing(self, name):
        bare = {key: primary()[key] for key in ("pk", "sk", "o", "g", "s")}
        assert WAYS[name].unpack(WAYS[name].pack(bare)) == bare

    def test_leaves_what_the_database_reads(self, name):
        copy = copies_of(primary())[0]
        packed = WAYS[name].pack(copy)
        assert packed.keys() == {"pk", "sk", "o", "g", "s", "n", AUTO, PACKED}
        for plain in packed.keys() - {PACKED}:
            assert packed[plain] == copy[plain]


class TestADictionary:
    def test_holds_payloads_of_samples_up_to_its_length(self):
        dictionary = dictionary_of(primary(f"c-{number}") for number in range(1_000))
        assert len(dictionary) == DICTIONARY_BYTES
        assert b"alice" in dictionary

    def test_makes_items_smaller_that_are_like_the_samples(self):
        with_it = DeflateWithDictionary(dictionary_of(SAMPLES)).pack(primary())
        assert item_bytes(with_it) < item_bytes(Deflate().pack(primary()))
