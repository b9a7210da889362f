"""The total of a list, and the shares of its partitions."""

import asyncio
import threading
import warnings

import pytest
from botocore.session import get_session

from dynapages import Feed, Index, OutOfTime, Pool, metered, time_budget
from dynapages.calls import Batches
from dynapages.items import wire_key
from dynapages.lists import MeanSizes
from dynapages.lists.explain import OtherLine
from dynapages.lists.reader import PageRequest
from dynapages.writes import Counters, Counting
from dynapages_testing.tied_lists import Awaited, TiedList, thing

MOST_SECONDS = 20


@pytest.fixture
def tied():
    """Forty things of two partitions: three quarters are of A."""
    return TiedList([thing(n, "AAAB"[n % 4], f"{n:02d}") for n in range(40)], [["A", "B"]])


def limits(tied):
    """The limits of the first read of each partition."""
    first = {}
    for request in tied.requests:
        partition = request["ExpressionAttributeValues"][":p"]["S"]
        first.setdefault(partition, request["Limit"])
    return first


class TestATotal:
    def test_is_what_the_function_returns(self, tied):
        assert tied.feed(total=lambda: 812).page(5).total == 812

    def test_may_be_none_at_all(self, tied):
        assert tied.feed(total=lambda: 0).page(5).total == 0

    def test_is_unknown_without_a_function(self, tied):
        assert tied.feed().page(5).total is None

    def test_is_asked_for_once_a_page(self, tied):
        calls = []

        def total():
            calls.append("total")
            return 40

        feed = tied.feed(total=total)
        feed.page(5, after=feed.page(5).next)
        assert calls == ["total", "total"]

    def test_leaves_the_items_and_strings_of_a_page_as_they_are(self, tied):
        counted, plain = tied.feed(total=lambda: 40).page(5), tied.feed().page(5)
        assert (counted.items, counted.next) == (plain.items, plain.next)

    def test_is_not_asked_for_by_a_walk_through_all_items(self, tied):
        assert len(list(tied.feed(total=pytest.fail))) == 40

    def test_is_not_compared_with_a_list_that_is_filtered(self, tied):
        tied.filters = True
        assert tied.feed(total=lambda: 7).page(5).total == 7

    def test_is_asked_for_while_the_page_is_read(self, tied):
        both = threading.Barrier(2, timeout=MOST_SECONDS)
        model = tied.model()

        class Meeting:
            def query(self, **request):
                both.wait()
                return model.query(**request)

        def total():
            both.wait()
            return 40

        feed = tied.feed(client=Meeting(), partitions=["A"], total=total, pool=Pool(2))
        assert feed.page(5).total == 40

    def test_is_there_for_a_page_by_its_request(self, tied):
        page = tied.feed(total=lambda: 40).page_at(PageRequest(5))
        assert (page.total, page.items) == (40, tied.feed().page(5).items)


class TestWrongTotals:
    def test_are_what_is_no_function(self, tied):
        with pytest.raises(ValueError, match="and not 812"):
            tied.feed(total=812)

    @pytest.mark.parametrize("wrong", [None, "812", 8.5, True])
    def test_are_what_is_no_int(self, tied, wrong):
        with pytest.raises(ValueError, match=f"an int, and not {wrong!r}"):
            tied.feed(total=lambda: wrong).page(5)


class TestAFunctionThatFails:
    def test_is_not_hidden(self, tied):
        def fail():
            raise LookupError("no such counter")

        with pytest.raises(LookupError, match="no such counter"):
            tied.feed(total=fail).page(5)
        with pytest.raises(LookupError, match="no such counter"):
            asyncio.run(tied.feed(client=Awaited(tied.model()), total=fail).apage(5))

    def test_is_called_once(self, tied):
        calls = []

        def fail():
            calls.append(1)
            raise LookupError

        with pytest.raises(LookupError):
            tied.feed(total=fail).page(5)
        assert calls == [1]


class TestATotalThatIsAwaited:
    def page(self, tied, **options):
        return asyncio.run(tied.feed(client=Awaited(tied.model()), **options).apage(5))

    def test_is_what_the_function_returns(self, tied):
        async def total():
            return 812

        assert self.page(tied, total=total).total == 812

    def test_may_be_a_function_that_is_not(self, tied):
        assert self.page(tied, total=lambda: 812).total == 812

    def test_is_unknown_without_a_function(self, tied):
        assert self.page(tied).total is None

    def test_is_awaited_while_the_page_is_read(self, tied):
        async def page():
            read = asyncio.Event()
            counted = asyncio.Event()

            class Meeting(Awaited):
                async def query(self, **request):
                    read.set()
                    await counted.wait()
                    return await super().query(**request)

            async def total():
                counted.set()
                await read.wait()
                return 40

            feed = tied.feed(client=Meeting(tied.model()), total=total)
            return await asyncio.wait_for(feed.apage(5), MOST_SECONDS)

        assert asyncio.run(page()).total == 40

    @pytest.mark.parametrize("name", ["total", "shares"])
    def test_is_refused_by_a_page_that_is_not_and_leaves_no_warning(self, tied, name):
        async def told(*_):
            raise AssertionError

        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(TypeError, match="is for apage and async for"):
                tied.feed(**{name: told}).page(5)


class TestATimeBudget:
    def test_bounds_a_total(self, tied):
        let_go = threading.Event()

        def total():
            let_go.wait(MOST_SECONDS)
            return 40

        with time_budget(0.2), pytest.raises(OutOfTime):
            tied.feed(total=total, pool=Pool(4)).page(5)
        let_go.set()

    def test_bounds_one_that_is_awaited(self, tied):
        async def total():
            await asyncio.sleep(MOST_SECONDS)

        async def page():
            with time_budget(0.2):
                await tied.feed(client=Awaited(tied.model()), total=total).apage(5)

        with pytest.raises(OutOfTime):
            asyncio.run(page())


class UnchangingSizes(MeanSizes):
    """Sizes of items that no page adds to: a page reads as much as the one before."""

    def note(self, index: str, items: object) -> None:
        """Note nothing."""


class TestShares:
    @pytest.fixture(autouse=True)
    def sizes(self, monkeypatch):
        monkeypatch.setattr("dynapages.lists.feed.SIZES", UnchangingSizes())

    @pytest.mark.parametrize("scale", [1, 0.01, 1000])
    def test_are_numbers_of_any_scale(self, tied, scale):
        tied.feed(shares={"A": 3 * scale, "B": scale}).page(20)
        one = limits(tied)
        assert one["A"] > one["B"]
        tied.requests.clear()
        tied.feed(shares={"A": 3, "B": 1}).page(20)
        assert limits(tied) == one

    def test_of_a_function_are_those_it_returns(self, tied):
        tied.feed(shares={"A": 3, "B": 1}).page(20)
        expected = limits(tied)
        tied.requests.clear()
        tied.feed(shares=lambda partitions: dict(zip(partitions, [3, 1], strict=True))).page(20)
        assert limits(tied) == expected

    def test_of_a_function_are_asked_for_all_partitions_at_once(self, tied):
        asked = []

        def shares(partitions):
            asked.append(list(partitions))
            return {}

        tied.sections = [["A"], ["B"]]
        tied.feed(shares=shares).page(5)
        assert asked == [["A", "B"]]

    def test_may_be_awaited(self, tied):
        async def shares(partitions):
            return dict(zip(partitions, [3, 1], strict=True))

        asyncio.run(tied.feed(client=Awaited(tied.model()), shares=shares).apage(20))
        read = limits(tied)
        assert read["A"] > read["B"]

    @pytest.mark.parametrize(
        "shares", [{}, {"A": 0, "B": 0}, {"A": 1}, {"B": 1}, {"C": 5}, {"A": 1, "B": 1000}]
    )
    def test_change_no_page(self, tied, shares):
        feed = tied.feed(shares=shares)
        first = feed.page(15)
        assert list(first.items) == tied.truth()[:15]
        assert list(feed.page(15, after=first.next).items) == tied.truth()[15:30]

    def test_of_partitions_that_the_feed_does_not_have_are_left_out(self, tied):
        tied.feed(shares={"A": 3, "B": 1}).page(20)
        expected = limits(tied)
        tied.requests.clear()
        tied.feed(shares={"A": 3, "B": 1, "C": 96}).page(20)
        assert limits(tied) == expected

    def test_of_a_list_that_is_filtered_are_followed(self, tied):
        tied.filters = True
        tied.feed().page(20)
        assert limits(tied) == {"A": 22, "B": 22}
        tied.requests.clear()
        page = tied.feed(shares={"A": 3, "B": 1}).page(20)
        assert limits(tied)["B"] < 22
        assert list(page.items) == tied.truth()[:20]

    def test_of_sections_are_those_within_each(self, tied):
        tied.items += [thing(n, "CCCD"[n % 4], f"{n:02d}") for n in range(40, 80)]
        tied.sections = [["A", "B"], ["C", "D"]]
        feed = tied.feed(shares={"A": 3, "B": 1, "C": 3, "D": 1})
        page = feed.page(35)
        assert list(page.items) == tied.truth()[:35]
        assert list(feed.page(35, after=page.next).items) == tied.truth()[35:70]
        assert limits(tied)["A"] > limits(tied)["B"]

    def test_are_asked_for_once_by_a_walk(self, tied):
        calls = []

        def shares(partitions):
            calls.append(partitions)
            return {"A": 3, "B": 1}

        feed = tied.feed(shares=shares)
        assert len(list(feed)) == 40
        assert calls == [["A", "B"]]

    def test_that_fail_are_not_hidden(self, tied):
        def fail(_partitions):
            raise LookupError("no such counter")

        with pytest.raises(LookupError, match="no such counter"):
            tied.feed(shares=fail).page(5)


@pytest.fixture
def counters(client, new_table):
    """Counters of a table, of which "things" has two cells."""

    def key_of(name, shard):
        return {"pk": f"COUNTER#{name}#{shard}", "sk": "-"}

    table = new_table()
    item = {**wire_key(key_of("things", 0)), "A": {"N": "30"}, "B": {"N": "10"}}
    client.put_item(TableName=table, Item=item)
    return Counters(Batches(client, Pool(4)), table, key_of)


class TestCounting:
    def test_returns_the_sum_of_all_cells(self, counters):
        assert Counting(counters, "things")() == 40

    def test_returns_the_sum_of_some(self, counters):
        assert Counting(counters, "things", cells=["A"])() == 30
        assert Counting(counters, "things", cells=["A", "B"])() == 40

    def test_returns_nothing_for_what_is_not_there(self, counters):
        assert Counting(counters, "things", cells=["C"])() == 0
        assert Counting(counters, "nothing")() == 0

    def test_refuses_cells_that_are_one_name(self, counters):
        with pytest.raises(TypeError, match=r"a list of names, such as \['AB'\]"):
            Counting(counters, "things", cells="AB")


@pytest.mark.real_engine
class TestWhatATotalCosts:
    @pytest.fixture
    def stored(self, client, counters):
        """Makes a feed of the table's items of two partitions, which are ten."""
        for n in range(10):
            client.put_item(TableName=counters.table, Item=thing(n, "AB"[n % 2], f"{n:02d}"))
        index = Index(counters.table, "by_kind", partition="p", sort="s", table_key=("pk", "sk"))

        def feed(**options):
            options = {"client": client, **options}
            return Feed(index, ["A", "B"], **options)

        return feed

    def test_is_half_a_unit_and_no_round_more(self, stored, counters):
        with metered() as plain:
            stored().page(3)
        with metered() as counted:
            stored(total=Counting(counters, "things")).page(3)
        assert (plain.units, plain.rounds, plain.calls) == (1.0, 1, 2)
        assert (counted.units, counted.rounds, counted.calls) == (1.5, 1, 3)
        assert counted.units_of("total") == 0.5

    def test_is_half_a_unit_and_no_round_more_where_it_is_awaited(self, client, stored, counters):
        counting = Counting(counters, "things")

        async def page():
            with metered() as meter:
                feed = stored(client=Awaited(client), total=lambda: asyncio.to_thread(counting))
                page = await feed.apage(3)
            return meter, page.explain()

        meter, explanation = asyncio.run(page())
        assert (meter.units, meter.rounds, meter.calls) == (1.5, 1, 3)
        assert explanation.total.capacity_units == 1.5

    def test_is_explained_outside_of_any_meter(self, stored, counters):
        explanation = stored(total=Counting(counters, "things")).page(3).explain()
        total = explanation.total
        assert (total.calls, total.rounds, total.capacity_units) == (3, 1, 1.5)
        assert explanation.other == (OtherLine("total", 1, 0.5),)
        assert explanation.capacity_units == 1.0

    def test_is_explained_once_inside_of_a_meter(self, stored, counters):
        with metered() as meter:
            stored().page(3)
            explanation = stored(total=Counting(counters, "things")).page(3).explain()
        assert explanation.total.capacity_units == 1.5
        assert explanation.other == (OtherLine("total", 1, 0.5),)
        assert (meter.units, meter.rounds) == (2.5, 2)

    def test_is_no_line_where_nothing_is_counted(self, stored):
        explanation = stored().page(3).explain()
        assert explanation.other == ()
        assert explanation.total.capacity_units == explanation.capacity_units == 1.0

    def test_is_nothing_where_no_call_is_made(self, stored):
        explanation = stored(total=lambda: 10).page(3).explain()
        assert explanation.other == ()
        assert explanation.total.capacity_units == 1.0

    def test_is_counted_for_a_client_that_nobody_else_meters(self, connection, stored, counters):
        foreign = get_session().create_client(
            "dynamodb",
            region_name=connection.region,
            endpoint_url=connection.endpoint_url,
            aws_access_key_id="tests",
            aws_secret_access_key="tests",
        )
        own = Counters(Batches(foreign, Pool(4)), counters.table, counters.key_of)
        page = stored(total=Counting(own, "things")).page(3)
        assert page.explain().other == (OtherLine("total", 1, 0.5),)
