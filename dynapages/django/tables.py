"""Tables that differ from the models of ``DYNAMODB_MODELS``: pages and commands refuse them.

Another version may have made a table, with other keys or indexes, and items of another shape: a
page would find nothing in it, and a command would mix both shapes. A process that serves compares
its tables in the background, from its first request on until all are as declared. It costs no page
a call. From then on, calls to a table that differs raise `TableDiffers`, which is answered 503. A
command compares them before it begins.
"""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from botocore.model import OperationModel
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.wsgi import WSGIHandler
from django.core.management.base import BaseCommand, CommandError
from django.core.signals import request_started
from django.utils.module_loading import import_string

from dynapages.calls.faults import FAILURES, Unreachable, fault_in
from dynapages.calls.patience import Patience, patient
from dynapages.django.options import say
from dynapages.process import background_client, current_connection, on_every_client
from dynapages.tables import TableDiffers, require_ready
from dynapages.work import worker

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

SECONDS_BETWEEN_COMPARISONS = 10.0
"""Seconds until a request has tables compared again that were missing, away, or different."""
HANDLERS = (WSGIHandler, ASGIHandler)

logger: logging.Logger = logging.getLogger(__name__)

_differences: dict[str, str] = {}
"""The sentences about tables that differ, by their names."""


def declared_models() -> list[type[Any]]:
    """Return the models of the setting ``DYNAMODB_MODELS``, dotted paths."""
    return [import_string(name) for name in settings.DYNAMODB_MODELS]


def compare_tables() -> dict[str, str | None]:
    """Return by each table's name in what it differs, as a sentence; None if in nothing.

    One DescribeTable for each. What could not be compared now is left out: a table that is missing,
    or not active yet, and all of them while the database is away.
    """
    sentences: dict[str, str | None] = {}
    for model in declared_models():
        name = model.Meta.table_name
        try:
            require_ready(background_client(), model)
            sentences[name] = None
        except TableDiffers as differs:
            sentences[name] = differs.detail
        except FAILURES as failure:
            # The next table would be waited for as long.
            if isinstance(fault_in(failure), Unreachable):
                break
    return sentences


@dataclass(slots=True)
class _Schedule:
    """When the tables may be compared again, by `time.monotonic`."""

    next_at: float = 0.0


_schedule = _Schedule()

# Commands


class TableCommand(BaseCommand):
    """A command that reads or writes tables: it refuses to begin where one differs.

    One that inherits from another, and uses no table itself, sets ``compares_tables`` to False. It
    waits for a slow database with `dynapages.calls.patience`, with as many calls at a time as the
    option ``at_a_time`` says; one that runs for good, and tries again by itself, sets
    ``is_patient`` to False.
    """

    compares_tables = True
    is_patient = True

    def execute(self, *args: Any, **options: Any) -> str | None:  # noqa: ANN401 - Django's
        if self.compares_tables:
            for sentence in compare_tables().values():
                if sentence is not None:
                    raise CommandError(sentence)
        if not self.is_patient:
            return super().execute(*args, **options)
        at_a_time = options.get("at_a_time") or current_connection().parallel_calls
        with patient(Patience(at_a_time=at_a_time, say=partial(say, self))):
            return super().execute(*args, **options)


# Processes that serve


def compare_with_first_request() -> None:
    """Have the tables compared from the first request on that this process serves, or one it forks.

    Those of test clients do not count.
    """
    for handler in HANDLERS:
        request_started.connect(_compare_soon, sender=handler)


def refuse_tables_that_differ() -> None:
    """Compare the tables; calls to those that differ raise TableDiffers from now on.

    An error is logged for each, once. Where all are as declared, they are not compared again in
    this process, nor in those it forks.
    """
    sentences = compare_tables()
    for name, sentence in sentences.items():
        if sentence is None:
            _differences.pop(name, None)
        elif name not in _differences:
            _differences[name] = sentence
            logger.error("%s", sentence)
            # Until a table differs, no call pays for being looked at.
            on_every_client(_refuse_calls_of)
    if len(sentences) == len(declared_models()) and not _differences:
        for handler in HANDLERS:
            request_started.disconnect(_compare_soon, sender=handler)


def _compare_soon(**_: object) -> None:
    """Have the worker compare the tables, if they were not compared just now."""
    now = monotonic()
    if now >= _schedule.next_at:
        _schedule.next_at = now + SECONDS_BETWEEN_COMPARISONS
        worker().later(0, refuse_tables_that_differ)


def _refuse_calls_of(client: "DynamoDBClient") -> None:
    # Before anything else hears of a call.
    event = "provide-client-params.dynamodb.*"
    client.meta.events.register(event, _refuse, unique_id=f"dynapages.tables.{event}")


def _refuse(params: Mapping[str, Any], model: OperationModel, **_: object) -> None:
    """Raise TableDiffers for a call that is about the items of a table that differs."""
    if not _differences or not _is_about_items(model):
        return
    for table in _tables_in(params):
        if table in _differences:
            raise TableDiffers(_differences[table])


def _is_about_items(model: OperationModel) -> bool:
    # All calls that read or write items may say what they consumed, and no others.
    parameters = model.input_shape
    return parameters is not None and "ReturnConsumedCapacity" in parameters.members


def _tables_in(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the tables that a call is about, some more than once."""
    if "TableName" in parameters:
        yield parameters["TableName"]
    yield from parameters.get("RequestItems", ())
    for action in parameters.get("TransactItems", ()):
        for parameters_of_action in action.values():
            yield parameters_of_action["TableName"]
