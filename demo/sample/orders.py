"""Sample orders: customers of the sample shop, what they bought, and how it went.

Made from a seed, without DynamoDB and Django. The same seed gives the same customers, baskets
and lives of orders on any day; only the moments move with ``now``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

from demo.sample.catalogue import DEFAULT_SEED, SampleCatalogue, SampleProduct

REGULAR = "alex"
ORDERS_OF_REGULAR = 120
ORDERS_OF_OTHERS = 280
CUSTOMERS = [
    "bob",
    "carla",
    "dmitri",
    "elena",
    "farid",
    "greta",
    "hiro",
    "ines",
    "jonas",
    "kate",
    "liam",
    "mina",
]
NEWCOMER = "noor"
"""Has an account and no order yet."""
STAFF = "sam"
SPAN = timedelta(days=2 * 365)
RECENCY = 2.4
"""Above 1, recent orders are denser than old ones."""


@dataclass(frozen=True, slots=True)
class Step:
    """A way out of a status: how frequent it is, after how many hours at least and on average."""

    status: str
    weight: int
    at_least: float
    on_average: float


LIFE = {
    "PLACED": (Step("APPROVED", 96, 0.02, 8), Step("CANCELED", 4, 0.5, 12)),
    "APPROVED": (Step("PROCESSING", 99, 0.5, 14), Step("CANCELED", 1, 1, 10)),
    "PROCESSING": (Step("SHIPPED", 98, 3, 36), Step("CANCELED", 2, 4, 48)),
    "SHIPPED": (Step("DELIVERED", 100, 14, 72),),
    "DELIVERED": (Step("DELIVERED", 93, 0, 0), Step("RETURNED", 7, 24, 200)),
    "CANCELED": (),
    "RETURNED": (),
}
"""What becomes of sample orders; a step to the same status means that it stays there."""


@dataclass(frozen=True, slots=True)
class SampleUser:
    """Somebody with an account; ``username`` is lower-case ASCII."""

    username: str
    is_staff: bool


@dataclass(frozen=True, slots=True)
class SampleOrderLine:
    """So many pieces of a product; ``unit_price`` is in euros."""

    product_id: str
    quantity: int
    unit_price: Decimal


@dataclass(frozen=True, slots=True)
class SampleStatusChange:
    """The moment, in UTC, an order entered a status of the contract (``SHIPPED``)."""

    status: str
    entered_at: datetime


@dataclass(frozen=True, slots=True)
class SampleOrder:
    """An order; ``reference`` never changes, ``history`` begins with PLACED, oldest first."""

    reference: str
    username: str
    lines: tuple[SampleOrderLine, ...]
    history: tuple[SampleStatusChange, ...]

    @property
    def placed_at(self) -> datetime:
        """The moment it was placed."""
        return self.history[0].entered_at

    @property
    def status(self) -> str:
        """The status it is in now."""
        return self.history[-1].status


@dataclass(frozen=True, slots=True)
class SampleSales:
    """All accounts, and all orders in the order of their placing."""

    users: tuple[SampleUser, ...]
    orders: tuple[SampleOrder, ...]


def sample_orders(
    catalogue: SampleCatalogue, *, seed: int = DEFAULT_SEED, now: datetime
) -> SampleSales:
    """Make fifteen accounts and 400 orders of the two years before ``now``, an aware datetime.

    ``alex`` has 120 of them, ``noor`` none; ``sam`` is staff. The newest ones are still open.
    """
    rng = Random(seed)  # noqa: S311 - repeatable sample data, nothing secret
    now = now.astimezone(UTC)
    ages = sorted(
        (SPAN * rng.random() ** RECENCY for _ in range(ORDERS_OF_REGULAR + ORDERS_OF_OTHERS)),
        reverse=True,
    )
    orders = zip(_customers_in_turn(rng), ages, strict=True)
    return SampleSales(
        users=tuple(
            SampleUser(username, is_staff=username == STAFF)
            for username in [REGULAR, *CUSTOMERS, NEWCOMER, STAFF]
        ),
        orders=tuple(
            SampleOrder(
                reference=f"sample-{number:04}",
                username=username,
                lines=_lines(rng, catalogue.products),
                history=tuple(_history(rng, age=age, now=now)),
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


def _lines(rng: Random, products: Sequence[SampleProduct]) -> tuple[SampleOrderLine, ...]:
    how_many = rng.choices(range(1, 7), (45, 25, 14, 8, 5, 3))[0]
    return tuple(
        SampleOrderLine(
            product_id=product.id,
            quantity=rng.choices(range(1, 5), (80, 13, 4, 3))[0],
            unit_price=product.unit_price,
        )
        for product in rng.sample(products, how_many)
    )


def _history(rng: Random, *, age: timedelta, now: datetime) -> Iterator[SampleStatusChange]:
    entered_at = now - age
    for status, wait in _life(rng):
        entered_at += wait
        if entered_at > now:
            return
        yield SampleStatusChange(status, entered_at)


def _life(rng: Random) -> Iterator[tuple[str, timedelta]]:
    """Give the statuses of an order, each with the time since the one before."""
    status = "PLACED"
    yield status, timedelta()
    while steps := LIFE[status]:
        step = rng.choices(steps, [step.weight for step in steps])[0]
        if step.status == status:
            return
        status = step.status
        further = rng.expovariate(1 / (step.on_average - step.at_least))
        yield status, timedelta(hours=step.at_least + further)
