"""The WSGI application. With a wrong setting the server exits, with one line for each error."""

import os
import sys
from contextlib import suppress
from importlib import import_module

from django.conf import settings
from django.core.checks import CheckMessage, Error, run_checks
from django.core.signals import request_started
from django.core.wsgi import get_wsgi_application
from django.utils.module_loading import import_string

from config.web.bodies import ChunkedBodies, UnreadBodies
from config.web.shedding import Shedding, WithoutBodies
from dynapages.calls import clock
from dynapages.django.tables import refuse_tables_that_differ
from dynapages.process import background_client
from dynapages.pynamodb import FAILURES

MOST_OFF = 60.0
"""Seconds by which the clock of a server may be off."""
TELEMETRY = "config.telemetry.sdk"
"""Imported only where OPENTELEMETRY is on: its packages are optional."""
ACTIVITY_LOG = "shop.activity.recording.LOG"
"""What is written in the background; imported when Django's apps are ready."""
CANNOT_LOAD = 4
"""gunicorn's exit code for an application that cannot be loaded: with others it would retry."""


def start_errors() -> list[CheckMessage]:
    """Return what keeps the process from serving; else have the first request begin its work.

    Not before: servers load the site in one process, and fork those that serve. A table that
    differs from its model keeps only the pages from being served that need it.
    """
    errors = _clock_errors()
    if not errors:
        refuse_tables_that_differ()
        if settings.OPENTELEMETRY:
            import_module(TELEMETRY)  # a second's work, of which all processes have the memory
        request_started.connect(_begin)
    return errors


def _begin(**_: object) -> None:
    """Begin what a serving process does in the background, with its first request."""
    request_started.disconnect(_begin)
    log = import_string(ACTIVITY_LOG)
    log.resume()
    if settings.OPENTELEMETRY:
        import_module(TELEMETRY).start({"activity log": log})


def _clock_errors() -> list[CheckMessage]:
    """Return an error where this machine's clock is so wrong that Amazon would refuse calls."""
    # One call, whose answer has the time; without an answer nothing is known.
    table = import_string(settings.DYNAMODB_MODELS[0]).Meta.table_name
    with suppress(*FAILURES):
        background_client().describe_table(TableName=table)
    if clock.process_clock.off <= MOST_OFF:
        return []
    hint = "Set it, as by NTP; Amazon refuses calls at a wrong time."
    return [Error(clock.process_clock.sentence(), hint=hint, id="config.clock")]


def exit_on_errors() -> None:
    """Exit with a line for each error of the settings, or else of the start; do nothing without."""
    errors = [message for message in run_checks() if message.is_serious()]
    if not errors:
        errors = start_errors()
    for error in errors:
        sys.stderr.write(f"{error.id}: {error.msg} {error.hint or ''}\n")
    if errors:
        raise SystemExit(CANNOT_LOAD)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
site = get_wsgi_application()
exit_on_errors()
# A body is read in a slot, so that slow senders leave threads to others.
application = WithoutBodies(Shedding(UnreadBodies(ChunkedBodies(site))))
