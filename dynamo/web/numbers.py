"""Numbers in a visitor's language, and what a page shows of its list: “21 to 40 of 1,234”."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from dynamo.lists.explain import CENT, HALF_UP, decimal_places, is_under_a_cent
from dynamo.lists.reader import Page, Toward


def grouped(number: float, *, places: int | None = None) -> str:
    """Return a number with its thousands grouped, such as ``2,500`` or, in German, ``2.500``.

    ``places`` is the number of decimal places; None for as many as it has, six digits at most.
    """
    shown = f"{number:.{places}f}" if places is not None else f"{number:.6g}"
    if isinstance(number, int):
        shown = str(number)
    return number_format(shown, decimal_pos=places, use_l10n=True, force_grouping=True)


def in_dollars(amount: float) -> str:
    """Return what `dynamo.lists.explain.dollars` does, as the visitor's language writes it."""
    if is_under_a_cent(amount):
        return _("under $%(amount)s") % {"amount": grouped(CENT, places=2)}
    shown = grouped(amount + HALF_UP, places=decimal_places(amount))
    return _("$%(amount)s") % {"amount": shown}


def plural_of(number: float) -> int:
    """Return the whole number whose plural form a number takes: gettext refuses others."""
    return int(number) if number == int(number) else 2


def extent_of(page: Page, total: int | None, *, shown: int = 0) -> str:
    """Return the numbers of a page, such as ``about 41-60 of 812``; empty without entries.

    So many items that are ``shown`` already belong to it, in front or, read back, behind. Only the
    first page and the last are exact, because items are added and deleted around the others. A
    ``total`` that the page refutes is not shown. Where the numbers are not known, only the
    ``total`` is told; without a total, how many are shown.
    """
    count = len(page.entries)
    if not count:
        return ""
    first, last = (page.entries[at].position.ordinal for at in (0, -1))
    count += shown
    has_next = page.has_next
    if first is None or last is None:
        if total is None:
            return _shown(count)
        return _("%(total)s in all") % {"total": grouped(max(total, count))}
    if page.toward is Toward.NEXT:
        first -= shown
    elif shown:
        last, has_next = last + shown, False  # it led on to those that are shown
    is_end = last == -1 and not has_next
    if last < 0:
        if total is None:
            if is_end:
                return _("the last %(count)s") % {"count": grouped(count)}
            return _shown(count)
        total = max(total, -first)
        first, last = total + 1 + first, total + 1 + last
    spelled = _spelled(is_exact=first == 1 or is_end, is_open=has_next and (total or 0) <= last)
    return spelled % {
        "first": grouped(first),
        "last": grouped(last),
        "total": grouped(max(total or 0, last)),
    }


def _spelled(*, is_exact: bool, is_open: bool) -> str:
    if is_open:
        if is_exact:
            return _("%(first)s–%(last)s of more than %(total)s")  # noqa: RUF001
        return _("about %(first)s–%(last)s of more than %(total)s")  # noqa: RUF001
    if is_exact:
        return _("%(first)s–%(last)s of %(total)s")  # noqa: RUF001
    return _("about %(first)s–%(last)s of %(total)s")  # noqa: RUF001


def _shown(count: int) -> str:
    return _("%(count)s shown") % {"count": grouped(count)}
