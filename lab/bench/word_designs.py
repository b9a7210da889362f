"""What a search by words would cost in other designs, computed from the comments of a language.

Each reads a page of the newest comments that have all stems, as the site does from its postings:

- ``thin``: postings of keys alone. Those of each word are read in turns, from where the other one
  has gone to (leapfrog), and the entries of what is found by their keys.
- ``segments``: items with the keys of many comments of a word, rewritten for each comment.
- ``filter``: the list of the language, whose entries a FilterExpression keeps or drops.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

from dynapages.items import BLOCK, UNITS_PER_BLOCK, blocks_of

THIN, SEGMENTS, FILTER = "thin", "segments", "filter"
THIN_BYTES = 120
"""Of a posting without an entry: its two keys."""
PLACE_BYTES = 70
"""Of a comment in a segment."""
WRITE_BLOCK = 1_024
A_MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class WordCost:
    """Capacity units and serial rounds of a page of a search."""

    capacity_units: float
    rounds: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A comment as designs store it: its stems, and the bytes of its list entry without them."""

    stems: frozenset[str]
    entry_bytes: int


@dataclass(frozen=True)
class OtherDesigns:
    """The comments of a language, newest first, and what searches of ``size`` of them cost."""

    comments: Sequence[Listed]
    size: int
    _having: Mapping[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for number, one in enumerate(self.comments):
            for stem in one.stems:
                self._having[stem].append(number)

    def costs(self, stems: Collection[str]) -> dict[str, WordCost]:
        """Return the cost of the first page of a search in each design."""
        return {
            THIN: self._leapfrog(stems, step=BLOCK // THIN_BYTES),
            SEGMENTS: self._leapfrog(stems, step=BLOCK // PLACE_BYTES),
            FILTER: self._filtered(stems),
        }

    def written(self) -> dict[str, float]:
        """Return the units of writing a comment's words at the mean: the entry is there anyway."""
        stems = sum(len(one.stems) for one in self.comments) / (len(self.comments) or 1)
        half_full = ceil(BLOCK / 2 / WRITE_BLOCK)
        return {THIN: stems, SEGMENTS: stems * half_full, FILTER: 0.0}

    def _leapfrog(self, stems: Collection[str], *, step: int) -> WordCost:
        """Read ``step`` keys of each word at a time, from where the furthest has gone to."""
        lists = [self._having[stem] for stem in stems]
        known: list[list[int]] = [[] for _ in lists]
        reach: list[float] = [-1.0] * len(lists)
        found: list[int] = []
        units, rounds, settled, since = 0.0, 0, -1.0, -1.0
        while len(found) <= self.size and settled < inf and since < inf:
            rounds += 1
            for at in [at for at, end in enumerate(reach) if end <= settled]:
                read = lists[at][bisect_right(lists[at], since) :][:step]
                units += UNITS_PER_BLOCK
                known[at] = read
                reach[at] = read[-1] if len(read) == step else inf
            nearest = min(reach)
            both = set.intersection(*({*some} for some in known))
            found += sorted(n for n in both if settled < n <= nearest)
            settled = nearest
            ahead = [next((n for n in some if n > settled), inf) for some in known]
            # Those that go on need nothing before what the others have next.
            held = [one - 1 for one, end in zip(ahead, reach, strict=True) if end > settled]
            since = max([settled, *held])
        entries = [self.comments[n].entry_bytes for n in found[: self.size]]
        units += sum(blocks_of(size) * UNITS_PER_BLOCK for size in entries)
        return WordCost(units, rounds + bool(found))

    def _filtered(self, stems: Collection[str]) -> WordCost:
        wanted, size, found = {*stems}, 0, 0
        for one in self.comments:
            size += one.entry_bytes
            found += wanted <= one.stems
            if found > self.size:
                break
        return WordCost(blocks_of(size) * UNITS_PER_BLOCK, ceil(size / A_MEGABYTE))
