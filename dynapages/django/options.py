"""Options of several commands, their progress, and errors of the database as those of a command."""

import sys
from argparse import ArgumentTypeError
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.core.management.base import BaseCommand, CommandError, CommandParser

from dynapages.calls.faults import FAILURES, EngineTooOld, fault_in, sentence_about
from dynapages.errors import DynamoError
from dynapages.tables import TableDiffers

INTERRUPTED = 130
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
        raise CommandError(sentence_about(error)) from error


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
        return sentence_about(failure)
    return f"{sentence_about(failure)} {GO_ON}"


def say(command: BaseCommand, line: str) -> None:
    """Write a line to a command's stderr, above a bar of `Progress` if there is one."""
    if not sys.stderr.isatty():
        command.stderr.write(line)
        return
    from tqdm import tqdm  # noqa: PLC0415 - only some commands need it

    tqdm.write(line, file=sys.stderr)


Advance = Callable[[int], object]


class Progress:
    """Shows the progress of each step of a command, on stderr if that is a terminal."""

    def __init__(self, *, shown: bool = True) -> None:
        self._shown = shown and sys.stderr.isatty()

    @contextmanager
    def step(self, label: str, *, total: int, unit: str) -> Iterator[Advance]:
        """Yield a function to call with the number of units done since its last call."""
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
