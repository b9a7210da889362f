"""The documentation of orders says what the code does."""

from shop.order_status import Status
from shop.orders.filters import OrderFilter, plan_for_queue, plan_for_user
from tests.support.project import PROJECT

DOC = PROJECT / "docs" / "orders.md"


class TestThePlans:
    def test_are_all_in_the_documentation(self):
        filters = OrderFilter(), OrderFilter((Status.SHIPPED,)), OrderFilter(open_only=True)
        names = {plan_for_user("alex", chosen).name for chosen in filters}
        assert len(names) == 3
        names.add(plan_for_queue(OrderFilter(), shards=1).name)
        text = DOC.read_text(encoding="utf-8")
        assert all(f"`{name}`" in text for name in names)
