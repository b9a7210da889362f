"""JSON of requests: the values that Python has for it, or a sentence that says what is wrong."""

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.ninja.strict import BadJSON, json_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


def sentence_for(body: bytes) -> str:
    with pytest.raises(BadJSON) as caught:
        json_of(body)
    return str(caught.value)


class TestJSON:
    @given(VALUES, st.booleans())
    def test_is_the_value_that_was_sent(self, value, is_ascii):
        assert json_of(json.dumps(value, ensure_ascii=is_ascii).encode()) == value

    @given(st.binary())
    def test_of_any_bytes_is_a_value_or_a_sentence(self, body):
        with suppress(BadJSON):  # and nothing else
            json_of(body)

    @given(st.dictionaries(TEXT, st.integers(), min_size=1), st.data())
    def test_with_a_name_twice_is_refused(self, content, data):
        name = data.draw(st.sampled_from(sorted(content)))
        pairs = [*content.items(), (name, 1)]
        body = ", ".join(f"{json.dumps(key)}: {value}" for key, value in pairs)
        assert "is in the body twice" in sentence_for(f"{{{body}}}".encode())

    @pytest.mark.parametrize("text", ["5.0", "5e0", "50e-1", "0.5e1"])
    def test_has_whole_numbers_however_they_are_written(self, text):
        number = json_of(text.encode())
        assert (number, type(number)) == (5, int)

    @pytest.mark.parametrize("text", ["5.5", "1e999", "-1e999", "1e-9"])
    def test_has_other_numbers_as_they_are(self, text):
        assert json_of(text.encode()) == float(text)

    def test_says_where_it_is_broken(self):
        assert sentence_for(b'{"a": 1,\n  b}') == (
            "The body is not JSON: look at line 2, column 3."
        )
