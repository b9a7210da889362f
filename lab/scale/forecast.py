"""What throttles a large shop first, and what it costs: arithmetic on measured units.

"Partitions and data distribution" and "Burst and adaptive capacity" of the Developer Guide: a
partition serves 3,000 read and 1,000 write units a second. Adaptive capacity isolates keys that are
asked for often, so that in the end a hot key has a partition of its own: here each key of a table
or index has one from the start.

Requests about products are spread over them by Zipf's law; the busiest partitions are those of the
first product.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

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
PRODUCTS = 1_000_000
"""Of the shop."""
EULER = 0.5772156649
PEAK_SECONDS_A_MONTH = 0.6 * 30 * 24 * 3_600
"""A month of requests takes as many as these seconds at the peak, which is in the evening."""

CACHES = 13
"""Regional caches of CloudFront, each of which asks the site again when a page is too old."""
SIGNED_IN = 0.1
"""The share of visitors whose pages no shared cache may keep."""
EDGE_REQUEST_DOLLARS = 0.01 / 10_000
"""Of a request that CloudFront answers (HTTPS, United States), without its bytes."""


# What reaches the site.


@dataclass(frozen=True, slots=True)
class Traffic:
    """A mix of requests.

    ``shares`` are those of kinds that have another share than usual, ``hot`` is the share of the
    requests about products that is about the first one.
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
class Load:
    """The requests of some traffic at a rate; ``has_caches`` is whether they are behind caches."""

    traffic: Traffic
    rate: float
    has_caches: bool

    def of_rank(self, kind: Kind, rank: int) -> float:
        """Return the requests a second of a kind about a product, or about none in particular."""
        requests = self.rate * self.traffic.share(kind)
        if kind.of_product:
            requests *= self.traffic.product_share(rank)
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


def harmonic(number: float) -> float:
    """Return about the sum of 1/n up to a number."""
    return log(number) + EULER + 1 / (2 * number)


def _most_passed_on(kind: Kind) -> float:
    """Return the most requests a second that caches pass on for a product, or for all."""
    return kind.cached_urls * CACHES / SHARED_SECONDS


# What it takes of partitions, and what it costs.


def times_of_limit(measured: Measured, load: Load) -> dict[Partition, float]:
    """Return how many times its limit each partition is used at the peak, all its shards together.

    Partitions of a product are those of the first one. Those that no product has are used by the
    requests about all products.
    """
    units: dict[Partition, float] = defaultdict(float)
    for requested in measured.requests:
        of_first, of_all = load.of_rank(requested.kind, 0), load.of_all(requested.kind)
        for partition, taken in requested.units.items():
            # A page of any product reads what no product has, such as the number of shards.
            is_own = measured.product.is_in(partition.key)
            units[partition] += taken * (of_first if is_own else of_all)
    times = {}
    for partition, used in units.items():
        limit = WRITE_LIMIT if partition.is_write else READ_LIMIT
        times[partition] = used / limit / measured.shards[partition]
    return times


def dollars_a_month(measured: Measured, load: Load) -> float:
    """Return what the units of a month of requests cost, whose peak is that of the load."""
    read_units = write_units = 0.0
    for requested in measured.requests:
        requests = load.of_all(requested.kind)
        read_units += requests * requested.read_units
        write_units += requests * requested.write_units
    reads = prices().reads(read_units, times=PEAK_SECONDS_A_MONTH)
    return reads + prices().writes(write_units, times=PEAK_SECONDS_A_MONTH)


def edge_dollars_a_month(rate: float) -> float:
    """Return what the caches take a month for the requests that they answer themselves."""
    # Requests that the caches pass on are paid as well, but as units.
    answered = 0.0
    for kind in KINDS:
        answered += Load(STEADY, rate, has_caches=False).of_all(kind)
        answered -= Load(STEADY, rate, has_caches=True).of_all(kind)
    return answered * PEAK_SECONDS_A_MONTH * EDGE_REQUEST_DOLLARS


# The report.


def forecast(measured: Measured) -> Section:
    """Build the section about what a large shop asks of partitions: that of docs/scale.md."""
    # The mix is that of a steady day: weights are the shares that are assumed.
    mean = 0.0
    for requested in measured.requests:
        mean += requested.kind.share * requested.read_units
    about = (
        f"Of the sample shop's most commented product. A steady request reads {mean:.2f} units on "
        f"average: the {TABLE_LIMIT:,} a second that a table may use until AWS raises them are "
        f"enough for {TABLE_LIMIT / mean:,.0f} pages a second."
    )
    tables = [_requests_table(measured), _busiest_table(measured), _dollars_table(measured)]
    return Section("What throttles first", [about], tables)


def _requests_table(measured: Measured) -> Table:
    rows = []
    for requested in measured.requests:
        read_units, write_units = round(requested.read_units, 2), round(requested.write_units, 2)
        share = f"{requested.kind.share:.1%}"
        rows.append((requested.kind.name, share, read_units, write_units))
    return Table("What one takes", ("request", "of all", "read units", "write units"), rows)


def _busiest_table(measured: Measured) -> Table:
    rows = []
    for rate in RATES:
        for traffic in TRAFFICS:
            bare = times_of_limit(measured, Load(traffic, rate, has_caches=False))
            cached = times_of_limit(measured, Load(traffic, rate, has_caches=True))
            first = max(bare, key=bare.__getitem__)
            words = f"`{measured.product.in_words(first)}`"
            behind = max(cached.values())
            rows.append((rate, traffic.name, words, round(bare[first], 2), round(behind, 2)))
    return Table(
        "The busiest partition, and how many times its limit is asked of it at the peak; behind "
        "the caches of the busiest then",
        ("pages a second", "traffic", "first", "times", "behind caches"),
        rows,
    )


def _dollars_table(measured: Measured) -> Table:
    rows = []
    for rate in RATES:
        bare = dollars_a_month(measured, Load(STEADY, rate, has_caches=False))
        cached = dollars_a_month(measured, Load(STEADY, rate, has_caches=True))
        rows.append((rate, dollars(bare), dollars(cached), dollars(edge_dollars_a_month(rate))))
    return Table(
        "Dollars a month of steady traffic",
        ("pages a second", "units", "behind caches", "caches"),
        rows,
    )
