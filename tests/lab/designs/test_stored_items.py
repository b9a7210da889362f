"""The pages of the designs show rows as the designs really store them."""

from datetime import UTC, datetime, timedelta

import pytest

from comments.items import NewComment
from dynapages.items import Item
from lab.designs.comments import DESIGNS, stored
from lab.designs.orders import _by_status, _sharded
from lab.reports.page import describe_subjects
from shop.order_status import Status
from shop.orders.items import NewOrder, StatusChange, imported_order_id
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
SHIPPED = StatusChange(Status.SHIPPED, PLACED_AT + timedelta(minutes=1))


def order(*history: StatusChange) -> NewOrder:
    order_id = imported_order_id(PLACED_AT, "lab-1")
    return NewOrder(order_id, "alex", PLACED_AT, lines=(), history=history, currency="EUR")


def rows(document: str) -> list[str]:
    text = (PROJECT / "docs" / "designs" / document).read_text()
    return [line for line in text.splitlines() if line.startswith("| `")]


def cells(item: Item, *names: str) -> list[str]:
    return [f"`{next(iter(item[name].values()))}`" for name in names]


class TestTheRows:
    @pytest.mark.parametrize(
        ("design", "names"),
        [
            ("scan", ("pk", "sk", "a", "o", "g", "s", "u", "t", "x")),
            ("filter", ("a", "o", "g", "s", "u", "t", "x")),
            ("rules", ("pk", "o", "a", "l", "r", "b")),
        ],
    )
    def test_of_comments_are_those_the_designs_store(self, design, names):
        (chosen,) = (one for one in DESIGNS if one.name == design)
        (item,) = chosen.items(stored(COMMENT))
        described = describe_subjects()["comments"].designs[design]
        assert f"| {' | '.join(cells(item, *names))} |" in rows(described.document)

    def test_of_composite_keys_are_those_of_the_index(self):
        item = _by_status(order(PLACED, SHIPPED), 0)
        wanted = cells(item, "pk", "sk", "order_status_date")
        assert f"| {' | '.join(wanted)} |" in rows("composite-keys.md")

    def test_of_sparse_indexes_lose_their_keys(self):
        item = _sharded(order(PLACED), 2)
        wanted = cells(item, "sk", "status", "open_shard", "open_place")
        assert f"| {' | '.join(wanted)} |" in rows("sparse-and-sharded.md")
        assert _sharded(order(PLACED, SHIPPED), 2).keys().isdisjoint({"open_shard", "open_place"})
