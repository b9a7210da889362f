"""The site's own code, unchanged, on the tables of the lab.

Queries and writes name the site's tables. Within the lab each of those names is replaced by the
table of the design that is being measured, and a call to any other table is refused before it is
sent: nothing that runs here can touch the shop's data.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dynamo.errors import DynamoError
from lab.bench.context import handling

_BY_TABLE = ("Responses", "UnprocessedItems", "UnprocessedKeys")
"""Parts of the answers to batches, which are objects by table name."""


class OutsideTheLab(DynamoError):
    """A call named a table that is not the lab's."""

    def __init__(self, table: str) -> None:
        super().__init__(f"The lab has no table in the place of {table}, and leaves that alone.")


class Redirection:
    """Replaces the names of tables in a client's calls."""

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._names: Mapping[str, str] = {}

    @contextmanager
    def attached(self) -> Iterator[None]:
        """Refuse every table but the lab's own within the block."""
        # last, because botocore calls on with what this handler returns
        with (
            handling("provide-client-params.dynamodb.*", self._redirect, last=True),
            handling("after-call.dynamodb.*", self._restore),
        ):
            yield

    def admit(self, table: str) -> None:
        """Allow calls to a table of the lab."""
        self._own.add(table)

    @contextmanager
    def to(self, names: Mapping[str, str]) -> Iterator[None]:
        """Within the block, replace table names of the site by those of the lab."""
        before, self._names = self._names, names
        try:
            yield
        finally:
            self._names = before

    def _redirect(self, params: Mapping[str, Any], **_: object) -> Mapping[str, Any]:
        redirected = dict(params)
        if "TableName" in params:
            redirected["TableName"] = self._name(params["TableName"])
        if "RequestItems" in params:
            redirected["RequestItems"] = {
                self._name(table): found for table, found in params["RequestItems"].items()
            }
        if "TransactItems" in params:
            redirected["TransactItems"] = [
                {kind: {**action, "TableName": self._name(action["TableName"])}}
                for actions in params["TransactItems"]
                for kind, action in actions.items()
            ]
        return redirected

    def _restore(self, parsed: dict[str, Any], **_: object) -> None:
        names = {name: table for table, name in self._names.items()}
        for part in _BY_TABLE:
            if isinstance(parsed.get(part), dict):
                parsed[part] = {names.get(t, t): found for t, found in parsed[part].items()}

    def _name(self, table: str) -> str:
        name = self._names.get(table, table)
        if name not in self._own:
            raise OutsideTheLab(table)
        return name
