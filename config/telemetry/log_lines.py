"""Lines of the log: as JSON, and without what names a visitor.

The settings name these classes, so they are imported before Django's apps.
"""

import json
import logging
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

NO_VIEW = "no view"


class JsonLines(logging.Formatter):
    """Formats each record as an object of JSON on a line of its own.

    ``extra={"fields": …}`` of a record takes the place of its message; a traceback is in
    ``exception``.
    """

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        fields = getattr(record, "fields", None)
        if fields is None:
            fields = {"message": record.getMessage()}
        line |= fields
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class RefusalsInOneLine(logging.Filter):
    """Logs a refused request as a warning of one line, and every request by its view.

    Django logs a wrong host or body as an error with a traceback, although nothing is broken. It
    names the path, which may hold a user's name, or the token of an e-mail.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", HTTPStatus.INTERNAL_SERVER_ERROR)
        if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        request: Any = getattr(record, "request", None)
        if hasattr(request, "path") and isinstance(record.args, tuple):
            path = request.path.encode("unicode_escape").decode("ascii")  # as Django logs it
            view = _view_of(request) or NO_VIEW
            record.args = tuple(view if arg == path else arg for arg in record.args)
        return True


def _view_of(request: Any) -> str:  # noqa: ANN401 - whatever has a path
    from config.telemetry.requests import view_of  # noqa: PLC0415 - it needs settings, which come later

    return view_of(request)
