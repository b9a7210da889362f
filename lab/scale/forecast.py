"""What throttles a large shop first, what helps, and what that costs: arithmetic on measured units.

"Partitions and data distribution" and "Burst and adaptive capacity" of the Developer Guide: a
partition serves 3,000 read and 1,000 write units a second. Adaptive capacity isolates keys that are
asked for often, so that in the end a hot key has a partition of its own: here each key of a table
or index has one from the start.

A product of a lower rank asks for partitions of its own, as many units of each as the measured
product. Requests about products are spread over them by Zipf's law.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import ceil, log

from dynapages.django.access import SHARED_SECONDS
from dynapages.lists import dollars, prices
from lab.report import Section, Table
from lab.scale.partitions import Partition
from lab.scale.requests import KINDS, Kind, Measured

READ_LIMIT, WRITE_LIMIT = 3_000.0, 1_000.0
"""Units a second of a partition."""
TABLE_LIMIT = 40_000
"""Units a second that a table may use on demand until AWS raises it (Quotas)."""

RATES = (1_000, 100_000, 10_000_000)
"""Requests a second at the peak."""
PRODUCTS, HOT_RANKS = 1_000_000, 400
"""Of the shop, and those of which a partition may be hot."""
EULER = 0.5772156649
MEAN_OF_DAY = 0.6
"""The mean of a day, of which the peak is 1 in the evening, and the least 0.2 in the morning."""
MONTH_SECONDS = 30 * 24 * 3_600
MARGIN = 1.25
"""How much more partitions a remedy has than the busiest second needs."""

CACHES = 13
"""Regional caches of CloudFront, each of which asks the site again when a page is too old."""
SIGNED_IN = 0.1
"""The share of visitors whose pages no shared cache may keep."""
EDGE_REQUEST_DOLLARS = 0.01 / 10_000
"""Of a request that CloudFront answers (HTTPS, United States), without its bytes."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """A mix of requests.

    ``shares`` are those of kinds that have another share than usual, ``hot`` is the share of the
    requests about products that is about one.
    """

    name: str
    hot: float = 0.0
    shares: Mapping[str, float] = field(default_factory=dict)

    def share(self, kind: Kind) -> float:
        """Return a kind's share of all requests: those without one of their own divide the rest."""
        if kind.name in self.shares:
            return self.shares[kind.name]
        usual = 0.0
        for other in KINDS:
            if other.name not in self.shares:
                usual += other.share
        return kind.share / usual * (1 - sum(self.shares.values()))

    def product_share(self, rank: int) -> float:
        """Return the share of a product in the requests about products; the first rank is 0."""
        share = (1 - self.hot) / (rank + 1) / harmonic(PRODUCTS)
        if rank == 0:
            share += self.hot
        return share


STEADY = Traffic("steady")
FLASH_SALE = Traffic(
    "flash sale",
    hot=0.8,
    shares={"category": 0.5, "product page": 0.25, "basket": 0.05, "order": 0.06},
)
VIRAL_PRODUCT = Traffic(
    "viral product",
    hot=0.8,
    shares={"product page": 0.55, "filtered list": 0.15, "vote": 0.05, "post": 0.005},
)
TRAFFICS = (STEADY, FLASH_SALE, VIRAL_PRODUCT)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What helps partitions whose descriptions match; those that are built name their setting.

    It ``multiplies`` where all shards are read, or all copies written, each time.
    """

    pattern: str
    words: str
    multiplies: bool = True


REMEDIES = (
    Remedy(r"^writes of (COUNTS#OPEN|OPEN#)", "shards of the queue (`ORDER_SHARDS`)"),
    Remedy(r"^writes of COUNTS#", "shards of a counter (`COUNTER_SHARDS`)"),
    Remedy(r"^writes of DUE#", "shards of what is due", multiplies=False),
    Remedy(r"^writes of (COMMENT|TALLY)#", "votes gathered", multiplies=False),
    Remedy(r"^writes of RANK#", "ranks stored once a second", multiplies=False),
    Remedy(r"^writes .* in comments\.", "shards of a list"),
    Remedy(r"^reads of SHARDS#", "numbers of shards remembered", multiplies=False),
    Remedy(r"^reads .* in \S+\.\w+", "copies of a list"),
    Remedy(r"^reads ", "copies of an item"),
    Remedy(r"", "other writes spread"),
)


def harmonic(number: float) -> float:
    """Return about the sum of 1/n up to a number."""
    if number < 1:
        return 0.0
    return log(number) + EULER + 1 / (2 * number)


# What reaches the site.


@dataclass(frozen=True, slots=True)
class Load:
    """The requests of some traffic at a rate; ``has_caches`` is whether they are behind caches."""

    traffic: Traffic
    rate: float
    has_caches: bool

    def of_rank(self, kind: Kind, rank: int) -> float:
        """Return the requests a second of a kind about a product, or about none in particular."""
        share = self.traffic.product_share(rank) if kind.of_product else 1.0
        requests = self.rate * self.traffic.share(kind) * share
        if not self.has_caches or not kind.cached_urls:
            return requests
        passed_on = min((1 - SIGNED_IN) * requests, _most_passed_on(kind))
        return SIGNED_IN * requests + passed_on

    def of_all(self, kind: Kind) -> float:
        """Return the requests a second of a kind about all products."""
        if not kind.of_product:
            return self.of_rank(kind, 0)
        requests = self.rate * self.traffic.share(kind)
        if not self.has_caches or not kind.cached_urls:
            return requests
        # The products in front are asked for more often than caches pass on; the others are not.
        most = _most_passed_on(kind)
        first = self.of_rank(kind, 0)
        second = (1 - SIGNED_IN) * requests * self.traffic.product_share(1)
        capped = min(max(int(2 * second / most), 1), PRODUCTS)
        rest = (1 - self.traffic.hot) * (1 - harmonic(capped) / harmonic(PRODUCTS))
        signed_in = SIGNED_IN * requests * (1 - self.traffic.product_share(0))
        return first + signed_in + (capped - 1) * most + (1 - SIGNED_IN) * requests * rest


def _most_passed_on(kind: Kind) -> float:
    """Return the most requests a second that caches pass on for a product, or for all."""
    return kind.cached_urls * CACHES / SHARED_SECONDS


# What it asks of partitions.


def times_of_limit(measured: Measured, load: Load, rank: int) -> dict[Partition, float]:
    """Return the units asked of each partition at the peak, by the limit of all its shards.

    Those of a product are of the product of a rank; partitions that no product has are asked for
    by the requests about all products.
    """
    units: dict[Partition, float] = defaultdict(float)
    for requested in measured.requests:
        of_product, of_all = load.of_rank(requested.kind, rank), load.of_all(requested.kind)
        for partition, taken in requested.units.items():
            # A page of any product reads what no product has, such as the number of shards.
            is_own = measured.product.is_in(partition.key)
            units[partition] += taken * (of_product if is_own else of_all)
    times = {}
    for partition, asked in units.items():
        limit = WRITE_LIMIT if partition.is_write else READ_LIMIT
        times[partition] = asked / limit / measured.shards[partition]
    return times


@dataclass(frozen=True, slots=True)
class Need:
    """How many partitions a remedy puts in the place of one, where it needs the most."""

    partitions: int
    dollars: float


def needs_at(measured: Measured, rate: float) -> dict[str, Need]:
    """Return what all traffic at a rate needs behind the caches, by the words of the remedies."""
    spread: dict[tuple[Partition, int], int] = {}
    for traffic in TRAFFICS:
        load = Load(traffic, rate, has_caches=True)
        for rank in range(HOT_RANKS):
            for partition, times in times_of_limit(measured, load, rank).items():
                # What all products share is the same partition in each rank: it counts once.
                is_shared = not measured.product.is_in(partition.key)
                if is_shared and rank > 0:
                    continue
                if times * MARGIN > 1:
                    number = ceil(times * MARGIN)
                    at = (partition, rank)
                    spread[at] = max(number, spread.get(at, 1))
    by_remedy: dict[Remedy, dict[tuple[Partition, int], int]] = defaultdict(dict)
    for at, number in spread.items():
        by_remedy[remedy_for(measured.product.in_words(at[0]))][at] = number
    needs = {}
    for remedy, numbers in by_remedy.items():
        # Others make fewer writes, or remember what they have read: they add no units.
        month = 0.0
        if remedy.multiplies:
            month = _dollars_of_spreading(measured, rate, numbers)
        needs[remedy.words] = Need(max(numbers.values()), month)
    return needs


def remedy_for(description: str) -> Remedy:
    """Return the remedy for a partition, by its description."""
    for remedy in REMEDIES:
        if re.search(remedy.pattern, description):
            return remedy
    raise LookupError(description)


# What it costs.


def _dollars_of_spreading(
    measured: Measured, rate: float, numbers: Mapping[tuple[Partition, int], int]
) -> float:
    """Return the dollars a month that copies and shards add to steady traffic.

    Each write is repeated for all copies of what is read, each read for all shards of what is
    written.
    """
    load = Load(STEADY, rate, has_caches=True)
    month = 0.0
    for (partition, rank), number in numbers.items():
        other = partition._replace(is_write=not partition.is_write)
        price = prices().reads if partition.is_write else prices().writes
        for requested in measured.requests:
            taken = requested.units.get(other, 0.0)
            requests = load.of_all(requested.kind)
            if measured.product.is_in(partition.key):
                requests = load.of_rank(requested.kind, rank)
            more = taken * requests * (number - 1)
            month += price(more, times=MEAN_OF_DAY * MONTH_SECONDS)
    return month


def dollars_a_month(measured: Measured, load: Load) -> float:
    """Return what a month of requests costs, whose peak is that of the load."""
    read_units = write_units = 0.0
    for requested in measured.requests:
        requests = load.of_all(requested.kind)
        read_units += requests * requested.read_units
        write_units += requests * requested.write_units
    seconds = MEAN_OF_DAY * MONTH_SECONDS
    return prices().reads(read_units, times=seconds) + prices().writes(write_units, times=seconds)


def edge_dollars_a_month(rate: float) -> float:
    """Return what the caches take a month for the requests that they answer themselves."""
    # Requests that the caches pass on are paid as well, but as units.
    answered = 0.0
    for kind in KINDS:
        bare = Load(STEADY, rate, has_caches=False).of_all(kind)
        answered += bare - Load(STEADY, rate, has_caches=True).of_all(kind)
    return answered * MEAN_OF_DAY * MONTH_SECONDS * EDGE_REQUEST_DOLLARS


# The report.


def forecast(measured: Measured) -> Section:
    """Build the section about what a large shop asks of partitions: that of docs/scale.md."""
    mean = 0.0
    rows = []
    for requested in measured.requests:
        mean += requested.kind.share * requested.read_units
        rows.append(
            (
                requested.kind.name,
                f"{requested.kind.share:.1%}",
                round(requested.read_units, 2),
                round(requested.write_units, 2),
            )
        )
    about = (
        f"Of the sample shop's most commented product. A steady request reads {mean:.2f} units on "
        f"average: the {TABLE_LIMIT:,} a second that a table may use until AWS raises them are "
        f"enough for {TABLE_LIMIT / mean:,.0f} pages a second."
    )
    takes = Table("What one takes", ("request", "of all", "read units", "write units"), rows)
    return Section("What throttles first", [about], [takes, *_forecast_tables(measured)])


def _forecast_tables(measured: Measured) -> Iterator[Table]:
    first_rows = []
    for rate in RATES:
        for traffic in TRAFFICS:
            bare = times_of_limit(measured, Load(traffic, rate, has_caches=False), 0)
            cached = times_of_limit(measured, Load(traffic, rate, has_caches=True), 0)
            first, times = max(bare.items(), key=_second)
            words = f"`{measured.product.in_words(first)}`"
            behind = max(cached.values())
            first_rows.append((rate, traffic.name, words, round(times, 2), round(behind, 2)))
    yield Table(
        "The busiest partition, and how many times its limit is asked of it at the peak; behind "
        "the caches of the busiest then",
        ("pages a second", "traffic", "first", "times", "behind caches"),
        first_rows,
    )
    needs = {rate: needs_at(measured, rate) for rate in RATES[1:]}
    most = needs[RATES[-1]]
    need_rows = []
    for words, need in sorted(most.items()):
        earlier = needs[RATES[1]].get(words)
        number = 0
        if earlier is not None:
            number = earlier.partitions
        need_rows.append((words, number, need.partitions, dollars(need.dollars)))
    yield Table(
        "What is needed behind the caches, at so many pages a second: partitions in the place of "
        "one, and their dollars a month at the highest rate",
        ("remedy", f"at {RATES[1]:,}", f"at {RATES[2]:,}", "$ a month"),
        need_rows,
    )
    month_rows = []
    for rate in RATES:
        bare_month = dollars_a_month(measured, Load(STEADY, rate, has_caches=False))
        cached_month = dollars_a_month(measured, Load(STEADY, rate, has_caches=True))
        month_rows.append(
            (
                rate,
                dollars(bare_month),
                dollars(cached_month),
                dollars(edge_dollars_a_month(rate)),
            )
        )
    yield Table(
        "Dollars a month of steady traffic",
        ("pages a second", "units", "behind caches", "caches"),
        month_rows,
    )


def _second(pair: tuple[Partition, float]) -> float:
    return pair[1]
