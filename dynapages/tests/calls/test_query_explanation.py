"""What `explain_query` says of Queries of others, on the engine."""

import json
from dataclasses import replace
from functools import partial

import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from dynapages import DynamoError
from dynapages.calls.client import build_client
from dynapages.calls.meter import metered
from dynapages.calls.query_explanation import QueryExplanation, explain_query
from dynapages.items import item_bytes
from dynapages_testing.merged_lists import Thing
from dynapages_testing.query_model import QueryModel

pytestmark = pytest.mark.real_engine

ITEMS = 20


def item(number):
    """The item of a number, of which one in ten is new."""
    kind = "new" if number % 10 == 0 else "old"
    return {
        **Thing("A", "", f"{number:02}Z#a{number:02}").item(),
        "state": {"S": kind},
        "body": {"S": "x" * 100},
    }


@pytest.fixture(scope="module")
def table(new_table, client):
    name = new_table()
    for number in range(ITEMS):
        client.put_item(TableName=name, Item=item(number))
    return name


@pytest.fixture
def of_table(table):
    """The key of the partition in the index."""
    return {
        "TableName": table,
        "IndexName": "by_kind",
        "KeyConditionExpression": "#kind = :kind",
        "ExpressionAttributeNames": {"#kind": "p"},
        "ExpressionAttributeValues": {":kind": {"S": "A"}},
    }


@pytest.fixture
def explain(client, of_table):
    """Explains a Query of the partition, with further parameters."""

    def explain(values=(), **further):
        values = {**of_table["ExpressionAttributeValues"], **dict(values)}
        query = {**of_table, "ExpressionAttributeValues": values, **further}
        return explain_query(client, **query)

    return explain


@pytest.fixture
def explain_filtered(explain):
    """Explains one whose filter drops 18 of 20 items."""
    return partial(
        explain,
        {":state": {"S": "new"}},
        FilterExpression="#state = :state",
        ExpressionAttributeNames={"#kind": "p", "#state": "state"},
    )


class TestAnExplanation:
    def test_says_what_was_asked(self, explain, table):
        explained = explain()
        assert (explained.table, explained.index) == (table, "by_kind")
        assert explained.key_condition == "p = 'A'"
        assert explained.filter is None

    def test_says_what_was_read_and_what_it_cost(self, explain):
        explained = explain()
        assert (explained.items_read, explained.items_returned) == (ITEMS, ITEMS)
        assert explained.capacity_units == 0.5
        assert explained.dollars == pytest.approx(0.0625)
        assert not explained.has_more

    def test_says_the_size_of_items(self, explain):
        explained = explain()
        assert explained.mean_item_bytes == item_bytes(item(0))
        assert explained.size_is_exact

    def test_bounds_the_size_where_not_all_is_returned(self, explain_filtered):
        explained = explain_filtered()
        assert explained.mean_item_bytes == 205  # a block by 20 items
        assert not explained.size_is_exact

    @pytest.mark.parametrize(
        "parts",
        [
            {"Select": "COUNT"},
            {"ProjectionExpression": "pk"},
            {"ProjectionExpression": "pk", "Select": "SPECIFIC_ATTRIBUTES"},
        ],
    )
    def test_bounds_the_size_where_parts_are_returned(self, explain, parts):
        explained = explain(**parts)
        assert explained.items_returned == ITEMS
        assert explained.mean_item_bytes == 205
        assert not explained.size_is_exact

    def test_of_a_consistent_read_has_its_cost_and_the_same_bound(self, client, table):
        explained = explain_query(
            client,
            TableName=table,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": item(0)["pk"]},
            ConsistentRead=True,
            Select="COUNT",
        )
        assert explained.capacity_units == 1.0
        assert explained.mean_item_bytes == -(-4096 // explained.items_read)

    def test_of_an_empty_partition_has_no_size(self, explain):
        explained = explain({":kind": {"S": "nothing"}})
        assert (explained.items_read, explained.mean_item_bytes) == (0, None)
        assert explained.percent_dropped == 0

    def test_says_what_the_filter_drops(self, explain_filtered):
        explained = explain_filtered()
        assert explained.filter == "state = 'new'"
        assert (explained.items_read, explained.items_returned) == (20, 2)
        assert (explained.items_dropped, explained.percent_dropped) == (18, 90)

    def test_says_that_more_follows(self, explain):
        assert explain(Limit=5).has_more

    def test_of_legacy_parameters_says_the_same(self, plain, of_table):
        def equal(value):
            return {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": value}]}

        explained = explain_query(
            plain,
            TableName=of_table["TableName"],
            IndexName="by_kind",
            KeyConditions={"p": equal("A")},
            QueryFilter={"state": equal("new"), "body": equal("y")},
            ConditionalOperator="OR",
        )
        assert explained.key_condition == "p EQ 'A'"
        assert explained.filter == "state EQ 'new' OR body EQ 'y'"
        assert explained.items_dropped == 18


class TestWarnings:
    def test_are_none_for_a_query_that_returns_what_it_reads(self, explain):
        assert explain().warnings == ()

    def test_say_what_to_do_where_a_filter_drops_most(self, explain_filtered):
        (warning,) = explain_filtered().warnings
        assert warning.startswith("The filter drops 90 % of what is read")
        assert "sparse index" in warning

    def test_are_none_for_a_filter_that_drops_80_percent(self, explain):
        explained = explain({":from": {"S": "THING#a16"}}, FilterExpression="sk >= :from")
        assert (explained.percent_dropped, explained.warnings) == (80, ())

    def test_say_that_a_filtered_page_may_be_short(self, explain):
        explained = explain({":old": {"S": "x"}}, FilterExpression="body <> :old", Limit=5)
        (warning,) = explained.warnings
        assert warning.startswith("Limit counts the items before the filter")

    def test_say_nothing_of_a_limit_that_was_not_reached(self, explain):
        explained = explain({":old": {"S": "x"}}, FilterExpression="body <> :old", Limit=100)
        assert explained.warnings == ()

    def test_say_that_counting_is_reading(self, explain):
        (warning,) = explain(Select="COUNT").warnings
        assert warning.startswith("COUNT reads the items")

    def test_say_that_a_query_ends_at_a_megabyte(self, client, new_table):
        name = new_table()
        for number in range(4):
            large = {**Thing("A", "", f"{number}Z#a{number}").item(), "body": {"S": "x" * 390_000}}
            client.put_item(TableName=name, Item=large)
        explained = explain_query(
            client,
            TableName=name,
            IndexName="by_kind",
            KeyConditionExpression="p = :p",
            ExpressionAttributeValues={":p": {"S": "A"}},
        )
        assert explained.warnings == ("A Query reads 1 MB at most: read on from LastEvaluatedKey.",)


class TestTheText:
    def test_is_several_short_lines(self, explain_filtered, table):
        explained = replace(explain_filtered(), warnings=("One sentence.",))
        assert str(explained).splitlines() == [
            f"Query of {table}, index by_kind",
            "key: p = 'A'",
            "filter: state = 'new'",
            "read: 20 items of at most 205 bytes on average",
            "returned: 2 items; the filter drops 18 (90 %)",
            "cost: 0.5 capacity units, $0.06 for a million such Queries",
            "more to read: no",
            "warning: One sentence.",
        ]

    def test_of_a_table_without_filter_leaves_both_out(self):
        explained = QueryExplanation(
            table="notes",
            index=None,
            key_condition="id = 'a'",
            filter=None,
            items_read=0,
            items_returned=0,
            has_more=False,
            capacity_units=0.5,
            mean_item_bytes=None,
            size_is_exact=True,
            warnings=(),
        )
        assert str(explained).splitlines() == [
            "Query of notes",
            "key: id = 'a'",
            "read: 0 items",
            "returned: 0 items",
            "cost: 0.5 capacity units, $0.06 for a million such Queries",
            "more to read: no",
        ]

    def test_has_a_form_for_json(self, explain_filtered):
        figures = json.loads(json.dumps(explain_filtered().as_dict()))
        assert figures["filter"] == "state = 'new'"
        assert (figures["items_dropped"], figures["percent_dropped"]) == (18, 90)
        assert figures["dollars"] == pytest.approx(0.0625)


class TestClients:
    @pytest.fixture
    def resource(self, connection):
        boto3 = pytest.importorskip("boto3")
        return boto3.resource(
            "dynamodb",
            connection.region,
            endpoint_url=connection.endpoint_url,
            aws_access_key_id=connection.access_key,
            aws_secret_access_key=connection.secret_key,
        )

    def test_of_botocore_and_of_this_library_explain_the_same(self, plain, connection, of_table):
        ours = build_client(replace(connection, library_transport=True))
        assert explain_query(plain, **of_table) == explain_query(ours, **of_table)

    def test_may_be_a_table_with_its_conditions(self, resource, client, of_table):
        conditions = pytest.importorskip("boto3.dynamodb.conditions")
        explained = explain_query(
            resource.Table(of_table["TableName"]),
            IndexName="by_kind",
            KeyConditionExpression=conditions.Key("p").eq("A"),
            FilterExpression=conditions.Attr("state").is_in(["new", "older"]),
        )
        assert explained.key_condition == "p = 'A'"
        assert explained.filter == "state IN ('new', 'older')"
        assert (explained.items_read, explained.items_returned) == (20, 2)

    def test_may_be_a_resource(self, resource, client, of_table):
        explained = explain_query(
            resource, **{**of_table, "ExpressionAttributeValues": {":kind": "A"}}
        )
        assert explained == explain_query(client, **of_table)

    def test_may_ask_for_no_capacity(self, plain, of_table):
        explained = explain_query(plain, ReturnConsumedCapacity="NONE", **of_table)
        assert explained.capacity_units == 0.5

    def test_explain_no_later_call(self, client, explain, of_table):
        explained = explain()
        client.query(**of_table)
        assert explain() == explained

    def test_count_the_query_in_a_meter(self, explain):
        with metered() as meter:
            explain()
        assert meter.calls == 1

    def test_that_are_awaited_are_refused(self, plain, of_table):
        class Awaited:
            meta = plain.meta

            async def query(self, **_):
                """Make no call."""

        with pytest.raises(ValueError, match="client that is not awaited"):
            explain_query(Awaited(), **of_table)

    def test_that_are_none_are_refused(self, of_table):
        with pytest.raises(ValueError, match="is a resource or a Table"):
            explain_query("dynamodb", **of_table)

    def test_without_events_are_refused(self, of_table):
        with pytest.raises(ValueError, match="a client of botocore or boto3"):
            explain_query(QueryModel({}), **of_table)


class TestFailures:
    def test_of_the_database_pass_through(self, explain):
        with pytest.raises(ClientError, match="ValidationException"):
            explain(KeyConditionExpression="sk = :kind")

    def test_are_answers_without_capacity(self, connection, of_table):
        ours = build_client(connection)
        with Stubber(ours) as stub:
            stub.add_response("query", {"Items": [], "Count": 0, "ScannedCount": 0})
            with pytest.raises(DynamoError, match="ConsumedCapacity"):
                explain_query(ours, **of_table)
