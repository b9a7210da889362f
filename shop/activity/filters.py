"""What the activity log is narrowed to, as a value and in URLs."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from shop.activity.entries import Kind
from shop.days import ALL_DAYS, BadListFilter, Days


@dataclass(frozen=True, slots=True)
class ActivityFilter:
    """Kinds of entries, () for all of them, of some UTC days."""

    kinds: tuple[Kind, ...] = ()
    days: Days = ALL_DAYS

    @classmethod
    def parse(cls, *, kinds: Iterable[str], since: str, until: str) -> Self:
        """Parse a URL's values. Raises BadListFilter."""
        chosen = {value for value in kinds if value}
        if unknown := sorted(chosen - set(Kind)):
            allowed = ", ".join(kind.value for kind in Kind)
            sentence = _("There is no kind “%(kind)s”: choose from %(allowed)s.")
            raise BadListFilter(sentence % {"kind": unknown[0], "allowed": allowed})
        return cls(_in_order(chosen), Days.parse(since, until))

    @property
    def kind_pairs(self) -> list[tuple[str, str]]:
        """The names and values of the query without its days."""
        return [("kind", kind.value) for kind in self.kinds]

    @property
    def query(self) -> str:
        """The canonical query of the filter's URL."""
        return urlencode(self.kind_pairs + self.days.pairs)

    def toggle(self, kind: Kind) -> Self:
        """Add or remove a kind."""
        return replace(self, kinds=_in_order({*self.kinds} ^ {kind}))

    def of_any_kind(self) -> Self:
        return replace(self, kinds=())

    def on_any_day(self) -> Self:
        return replace(self, days=ALL_DAYS)


def _in_order(chosen: Collection[str]) -> tuple[Kind, ...]:
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds
