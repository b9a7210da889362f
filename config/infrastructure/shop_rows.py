"""Sample rows of the table ``shop`` and of a month of the activity log: every kind of item.

The functions that every write uses build them. What the site only updates, such as counters and
limits, is spelled out here. A test compares the rows with what the site stores.
"""

import zlib
from collections.abc import Iterator, Mapping
from datetime import timedelta
from hashlib import sha256

from dynamo.items import Item, table_key, wire_key
from dynamo.upkeep.migrations import Checkpoint, Step
from dynamo.writes.counters import Deltas
from dynamo.writes.rate_limiter import EXPIRES_AT, TAKEN_UNTIL
from dynamo.writes.shards import SHARDS
from lab.reports.storage import StoredFigures
from shop import keys
from shop.accounts.items import Account, email_edge, profile_item
from shop.activity.entries import Kind, LogEntry, LogVerb
from shop.catalogue.items import (
    NewCategory,
    NewProduct,
    description_item,
    parent_edge,
    product_edges,
    product_item,
)
from shop.catalogue.shelves import SHELF, shelf_of
from shop.crawlers.queries import PageStart, StoredSitemap
from shop.integrity.steps import STEPS
from shop.models import OrderPointer, ShopItem
from shop.models import ZipPlace as StoredPlace
from shop.order_status import Status
from shop.orders.counts import deltas_of
from shop.orders.ids import imported_order_id
from shop.orders.items import NewLine, NewOrder, NewPickup, StatusChange, order_items_of
from shop.pickup.coordinates import Coordinates
from shop.pickup.directory import deltas_of as directory_deltas
from shop.pickup.points import PickupPoint, point_items
from shop.table import EDGES, OPEN_ORDERS
from shop.table_picture import START, sample_items

PLACED_AT = START - timedelta(days=7)
LATER = START + timedelta(hours=20)
_LAMP = NewProduct(
    "reading-lamp",
    "Reading lamp",
    ("light",),
    description="A lamp with a long arm, for reading in bed.",
    unit_price_cents=2_999,
    currency="EUR",
    priced_at=START,
    external_id="Reading lamp (2022)",
)
_LIGHT = NewCategory("light", "Lamps & light")
_POINT = PickupPoint(
    "rossio", "Kiosk at the station", "Rossio, Lisbon", Coordinates(38.714, -9.141), "8 to 20"
)


def shop_rows() -> Iterator[Item]:
    """Yield rows of the table ``shop``; of two with the same key the later one is meant."""
    models = [*_accounts(), *_orders(), *sample_items(), *_catalogue(), *_pickup(), *_pages()]
    yield from (item.serialize() for item in models)
    yield _shelf()
    yield from counter_rows(deltas_of("alex", left=None, entered=Status.PLACED))
    yield from counter_rows(directory_deltas(added=[_POINT], removed=[]))
    yield from (shards_row(keys.shards(name)) for name in (OPEN_ORDERS.name, EDGES.name))
    yield _limit()
    yield step_row(STEPS[0])


def activity_rows() -> Iterator[Item]:
    """Yield rows of the month of `START`."""
    order = _order().id
    moved = {"was": Status.PLACED.value, "became": Status.SHIPPED.value}
    for verb, who, change in (
        (LogVerb.PLACED, "alex", {"became": Status.PLACED.value}),
        (LogVerb.MOVED, "sam", moved),
    ):
        entry = LogEntry(Kind.ORDER, verb, LATER, who, order, "alex", **change)
        yield entry.item(shards=2)
    yield shards_row({"pk": "SHARDS", "sk": "SHARDS"})


def counter_rows(deltas: Deltas) -> Iterator[Item]:
    """Yield the first two shards of counters, as their first change and a spread leave them."""
    for name, cells in deltas.items():
        yield counter_row(keys.counter(name, 0), cells, shards=2)
        yield counter_row(keys.counter(name, 1), {})


def counter_row(
    key: Mapping[str, str], cells: Mapping[str, int], *, shards: int | None = None
) -> Item:
    """Build a share of a counter (see `dynamo.writes.counters`), the first with ``shards``."""
    texts = wire_key({**key, "_spread": "0dUh7PqZ", "_change": "kP3nVb2w"})
    number = {} if shards is None else {SHARDS: {"N": str(shards)}}
    return {**texts, **number, **{cell: {"N": str(n)} for cell, n in cells.items()}}


def shards_row(key: Mapping[str, str]) -> Item:
    """Build a number of shards (see `dynamo.writes.shards`)."""
    return {**wire_key(key), SHARDS: {"N": "2"}}


def step_row(step: Step) -> Item:
    """Build the checkpoint of a step of ``migrate_items`` that was interrupted."""
    after = table_key(**step.key)
    return Checkpoint(1, "7c9e6679", after, 1_000, 12, "2023-01-01T09:30:00.000000Z").item(step)


def _accounts() -> Iterator[ShopItem]:
    yield profile_item(
        "sam",
        Account(
            password="…",  # noqa: S106 - no password
            joined_at=START,
            email="sam@shop.example",
            is_staff=True,
            last_login=LATER,
            external_id="Sam",
            session_number=1,
            email_confirmed=True,
            new_email="sam@shop2.example",
            totp_secret="…",  # noqa: S106 - no secret
            totp_step=55_751_000,
            recovery_codes=["…"],
        ),
    )
    yield email_edge("sam", "sam@shop.example", confirmed=True)
    email = "robin@mail.example"
    yield profile_item("robin", Account(password="…", joined_at=START, email=email))  # noqa: S106 - no password
    yield email_edge("robin", email, confirmed=None)


def _order() -> NewOrder:
    return NewOrder(
        id=imported_order_id(PLACED_AT, "sample"),
        username="alex",
        placed_at=PLACED_AT,
        lines=(NewLine(_LAMP.id, _LAMP.name, 1, 2_999),),
        history=(
            StatusChange(Status.PLACED, PLACED_AT, original="created"),
            StatusChange(Status.SHIPPED, START),
        ),
        currency="EUR",
        zip_prefix="1100",
        pickup=NewPickup(_POINT.id, _POINT.name, _POINT.address, _POINT.hours),
    )


def _orders() -> Iterator[ShopItem]:
    order = _order()
    item, dependents = order_items_of(order, shard=1, edge_shards=2)
    yield item
    yield from dependents
    placing = keys.placing("alex", "3f2a")
    yield OrderPointer(pk=placing, sk=placing, username="alex", order_id=order.id)


def _catalogue() -> Iterator[ShopItem]:
    names = {_LIGHT.slug: _LIGHT.name}
    yield product_item(_LAMP, path=[_LIGHT], categories=names)
    yield from product_edges(_LAMP, names=names, shards=2)
    if description := description_item(_LAMP):
        yield description


def _shelf() -> Item:
    """Build the edge from the root to a category, with its shelf."""
    edges = product_edges(_LAMP, names={_LIGHT.slug: _LIGHT.name}, shards=2)
    shelf = shelf_of([edge.serialize() for edge in edges[:1]])
    return {**parent_edge([_LIGHT]).serialize(), SHELF: shelf}


def _pickup() -> Iterator[ShopItem]:
    yield from point_items(_POINT)
    zip_key, place = keys.zip_prefix("1100"), _POINT.place
    yield StoredPlace(
        pk=zip_key, sk=zip_key, latitude=place.latitude, longitude=place.longitude, city="Lisbon"
    )


def _pages() -> Iterator[ShopItem]:
    yield StoredSitemap.of([PageStart(_LIGHT.slug)])
    yield StoredFigures(pk=keys.LAB, sk=keys.LAB, figures=zlib.compress(b"{}"))


def _limit() -> Item:
    # Not by `keys.limit`: what is exported does not depend on the site's secret key.
    key = f"LIMIT#{sha256(b'sample').hexdigest()}"
    seconds = int(LATER.timestamp())
    return {
        **table_key(key, key),
        TAKEN_UNTIL: {"N": str(seconds * 1_000)},
        EXPIRES_AT: {"N": str(seconds)},
    }
