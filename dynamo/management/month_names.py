"""The names of months in a hundred languages, by Django's translations."""

import gettext
from calendar import month_name
from collections.abc import Mapping
from pathlib import Path

import django

from dynamo.files.moments import FormatUnknown

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
