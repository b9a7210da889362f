"""Numbers in sentences, as the language of the visitor writes them."""

from django.utils.formats import number_format


def grouped(number: float, *, places: int | None = None) -> str:
    """Return a number with its thousands grouped, such as ``2,500`` or, in German, ``2.500``.

    ``places`` is the number of decimal places; None for as many as it has, six digits at most.
    """
    shown = f"{number:.{places}f}" if places is not None else f"{number:.6g}"
    if isinstance(number, int):
        shown = str(number)
    return number_format(shown, decimal_pos=places, use_l10n=True, force_grouping=True)
