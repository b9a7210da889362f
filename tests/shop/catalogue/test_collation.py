"""How names sort."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shop.catalogue.edge_keys import LONGEST, folded


class TestFolding:
    @pytest.mark.parametrize(
        ("name", "key"),
        [
            ("Desk Lamp", "desk-lamp"),
            ("  Café  Crème! ", "cafe-creme"),
            ("STRASSE", "strasse"),
            ("Straße", "strasse"),
            ("Ærø Łódź", "aero-lodz"),
            ("İstanbul", "istanbul"),
            ("C#", "c"),
            ("日本語", "日本語"),
            ("हिन्दी", "हिनदी"),
            ("🙂", ""),
            ("", ""),
        ],
    )
    def test_keeps_the_words_alone(self, name, key):
        assert folded(name) == key

    @pytest.mark.parametrize(
        ("earlier", "later"),
        [("Ärmel", "Zebra"), ("zebra", "Zoo"), ("Lamp", "Lamp shade"), ("Lamp 1", "Lamps")],
    )
    def test_puts_names_in_the_order_of_a_dictionary(self, earlier, later):
        assert f"{folded(earlier)}#z" < f"{folded(later)}#a"

    @given(st.text())
    def test_holds_nothing_that_sorts_before_the_joint(self, name):
        assert all(letter >= "-" for letter in folded(name))

    @given(st.text(max_size=900))
    def test_fits_a_key(self, name):
        assert len(folded(name).encode()) <= LONGEST

    @given(st.text(max_size=50))
    def test_changes_nothing_the_second_time(self, name):
        assert folded(folded(name)) == folded(name)
