"""``manage.py work``: does what is owed, in a process of its own."""

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from threading import Event
from typing import Any

from django.core.management.base import CommandError, CommandParser

from dynapages.calls import Units
from dynapages.django.options import at_least_one, failures_in_one_line
from dynapages.django.tables import TableCommand
from dynapages.django.work import queues
from dynapages.work import INTERVAL, Queue, Worker
from dynapages.work.queues import LEASE
from dynapages.work.workers import Figures

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Command(TableCommand):
    """Looks in the queues of ``WORK_QUEUES`` once a minute."""

    is_patient = False
    help = (
        "Do what is owed, such as e-mails, and what follows from changes and was not finished by "
        "its own process: once a minute, until it is interrupted; then it finishes what it has "
        "begun. With --once it does what is due, and ends. May be stopped, killed and started "
        "again at any moment, and run more than once at a time, also beside web processes, which "
        "do the same unless WORK_IN_WEB is 0."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--once", action="store_true", help="end when nothing is due")
        parser.add_argument(
            "--every",
            type=at_least_one,
            default=int(INTERVAL),
            metavar="SECONDS",
            help=f"time from one look to the next (default: {INTERVAL:g})",
        )
        parser.add_argument("--json", action="store_true", help="print the figures as JSON")

    def handle(self, **options: Any) -> None:
        queues_here = queues()
        if not queues_here:
            raise CommandError("Nothing is owed here: the setting WORK_QUEUES is empty.")
        worker = Worker(interval=options["every"])
        with _stopped_by_signals(worker) as stopped:
            if options["once"]:
                _do_what_is_due(worker, queues_here, stopped)
            else:
                if options["verbosity"] and not options["json"]:
                    self.stdout.write(f"Looking every {options['every']} seconds for what is due.")
                worker.start(queues_here)
                stopped.wait()
                worker.close(seconds=LEASE.total_seconds())
        if options["json"]:
            self.stdout.write(json.dumps(asdict(worker.figures)))
        else:
            self.stdout.write(_prose(worker.figures))


def _do_what_is_due(worker: Worker, queues_here: list[Queue], stopped: Event) -> None:
    """Look until a look has done nothing: what is done may owe something else."""
    with failures_in_one_line():
        while not stopped.is_set():
            looked = worker.look(queues_here)
            if not (looked.done or looked.failed or looked.dead):
                break


@contextmanager
def _stopped_by_signals(worker: Worker) -> Iterator[Event]:
    """Yield an event that SIGTERM and Ctrl-C set; the worker then finishes what it has in hand."""
    stopped = Event()

    def stop(*_: object) -> None:
        worker.stop_looking()
        stopped.set()

    handlers_before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield stopped
    finally:
        for number, handler in handlers_before.items():
            signal.signal(number, handler)


def _prose(figures: Figures) -> str:
    """Return the figures of the work done as a sentence."""
    return (
        f"{figures.done:,} done, {figures.failed:,} failed and put off, {figures.dead:,} given up, "
        f"{Units(figures.units, figures.amazon_units)}"
    )
