"""A check of sharded counters: they are compared with what they count, and corrected."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from dynapages.items import Item
from dynapages.upkeep.integrity import (
    Candidate,
    Difference,
    Handlers,
    Key,
    Show,
    Write,
    compare,
)
from dynapages.writes.counters import Counters, shards_in
from dynapages.writes.transactions import Action, ConditionFailed

CellsByName = defaultdict[str, Counter[str]]
"""The cells of counters, by the names of these."""


def _cells_by_name() -> CellsByName:
    return defaultdict(Counter)


@dataclass(slots=True)
class Sums:
    """Sharded counters, each the sums of the items that it counts.

    ``shards`` is how the keys of their shards begin, ``items`` those of counted items, of which
    ``cells`` returns names and cells of counters. ``count`` counts again, strongly; where it is
    None the Scan is right as long as the counter stays as it was. Where ``exists`` returns False, a
    counter is passed over. ``extra_actions`` builds what a correction writes besides the counter,
    ``after_correction`` is called behind it.
    """

    shards: Key
    name_in: Callable[[Item], str]
    items: Key
    cells: Callable[[Item], Iterable[tuple[str, str]]]
    counters: Callable[[str], Counters]
    subject: Callable[[str], str]
    spread_subject: Callable[[str], str]
    write: Write
    count: Callable[[str], Mapping[str, int]] | None = None
    kind: str = "counts"
    show: Show = "{} {}".format
    exists: Callable[[str], bool] | None = None
    extra_actions: Callable[[str], Sequence[Action]] | None = None
    after_correction: Callable[[str], object] | None = None
    stored: CellsByName = field(init=False, default_factory=_cells_by_name)
    counted: CellsByName = field(init=False, default_factory=_cells_by_name)
    spread: list[Difference] = field(init=False, default_factory=list)

    def handlers(self) -> Handlers:
        return {self.shards: self.add_shard, self.items: self.add_item}

    def add_shard(self, item: Item) -> None:
        """Add a shard of a counter; the first one has their number, which may be too high."""
        name = self.name_in(item)
        counters = self.counters(name)
        self.stored[name].update(counters.cells_in(item))
        number, least = shards_in(item), counters.least_shards
        if number > least:
            self.spread.append(
                Difference(
                    "shards",
                    self.spread_subject(name),
                    str(number),
                    str(least),
                    partial(counters.fold, name),
                    is_hint=True,
                )
            )

    def add_item(self, item: Item) -> None:
        """Count an item."""
        for name, cell in self.cells(item):
            self.counted[name][cell] += 1

    def candidates(self) -> Iterator[Candidate]:
        """Yield the counters that are not as they were counted, and then those to be folded."""
        for name in sorted(self.stored.keys() | self.counted.keys()):
            scanned = list(self._compare(name, self.stored[name], self.counted[name]))
            if not scanned or (self.exists is not None and not self.exists(name)):
                continue
            yield Candidate(partial(self._reread, name), scanned if self.count else None)
        if self.spread:
            yield Candidate(self._spread_counters)

    def _spread_counters(self) -> Sequence[Difference]:
        return self.spread

    def _reread(self, name: str) -> Iterable[Difference]:
        """Compare a counter with what is counted, if it is the same before and after the count."""
        before: Mapping[str, int] = self.counters(name).read(name, consistent=True)
        if self.count is None:
            # Nothing can be counted again cheaply: the Scan holds if the counter did not move.
            counted: Mapping[str, int] = self.counted[name]
            after: Mapping[str, int] = self.stored[name]
        else:
            counted = self.count(name)
            after = self.counters(name).read(name, consistent=True)
        if any(compare("", "", before, after, missing=0)):
            return [Difference.busy(self.kind, self.subject(name))]
        return self._compare(name, before, counted)

    def _compare(
        self, name: str, stored: Mapping[str, int], counted: Mapping[str, int]
    ) -> Iterator[Difference]:
        """Compare a counter's cells with what was counted; their repair corrects them."""
        return compare(
            self.kind,
            self.subject(name),
            stored,
            counted,
            repair=partial(self._correct, name, stored),
            show=self.show,
            missing=0,
        )

    def _correct(self, name: str, seen: Mapping[str, int], cells: Mapping[str, int]) -> None:
        """Set a counter's cells unless it is not as ``seen`` any more. Raises ConditionFailed."""
        # Built first: they fail if a shard is changed between this read and the write.
        actions = self.counters(name).set_sums(name, cells)
        if self.counters(name).read(name, consistent=True) != seen:
            raise ConditionFailed({})
        if actions:
            extra = self.extra_actions(name) if self.extra_actions is not None else ()
            self.write([*actions, *extra])
        if self.after_correction is not None:
            self.after_correction(name)
