"""Failures of commands, as one line each."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from dynamo.calls.faults import FAILURES, EngineTooOld, fault_in, sentence_about


@contextmanager
def failures_in_one_line() -> Iterator[None]:
    """Raise a CommandError of one line for a failed call, or an error of this project."""
    try:
        yield
    except FAILURES as error:
        raise CommandError(sentence_about(error)) from error


def sentence_to_go_on(failure: BaseException) -> str:
    """Return what went wrong; and to run the command again, except where that would not help."""
    if isinstance(fault_in(failure), EngineTooOld):
        return sentence_about(failure)
    return f"{sentence_about(failure)} Run the same command again to go on."
