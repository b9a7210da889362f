"""Numbers in sentences, as the language of the visitor writes them."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dynamo.prices import CENT, HALF_UP, decimal_places, is_under_a_cent


def grouped(number: float, *, places: int | None = None) -> str:
    """Return a number with its thousands grouped, such as ``2,500`` or, in German, ``2.500``.

    ``places`` is the number of decimal places; None for as many as it has, six digits at most.
    """
    shown = f"{number:.{places}f}" if places is not None else f"{number:.6g}"
    if isinstance(number, int):
        shown = str(number)
    return number_format(shown, decimal_pos=places, use_l10n=True, force_grouping=True)


def in_dollars(amount: float) -> str:
    """Return what `dynamo.prices.dollars` does, as the visitor's language writes it."""
    if is_under_a_cent(amount):
        return _("under $%(amount)s") % {"amount": grouped(CENT, places=2)}
    shown = grouped(amount + HALF_UP, places=decimal_places(amount))
    return _("$%(amount)s") % {"amount": shown}


def plural_of(number: float) -> int:
    """Return the whole number whose plural form a number takes: gettext refuses others."""
    return int(number) if number == int(number) else 2
