"""What an Index says wrongly is refused with a sentence, and so are values of wrong types."""

from decimal import Decimal

import pytest
from botocore.exceptions import ClientError

from dynapages import Feed, Index, Pool, Run
from dynapages.lists import HasAll, OneOf, PageRequest, QuerySource, SegmentsPlan, read_page
from dynapages_testing.tied_lists import TiedList, thing

TYPED = Index(
    "things",
    "by_sort",
    partition="p",
    sort="s",
    table_key=("pk", "sk"),
    key_types={"p": "S", "s": "N"},
)


@pytest.fixture(scope="module")
def table(client, new_table):
    name = new_table()
    for n in range(4):
        client.put_item(TableName=name, Item=thing(n, "A", f"{n // 2}"))
    return name


@pytest.fixture
def feed(client, table):
    """Makes a feed of the index ``by_kind`` with other names of attributes."""

    def make(**names):
        names = {"partition": "p", "sort": "s", "table_key": ("pk", "sk"), **names}
        return Feed(Index(table, "by_kind", **names), ["A"], client=client)

    return make


class TestAnAttributeThatItemsDoNotHave:
    @pytest.mark.parametrize(
        ("names", "missing"),
        [
            ({"sort": "when"}, "when"),
            ({"table_key": ("id",)}, "id"),
            ({"table_key": ("pk", "id")}, "id"),
            ({"sort": "when", "table_key": ("id",)}, "when, id"),
            ({"sort": "when", "table_key": lambda _position: {}}, "when"),
        ],
    )
    @pytest.mark.parametrize("size", [1, 9])
    def test_is_named_together_with_those_they_have(self, feed, names, missing, size):
        with pytest.raises(ValueError, match="'by_kind'") as refused:
            feed(**names).page(size)
        assert f"does not have, {missing};" in str(refused.value)
        assert refused.match("the item has (kind, )?p, pk, s, sk$")

    def test_is_found_on_the_first_page_where_others_have_one_of_that_name(self, feed):
        with pytest.raises(ValueError, match="does not have, kind; the item has p, pk, s, sk"):
            feed(sort="kind").page(1)

    def test_is_named_where_the_table_itself_is_read(self, client, table):
        feed = Feed(Index(table, partition="pk", sort="when"), ["THING#1"], client=client)
        with pytest.raises(ValueError, match=f"The Index of '{table}' .* have, when;"):
            feed.page(5)

    def test_is_refused_by_the_database_where_it_is_the_partition_key(self, feed):
        with pytest.raises(ClientError, match="ValidationException"):
            feed(partition="q").page(5)

    def test_may_be_one_that_no_key_can_be(self):
        tied = TiedList([{**thing(1, "A", "1"), "s": {"BOOL": True}}], [["A"]])
        with pytest.raises(ValueError, match="of the type S, N or B, and not BOOL"):
            tied.feed().page(5)


class TestTheNamesOfTheTableKey:
    @pytest.mark.parametrize("made", [list, tuple, iter])
    def test_may_be_any_iterable(self, made):
        index = Index("things", "by_sort", partition="p", sort="s", table_key=made(["pk", "sk"]))
        assert index.key_names == index.key_names == ("pk", "sk")

    def test_are_not_one_string(self):
        with pytest.raises(ValueError, match=r"such as \('id',\)"):
            Index("things", "by_sort", partition="p", sort="s", table_key="id")


class TestTheTypesOfKeys:
    def test_are_those_that_dynamodb_has(self):
        with pytest.raises(ValueError, match="S, N or B, and not 'str'"):
            Index("log", partition="p", sort="s", key_types={"p": "str"})

    def test_are_of_key_attributes(self):
        with pytest.raises(ValueError, match="of 'log' are p, s, and not 'q'"):
            Index("log", partition="p", sort="s", key_types={"q": "S"})

    def test_may_be_those_of_the_table_key_too(self):
        types = {"pk": "S", "s": "N"}
        index = Index("log", "by", partition="p", sort="s", table_key=("pk", "sk"), key_types=types)
        assert index.key_types == types

    def test_leave_an_index_hashable(self):
        assert hash(TYPED) == hash(TYPED)

    @pytest.mark.parametrize("partition", [1, b"A"])
    def test_refuse_partitions_of_another(self, partition):
        with pytest.raises(ValueError, match="'p' in 'by_sort' are strings, and not"):
            Feed(TYPED, [partition], client=TiedList([], [[]]).model())

    @pytest.mark.parametrize(
        "bounds",
        [
            {"prefix": "1"},
            {"prefix": b"1"},
            {"since": "1"},
            {"until": b"1"},
            {"since": 1, "until": "2"},
        ],
    )
    def test_refuse_bounds_of_another(self, bounds):
        with pytest.raises(ValueError, match="'s' in 'by_sort' are numbers, and not"):
            Run(TYPED, "A", **bounds)

    def test_refuse_begins_with_on_numbers(self):
        with pytest.raises(ValueError, match="'s' in 'by_sort' are numbers, and not '2026'"):
            Feed(TYPED, ["A"], client=TiedList([], [[]]).model(), begins_with="2026")

    def test_take_values_that_are_of_them(self):
        run = Run(TYPED, "A", since=1, until=Decimal("2.5"))
        assert run.bounds == (1, Decimal("2.5"))


class TestARun:
    @pytest.mark.parametrize("bounds", [{"since": 1, "until": "2"}, {"prefix": "a", "until": b"b"}])
    def test_has_bounds_of_one_type(self, bounds):
        with pytest.raises(ValueError, match="bounds of a run are of one type"):
            Run(Index("log", partition="p", sort="s"), "A", **bounds)

    @pytest.mark.parametrize("prefix", [5, 0, None])
    def test_has_a_prefix_that_is_text_or_bytes(self, prefix):
        with pytest.raises(ValueError, match="begin with a str or bytes"):
            Run(Index("log", partition="p", sort="s"), "A", prefix=prefix)

    @pytest.mark.parametrize("made", [OneOf, HasAll])
    def test_keeps_by_conditions_of_any_iterable(self, made):
        conditions = (made("kind", iter([{"S": "red"}])) for _ in range(1))
        run = Run(Index("log", partition="p", sort="s"), "A", keep=conditions)
        assert run.keep == run.keep == (made("kind", ({"S": "red"},)),)


class TestRuns:
    def test_of_a_page_may_be_any_iterable(self, client, table):
        index = Index(table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))
        runs = (Run(index, partition) for partition in ["A", "B"])
        page = read_page(
            runs, PageRequest(3), source=QuerySource(client), pool=Pool(1), first_reads=iter([2, 1])
        )
        assert [entry.item["s"]["S"] for entry in page.entries] == ["1", "1", "0"]

    def test_of_segments_may_be_any_iterable(self):
        run = Run(Index("log", partition="p", sort="s"), "A")
        plan = SegmentsPlan(iter([run]))
        assert plan.runs == plan.runs == (run,)


class TestAnAnswer:
    @pytest.mark.parametrize("stop", [{}, None])
    @pytest.mark.parametrize("table_key", [("pk", "sk"), lambda _position: {}])
    def test_with_an_empty_last_key_is_the_last_one(self, stop, table_key):
        tied = TiedList([thing(n, "A", f"{n}") for n in range(3)], [["A"]])
        model = tied.model()

        class Imitation:
            def query(self, **request):
                answer = model.query(**request)
                return {**answer, "LastEvaluatedKey": answer.get("LastEvaluatedKey") or stop}

        index = Index("things", "by_sort", partition="p", sort="s", table_key=table_key)
        feed = tied.feed(index, client=Imitation())
        assert list(feed) == tied.truth()
        assert feed.page(3).has_next is False
