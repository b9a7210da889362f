"""The redirection: the site's own code, unchanged, on the tables of the lab.

Queries and writes name the site's tables. Within the lab each of those names leads to the table
of the design that is being measured, and a call that would reach any other table is refused
before it is made: nothing that runs here can touch the shop's data.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dynamo.errors import DynamoError

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

_ASKED, _ANSWERED = "provide-client-params.dynamodb.*", "after-call.dynamodb.*"
_BY_TABLE = ("Responses", "UnprocessedItems", "UnprocessedKeys")
"""Parts of the answers to batches, which are spelled table by table."""


class OutsideTheLab(DynamoError):
    """A call meant a table that is not the lab's."""

    def __init__(self, table: str) -> None:
        super().__init__(f"The lab has no table in the place of {table}, and leaves that alone.")


class Redirection:
    """Leads a client's calls to the lab's tables."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self._events = client.meta.events
        self._own: set[str] = set()
        self._names: Mapping[str, str] = {}

    def attach(self) -> None:
        """Refuse every table but the lab's own from now on."""
        # botocore calls on with what this handler returns, which its types do not know
        self._events.register_last(_ASKED, self._lead)
        self._events.register(_ANSWERED, self._lead_back)

    def detach(self) -> None:
        """Let all calls pass again."""
        self._events.unregister(_ASKED, self._lead)
        self._events.unregister(_ANSWERED, self._lead_back)

    def admit(self, table: str) -> None:
        """Let calls to a table of the lab pass."""
        self._own.add(table)

    @contextmanager
    def to(self, names: Mapping[str, str]) -> Iterator[None]:
        """Within the block, lead from the tables named first to those of the lab."""
        before, self._names = self._names, names
        try:
            yield
        finally:
            self._names = before

    def _lead(self, params: Mapping[str, Any], **_: object) -> Any:  # noqa: ANN401 - see attach
        led = dict(params)
        if "TableName" in led:
            led["TableName"] = self._name(led["TableName"])
        if "RequestItems" in led:
            led["RequestItems"] = {self._name(t): x for t, x in led["RequestItems"].items()}
        if "TransactItems" in led:
            led["TransactItems"] = [
                {kind: {**action, "TableName": self._name(action["TableName"])}}
                for actions in led["TransactItems"]
                for kind, action in actions.items()
            ]
        return led

    def _lead_back(self, parsed: dict[str, Any], **_: object) -> None:
        asked = {name: table for table, name in self._names.items()}
        for part in _BY_TABLE:
            if isinstance(parsed.get(part), dict):
                parsed[part] = {asked.get(t, t): found for t, found in parsed[part].items()}

    def _name(self, table: str) -> str:
        name = self._names.get(table, table)
        if name not in self._own:
            raise OutsideTheLab(table)
        return name
