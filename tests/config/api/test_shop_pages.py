"""Pages of any size of the shop's lists: the same list by each, both ways, at a bounded price."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

import pytest

from dynapages.django.callers import Scope
from dynapages.lists import PageRequest
from shop.catalogue import queries as catalogue
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.services import put_catalogue
from shop.order_status import OPEN, Status
from shop.orders import queries as orders
from shop.orders.filters import OrderFilter
from shop.orders.items import NewOrder
from tests.support.chance import unique
from tests.support.comments.writers import someone
from tests.support.config.api import Program, program_of
from tests.support.orders.making import by_status_date, made_order, newest_first, put

pytestmark = pytest.mark.usefixtures("tables", "wide_limits")
PRODUCTS, ORDERS, MOST_PAGES = 120, 104, 40
KEY_UNITS = 2.5
"""Of a key, its limit and its user."""
PAGE_UNITS = 3.5
"""Of what is read at the beginning of a page, and with it: its runs, counts, a category."""
ITEM_UNITS = 0.05
"""Of an item of 400 bytes, which is more than products and orders have in lists."""
WHOLE = PageRequest(10_000)
STATUSES = (Status.PLACED, Status.SHIPPED, Status.APPROVED, Status.DELIVERED)


def price_of(product: NewProduct) -> int:
    return product.unit_price_cents or 0


@dataclass(frozen=True)
class Shop:
    """Products of a category, orders of a customer, and who may read all of it."""

    staff: Program
    slug: str
    stem: str
    products: list[NewProduct]
    orders: list[NewOrder]

    def priced(self) -> list[str]:
        """The ids of products that have a price, the lowest first."""
        priced = [each for each in self.products if each.unit_price_cents is not None]
        return [each.id for each in sorted(priced, key=price_of)]

    def orders_in(self, *statuses: Status) -> list[NewOrder]:
        return [order for order in self.orders if order.now_in.status in statuses]


@pytest.fixture(scope="module")
def shop(tables):
    customer, slug, stem = someone("owner", is_staff=True), unique("shelf"), unique("q")
    products = []
    for number in range(PRODUCTS):
        cents = None if number % 5 == 4 else (number * 7 % PRODUCTS + 1) * 100
        currency = None if cents is None else "EUR"
        name = f"{stem} {(number * 11) % PRODUCTS:03} of a name of sixty characters and more"
        products.append(NewProduct(unique("p"), name, (slug,), "", cents, currency))
    children = [NewCategory(unique("inner"), f"Inner {each}", slug) for each in range(9)]
    put_catalogue(categories=[NewCategory(slug, "Shelf"), *children], products=products)
    made = []
    for number in range(ORDERS):
        status = STATUSES[number % len(STATUSES)]
        placed_at = datetime.now(UTC) - timedelta(hours=number)
        order = made_order(customer.username, status, placed_at=placed_at)
        made.append(order)
    put(*made)
    staff = program_of(customer.username, Scope.STAFF)
    return Shop(staff, slug, stem, products, made)


def by_id(shop: Shop) -> list[str]:
    return sorted(each.id for each in shop.products)


def by_name(shop: Shop) -> list[str]:
    return [each.id for each in sorted(shop.products, key=lambda each: each.name)]


def all_products(_shop: Shop) -> list[str]:
    return [each.id for each in catalogue.list_all_products(WHOLE).items]


def all_categories(_shop: Shop) -> list[str]:
    return [each.slug for each in catalogue.list_all_categories(WHOLE).items]


def dearest_first(shop: Shop) -> list[str]:
    return shop.priced()[::-1]


def all_orders(shop: Shop) -> list[str]:
    return newest_first(shop.orders)


def open_orders(shop: Shop) -> list[str]:
    return newest_first(shop.orders_in(*OPEN))


def placed_and_shipped(shop: Shop) -> list[str]:
    return by_status_date(shop.orders_in(Status.PLACED, Status.SHIPPED))


def all_open(_shop: Shop) -> list[str]:
    return [each.id for each in orders.list_open_orders(OrderFilter(), WHOLE).items]


def all_placed(_shop: Shop) -> list[str]:
    chosen = OrderFilter((Status.PLACED,))
    return [each.id for each in orders.list_open_orders(chosen, WHOLE).items]


LISTS: dict[str, Callable[[Shop], list[str]]] = {
    "/categories": all_categories,
    "/products": all_products,
    "/categories/{slug}/products": by_id,
    "/categories/{slug}/products?order=name": by_name,
    "/categories/{slug}/products?order=price": Shop.priced,
    "/categories/{slug}/products?order=-price": dearest_first,
    "/search?q={stem}": by_name,
    "/orders": all_orders,
    "/orders?open=true": open_orders,
    "/orders?status=PLACED&status=SHIPPED": placed_and_shipped,
    "/orders?since=2020-01-01": all_orders,
    "/staff/customers/{username}/orders": all_orders,
    "/staff/orders": all_open,
    "/staff/orders?status=PLACED": all_placed,
}
"""The ids of all items, by the address of the list."""


def address(shop: Shop, name: str, limit: int) -> str:
    url = name.format(slug=shop.slug, stem=shop.stem, username=shop.staff.username)
    joint = "&" if "?" in url else "?"
    return f"{url}{joint}limit={limit}"


def pages(shop: Shop, url: str | None, way: str) -> Iterator[dict]:
    while url:
        answer = shop.staff.get(url)
        assert answer.status_code == 200, answer.text
        yield answer.json()
        url = answer.json()[way]


def ids_of(page: dict) -> list[str]:
    return [item.get("id") or item["slug"] for item in page["items"]]


@pytest.mark.parametrize("limit", [1, 7, 100])
@pytest.mark.parametrize("name", LISTS)
class TestAList:
    def test_is_the_same_from_its_beginning_on(self, shop, name, limit):
        whole = LISTS[name](shop)
        walked = [*islice(pages(shop, address(shop, name, limit), "next"), MOST_PAGES)]
        ids = [each for page in walked for each in ids_of(page)]
        assert ids == whole[: MOST_PAGES * limit]
        assert {len(page["items"]) for page in walked[:-1]} <= {limit}

    def test_is_the_same_from_its_end_back(self, shop, name, limit):
        whole = LISTS[name](shop)
        first = shop.staff.get(address(shop, name, limit)).json()
        end = len(whole)
        for page in islice(pages(shop, first["last"] or first["first"], "previous"), MOST_PAGES):
            ids = ids_of(page)
            if page["previous"] is None:
                # It is whole, and so may reach into the second one.
                assert ids == whole[:limit]
                assert end <= len(ids)
            else:
                assert ids == whole[end - limit : end]
                end -= limit


@pytest.mark.real_engine
@pytest.mark.parametrize("limit", [1, 20, 100])
@pytest.mark.parametrize("name", LISTS)
class TestThePrice:
    def test_of_a_page_is_bounded_by_its_limit(self, shop, name, limit):
        bound = KEY_UNITS + PAGE_UNITS + limit * ITEM_UNITS
        first = shop.staff.get(address(shop, name, limit)).json()
        assert first["cost"] <= bound
        for link in ("next", "last"):
            if first[link]:
                assert shop.staff.get(first[link]).json()["cost"] <= bound
