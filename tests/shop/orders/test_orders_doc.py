"""The documentation of orders says what the code does."""

from shop.orders.access_patterns import PATTERNS, plan_for_queue
from shop.orders.filters import OrderFilter
from tests.support.project import PROJECT

DOC = PROJECT / "docs" / "orders.md"


class TestThePlans:
    def test_are_all_in_the_documentation(self):
        names = [pattern.name for pattern in PATTERNS] + [
            plan_for_queue(OrderFilter(), shards=1).name
        ]
        text = DOC.read_text(encoding="utf-8")
        assert all(f"`{name}`" in text for name in names)
