"""The entry point for AWS Lambda: ``comments.sets.handler.handler``, on the table's stream.

``DJANGO_SETTINGS_MODULE`` must be set. The event source mapping needs ``ReportBatchItemFailures``;
see docs/designs/sets.md.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import django
from django.apps import apps

from comments.sets.copies import CopyWriter, batches
from dynapages.calls import sentence_about
from dynapages.pynamodb import FAILURES
from dynapages.streams import Record

logger = logging.getLogger(__name__)

if not apps.ready:
    django.setup()


def handler(event: Mapping[str, Any], context: object) -> dict[str, list[dict[str, str]]]:
    """Copy the changed comments of a stream's event; return the records to deliver again.

    These are the first record that failed and all after it. A record without a sequence number is
    returned with an empty one, and Lambda delivers the whole event again.
    """
    del context
    records: Sequence[Record] = event["Records"]
    applied = _apply_until_failure(CopyWriter(batches()), records)
    failures = [{"itemIdentifier": _number_of(record)} for record in records[applied:]]
    return {"batchItemFailures": failures}


def _apply_until_failure(writer: CopyWriter, records: Sequence[Record]) -> int:
    """Apply records together, or where that fails one by one; return how many were applied."""
    try:
        writer.apply(records)
    except FAILURES as failure:
        logger.warning("%s Applying the records one by one.", sentence_about(failure))
    else:
        return len(records)
    for number, record in enumerate(records):
        try:
            writer.apply([record])
        except FAILURES as failure:
            logger.warning("Record %s not applied: %s", _number_of(record), sentence_about(failure))
            return number
    return len(records)


def _number_of(record: Record) -> str:
    number: str = record.get("dynamodb", {}).get("SequenceNumber", "")
    return number
