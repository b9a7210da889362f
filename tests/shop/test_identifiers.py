"""Identifiers of other systems: allowed ones are kept, others are mapped, always alike."""

import re

import pytest

from shop.accounts.names import LONGEST_USERNAME, USERNAME
from shop.identifiers import product_id_of, user_name_of

NASTY = ["a b", "a/b", "a-b/", "#", "..", "é", "日本", "-a", "x" * 200, "é" * 200, "a\tb", "%2F"]
ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def name_of(original: str) -> str:
    return user_name_of(original, allowed=USERNAME, longest=LONGEST_USERNAME)


class TestAnIdOfAProduct:
    @pytest.mark.parametrize("allowed", ["a", "42", "B00-x_1.2", "x" * 128])
    def test_is_kept_where_it_is_allowed(self, allowed):
        assert product_id_of(allowed) == allowed

    @pytest.mark.parametrize("original", NASTY)
    def test_is_mapped_to_an_allowed_one(self, original):
        assert ID.fullmatch(product_id_of(original))

    def test_is_mapped_alike_at_any_time(self):
        assert product_id_of("SO/2015 №7") == "SO-2015-No7-7a44ab68"

    def test_shows_what_it_is_made_of(self):
        assert re.fullmatch(r"Cafe-creme-[0-9a-f]{8}", product_id_of("Café/crème"))

    def test_is_none_where_there_is_no_text(self):
        with pytest.raises(ValueError, match="no identifier"):
            product_id_of("")


class TestAUserName:
    @pytest.mark.parametrize("allowed", ["ann", "ann.lee_7", "Ann"])
    def test_is_kept_in_lower_case_where_it_is_allowed(self, allowed):
        assert name_of(allowed) == allowed.lower()

    @pytest.mark.parametrize("original", [*NASTY, "u1", "7", "ann@example.com"])
    def test_is_mapped_to_an_allowed_one(self, original):
        assert USERNAME.fullmatch(name_of(original))


@pytest.mark.parametrize("rule", [product_id_of, name_of])
def test_different_originals_do_not_meet(rule):
    originals = [*NASTY, "a-b", "a b ", "a  b", "a_b/", "u1", "U 1", "u 1"]
    assert len({rule(original) for original in originals}) == len(originals)
