"""Counters are exact, however many shards they have and whoever changes them."""

from collections import Counter as Sum
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import pytest
from botocore.exceptions import ClientError
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from dynapages.calls.batches import Batches
from dynapages.calls.meter import metered
from dynapages.calls.pool import Pool
from dynapages.items import Item, wire_key
from dynapages.process import client, pool
from dynapages.writes.counters import (
    MOST_SHARDS,
    Counters,
    NoSuchCounter,
    write_with_counters,
)
from dynapages.writes.shards import Shards
from dynapages.writes.transactions import (
    Action,
    ConditionFailed,
    Expression,
    Transactions,
    check,
    put,
    write_transaction,
)
from dynapages_testing.chance import examples, unique
from dynapages_testing.conflicts import conflicts, throttles
from dynapages_testing.examples import run_example
from dynapages_testing.hooks import before_the_next, hooked

pytestmark = pytest.mark.usefixtures("table")
TABLE = unique("dynapages-test")
EXISTS = Expression("attribute_exists(pk)")
IS_NEW = Expression("attribute_not_exists(pk)")


def key_of(name: str, shard: int) -> dict[str, str]:
    return {"pk": f"TEST#{name}#{shard}", "sk": f"TEST#{name}#{shard}"}


def make_counters(least_shards: int = 1, *, most_shards: int = MOST_SHARDS) -> Counters:
    """Counters of a process that knows nothing yet."""
    return Counters(Batches(client(), pool()), TABLE, key_of, least_shards, most_shards)


def change(counters: Counters, name: str, *actions: Action, **deltas: int) -> None:
    write_with_counters(
        actions,
        {name: deltas},
        transactions=Transactions(client()),
        counters=lambda _name: counters,
    )


def change_all(counters: Counters, name: str, **deltas: int) -> None:
    """Change every shard, as far as chance does."""
    for _ in range(20):
        change(counters, name, **deltas)


def spread(counters: Counters, name: str, *, to: int) -> None:
    while counters.spread(name) < to:
        pass


def stored(name: str, *, among: int = 16) -> list[int]:
    """The shards whose items exist."""
    keys = [wire_key(key_of(name, shard)) for shard in range(among)]
    found = [client().get_item(TableName=TABLE, Key=key, ConsistentRead=True) for key in keys]
    return [shard for shard, answer in enumerate(found) if "Item" in answer]


@pytest.fixture(scope="module")
def table(process, new_table):
    return new_table(TABLE)


@pytest.fixture
def name(fresh):
    return fresh("counter")


@pytest.mark.fallback
class TestACounter:
    def test_is_read_together_with_others(self, name):
        counters = make_counters()
        change(counters, name, en=1)
        change(counters, f"{name}-2", de=2)
        read = counters.read_many([name, f"{name}-2", f"{name}-3"], consistent=True)
        assert read == {name: {"en": 1}, f"{name}-2": {"de": 2}, f"{name}-3": {}}


class TestSpreading:
    @pytest.mark.parametrize(("most", "expected"), [(8, [2, 4, 8, 8]), (3, [2, 3, 3, 3])])
    def test_doubles_the_shards_up_to_a_limit(self, name, most, expected):
        counters = make_counters(most_shards=most)
        assert [counters.spread(name) for _ in range(4)] == expected

    def test_is_recorded_by_the_first_write_of_a_counter_that_begins_spread(self, name):
        change(make_counters(least_shards=4), name, en=1)
        assert stored(name) == [0, 1, 2, 3]

    def test_goes_on_with_each_second_conflict(self, name):
        counters = make_counters()

        class Conflicting(Transactions):
            def write(self, build, *, on_conflict=None, on_throttled=None):
                for _ in range(4):
                    build()
                    on_conflict(frozenset({0}))

        transactions, deltas = Conflicting(client()), {name: {"en": 1}}
        write_with_counters([], deltas, transactions=transactions, counters=lambda _: counters)
        assert stored(name) == [0, 1, 2, 3]

    def test_is_read_although_a_shard_is_missing(self, name):
        counters = make_counters()
        spread(counters, name, to=4)
        write_transaction(client(), [counters._add(name, 0, {"en": 1})])
        client().delete_item(TableName=TABLE, Key=wire_key(key_of(name, 2)))
        assert counters.read(name, consistent=True) == {"en": 1}

    def test_creates_a_shard_that_is_missing(self, name):
        counters = make_counters()
        spread(counters, name, to=4)
        client().delete_item(TableName=TABLE, Key=wire_key(key_of(name, 2)))
        assert counters.ensure(name) == 4
        assert stored(name) == [0, 1, 2, 3]

    def test_is_done_once_by_processes_that_met(self, name):
        one, other = make_counters(), make_counters()
        assert [one.spread(name), other.spread(name)] == [2, 2]

    def test_doubles_what_is_stored_where_a_process_knew_more(self, name):
        stale, other = make_counters(), make_counters()
        spread(stale, name, to=4)
        other.fold(name)
        assert stale.spread(name) == 2

    def test_leaves_more_shards_than_the_limit_as_they_are(self, name):
        spread(make_counters(), name, to=8)
        assert make_counters(most_shards=4).spread(name) == 8

    def test_reads_nothing_where_there_are_as_many_as_there_may_be(self, name):
        counters = make_counters(most_shards=2)
        counters.spread(name)
        with metered() as meter:
            assert counters.spread(name) == 2
        assert meter.calls == 0

    def test_uses_the_new_shards(self, name):
        counters = make_counters()
        counters.spread(name)
        counters.spread(name)
        keys = {
            str(counters.change(name, {"en": 1})["Update"]["Key"]["pk"]["S"]) for _ in range(200)
        }
        assert keys == {f"TEST#{name}#{shard}" for shard in range(4)}


class TestSettling:
    def test_asks_for_nothing_when_all_is_right(self, name):
        counters = make_counters()
        change(counters, name, en=1)
        assert counters.set_sums(name, {"en": 1, "de": 0}) == []

    @pytest.mark.parametrize("number", [1, 9])
    def test_raises_and_lowers_a_sum(self, name, number):
        counters = make_counters(least_shards=2)
        change(counters, name, en=5)
        write_transaction(client(), counters.set_sums(name, {"en": number}))
        assert counters.read(name, consistent=True) == {"en": number}

    @pytest.mark.parametrize(("shards", "shard"), [(1, 0), (4, 0), (4, 1), (4, 2), (4, 3)])
    def test_fails_when_a_cell_has_changed_meanwhile(self, name, shards, shard):
        counters = make_counters(least_shards=shards)
        change(counters, name, en=1)
        actions = counters.set_sums(name, {"en": 5})
        write_transaction(client(), [counters._add(name, shard, {"en": 1})])
        with pytest.raises(ConditionFailed):
            Transactions(client()).write(lambda: actions)
        assert counters.read(name, consistent=True) == {"en": 2}


@pytest.mark.fallback
class TestAWriteThatMeetsOthers:
    @pytest.mark.parametrize(
        ("losses", "shards"),
        [([1, 1, 1], [0]), ([2], [0, 1]), ([2, 2], [0, 1, 2, 3]), ([2, 1, 1], [0, 1])],
    )
    def test_twice_spreads_the_counter(self, name, losses, shards):
        counters = make_counters()
        for number in losses:
            with conflicts(number):
                change(counters, name, en=1)
        assert stored(name) == shards

    def test_spreads_none_but_the_counter_on_which_they_met(self, name):
        counters = make_counters()
        with conflicts(2):
            write_with_counters(
                [],
                {name: {"en": 1}, f"{name}-2": {"en": 1}},
                transactions=Transactions(client()),
                counters=lambda _name: counters,
            )
        assert (stored(name), stored(f"{name}-2")) == ([0], [0, 1])


class TestAWriteToAListThatIsThrottled:
    @pytest.fixture
    def of_process(self, name):
        """The shards of the list as another process knows them."""

        def of_process() -> Shards:
            return Shards(client, TABLE, key_of(name, 0), lambda: 1)

        return of_process

    @staticmethod
    def write(shards: Shards, *, most: int = MOST_SHARDS) -> None:
        name = shards.key["pk"]
        item = put(TABLE, wire_key(key_of(f"{name}-item", 0)))
        write_with_counters(
            [item],
            {f"{name}-counter": {"en": 1}},
            transactions=Transactions(client()),
            counters=lambda _name: make_counters(),
            on_throttled=shards.spreading(most=most),
        )

    @pytest.mark.parametrize(("throttled", "expected"), [(1, 1), (2, 2), (4, 2)])
    def test_twice_doubles_the_shards(self, of_process, throttled, expected):
        shards = of_process()
        with throttles(throttled):
            self.write(shards)
        assert shards.count() == expected

    @pytest.mark.parametrize(("most", "expected"), [(3, 3), (1, 1)])
    def test_leaves_no_more_shards_than_the_most(self, of_process, most, expected):
        shards = of_process()
        for _ in range(3):
            with throttles(2):
                self.write(shards, most=most)
        assert shards.count() == expected

    def test_calls_nothing_where_there_are_as_many_as_there_may_be(self, of_process):
        spread = of_process().spreading(most=1)
        with metered() as meter:
            for _ in range(2):
                spread(frozenset({0}))
        assert meter.calls == 0

    def test_doubles_them_once_with_the_others_that_are_throttled(self, of_process):
        shards, others = of_process(), of_process()
        spreading = [each.spreading(most=8) for each in (shards, shards, others)]
        for spread in spreading * 2:
            spread(frozenset({0}))
        assert shards.count() == 2

    def test_leaves_them_where_only_its_counter_was(self, of_process):
        shards = of_process()
        spread = shards.spreading(most=8)
        for _ in range(2):
            spread(frozenset({1}))
        assert shards.count() == 1

    @pytest.mark.parametrize(("throttled", "expected"), [(0, 2), (2, 2), (3, 1)])
    def test_doubles_them_where_any_of_several_items_was(self, of_process, throttled, expected):
        shards = of_process()
        spread = shards.spreading(most=8, items=3)
        for _ in range(2):
            spread(frozenset({throttled}))
        assert shards.count() == expected

    def test_is_written_even_if_the_number_cannot_be(self, of_process):
        def refuse(**_: object) -> None:
            raise ClientError({"Error": {"Code": "ThrottlingException"}}, "UpdateItem")

        shards = of_process()
        with hooked("provide-client-params.dynamodb.UpdateItem", refuse), throttles(2):
            self.write(shards)
        assert shards.count() == 1


class TestAReaderThatKnowsTooFewShards:
    @pytest.mark.real_engine
    def test_reads_the_others_once_in_one_call_more(self, name):
        spread(make_counters(), name, to=8)
        with metered() as meter:
            make_counters().read(name)
        assert (meter.calls, meter.units) == (2, 8 * 0.5)


class TestAWriterThatKnowsTooManyShards:
    @pytest.fixture
    def stale(self, name):
        """Counters of a process that was not told of a fold."""
        counters = make_counters()
        spread(counters, name, to=8)
        assert make_counters().fold(name)
        return counters

    def test_writes_its_own_actions_once_and_to_those_there_are(self, name, stale):
        for number in range(20):
            noted = put(TABLE, wire_key(key_of(name, 100 + number)), IS_NEW)
            change(stale, name, noted, en=1)
        assert stored(name) == [0]
        assert make_counters().read(name, consistent=True) == {"en": 20}

    def test_writes_actions_of_any_iterable_together_with_the_second_attempt(self, name, stale):
        for number in range(20):
            noted = put(TABLE, wire_key(key_of(name, 100 + number)), IS_NEW)
            write_with_counters(
                iter([noted]),
                {name: {"en": 1}},
                transactions=Transactions(client()),
                counters=lambda _name: stale,
            )
        assert make_counters().read(name, consistent=True) == {"en": 20}

    def test_is_told_of_conditions_of_its_own_alone(self, name, stale):
        missing = check(TABLE, wire_key(key_of(name, 99)), EXISTS)
        for _ in range(20):
            with pytest.raises(ConditionFailed) as failure:
                change(stale, name, missing, en=1)
            assert failure.value.failed.keys() == {0}


class TestFolding:
    @pytest.mark.parametrize("least", [1, 2])
    def test_keeps_the_sum_in_the_shards_that_a_counter_begins_with(self, name, least):
        counters = make_counters(least_shards=least)
        spread(counters, name, to=8)
        change_all(counters, name, en=1, de=2)
        assert counters.fold(name)
        assert counters.known([name]) == {name: least}
        assert make_counters().read(name, consistent=True) == {"en": 20, "de": 40}
        assert stored(name) == list(range(least))

    def test_leaves_shards_that_are_read_in_one_call(self, name):
        counters = make_counters(least_shards=2)
        spread(counters, name, to=4)
        assert counters.fold(name)
        with metered() as meter:
            counters.read(name, consistent=True)
        assert meter.calls == 1

    def test_of_a_counter_with_one_shard_writes_nothing(self, name):
        counters = make_counters()
        change(counters, name, en=1)
        with metered() as meter:
            assert counters.fold(name)
        assert [call.operation for call in meter.log] == ["BatchGetItem"]

    def test_waits_where_a_change_is_undone_meanwhile(self, name):
        """The cells are as they were, and yet a shard has been changed."""
        counters, other = make_counters(), make_counters()
        spread(counters, name, to=2)

        def go() -> None:
            change_all(other, name, en=1)
            change_all(other, name, en=-1)

        with before_the_next("TransactWriteItems", go):
            assert not counters.fold(name)

    def test_lets_recounts_under_way_fail(self, name):
        counters = make_counters()
        spread(counters, name, to=4)
        actions = counters.set_sums(name, {"en": 5})
        assert counters.fold(name)
        with pytest.raises(ConditionFailed):
            write_transaction(client(), actions)
        assert stored(name) == [0]


class TestAReaderOfFoldedShards:
    @pytest.fixture
    def counters(self, name):
        counters = make_counters()
        spread(counters, name, to=4)
        change_all(counters, name, en=1)
        return counters

    def read_shards(self, counters: Counters, name: str) -> dict[int, Item]:
        """The items of four shards, as one reader saw them."""
        items = counters.batches.get(TABLE, counters.keys({name: 4}))
        return {int(item["pk"]["S"].rpartition("#")[2]): item for item in items}

    def test_forgets_those_that_are_gone(self, name, counters):
        make_counters().fold(name)
        counters.read(name, consistent=True)
        assert counters.known([name]) == {name: 1}

    @pytest.mark.parametrize("early", [{0}, {1, 2, 3}])
    @pytest.mark.parametrize("is_spread_again", [False, True])
    def test_reads_again_what_was_read_before_and_after_the_fold(
        self, name, counters, early, *, is_spread_again
    ):
        before = self.read_shards(counters, name)
        assert make_counters().fold(name)
        if is_spread_again:
            spread(make_counters(), name, to=4)
        after = self.read_shards(counters, name)
        mixed = [(before if n in early else after).get(n) for n in range(4)]
        found = counters.sums({name: 4}, [item for item in mixed if item], consistent=True)
        assert found == {name: {"en": 20}}

    def test_reads_again_where_shards_are_folded_before_it_reads_those_it_did_not_know(
        self, name, counters
    ):
        fresh = make_counters()
        items = fresh.batches.get(TABLE, fresh.keys({name: 1}))
        with before_the_next("BatchGetItem", lambda: counters.fold(name)):
            assert fresh.sums({name: 1}, items, consistent=True) == {name: {"en": 20}}


class TestACounterThatMustExist:
    @pytest.fixture
    def counters(self):
        return Counters(Batches(client(), pool()), TABLE, key_of, must_exist=True)

    def begin(self, counters: Counters, name: str) -> None:
        write_transaction(client(), [counters.begin(name, {"en": 1})])

    def test_is_created_by_its_beginning_alone(self, name, counters):
        with pytest.raises(NoSuchCounter):
            change(counters, name, en=1)
        with conflicts(2), pytest.raises(NoSuchCounter):
            change(counters, name, en=1)
        assert stored(name) == []
        self.begin(counters, name)
        change(counters, name, en=1)
        assert counters.read(name, consistent=True) == {"en": 2}

    def test_is_not_created_again_by_a_writer_who_knew_its_shards(self, name, counters):
        self.begin(counters, name)
        spread(counters, name, to=4)
        write_transaction(client(), counters.deletions(name))
        for _ in range(20):
            with pytest.raises(NoSuchCounter):
                change(counters, name, en=1)
        assert stored(name) == []

    def test_is_not_created_again_by_spreading(self, name, counters):
        self.begin(counters, name)

        def delete() -> None:
            write_transaction(client(), counters.deletions(name))

        with before_the_next("TransactWriteItems", delete), pytest.raises(NoSuchCounter):
            counters.spread(name)
        assert stored(name) == []

    def test_is_deleted_with_its_first_shard_last(self, name, counters):
        self.begin(counters, name)
        spread(counters, name, to=2)
        keys = [action["Delete"]["Key"] for action in counters.deletions(name)]
        assert keys == [wire_key(key_of(name, 1)), wire_key(key_of(name, 0))]

    @pytest.mark.parametrize("number", [1, 4])
    def test_is_deleted_only_as_it_was_read(self, name, counters, number):
        self.begin(counters, name)
        if number > 1:
            spread(counters, name, to=number)
        deletions = counters.deletions(name)
        change(counters, name, en=1)
        change(counters, name, en=-1)
        with pytest.raises(ConditionFailed):
            write_transaction(client(), deletions)


processes = st.integers(0, 2)
cells = st.dictionaries(
    st.sampled_from(["en.5", "en.1", "de.3"]), st.integers(-9, 9).filter(bool), min_size=1
)


class Counting(RuleBasedStateMachine):
    """Three processes, each with its own memory, and a model of the counter: a plain sum."""

    def __init__(self) -> None:
        super().__init__()
        self.name = unique("counters")
        self.processes = [make_counters(), make_counters(2), make_counters(most_shards=16)]
        self.notes = count()
        self.truth = Sum[str]()

    @rule(process=processes, deltas=cells, met=st.integers(0, 5))
    def change(self, process: int, deltas: dict[str, int], met: int) -> None:
        note = put(
            TABLE,
            wire_key(key_of(f"{self.name}-note", next(self.notes))),
            IS_NEW,
        )
        with conflicts(met):
            change(self.processes[process], self.name, note, **deltas)
        self.truth.update(deltas)

    @rule(process=processes)
    def spread(self, process: int) -> None:
        self.processes[process].spread(self.name)

    @rule(process=processes)
    def fold(self, process: int) -> None:
        assert self.processes[process].fold(self.name)

    @rule(process=processes, other=processes, deltas=cells)
    def fold_while_another_writes(self, process: int, other: int, deltas: dict[str, int]) -> None:
        def write() -> None:
            change(self.processes[other], self.name, **deltas)
            self.truth.update(deltas)

        with before_the_next("TransactWriteItems", write):
            self.processes[process].fold(self.name)
            # Where there is nothing to fold, nothing was written yet.
            change(self.processes[process], self.name, back=1)
        self.truth.update(back=1)

    @rule(process=processes, numbers=cells)
    def recount(self, process: int, numbers: dict[str, int]) -> None:
        actions = self.processes[process].set_sums(self.name, numbers)
        if actions:
            write_transaction(client(), actions)
        self.truth = Sum({**self.truth, **numbers})

    @rule(process=processes)
    def restart(self, process: int) -> None:
        self.processes[process]._known.clear()

    @invariant()
    def every_process_reads_the_sum(self) -> None:
        expected = {cell: number for cell, number in self.truth.items() if number}
        fresh = make_counters()
        assert fresh.read(self.name, consistent=True) == expected

    @rule(process=processes)
    def read(self, process: int) -> None:
        expected = {cell: number for cell, number in self.truth.items() if number}
        assert self.processes[process].read(self.name, consistent=True) == expected


TestCounting = Counting.TestCase
TestCounting.settings = settings(max_examples=examples(60), stateful_step_count=12)


@pytest.mark.real_engine
def test_many_writers_at_once_lose_nothing(name):
    counters = make_counters()
    with ThreadPoolExecutor(16) as threads:
        for number in range(100):
            threads.submit(change, counters, name, en=1)
            if number % 25 == 0:
                threads.submit(counters.spread, name)
            if number % 10 == 0:
                threads.submit(make_counters().fold, name)
    assert counters.read(name, consistent=True) == {"en": 100}


@pytest.fixture
def table_of(client):
    """Makes a table of these key attributes, each with its type."""
    made = []

    def make(name: str, /, **key: str) -> str:
        kinds = dict(zip(key, ("HASH", "RANGE"), strict=False))
        client.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": each, "KeyType": kinds[each]} for each in key],
            AttributeDefinitions=[
                {"AttributeName": each, "AttributeType": kind} for each, kind in key.items()
            ],
        )
        client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
        made.append(name)
        return name

    yield make
    for name in made:
        client.delete_table(TableName=name)


class TestInAForeignTable:
    def test_the_example_counts_what_it_says(self, client, table_of):
        table_of("visits", id="S")
        sums = run_example(
            Counters,
            client=client,
            Batches=Batches,
            Counters=Counters,
            Pool=Pool,
            Transactions=Transactions,
            put=put,
            write_with_counters=write_with_counters,
        )["sums"]
        assert sums == {"views": 1, "from abroad": 1}

    def test_shards_may_be_told_apart_by_a_number(self, client, table_of):
        table = table_of(unique("dynapages-numbers"), name="S", shard="N")
        batches = Batches(client, Pool(2))
        mine = Counters(batches, table, lambda name, n: {"name": name, "shard": n}, least_shards=3)
        for _ in range(9):
            write_transaction(client, [mine.change("home", {"views": 1})])
        assert mine.read("home", consistent=True) == {"views": 9}
        assert client.scan(TableName=table)["Count"] == 3

    def test_a_table_may_have_binary_keys(self, client, table_of):
        table = table_of(unique("dynapages-bytes"), id="B")
        batches = Batches(client, Pool(2))
        mine = Counters(batches, table, lambda name, n: {"id": f"{name}{n}".encode()})
        write_transaction(client, [mine.change("home", {"views": 2})])
        assert mine.spread("home") == 2
        assert mine.read("home", consistent=True) == {"views": 2}
        assert mine.fold("home")
