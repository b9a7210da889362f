"""What the activity log is narrowed to: as a value, and in URLs."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Self
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from dynapages.django.paging import Pager
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
        # Sorted, so that the sentence names the same one each time.
        unknown = sorted(chosen - set(Kind))
        if unknown:
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
        kinds = set(self.kinds)
        if kind in kinds:
            kinds.remove(kind)
        else:
            kinds.add(kind)
        return replace(self, kinds=_in_order(kinds))


def _in_order(chosen: Collection[str]) -> tuple[Kind, ...]:
    """Return kinds in the order of `Kind`, () for all of them."""
    kinds = tuple(kind for kind in Kind if kind in chosen)
    return () if kinds == tuple(Kind) else kinds


def activity_url(chosen: ActivityFilter, *, name: str = "activity") -> str:
    """Return the canonical URL of the filtered log, or of its CSV."""
    url = reverse(name)
    return f"{url}?{chosen.query}" if chosen.query else url


def activity_pager(chosen: ActivityFilter) -> Pager:
    """Return the pager of the log; its tokens are bound to the filter."""
    return Pager(
        first_url=activity_url(chosen),
        list_name=f"activity/{chosen.query}",
        shape={"kinds": len(chosen.kinds), "days": len(chosen.days.pairs)},
    )
