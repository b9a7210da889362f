"""The filter of the activity log in URLs."""

from collections.abc import Iterable, Sequence

from shop.activity.entries import Kind


class BadActivityFilter(ValueError):
    """There is no such kind; the text says which there are."""


def parse_kinds(values: Iterable[str]) -> tuple[Kind, ...]:
    """Parse a set of kinds, () for all of them. Raises BadActivityFilter."""
    chosen = {value for value in values if value}
    if unknown := sorted(chosen - set(Kind)):
        allowed = ", ".join(kind.value for kind in Kind)
        raise BadActivityFilter(f"There is no kind “{unknown[0]}” here: choose among {allowed}.")
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds


def toggled(chosen: Sequence[Kind], kind: Kind) -> tuple[Kind, ...]:
    """Add or remove one kind; return () for all of them."""
    changed = {*chosen} ^ {kind}
    kinds = tuple(one for one in Kind if one in changed)
    return () if kinds == tuple(Kind) else kinds
