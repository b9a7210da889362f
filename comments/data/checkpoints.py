"""Checkpoints of imports: how far an interrupted one has come, so that it goes on from there.

A checkpoint is in the table itself. So it belongs to what is written: a table that is made anew or
restored has its own, and the import may go on on another machine. Its key is a digest of all rows
as they were read, which another file, other options or another version of the parser would change.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from comments import keys
from comments.models import TABLE, ImportCheckpoint
from dynapages.calls import clock
from dynapages.items import wire_key
from dynapages.lists import parse_timestamp, timestamp
from dynapages.process import client
from dynapages.writes import delete, put, write_item

KEPT = timedelta(days=14)
"""How long a checkpoint stays after its last change."""
_ROW = ImportCheckpoint.row.attr_name
_SAVED_AT = ImportCheckpoint.saved_at.attr_name
_EXPIRES_AT = ImportCheckpoint.expires_at.attr_name


@dataclass(frozen=True, slots=True)
class Written:
    """The last ``row`` of a file that is wholly written, with all before it, and since when."""

    row: int
    saved_at: datetime


def load_checkpoint(digest: str) -> Written | None:
    """Return how far an interrupted import of these rows has come; None for not at all.

    It is read strongly, for a capacity unit. Raises botocore's errors.
    """
    key = wire_key(keys.import_checkpoint(digest))
    answer = client().get_item(TableName=TABLE, Key=key, ConsistentRead=True)
    item = answer.get("Item")
    if item is None:
        return None
    return Written(int(item[_ROW]["N"]), parse_timestamp(item[_SAVED_AT]["S"]))


def save_checkpoint(digest: str, row: int) -> None:
    """Store that all rows up to this one are written, for a unit. Raises botocore's errors."""
    now = clock.now()
    item = {
        **wire_key(keys.import_checkpoint(digest)),
        _ROW: {"N": str(row)},
        _SAVED_AT: {"S": timestamp(now)},
        _EXPIRES_AT: {"N": str(int((now + KEPT).timestamp()))},
    }
    write_item(client(), put(ImportCheckpoint, item))


def delete_checkpoint(digest: str) -> None:
    """Delete the checkpoint of a finished import, if it has one. Raises botocore's errors."""
    write_item(client(), delete(ImportCheckpoint, wire_key(keys.import_checkpoint(digest))))
