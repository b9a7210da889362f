"""Lines of the log as JSON, one object each."""

import json
import logging
from datetime import UTC, datetime

FACTS = "facts"
"""The attribute of a record with the fields of `dynamo.telemetry.facts`."""


class JsonFormatter(logging.Formatter):
    """Formats a record as an object: ``time`` (UTC), ``level``, ``logger``, and what it says.

    That is ``message``, and ``traceback`` for a bug; a request has its fields instead.
    """

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC)
        told: dict[str, object] = {
            "time": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
        }
        facts = getattr(record, FACTS, None)
        told |= {"message": record.getMessage()} if facts is None else facts
        if record.exc_info:
            told["traceback"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False, default=str)
