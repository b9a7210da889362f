"""What ``export_model`` prints, by the indexes alone or with all other read models, and shapes."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.test import override_settings

from tests.support.command_line import run_manage

INDEXES, SETS = "indexes", "sets"
COPIES = "comments.sets.models.CommentSetItem"
WORDS = "comments.search.models.WordItem"


def exported(form: str, *options: object, model: str = INDEXES) -> dict[str, Any]:
    """Return what the command prints."""
    with read_model(model):
        code, out, err = run_manage("export_model", "--format", form, *options)
    assert (code, err) == (0, "")
    found: dict[str, Any] = json.loads(out)
    return found


def template(*options: object, model: str = INDEXES) -> dict[str, Any]:
    return exported("cloudformation", *options, model=model)


def resources(template: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """Return the resources of a type, such as ``DynamoDB::Table``, by their logical ids."""
    every = template["Resources"].items()
    return {name: each for name, each in every if each["Type"] == f"AWS::{kind}"}


@contextmanager
def read_model(model: str) -> Iterator[None]:
    models = [name for name in settings.DYNAMODB_MODELS if name not in {COPIES, WORDS}]
    chosen = [*models, COPIES, WORDS] if model == SETS else models
    options = {**settings.COMMENTS, "READ_MODEL": model, "SEARCH": model == SETS}
    with override_settings(COMMENTS=options, DYNAMODB_MODELS=chosen):
        yield


def shape(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return what makes a table, of a request, a template's properties or a description."""
    on_demand = "PAY_PER_REQUEST" in {
        table.get("BillingMode"),
        table.get("BillingModeSummary", {}).get("BillingMode"),
    }
    stream = table.get("StreamSpecification", {})
    return {
        "key": _key(table),
        "types": {
            each["AttributeName"]: each["AttributeType"] for each in table["AttributeDefinitions"]
        },
        "global indexes": _indexes(table, "Global", on_demand=on_demand),
        "local indexes": _indexes(table, "Local", on_demand=True),
        "capacity": "on demand" if on_demand else _capacity(table),
        "stream": stream.get("StreamViewType"),
    }


def _indexes(table: Mapping[str, Any], scope: str, *, on_demand: bool) -> dict[str, Any]:
    return {
        index["IndexName"]: (
            _key(index),
            index["Projection"]["ProjectionType"],
            sorted(index["Projection"].get("NonKeyAttributes", [])),
            None if on_demand else _capacity(index),
        )
        for index in table.get(f"{scope}SecondaryIndexes", [])
    }


def _key(part: Mapping[str, Any]) -> dict[str, str]:
    return {each["KeyType"]: each["AttributeName"] for each in part["KeySchema"]}


def _capacity(part: Mapping[str, Any]) -> tuple[int, int]:
    capacity = part["ProvisionedThroughput"]
    return capacity["ReadCapacityUnits"], capacity["WriteCapacityUnits"]
