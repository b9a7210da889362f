"""``export_orders``: there and back again, and on after an interruption."""

import csv
import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from dynapages.calls import metered
from dynapages.files.exports import progress_of
from shop.addresses.address import NewAddress
from shop.catalogue.content import NewProduct
from shop.catalogue.services import EVERYTHING_ELSE, put_catalogue
from shop.data import exports
from shop.data.exports import COLUMNS
from shop.order_status import ENDS, Status
from shop.orders.ids import imported_order_id, new_order_id
from shop.orders.importing import put_orders
from shop.orders.items import NewLine, NewOrder, NewPickup, StatusChange
from tests.support.chance import unique
from tests.support.comments.outage import own_engine
from tests.support.importing import import_plain
from tests.support.shop.olist_loading import left_behind

START = datetime(2024, 2, 29, 23, 59, 59, 999_999, tzinfo=UTC)
NASTY = ('Größe "XL", 1,5 m', "two\nlines", "cr\r\nlf", "=1+1;|\t'", "日本 🛍", "“q” 'q'", "\\N")


NASTY_ADDRESS = NewAddress("Ö „Ann“", "=1+1;\nWeg 2", "01067", "DRESDEN", "", "DE")


def nasty_orders(ann: str) -> list[NewOrder]:
    """Orders of a customer and another one, oldest first, with all that orders can have."""
    return [
        *(nasty_order(ann, number) for number in range(7)),
        nasty_order(f"{ann}-2", 8),
        foreign_order(ann),
    ]


def nasty_order(username: str, number: int) -> NewOrder:
    placed_at = START + timedelta(hours=number, microseconds=number)
    lines = [
        NewLine(f"{username}-{n}", name, n + 1, 99_999 * n) for n, name in enumerate(NASTY[:number])
    ]
    if lines:
        lines.append(NewLine(lines[0].product_id, lines[0].name, 99, 1))  # at another price
    return NewOrder(
        id=new_order_id(placed_at),
        username=username,
        placed_at=placed_at,
        lines=tuple(lines),
        history=tuple(
            StatusChange(
                status,
                placed_at + timedelta(days=n, microseconds=n),
                reason="Torn @ 50 %,\nand „spät“" if status in ENDS else "",
                mover="digest" if n % 2 else "",
            )
            for n, status in enumerate([*Status][: number + 1])
        ),
        currency="EUR",
        pickup=NewPickup("p 1", "Kiosk „Süd“", "Weg 1,\n2", "") if number == 1 else None,
        address=NASTY_ADDRESS if number == 2 else None,
    )


def foreign_order(username: str) -> NewOrder:
    placed_at, foreign_id = START + timedelta(days=2), unique("foreign")
    history = (
        StatusChange(Status.PLACED, placed_at),
        StatusChange(Status.SHIPPED, placed_at - timedelta(hours=1), "on its way @ 50 %, ü"),
    )
    return NewOrder(
        id=imported_order_id(placed_at, foreign_id),
        username=username,
        placed_at=placed_at,
        lines=(NewLine(f"{username}-1", "Lamp", 1, 0),),
        history=history,
        currency="BRL",
        foreign_id=foreign_id,
        zip_prefix="01012",
    )


def kept() -> list[str]:
    """All that is stored of orders, without what is made for an import's customers and products."""
    others = ('"PROFILE#', '"PRODUCT#', '"CATEGORY#', '"NAME#')
    kept = [item for item in left_behind() if '"pk": {"S": "NAMES#' not in item]
    return [item for item in kept if not any(f'"sk": {{"S": {one}' in item for one in others)]


def exported(*arguments: str) -> str:
    out = StringIO()
    call_command("export_orders", *arguments, stdout=out)
    return out.getvalue()


@pytest.mark.real_engine
class TestThereAndBack:
    @pytest.mark.parametrize("name", ["orders.csv", "orders.jsonl"])
    def test_are_the_same_orders_lines_purchases_pointers_and_counts(self, name, tmp_path):
        path = tmp_path / name
        with own_engine():
            for order in nasty_orders("ann"):
                put_orders([order])
            before = kept()
            exported("--output", str(path), "--format", path.suffix[1:])
        with own_engine():
            counts, reasons = import_plain(path, rejects=tmp_path / "rejected.csv")
            assert (reasons, counts["mapped"]) == ([], 0)
            assert kept() == before
            assert any("FOREIGN#" in item for item in before)
            assert any("BOUGHT#" in item for item in before)

    @pytest.mark.usefixtures("tables")
    @pytest.mark.parametrize(
        "history", ["PLACED@{0}@@" + "x" * 1_001, " ".join(["PLACED@{0}"] * 8)], ids=["reason", "8"]
    )
    def test_a_history_is_refused_that_no_order_can_have(self, history, tmp_path):
        placed_at = "2024-01-01T00:00:00.000000Z"
        row = f"1,jo,PLACED,{placed_at},EUR,p,1,1.00,{history.format(placed_at)}\n"
        columns = (
            "order_id,customer,status,placed_at,currency,product_id,quantity,unit_price,history\n"
        )
        (tmp_path / "a.csv").write_text(columns + row)
        _, (reason,) = import_plain(tmp_path / "a.csv", rejects=tmp_path / "rejected.csv")
        assert "history has more than 7 statuses" in reason


@pytest.mark.real_engine
class TestWhatOtherSystemsCallThem:
    ROWS = (
        "order_id,customer,status,placed_at,currency,product_id,product_name,quantity,unit_price\n"
        "#1035,jo@shop.example,paid,2024-03-02,EUR,Lamp / blue,Lamp then,1,19.90\n"
        "#1035,,,,,PEN,Pen,1,1.50\n"
        "#1036,al,paid,2024-03-03,EUR,Lamp / blue,Lamp now,1,19.90\n"
    )

    def there_and_back(self, tmp_path, *arguments: str) -> dict[str, Any]:
        """Import rows, rename a product, export, import that elsewhere; return what is there."""
        (tmp_path / "rows.csv").write_text(self.ROWS)
        with own_engine():
            import_plain(tmp_path / "rows.csv", *arguments, rejects=tmp_path / "rejected.csv")
            named = NewProduct(
                id="PEN",
                name="Pen, renamed",
                category_slugs=(EVERYTHING_ELSE.slug,),
                unit_price_cents=150,
                currency="EUR",
            )
            put_catalogue(categories=[EVERYTHING_ELSE], products=[named])
            exported("--output", str(tmp_path / "out.csv"))
            before = self.stored()
        with own_engine():
            _, reasons = import_plain(tmp_path / "out.csv", rejects=tmp_path / "rejected.csv")
            assert reasons == []
            assert self.stored() == before
        return before

    def stored(self) -> dict[str, Any]:
        items = [json.loads(item) for item in left_behind() if item[0] == "{"]
        names = ("name", "external_id", "foreign_id", "id_prefix")
        kinds = ("PROFILE#", "PRODUCT#", "ORDER#", "FOREIGN#")
        return {
            f"{item['pk']['S']} {item['sk']['S']}": [item.get(name, {}).get("S") for name in names]
            for item in items
            if item["sk"]["S"].startswith(kinds)
        }

    def test_is_the_same_for_users_products_and_orders(self, tmp_path):
        found = list(self.there_and_back(tmp_path).values())
        assert [None, "jo@shop.example", None, None] in found
        assert ["Lamp now", "Lamp / blue", None, None] in found
        assert ["Pen, renamed", None, None, None] in found
        assert [None, None, "#1035", None] in found

    def test_is_the_same_with_a_prefix(self, tmp_path):
        found = self.there_and_back(tmp_path, "--id-prefix", "berlin-")
        assert [None, None, "berlin-#1035", "berlin-"] in list(found.values())
        pointers = [key for key in found if key.startswith("FOREIGN#")]
        assert len(pointers) == 4


@pytest.mark.usefixtures("tables")
class TestACustomersOrders:
    @pytest.fixture
    def ann(self, fresh):
        username: str = fresh("ann")
        for order in nasty_orders(username):
            put_orders([order])
        return username

    def rows(self, text: str) -> list[dict[str, str]]:
        return list(csv.DictReader(StringIO(text, newline="")))

    def test_are_exported_newest_first_a_row_for_each_line(self, ann):
        with metered() as meter:
            rows = self.rows(exported("--customer", ann))
        assert "Scan" not in {call.operation for call in meter.log}
        assert list(rows[0]) == list(COLUMNS)
        ids = list(dict.fromkeys(row["order_id"] for row in rows))
        assert ids == sorted(ids, reverse=True)
        assert len(ids) == 8
        assert {row["customer"] for row in rows} == {ann}
        assert rows[-1]["product_id"] == ""  # the oldest has no lines
        assert [row["product_name"] for row in rows if row["order_id"] == ids[1]] == [
            *NASTY[:6],
            NASTY[0],
        ]

    @pytest.mark.parametrize("customer", [True, False])
    def test_go_on_after_an_interruption(self, ann, tmp_path, monkeypatch, customer):
        monkeypatch.setattr(exports, "ORDERS_AT_A_TIME", 3)
        monkeypatch.setattr("dynapages.files.export_command.SCANNED_AT_A_TIME", 7)
        arguments = ["--customer", ann] if customer else []
        path = tmp_path / "out.csv"
        with monkeypatch.context() as patch:
            stop_after_one_batch(patch)
            with pytest.raises(SystemExit):
                exported(*arguments, "--output", str(path))
        begun = path.read_bytes()
        assert progress_of(path).exists()
        exported(*arguments, "--output", str(path))
        assert path.read_bytes().decode() == exported(*arguments)
        assert path.read_bytes().startswith(begun)
        assert not progress_of(path).exists()


def stop_after_one_batch(patch: pytest.MonkeyPatch) -> None:
    made = []
    build = exports._rows

    def stopping(*arguments: Any) -> Any:
        if made:
            raise KeyboardInterrupt
        made.append(True)
        return build(*arguments)

    patch.setattr(exports, "_rows", stopping)
