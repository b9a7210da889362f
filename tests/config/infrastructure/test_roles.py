"""Roles: those of the documentation, with the statements of the policy file."""

import json
from typing import Any

import pytest
from django.core.management import get_commands

from tests.support.config.exporting import SETS, resources, template
from tests.support.policy import (
    ALLOWS,
    DELETE,
    FUNCTION,
    POLICY,
    POWERS,
    SITE,
    documented_needs,
    needs,
    powers,
    roles,
    statements,
)
from tests.support.project import PROJECT

ACCOUNT = {"Partition": "aws", "Region": "eu-west-1", "AccountId": "123456789012"}
LOG = "activity-*"
MOST_POLICIES = 10
"""Managed policies of a role: a quota of AWS."""


@pytest.fixture(scope="module")
def with_sets():
    return template(model=SETS)


def in_file(prefix: str) -> dict[str, Any]:
    """The statements of the file by their Sids, with another prefix."""
    text = POLICY.read_text().replace("table/shop-", f"table/{prefix}")
    return {statement["Sid"]: statement for statement in json.loads(text)["Statement"]}


class TestWhoNeedsWhat:
    def test_is_what_the_documentation_says(self):
        assert needs() == documented_needs()

    def test_names_commands_that_exist(self):
        named = needs().keys() - {SITE, FUNCTION}
        assert named <= get_commands().keys()

    def test_names_statements_of_the_file(self):
        assert set().union(*needs().values()) == in_file("").keys()


class TestTheLog:
    def test_is_the_sites_to_do_with_what_the_documentation_says(self):
        may = powers(SITE, LOG)
        may_not = [power for power in POWERS if power not in may]
        promise = f"the site may {in_words(may)} entries of its log, not {in_words(may_not)} them"
        assert promise in " ".join((PROJECT / "docs" / "security.md").read_text().split())

    def test_is_deleted_by_the_commands_for_that_alone(self):
        found = {who for who in needs() if DELETE in powers(who, LOG)}
        assert found == {"delete_user_data", "rotate_activity_tables"}

    def test_is_judged_by_actions_of_which_it_is_known_what_they_allow(self):
        granted = {action for grants in statements().values() for action, _ in grants}
        assert granted <= ALLOWS.keys()


class TestTheRolesOfATemplate:
    def test_with_sets_are_all_of_the_file(self, with_sets):
        found = resources(with_sets, "IAM::Role")
        assert {name: each["Properties"] for name, each in found.items()} == roles()

    def test_have_as_many_policies_as_a_role_may(self):
        assert all(len(role["ManagedPolicyArns"]) <= MOST_POLICIES for role in roles().values())

    def test_have_outputs_with_their_arns(self, with_sets):
        wanted = {f"{name}Arn" for name in roles()} - {"CopiesFunctionRoleArn"}
        assert wanted <= with_sets["Outputs"].keys()

    def test_of_the_indexes_leave_out_what_is_about_copies_alone(self):
        found = resources(template(), "IAM::Role")
        assert found.keys().isdisjoint({"StreamRole", "CopiesFunctionRole"})
        assert {"Ref": "SiteCopiesPolicy"} not in found["SiteRole"]["Properties"][
            "ManagedPolicyArns"
        ]

    def test_that_of_the_site_is_taken_by_its_service_alone(self, with_sets):
        role = with_sets["Resources"]["SiteRole"]["Properties"]
        (statement,) = role["AssumeRolePolicyDocument"]["Statement"]
        assert statement["Principal"] == {"Service": {"Ref": "SiteServicePrincipal"}}

    def test_have_the_statements_of_the_file(self, with_sets, settings):
        wanted = in_file(settings.DYNAMODB_TABLE_PREFIX)
        found = resources(with_sets, "IAM::ManagedPolicy")
        assert found.keys() == {f"{sid}Policy" for sid in wanted}
        for sid, statement in wanted.items():
            document = found[f"{sid}Policy"]["Properties"]["PolicyDocument"]
            (made,) = document["Statement"]
            resolved = [arn(with_sets, each) for each in made["Resource"]]
            named = statement["Resource"]
            assert made | {"Resource": resolved} == statement | {
                "Resource": [named] if isinstance(named, str) else named
            }


def in_words(powers: list[str]) -> str:
    *others, last = powers
    return f"{', '.join(others)} and {last}" if others else last


def arn(template: dict[str, Any], resource: Any) -> str:
    """The resource that a template's expression means, in the file's account."""
    if isinstance(resource, str):
        return resource
    if "Fn::GetAtt" in resource:
        name, attribute = resource["Fn::GetAtt"]
        resource = {"Fn::Sub": f"${{{name}.{attribute}}}"}
    found: str = resource["Fn::Sub"]
    for table, each in resources(template, "DynamoDB::Table").items():
        whole = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/"
        found = found.replace(f"${{{table}.Arn}}", whole + each["Properties"]["TableName"])
    for name, value in ACCOUNT.items():
        found = found.replace(f"${{AWS::{name}}}", value)
    assert "$" not in found
    return found
