"""Values next to a value: on the right side of it, and values that a key may have."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.lists.key_texts import HIGHEST, text_of
from dynapages.lists.neighbours import MOST_BYTES, just_above, just_below

texts = st.text(min_size=1, max_size=4) | st.sampled_from(["a\x7f", "\x7f", "é\uffff"])
binaries = st.binary(min_size=1, max_size=4)
numbers = st.integers().map(Decimal) | st.decimals(
    allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20
)
edges = st.sampled_from(
    [Decimal(0), Decimal("1E-130"), Decimal("-1E-130"), Decimal("1.5E-130"), Decimal("9E+125")]
)
DIGITS = 38
rooms = st.sampled_from([0, 1, 4, MOST_BYTES])


@given(value=texts | binaries | numbers | edges, room=rooms)
def test_a_neighbour_is_on_its_side(value, room):
    above, below = just_above(value, room=room), just_below(value, room=room)
    assert above is None or text_of(above) > text_of(value)
    assert below is None or text_of(below) < text_of(value)


@given(value=texts | binaries | numbers | edges, room=rooms)
def test_a_neighbour_is_a_value_of_a_key(value, room):
    for neighbour in (just_above(value, room=room), just_below(value, room=room)):
        assert neighbour not in ("", b"")
        if isinstance(neighbour, Decimal):
            assert len(neighbour.as_tuple().digits) <= DIGITS
            assert not neighbour or neighbour.copy_abs() >= Decimal("1E-130")
        elif isinstance(neighbour, str):
            assert len(neighbour.encode()) <= len(value.encode()) + room + len(HIGHEST.encode())


@given(value=texts | binaries)
def test_a_neighbour_is_no_longer_than_there_is_room(value):
    for neighbour in (just_above(value, room=0), just_below(value, room=0)):
        assert neighbour is None or bytes_of(neighbour) <= bytes_of(value)


def bytes_of(value: str | bytes) -> int:
    return len(value.encode() if isinstance(value, str) else value)


@given(number=numbers, other=numbers)
def test_no_short_number_lies_between_a_number_and_its_neighbour(number, other):
    above, below = just_above(number, room=0), just_below(number, room=0)
    assert other <= number or other >= above
    assert other >= number or other <= below


@pytest.mark.parametrize(
    ("value", "above", "below"),
    [
        (Decimal(0), Decimal("1E-130"), Decimal("-1E-130")),
        (Decimal("1E-130"), None, Decimal(0)),
        (b"a\0", b"a\0\0", b"a"),
        ("a\0", "a\0\0", "a"),
        ("\ue000", "\ue000\0", "\ud7ff" + HIGHEST),
    ],
)
def test_the_neighbours_of_special_values(value, above, below):
    if above is not None:
        assert just_above(value, room=9) == above
    assert just_below(value, room=9) == below


@pytest.mark.parametrize("value", ["\0", b"\0", Decimal("-9." + "9" * 37 + "E+125")])
def test_nothing_is_below_the_least_value(value):
    assert just_below(value, room=9) is None


@pytest.mark.parametrize("value", [HIGHEST, b"\xff", Decimal("9." + "9" * 37 + "E+125")])
def test_nothing_is_above_the_greatest_value(value):
    assert just_above(value, room=0) is None
