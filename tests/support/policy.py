"""The policy of `deploy/iam-policy.json`, and who needs which of its statements."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from tests.support.permissions import Use
from tests.support.project import PROJECT

POLICY = PROJECT / "deploy" / "iam-policy.json"
SITE, FUNCTION = "the site", "the Lambda of the copies"
_ARN = "arn:aws:dynamodb:eu-west-1:123456789012:table/shop-"
_ROW = re.compile(r"^\| (?P<who>[^|]+) \| (?P<sids>(?:`\w+`(?:, )?)+) \|$", re.MULTILINE)

_ELSEWHERE = ("CreateTables", "UpdateTable")
"""Indexes are added to tables of the tests, whose names are their own."""
Grant = tuple[str, str]
"""An action on a resource: ``("PutItem", "comments")``."""
READ, CREATE, OVERWRITE, DELETE = POWERS = ("read", "create", "overwrite", "delete")
ALLOWS: dict[str, set[str]] = {
    "BatchGetItem": {READ},
    "BatchWriteItem": {CREATE, OVERWRITE, DELETE},  # puts and deletes
    "ConditionCheckItem": {READ},
    "CreateTable": set(),
    "DeleteItem": {DELETE},
    "DeleteTable": {DELETE},
    "DescribeStream": set(),
    "DescribeTable": set(),
    "DescribeTimeToLive": set(),
    "GetItem": {READ},
    "GetRecords": {READ},
    "GetShardIterator": set(),
    "ListTables": set(),
    "PartiQLDelete": {DELETE},
    "PartiQLInsert": {CREATE},
    "PartiQLSelect": {READ},
    "PartiQLUpdate": {OVERWRITE},
    "PutItem": {CREATE, OVERWRITE},  # IAM cannot ask for a condition
    "Query": {READ},
    "Scan": {READ},
    "UpdateItem": {CREATE, OVERWRITE},
    "UpdateTable": set(),
    "UpdateTimeToLive": {DELETE},  # of whatever has an attribute of its choice
}
"""What each action lets its holder do to items; transactions are granted by the single actions."""


def statements() -> dict[str, set[Grant]]:
    """Return what each statement of the policy grants, by its Sid."""
    found: dict[str, set[Grant]] = {}
    for statement in json.loads(POLICY.read_text())["Statement"]:
        assert statement["Effect"] == "Allow"
        resources = statement["Resource"]
        named = [resources] if isinstance(resources, str) else resources
        found[statement["Sid"]] = {
            (action.removeprefix("dynamodb:"), resource.removeprefix(_ARN))
            for action in statement["Action"]
            for resource in named
        }
    return found


def needs() -> dict[str, set[str]]:
    """Return the Sids that the site and each command need, by the roles of deploy/stack.json.

    The description of a role names who has it, its policies are named for the statements.
    """
    found: dict[str, set[str]] = {}
    for role in roles().values():
        sids = {each["Ref"].removesuffix("Policy") for each in role["ManagedPolicyArns"]}
        for who in role["Description"].removeprefix("Dynashop: ").split(", "):
            assert who not in found
            found[who] = sids
    return found


def roles() -> dict[str, dict[str, Any]]:
    """Return the properties of each role of deploy/stack.json."""
    stack = json.loads((PROJECT / "deploy" / "stack.json").read_text())
    return {
        name: each["Properties"]
        for name, each in stack["Resources"].items()
        if each["Type"] == "AWS::IAM::Role"
    }


def powers(who: str, resource: str) -> list[str]:
    """Return what somebody may do to the items of a table, of `POWERS` and in their order."""
    granted = set[Grant]().union(*(statements()[sid] for sid in needs()[who]))
    actions = {action for action, of in granted if of == resource}
    found = set[str]().union(*(ALLOWS[action] for action in actions))
    return [power for power in POWERS if power in found]


def documented_needs() -> dict[str, set[str]]:
    """Return the same by the table in docs/deploying.md."""
    text = (PROJECT / "docs" / "deploying.md").read_text()
    return {
        name.strip(" `"): set(re.findall(r"`(\w+)`", row["sids"]))
        for row in _ROW.finditer(text)
        for name in row["who"].split(",")
    }


def lacking(used: Iterable[Use]) -> Iterator[str]:
    """Yield a line for each permission that was used and is not granted."""
    granted, needed = statements(), needs()
    for who, action, resource in sorted(used):
        if who not in needed or (action == "ConditionCheckItem" and who == "create_tables"):
            continue  # no such call is made to Amazon: of the lab, of an engine's own check
        if (action, resource) not in set().union(*(granted[sid] for sid in needed[who])):
            yield f"{who} needs {action} on {resource}"


def superfluous(used: Iterable[Use]) -> Iterator[str]:
    """Yield a line for each permission that is granted and was not used."""
    found, needed = list(used), needs()
    for sid, grants in statements().items():
        of_sid: set[Grant] = {(a, r) for who, a, r in found if sid in needed.get(who, ())}
        unused = sorted(grants - of_sid)
        yield from (f"{sid} grants {a} on {r}" for a, r in unused if (sid, a) != _ELSEWHERE)
