"""The filter of the activity log in URLs."""

from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from shop.activity.entries import Kind


class BadActivityFilter(ValueError):
    """There is no such kind; the text says which there are."""


def parse_kinds(values: Iterable[str]) -> tuple[Kind, ...]:
    """Parse a set of kinds, () for all of them. Raises BadActivityFilter."""
    chosen = {value for value in values if value}
    if unknown := sorted(chosen - set(Kind)):
        allowed = ", ".join(kind.value for kind in Kind)
        sentence = _("There is no kind “%(kind)s”: choose from %(allowed)s.")
        raise BadActivityFilter(sentence % {"kind": unknown[0], "allowed": allowed})
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds


def toggled(chosen: Sequence[Kind], kind: Kind) -> tuple[Kind, ...]:
    """Add or remove one kind; return () for all of them."""
    changed = {*chosen} ^ {kind}
    kinds = tuple(one for one in Kind if one in changed)
    return () if kinds == tuple(Kind) else kinds
