"""The requests of ``--format aws-json``, by botocore's own description of the calls."""

from typing import Any

import pytest
from botocore.session import Session
from botocore.validate import ParamValidator

from tests.support.config.exporting import INDEXES, SETS, exported

CALLS = {"CreateTable", "UpdateTimeToLive", "UpdateContinuousBackups"}


@pytest.fixture(scope="module")
def requests():
    return exported("aws-json", model=SETS)


def faults(call: str, parameters: dict[str, Any]) -> str:
    operation = Session().get_service_model("dynamodb").operation_model(call)
    report: str = ParamValidator().validate(parameters, operation.input_shape).generate_report()
    return report


class TestTheRequests:
    @pytest.mark.parametrize("model", [INDEXES, SETS])
    @pytest.mark.parametrize("options", [(), ("--provisioned", 7, 3)])
    def test_are_valid(self, model, options):
        for table, calls in exported("aws-json", *options, model=model).items():
            for call, parameters in calls.items():
                assert call in CALLS
                assert parameters["TableName"] == table
                assert faults(call, parameters) == ""

    def test_protect_and_back_up_all_tables_but_those_of_months(self, requests, settings):
        activity = f"{settings.DYNAMODB_TABLE_PREFIX}activity-"
        for table, calls in requests.items():
            is_kept = not table.startswith(activity)
            assert calls["CreateTable"]["DeletionProtectionEnabled"] is is_kept
            assert ("UpdateContinuousBackups" in calls) is is_kept

    def test_switch_on_time_to_live(self, requests, settings):
        calls = requests[f"{settings.DYNAMODB_TABLE_PREFIX}comments"]
        wanted = {"Enabled": True, "AttributeName": "z"}
        assert calls["UpdateTimeToLive"]["TimeToLiveSpecification"] == wanted
