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

    def test_of_several_categories_changes_nothing(self, folder, fresh):
        one, top = fresh("lamp"), fresh("top")
        text = f'id,name,category\n{one},Lamp,"{top} > Lamps, {top}-sale"\n'
        load(folder, text)
        assert load(folder, text)["products"] == {"new": 0, "changed": 0, "unchanged": 1}

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


SIGN_OF_SEVERAL = (
    "currency is missing: the sign in “$9.90” has several, so give it a column, or "
    "--set currency=USD"
)


class TestAPrice:
    @pytest.mark.parametrize(
        ("price", "cents", "code"),
        [
            ("EUR 9.90", 990, "EUR"),
            ("9,90 €", 990, "EUR"),
            ("€9.90", 990, "EUR"),
            ("9.90EUR", 990, "EUR"),
            ("US$ 9.90", 990, "USD"),
            ("USD $9.90", 990, "USD"),
            ("₹1,499.00", 149_900, "INR"),
            ("1 299 ₽", 129_900, "RUB"),
            ("99,00 zł", 9_900, "PLN"),
            ("12.500 KWD", 1_250, "KWD"),
        ],
    )
    def test_tells_its_currency(self, folder, fresh, price, cents, code):
        one = fresh("lamp")
        load(folder, f'id,name,price\n{one},Lamp,"{price}"\n')
        content = find_editable(one).content
        assert (content.unit_price_cents, content.currency) == (cents, code)

    @pytest.mark.parametrize(("sign", "code"), [("$", "CAD"), ("¥", "JPY"), ("kr", "SEK")])
    def test_has_the_currency_of_the_row_where_its_sign_has_several(
        self, folder, fresh, sign, code
    ):
        one = fresh("lamp")
        load(folder, f"id,name,price\n{one},Lamp,{sign}9\n", set=[f"currency={code}"])
        assert find_editable(one).content.currency == code

    @pytest.mark.parametrize(
        ("price", "currency", "reason"),
        [
            ("$9.90", "", SIGN_OF_SEVERAL),
            ("€9.90", "USD", "currency is USD, but the price “€9.90” has another"),
            ("$9.90", "EUR", "currency is EUR, but the price “$9.90” has another"),
            ("€9.90 USD", "", "price: “€9.90 USD” has two currencies"),
        ],
    )
    def test_is_rejected_where_the_currency_is_not_clear(self, folder, price, currency, reason):
        load(folder, f"id,name,price,currency\na,Lamp,{price},{currency}\n")
        assert reasons(folder) == [reason]

    def test_may_be_in_smallest_units(self, folder, fresh):
        one = fresh("lamp")
        rows = f"{one}-1,Lamp,1250,EUR\n{one}-2,Lamp,1250,JPY\n{one}-3,Lamp,12505,KWD\n"
        text = f"id,name,price,currency\n{rows}"
        counts = load(folder, text, minor_units=True)
        prices = [find_editable(f"{one}-{n}").content.unit_price_cents for n in (1, 2, 3)]
        assert (prices, counts["rounded_amounts"], counts["hint"]) == (
            [1_250, 125_000, 1_251],
            1,
            None,
        )

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_is_hinted_at_where_all_are_whole_and_large(self, folder, fresh, dry_run):
        one = fresh("lamp")
        text = f"id,name,price,currency\n{one},Lamp,1250,EUR\n{one}-2,Lamp,450,EUR\n"
        assert load(folder, text, dry_run=dry_run)["hint"] == (
            "All 2 amounts are whole numbers, the lowest is 450: if they are cents, use "
            "--minor-units."
        )


class TestCategories:
    @pytest.mark.parametrize(
        ("category", "slugs"),
        [
            ("{top} > Shirts, {top}-sale", ["{top}.shirts", "{top}-sale"]),
            ("{top}>Shirts,{top}", ["{top}.shirts", "{top}"]),
            ("{top} &gt; Tools &amp; More", ["{top}.tools-more"]),
            ("{top} > Food\\, Drinks, {top}-sale", ["{top}.food-drinks", "{top}-sale"]),
            ("{top}, , {top}", ["{top}"]),
        ],
    )
    def test_are_a_list_of_paths(self, folder, fresh, category, slugs):
        one, top = fresh("lamp"), fresh("top")
        load(folder, f'id,name,category\n{one},Lamp,"{category.format(top=top)}"\n')
        expected = tuple(sorted(slug.format(top=top) for slug in slugs))
        assert find_editable(one).content.category_slugs == expected
        assert [d for d in differences("catalogue") if one in d.subject or top in d.subject] == []

    def test_have_their_names_without_what_hides_a_comma(self, folder, fresh):
        one, top = fresh("lamp"), fresh("top")
        load(folder, f'id,name,category\n{one},Lamp,"{top} > Food\\, Drinks"\n')
        assert find_category(f"{top}.food-drinks").name == "Food, Drinks"

    def test_of_google_have_commas_in_their_names(self, folder, fresh):
        one, top = fresh("lamp"), fresh("top")
        path = f"{top} > Food, Beverages & Tobacco > Tea"
        text = f'id,title,google_product_category\n{one},Tea,"{path}"\n'
        load(folder, text, preset="google")
        assert [step.name for step in find_product(one).trail] == [
            top,
            "Food, Beverages & Tobacco",
            "Tea",
        ]

    def test_are_ten_at_most(self, folder):
        many = ",".join(f"c{n}" for n in range(11))
        load(folder, f'id,name,category\na,Lamp,"{many}"\n')
        assert reasons(folder) == ["category has 11 categories, more than 10"]


class TestHtml:
    TEXT = (
        'id,name,description\n{one},Tom &amp; Jerry,"<p>Soft.</p><ul><li>A</li><li>B</li></ul>"\n'
    )

    def test_becomes_text_and_is_told_once(self, folder, fresh):
        one = fresh("lamp")
        counts = load(folder, self.TEXT.format(one=one) + f"{one}-2,Plain,A < B\n")
        content = find_editable(one).content
        assert (content.name, content.description) == ("Tom & Jerry", "Soft.\n\nA\nB")
        assert find_editable(f"{one}-2").content.description == "A < B"
        assert counts["html_rows"] == 1

    def test_is_kept_where_that_is_asked_for(self, folder, fresh):
        one = fresh("lamp")
        counts = load(folder, self.TEXT.format(one=one), keep_html=True)
        content = find_editable(one).content
        assert content.name == "Tom &amp; Jerry"
        assert content.description == "<p>Soft.</p><ul><li>A</li><li>B</li></ul>"
        assert counts["html_rows"] == 0


class TestAPreset:
    SHOPIFY = """Handle,Title,Body (HTML),Product Category,Type,Published,Variant Price,Status
{one}-tee,Plain tee,<p>Soft.</p>,{one} > Clothing,Shirts,true,19.00,active
{one}-tee,,,,,,21.00,
{one}-tee,,,,,,,
{one}-cap,Cap,,,Caps,false,9.00,draft
{one}-cap,,,,,,9.50,
{one}-mug,Mug,,,"{one}, Mugs",false,5.00,active
{one}-hat,Hat,,,"{one}, Hats",TRUE,7.00,Active
"""

    NEWER_SHOPIFY = """\
Title,URL handle,Description,Product category,Published on online store,Status,Price
Tee,{one},<b>Soft</b>,{one} > Tops,TRUE,Active,19.00
Cap,{one}-2,,,FALSE,Active,1
"""

    def test_of_shopify_takes_the_first_row_of_a_public_product(self, folder, fresh):
        one = fresh("s")
        counts = load(folder, self.SHOPIFY.format(one=one), preset="shopify", set=["currency=EUR"])
        assert find_editable(f"{one}-tee").content == NewProduct(
            f"{one}-tee", "Plain tee", (f"{one}.clothing",), "Soft.", 1_900, "EUR"
        )
        assert find_editable(f"{one}-hat").content == NewProduct(
            f"{one}-hat", "Hat", (f"{one}-hats",), "", 700, "EUR"
        )
        assert (counts["read"], counts["rejected"], counts["skipped"]) == (2, 2, 3)

    def test_of_shopify_says_why_others_are_left_out(self, folder, fresh):
        load(folder, self.SHOPIFY.format(one=fresh("s")), preset="shopify", dry_run=True)
        # Prices lack a currency, which is another reason.
        assert [reason for reason in reasons(folder) if "only" in reason] == [
            "Published is “false”: only true is imported",
            "Published is “false”: only true is imported",
        ]

    def test_of_shopify_knows_the_newer_header(self, folder, fresh):
        one = fresh("s")
        text = self.NEWER_SHOPIFY.format(one=one)
        load(folder, text, preset="shopify", set=["currency=EUR"])
        assert find_editable(one).content == NewProduct(
            one, "Tee", (f"{one}.tops",), "Soft", 1_900, "EUR"
        )
        assert reasons(folder) == ["Published on online store is “FALSE”: only true is imported"]

    WOOCOMMERCE = """\
ID,Type,SKU,Name,Published,Visibility in catalog,Short description,Description,Regular price,\
Categories
1,variable,{one}-tee,Tee,1,visible,Short,One.\\nTwo.,,"{one} > Tops, {one}-sale"
2,"variation, virtual",{one}-tee-m,Tee - M,1,visible,,,21,
3,simple,{one}-cap,Cap,-1,visible,,,9,
4,simple,{one}-mug,Mug,0,visible,,,5,
5,simple,{one}-hat,Hat,1,hidden,,,7,
6,simple,,{one},1,search,Short,,8,
"""

    def test_of_woocommerce_takes_public_products(self, folder, fresh):
        one = fresh("w")
        counts = load(
            folder, self.WOOCOMMERCE.format(one=one), preset="woocommerce", set=["currency=EUR"]
        )
        assert find_editable(f"{one}-tee").content == NewProduct(
            f"{one}-tee", "Tee", (f"{one}-sale", f"{one}.tops"), "One.\nTwo."
        )
        content = find_editable("6").content
        assert (content.name, content.description, content.unit_price_cents) == (one, "Short", 800)
        assert (counts["read"], counts["rejected"], counts["skipped"]) == (2, 3, 1)
        assert reasons(folder) == [
            "Published is “-1”: only 1 is imported",
            "Published is “0”: only 1 is imported",
            "Visibility in catalog is “hidden”: only visible or catalog or search is imported",
        ]

    def test_of_facebook_leaves_out_what_is_archived(self, folder, fresh):
        one = fresh("f")
        text = f"id,title,price,status\n{one},Lamp,9.90 USD,\n{one}-2,Old,1 USD,archived\n"
        load(folder, text, preset="google")
        assert find_product(one).name == "Lamp"
        assert reasons(folder) == ["status is “archived”: only active is imported"]
