"""``import_orders``, from a folder to the table, and from the command line to its exit code."""

import gzip
import signal
import time
from datetime import UTC, datetime
from typing import Any

import pytest

from dynapages.files.identifiers import identifier_of
from dynapages.lists import PageRequest
from dynapages.process import client
from shop import keys
from shop.accounts.queries import find_user
from shop.catalogue.queries import find_product
from shop.data.names import username_for
from shop.for_comments import has_bought
from shop.models import Order, Product, ShopItem
from shop.order_status import Status
from shop.orders.counts import read_customer_counts
from shop.orders.entries import WholeOrder
from shop.orders.filters import OrderFilter
from shop.orders.moving import move_order
from shop.orders.queries import find_order, list_orders
from tests.support.command_line import ended, start_manage
from tests.support.comments.outage import own_engine
from tests.support.importing import refusal, rejected_in
from tests.support.shop.olist_folders import (
    CATEGORIES,
    CUSTOMERS,
    ITEMS,
    ORDERS,
    PRODUCTS,
    OlistFolder,
    part_of,
)
from tests.support.shop.olist_loading import REJECTS, import_folder, left_behind, table
from tests.support.shop.olist_truth import truth_of

pytestmark = pytest.mark.usefixtures("tables")

TABLE = ShopItem.Meta.table_name
NEW_YEAR = "2018-01-01 00:00:00"


@pytest.fixture
def alex(fresh):
    return fresh("alex")


@pytest.fixture
def lamp(fresh):
    return fresh("lamp")


@pytest.fixture
def olist(alex, lamp):
    """Three orders of alex: a lamp twice and shipped at New Year, nothing, and a dearer lamp."""
    folder = OlistFolder()
    folder.add(CATEGORIES, "casa", "house_and_home")
    folder.add(PRODUCTS, lamp, "casa")
    folder.add_order(f"{alex}-1", alex, "shipped", "2017-12-30 10:00:00", "", NEW_YEAR)
    folder.add_order(f"{alex}-2", alex, "unavailable", "2017-12-29 10:00:00")
    folder.add_order(f"{alex}-3", alex, "invoiced", "2018-02-01 10:00:00", "2018-02-02 10:00:00")
    folder.add(ITEMS, f"{alex}-3", "1", lamp, "20.5")
    folder.add(ITEMS, f"{alex}-1", "1", lamp, "19.9")
    folder.add(ITEMS, f"{alex}-1", "2", lamp, "19.9")
    return folder


@pytest.fixture
def imported(olist, tmp_path):
    """The counts of an import of these."""
    return import_folder(olist.write(tmp_path))


def listed(username: str, **chosen: Any) -> list[str]:
    page = list_orders(username, OrderFilter(**chosen), PageRequest(50))
    return [order.foreign_id.rpartition("-")[2] for order in page.items]


def found(foreign_id: str) -> WholeOrder:
    return find_order(foreign_id)


class TestImport:
    def test_finds_an_order_by_its_foreign_id(self, imported, alex, lamp):
        order = found(f"{alex}-1")
        (line,) = order.items
        assert (line.product_id, line.quantity, str(line.total)) == (lamp, 2, "39.80")
        assert (str(order.total), order.currency, order.item_count) == ("39.80", "BRL", 2)
        stored = Order.get(keys.user(alex), keys.order(order.id))
        assert stored.zip_prefix == "01012"

    def test_takes_an_order_without_items(self, imported, alex):
        order = found(f"{alex}-2")
        assert imported["orders"]["without_items"] == 1
        assert (order.status, order.items, order.total) == (Status.CANCELED, (), 0)


@pytest.mark.real_engine
class TestProducts:
    def test_cost_what_they_cost_last(self, imported, lamp):
        key = {"pk": {"S": keys.product(lamp)}, "sk": {"S": keys.product(lamp)}}
        item = client().get_item(TableName=TABLE, Key=key)["Item"]
        assert (item["unit_price_cents"], item["currency"]) == ({"N": "2050"}, {"S": "BRL"})

    def test_whose_ids_are_not_allowed_get_others_and_keep_theirs(self, olist, lamp, tmp_path):
        original = f"{lamp}/ö"
        for row in (*olist.rows[ITEMS], *olist.rows[PRODUCTS]):
            row["product_id"] = original
        assert import_folder(olist.write(tmp_path))["mapped"] == 1
        key = keys.product(identifier_of(original))
        product = Product.get(key, key)
        assert (product.external_id, product.unit_price_cents) == (original, 2_050)

    def test_that_only_an_item_names_exist_too(self, olist, lamp, tmp_path):
        olist.rows[PRODUCTS].clear()
        import_folder(olist.write(tmp_path))
        assert find_product(lamp).categories[0].slug == "everything-else"


@pytest.mark.real_engine
class TestCustomers:
    def test_are_users_without_a_password_since_their_first_purchase(self, imported, alex, lamp):
        user = find_user(alex)
        assert imported["users"] == {"named": 1, "created": 1}
        assert user.joined_at == datetime(2017, 12, 29, 10, tzinfo=UTC)
        assert not user.has_usable_password()
        assert has_bought(alex, lamp)

    def test_whose_names_are_not_allowed_get_others_and_keep_theirs(self, olist, lamp, tmp_path):
        original = f"{lamp} & Söhne"
        for row in olist.rows[CUSTOMERS]:
            row["customer_unique_id"] = original
        counts = import_folder(olist.write(tmp_path))
        user = find_user(username_for(original))
        assert (user.external_id, counts["mapped"]) == (original, 1)
        assert sorted(listed(user.username)) == ["1", "2", "3"]
        assert import_folder(tmp_path)["users"]["created"] == 0


@pytest.mark.real_engine
class TestImportAgain:
    def test_of_the_same_files_compressed_changes_nothing(self, imported, tmp_path):
        before = table(TABLE)
        for path in list(tmp_path.glob("*.csv")):
            path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes()))
            path.unlink()
        counts = import_folder(tmp_path)
        assert table(TABLE) == before
        assert (counts["orders"]["unchanged"], counts["users"]["created"]) == (3, 0)

    def test_takes_over_what_became_of_an_order(self, olist, alex, tmp_path):
        import_folder(olist.write(tmp_path))
        olist.rows[ORDERS][0] |= {
            "order_status": "delivered",
            "order_delivered_customer_date": "2018-01-05 10:00:00",
        }
        assert import_folder(olist.write(tmp_path))["orders"]["updated"] == 1
        assert found(f"{alex}-1").status is Status.DELIVERED
        assert read_customer_counts(alex)[Status.SHIPPED] == 0

    def test_takes_nothing_back_that_the_shop_did(self, imported, alex, tmp_path):
        move_order(
            username=alex,
            order_id=found(f"{alex}-3").id,
            source=Status.APPROVED,
            target=Status.PROCESSING,
            is_staff=True,
            now=datetime(2026, 11, 20, tzinfo=UTC),
        )
        assert import_folder(tmp_path)["orders"]["unchanged"] == 3
        assert found(f"{alex}-3").status is Status.PROCESSING


@pytest.mark.real_engine
class TestRejectedRows:
    def test_of_an_item_take_the_order_and_its_other_items_along(self, olist, alex, tmp_path):
        olist.rows[ITEMS][2]["price"] = "cheap"
        import_folder(olist.write(tmp_path), rejected=3)
        *others, cheap = [row["reason"] for row in rejected_in(tmp_path / REJECTS)]
        assert others == [f"line 4 of {ITEMS}.csv, of its order “{alex}-1”, was rejected"] * 2
        assert cheap.startswith("unit_price: “cheap” is no amount")
        assert listed(alex) == ["3", "2"]

    def test_of_a_customer_take_the_order_along(self, olist, alex, tmp_path):
        olist.rows[CUSTOMERS][1]["customer_unique_id"] = ""
        import_folder(olist.write(tmp_path), rejected=2)
        files = [row["file"] for row in rejected_in(tmp_path / REJECTS)]
        assert files == [f"{CUSTOMERS}.csv", f"{ORDERS}.csv"]
        assert listed(alex) == ["3", "1"]

    @pytest.mark.parametrize("stem", [CUSTOMERS, ORDERS, PRODUCTS, CATEGORIES])
    def test_are_the_later_ones_of_one_id(self, olist, stem, tmp_path):
        olist.rows[stem].append(olist.rows[stem][0])
        import_folder(olist.write(tmp_path), rejected=1)
        (row,) = rejected_in(tmp_path / REJECTS)
        assert (row["file"], row["line"]) == (f"{stem}.csv", str(len(olist.rows[stem]) + 1))
        assert "is there already" in row["reason"]


class TestBadUsage:
    @pytest.mark.parametrize("stems", [[ORDERS], [CUSTOMERS, ITEMS]])
    def test_names_the_files_that_are_missing(self, olist, stems, tmp_path):
        olist.write(tmp_path)
        for stem in stems:
            (tmp_path / f"{stem}.csv").unlink()
        names = ", ".join(f"no {stem}.csv" for stem in stems)
        assert refusal("import_orders", tmp_path) == f"{tmp_path} has {names}, gzip or not."

    def test_names_the_column_that_is_missing(self, olist, tmp_path):
        path = olist.write(tmp_path) / f"{ITEMS}.csv"
        path.write_text(path.read_text().replace("price", "cost", 1))
        assert "There is no column “price”" in refusal("import_orders", tmp_path)

    def test_writes_nothing_when_a_file_is_damaged(self, olist, alex, tmp_path):
        path = olist.write(tmp_path) / f"{ORDERS}.csv"
        path.with_suffix(".csv.gz").write_bytes(gzip.compress(path.read_bytes())[:-9])
        path.unlink()
        refusal("import_orders", tmp_path)
        assert listed(alex) == []


@pytest.fixture(scope="module")
def part(real_data, tmp_path_factory):
    """Some real orders: of a few users, who ordered the most."""
    source = real_data / "olist"
    users = truth_of(source).busiest(30)
    return part_of(source, users=users).write(tmp_path_factory.mktemp("part"))


@pytest.fixture(scope="module")
def expected(part):
    """What an import that is let alone leaves behind."""
    with own_engine():
        import_folder(part)
        return left_behind()


UNFINISHED = 8
"""Items of orders that may be written in part when the import is stopped."""


@pytest.mark.real_engine
class TestInterruptedImport:
    @pytest.mark.parametrize(
        ("how", "orders"),
        [
            (signal.SIGKILL, 40),
            pytest.param(signal.SIGKILL, 1, marks=pytest.mark.slow),
            pytest.param(signal.SIGKILL, 0, marks=pytest.mark.slow),
            pytest.param(signal.SIGINT, 20, marks=pytest.mark.slow),
        ],
    )
    def test_is_finished_by_running_it_again(self, part, expected, how, orders):
        with own_engine() as engine:
            arguments = ("import_orders", part, "--json", "--at-a-time", "2")
            process = start_manage(*arguments, DYNAMODB_ENDPOINT_URL=engine.endpoint_url)
            # An order has its line beside it under the same sort key.
            wait_for(
                "ORDER#" if orders else "PRODUCT#", count=2 * orders + UNFINISHED if orders else 1
            )
            process.send_signal(how)
            code, _, err = ended(process)
            assert code == (130 if how is signal.SIGINT else -signal.SIGKILL)
            assert "Traceback" not in err
            counts = import_folder(part, at_a_time=2)
            assert counts["orders"]["unchanged"] >= orders
            assert counts["orders"]["created"] > 0
            assert left_behind() == expected


def wait_for(sort_key: str, *, count: int) -> None:
    """Wait until there are so many items of a kind, looking often: the import goes on meanwhile."""
    paginator = client().get_paginator("scan")
    pages = paginator.paginate(
        TableName=TABLE,
        Select="COUNT",
        FilterExpression="begins_with(sk, :kind)",
        ExpressionAttributeValues={":kind": {"S": sort_key}},
    )
    for _ in range(20_000):
        if sum(page["Count"] for page in pages) >= count:
            return
        time.sleep(0.003)
    pytest.fail("the import wrote nothing")
