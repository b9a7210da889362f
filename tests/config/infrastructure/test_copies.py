"""The function that makes the copies, as the template has it."""

import importlib
import json
from typing import Any

import pytest

from tests.support.config.environments import run_python
from tests.support.config.exporting import SETS, resources, template
from tests.support.project import PROJECT


@pytest.fixture(scope="module")
def with_sets():
    return template(model=SETS)


@pytest.fixture(scope="module")
def function(with_sets):
    (function,) = resources(with_sets, "Lambda::Function").values()
    return function["Properties"]


@pytest.fixture(scope="module")
def mapping(with_sets):
    (mapping,) = resources(with_sets, "Lambda::EventSourceMapping").values()
    return mapping["Properties"]


class TestTheFunction:
    def test_is_in_the_template_of_the_sets_alone(self):
        assert resources(template(), "Lambda::Function") == {}
        assert "FunctionBucket" not in template()["Parameters"]

    def test_calls_a_handler_that_exists(self, function):
        module, _, name = function["Handler"].rpartition(".")
        assert callable(getattr(importlib.import_module(module), name))

    def test_starts_with_its_own_environment_and_lambdas_alone(self, function):
        code = "from comments.sets.handler import handler; print(handler({'Records': []}, None))"
        of_lambda = {
            "AWS_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "some",
            "AWS_SECRET_ACCESS_KEY": "some",
        }
        result = run_python("-c", code, **of_lambda | function["Environment"]["Variables"])
        assert (result.stdout, result.stderr) == ("{'batchItemFailures': []}\n", "")


class TestWhatCallsTheFunction:
    def test_does_as_the_documentation_says(self, mapping):
        document = (PROJECT / "docs" / "designs" / "sets.md").read_text()
        told = document.partition("```json\n")[2].partition("```")[0]
        (criterion,) = mapping["FilterCriteria"]["Filters"]
        assert json.loads(criterion["Pattern"]) == json.loads(told)
        assert f"reads from `{mapping['StartingPosition']}`" in document
        assert f"with `{mapping['FunctionResponseTypes'][0]}`" in document

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
