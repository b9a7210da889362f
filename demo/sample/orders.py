"""Sample orders: the customers of the sample shop, what they bought, and the orders' statuses.

The same seed makes the same ones on any day; only the moments move with ``now``.
"""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import cos, pi, radians, sin, sqrt
from pathlib import Path
from random import Random

from demo.sample.catalogue import CURRENCY, DEFAULT_SEED, SampleCatalogue, SampleProduct
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import NewLine, NewOrder, StatusChange
from shop.pickup.cells import Coordinates
from shop.pickup.items import PickupPoint, ZipLocation

METRES_IN_A_DEGREE = 111_195.0
WIDEST = 2_500.0
"""Metres from the middle of a town to its farthest point."""


@dataclass(frozen=True, slots=True)
class _Town:
    name: str
    zip_prefix: str
    latitude: float
    longitude: float
    points: int


_WORDS = tomllib.loads(Path(__file__).with_name("pickup_points.toml").read_text(encoding="utf-8"))
TOWNS = [_Town(**town) for town in _WORDS["town"]]


def sample_zips() -> tuple[ZipLocation, ...]:
    """Return the places of the towns' postcodes."""
    return tuple(
        ZipLocation(town.zip_prefix, Coordinates.at(town.latitude, town.longitude), town.name)
        for town in TOWNS
    )


def sample_points(seed: int = DEFAULT_SEED) -> tuple[PickupPoint, ...]:
    """Make 44 pickup points, more of them in the larger towns."""
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    return tuple(point for town in TOWNS for point in _points_of(rng, town))


def zip_of(username: str) -> str:
    """Return where a sample customer lives: Lisbon, or a town that the name decides."""
    if username == "alex":
        return TOWNS[0].zip_prefix
    return TOWNS[sum(username.encode()) % len(TOWNS)].zip_prefix


def _points_of(rng: Random, town: _Town) -> Iterator[PickupPoint]:
    names = rng.sample(
        [f"{shop} {name}" for shop in _WORDS["shops"] for name in _WORDS["names"]], town.points
    )
    for number, name in enumerate(names, 1):
        street = f"{rng.choice(_WORDS['streets'])} {rng.randint(1, 180)}"
        code = f"{town.zip_prefix}-{rng.randint(10, 599):03}"
        yield PickupPoint(
            id=f"sample-{town.zip_prefix}-{number}",
            name=name,
            address=f"{street}, {code} {town.name}",
            place=_somewhere_in(rng, town),
            hours=rng.choice(_WORDS["hours"]),
        )


def _somewhere_in(rng: Random, town: _Town) -> Coordinates:
    radius, angle = WIDEST * sqrt(rng.random()), 2 * pi * rng.random()
    north, east = radius * sin(angle), radius * cos(angle)
    return Coordinates.at(
        town.latitude + north / METRES_IN_A_DEGREE,
        town.longitude + east / (METRES_IN_A_DEGREE * cos(radians(town.latitude))),
    )


REGULAR = "alex"
ORDERS_OF_REGULAR = 120
ORDERS_OF_OTHERS = 280
CUSTOMERS = [
    *("bob", "carla", "dmitri", "elena", "farid", "greta"),
    *("hiro", "ines", "jonas", "kate", "liam", "mina"),
]
NEWCOMER = "noor"
"""Has an account and no order yet."""
STAFF = "sam"
SPAN = timedelta(days=2 * 365)
OF_A_KIND = 15
"""Neighbouring products: an order has some of these, as customers buy things that go together."""
RECENCY = 2.4
"""Above 1, recent orders are denser than old ones."""


LIFE: dict[Status, tuple[tuple[Status, int, float, float], ...]] = {
    Status.PLACED: ((Status.APPROVED, 96, 0.02, 8), (Status.CANCELED, 4, 0.5, 12)),
    Status.APPROVED: ((Status.PROCESSING, 99, 0.5, 14), (Status.CANCELED, 1, 1, 10)),
    Status.PROCESSING: ((Status.SHIPPED, 98, 3, 36), (Status.CANCELED, 2, 4, 48)),
    Status.SHIPPED: ((Status.DELIVERED, 100, 14, 72),),
    Status.DELIVERED: ((Status.DELIVERED, 93, 0, 0), (Status.RETURNED, 7, 24, 200)),
    Status.CANCELED: (),
    Status.RETURNED: (),
}
"""The steps out of each status: their weights, and the hours at least and on average.

One to the same status means that the order stays in it.
"""


@dataclass(frozen=True, slots=True)
class SampleSales:
    """All user names, and all orders in the order of their placing.

    The foreign id of an order is the same on any day.
    """

    usernames: tuple[str, ...]
    orders: tuple[NewOrder, ...]


def sample_orders(
    catalogue: SampleCatalogue, *, seed: int = DEFAULT_SEED, now: datetime
) -> SampleSales:
    """Make fifteen accounts and 400 orders of the two years before ``now``, an aware datetime.

    The newest ones are still open.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    now = now.astimezone(UTC)
    ages = sorted(
        (SPAN * rng.random() ** RECENCY for _ in range(ORDERS_OF_REGULAR + ORDERS_OF_OTHERS)),
        reverse=True,
    )
    orders = zip(_customers_in_turn(rng), ages, strict=True)
    return SampleSales(
        usernames=(REGULAR, *CUSTOMERS, NEWCOMER, STAFF),
        orders=tuple(
            NewOrder(
                id=imported_order_id(now - age, f"sample-{number:04}"),
                username=username,
                placed_at=now - age,
                lines=_lines(rng, catalogue.products),
                history=tuple(_history(rng, age=age, now=now)),
                currency=CURRENCY,
                foreign_id=f"sample-{number:04}",
                zip_prefix=zip_of(username),
            )
            for number, (username, age) in enumerate(orders, start=1)
        ),
    )


def _customers_in_turn(rng: Random) -> list[str]:
    loyalty = [rng.lognormvariate(0, 0.7) for _ in CUSTOMERS]
    others = rng.choices(CUSTOMERS, loyalty, k=ORDERS_OF_OTHERS)
    turns = [REGULAR] * ORDERS_OF_REGULAR + others
    rng.shuffle(turns)
    return turns


def _lines(rng: Random, products: Sequence[SampleProduct]) -> tuple[NewLine, ...]:
    how_many = rng.choices(range(1, 7), (20, 25, 25, 15, 10, 5))[0]
    first = rng.randrange(0, len(products), OF_A_KIND)
    return tuple(
        NewLine(
            product_id=product.id,
            name=product.name,
            quantity=rng.choices(range(1, 5), (80, 13, 4, 3))[0],
            unit_price_cents=product.unit_price_cents,
        )
        for product in rng.sample(products[first : first + OF_A_KIND], how_many)
    )


def _history(rng: Random, *, age: timedelta, now: datetime) -> Iterator[StatusChange]:
    entered_at = now - age
    for status, wait in _life(rng):
        entered_at += wait
        if entered_at > now:
            return
        yield StatusChange(status, entered_at)


def _life(rng: Random) -> Iterator[tuple[Status, timedelta]]:
    """Yield the statuses of an order, each with the time since the one before."""
    status = Status.PLACED
    yield status, timedelta()
    while steps := LIFE[status]:
        before = status
        status, _, at_least, on_average = rng.choices(steps, [step[1] for step in steps])[0]
        if status == before:
            return
        further = rng.expovariate(1 / (on_average - at_least))
        yield status, timedelta(hours=at_least + further)
