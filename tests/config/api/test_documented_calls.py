"""Examples of calls in documents: read as a reader would, and compared with the answers."""

import pytest

from tests.support.config.documented_calls import differences, examples_in

FOUND = {"id": "a1", "stars": 2, "reply": {"text": "So sorry."}, "tags": ["x", "y"]}


class TestWhatIsShown:
    """Compared with what was found, it has to be the same."""

    @pytest.mark.parametrize(
        "shown",
        [
            FOUND,
            {**FOUND, "id": "…", "reply": {"text": "So…"}},
            {**FOUND, "reply": {"…": "…"}, "tags": ["x", "…"]},
            {"stars": 2, "…": "…"},
        ],
    )
    def test_is_the_same_but_for_what_is_left_out(self, shown):
        assert [*differences(shown, FOUND)] == []

    @pytest.mark.parametrize(
        ("shown", "at"),
        [
            ({**FOUND, "id": "b…"}, ".id"),
            ({**FOUND, "stars": 3}, ".stars"),
            ({**FOUND, "stars": 2.0}, ".stars"),
            ({**FOUND, "reply": {"text": None}}, ".reply.text"),
            ({**FOUND, "reply": {"txt": "…", "…": "…"}}, ".reply"),
            ({**FOUND, "tags": ["x"]}, ".tags"),
            ({**FOUND, "tags": ["y", "…"]}, ".tags[0]"),
            ({**FOUND, "further": 1}, ""),
            ({"id": "a1"}, ""),
        ],
    )
    def test_differs_by_a_field_or_a_value(self, shown, at):
        (difference,) = differences(shown, FOUND)
        assert difference.partition(":")[0] == at

    def test_is_any_moment_for_a_moment(self):
        moment = "2026-11-26T22:50:03.943257Z"
        assert [*differences(moment, "2027-01-01T00:00:00.000000Z")] == []
        assert [*differences(moment, "yesterday")] != []

    def test_is_any_cost_for_a_cost(self):
        assert [*differences({"cost": 2.0}, {"cost": 1.5})] == []
        assert [*differences({"cost": 2.0}, {"cost": 0.0})] != []

    def test_is_behind_a_command(self):
        with pytest.raises(AssertionError):
            examples_in("    $ A=1\n\nText.\n\n```json\n{}\n```\n")
