"""The roles of a template, with the statements of deploy/iam-policy.json.

Each statement is a managed policy of its own, which roles attach: so the template says what the
table in docs/deploying.md says. A role may have ten of them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.conf import settings

from config.infrastructure.roles import OF_THE_FUNCTION, OF_THE_SITE, ROLES, Role
from config.infrastructure.tables import Table

_EXAMPLE = "arn:aws:dynamodb:eu-west-1:123456789012:table/shop-"
"""What the tables' names begin with in the file, to be replaced."""
_ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/"
_ACCOUNT = {"Fn::Sub": "arn:${AWS::Partition}:iam::${AWS::AccountId}:root"}

Resource = dict[str, Any]


def role_id(role: Role) -> str:
    """Return what a template calls a role."""
    return f"{role.name}Role"


def roles_for(*, with_copies: bool) -> list[Role]:
    """Return the roles of the site and of the commands, but for that of the function."""
    return [
        role
        for role in ROLES
        if role is not OF_THE_FUNCTION and (with_copies or not role.is_of_copies)
    ]


def policies(tables: Iterable[Table]) -> dict[str, Resource]:
    """Return a managed policy for each statement, about these tables and those of all months.

    A statement about other tables alone has none.
    """
    ids = {_own(table.name): table.logical_id for table in tables if table.is_kept}
    return {
        _policy_id(statement["Sid"]): {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {
                "PolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [{**statement, "Resource": resources}],
                }
            },
        }
        for statement in _statements()
        if (resources := list(_resources(statement, ids)))
    }


def roles(there: Mapping[str, Resource], *, with_copies: bool) -> dict[str, Resource]:
    """Return the roles of the site and of the commands, with those policies that are there.

    The service that runs the site takes any of them; people of the account take those of the
    commands, where their own permissions include sts:AssumeRole.
    """
    return {
        role_id(role): {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "Description": f"Dynashop: {', '.join(role.who)}",
                "AssumeRolePolicyDocument": trust(
                    {"Service": {"Ref": "SiteServicePrincipal"}},
                    *([] if role is OF_THE_SITE else [{"AWS": _ACCOUNT}]),
                ),
                "ManagedPolicyArns": attached(role, there),
            },
        }
        for role in roles_for(with_copies=with_copies)
    }


def attached(role: Role, there: Mapping[str, Resource]) -> list[dict[str, str]]:
    """Return the references of a role to its policies, of those that are there."""
    ids = [_policy_id(sid) for sid in role.statements]
    return [{"Ref": one} for one in ids if one in there]


def trust(*principals: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document that says who may take a role."""
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
            for principal in principals
        ],
    }


def _policy_id(sid: str) -> str:
    return f"{sid}Policy"


def _own(table: str) -> str:
    return table.removeprefix(settings.DYNAMODB_TABLE_PREFIX)


def _statements() -> list[dict[str, Any]]:
    policy = settings.BASE_DIR / "deploy" / "iam-policy.json"
    statements: list[dict[str, Any]] = json.loads(policy.read_text())["Statement"]
    return statements


def _resources(statement: Mapping[str, Any], ids: Mapping[str, str]) -> Iterator[object]:
    """Yield what a statement is about; without the tables that are not in the template."""
    named = statement["Resource"]
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
