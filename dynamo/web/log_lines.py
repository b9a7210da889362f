"""Lines of the log about requests that were refused."""

import logging
from http import HTTPStatus


class RefusalsInOneLine(logging.Filter):
    """Logs a refused request as a warning of one line.

    Django logs a wrong host or body as an error with a traceback, although nothing is to be mended.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        status = getattr(record, "status_code", HTTPStatus.INTERNAL_SERVER_ERROR)
        if status < HTTPStatus.INTERNAL_SERVER_ERROR:
            record.exc_info = record.exc_text = None
            if record.levelno > logging.WARNING:
                record.levelno, record.levelname = logging.WARNING, "WARNING"
        return True
