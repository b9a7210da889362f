"""Identifiers of other systems: allowed ones are kept, others are mapped, always alike."""

import re

import pytest

from dynapages.files.identifiers import identifier_of, mapped_identifier

NASTY = ["a b", "a/b", "a-b/", "#", "..", "é", "日本", "-a", "x" * 200, "é" * 200, "a\tb", "%2F"]
LOOK_ALIKES = [*NASTY, "a-b", "a b ", "a  b", "a_b/", "u1", "U 1", "u 1"]
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class TestAnIdentifier:
    @pytest.mark.parametrize("allowed", ["a", "42", "B00-x_1.2", "x" * 128])
    def test_is_kept_where_it_is_allowed(self, allowed):
        assert identifier_of(allowed) == allowed

    @pytest.mark.parametrize("original", NASTY)
    def test_is_mapped_to_an_allowed_one(self, original):
        assert ID.fullmatch(identifier_of(original))

    @pytest.mark.parametrize("original", NASTY)
    def test_may_be_mapped_to_fewer_characters(self, original):
        assert len(mapped_identifier(original, 11)) <= 11

    def test_is_mapped_alike_at_any_time(self):
        assert identifier_of("SO/2015 №7") == "SO-2015-No7-7a44ab68"

    def test_shows_what_it_is_made_of(self):
        assert re.fullmatch(r"Cafe-creme-[0-9a-f]{8}", identifier_of("Café/crème"))

    def test_is_none_where_there_is_no_text(self):
        with pytest.raises(ValueError, match="no identifier"):
            identifier_of("")

    def test_differs_where_originals_do(self):
        assert len({identifier_of(one) for one in LOOK_ALIKES}) == len(LOOK_ALIKES)
