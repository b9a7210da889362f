"""What docs/importing.md says about Olist, rule by rule, without a table."""

from datetime import UTC, datetime
from itertools import pairwise, product

import pytest

from dynapages.django.options import Progress
from dynapages.files.dates import DateFormats
from shop.catalogue.content import NewCategory
from shop.data.history import history_of
from shop.data.olist import olist_files
from shop.data.survey import SurveyResult, read_order_files
from shop.order_status import Status
from shop.orders.items import NewOrder
from tests.support.shop.olist_folders import CATEGORIES, CUSTOMERS, ITEMS, PRODUCTS, OlistFolder

DAYS = [f"2018-01-0{day} 12:00:00" for day in range(1, 6)]


@pytest.fixture
def rejected():
    return []


@pytest.fixture
def read(tmp_path, rejected):
    def read(folder: OlistFolder) -> SurveyResult:
        files = olist_files(folder.write(tmp_path), {}, DateFormats(), reject=rejected.append)
        return read_order_files(files, reject=rejected.append, progress=Progress(shown=False))

    return read


@pytest.fixture
def order_of(read):
    """Read an order of a status and dates, with items given by number, product and price."""

    def order_of(status: str, *dates: str, items: tuple[tuple[str, ...], ...] = ()) -> NewOrder:
        folder = OlistFolder()
        folder.add_order("a1", "Alex", status, *dates)
        for item in items:
            folder.add(ITEMS, "a1", *item)
        (found,) = read(folder).orders
        return found.order

    return order_of


def life(order: NewOrder) -> list[tuple[str, int]]:
    return [(change.status.value, change.moment.day) for change in order.history]


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
    def test_ends_at_the_date_of_its_status(self, order_of, original, expected):
        order = order_of(original, *DAYS[:4])
        assert life(order) == expected
        assert [change.original for change in order.history] == [
            *[None] * (len(expected) - 1),
            original,
        ]

    def test_of_one_canceled_ends_at_the_latest_date(self, order_of):
        assert life(order_of("canceled", *DAYS[:4]))[-2:] == [("DELIVERED", 4), ("CANCELED", 4)]

    def test_of_one_unavailable_leaves_out_what_has_no_date(self, order_of):
        expected = [("PLACED", 1), ("APPROVED", 2), ("CANCELED", 2)]
        assert life(order_of("unavailable", *DAYS[:2])) == expected

    def test_of_one_delivered_without_date_ends_at_the_latest(self, order_of):
        assert life(order_of("delivered", *DAYS[:2]))[-1] == ("DELIVERED", 2)

    def test_moves_a_status_dated_behind_the_next_one_up_to_it(self, order_of):
        order = order_of("delivered", DAYS[0], DAYS[2], DAYS[1], DAYS[3])
        assert life(order)[1:3] == [("APPROVED", 2), ("SHIPPED", 2)]

    def test_has_nothing_but_the_last_status_before_the_purchase(self, order_of):
        order = order_of("shipped", DAYS[2], DAYS[3], DAYS[0])
        assert life(order) == [("PLACED", 3), ("APPROVED", 3), ("SHIPPED", 1)]

    @pytest.mark.parametrize("status", Status)
    def test_never_goes_back_in_time_unless_its_end_is_before_the_purchase(self, status):
        days = [datetime(2018, 1, day, tzinfo=UTC) for day in range(1, 6)]
        steps = (Status.APPROVED, Status.SHIPPED, Status.DELIVERED)
        for rest in product([None, *days], repeat=3):
            dates = {step: day for step, day in zip(steps, rest, strict=True) if day}
            history = history_of(status, {Status.PLACED: days[1], **dates}, None)
            assert history[0].moment == days[1]
            assert history[-1].status is status
            if history[-1].moment >= days[1]:
                assert all(a.moment <= b.moment for a, b in pairwise(history))


def test_times_are_utc_names_in_lower_case_and_zips_keep_their_zeros(order_of):
    order = order_of("created", DAYS[0])
    assert order.placed_at == datetime(2018, 1, 1, 12, tzinfo=UTC)
    assert (order.username, order.zip_prefix, order.currency) == ("alex", "01012", "BRL")


class TestLines:
    def lines(self, order: NewOrder) -> list[tuple[str, int, int]]:
        return [(line.product_id, line.quantity, line.unit_price_cents) for line in order.lines]

    def test_count_the_pieces_of_a_product_by_their_numbers(self, order_of):
        items = (("2", "p", "0.05"), ("1", "q", "99.9"), ("3", "p", "0.05"))
        order = order_of("created", DAYS[0], items=items)
        assert self.lines(order) == [("q", 1, 9_990), ("p", 2, 5)]

    def test_keep_two_prices_of_a_product_apart(self, order_of):
        order = order_of("created", DAYS[0], items=(("1", "p", "7"), ("2", "p", "1.10")))
        assert self.lines(order) == [("p", 1, 700), ("p", 1, 110)]

    @pytest.mark.parametrize(
        ("numbers", "reason"),
        [
            ("13", "its items are numbered 1, 3: one is missing, or there twice"),
            ("2", "its items are numbered 2: one is missing, or there twice"),
            ("11", "its items are numbered 1, 1: one is missing, or there twice"),
            ("x", "line_number: “x” is no number of pieces from 1 up"),
        ],
    )
    def test_need_all_their_items(self, read, rejected, numbers, reason):
        folder = OlistFolder()
        folder.add_order("a1", "alex", "created", DAYS[0])
        for number in numbers:
            folder.add(ITEMS, "a1", number, "p", "7")
        assert read(folder).orders == []
        assert reason in {row.reason for row in rejected}

    def test_may_be_any_number(self, read, rejected):
        folder = OlistFolder()
        folder.add_order("a1", "alex", "created", DAYS[0])
        for number in range(1, 151):
            folder.add(ITEMS, "a1", str(number), f"p{number}", "7")
        (found,) = read(folder).orders
        assert (len(found.order.lines), rejected) == (150, [])


def test_an_order_without_its_customer_is_rejected(read, rejected):
    folder = OlistFolder()
    folder.add_order("a1", "alex", "created", DAYS[0])
    folder.rows[CUSTOMERS].clear()
    read(folder)
    assert [row.reason for row in rejected] == [
        "customer_id: “customer-of-a1” is none of the customers"
    ]


class TestProducts:
    @pytest.fixture
    def found(self, read):
        folder = OlistFolder()
        folder.add(CATEGORIES, "beleza_saude", "health_beauty")
        folder.add(PRODUCTS, "8cab8abac59158715", "beleza_saude")
        folder.add(PRODUCTS, "plain", "pc_gamer")
        found: SurveyResult = read(folder)
        return found

    def test_are_in_their_english_category(self, found):
        product = found.catalogue.describe("8cab8abac59158715")
        assert product.category == NewCategory("health-beauty", "Health beauty")
        assert (product.name, product.is_named) == ("Health beauty 8cab8aba", True)

    @pytest.mark.parametrize("product_id", ["plain", "unlisted"])
    def test_of_no_known_category_have_no_name_of_their_own(self, found, product_id):
        product = found.catalogue.describe(product_id)
        assert (product.name, product.is_named) == (f"Product {product_id}", False)
        assert product.category is None
