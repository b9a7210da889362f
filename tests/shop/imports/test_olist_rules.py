"""The rules of docs/importing-orders.md, one by one, without a table."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise, product

import pytest

from dynamo.files.records import Record, RowRefused
from shop.catalogue.items import NewCategory
from shop.imports.found import Found
from shop.imports.life import Dates
from shop.imports.names import Names
from shop.imports.olist import (
    STATUSES,
    OlistCustomer,
    OlistItem,
    OlistOrder,
    new_order,
    olist_history,
    read_customer,
    read_item,
    read_order,
)
from shop.imports.olist_products import OlistProduct, read_category
from shop.order_status import Status
from tests.support.shop import olist_truth

DAY = [datetime(2018, 1, day, 12, tzinfo=UTC) for day in range(1, 6)]
STEPS = (Status.PLACED, Status.APPROVED, Status.SHIPPED, Status.DELIVERED)


def dates_of(*moments: datetime | None) -> dict[Status, datetime]:
    return {step: moment for step, moment in zip(STEPS, moments, strict=False) if moment}


ALL_DATES = dates_of(*DAY[:4])


def statuses(original: str, dates: Dates) -> list[tuple[str, int]]:
    return [(change.status.value, change.moment.day) for change in olist_history(original, dates)]


class TestLife:
    @pytest.mark.parametrize(
        ("original", "expected"),
        [
            ("created", [("PLACED", 1)]),
            ("approved", [("PLACED", 1), ("APPROVED", 2)]),
            ("invoiced", [("PLACED", 1), ("APPROVED", 2)]),
            ("processing", [("PLACED", 1), ("APPROVED", 2), ("PROCESSING", 2)]),
            ("shipped", [("PLACED", 1), ("APPROVED", 2), ("SHIPPED", 3)]),
            ("delivered", [("PLACED", 1), ("APPROVED", 2), ("SHIPPED", 3), ("DELIVERED", 4)]),
        ],
    )
    def test_ends_at_the_date_of_its_status(
        self, original: str, expected: list[tuple[str, int]]
    ) -> None:
        assert statuses(original, ALL_DATES) == expected

    def test_of_one_canceled_ends_at_the_latest_date(self) -> None:
        assert statuses("canceled", ALL_DATES)[-2:] == [("DELIVERED", 4), ("CANCELED", 4)]

    def test_of_one_unavailable_leaves_out_what_has_no_date(self) -> None:
        dates = dates_of(DAY[0], DAY[1])
        assert statuses("unavailable", dates) == [("PLACED", 1), ("APPROVED", 2), ("CANCELED", 2)]

    def test_of_one_delivered_without_date_ends_at_the_latest(self) -> None:
        assert statuses("delivered", dates_of(DAY[0], DAY[1]))[-1] == ("DELIVERED", 2)

    def test_keeps_the_original_status_with_the_last_one_only(self) -> None:
        originals = [change.original for change in olist_history("invoiced", ALL_DATES)]
        assert originals == [None, "invoiced"]

    def test_moves_a_status_dated_behind_the_next_one_up_to_it(self) -> None:
        dates = dates_of(DAY[0], DAY[2], DAY[1], DAY[3])
        assert statuses("delivered", dates)[1:3] == [("APPROVED", 2), ("SHIPPED", 2)]

    def test_has_nothing_but_the_last_status_before_the_purchase(self) -> None:
        dates = dates_of(DAY[2], DAY[3], DAY[0])
        assert statuses("shipped", dates) == [("PLACED", 3), ("APPROVED", 3), ("SHIPPED", 1)]

    @pytest.mark.parametrize("original", STATUSES)
    def test_never_goes_back_in_time_unless_its_end_is_before_the_purchase(
        self, original: str
    ) -> None:
        for dates in (dates_of(DAY[1], *rest) for rest in product([None, *DAY], repeat=3)):
            history = olist_history(original, dates)
            assert history[0].moment == DAY[1]
            assert history[-1].status is STATUSES[original]
            if history[-1].moment >= DAY[1]:
                assert all(a.moment <= b.moment for a, b in pairwise(history))


def record(**values: str) -> Record:
    return Record(7, values)


def order_record(**values: str) -> Record:
    empty = dict.fromkeys(["order_id", "customer_id", "order_status", *olist_truth.DATES], "")
    sound = {
        "order_id": "a1",
        "customer_id": "c1",
        "order_status": "created",
        "order_purchase_timestamp": "2018-01-01 12:00:00",
    }
    return record(**(empty | sound | values))


class TestFields:
    def test_take_times_for_utc(self) -> None:
        assert read_order(order_record()).placed_at == DAY[0]

    @pytest.mark.parametrize(
        ("column", "value", "reason"),
        [
            ("order_id", "", "order_id is missing"),
            ("order_id", "a#b", "“a#b” is no id"),
            ("order_status", "lost", "“lost” is none of created, approved"),
            ("order_purchase_timestamp", "", "order_purchase_timestamp is missing"),
            ("order_purchase_timestamp", "31/12/2018", "order_purchase_timestamp: “31/12/2018”"),
            ("order_approved_at", "2018-02-30", "order_approved_at: “2018-02-30”"),
            ("order_status", "\udce9", "order_status is not UTF-8 text"),
        ],
    )
    def test_that_are_wrong_are_named(self, column: str, value: str, reason: str) -> None:
        with pytest.raises(RowRefused, match=reason):
            read_order(order_record(**{column: value}))

    @pytest.mark.parametrize(
        ("price", "cents"), [("99.9", 9_990), ("0.05", 5), ("7", 700), ("1.10", 110)]
    )
    def test_of_money_are_exact(self, price: str, cents: int) -> None:
        item = record(order_id="a", order_item_id="1", product_id="p", price=price)
        assert read_item(item, Names()).price_cents == cents

    @pytest.mark.parametrize("price", ["", "-1", "1,50", "1.005", "NaN", "1e3", "٣"])
    def test_that_are_no_money_are_refused(self, price: str) -> None:
        with pytest.raises(RowRefused, match="price"):
            read_item(record(order_id="a", order_item_id="1", product_id="p", price=price), Names())

    def test_of_zip_codes_keep_their_zeros(self) -> None:
        values = {
            "customer_id": "c",
            "customer_unique_id": "Alex",
            "customer_zip_code_prefix": "01012",
        }
        customer = read_customer(record(**values), Names())
        assert (customer.username, customer.zip_prefix) == ("alex", "01012")


def item(number: int, product_id: str = "p", cents: int = 100) -> OlistItem:
    return OlistItem("a", number, product_id, cents, line=number + 1)


def lines_of(items: Sequence[OlistItem]) -> list[tuple[str, int, int]]:
    order = OlistOrder("a", "c", "created", dates_of(DAY[0]), line=2)
    names = {one.product_id: f"Product {one.product_id}" for one in items}
    customer = OlistCustomer("c", "alex", "01012")
    made = new_order(order, customer=customer, items=items, names=names)
    return [(line.product_id, line.quantity, line.unit_price_cents) for line in made.lines]


class TestLines:
    def test_count_the_pieces_of_a_product(self) -> None:
        assert lines_of([item(2), item(1, "q"), item(3)]) == [("q", 1, 100), ("p", 2, 100)]

    def test_keep_two_prices_of_a_product_apart(self) -> None:
        assert lines_of([item(1), item(2, cents=90)]) == [("p", 1, 100), ("p", 1, 90)]

    def test_may_be_none(self) -> None:
        assert lines_of([]) == []

    @pytest.mark.parametrize("numbers", [(1, 3), (2,), (1, 1)])
    def test_need_all_their_items(self, numbers: Sequence[int]) -> None:
        with pytest.raises(RowRefused, match="numbered"):
            lines_of([item(number) for number in numbers])

    def test_are_forty_at_the_most(self) -> None:
        with pytest.raises(RowRefused, match="41 different products"):
            lines_of([item(number, f"p{number}") for number in range(1, 42)])


class TestProducts:
    @pytest.fixture
    def found(self) -> Found:
        values = {
            "product_category_name": "beleza_saude",
            "product_category_name_english": "health_beauty",
        }
        found = Found(categories=dict([read_category(record(**values))]))
        for product_id, category in [("8cab8abac59158715", "beleza_saude"), ("plain", "pc_gamer")]:
            found.products[product_id] = OlistProduct(product_id, category)
        return found

    def test_are_in_their_english_category(self, found: Found) -> None:
        product = found.describe("8cab8abac59158715")
        assert product.category == NewCategory("health-beauty", "Health beauty")
        assert (product.name, product.is_named) == ("Health beauty 8cab8aba", True)

    @pytest.mark.parametrize("product_id", ["plain", "unlisted"])
    def test_of_no_known_category_have_no_name_of_their_own(
        self, found: Found, product_id: str
    ) -> None:
        product = found.describe(product_id)
        assert (product.name, product.is_named) == (f"Product {product_id}", False)
        assert product.category is None
