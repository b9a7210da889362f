"""What the activity log is narrowed to, as a URL spells it."""

from collections.abc import Iterable, Sequence

from shop.activity.entries import Kind


class BadActivityFilter(ValueError):
    """The URL names a kind that there is not; the text says what is allowed."""


def parse_kinds(values: Iterable[str]) -> tuple[Kind, ...]:
    """Read a set of kinds; all of them narrow nothing. Raises BadActivityFilter."""
    chosen = {value for value in values if value}
    if unknown := sorted(chosen - set(Kind)):
        allowed = ", ".join(kind.value for kind in Kind)
        raise BadActivityFilter(f"There is no kind “{unknown[0]}” here: choose among {allowed}.")
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds


def toggled(chosen: Sequence[Kind], kind: Kind) -> tuple[Kind, ...]:
    """Add or remove one kind; of all of them, none is left out."""
    changed = {*chosen} ^ {kind}
    kinds = tuple(one for one in Kind if one in changed)
    return () if kinds == tuple(Kind) else kinds
