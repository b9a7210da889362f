"""The stack: tables, policies and alarms of these settings, put into deploy/stack.json.

That file has what does not follow from the models, deploy/iam-policy.json the statements.
"""

import json
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
from shop.activity.tables import model_of, months_ahead, wanted_throughput

_EXAMPLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/shop-"
"""What the tables' names begin with in deploy/iam-policy.json, to be replaced."""
_ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/"
_NOTHING = {"Ref": "AWS::NoValue"}
_THROTTLES = {"Read": "ReadThrottleEvents", "Write": "WriteThrottleEvents"}
"""By "DynamoDB metrics and dimensions"."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the site; one that is not ``is_kept`` belongs to a month of the activity log."""

    schema: TableSchema
    is_kept: bool = True

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
    models = map(import_string, settings.DYNAMODB_MODELS)
    kept = [Table(TableSchema.of(model, provisioned)) for model in models]
    months = map(model_of, months_ahead(now)) if with_months else ()
    capacity = wanted_throughput()
    return kept + [Table(TableSchema.of(month, capacity), is_kept=False) for month in months]


def table_requests(tables: Iterable[Table]) -> dict[str, dict[str, Any]]:
    """Return the requests that make the tables, as the AWS CLI takes them.

    They are the parameters of each call by its name, for each table by its name: CreateTable, then
    UpdateTimeToLive and UpdateContinuousBackups where they apply; these need an active table.
    """
    return {table.name: dict(_requests(table)) for table in tables}


def _requests(table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
    name = {"TableName": table.name}
    kept = {"DeletionProtectionEnabled": table.is_kept, "Tags": _tags()}
    yield "CreateTable", {**table.schema.create_request(), **kept}
    if expiry := table.schema.expiry_attribute:
        expires = {"AttributeName": expiry, "Enabled": True}
        yield "UpdateTimeToLive", {**name, "TimeToLiveSpecification": expires}
    if table.is_kept:
        recovery = {"PointInTimeRecoveryEnabled": True}
        yield "UpdateContinuousBackups", {**name, "PointInTimeRecoverySpecification": recovery}


def template(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the template for CloudFormation of these tables and of what belongs to them."""
    stack = _read("stack.json")
    if any(table.name == TABLE_OF_COPIES for table in tables):
        function = stack["Resources"]["CopiesFunction"]["Properties"]
        function["Environment"]["Variables"] |= {
            "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
            "COMMENT_SETS_KEY_FORMAT": COMMENTS["SETS_KEY_FORMAT"],
        }
    else:
        for section in ("Resources", "Outputs"):
            stack[section] = {
                name: part
                for name, part in stack[section].items()
                if part.get("Condition") != "WithFunction" and not name.startswith("StreamRole")
            }
    policies = _policies(tables)
    for resource in stack["Resources"].values():
        if attached := resource["Properties"].get("ManagedPolicyArns"):
            attached[:] = [one for one in attached if one["Ref"] in policies]
    stack["Resources"] |= _tables(tables) | policies | dict(_throttle_alarms(tables))
    # Without the conditions and parameters that nothing refers to, the later ones first.
    for section in ("Conditions", "Parameters"):
        for name in reversed([*stack[section]]):
            part = stack[section].pop(name)
            if f'"{name}"' in json.dumps(stack):
                stack[section][name] = part
    return stack


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((settings.BASE_DIR / "deploy" / name).read_text())
    return found


def _tables(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the tables, those with indexes one after the other, as CloudFormation asks for."""
    made = {table.logical_id: _table(table) for table in tables}
    indexed = [t.logical_id for t in tables if t.schema.global_indexes or t.schema.local_indexes]
    for before, after in pairwise(indexed):
        made[after]["DependsOn"] = before
    return made


def _table(table: Table) -> dict[str, Any]:
    """Return a table, which stays when the stack no longer has it."""
    recovery = {"PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}}
    kept = {
        "DeletionProtectionEnabled": {"Ref": "DeletionProtection"},
        "PointInTimeRecoverySpecification": recovery,
    }
    passing = {"DeletionProtectionEnabled": False}
    limits = {
        f"Max{kind}RequestUnits": _if(f"Limit{kind}s", {"Ref": f"Max{kind}Units"})
        for kind in _THROTTLES
    }
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            **_properties(table.schema, maximum=_if("LimitAny", limits)),
            **(kept if table.is_kept else passing),
            "Tags": _tags(),
        },
    }


def _properties(schema: TableSchema, *, maximum: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of a table with this declaration.

    ``maximum`` is the OnDemandThroughput of a table that is billed on demand and of each of its
    global indexes.
    """
    is_limited = schema.billing.get("BillingMode") == ON_DEMAND
    limit = {"OnDemandThroughput": maximum} if is_limited else {}
    indexes = [{**index, **limit} for index in schema.global_indexes]
    found = replace(schema, global_indexes=indexes).create_request() | limit
    if expiry := schema.expiry_attribute:
        found["TimeToLiveSpecification"] = {"AttributeName": expiry, "Enabled": True}
    if schema.stream:
        # To name what it shows is to switch it on: there is no StreamEnabled here.
        found["StreamSpecification"] = {"StreamViewType": schema.stream}
    return {"BillingMode": "PROVISIONED", **found}


def _if(condition: str, then: object) -> dict[str, Any]:
    return {"Fn::If": [condition, then, _NOTHING]}


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
    ids = {table.own_name: table.logical_id for table in tables if table.is_kept}
    return {
        f"{statement['Sid']}Policy": {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [{**statement, "Resource": resources}],
                }
            },
        }
        for statement in _read("iam-policy.json")["Statement"]
        if (resources := list(_policy_resources(statement["Resource"], ids)))
    }


def _policy_resources(named: str | list[str], ids: Mapping[str, str]) -> Iterator[object]:
    """Yield what a statement is about; without the tables that are not in the template."""
    for resource in [named] if isinstance(named, str) else named:
        table, slash, rest = resource.removeprefix(_EXAMPLE).partition("/")
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
        of_table: dict[str, Any] = {"Name": "TableName", "Value": {"Ref": table.logical_id}}
        for index in ("", *(each["IndexName"] for each in table.schema.global_indexes)):
            of_index = [{"Name": "GlobalSecondaryIndexName", "Value": index}] if index else []
            logical_id, name = table.logical_id + _camel(index), f"{table.name}/{index}".strip("/")
            for kind, metric in _THROTTLES.items():
                sentence = f"{name}: {kind.lower()}s throttled in 3 of 5 minutes"
                alarm = _alarm(sentence, metric, [of_table, *of_index])
                yield f"{logical_id}{kind}Throttles", alarm


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
    words = "".join(each if each.isalnum() else " " for each in name).split()
    return "".join(word[0].upper() + word[1:] for word in words)
