"""No expression that the library sends has a letter that is not ASCII, whatever users write."""

from datetime import UTC, datetime, timedelta

import pytest

from dynapages import Feed, Index, Pool, Tokens
from dynapages.calls import Batches
from dynapages.writes.counters import Counters
from dynapages.writes.rate_limiter import Limit, Limiter
from dynapages.writes.transactions import check, unchanged, write_transaction
from dynapages_testing.chance import unique
from dynapages_testing.expressions import check_expressions

EUROPE = {"ort": {"S": "Zürich"}}
"""A value, which may have any letter."""
NAMES = {"ExpressionAttributeNames": {"#ort": "größe"}}
"""A name of an attribute, which may as well."""


class TestTheJudge:
    @pytest.mark.parametrize(
        "parameters",
        [
            {"UpdateExpression": "SET größe = :one"},
            {"ConditionExpression": "attribute_exists(#größe)"},
            {"ExpressionAttributeNames": {"#größe": "size"}},
            {"ExpressionAttributeValues": {":größe": {"N": "1"}}},
            {"TransactItems": [{"Update": {"UpdateExpression": "SET größe = :one"}}]},
            {"RequestItems": {"things": {"ProjectionExpression": "größe"}}},
        ],
        ids=["update", "condition", "name", "value", "transaction", "batch"],
    )
    def test_refuses_letters_of_several_bytes(self, parameters):
        with pytest.raises(AssertionError, match="ASCII alone"):
            check_expressions(parameters)

    @pytest.mark.parametrize(
        "parameters",
        [
            {"Item": EUROPE, "ConditionExpression": "attribute_not_exists(#ort)", **NAMES},
            {"ExpressionAttributeValues": {":ort": EUROPE["ort"]}},
            {"RequestItems": {"things": [{"PutRequest": {"Item": EUROPE}}]}},
        ],
        ids=["name", "value", "batch"],
    )
    def test_takes_them_in_names_and_values_of_attributes(self, parameters):
        check_expressions(parameters)

    def test_looks_at_each_call_of_the_tests_client(self, client):
        with pytest.raises(AssertionError, match="ASCII alone"):
            client.scan(TableName="things", FilterExpression="größe = :one")


@pytest.fixture(scope="module")
def cities(client):
    """A table whose keys have names that are not ASCII, with cities of two countries."""
    name = unique("dynapages-test")
    client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        KeySchema=[
            {"AttributeName": "länd", "KeyType": "HASH"},
            {"AttributeName": "größe", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "länd", "AttributeType": "S"},
            {"AttributeName": "größe", "AttributeType": "S"},
        ],
    )
    for country in ("Österreich", "Türkei"):
        for size in range(5):
            key = {"länd": {"S": country}, "größe": {"S": f"{size} Mio. €"}}
            client.put_item(TableName=name, Item={**key, "fläche": {"N": str(size)}})
    yield name
    client.delete_table(TableName=name)


class TestExpressionsWithNamesThatAreNotAscii:
    def test_read_a_list_in_both_directions(self, client, cities):
        feed = Feed(
            Index(cities, partition="länd", sort="größe"),
            ["Österreich", "Türkei"],
            client=client,
            tokens=Tokens("a secret of these tests"),
            query={
                "FilterExpression": "#f < :most",
                "ProjectionExpression": "#f",
                "ExpressionAttributeNames": {"#f": "fläche"},
                "ExpressionAttributeValues": {":most": {"N": "4"}},
            },
        )
        first = feed.page(3)
        second = feed.page(3, after=first.next)
        assert len(second.items) == 3
        assert feed.page(3, before=second.previous).items == first.items

    def test_count(self, client, cities):
        counters = Counters(
            Batches(client, Pool(2)),
            cities,
            lambda name, shard: {"länd": name, "größe": str(shard)},
            least_shards=2,
        )
        for _ in range(4):
            write_transaction(client, [counters.change("Zürich", {"Gäste": 1})])
        assert counters.read("Zürich", consistent=True) == {"Gäste": 4}
        write_transaction(client, counters.set_sums("Zürich", {"Gäste": 2}))
        assert counters.fold("Zürich")
        assert counters.read("Zürich", consistent=True) == {"Gäste": 2}
        write_transaction(client, counters.deletions("Zürich"))

    def test_limit(self, client, cities):
        limiter = Limiter(
            client, cities, lambda name: {"länd": name, "größe": "Limit"}, expires_at="gültig_bis"
        )
        limit = Limit(1, timedelta(minutes=1))
        now = datetime.now(UTC)
        assert limiter.take("Jürgen", limit, now=now) == 0.0
        assert limiter.take("Jürgen", limit, now=now) > 0
        limiter.clear("Jürgen")

    def test_require_an_item_as_it_was(self, client, cities):
        key = {"länd": {"S": "Türkei"}, "größe": {"S": "3 Mio. €"}}
        stored = client.get_item(TableName=cities, Key=key)["Item"]
        condition = unchanged(stored, "fläche", "höhe")
        write_transaction(client, [check(cities, key, condition)])
