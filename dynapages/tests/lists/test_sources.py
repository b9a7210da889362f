"""Spelling and answering Queries: the requests, the bounds, and a real engine's agreement."""

from dataclasses import replace
from itertools import product
from operator import itemgetter
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynapages.items import sort_key_of, wire_value
from dynapages.lists.feed import Feed
from dynapages.lists.key_texts import HIGHEST
from dynapages.lists.queries import QuerySource, query_request
from dynapages.lists.reader import Order, PageRequest, Toward
from dynapages.lists.runs import NOTHING, Chunk, HasAll, Index, Lacks, OneOf, Position, Run, Source
from dynapages_testing.examples import run_example
from dynapages_testing.merged_lists import (
    INDEX,
    MOMENTS,
    STRETCHES,
    MergedList,
    Thing,
    all_places,
    only,
)
from dynapages_testing.query_model import QueryModel
from dynapages_testing.strict import key_condition

KINDS = ["red", "blue", "green"]
SINCE, UNTIL = "2026-02-01T00:00:00.000000Z", "2026-03-01T00:00:00.000000Z"

texts = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0x10FFFE), max_size=4)


def asked(run: Run, **how: Any) -> dict[str, Any]:
    request = query_request(run, **{"behind": None, "limit": 21, "ascending": False} | how)
    assert request is not None
    return request


def highest(run: Run) -> str:
    """Return the upper end of a run's key condition."""
    found: str = asked(run)["ExpressionAttributeValues"][":high"]["S"]
    return found


class TestTheRequest:
    def test_asks_for_a_number_of_items_of_one_partition_of_an_index(self):
        assert asked(Run(INDEX, "A")) == {
            "TableName": "things",
            "IndexName": "by_kind",
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": {"#p": "p"},
            "ExpressionAttributeValues": {":p": {"S": "A"}},
            "ScanIndexForward": False,
            "ReturnConsumedCapacity": "INDEXES",
            "Limit": 21,
        }

    def test_of_the_table_itself_names_no_index_and_may_be_consistent(self):
        table = Index(
            "log", None, partition="pk", sort="sk", table_key=lambda _position: {}, consistent=True
        )
        request = asked(Run(table, "A"))
        assert "IndexName" not in request
        assert request["ConsistentRead"] is True

    def test_starts_behind_a_position_of_another_run(self):
        position = Thing("B", "", "2026-02-14Z#7", "alex").position()
        request = asked(Run(INDEX, "C", "SHIPPED#"), behind=position)
        assert request["ExclusiveStartKey"] == {
            "p": {"S": "C"},
            "s": {"S": "SHIPPED#2026-02-14Z#7"},
            "pk": {"S": "OWNER#alex"},
            "sk": {"S": "THING#7"},
        }

    @pytest.mark.parametrize(
        ("place", "up", "down"),
        [
            ("2026-01-31", "edge", "nowhere"),
            ("2026-02", "behind", "nowhere"),
            ("2026-02-14", "behind", "behind"),
            ("2026-03", "nowhere", "edge"),
            ("2026-03-01", "nowhere", "edge"),
        ],
    )
    def test_starts_where_the_position_lies(self, place, up, down):
        february = Run(INDEX, "A", since="2026-02", until="2026-03")
        behind = Position(place)
        for ascending, start in ((True, up), (False, down)):
            request = query_request(february, behind=behind, limit=1, ascending=ascending)
            has_key = request is not None and "ExclusiveStartKey" in request
            found = "nowhere" if request is None else "behind" if has_key else "edge"
            assert found == start

    @pytest.mark.parametrize(
        ("place", "up", "down"),
        [
            ("2026-01-31", "edge", "nowhere"),
            ("2026-02", "edge", "included"),
            ("2026-02-14", "included", "included"),
            ("2026-03", "nowhere", "edge"),
            (HIGHEST, "nowhere", "edge"),
        ],
    )
    def test_begins_with_the_item_at_an_inclusive_position(self, place, up, down):
        february = Run(INDEX, "A", "S#", since="2026-02", until="2026-03")
        behind = Position(place, inclusive=True)
        bounds = {
            "edge": ("S#2026-02", "S#2026-02" + HIGHEST),
            "included": ("S#2026-02", f"S#{place}"),
        }
        for ascending, start in ((True, up), (False, down)):
            request = query_request(february, behind=behind, limit=1, ascending=ascending)
            if start == "nowhere":
                assert request is None
                continue
            low, high = bounds[start]
            if start == "included" and ascending:
                low, high = f"S#{place}", "S#2026-02" + HIGHEST
            assert request
            assert "ExclusiveStartKey" not in request
            values = request["ExpressionAttributeValues"]
            assert (values[":low"], values[":high"]) == ({"S": low}, {"S": high})

    @pytest.mark.parametrize(
        ("run", "up", "down"),
        [
            (Run(INDEX, "A"), "#s >= :low", "#s <= :high"),
            (Run(INDEX, "A", since="1"), "#s >= :low", "#s BETWEEN :low AND :high"),
            (Run(INDEX, "A", until="9"), "#s BETWEEN :low AND :high", "#s <= :high"),
            (Run(INDEX, "A", "S#"), "#s BETWEEN :low AND :high", "#s BETWEEN :low AND :high"),
        ],
    )
    def test_of_an_inclusive_position_has_no_more_bounds_than_its_run(self, run, up, down):
        behind = Position("5", inclusive=True)
        for ascending, condition in ((True, up), (False, down)):
            request = asked(run, behind=behind, ascending=ascending)
            assert request["KeyConditionExpression"] == f"#p = :p AND {condition}"

    def test_is_none_where_its_lower_bound_would_be_the_upper_one(self):
        run, behind = Run(INDEX, "A", until="b"), Position("a" + HIGHEST * 2, inclusive=True)
        assert query_request(run, behind=behind, limit=1, ascending=True) is None

    def test_of_unique_numbers_begins_with_the_one_at_an_inclusive_position(self):
        table = Index("log", None, partition="pk", sort="sk", table_key=lambda _position: {})
        run = Run(table, "A")
        at = run.position_of({"pk": {"S": "A"}, "sk": {"N": "5"}})
        request = asked(run, behind=replace(at, inclusive=True))
        assert request["KeyConditionExpression"] == "#p = :p AND #s <= :high"
        assert request["ExpressionAttributeValues"][":high"] == {"N": "5"}

    def test_of_the_table_starts_at_its_own_key(self):
        run = Run(
            Index("log", None, partition="pk", sort="sk", table_key=lambda _position: {}), "2026-02"
        )
        key = {"pk": {"S": "2026-02"}, "sk": {"S": "14"}}
        assert asked(run, behind=Position("14"))["ExclusiveStartKey"] == key
        assert run.position_of(key) == Position("14", "")

    def test_filters_by_every_attribute_it_is_told_to(self):
        kept = (*only("red", "blue"), OneOf("size", ({"N": "42"},)))
        request = asked(Run(INDEX, "A", keep=kept))
        assert request["FilterExpression"] == "#f0 IN (:f0_0, :f0_1) AND #f1 IN (:f1_0)"
        assert request["ExpressionAttributeNames"] == {"#p": "p", "#f0": "kind", "#f1": "size"}
        assert request["ExpressionAttributeValues"] == {
            ":p": {"S": "A"},
            ":f0_0": {"S": "red"},
            ":f0_1": {"S": "blue"},
            ":f1_0": {"N": "42"},
        }

    def test_filters_by_all_that_a_set_has_to_hold(self):
        kept = (HasAll("words", ({"S": "akku"}, {"S": "leer"})),)
        request = asked(Run(INDEX, "A", keep=kept))
        assert request["FilterExpression"] == "contains(#f0, :f0_0) AND contains(#f0, :f0_1)"
        assert request["ExpressionAttributeNames"] == {"#p": "p", "#f0": "words"}

    def test_filters_by_an_attribute_that_items_lack(self):
        kept = (OneOf("kind", ({"S": "red"},)), Lacks("votes"))
        request = asked(Run(INDEX, "A", keep=kept))
        assert request["FilterExpression"] == "#f0 IN (:f0_0) AND attribute_not_exists(#f1)"
        assert request["ExpressionAttributeNames"] == {"#p": "p", "#f0": "kind", "#f1": "votes"}
        assert set(request["ExpressionAttributeValues"]) == {":p", ":f0_0"}


class TestTheKeyCondition:
    @given(since=st.none() | all_places, until=st.none() | all_places, place=all_places)
    def test_holds_since_and_what_follows_but_not_until(self, since, until, place):
        for prefix in ("", "SHIPPED#"):
            request = query_request(
                Run(INDEX, "C", prefix, since, until), behind=None, limit=1, ascending=True
            )
            within = (since is None or since <= place) and (until is None or place < until)
            if request is None:
                assert not within
            else:
                item = {"p": {"S": "C"}, "s": {"S": prefix + place}}
                assert key_condition(request).holds(item) is within

    @given(start=texts, until=texts.filter(len), place=texts)
    def test_ends_below_any_until(self, start, until, place):
        high = highest(Run(INDEX, "A", "SHIPPED#", until=start + until))
        assert ("SHIPPED#" + start + place <= high) is (place < until)

    @pytest.mark.parametrize(
        ("until", "just_below"),
        [("m\0", "m"), ("m\ue000", "m\ud7ff\U0010ffff"), ("m", "l\U0010ffff")],
    )
    def test_ends_below_until_in_a_text_that_utf8_can_spell(self, until, just_below):
        high = highest(Run(INDEX, "A", since="a", until=until))
        assert high == just_below
        assert high.encode() < until.encode()


class TestAQuery:
    def test_adds_what_all_items_of_the_run_share(self):
        model = QueryModel({"by_kind": ("p", "s")}, [Thing("A", "", "7Z#x").item()])
        run = Run(INDEX, "A", known={"kind": {"S": "shirt"}})
        chunk = QuerySource(model).query(run, behind=None, limit=5, ascending=True)
        assert chunk.items == ({**Thing("A", "", "7Z#x").item(), "kind": {"S": "shirt"}},)

    @pytest.mark.parametrize("order", Order)
    def test_finds_an_item_whose_sort_key_is_the_prefix_itself(self, order):
        things = [Thing("C", "S#", place) for place in ("", "a")]
        listing = MergedList([Run(INDEX, "C", "S#")], things)
        for toward in Toward:
            request = PageRequest(1, toward=toward)
            assert listing.places_from(request, order) == listing.places(order)
            listing.require_ways_back(request, order, listing.places(order))

    def test_of_nothing_makes_no_call(self):
        model = QueryModel({"by_kind": ("p", "s")})
        run = Run(INDEX, "A", since=UNTIL, until=SINCE)
        assert QuerySource(model).query(run, behind=None, limit=5, ascending=True) is NOTHING
        assert model.requests == []


@pytest.fixture(scope="module")
def stored(new_table, client):
    """Return 70 things in a real table: equal moments, ranges, neighbouring partitions."""
    table, random = new_table(), Random(42)
    index = replace(INDEX, table=table)
    things = [
        Thing(
            *random.choice(STRETCHES), place, random.choice(["alex", "sam"]), random.choice(KINDS)
        )
        for place in (
            sort_key_of(moment, f"{n}é{moment.microsecond}")
            for n in range(14)
            for moment in MOMENTS
        )
    ]
    for some in range(0, len(things), 25):
        puts = [{"PutRequest": {"Item": thing.item()}} for thing in things[some : some + 25]]
        client.batch_write_item(RequestItems={table: puts})
    since, until = things[1].place[:27], things[3].place[:27]
    runs = [
        Run(index, "A"),
        Run(index, "B", since=since, until=until),
        Run(index, "C", "SHIPPED#", since=since),
        Run(index, "C", "DELIVERED#", until=things[2].place),
        Run(index, "C", "SHIPPEDX#", keep=only("red", "green")),
        Run(index, "D", "OPEN#", since=things[2].place, until=until),
    ]
    return MergedList(runs, things)


@pytest.mark.fallback
class TestOnAnEngine:
    @pytest.mark.parametrize(("order", "size"), list(product(Order, [4, 50])))
    def test_the_pages_are_the_sorted_answer(self, stored, client, order, size):
        whole = stored.places(order)
        pages = list(stored.walk(PageRequest(size), order, client=client))
        assert [entry.position.place for page in pages for entry in page.entries] == whole

    @pytest.mark.parametrize("order", Order)
    def test_the_pages_back_are_the_same(self, stored, client, order):
        whole = stored.places(order)
        end = Position("9999" if order is Order.OLDEST_FIRST else "0000", "alex")
        request = PageRequest(9, end, Toward.PREVIOUS)
        pages = list(stored.walk(request, order, client=client))
        found = [entry.position.place for page in reversed(pages) for entry in page.entries]
        assert found == whole

    @pytest.mark.parametrize("order", Order)
    def test_the_way_back_of_each_page_is_all_in_front_of_it(self, stored, client, order):
        whole = stored.places(order)
        shown: list[str] = []
        for page in stored.walk(PageRequest(9), order, client=client):
            if page.previous_position:
                back = PageRequest(len(whole), page.previous_position, Toward.PREVIOUS)
                found = stored.read(back, order, client=client)
                assert [entry.position.place for entry in found.entries] == shown
            shown += [entry.position.place for entry in page.entries]
        assert shown == whole

    @pytest.mark.real_engine
    def test_the_model_of_a_query_answers_as_the_engine_does(self, stored, client):
        model = stored.model()
        random = Random(7)
        for _ in range(150):
            behind = random.choice([None, *stored.things])
            request = query_request(
                random.choice(stored.runs),
                behind=behind and behind.position(inclusive=random.choice([True, False])),
                limit=random.randint(1, 12),
                ascending=random.choice([True, False]),
            )
            if request:
                answer, modelled = client.query(**request), model.query(**request)
                assert answer["Items"] == modelled["Items"]
                assert answer["ScannedCount"] == modelled["ScannedCount"]
                assert answer.get("LastEvaluatedKey") == modelled.get("LastEvaluatedKey")


class TestTheExampleOfASource:
    def test_is_listed_in_the_order_of_sort_keys(self):
        items = [
            {"p": {"S": "ab"[n % 2]}, "s": {"S": f"{n:02d}"}, "n": {"N": str(n)}} for n in range(9)
        ]
        found = run_example(
            Source,
            Chunk=Chunk,
            Feed=Feed,
            Index=Index,
            Position=Position,
            items=items,
            itemgetter=itemgetter,
            wire_value=wire_value,
        )["feed"]
        assert [int(each["n"]) for each in found] == [*range(8, -1, -1)]
        assert [int(each["n"]) for each in found.page(4).items] == [8, 7, 6, 5]
