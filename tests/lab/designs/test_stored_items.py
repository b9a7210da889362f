"""The pages of the designs show rows as the designs really store them."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from comments.items import NewComment
from dynapages.items import Item
from lab.bench.data import OrderData
from lab.designs.comments import DESIGNS, Comments, comment_item
from lab.designs.orders import CompositeKey, Orders, Sharded
from shop.order_status import Status
from shop.orders.ids import imported_order_id
from shop.orders.items import NewOrder, StatusChange
from tests.support.project import PROJECT

COMMENT = NewComment(
    id="100001",
    product_id="42",
    language="en",
    rating=5,
    created_at=datetime(2026, 11, 20, 9, 30, tzinfo=UTC),
    author="Ada",
    title="Lovely",
    body="Bright and warm.",
)
PLACED_AT = datetime(2022, 5, 1, 9, 30, tzinfo=UTC)
PLACED = StatusChange(Status.PLACED, PLACED_AT)
ORDERS = Orders(OrderData(of_customer=0, queued=0), [])
SHIPPED = StatusChange(Status.SHIPPED, PLACED_AT + timedelta(minutes=1))


def order(*history: StatusChange) -> NewOrder:
    order_id = imported_order_id(PLACED_AT, "lab-1")
    return NewOrder(order_id, "alex", PLACED_AT, lines=(), history=history, currency="EUR")


def row(document: str, attribute: str) -> str:
    """The row of a document's table about an attribute, alone or with others."""
    text = (PROJECT / "docs" / f"{document}.md").read_text()
    found = re.findall(rf"^\| (?:`\w+`, )*`{attribute}`[ ,].*$", text, re.MULTILINE)
    return " ".join(found)


def cell(item: Item, name: str) -> str:
    return f"`{next(iter(item[name].values()))}`"


class TestTheRows:
    @pytest.mark.parametrize(
        ("design", "keys"),
        [("scan", ()), ("filter", ("a",)), ("rules", ("a", "l", "r", "b"))],
    )
    def test_of_comments_are_those_the_designs_store(self, design, keys):
        (chosen,) = (one for one in DESIGNS if one.name == design)
        comments = Comments((COMMENT,), COMMENT.product_id, "made for this")
        (item, *_copies) = chosen(comments, {}).items_of(comment_item(COMMENT))
        for name in ("pk", "sk", "o", "g", "s", "u", "t", "x", *keys):
            assert cell(item, name) in row("how-it-works", name)

    def test_of_composite_keys_are_those_of_the_index(self):
        item = CompositeKey(ORDERS).item_of(order(PLACED, SHIPPED), 0)
        for name in ("pk", "sk", "order_status_date"):
            assert cell(item, name) in row("designs/keys", name)

    def test_of_sparse_indexes_lose_their_keys(self):
        item = Sharded(ORDERS).item_of(order(PLACED), 2)
        for name in ("sk", "status", "open_shard", "open_place"):
            assert cell(item, name) in row("designs/keys", name)
        shipped = Sharded(ORDERS).item_of(order(PLACED, SHIPPED), 2)
        assert shipped.keys().isdisjoint({"open_shard", "open_place"})
