"""The model for NoSQL Workbench: its shape, its tables, its rows and its facets."""

import json
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
from django.test import override_settings
from django.utils.module_loading import import_string

from comments.models import CommentItem
from comments.sets.models import CommentSetItem
from config.docs_tables import PATTERNS
from config.infrastructure.sample_rows import sample_rows
from config.infrastructure.workbench import LOCAL_SUFFIX, workbench_model
from dynapages.process import client
from dynapages.pynamodb import DynamoModel
from dynapages.tables import create_missing
from shop.activity.months import Month
from shop.activity.tables import Activity, model_of
from shop.models import ShopItem
from shop.table import key_of
from tests.support.config.every_kind import MODELS
from tests.support.project import PROJECT

SPARSE = {"queue", "by_data", "open_by_date.local", "ranked", "by_author", "moderation", "featured"}
MONTH = Month(2026, 11)
"""That of the rows of the activity log."""
BASES: list[type[DynamoModel]] = [ShopItem, CommentItem, CommentSetItem, Activity]
"""Of the models of each table's items."""
SHAPE = json.loads((PROJECT / "tests/support/config/workbench_schema.json").read_text())


@pytest.fixture(autouse=True)
def with_copies():
    """The settings of a site whose lists are read from ``comment_sets``."""
    with override_settings(DYNAMODB_MODELS=MODELS):
        yield


@pytest.fixture
def model():
    return workbench_model()


@pytest.fixture
def created(tables):
    """The tables of the model."""
    models = [*map(import_string, MODELS), model_of(MONTH)]
    create_missing(models, client=client(), streams=False)


@pytest.fixture(params=range(4), ids=["shop", "comments", "comment_sets", "activity"])
def table(request, model):
    return model["DataModel"][request.param]


def rows_of(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for facet in table["TableFacets"] for row in facet["TableData"]]


def declared(table: dict[str, Any]) -> dict[str, str]:
    attributes = [*table["KeyAttributes"].values(), *table["NonKeyAttributes"]]
    return {each["AttributeName"]: each["AttributeType"] for each in attributes}


def key_names(keyed: dict[str, Any]) -> list[str]:
    return [part["AttributeName"] for part in keyed["KeyAttributes"].values()]


def listed(table: dict[str, Any], index: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows that DynamoDB would put into an index."""
    return [row for row in rows_of(table) if {*key_names(index)} <= row.keys()]


def attributes_of(base: type[DynamoModel]) -> Iterator[tuple[str, str]]:
    """The names and types of the attributes of a model, and of those made from it."""
    for attribute in base.get_attributes().values():
        yield attribute.attr_name, attribute.attr_type
    for model in base.__subclasses__():
        yield from attributes_of(model)


class TestTheModel:
    def test_has_the_shape_of_the_models_that_aws_publishes(self, model):
        validator = jsonschema_rs.Draft202012Validator({**SHAPE, "$ref": "#/$defs/model"})
        faults = validator.iter_errors(json.loads(json.dumps(model)))
        assert [(fault.instance_path, fault.message) for fault in faults] == []

    @override_settings(DYNAMODB_MODELS=MODELS[:2])
    def test_leaves_out_the_copies_where_the_site_has_none(self):
        names = [table["TableName"] for table in workbench_model()["DataModel"]]
        assert CommentSetItem.Meta.table_name not in names
        assert len(names) == 3

    def test_tells_every_access_pattern_in_its_description(self, model):
        lines = model["ModelMetadata"]["Description"].splitlines()
        told = [line for line in lines if line.startswith("\t* ")]
        assert [line.split(":")[0] for line in told] == [f"\t* {each.number}" for each in PATTERNS]
        assert "\t* AP13: The most helpful comments of a product — ranked: RANK#HELPFUL#42" in told


class TestATable:
    @pytest.mark.real_engine
    def test_has_the_keys_and_indexes_that_the_engine_reports(self, created, table):
        described = client().describe_table(TableName=table["TableName"])["Table"]
        indexes = described.get("GlobalSecondaryIndexes", [])
        local = described.get("LocalSecondaryIndexes", [])
        found = {each["IndexName"]: each for each in indexes}
        found |= {each["IndexName"] + LOCAL_SUFFIX: each for each in local}
        exported = {each["IndexName"]: each for each in table["GlobalSecondaryIndexes"]}
        assert key_names(table) == [key["AttributeName"] for key in described["KeySchema"]]
        assert exported.keys() == found.keys()
        for name, index in exported.items():
            projection, reported = index["Projection"], found[name]["Projection"]
            assert key_names(index) == [key["AttributeName"] for key in found[name]["KeySchema"]]
            assert projection["ProjectionType"] == reported["ProjectionType"]
            assert {*projection["NonKeyAttributes"]} == {*reported["NonKeyAttributes"]}

    def test_declares_once_what_its_rows_facets_and_indexes_hold(self, table):
        types, keys = declared(table), {*key_names(table)}
        assert len(types) == len(keys) + len(table["NonKeyAttributes"])
        for index in table["GlobalSecondaryIndexes"]:
            assert {*key_names(index), *index["Projection"]["NonKeyAttributes"]} <= types.keys()
        for facet in table["TableFacets"]:
            rows = facet["TableData"]
            held = {(name, *value) for row in rows for name, value in row.items()}
            assert held <= types.items()
            assert {*facet["NonKeyAttributes"]} == {name for name, _ in held} - keys

    def test_has_an_example_of_every_attribute_of_its_models(self, model):
        for table, base in zip(model["DataModel"], BASES, strict=True):
            shown = declared(table)
            for name, type_ in attributes_of(base):
                assert shown[name] == type_


class TestARow:
    def test_names_nobody_at_an_address_that_may_exist(self, model):
        words = json.dumps(model).replace('"', " ").split()
        addresses = [word for word in words if "@" in word]
        assert addresses
        assert all(word.endswith(".example") for word in addresses)


class TestAnIndex:
    @pytest.mark.real_engine
    def test_lists_the_rows_that_the_engine_lists(self, created, table):
        name = table["TableName"]
        for row in rows_of(table):
            client().put_item(TableName=name, Item=row)
        for index in table["GlobalSecondaryIndexes"]:
            stored_as = index["IndexName"].removesuffix(LOCAL_SUFFIX)
            found = client().scan(TableName=name, IndexName=stored_as)["Items"]
            assert {*map(key_of, found)} == {*map(key_of, listed(table, index))}, stored_as

    def test_has_rows(self, table):
        for index in table["GlobalSecondaryIndexes"]:
            assert listed(table, index), index["IndexName"]

    def test_lacks_rows_where_it_is_sparse(self, model):
        found = {
            index["IndexName"]: (table, index)
            for table in model["DataModel"]
            for index in table["GlobalSecondaryIndexes"]
        }
        assert found.keys() >= SPARSE
        for table, index in map(found.__getitem__, SPARSE):
            assert len(listed(table, index)) < len(rows_of(table)), index["IndexName"]


class TestAFacet:
    def test_shows_the_form_of_its_keys(self, model):
        by_name = {facet["FacetName"]: facet for facet in model["DataModel"][0]["TableFacets"]}
        alias = by_name["order-item-A3-S3"]["KeyAttributeAlias"]
        assert alias["PartitionKeyAlias"] == "ITEM#<order>#<line>"
        assert alias["SortKeyAlias"] == "ORDER#<order>"

    def test_is_named_for_every_pattern(self, model):
        facets = [facet for table in model["DataModel"] for facet in table["TableFacets"]]
        names = [f"{facet['FacetName']}-" for facet in facets]
        assert len(names) == len({*names})
        for number in (pattern.number.replace(" ", "-") for pattern in PATTERNS):
            assert any(f"-{number}-" in name for name in names), number


class TestThePatterns:
    def test_name_kinds_of_items_that_are_documented(self):
        kinds = {kind["name"] for kinds in sample_rows().values() for kind in kinds}
        assert {name for pattern in PATTERNS for name in pattern.reads} <= kinds
