import pytest

from dynapages.items import item_bytes


class TestItemBytes:
    """By the rules of "DynamoDB item sizes and formats"."""

    @pytest.mark.parametrize(
        ("value", "size"),
        [
            ({"S": ""}, 0),
            ({"S": "shirt"}, 5),
            ({"S": "é𝄞"}, 6),
            ({"B": b"\x00\x01\x02"}, 3),
            ({"BOOL": False}, 1),
            ({"NULL": True}, 1),
            ({"N": "0"}, 1),
            ({"N": "7"}, 2),
            ({"N": "-7"}, 3),
            ({"N": "27"}, 2),
            ({"N": "123"}, 3),
            ({"N": "1200"}, 2),
            ({"N": "0.0012"}, 2),
            ({"N": "12.5"}, 3),
            ({"SS": ["de", "en"]}, 4),
            ({"NS": ["1", "200"]}, 4),
            ({"BS": [b"\x00", b"\x01\x02"]}, 3),
            ({"L": []}, 3),
            ({"L": [{"S": "de"}, {"N": "7"}]}, 3 + 1 + 2 + 1 + 2),
            ({"M": {}}, 3),
            ({"M": {"street": {"S": "Elm"}}}, 3 + 1 + 6 + 3),
            ({"L": [{"M": {"a": {"NULL": True}}}]}, 3 + 1 + (3 + 1 + 1 + 1)),
        ],
    )
    def test_of_a_value(self, value, size):
        assert item_bytes({"x": value}) == 1 + size

    def test_counts_names_by_their_bytes(self):
        assert item_bytes({"größe": {"S": "M"}, "n": {"N": "1"}}) == 7 + 1 + 1 + 2

    def test_of_nothing_is_nothing(self):
        assert item_bytes({}) == 0
