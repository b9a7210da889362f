"""Alarms: throttled tables and indexes, and a function whose copies fall behind.

The names of the metrics are those of "DynamoDB metrics and dimensions", "Types of metrics for
Lambda functions" and "Available CloudWatch metrics for Amazon SQS".
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from config.infrastructure import copies
from config.infrastructure.permissions import Resource
from config.infrastructure.tables import Table, camel

TOPIC = "AlarmTopic"
_HAS_EMAIL = "WithEmail"
_THROTTLES = {"Read": "ReadThrottleEvents", "Write": "WriteThrottleEvents"}
_FIVE_MINUTES = 5 * 60
_LATE_MILLISECONDS = 15 * 60 * 1000

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "AlarmEmail": {
        "Type": "String",
        "Default": "",
        "Description": "E-mail address that alarms are sent to; empty: none",
    }
}
CONDITIONS: Mapping[str, Any] = {
    _HAS_EMAIL: {"Fn::Not": [{"Fn::Equals": [{"Ref": "AlarmEmail"}, ""]}]}
}


def topic() -> dict[str, Resource]:
    """Return the topic of all alarms, and the subscription of the e-mail address.

    The topic is not encrypted: CloudWatch may not use the key that AWS manages for SNS, and an
    alarm names tables and figures, nobody's data.
    """
    return {
        TOPIC: {"Type": "AWS::SNS::Topic", "Properties": {"DisplayName": "Dynashop"}},
        "AlarmSubscription": {
            "Type": "AWS::SNS::Subscription",
            "Condition": _HAS_EMAIL,
            "Properties": {
                "Endpoint": {"Ref": "AlarmEmail"},
                "Protocol": "email",
                "TopicArn": {"Ref": TOPIC},
            },
        },
    }


def throttle_alarms(tables: Iterable[Table]) -> dict[str, Resource]:
    """Return alarms on throttled reads and writes, of each table and of each global index."""
    return {
        f"{what}{kind}Throttles": _alarm(
            f"{sentence}: {kind.lower()}s throttled in 3 of 5 minutes",
            ("AWS/DynamoDB", metric, "Sum"),
            dimensions,
            Period=60,
            EvaluationPeriods=5,
            DatapointsToAlarm=3,
            Threshold=1,
        )
        for table in tables
        for what, sentence, dimensions in _throttled(table)
        for kind, metric in _THROTTLES.items()
    }


def copies_alarms() -> dict[str, Resource]:
    """Return alarms on the function that makes the copies, and on the records set aside."""
    function = {"FunctionName": {"Ref": copies.FUNCTION}}
    alarms = {
        "CopiesLate": _alarm(
            "Copies of comments are 15 minutes late",
            ("AWS/Lambda", "IteratorAge", "Maximum"),
            function,
            Threshold=_LATE_MILLISECONDS,
        ),
        "CopiesFailing": _alarm(
            "The function of the copies ended in an error or by its time limit",
            ("AWS/Lambda", "Errors", "Sum"),
            function,
            Threshold=1,
        ),
        "CopiesWereSetAside": _alarm(
            "Records were set aside: run check_integrity --model sets --repair",
            ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "Maximum"),
            {"QueueName": {"Fn::GetAtt": [copies.QUEUE, "QueueName"]}},
            Threshold=1,
        ),
    }
    return {name: {**alarm, "Condition": copies.CONDITION} for name, alarm in alarms.items()}


def _throttled(table: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a table and its global indexes: an id, a name, and the dimensions of the metrics.

    That of a table does not count what its indexes throttle.
    """
    of_table = {"TableName": {"Ref": table.logical_id}}
    yield table.logical_id, table.name, of_table
    for each in table.schema.global_indexes:
        index = each["IndexName"]
        name = f"{table.logical_id}{camel(index)}"
        yield name, f"{table.name}/{index}", {**of_table, "GlobalSecondaryIndexName": index}


def _alarm(
    sentence: str, metric: tuple[str, str, str], dimensions: Mapping[str, Any], **bounds: int
) -> Resource:
    namespace, name, statistic = metric
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmDescription": sentence,
            "Namespace": namespace,
            "MetricName": name,
            "Statistic": statistic,
            "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions.items()],
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Period": _FIVE_MINUTES,
            "EvaluationPeriods": 1,
            "TreatMissingData": "notBreaching",
            "AlarmActions": [{"Ref": TOPIC}],
            "OKActions": [{"Ref": TOPIC}],
            **bounds,
        },
    }
