"""The template for CloudFormation: tables, roles, the function of the copies, alarms."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from config.infrastructure import alarms, copies
from config.infrastructure.permissions import Resource, policies, role_id, roles, roles_for
from config.infrastructure.tables import Table, tags
from dynamo.tables.cloudformation import TABLE, table_properties
from dynamo.tables.schema import ON_DEMAND

_NOTHING = {"Ref": "AWS::NoValue"}
_NO_LIMIT = -1
_ON_INSTANCES = "OnInstances"

_OF_TABLES: Mapping[str, Mapping[str, Any]] = {
    "DeletionProtection": {
        "Type": "String",
        "Default": "true",
        "AllowedValues": ["true", "false"],
        "Description": "Whether tables refuse to be deleted, but for those of the activity log",
    },
    "PointInTimeRecovery": {
        "Type": "String",
        "Default": "true",
        "AllowedValues": ["true", "false"],
        "Description": "Whether those tables can be restored to any second of the last 35 days",
    },
    "SiteServicePrincipal": {
        "Type": "String",
        "Default": "ecs-tasks.amazonaws.com",
        "AllowedValues": ["ecs-tasks.amazonaws.com", "ec2.amazonaws.com"],
        "Description": "The service that the site runs on, which may take the roles",
    },
}
# As many as a table on demand takes from its first second: a new one is not made slower by them.
_LIMITS = {"Read": 12_000, "Write": 4_000}


def template(tables: Sequence[Table]) -> dict[str, Any]:
    """Return the template of these tables and of what belongs to them."""
    streamed = [table for table in tables if copies.is_table_of_copies(table)]
    on_demand = any(_is_on_demand(table) for table in tables)
    statements = policies(tables)
    resources: dict[str, Resource] = {
        **_tables(tables),
        **statements,
        **roles(statements, with_copies=bool(streamed)),
        "SiteInstances": _instance_profile(),
        **alarms.topic(),
        **alarms.throttle_alarms(tables),
    }
    for table in streamed:
        resources |= copies.function_of_copies(table, statements) | alarms.copies_alarms()
    return {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": "Dynashop: tables, roles and alarms, by manage.py export_model",
        "Parameters": {
            **_OF_TABLES,
            **(_limit_parameters() if on_demand else {}),
            **alarms.PARAMETERS,
            **(copies.PARAMETERS if streamed else {}),
        },
        "Conditions": {
            _ON_INSTANCES: {"Fn::Equals": [{"Ref": "SiteServicePrincipal"}, "ec2.amazonaws.com"]},
            **(_limit_conditions() if on_demand else {}),
            **alarms.CONDITIONS,
            **(copies.CONDITIONS if streamed else {}),
        },
        "Resources": resources,
        "Outputs": _outputs(with_copies=bool(streamed)),
    }


def _is_on_demand(table: Table) -> bool:
    return bool(table.schema.billing.get("BillingMode") == ON_DEMAND)


def _tables(tables: Sequence[Table]) -> dict[str, Resource]:
    """Return the tables, those with indexes one after the other.

    DynamoDB bounds how many of these may be in creation at a time; CloudFormation's reference asks
    for the dependencies.
    """
    made = {table.logical_id: _table(table) for table in tables}
    indexed = [t.logical_id for t in tables if t.schema.global_indexes or t.schema.local_indexes]
    for before, after in pairwise(indexed):
        made[after]["DependsOn"] = before
    return made


def _table(table: Table) -> Resource:
    """Return a table, which stays when the stack no longer has it."""
    kept = {
        "DeletionProtectionEnabled": {"Ref": "DeletionProtection"},
        "PointInTimeRecoverySpecification": {
            "PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}
        },
    }
    passing = {"DeletionProtectionEnabled": False}
    return {
        "Type": TABLE,
        "DeletionPolicy": "Retain",
        "UpdateReplacePolicy": "Retain",
        "Properties": {
            **table_properties(table.schema, maximum=_maximum()),
            **(kept if table.is_kept else passing),
            "Tags": tags(),
        },
    }


def _maximum() -> dict[str, Any]:
    """Return the OnDemandThroughput by the parameters: it has a limit or is left out."""
    limits = {
        f"Max{kind}RequestUnits": _if(f"Limit{kind}s", {"Ref": f"Max{kind}Units"})
        for kind in _LIMITS
    }
    return _if("LimitAny", limits)


def _if(condition: str, then: object) -> dict[str, Any]:
    return {"Fn::If": [condition, then, _NOTHING]}


def _limit_parameters() -> dict[str, Any]:
    return {
        f"Max{kind}Units": {
            "Type": "Number",
            "Default": default,
            "MinValue": _NO_LIMIT,
            "Description": (
                f"{kind} units a second that a table and each of its indexes take at the most; "
                f"{_NO_LIMIT}: no limit"
            ),
        }
        for kind, default in _LIMITS.items()
    }


def _limit_conditions() -> dict[str, Any]:
    limits = {
        f"Limit{kind}s": {"Fn::Not": [{"Fn::Equals": [{"Ref": f"Max{kind}Units"}, str(_NO_LIMIT)]}]}
        for kind in _LIMITS
    }
    return {**limits, "LimitAny": {"Fn::Or": [{"Condition": name} for name in limits]}}


def _instance_profile() -> Resource:
    """Return what gives an instance of EC2 the role of the site; containers need none."""
    return {
        "Type": "AWS::IAM::InstanceProfile",
        "Condition": _ON_INSTANCES,
        "Properties": {"Roles": [{"Ref": "SiteRole"}]},
    }


def _outputs(*, with_copies: bool) -> dict[str, Any]:
    """Return what a deployment needs to know: the roles, the topic, the queue of failures."""
    found: dict[str, Any] = {
        f"{role_id(role)}Arn": {
            "Description": f"Role of {', '.join(role.who)}",
            "Value": {"Fn::GetAtt": [role_id(role), "Arn"]},
        }
        for role in roles_for(with_copies=with_copies)
    }
    found["SiteInstanceProfile"] = {
        "Description": "Instance profile with the role of the site",
        "Condition": _ON_INSTANCES,
        "Value": {"Ref": "SiteInstances"},
    }
    found["AlarmTopicArn"] = {"Description": "Topic of all alarms", "Value": {"Ref": alarms.TOPIC}}
    if with_copies:
        found["SetAsideQueueUrl"] = {
            "Description": "Queue of the records that were set aside",
            "Condition": copies.CONDITION,
            "Value": {"Ref": copies.QUEUE},
        }
    return found
