"""The function that makes the copies, as the template has it."""

import importlib
import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.config.exporting import SETS, resources, template
from tests.support.project import PROJECT


@pytest.fixture(scope="module")
def with_sets() -> dict[str, Any]:
    return template(model=SETS)


@pytest.fixture(scope="module")
def function(with_sets: dict[str, Any]) -> dict[str, Any]:
    (function,) = resources(with_sets, "Lambda::Function").values()
    return function["Properties"]


@pytest.fixture(scope="module")
def mapping(with_sets: dict[str, Any]) -> dict[str, Any]:
    (mapping,) = resources(with_sets, "Lambda::EventSourceMapping").values()
    return mapping["Properties"]


class TestTheFunction:
    def test_is_in_the_template_of_the_sets_alone(self):
        assert resources(template(), "Lambda::Function") == {}
        assert "FunctionBucket" not in template()["Parameters"]

    def test_is_made_where_its_code_is_named(self, with_sets):
        for kind in ("Lambda::Function", "Lambda::EventSourceMapping", "SQS::Queue"):
            (one,) = resources(with_sets, kind).values()
            assert one["Condition"] == "WithFunction"

    def test_calls_a_handler_that_exists(self, function):
        module, _, name = function["Handler"].rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))

    def test_starts_with_its_own_environment_and_lambdas_alone(self, function):
        code = "from comments.sets.handler import handler; print(handler({'Records': []}, None))"
        of_lambda = {name: os.environ[name] for name in ("PATH",)} | {
            "AWS_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "some",
            "AWS_SECRET_ACCESS_KEY": "some",
        }
        result = subprocess.run(
            [sys.executable, "-c", code],
            cwd=PROJECT,
            env=of_lambda | function["Environment"]["Variables"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert (result.stdout, result.stderr) == ("{'batchItemFailures': []}\n", "")

    def test_may_write_its_log_and_set_records_aside(self, with_sets):
        role = with_sets["Resources"]["CopiesFunctionRole"]["Properties"]
        (policy,) = role["Policies"]
        allowed = {
            action: resource
            for statement in policy["PolicyDocument"]["Statement"]
            for action in statement["Action"]
            for resource in map(json.dumps, statement["Resource"])
        }
        assert allowed == {
            "dynamodb:ListStreams": '"*"',
            "logs:CreateLogStream": '{"Fn::GetAtt": ["CopiesLog", "Arn"]}',
            "logs:PutLogEvents": '{"Fn::GetAtt": ["CopiesLog", "Arn"]}',
            "sqs:SendMessage": '{"Fn::GetAtt": ["CopiesSetAside", "Arn"]}',
        }


class TestWhatCallsTheFunction:
    def test_reads_the_stream_from_its_beginning(self, mapping):
        assert mapping["EventSourceArn"] == {"Fn::GetAtt": ["CommentSetsTable", "StreamArn"]}
        assert mapping["StartingPosition"] == "TRIM_HORIZON"

    def test_gives_again_only_what_was_reported(self, mapping):
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]

    def test_sets_a_record_aside_that_cannot_be_applied(self, mapping, with_sets):
        destination = mapping["DestinationConfig"]["OnFailure"]["Destination"]
        assert destination == {"Fn::GetAtt": ["CopiesSetAside", "Arn"]}
        assert mapping["MaximumRecordAgeInSeconds"] == {"Ref": "RecordAgeSeconds"}
        age = with_sets["Parameters"]["RecordAgeSeconds"]
        assert 60 <= age["MinValue"] <= age["Default"] <= age["MaxValue"] == 24 * 60 * 60

    def test_keeps_what_was_set_aside_encrypted_for_14_days(self, with_sets):
        queue = with_sets["Resources"]["CopiesSetAside"]["Properties"]
        assert queue == {"MessageRetentionPeriod": 14 * 24 * 60 * 60, "SqsManagedSseEnabled": True}

    @pytest.mark.parametrize(
        ("images", "is_passed"),
        [
            ({"NewImage": {"sk": {"S": "x"}}}, True),
            ({"OldImage": {"sk": {"S": "x"}}, "NewImage": {"sk": {"S": "y"}}}, True),
            ({"OldImage": {"sk": {"S": "x"}}}, True),
            ({"NewImage": {"auto": {"BOOL": True}}}, False),
            ({"OldImage": {"auto": {"BOOL": True}}}, False),
        ],
        ids=["a new primary", "a changed one", "a deleted one", "a new copy", "a deleted copy"],
    )
    def test_passes_over_copies(self, mapping, images, is_passed):
        (criterion,) = mapping["FilterCriteria"]["Filters"]
        assert fits(json.loads(criterion["Pattern"]), {"dynamodb": images}) is is_passed


def fits(pattern: Any, event: Any) -> bool:
    """Whether Lambda would pass on an event, by a pattern that only asks for absence."""
    if isinstance(pattern, list):
        assert pattern == [{"exists": False}]
        return event is None
    return all(fits(part, (event or {}).get(name)) for name, part in pattern.items())
