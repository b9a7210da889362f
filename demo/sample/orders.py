"""Sample orders: the customers of the sample shop, what they bought, and the orders' statuses.

The same seed makes the same ones on any day; only the moments move with ``now``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from demo.sample.catalogue import CURRENCY, DEFAULT_SEED, SampleCatalogue, SampleProduct
from demo.sample.pickup_points import town_of, zip_of
from shop.addresses.address import NewAddress
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import NewLine, NewOrder, StatusChange

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


@dataclass(frozen=True, slots=True)
class Step:
    """A change of an order's status: how probable, and the hours until it, at least and on average.

    One to the same status means that the order stays in it.
    """

    status: Status
    weight: int
    least_hours: float
    mean_hours: float


STEPS: dict[Status, tuple[Step, ...]] = {
    Status.PLACED: (
        Step(Status.APPROVED, 96, 0.02, 8),
        Step(Status.CANCELED, 4, 0.5, 12),
    ),
    Status.APPROVED: (
        Step(Status.PROCESSING, 99, 0.5, 14),
        Step(Status.CANCELED, 1, 1, 10),
    ),
    Status.PROCESSING: (
        Step(Status.SHIPPED, 98, 3, 36),
        Step(Status.CANCELED, 2, 4, 48),
    ),
    Status.SHIPPED: (Step(Status.DELIVERED, 100, 14, 72),),
    Status.DELIVERED: (
        Step(Status.DELIVERED, 93, 0, 0),
        Step(Status.RETURNED, 7, 24, 200),
    ),
    Status.CANCELED: (),
    Status.RETURNED: (),
}
"""The steps out of each status."""


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
    count = ORDERS_OF_REGULAR + ORDERS_OF_OTHERS
    ages = [SPAN * rng.random() ** RECENCY for _order in range(count)]
    ages.sort(reverse=True)
    orders = []
    for number, username in enumerate(_customers_in_turn(rng), start=1):
        age = ages[number - 1]
        foreign_id = f"sample-{number:04}"
        order = NewOrder(
            id=imported_order_id(now - age, foreign_id),
            username=username,
            placed_at=now - age,
            lines=_lines(rng, catalogue.products),
            history=tuple(_history(rng, age=age, now=now)),
            currency=CURRENCY,
            foreign_id=foreign_id,
            zip_prefix=zip_of(username),
            address=_address_of(username),
        )
        orders.append(order)
    return SampleSales(
        usernames=(REGULAR, *CUSTOMERS, NEWCOMER, STAFF),
        orders=tuple(orders),
    )


def _address_of(username: str) -> NewAddress:
    """Return the address of a sample customer, in a street that plainly does not exist."""
    number = sum(username.encode()) % 90 + 1
    return NewAddress(
        name=f"{username.capitalize()} Sample",
        lines=f"Rua do Exemplo {number}",
        postal_code=f"{zip_of(username)}-000",
        city=town_of(username).upper(),
        region="",
        country="PT",
    )


def _customers_in_turn(rng: Random) -> list[str]:
    """Return who places each order, in the order of their placing."""
    # A few customers order far more than the others.
    loyalty = [rng.lognormvariate(0, 0.7) for _customer in CUSTOMERS]
    others = rng.choices(CUSTOMERS, loyalty, k=ORDERS_OF_OTHERS)
    turns = [REGULAR] * ORDERS_OF_REGULAR + others
    rng.shuffle(turns)
    return turns


def _lines(rng: Random, products: Sequence[SampleProduct]) -> tuple[NewLine, ...]:
    # Small orders are the usual ones.
    number = rng.choices(range(1, 7), (20, 25, 25, 15, 10, 5))[0]
    first = rng.randrange(0, len(products), OF_A_KIND)
    lines = []
    for product in rng.sample(products[first : first + OF_A_KIND], number):
        line = NewLine(
            product_id=product.id,
            name=product.name,
            quantity=rng.choices(range(1, 5), (80, 13, 4, 3))[0],
            unit_price_cents=product.unit_price_cents,
        )
        lines.append(line)
    return tuple(lines)


def _history(rng: Random, *, age: timedelta, now: datetime) -> Iterator[StatusChange]:
    """Yield the changes of an order of this age, as far as they are not after ``now``."""
    entered_at = now - age
    for status, wait in _life(rng):
        entered_at += wait
        if entered_at > now:  # it has not happened yet
            return
        yield StatusChange(status, entered_at)


def _life(rng: Random) -> Iterator[tuple[Status, timedelta]]:
    """Yield the statuses of an order, each with the time since the one before."""
    status = Status.PLACED
    yield status, timedelta()
    while STEPS[status]:
        steps = STEPS[status]
        step = rng.choices(steps, [each.weight for each in steps])[0]
        if step.status is status:
            return
        status = step.status
        further_hours = rng.expovariate(1 / (step.mean_hours - step.least_hours))
        yield status, timedelta(hours=step.least_hours + further_hours)
