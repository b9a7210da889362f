"""What throttles a large shop first, what helps, and what that costs.

Its requests are those of the sample shop: a product of a lower rank asks for the partitions of the
measured product under names of its own. Remedies are tried in turn: caches at the edge, then as
many partitions in the place of a hot one as its busiest second needs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from dynapages.django.access import SHARED_SECONDS
from dynapages.lists import prices
from lab.scale.limits import Limits, Partition
from lab.scale.proxy import READS, Use
from lab.scale.simulation import DAY, Arrivals, Model, Outcome, Traffic, day, draw, zipf
from lab.scale.visits import KINDS, SHARD, Call, Calls, Kind, Measured, family_of

PRODUCTS, APART = 1_000_000, 400
"""Of the shop, and those whose partitions are apart; no partition of the others is hot."""
TAILS = 4
CACHES = 13
"""Regional caches of CloudFront, each of which asks the site for a page every 30 seconds."""
SIGNED_IN = 0.1
"""The share of visitors whose pages no shared cache may keep."""
MARGIN = 1.25
ROUNDS = 4
"""How often the partitions that are still hot are spread further."""
EDGE_REQUEST = 0.01 / 10_000
"""Dollars of a request that CloudFront answers (HTTPS, United States), without its bytes."""
MONTH = 30 * DAY


@dataclass(frozen=True, slots=True)
class Remedy:
    """What helps a partition whose description matches; those that are built name their setting.

    It is dear where all shards are read, or all copies written, each time.
    """

    pattern: str
    words: str
    is_dear: bool = True


REMEDIES = (
    Remedy(r"^writes of (COUNTS#OPEN|OPEN#)", "shards of the queue (`ORDER_SHARDS`)"),
    Remedy(r"^writes of COUNTS#", "shards of a counter (`COUNTER_SHARDS`)"),
    Remedy(r"^writes .* in activity", "shards of the log (`ACTIVITY_SHARDS`)"),
    Remedy(r"^writes of (COMMENT|TALLY)#", "votes gathered", is_dear=False),
    Remedy(r"^writes of RANK#", "ranks stored once a second", is_dear=False),
    Remedy(r"^writes .* in comments\.", "shards of a list"),
    Remedy(r"^reads of SHARDS#", "numbers of shards remembered", is_dear=False),
    Remedy(r"^reads .* in \S+\.\w+", "copies of a list"),
    Remedy(r"^reads ", "copies of an item"),
    Remedy(r"", "other writes spread"),
)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of the measured product, its category and comment in keys; tables' prefix."""

    product: str
    category: str
    comment: str
    prefix: str

    def of_rank(self, key: str, rank: int) -> str:
        """Return a key as a product of another rank has it."""
        for name in (self.product, self.category, self.comment):
            key = key.replace(name, f"{name}~{rank}" if rank else name)
        return key

    def is_in(self, key: str) -> bool:
        return any(name in key for name in (self.product, self.category, self.comment))

    def in_words(self, partition: Partition) -> str:
        """Describe a partition with placeholders in its key."""
        key = partition.key
        for name, placeholder in (
            (self.product, "<product>"),
            (self.category, "<category>"),
            (self.comment, "<comment>"),
        ):
            key = re.sub(rf"{re.escape(name)}(~\d+)?", placeholder, key)
        table = re.sub(r"^(activity)-.*", r"\1", partition.table.removeprefix(self.prefix))
        return str(partition._replace(table=table, key=key))


@dataclass(frozen=True, slots=True)
class Forecast:
    """One kind of traffic at one rate: as it is, behind caches, and with all remedies.

    ``spread`` are the partitions that stand in the place of one. Dollars are those of a month.
    """

    traffic: Traffic
    bare: Outcome
    cached: Outcome
    remedied: Outcome
    spread: Mapping[Partition, int]
    dollars: float
    cached_dollars: float
    edge_dollars: float
    at_origin: Sequence[Arrivals]


def forecast(measured: Measured, names: Names, traffic: Traffic, *, seed: int) -> Forecast:
    """Simulate traffic without remedies, with caches, and with hot partitions spread as well."""
    bare = list(arrivals_of(measured, names, traffic, has_edge=False))
    cached = list(arrivals_of(measured, names, traffic, has_edge=True))
    spread: dict[Partition, int] = {}
    outcomes = [_run(one, traffic, measured.shards, seed=seed) for one in (bare, cached)]
    outcome = outcomes[1]
    for _ in range(ROUNDS if outcome.refused else 0):
        for partition, times in outcome.asked.items():
            if times * MARGIN > 1:
                spread[partition] = ceil(times * MARGIN * spread.get(partition, 1))
        stand_in = {p: measured.shards.get(p, 1) * n for p, n in spread.items()}
        outcome = _run(cached, traffic, {**measured.shards, **stand_in}, seed=seed)
        if not outcome.refused:
            break
    before, after = sum(one.share for one in bare), sum(one.share for one in cached)
    return Forecast(
        traffic,
        bare=outcomes[0],
        cached=outcomes[1],
        remedied=outcome,
        spread=spread,
        dollars=month_of(bare, traffic, {}),
        cached_dollars=month_of(cached, traffic, {}),
        edge_dollars=(before - after) * traffic.rate * _mean(traffic) * MONTH * EDGE_REQUEST,
        at_origin=cached,
    )


@dataclass(frozen=True, slots=True)
class Need:
    """A remedy: where it takes the most partitions, how many, and what it adds to a month."""

    where: str
    partitions: int
    dollars: float


def needs_of(forecasts: Sequence[Forecast], names: Names) -> dict[str, Need]:
    """Return the remedies that all traffic of one rate needs, by their words.

    The first forecast is of the steady traffic, whose price is told.
    """
    steady = forecasts[0]
    groups: dict[Remedy, dict[Partition, int]] = {}
    for one in forecasts:
        for partition, number in one.spread.items():
            group = groups.setdefault(remedy_for(names.in_words(partition)), {})
            group[partition] = max(number, group.get(partition, 0))
    found = {}
    for remedy, group in groups.items():
        most = max(group, key=lambda one: group[one])
        spread = group if remedy.is_dear else {}
        more = month_of(steady.at_origin, steady.traffic, spread) - steady.cached_dollars
        found[remedy.words] = Need(names.in_words(most), group[most], more)
    return found


def _run(
    arrivals: Sequence[Arrivals], traffic: Traffic, shards: Mapping[Partition, int], *, seed: int
) -> Outcome:
    model = Model(arrivals, Limits(), shards)
    return model.run(draw(traffic, arrivals, seed=seed), step=traffic.step)


def _mean(traffic: Traffic) -> float:
    return float(np.mean([day(hour * 3600) for hour in range(24)])) if traffic.seconds == DAY else 1


def month_of(
    arrivals: Sequence[Arrivals], traffic: Traffic, spread: Mapping[Partition, int]
) -> float:
    """Return what a month of requests costs: copies are all written, shards are all read."""
    reads = writes = 0.0
    for one in arrivals:
        for call in one.calls:
            is_read = call.operation in READS
            reads += one.share * call.units * is_read
            writes += one.share * call.units * (not is_read)
            for partition, units in call.uses:
                other = partition._replace(is_write=not partition.is_write)
                number = max(spread.get(other, 1), spread.get(family_of(other), 1))
                more = one.share * units * (number - 1)
                reads += 0 if partition.is_write else more
                writes += more if partition.is_write else 0
    times = traffic.rate * _mean(traffic) * MONTH
    return prices().reads(reads, times=times) + prices().writes(writes, times=times)


def arrivals_of(
    measured: Measured, names: Names, traffic: Traffic, *, has_edge: bool
) -> Iterator[Arrivals]:
    """Yield the requests of each kind about each product, and about all others together."""
    popular = zipf(PRODUCTS, among=PRODUCTS) * (1 - traffic.hot)
    popular[0] += traffic.hot
    members = _members(measured)
    for kind in KINDS.values():
        calls = measured.last(kind.name, names.product)
        shares = traffic.share(kind.name) * (popular if kind.of_product else np.ones(1))
        if has_edge and kind.urls:
            shares = _behind_the_edge(kind, shares, traffic.rate)
        for rank, share in enumerate(shares[:APART]):
            yield Arrivals(kind.name, rank, float(share), _renamed(calls, names, rank, members))
        for rank in range(TAILS if len(shares) > APART else 0):
            share = float(shares[APART:].sum()) / TAILS
            own = _renamed(calls, names, rank, members, only_shared=True)
            yield Arrivals(kind.name, APART + rank, share, own)


def _behind_the_edge(kind: Kind, shares: np.ndarray, rate: float) -> np.ndarray:
    most = kind.urls * CACHES / SHARED_SECONDS / rate
    return SIGNED_IN * shares + np.minimum((1 - SIGNED_IN) * shares, most)


def _members(measured: Measured) -> Mapping[Partition, int]:
    """Return how many shards each family has of which something was read or written."""
    calls = (c for samples in measured.samples.values() for one in samples for c in one)
    seen = {use.partition._replace(is_write=True) for call in calls for use in call.uses}
    families: dict[Partition, int] = {}
    for one in seen:
        if SHARD.search(one.key):
            families[family_of(one)] = families.get(family_of(one), 0) + 1
    return families


def _renamed(
    calls: Calls,
    names: Names,
    rank: int,
    members: Mapping[Partition, int],
    *,
    only_shared: bool = False,
) -> Calls:
    """Return calls about a product of another rank; of a shared list it is in another shard."""

    def renamed(use: Use) -> Use:
        partition = use.partition
        if names.is_in(partition.key):
            return Use(partition._replace(key=names.of_rank(partition.key, rank)), use.units)
        number = members.get(family_of(partition), 1)
        if partition.is_write and number > 1 and SHARD.search(partition.key):
            stem, _, shard = partition.key.rpartition("#")
            key = f"{stem}#{(int(shard) + rank) % number}"
            return Use(partition._replace(key=key), use.units)
        return use

    def kept(call: Call) -> Call:
        uses = (u for u in call.uses if not (only_shared and names.is_in(u.partition.key)))
        return replace(call, uses=tuple(map(renamed, uses)))

    return tuple(map(kept, calls))


def remedy_for(described: str) -> Remedy:
    """Return the remedy for a partition, described with the name of its table alone."""
    return next(one for one in REMEDIES if re.search(one.pattern, described))
