import asyncio
import threading
from decimal import Decimal
from itertools import islice

import pytest
from botocore.session import get_session

import dynapages
from dynapages import BadToken, Feed, Index, OutOfTime, Pool, Tokens, metered, time_budget
from dynapages.lists.runs import Chunk
from dynapages.lists.tokens import DamagedToken, ForeignToken
from dynapages_testing.tied_lists import BY_SORT, ONLY_RED, TOKENS, Awaited, TiedList, thing

LOG = Index("log", partition="p", sort="s")


@pytest.fixture
def tied():
    """Twelve things of two partitions, two of each sort key."""
    return TiedList([thing(n, "AB"[n % 2], f"{n // 2}") for n in range(12)], [["A", "B"]])


class TestAPage:
    def test_has_the_first_items_and_the_strings_of_what_follows(self, tied):
        page = tied.feed().page(5)
        assert list(page.items) == tied.truth()[:5]
        assert (page.first, page.previous, page.last) == (None, None, "end")
        assert page.next not in {None, "start"}

    def test_in_the_middle_has_the_strings_of_all(self, tied):
        feed = tied.feed()
        page = feed.page(5, after=feed.page(5).next)
        assert (page.first, page.last, page.has_next, page.has_previous) == (
            "start",
            "end",
            True,
            True,
        )
        assert feed.page(5, before=page.previous).items == feed.page(5, after="start").items

    def test_at_the_end_has_the_last_items(self, tied):
        page = tied.feed().page(5, before="end")
        assert list(page.items) == tied.truth()[-5:]
        assert (page.next, page.last, page.first) == (None, None, "start")

    def test_behind_the_last_item_leads_back_to_it(self, tied):
        feed = tied.feed()
        last = feed.page(5, before="end")
        behind = feed.page(5, after=last.cursor(last.items[-1]))
        assert (behind.items, behind.next) == ((), None)
        assert feed.page(5, before=behind.previous).items == last.items

    def test_of_no_partitions_is_empty(self):
        page = Feed(BY_SORT, [], client=TiedList([], [[]]).model()).page(5)
        assert (page.items, page.has_next, page.has_previous) == ((), False, False)

    @pytest.mark.parametrize("size", [0, -1, "5", 5.0, True, None])
    def test_has_at_least_one_item(self, tied, size):
        with pytest.raises(ValueError, match=f"at least one item, as an int: not {size!r}"):
            tied.feed().page(size)

    def test_explains_its_queries_by_the_name_of_the_feed(self, tied):
        explanation = tied.feed().page(5).explain()
        assert explanation.plan == "things"
        assert [line.key for line in explanation.queries] == ["A", "B"]
        assert explanation.summary == "2 queries on by_sort, 1 round, 1 capacity unit"

    def test_explains_the_calls_that_follow_one_another_as_rounds(self):
        tied = TiedList([thing(n, "A", "same") for n in range(30)], [["A"]])
        explanation = tied.feed(name="").page(5).explain()
        assert (explanation.plan, explanation.rounds, explanation.total.calls) == ("by_sort", 2, 2)


class TestItems:
    def test_are_python_values(self, tied):
        tied.items = [{**thing(1, "A", Decimal(7)), "tags": {"SS": ["x"]}, "raw": {"B": b"\0"}}]
        (item,) = tied.feed(wire=False).page(1).items
        assert item == {
            "pk": "THING#1",
            "sk": "0001",
            "p": "A",
            "s": Decimal(7),
            "kind": "red",
            "tags": {"x"},
            "raw": b"\0",
        }

    def test_are_what_a_function_makes_of_their_wire_form(self, tied):
        feed = tied.feed(parse=lambda item: item["s"]["S"])
        assert list(feed) == ["5", "5", "4", "4", "3", "3", "2", "2", "1", "1", "0", "0"]

    def test_of_another_page_have_no_cursor_here(self, tied):
        feed = tied.feed(wire=False)
        with pytest.raises(ValueError, match="on this page 0 times"):
            feed.page(2).cursor(feed.page(2).items[0])

    def test_that_are_one_object_have_no_cursor(self, tied):
        page = tied.feed(parse=lambda _item: "the same").page(2)
        with pytest.raises(ValueError, match="on this page 2 times"):
            page.cursor(page.items[1])


class TestTheStringsOfPages:
    def test_need_a_secret(self, tied):
        feed = tied.feed(tokens=None)
        page = feed.page(5)
        assert page.has_next
        for name in ("next", "previous", "first", "last"):
            with pytest.raises(ValueError, match=r"tokens=Tokens\(secret\)"):
                getattr(page, name)
        with pytest.raises(ValueError, match=r"tokens=Tokens\(secret\)"):
            feed.page(5, after="anything")

    @pytest.mark.parametrize(
        "other",
        [{"name": "others"}, {"newest_first": False}, {"tokens": Tokens("another secret!!")}],
    )
    def test_are_refused_by_another_list_before_any_call(self, tied, other):
        token = tied.feed().page(5).next
        tied.requests.clear()
        with pytest.raises(BadToken) as refused:
            tied.feed(**other).page(5, after=token)
        assert isinstance(refused.value, DamagedToken if "tokens" in other else ForeignToken)
        assert tied.requests == []

    @pytest.mark.parametrize(
        "other",
        [
            {"partitions": ["A"]},
            {"begins_with": "1"},
            {"partitions": [["A"], ["B"]]},
            {"query": ONLY_RED},
        ],
    )
    def test_of_a_feed_without_a_name_are_bound_to_what_it_lists(self, tied, other):
        token = tied.feed(name="").page(5).next
        with pytest.raises(ForeignToken):
            tied.feed(name="", **other).page(5, after=token)

    def test_outlive_a_partition_that_is_added_to_a_feed_with_a_name(self, tied):
        token = tied.feed(partitions=["A"]).page(2).next
        assert [i["s"]["S"] for i in tied.feed().page(3, after=token).items][-2:] == ["3", "3"]

    def test_are_for_one_direction_at_a_time(self, tied):
        with pytest.raises(BadToken, match="not both"):
            tied.feed().page(5, after="start", before="end")

    @pytest.mark.parametrize(
        "how",
        [{"after": "end"}, {"before": "start"}, {"after": ""}, {"after": 5}, {"before": b"end"}],
    )
    def test_are_no_others(self, tied, how):
        with pytest.raises(DamagedToken):
            tied.feed().page(5, **how)


class TestPartitions:
    @pytest.mark.parametrize("made", [list, tuple, set, frozenset, iter])
    def test_may_be_any_iterable(self, tied, made):
        feed = tied.feed(partitions=made(["A", "B"]))
        assert list(feed) == list(feed) == tied.truth()

    @pytest.mark.parametrize("made", [list, tuple, iter])
    def test_may_be_sections_in_any_iterable(self, tied, made):
        tied.sections = [["A"], ["B"]]
        feed = tied.feed(partitions=made([made(["A"]), made(["B"])]))
        assert list(feed) == list(feed) == tied.truth()

    def test_of_a_set_are_in_an_order_that_is_the_same_in_each_process(self, tied):
        letters = {"C", "A", "D", "B"}
        assert tied.feed(partitions=letters).sections == [["A", "B", "C", "D"]]
        assert tied.feed(partitions=[letters]).sections == [["A", "B", "C", "D"]]


class TestAWalk:
    @pytest.fixture
    def items_read(self, client, new_table):
        """Return how many items a walk reads that ends after some of 1,200 items."""
        table = new_table()
        for partition in "ABCD":
            for start in range(0, 300, 25):
                puts = []
                for n in range(start, start + 25):
                    item = {"pk": {"S": partition}, "sk": {"S": f"{n:03}"}}
                    puts.append({"PutRequest": {"Item": item}})
                client.batch_write_item(RequestItems={table: puts})
        feed = Feed(Index(table, partition="pk", sort="sk"), list("ABCD"), client=client)

        def read_by(number):
            with metered() as meter:
                assert len(list(islice(feed, number))) == number
            return sum(call.items_read for call in meter.log)

        return read_by

    def test_that_ends_early_has_read_little(self, items_read):
        assert items_read(3) < 300

    def test_reads_more_at_once_when_it_goes_on(self, items_read):
        assert items_read(101) - items_read(100) > 300


class TestWrongArguments:
    @pytest.mark.parametrize(
        ("partitions", "sentence"),
        [
            (["A", "A"], "given twice"),
            ([["A"], ["B", "A"]], "given twice"),
            ([7, Decimal("7.0")], "given twice"),
            ("A", "a list of values, .*, and not 'A'"),
            (["A", ["B"]], "not both"),
            ([1.5], "a str, an int, a Decimal or bytes"),
            (7, "and not 7"),
            (None, "and not None"),
            ({"S": "A"}, "and not {'S': 'A'}"),
            ([{"S": "A"}], "of type dict"),
            ([bytearray(b"A")], "of type bytearray"),
            ([1, "A"], "1 and 'A' are of two"),
            ([["A"], [b"A"]], "'A' and b'A' are of two"),
            (frozenset([("A",), ("B",)]), "not in a set"),
        ],
    )
    def test_of_partitions_are_refused(self, tied, partitions, sentence):
        with pytest.raises(ValueError, match=sentence):
            tied.feed(partitions=partitions)

    def test_of_a_query_are_refused(self, tied):
        with pytest.raises(ValueError, match="and not Limit, Select"):
            tied.feed(query={"Limit": 5, "Select": "COUNT", "ConsistentRead": True})

    def test_are_a_client_and_a_source_or_none_of_both(self):
        with pytest.raises(ValueError, match="give one of them"):
            Feed(LOG, ["a"])

    @pytest.mark.parametrize(
        "client", ["us-east-1", 5, object(), type(get_session()), get_session()]
    )
    def test_are_what_is_no_client(self, client):
        with pytest.raises(ValueError, match="A client has the method query"):
            Feed(LOG, ["a"], client=client)

    def test_are_a_client_that_is_awaited_where_none_is_expected(self, tied):
        with pytest.raises(TypeError, match="apage"):
            tied.feed(client=Awaited(tied.model())).page(5)
        with pytest.raises(TypeError, match="use page"):
            asyncio.run(tied.feed().apage(5))

    def test_are_an_index_without_the_keys_of_its_table(self):
        with pytest.raises(ValueError, match=r"'by_sort' needs table_key.*\(\"pk\", \"sk\"\)"):
            Index("things", "by_sort", partition="p", sort="s")


class TestTheTableItself:
    def test_needs_no_names_of_its_key_and_reads_no_item_too_many(self, client, new_table):
        table = new_table()
        for n in range(40):
            item = {"pk": {"S": "ab"[n % 2]}, "sk": {"S": f"{n // 4:02d}"}}
            client.put_item(TableName=table, Item=item)
        feed = Feed(
            Index(table, partition="pk", sort="sk"), ["a", "b"], client=client, tokens=TOKENS
        )
        found = []
        page = feed.page(3)
        while True:
            found += [(item["sk"], item["pk"]) for item in page.items]
            assert all(line.items_read <= 4 for line in page.explain().queries)
            if page.next is None:
                break
            page = feed.page(3, after=page.next)
        assert [sort for sort, _ in found] == sorted((sort for sort, _ in found), reverse=True)
        assert len(set(found)) == len(found) == 20


class AnyStore:
    """A source of any other store: it sorts by the places of its items."""

    def __init__(self, items):
        self.items = items

    def query(self, run, *, behind, limit, ascending):
        placed = [(run.position_of(i), i) for i in self.items if i["p"]["S"] == run.partition]
        placed.sort(key=lambda pair: pair[0].place, reverse=not ascending)
        if behind is not None:
            placed = [
                (at, item) for at, item in placed if behind.is_before(at.place, ascending=ascending)
            ]
        shown = placed[:limit]
        last = shown[-1][0] if len(placed) > limit else None
        items = tuple(item for _, item in shown)
        return Chunk(items, last, items_read=len(items), capacity_units=0.0)


class TestASource:
    def test_of_another_store_is_listed_alike(self, tied):
        feed = tied.feed(client=None, source=AnyStore(tied.items), query=None)
        page = feed.page(5)
        assert list(page.items) + list(feed.page(7, after=page.next).items) == tied.truth()
        assert feed.page(5, before=feed.page(2, before="end").previous).items[-1] == tied.truth()[9]

    def test_may_be_awaited(self, tied):
        async def page():
            return await tied.feed(client=None, source=AnyStore(tied.items), query=None).apage(5)

        assert list(asyncio.run(page()).items) == tied.truth()[:5]


class Stuck:
    """A client that does not answer until it is let go."""

    def __init__(self):
        self.let_go = threading.Event()
        self.calls = 0

    def query(self, **_request):
        self.calls += 1
        self.let_go.wait(20)
        return {"Items": [], "ScannedCount": 0}


@pytest.fixture
def stuck():
    client = Stuck()
    yield client
    client.let_go.set()


class TestATimeBudget:
    @pytest.mark.parametrize("partitions", [["a"], ["a", "b"]])
    def test_ends_the_wait_for_any_client(self, stuck, partitions):
        with time_budget(0.2), pytest.raises(OutOfTime):
            Feed(LOG, partitions, client=stuck, pool=Pool(2)).page(5)
        assert 1 <= stuck.calls <= len(partitions)  # a busy machine may begin one of two in time

    @pytest.mark.parametrize("partitions", [["a"], ["a", "b"]])
    def test_ends_the_wait_for_one_that_is_awaited(self, partitions):
        class Endless:
            async def query(self, **_request):
                await asyncio.sleep(20)

        async def page():
            with time_budget(0.05):
                await Feed(LOG, partitions, client=Endless()).apage(5)

        with pytest.raises(OutOfTime):
            asyncio.run(page())

    def test_that_is_spent_makes_no_call(self, stuck):
        feed = Feed(LOG, ["a", "b"], client=stuck)
        with time_budget(0), pytest.raises(OutOfTime):
            feed.page(5)
        with time_budget(0), pytest.raises(OutOfTime):
            asyncio.run(Feed(LOG, ["a"], client=Awaited(stuck)).apage(5))
        assert stuck.calls == 0


class TestTheFurtherParametersOfAQuery:
    @pytest.fixture
    def stored(self, client, new_table):
        table = new_table()
        for n in range(30):
            item = thing(n, "A", f"{n // 3:02d}", "red" if n % 10 == 0 else "blue")
            client.put_item(TableName=table, Item={**item, "body": {"S": "x"}})
        index = Index(table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))

        def feed(**query):
            return Feed(index, ["A"], client=client, tokens=TOKENS, query=query)

        return feed

    def test_filter_and_leave_no_empty_page_at_the_end(self, stored):
        feed = stored(
            FilterExpression="#s = :p",
            ExpressionAttributeNames={"#s": "kind"},
            ExpressionAttributeValues={":p": {"S": "red"}},
        )
        page = feed.page(2)
        last = feed.page(2, after=page.next)
        assert [item["sk"] for item in page.items + last.items] == ["0020", "0010", "0000"]
        assert (page.has_next, last.has_next, last.next) == (True, False, None)
        assert not feed.page(3).has_next

    def test_project_some_attributes_and_the_key(self, stored):
        for projection, names in [("body", {}), ("#p, #s", {"#p": "body", "#s": "s"})]:
            how = {"ExpressionAttributeNames": names} if names else {}
            feed = stored(ProjectionExpression=projection, **how)
            first = feed.page(1)
            (item,) = feed.page(1, after=first.next).items
            assert set(item) == {"pk", "sk", "p", "s", "body"}

    def test_read_consistently_where_that_is_asked(self, client, new_table):
        table = new_table()
        client.put_item(TableName=table, Item=thing(1, "A", "1"))
        index = Index(table, partition="pk", sort="sk")
        feed = Feed(index, ["THING#1"], client=client, query={"ConsistentRead": True})
        with metered() as cost:
            assert len(feed.page(5).items) == 1
        assert cost.units == 1.0  # twice the price of one that is not


class TestMetering:
    def test_counts_the_calls_of_any_client_once(self, connection, client, new_table):
        foreign = get_session().create_client(
            "dynamodb",
            region_name=connection.region,
            endpoint_url=connection.endpoint_url,
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
        )
        index = Index(new_table(), partition="pk", sort="sk")
        for _ in range(2):
            feed = Feed(index, ["a", "b"], client=foreign)
        with metered() as cost:
            feed.page(5)
        assert (cost.calls, cost.units, cost.rounds) == (2, 1.0, 1)
        assert sorted(call.partition for call in cost.log) == ["a", "b"]

    def test_counts_rounds_of_calls_in_threads_that_are_awaited(self, client, new_table):
        table = new_table()
        for n in range(20):
            client.put_item(TableName=table, Item=thing(n, "A", "same"))
        index = Index(table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))
        feed = Feed(index, ["A"], client=Awaited(client))

        async def cost():
            with metered() as meter:
                await feed.apage(5)
            return meter.calls, meter.rounds

        assert asyncio.run(cost()) == (2, 2)


class TestThePublicNames:
    def test_are_at_most_fifteen(self):
        assert len(dynapages.__all__) <= 15
        assert all(hasattr(dynapages, name) for name in dynapages.__all__)
