import pytest

from dynamo.lists.runs import Index, Position, Run, Start

INDEX = Index(
    table="orders",
    name="by_status",
    partition_key="p",
    sort_key="s",
    table_key=lambda position: {"pk": position.rest, "sk": position.place},
    rest_of=lambda item: item["pk"]["S"],
)
FEBRUARY = Run(INDEX, "alex", "SHIPPED#", since="2026-02", until="2026-03")


class TestResumingBehindAPosition:
    @pytest.mark.parametrize(
        ("place", "up", "down"),
        [
            ("2026-01-31", Start.EDGE, Start.NOWHERE),
            ("2026-02", Start.BEHIND, Start.NOWHERE),
            ("2026-02-14", Start.BEHIND, Start.BEHIND),
            ("2026-03", Start.NOWHERE, Start.EDGE),
            ("2026-03-01", Start.NOWHERE, Start.EDGE),
        ],
    )
    def test_depends_on_where_it_lies(self, place, up, down):
        assert FEBRUARY.start_at(Position(place), ascending=True) is up
        assert FEBRUARY.start_at(Position(place), ascending=False) is down

    @pytest.mark.parametrize("ascending", [True, False])
    def test_is_possible_from_anywhere_in_a_run_without_bounds(self, ascending):
        run = Run(INDEX, "alex")
        assert run.start_at(Position("2026"), ascending=ascending) is Start.BEHIND


class TestStartKey:
    def test_has_the_runs_own_partition_and_prefix_and_the_items_table_key(self):
        assert FEBRUARY.start_key(Position("2026-02-14", "USER#sam")) == {
            "p": {"S": "alex"},
            "s": {"S": "SHIPPED#2026-02-14"},
            "pk": {"S": "USER#sam"},
            "sk": {"S": "2026-02-14"},
        }

    def test_of_a_run_of_the_table_itself_is_its_own_key(self):
        table = Index("log", None, "pk", "sk", table_key=lambda _position: {})
        assert Run(table, "2026-02").start_key(Position("14")) == {
            "pk": {"S": "2026-02"},
            "sk": {"S": "14"},
        }


class TestPositionOfAnItem:
    def test_leaves_out_the_prefix_and_keeps_the_rest(self):
        key = FEBRUARY.start_key(Position("2026-02-14", "USER#sam"))
        assert FEBRUARY.position_of(key) == Position("2026-02-14", "USER#sam")

    def test_has_no_rest_where_the_place_tells_the_table_key(self):
        index = Index("log", None, "pk", "sk", table_key=lambda _position: {})
        assert Run(index, "x").position_of({"sk": {"S": "14"}}) == Position("14", "")


class TestAnEmptyRun:
    @pytest.mark.parametrize(("since", "until"), [("2026-03", "2026-03"), ("2026-03", "2026-02")])
    def test_has_no_place_between_its_bounds(self, since, until):
        assert Run(INDEX, "alex", since=since, until=until).is_empty

    @pytest.mark.parametrize(("since", "until"), [("2026-02", "2026-03"), ("2026-03", None)])
    def test_is_not_one_that_has(self, since, until):
        assert not Run(INDEX, "alex", since=since, until=until).is_empty
