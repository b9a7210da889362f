"""The template: what it says of tables, limits and alarms; that it is a valid one."""

import json
import re
from typing import Any

import pytest

from tests.support.config.exporting import INDEXES, SETS, resources, template
from tests.support.project import PROJECT


@pytest.fixture(scope="module")
def with_indexes():
    return template()


@pytest.fixture(scope="module")
def with_sets():
    return template(model=SETS)


@pytest.fixture(scope="module")
def tables(with_sets):
    return resources(with_sets, "DynamoDB::Table")


def faults(wanted: dict[str, Any]) -> list[str]:
    """What cfn-lint finds, informational findings included."""
    cfnlint = pytest.importorskip("cfnlint", reason="cfn-lint is not installed")
    config = {"regions": ["eu-west-1"], "include_checks": ["I"]}
    found = cfnlint.lint(json.dumps(wanted), config=config)
    return [f"{each.rule.id}: {each.message}" for each in found]


def without_months(wanted: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in wanted.items() if not name.startswith("Activity")}


class TestATemplate:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("model", "options"),
        [(SETS, ()), (INDEXES, ("--provisioned", 7, 3, "--without-months"))],
        ids=["sets", "indexes, provisioned, without months"],
    )
    def test_is_a_valid_one(self, model, options):
        assert faults(template(*options, model=model)) == []

    def test_has_no_secret(self, with_sets, settings):
        assert settings.SECRET_KEY not in json.dumps(with_sets)
        assert "SECRET" not in json.dumps(with_sets).upper()


class TestATable:
    def test_stays_when_the_stack_lets_go_of_it(self, tables):
        for table in tables.values():
            assert (table["DeletionPolicy"], table["UpdateReplacePolicy"]) == ("Retain", "Retain")

    def test_of_the_shop_is_backed_up_and_protected(self, tables):
        for table in without_months(tables).values():
            recovery = table["Properties"]["PointInTimeRecoverySpecification"]
            assert recovery == {"PointInTimeRecoveryEnabled": {"Ref": "PointInTimeRecovery"}}
            assert table["Properties"]["DeletionProtectionEnabled"] == {"Ref": "DeletionProtection"}

    def test_of_a_month_can_be_dropped(self, tables):
        months = tables.keys() - without_months(tables).keys()
        assert len(months) == 2
        for name in months:
            assert tables[name]["Properties"]["DeletionProtectionEnabled"] is False

    def test_of_a_month_is_left_out_when_told_to(self):
        made = resources(template("--without-months"), "DynamoDB::Table")
        assert sorted(made) == ["CommentsTable", "ShopTable"]

    def test_of_comments_forgets_what_expires(self, tables):
        expiry = tables["CommentsTable"]["Properties"]["TimeToLiveSpecification"]
        assert expiry == {"AttributeName": "z", "Enabled": True}

    def test_with_indexes_is_made_after_the_one_before(self, tables):
        after = {name: table.get("DependsOn") for name, table in without_months(tables).items()}
        assert after == {
            "ShopTable": None,
            "CommentsTable": "ShopTable",
            "CommentSetsTable": "CommentsTable",
            "CommentWordsTable": None,
        }

    def test_has_tags(self, tables, settings):
        for table in tables.values():
            tags = {tag["Key"]: tag["Value"] for tag in table["Properties"]["Tags"]}
            assert tags["table-prefix"] == settings.DYNAMODB_TABLE_PREFIX


class TestTheParameters:
    ROW = re.compile(r"^\| `(\w+)` \| (?:`([^`]*)`)? *\|", re.MULTILINE)

    def test_are_those_of_the_documentation(self, with_sets):
        page = (PROJECT / "docs" / "deploying.md").read_text()
        table = page.partition("| parameter |")[2].partition("\n\n")[0]
        wanted = {
            name: str(parameter["Default"]) for name, parameter in with_sets["Parameters"].items()
        }
        assert dict(self.ROW.findall(table)) == wanted


def resolved(part: Any, given: dict[str, Any], met: dict[str, bool]) -> Any:
    """What CloudFormation makes of a value, by these parameters and conditions."""
    if not isinstance(part, dict):
        return part
    if "Fn::If" in part:
        condition, then, otherwise = part["Fn::If"]
        return resolved(then if met[condition] else otherwise, given, met)
    if "Ref" in part:
        return given.get(part["Ref"])
    found = {name: resolved(each, given, met) for name, each in part.items()}
    return {name: each for name, each in found.items() if each is not None}


def with_global_indexes(table: dict[str, Any]) -> list[dict[str, Any]]:
    return [table["Properties"], *table["Properties"].get("GlobalSecondaryIndexes", [])]


class TestTheMaximumOfAnOnDemandTable:
    def value(self, part: dict[str, Any], reads: int, writes: int) -> object:
        """The throughput that a table gets by these parameters."""
        given = {"MaxReadUnits": reads, "MaxWriteUnits": writes}
        met = {"LimitReads": reads != -1, "LimitWrites": writes != -1}
        met["LimitAny"] = any(met.values())
        return resolved(part["OnDemandThroughput"], given, met)

    @pytest.mark.parametrize(
        ("reads", "writes", "wanted"),
        [
            (500, 200, {"MaxReadRequestUnits": 500, "MaxWriteRequestUnits": 200}),
            (500, -1, {"MaxReadRequestUnits": 500}),
            (-1, 200, {"MaxWriteRequestUnits": 200}),
            (-1, -1, None),
        ],
    )
    def test_is_that_of_the_parameters(self, tables, reads, writes, wanted):
        for table in without_months(tables).values():
            for part in with_global_indexes(table):
                assert self.value(part, reads, writes) == wanted

    def test_is_none_of_a_provisioned_one(self):
        provisioned = template("--provisioned", 7, 3)
        assert "OnDemandThroughput" not in json.dumps(provisioned)
        assert "MaxReadUnits" not in provisioned["Parameters"]


class TestWarmThroughput:
    @pytest.mark.parametrize(
        ("reads", "writes", "wanted"),
        [
            (30000, 10000, {"ReadUnitsPerSecond": 30000, "WriteUnitsPerSecond": 10000}),
            (30000, 0, {"ReadUnitsPerSecond": 30000}),
            (0, 10000, {"WriteUnitsPerSecond": 10000}),
            (0, 0, None),
        ],
    )
    def test_of_tables_of_the_shop_is_that_of_the_parameters(self, tables, reads, writes, wanted):
        given = {"WarmReadUnits": reads, "WarmWriteUnits": writes}
        met = {"WarmReads": reads != 0, "WarmWrites": writes != 0}
        for table in without_months(tables).values():
            for part in with_global_indexes(table):
                assert resolved(part["WarmThroughput"], given, met) == wanted

    def test_is_not_set_by_default(self, with_sets):
        for name, kind in (("WarmReadUnits", "WarmReads"), ("WarmWriteUnits", "WarmWrites")):
            assert with_sets["Parameters"][name]["Default"] == 0
            is_zero = {"Fn::Equals": [{"Ref": name}, "0"]}
            assert with_sets["Conditions"][kind] == {"Fn::Not": [is_zero]}

    def test_of_a_month_is_never_paid(self, tables):
        for name in tables.keys() - without_months(tables).keys():
            assert "WarmThroughput" not in json.dumps(tables[name])


class TestContributorInsights:
    def value(self, part: dict[str, Any], *, chosen: bool) -> object:
        insights = part["ContributorInsightsSpecification"]
        return resolved(insights, {}, {"WithInsights": chosen})

    def test_of_tables_of_the_shop_see_throttled_keys_alone(self, tables):
        for table in without_months(tables).values():
            for part in with_global_indexes(table):
                assert self.value(part, chosen=True) == {"Enabled": True, "Mode": "THROTTLED_KEYS"}

    def test_are_off_by_default(self, with_sets, tables):
        assert with_sets["Parameters"]["ContributorInsights"]["Default"] == "false"
        assert with_sets["Conditions"]["WithInsights"] == {
            "Fn::Equals": [{"Ref": "ContributorInsights"}, "true"]
        }
        for table in without_months(tables).values():
            for part in with_global_indexes(table):
                assert self.value(part, chosen=False) == {"Enabled": False}

    def test_of_a_month_are_not_there(self, tables):
        for name in tables.keys() - without_months(tables).keys():
            assert "ContributorInsights" not in json.dumps(tables[name])


class TestTheAlarms:
    def test_watch_reads_and_writes_of_each_table_and_each_global_index(self, with_sets, tables):
        wanted = {
            (name, index, metric)
            for name, table in tables.items()
            for index in (
                None,
                *(
                    each["IndexName"]
                    for each in table["Properties"].get("GlobalSecondaryIndexes", [])
                ),
            )
            for metric in ("ReadThrottleEvents", "WriteThrottleEvents")
        }
        watched = [
            self.watched(alarm["Properties"])
            for alarm in resources(with_sets, "CloudWatch::Alarm").values()
            if alarm["Properties"]["Namespace"] == "AWS/DynamoDB"
        ]
        assert set(watched) == wanted
        assert len(watched) == len(wanted)

    def watched(self, alarm: dict[str, Any]) -> tuple[str, str | None, str]:
        by_name = {each["Name"]: each["Value"] for each in alarm["Dimensions"]}
        table, index = by_name["TableName"]["Ref"], by_name.get("GlobalSecondaryIndexName")
        return table, index, alarm["MetricName"]

    def test_are_told_to_the_topic(self, with_sets):
        for alarm in resources(with_sets, "CloudWatch::Alarm").values():
            assert alarm["Properties"]["AlarmActions"] == [{"Ref": "AlarmTopic"}]
