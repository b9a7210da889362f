"""Extents: which part of its list a page is, in words."""

from django.utils.translation import gettext as _

from dynamo.lists.reader import Page, Toward
from dynamo.web.numbers import grouped


def extent_of(page: Page, total: int | None, *, shown: int = 0) -> str:
    """Return the numbers of a page, such as ``about 41-60 of 812``; empty without entries.

    So many items that are ``shown`` already belong to it: in front of its own, or behind them where
    it was read back.

    Only the first page and the last are exact, because items are added and deleted in front of
    the others, or behind them. A ``total`` that the page refutes is not shown. Where the numbers
    are not known, only the ``total`` is told; without a total, how many are shown.
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
