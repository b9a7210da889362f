"""``import_products``, from a file to the catalogue, and from the command to its exit code."""

import json
from pathlib import Path
from typing import Any

import pytest

from dynapages.calls import metered
from dynapages.files.identifiers import identifier_of
from shop.catalogue.content import NewCategory, NewProduct
from shop.catalogue.editing import (
    find_editable,
    find_editable_category,
    save_category,
    save_product,
)
from shop.catalogue.queries import find_category, find_product
from shop.catalogue.services import EVERYTHING_ELSE
from tests.support.catalogue.switching import take_off
from tests.support.importing import refusal, rejected_in, run_import
from tests.support.shop.checks import differences

pytestmark = pytest.mark.usefixtures("tables")


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def load(folder: Path, text: str, name: str = "products.csv", **options: Any) -> dict[str, Any]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return run_import("import_products", path, rejects=folder / "rejected.csv", **options)


def reasons(folder: Path) -> list[str]:
    return [row["reason"] for row in rejected_in(folder / "rejected.csv")]


FEED = """<?xml version="1.0"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
  <title>Shop</title>
  <item>
    <g:id>{id}</g:id>
    <title>Desk lamp</title>
    <description>Warm &amp; bright.</description>
    <g:price>12.50 EUR</g:price>
    <g:product_type>{top} &gt; Lamps</g:product_type>
    <g:gtin>4006381333931</g:gtin>
  </item>
</channel></rss>
"""


class TestAProductOfAFile:
    def test_has_all_that_its_row_tells(self, folder, fresh):
        one, top = fresh("lamp"), fresh("top")
        head = "id,name,description,price,currency,category,external_id"
        load(folder, f'{head}\n{one},Desk  lamp,Warm.,"1.234,50",eur,{top} > Lamps,77\n')
        inner = f"{top}.lamps"
        assert find_editable(one).content == NewProduct(
            one, "Desk lamp", (inner,), "Warm.", 123_450, "EUR", external_id="77"
        )
        assert [step.name for step in find_product(one).trail] == [top, "Lamps"]
        assert [d for d in differences("catalogue") if one in d.subject or top in d.subject] == []

    @pytest.mark.parametrize("name", ["feed.xml", "feed.tsv"])
    def test_of_google_is_known_by_its_preset(self, folder, fresh, name):
        one, top = fresh("lamp"), fresh("top")
        text = FEED.format(id=one, top=top)
        if name == "feed.tsv":
            head = "id\ttitle\tdescription\tprice\tproduct_type\tgtin"
            row = f"{one}\tDesk lamp\tWarm & bright.\t12.50 EUR\t{top} > Lamps\t4006381333931"
            text = f"{head}\n{row}\n"
        load(folder, text, name, preset="google")
        assert find_editable(one).content == NewProduct(
            one,
            "Desk lamp",
            (f"{top}.lamps",),
            "Warm & bright.",
            1_250,
            "EUR",
            external_id="4006381333931",
        )

    def test_of_json_lines_is_read_by_its_own_names(self, folder, fresh):
        one = fresh("lamp")
        row = {"sku": one, "title": "Lamp", "cost": 5, "category": None}
        columns = "id=sku,name=title|name,price=cost"
        options = {"columns": columns, "set": ["currency=EUR"]}
        load(folder, json.dumps(row), "products.jsonl", **options)
        assert find_editable(one).content == NewProduct(
            one, "Lamp", (EVERYTHING_ELSE.slug,), "", 500, "EUR"
        )

    def test_whose_id_cannot_be_kept_tells_it_beside(self, folder, fresh):
        original = f"{fresh('lamp')}/red"
        load(folder, f"id,name\n{original},Lamp\n")
        assert find_editable(identifier_of(original)).content.external_id == original


class TestImportingAgain:
    def test_changes_nothing_and_writes_nothing(self, folder, fresh):
        text = FEED.format(id=fresh("lamp"), top=fresh("top"))
        load(folder, text, "feed.xml", preset="google")
        with metered() as meter:
            counts = load(folder, text, "feed.xml", preset="google")
        assert counts["products"] == {"new": 0, "changed": 0, "unchanged": 1}
        assert {call.operation for call in meter.log} <= {"BatchGetItem", "Query", "GetItem"}

    def test_changes_what_the_row_tells_and_leaves_the_rest(self, folder, fresh):
        one, shelf = fresh("lamp"), fresh("shelf")
        save_category(NewCategory(shelf, "Shelf"))
        save_product(NewProduct(one, "Lamp", (shelf,), "Warm.", 100, "EUR"))
        take_off(one)
        counts = load(folder, f"id,name,price\n{one},Lamp,2.00 USD\n")
        assert counts["products"] == {"new": 0, "changed": 1, "unchanged": 0}
        assert find_editable(one).content == NewProduct(
            one, "Lamp", (shelf,), "Warm.", 200, "USD", is_off=True
        )

    def test_leaves_categories_that_staff_renamed_or_moved(self, folder, fresh):
        one, top = fresh("lamp"), fresh("top")
        text = f"id,name,category\n{one},Lamp,{top} > Lamps\n"
        load(folder, text)
        category = find_category(f"{top}.lamps")
        stored = NewCategory(category.slug, "Lights", top)
        save_category(stored, version=find_editable_category(category.slug).version)
        load(folder, text.replace("Lamp,", "Torch,"))
        assert [step.name for step in find_product(one).trail] == [top, "Lights"]

    def test_of_two_rows_with_one_id_takes_the_later(self, folder, fresh):
        one = fresh("lamp")
        counts = load(folder, f"id,name\n{one},First\n{one},Last\n")
        assert (counts["superseded"], find_product(one).name) == (1, "Last")

    def test_of_many_products_leaves_the_front_page_right(self, folder, fresh):
        name = fresh("lamp")
        rows = "".join(f"{name}-{n},Lamp,{name}\n" for n in range(30))
        load(folder, f"id,name,category\n{rows}")
        assert [d for d in differences("catalogue") if name in d.subject] == []


class TestAPriceList:
    def test_may_have_a_title_and_a_footer(self, folder, fresh):
        one = fresh("lamp")
        counts = load(
            folder, f"Prices of 2024\n\nid;name;price;currency\n{one};Lamp;9;EUR\n\nend\n"
        )
        assert (counts["read"], counts["rejected"]) == (1, 0)
        assert counts["spelling"] == (
            "fields separated by “;”, 1 line above the header left out, "
            "1 line behind the rows left out"
        )
        assert find_product(one).name == "Lamp"

    def test_says_which_line_may_name_its_columns(self, folder):
        path = folder / "products.csv"
        path.write_text("Prices\nsku,title\n1,Lamp\n", encoding="utf-8")
        assert refusal("import_products", path).endswith(
            "Line 2 has more columns: if it names them, --header-line 2 says so."
        )


class TestARejectedRow:
    @pytest.mark.parametrize(
        ("row", "reason"),
        [
            (",Lamp,,", "id is missing"),
            ("a,,,", "name is missing"),
            ("a,Lamp,lots,", "price: “lots” is no amount such as 12.50"),
            ("a,Lamp,5,", "currency is missing: give it a column, or --set currency=EUR"),
            ("a,Lamp,5 Euros,", "price: “Euros” is no sign of a currency, and no code such as EUR"),
            ("a,Lamp,,1>2>3>4>5>6>7", "category is deeper than 6, or its names are too long"),
        ],
    )
    def test_is_listed_with_its_reason(self, folder, row, reason):
        counts = load(folder, f"id,name,price,category\n{row}\n")
        assert (counts["rejected"], reasons(folder)) == (1, [reason])


class TestTheCommand:
    def test_writes_nothing_in_a_trial(self, folder, fresh):
        one = fresh("lamp")
        counts = load(folder, f"id,name\n{one},Lamp\n", dry_run=True)
        assert counts["read"] == 1
        assert [d for d in differences("catalogue") if one in d.subject] == []
        with pytest.raises(LookupError):
            find_product(one)

    def test_names_a_column_that_is_missing(self, folder):
        path = folder / "products.csv"
        path.write_text("id,title\na,Lamp\n")
        assert "There is no column “name”" in refusal("import_products", path)

    def test_says_that_a_category_would_hold_too_many_others(self, folder, fresh):
        path, top = folder / "products.csv", fresh("top")
        rows = "".join(f"{top}-{n},Lamp,{top} > Inner {n}\n" for n in range(101))
        path.write_text(f"id,name,category\n{rows}")
        assert "holds 101 others, more than 100" in refusal("import_products", path)
