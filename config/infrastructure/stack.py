"""The stack: tables, policies and alarms of these settings, put into deploy/stack.json.

That file has what does not follow from the models, deploy/iam-policy.json the statements.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from comments.host import COMMENTS
from comments.sets.models import TABLE as TABLE_OF_COPIES
from dynapages.tables import ON_DEMAND, TableSchema, Throughput
from shop.activity.months import months_ahead
from shop.activity.tables import model_of, monthly_throughput

_EXAMPLE_ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/shop-"
"""What the tables' names begin with in deploy/iam-policy.json, to be replaced."""
_ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/"
_NO_VALUE = {"Ref": "AWS::NoValue"}
_THROTTLE_METRICS = {"Read": "ReadThrottleEvents", "Write": "WriteThrottleEvents"}
"""Their names in AWS's page "DynamoDB metrics and dimensions"."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the site; one that is not ``is_permanent`` is of a month of the activity log."""

    schema: TableSchema
    is_permanent: bool = True

    @property
    def name(self) -> str:
        """The table's name, with the prefix of all tables."""
        return self.schema.name

    @property
    def own_name(self) -> str:
        """The table's name without the prefix."""
        return self.name.removeprefix(settings.DYNAMODB_TABLE_PREFIX)

    @property
    def logical_id(self) -> str:
        """What a template calls the table: ``CommentSetsTable``."""
        return f"{_camel(self.own_name)}Table"


def tables(
    *, now: datetime, provisioned: Throughput | None = None, with_months: bool = True
) -> list[Table]:
    """Return the tables of the models, and those of this month and the next.

    ``provisioned`` is the capacity of the models' tables, which are otherwise billed on demand.
    """
    exported = []
    for name in settings.DYNAMODB_MODELS:
        schema = TableSchema.of(import_string(name), provisioned)
        exported.append(Table(schema))
    if with_months:
        for month in months_ahead(now):
            schema = TableSchema.of(model_of(month), monthly_throughput())
            exported.append(Table(schema, is_permanent=False))
    return exported


# Requests for the AWS CLI


def table_requests(tables: Iterable[Table]) -> dict[str, dict[str, Any]]:
    """Return the requests that make the tables, as the AWS CLI takes them.

    They are the parameters of each call by its name, for each table by its name: CreateTable, then
    UpdateTimeToLive and UpdateContinuousBackups where they apply; these need an active table.
    """
    return {table.name: dict(_requests(table)) for table in tables}


def _requests(table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the calls that make a table, each with its parameters."""
    name = {"TableName": table.name}
    protection = {"DeletionProtectionEnabled": table.is_permanent, "Tags": _tags()}
    yield "CreateTable", {**table.schema.create_request(), **protection}
    if expiry := table.schema.expiry_attribute:
        expires = {"AttributeName": expiry, "Enabled": True}
        yield "UpdateTimeToLive", {**name, "TimeToLiveSpecification": expires}
    if table.is_permanent:
        recovery = {"PointInTimeRecoveryEnabled": True}
        yield "UpdateContinuousBackups", {**name, "PointInTimeRecoverySpecification": recovery}


# The template for CloudFormation


def template(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the template for CloudFormation of these tables and of what belongs to them."""
    stack = _read_json("stack.json")
    if any(table.name == TABLE_OF_COPIES for table in tables):
        function = stack["Resources"]["CopiesFunction"]["Properties"]
        function["Environment"]["Variables"] |= {
            "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
            "COMMENT_SETS_KEY_FORMAT": COMMENTS["SETS_KEY_FORMAT"],
        }
    else:
        _remove_copies_function(stack)
    policies = _policies(tables)
    for resource in stack["Resources"].values():
        if attached := resource["Properties"].get("ManagedPolicyArns"):
            attached[:] = [policy for policy in attached if policy["Ref"] in policies]
    stack["Resources"] |= _tables(tables) | policies | dict(_throttle_alarms(tables))
    _remove_unused(stack)
    return stack


def _remove_copies_function(stack: dict[str, Any]) -> None:
    """Remove the function that copies comments, with its role: there is no table of copies."""
    for section in ("Resources", "Outputs"):
        for name, part in list(stack[section].items()):
            if part.get("Condition") == "WithFunction" or name.startswith("StreamRole"):
                del stack[section][name]


def _remove_unused(stack: dict[str, Any]) -> None:
    """Remove the conditions and parameters that nothing refers to, the later ones first."""
    for section in ("Conditions", "Parameters"):
        for name in reversed(list(stack[section])):
            part = stack[section].pop(name)
            if f'"{name}"' in json.dumps(stack):
                stack[section][name] = part


def _read_json(name: str) -> dict[str, Any]:
    """Read a file of deploy/."""
    content: dict[str, Any] = json.loads((settings.BASE_DIR / "deploy" / name).read_text())
    return content


def _tables(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the tables, those with indexes one after the other, as CloudFormation asks for."""
    made = {table.logical_id: _table(table) for table in tables}
    with_indexes = [
        table.logical_id
        for table in tables
        if table.schema.global_indexes or table.schema.local_indexes
    ]
    for before, after in pairwise(with_indexes):
        made[after]["DependsOn"] = before
    return made


def _table(table: Table) -> dict[str, Any]:
    """Return a table, which stays when the stack no longer has it."""
    properties = _properties(table)
    properties["DeletionProtectionEnabled"] = False
    if table.is_permanent:
        properties["DeletionProtectionEnabled"] = {"Ref": "DeletionProtection"}
        properties["PointInTimeRecoverySpecification"] = {
            "PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}
        }
    properties["Tags"] = _tags()
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": properties,
    }


def _properties(table: Table) -> dict[str, Any]:
    """Return the properties of a table with this declaration."""
    schema = table.schema
    shared = _shared_properties(table)
    indexes = [{**index, **shared} for index in schema.global_indexes]
    properties = replace(schema, global_indexes=indexes).create_request() | shared
    if expiry := schema.expiry_attribute:
        properties["TimeToLiveSpecification"] = {"AttributeName": expiry, "Enabled": True}
    if schema.stream:
        # To name what it shows is to switch it on: there is no StreamEnabled here.
        properties["StreamSpecification"] = {"StreamViewType": schema.stream}
    return {"BillingMode": "PROVISIONED", **properties}


def _shared_properties(table: Table) -> dict[str, Any]:
    """Return the properties that a table and each of its global indexes have alike.

    The parameters of the template set them: the most that a table on demand takes, and for the
    tables that stay what they are ready for at once, and the insights.
    """
    shared = {}
    if table.schema.billing.get("BillingMode") == ON_DEMAND:
        shared["OnDemandThroughput"] = _on_demand_limits()
    if table.is_permanent:
        shared["WarmThroughput"] = _warm_throughput()
        shared["ContributorInsightsSpecification"] = _contributor_insights()
    return shared


def _on_demand_limits() -> dict[str, Any]:
    limits = {}
    for kind in _THROTTLE_METRICS:
        limits[f"Max{kind}RequestUnits"] = _if(f"Limit{kind}s", {"Ref": f"Max{kind}Units"})
    return _if("LimitAny", limits)


def _warm_throughput() -> dict[str, Any]:
    """Return the units a second of the parameters that are set; no value where neither is.

    An object without units is refused, hence the conditions around objects.
    """
    reads = {"ReadUnitsPerSecond": {"Ref": "WarmReadUnits"}}
    writes = {"WriteUnitsPerSecond": {"Ref": "WarmWriteUnits"}}
    with_reads = {"Fn::If": ["WarmWrites", reads | writes, reads]}
    return {"Fn::If": ["WarmReads", with_reads, _if("WarmWrites", writes)]}


def _contributor_insights() -> dict[str, Any]:
    """Return the insights, of throttled keys alone, or that they are off.

    It is said that they are off: to say nothing would leave on what an earlier update switched on.
    """
    throttled_keys = {"Enabled": True, "Mode": "THROTTLED_KEYS"}
    return {"Fn::If": ["WithInsights", throttled_keys, {"Enabled": False}]}


def _if(condition: str, then: object) -> dict[str, Any]:
    """Return what CloudFormation reads as a value, or as no value where a condition is false."""
    return {"Fn::If": [condition, then, _NO_VALUE]}


def _tags() -> list[dict[str, str]]:
    """Return the tags of every table, by which bills can be divided."""
    return [
        {"Key": "application", "Value": "dynashop"},
        {"Key": "table-prefix", "Value": settings.DYNAMODB_TABLE_PREFIX},
    ]


def _policies(tables: Iterable[Table]) -> dict[str, Any]:
    """Return a managed policy for each statement, about these tables and those of all months.

    A statement about other tables alone has none. Roles attach ten policies at the most.
    """
    ids = {table.own_name: table.logical_id for table in tables if table.is_permanent}
    policies = {}
    for statement in _read_json("iam-policy.json")["Statement"]:
        resources = list(_policy_resources(statement["Resource"], ids))
        if resources:
            policies[f"{statement['Sid']}Policy"] = _policy({**statement, "Resource": resources})
    return policies


def _policy(statement: dict[str, Any]) -> dict[str, Any]:
    document = {"Version": "2012-10-17", "Statement": [statement]}
    return {"Type": "AWS::IAM::ManagedPolicy", "Properties": {"PolicyDocument": document}}


def _policy_resources(named: str | list[str], ids: Mapping[str, str]) -> Iterator[object]:
    """Yield what a statement is about; without the tables that are not in the template."""
    for resource in [named] if isinstance(named, str) else named:
        table, slash, rest = resource.removeprefix(_EXAMPLE_ARN).partition("/")
        if table == resource:  # not a table: everything
            yield resource
        elif "*" in table:  # tables that are still to come
            yield {"Fn::Sub": f"{_ARN}{settings.DYNAMODB_TABLE_PREFIX}{table}"}
        elif table in ids and not slash:
            yield {"Fn::GetAtt": [ids[table], "Arn"]}
        elif table in ids:
            yield {"Fn::Sub": f"${{{ids[table]}.Arn}}/{rest}"}


def _throttle_alarms(tables: Iterable[Table]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield alarms on throttled reads and writes, of each table and of each global index.

    The figures of a table do not count those of its indexes.
    """
    for table in tables:
        dimension: dict[str, Any] = {"Name": "TableName", "Value": {"Ref": table.logical_id}}
        yield from _alarms_of(table.logical_id, table.name, [dimension])
        for index in table.schema.global_indexes:
            name = index["IndexName"]
            of_index = {"Name": "GlobalSecondaryIndexName", "Value": name}
            logical_id = f"{table.logical_id}{_camel(name)}"
            yield from _alarms_of(logical_id, f"{table.name}/{name}", [dimension, of_index])


def _alarms_of(
    logical_id: str, name: str, dimensions: Sequence[Mapping[str, Any]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the alarms of a table or an index, on its reads and on its writes."""
    for kind, metric in _THROTTLE_METRICS.items():
        sentence = f"{name}: {kind.lower()}s throttled in 3 of 5 minutes"
        yield f"{logical_id}{kind}Throttles", _alarm(sentence, metric, dimensions)


def _alarm(sentence: str, metric: str, dimensions: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmDescription": sentence,
            "Namespace": "AWS/DynamoDB",
            "MetricName": metric,
            "Statistic": "Sum",
            "Dimensions": dimensions,
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Period": 60,
            "EvaluationPeriods": 5,
            "DatapointsToAlarm": 3,
            "Threshold": 1,
            "TreatMissingData": "notBreaching",
            "AlarmActions": [{"Ref": "AlarmTopic"}],
            "OKActions": [{"Ref": "AlarmTopic"}],
        },
    }


def _camel(name: str) -> str:
    """Return a name in the letters that a logical id may have: ``by_set`` is ``BySet``."""
    words = re.findall(r"[^\W_]+", name)
    return "".join(word[0].upper() + word[1:] for word in words)
