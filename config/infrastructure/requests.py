"""The requests that make the tables, as the AWS CLI takes them by ``--cli-input-json``."""

from collections.abc import Iterable
from typing import Any

from config.infrastructure.tables import Table, tags


def table_requests(tables: Iterable[Table]) -> dict[str, dict[str, Any]]:
    """Return the parameters of each call by its name, for each table by its name.

    The calls are CreateTable, then UpdateTimeToLive and UpdateContinuousBackups where they apply;
    these need a table that is active.
    """
    return {table.name: dict(_calls(table)) for table in tables}


def _calls(table: Table) -> Iterable[tuple[str, dict[str, Any]]]:
    name = {"TableName": table.name}
    yield (
        "CreateTable",
        {
            **table.schema.create_request(),
            "DeletionProtectionEnabled": table.is_kept,
            "Tags": tags(),
        },
    )
    if expiry := table.schema.expiry_attribute:
        expires = {"AttributeName": expiry, "Enabled": True}
        yield "UpdateTimeToLive", {**name, "TimeToLiveSpecification": expires}
    if table.is_kept:
        recovery = {"PointInTimeRecoveryEnabled": True}
        yield "UpdateContinuousBackups", {**name, "PointInTimeRecoverySpecification": recovery}
