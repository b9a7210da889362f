"""One run of the lab, from the data to the figures."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from dynamo.calls.client import Connection, client, connected, current_connection
from dynamo.errors import DynamoError
from dynamo.items import table_key
from dynamo.lists.places import timestamp
from dynamo.progress import Progress
from lab.bench.context import local, require_binary, running
from lab.bench.data import OrderData
from lab.bench.stores import version_of
from lab.designs.bodies import compare_bodies
from lab.designs.comments import Comments, compare_comments, of_product, sample
from lab.designs.orders import compare_customer_orders, compare_open_orders, load_orders
from lab.designs.tables import Lab, Layout, open_lab
from lab.reports.results import (
    RUN,
    Results,
    machine_rows,
    machine_sentence,
    machine_warning,
    rows,
)
from shop.models import ShopItem

ORDERS = OrderData(of_customer=2_000, queued=2_000)


def compare(
    *,
    comments: int,
    product_id: str | None,
    turns: int,
    here: bool,
    now: datetime,
    progress: Progress,
) -> Results:
    """Load at most ``comments`` of a product, or of the sample shop, measure, and remove them.

    ``turns`` is how often each thing is timed, and written. ``here`` is on the site's own engine.
    The part ``run`` has when, where and how; ``warning`` is empty where nothing distorted times.
    Raises EngineError, InexactEngine, NoComments, WrongAnswer, NeverConsistent, and what calls to
    DynamoDB raise.
    """
    if product_id is None:
        data = sample(comments, now=now)
    else:
        data = of_product(product_id, at_most=comments)
    size = settings.PAGE_SIZE
    with (
        engine_of_the_site() if here else own_engine(comments=len(data.all)) as engine,
        open_lab(progress=progress, page_size=size, turns=turns) as lab,
    ):
        machine = Results(machine_rows(engine=engine))
        require_exact(lab)
        subjects = _subjects(lab, data)
    remotely = f"Measured on {engine}, from a machine of {machine.value('cores')} cores."
    run = {
        "taken_at": timestamp(now),
        "engine": engine,
        "machine": remotely if here else machine_sentence(machine),
        "warning": "" if here else machine_warning(machine),
        "page_size": size,
        "turns": turns,
    }
    return Results((*rows(RUN, run), *subjects))


def _subjects(lab: Lab, data: Comments) -> Results:
    of_comments = compare_comments(lab, data)
    orders = load_orders(lab, ORDERS)
    return Results(
        (
            *of_comments,
            *compare_customer_orders(lab, orders),
            *compare_open_orders(lab, orders),
            *compare_bodies(lab),
        )
    )


PATIENCE = 120.0
"""Seconds that one call may take: a Scan reads a megabyte, a batch writes 25 items."""
MOST_IN_MEMORY = 10_000
"""Comments that are kept in memory, half a gigabyte with their copies: loading takes no disk."""
KIBIBYTES = 9
WRITE_UNITS, READ_UNITS = 10, 3
"""Units for writing an item with a text of so many KiB, and for reading it strongly. With its keys
it takes a tenth kilobyte."""


class InexactEngine(DynamoError):
    """The engine does not charge what DynamoDB does."""

    def __init__(self, *, wrote: float, read: float) -> None:
        super().__init__(
            f"This engine charges {wrote:g} units for writing an item of {KIBIBYTES} KB and "
            f"{read:g} for reading it, where DynamoDB charges {WRITE_UNITS} and {READ_UNITS}: its "
            "figures would be fiction. Run the lab on dynoxide, DynamoDB Local or Amazon DynamoDB."
        )


@contextmanager
def own_engine(*, comments: int) -> Iterator[str]:
    """Connect to a new dynoxide for so many comments; yield its name, and where it keeps them.

    That is in memory, or for many in a file below VAR_DIR, which is removed. Raises EngineError:
    BinaryMissing where it is not installed.
    """
    version = version_of(require_binary())
    with _place(comments) as db_path, running(db_path=db_path) as url, _patiently(local(url)):
        yield f"{version} {'on disk' if db_path else 'in memory'}"


@contextmanager
def _place(comments: int) -> Iterator[Path | None]:
    if comments <= MOST_IN_MEMORY:
        yield None
        return
    settings.VAR_DIR.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="lab-", dir=settings.VAR_DIR) as folder:
        yield Path(folder) / "lab.db"


@contextmanager
def engine_of_the_site() -> Iterator[str]:
    """Stay connected as the site is, and yield the engine's name."""
    with _patiently(current_connection()):
        if settings.DYNAMODB_ENDPOINT_URL:
            yield "the DynamoDB-compatible engine of the site"
        else:
            yield f"Amazon DynamoDB in {settings.AWS_REGION}"


def _patiently(connection: Connection) -> AbstractContextManager[None]:
    """Connect so that a slow answer is measured instead of given up."""
    return connected(replace(connection, read_seconds=PATIENCE))


def require_exact(lab: Lab) -> None:
    """Write and read an item of known size. Raises InexactEngine, as on moto."""
    table, key = lab.make(Layout("probe", ShopItem)), table_key("PROBE", "PROBE")
    item = {**key, "text": {"S": "x" * KIBIBYTES * 1_024}}
    with lab.traffic.counted() as writing:
        client().put_item(TableName=table.name, Item=item)
    with lab.traffic.counted() as reading:
        client().get_item(TableName=table.name, Key=key, ConsistentRead=True)
    wrote, read = (costs[0].capacity_units for costs in (writing, reading))
    if (wrote, read) != (WRITE_UNITS, READ_UNITS):
        raise InexactEngine(wrote=wrote, read=read)
