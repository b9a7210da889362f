"""The function that makes the copies of comments from the stream of ``comment_sets``.

A template has it where the read model is ``sets``, and makes it where a deployment names its code.
"""

import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from comments.sets.models import TABLE
from config.infrastructure.permissions import Resource, attached, role_id, trust
from config.infrastructure.roles import OF_THE_FUNCTION
from config.infrastructure.tables import Table

CONDITION = "WithFunction"
FUNCTION = "CopiesFunction"
QUEUE = "CopiesSetAside"
LOG = "CopiesLog"

_DAYS_OF_LOG = 30
_DAYS_SET_ASIDE = 14  # the most that SQS keeps a message
_SECONDS_A_DAY = 24 * 60 * 60
_NO_COPY = {"auto": {"BOOL": [{"exists": False}]}}

PARAMETERS: Mapping[str, Mapping[str, Any]] = {
    "FunctionBucket": {
        "Type": "String",
        "Default": "",
        "Description": "S3 bucket with the function's code; empty: no function, run_stream runs",
    },
    "FunctionKey": {
        "Type": "String",
        "Default": "dynashop-lambda.zip",
        "Description": "Key of the code in the bucket; another key for each version",
    },
    "FunctionRuntime": {
        "Type": "String",
        "Default": "python3.13",
        "AllowedValues": ["python3.11", "python3.12", "python3.13", "python3.14"],
        "Description": "The Python that runs the code",
    },
    "FunctionArchitecture": {
        "Type": "String",
        "Default": "x86_64",
        "AllowedValues": ["x86_64", "arm64"],
        "Description": "The processor that runs the code",
    },
    "RecordAgeSeconds": {
        "Type": "Number",
        "Default": 3_600,
        "MinValue": 60,
        "MaxValue": _SECONDS_A_DAY,
        "Description": "Age at which a record that cannot be applied is set aside",
    },
}
CONDITIONS: Mapping[str, Any] = {
    CONDITION: {"Fn::Not": [{"Fn::Equals": [{"Ref": "FunctionBucket"}, ""]}]}
}


def is_table_of_copies(table: Table) -> bool:
    """Return whether the stream of a table is the one that the function reads."""
    return table.name == TABLE


def function_of_copies(table: Table, policies: Mapping[str, Resource]) -> dict[str, Resource]:
    """Return the function, what calls it, its role, its log and the queue of failures.

    ``table`` is the one with the stream, ``policies`` are those of the template.
    """
    parts = {
        FUNCTION: _function(),
        "CopiesMapping": _mapping(table.logical_id),
        role_id(OF_THE_FUNCTION): _role(policies),
        LOG: _log(),
        QUEUE: _queue(),
    }
    return {name: {**part, "Condition": CONDITION} for name, part in parts.items()}


def _function() -> Resource:
    """Return the function.

    It signs nothing and reads nothing signed, so it needs no SECRET_KEY, and has none to lose. Its
    concurrency is not reserved: there is one call at a time for each shard of the stream.
    """
    return {
        "Type": "AWS::Lambda::Function",
        "Properties": {
            "Description": "Dynashop: makes the copies of comments from their stream",
            "Handler": "comments.sets.handler.handler",
            "Runtime": {"Ref": "FunctionRuntime"},
            "Architectures": [{"Ref": "FunctionArchitecture"}],
            "Code": {"S3Bucket": {"Ref": "FunctionBucket"}, "S3Key": {"Ref": "FunctionKey"}},
            "Role": {"Fn::GetAtt": [role_id(OF_THE_FUNCTION), "Arn"]},
            "MemorySize": 512,
            "Timeout": 60,
            "Environment": {"Variables": function_environment()},
            "LoggingConfig": {"LogGroup": {"Ref": LOG}},
        },
    }


def function_environment() -> dict[str, str]:
    """Return the environment of the function; Lambda adds region and credentials."""
    return {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DYNAMODB_TABLE_PREFIX": settings.DYNAMODB_TABLE_PREFIX,
        "COMMENT_SETS_KEY_FORMAT": settings.COMMENT_SETS_KEY_FORMAT,
    }


def _mapping(table_id: str) -> Resource:
    """Return what calls the function.

    A record that cannot be applied is set aside, so that it does not hold up those behind it for a
    day. Nothing is lost by that: copies are made from the primary as it is, and check_integrity
    mends those that the record was about.
    """
    images = {"OldImage": _NO_COPY, "NewImage": _NO_COPY}
    return {
        "Type": "AWS::Lambda::EventSourceMapping",
        "Properties": {
            "EventSourceArn": {"Fn::GetAtt": [table_id, "StreamArn"]},
            "FunctionName": {"Ref": FUNCTION},
            "StartingPosition": "TRIM_HORIZON",
            "BatchSize": 100,
            "MaximumBatchingWindowInSeconds": 1,
            "FilterCriteria": {"Filters": [{"Pattern": json.dumps({"dynamodb": images})}]},
            "FunctionResponseTypes": ["ReportBatchItemFailures"],
            "BisectBatchOnFunctionError": True,
            "MaximumRecordAgeInSeconds": {"Ref": "RecordAgeSeconds"},
            "DestinationConfig": {"OnFailure": {"Destination": {"Fn::GetAtt": [QUEUE, "Arn"]}}},
        },
    }


def _role(policies: Mapping[str, Resource]) -> Resource:
    rights = (
        ("dynamodb:ListStreams", "*"),  # which knows no resources
        ("logs:CreateLogStream", {"Fn::GetAtt": [LOG, "Arn"]}),
        ("logs:PutLogEvents", {"Fn::GetAtt": [LOG, "Arn"]}),
        ("sqs:SendMessage", {"Fn::GetAtt": [QUEUE, "Arn"]}),
    )
    statements = [
        {"Effect": "Allow", "Action": [action], "Resource": [resource]}
        for action, resource in rights
    ]
    document = {"Version": "2012-10-17", "Statement": statements}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "Description": f"Dynashop: {OF_THE_FUNCTION.who[0]}",
            "AssumeRolePolicyDocument": trust({"Service": "lambda.amazonaws.com"}),
            "ManagedPolicyArns": attached(OF_THE_FUNCTION, policies),
            "Policies": [{"PolicyName": "stream-log-and-queue", "PolicyDocument": document}],
        },
    }


def _log() -> Resource:
    return {
        "Type": "AWS::Logs::LogGroup",
        "DeletionPolicy": "Delete",
        "UpdateReplacePolicy": "Delete",
        "Properties": {"RetentionInDays": _DAYS_OF_LOG},
    }


def _queue() -> Resource:
    return {
        "Type": "AWS::SQS::Queue",
        "DeletionPolicy": "Delete",
        "UpdateReplacePolicy": "Delete",
        "Properties": {
            "MessageRetentionPeriod": _DAYS_SET_ASIDE * _SECONDS_A_DAY,
            "SqsManagedSseEnabled": True,
        },
    }
