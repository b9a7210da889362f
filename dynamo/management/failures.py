"""Failures of commands, as one line each."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.management.base import CommandError

from dynamo.calls.faults import FAILURES, sentence_about


@contextmanager
def failures_in_one_line() -> Iterator[None]:
    """Raise a CommandError of one line for a failed call, or an error of this project."""
    try:
        yield
    except FAILURES as error:
        raise CommandError(sentence_about(error)) from error
