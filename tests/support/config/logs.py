"""What the site writes to its log."""

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from config.telemetry.log_lines import JsonLines


class _BothForms(logging.Formatter):
    """A line in words, and one of JSON."""

    def __init__(self, in_words: logging.Formatter) -> None:
        super().__init__()
        self._in_words = in_words

    def format(self, record: logging.LogRecord) -> str:
        return f"{self._in_words.format(record)}\n{JsonLines().format(record)}"


@contextmanager
def written_log(
    *, as_json: bool = False, in_both_forms: bool = False, requests: bool = True
) -> Iterator[io.StringIO]:
    """Yield what the site's own handler writes, with a line for each request or without.

    In words, as JSON, or each record in both forms.
    """
    handler = logging.getLogger("django").handlers[0]  # pytest adds its own behind
    assert isinstance(handler, logging.StreamHandler)
    log, level = logging.getLogger("request"), logging.getLogger("request").level
    formatter, written = handler.formatter, io.StringIO()
    before = handler.setStream(written)
    if as_json:
        handler.setFormatter(JsonLines())
    if in_both_forms:
        handler.setFormatter(_BothForms(formatter or logging.Formatter()))
    log.setLevel(logging.INFO if requests else logging.WARNING)
    try:
        yield written
    finally:
        log.setLevel(level)
        handler.setFormatter(formatter)
        if before is not None:
            handler.setStream(before)


def request_lines(written: io.StringIO) -> list[dict[str, Any]]:
    """The lines of requests in a log of JSON."""
    lines = [json.loads(line) for line in written.getvalue().splitlines()]
    return [line for line in lines if line["logger"] == "request"]
