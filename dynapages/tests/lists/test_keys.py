from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import wire_value
from dynapages.lists.key_texts import END, plain_text, text_of, value_at, value_in

strings = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\0\1#"), max_size=8)
binaries = st.binary(max_size=8)
digits = st.integers(-(10**38) + 1, 10**38 - 1)


@st.composite
def numbers(draw: st.DrawFn) -> Decimal:
    """Draw any number of DynamoDB: 38 digits, 1E-130 to 9.9…E+125, in any spelling."""
    number, exponent = Decimal(draw(digits)), draw(st.integers(-130, 125))
    if not number:
        return number
    shifted = number.as_tuple()
    return Decimal((shifted.sign, shifted.digits, exponent - len(shifted.digits) + 1))


keys = strings | binaries | numbers() | st.sampled_from([Decimal("1E-130"), Decimal("-9.9E125")])
pairs = (
    st.tuples(strings, strings) | st.tuples(binaries, binaries) | st.tuples(numbers(), numbers())
)


class TestTheTextOfAKey:
    @given(key=keys)
    def test_is_read_back(self, key):
        assert value_at(text_of(key)) == key
        assert value_in(plain_text(key)) == key

    @given(pair=pairs)
    def test_has_the_order_of_the_keys(self, pair):
        one, other = pair
        assert (text_of(one) < text_of(other)) is (one < other)
        assert (plain_text(one) < plain_text(other)) is (one < other)

    @given(pair=pairs, behind=strings, beside=strings)
    def test_has_their_order_whatever_follows(self, pair, behind, beside):
        one, other = pair
        if one != other:
            longer = text_of(one) + END + behind, text_of(other) + END + beside
            assert (longer[0] < longer[1]) is (one < other)

    @given(one=strings, other=strings)
    def test_of_strings_has_the_order_of_their_bytes(self, one, other):
        assert (text_of(one) < text_of(other)) is (one.encode() < other.encode())

    @pytest.mark.parametrize("text", ["100", "1E+2", "100.00", "1E2", "0.1E3"])
    def test_of_a_number_does_not_depend_on_how_it_is_written(self, text):
        assert text_of(Decimal(text)) == text_of(100)

    def test_of_numbers_of_each_size_is_in_order(self):
        spelled = "-9.9E125 -100 -12.3 -12 -1E-130 0 1E-130 0.5 12 12.3 100 9.9E125"
        ordered = [text_of(Decimal(number)) for number in spelled.split()]
        assert all(one < other for one, other in pairwise(ordered))

    def test_of_a_place_that_was_stored_before_is_the_sort_key_itself(self):
        place = "2026-11-20T09:30:00.123456Z#c42"
        assert plain_text(place) == place


class TestTheWireFormOfAKey:
    @pytest.mark.parametrize(
        ("key", "wire"),
        [("a", {"S": "a"}), (7, {"N": "7"}), (Decimal("1.5"), {"N": "1.5"}), (b"\0", {"B": b"\0"})],
    )
    def test_has_its_type(self, key, wire):
        assert wire_value(key) == wire

    @pytest.mark.parametrize("key", [1.5, True, None, ["a"]])
    def test_is_none_of_what_cannot_be_a_key(self, key):
        with pytest.raises(ValueError, match="a str, an int, a Decimal or bytes"):
            wire_value(key)
