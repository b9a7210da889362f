"""Options that several commands have, and errors of the database as those of a command."""

import gettext
from argparse import ArgumentTypeError
from calendar import month_name
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import django
from django.core.management.base import CommandError

from dynapages.calls.faults import FAILURES, EngineTooOld, fault_in, sentence_about
from dynapages.errors import DynamoError
from shop.data.files.records import FormatUnknown


def at_least_one(text: str) -> int:
    """Parse a whole number of at least 1, as a ``type`` for ``add_argument``."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    if number < 1:
        message = f"“{text}” is not a whole number of at least 1"
        raise ArgumentTypeError(message)
    return number


_LOCALES = Path(django.__file__).parent / "conf" / "locale"
"""Django's translations, which have the names of months in a hundred languages."""
_MONTHS = tuple(month_name[1:])
_SHORT_MONTHS = (
    *("Jan.", "Feb.", "March", "April", "May", "June"),
    *("July", "Aug.", "Sept.", "Oct.", "Nov.", "Dec."),
)
"""As Django spells what it has translations of."""


def month_names(locale: str) -> Mapping[str, int]:
    """Return the numbers of months by their names in a language, in lower case, without dots.

    Raises FormatUnknown for a language that Django has no translation to.
    """
    try:
        found = gettext.translation("django", _LOCALES, languages=[locale.replace("-", "_")])
    except OSError as error:
        raise FormatUnknown(f"“{locale}” is no language of dates: use one such as es.") from error
    names: dict[str, int] = {}
    for number, (long, short) in enumerate(zip(_MONTHS, _SHORT_MONTHS, strict=True), 1):
        for name in (
            found.gettext(long),
            found.gettext(long[:3].lower()),
            found.pgettext("abbrev. month", short),
            found.pgettext("alt. month", long),
        ):
            names[name.lower().rstrip(".")] = number
    return names


@contextmanager
def failures_in_one_line() -> Iterator[None]:
    """Raise a CommandError of one line for a failed call, or an error of this project."""
    try:
        yield
    except FAILURES as error:
        raise CommandError(sentence_about(error)) from error


def sentence_to_go_on(failure: BaseException) -> str:
    """Return what went wrong; and to run the command again, except where that would not help.

    It would not where the engine refuses the call for what it is, as one without transactions does.
    """
    fault = fault_in(failure)
    is_refused = fault is None and not isinstance(failure, DynamoError)
    if is_refused or isinstance(fault, EngineTooOld):
        return sentence_about(failure)
    return f"{sentence_about(failure)} Run the same command again to go on."
