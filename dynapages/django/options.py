"""Options of several commands, their progress, and errors of the database as those of a command."""

import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Self

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynapages.calls.faults import FAILURES, EngineTooOld, fault_in
from dynapages.django.advice import sentence_with_advice
from dynapages.errors import DynamoError
from dynapages.tables import TableDiffers

INTERRUPTED = 130
SECONDS_OF_PROGRESS = 5.0
"""Between two lines of progress, where there is no terminal."""
SECONDS_OF_MANY_LINES = 60.0
"""How long a step has so many lines; then one every SECONDS_OF_LATER_PROGRESS."""
SECONDS_OF_LATER_PROGRESS = 60.0
_MINUTE = 60
_HOUR = 60 * _MINUTE
_FEW = 2
"""Of a unit of time: fewer are given in the next smaller one."""
GO_ON = "Run the same command again to go on."


def at_least_one(text: str) -> int:
    """Parse a whole number of at least 1, as a ``type`` for ``add_argument``."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        raise ArgumentTypeError(f"“{text}” is not a whole number of at least 1")
    return number


def add_at_a_time_option(parser: CommandParser) -> None:
    """Add ``--at-a-time``, which a `dynapages.django.tables.TableCommand` heeds."""
    parser.add_argument(
        "--at-a-time",
        type=at_least_one,
        metavar="N",
        help="calls to the database at a time, at the most (16); it makes fewer while the database "
        "is slow; your own moto bears 1",
    )


@contextmanager
def failures_in_one_line() -> Iterator[None]:
    """Raise a CommandError of one line for a failed call, or an error of the library."""
    try:
        yield
    except FAILURES as error:
        raise CommandError(sentence_with_advice(error)) from error


@contextmanager
def interruptible(command: BaseCommand, then: str = GO_ON) -> Iterator[None]:
    """Have Ctrl-C end a command with a line that says what to do ``then``, and exit code 130."""
    try:
        yield
    except KeyboardInterrupt:
        command.stderr.write(f"Interrupted. {then}".strip())
        sys.exit(INTERRUPTED)


def sentence_to_go_on(failure: BaseException) -> str:
    """Return what went wrong; and to run the command again, except where that would not help.

    It would not where the engine refuses the call for what it is, as one without transactions does.
    """
    fault = fault_in(failure)
    # A call that the engine refuses for what it is will be refused again.
    is_refused = fault is None and not isinstance(failure, DynamoError)
    if is_refused or isinstance(fault, EngineTooOld | TableDiffers):
        return sentence_with_advice(failure)
    return f"{sentence_with_advice(failure)} {GO_ON}"


def say(command: BaseCommand, line: str) -> None:
    """Write a line to a command's stderr, above a bar of `Progress` if there is one."""
    if sys.stderr.isatty():
        _write_above_a_bar(line)
    else:
        command.stderr.write(line)


def _write_above_a_bar(line: str) -> None:
    from tqdm import tqdm  # noqa: PLC0415 - only some commands need it

    tqdm.write(line, file=sys.stderr)


def time_in_words(seconds: float) -> str:
    """Return a time in seconds, minutes or hours, whichever has few of them."""
    if seconds < _FEW * _MINUTE:
        return f"{seconds:.0f} seconds"
    if seconds < _FEW * _HOUR:
        return f"{seconds / _MINUTE:.0f} minutes"
    return f"{seconds / _HOUR:.0f} hours"


Advance = Callable[[int], object]


class Progress:
    """Shows the progress of each step of a command on stderr: as a bar, where that is a terminal.

    Elsewhere a step that lasts has a line every few seconds.
    """

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown
        self._is_terminal = sys.stderr.isatty()

    def say(self, line: str) -> None:
        """Write a line, above the bar of a step if there is one."""
        if not self._shown:
            return
        if self._is_terminal:
            _write_above_a_bar(line)
        else:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()

    @contextmanager
    def step(self, label: str, *, total: int, unit: str) -> Iterator[Advance]:
        """Yield a function to call with the number of units done since its last call."""
        if self._shown and not self._is_terminal:
            with ProgressLines(label, total, unit) as lines:
                yield lines.advance
            return
        from tqdm import tqdm  # noqa: PLC0415 - only some commands need it

        with tqdm(
            desc=label,
            total=total,
            unit=unit,
            unit_scale=True,
            disable=not self._shown,
            file=sys.stderr,
        ) as bar:
            yield bar.update


class ProgressLines:
    """Writes how many units are done to stderr, every few seconds while a ``with`` block runs."""

    def __init__(self, label: str, total: int, unit: str) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._done = 0
        self._ended = Event()
        # A thread of its own: a step that waits for the database must not look dead.
        self._thread = Thread(target=self._write_lines, daemon=True)

    def advance(self, number: int) -> None:
        """Count units that are done."""
        self._done += number

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _write_lines(self) -> None:
        begin = time.monotonic()
        pause = SECONDS_OF_PROGRESS
        while not self._ended.wait(pause):
            seconds = time.monotonic() - begin
            # A log of hours needs fewer of them.
            if seconds > SECONDS_OF_MANY_LINES:
                pause = SECONDS_OF_LATER_PROGRESS
            progress = f"{self._done:,} of {self._total:,}{self._unit}"
            left = ""
            if 0 < self._done < self._total:
                rest = seconds * (self._total - self._done) / self._done
                left = f", about {time_in_words(rest)} left"
            sys.stderr.write(f"  {self._label}: {progress}, {seconds:.0f} s{left}\n")
            sys.stderr.flush()
