"""``import_comments`` of files as other systems write them: a small file for each shape."""

import json
from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from comments.data.country_codes import probable_countries
from comments.data.shapes import presets
from comments.lists.queries import find_comment
from comments.models import Comment
from dynapages.files.identifiers import identifier_of
from shop.catalogue.queries import find_product
from tests.comments.data.test_import_comments import is_listed, listed, run
from tests.support.importing import refusal

pytestmark = pytest.mark.usefixtures("tables")

ENGLISH = "It arrived in time and works as described, we are all very happy with it."
GERMAN = "Kam pünktlich an und funktioniert wie beschrieben, wir sind sehr zufrieden damit."
SPANISH = "Llegó a tiempo y funciona como se describe, estamos muy contentos con ella."


@pytest.fixture
def product(fresh):
    return fresh("product")


@pytest.fixture
def write(tmp_path):
    def make(content: str, name: str = "export.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode(encoding))
        return path

    return make


def only(product: str) -> Comment:
    """The one comment on a product, with its whole text."""
    (entry,) = listed(product)
    return find_comment(entry.id)


class TestPreset:
    """What the files of other systems hold, by their documentation and published samples."""

    def test_of_judgeme(self, write, product):
        path = write(
            "title,body,rating,review_date,source,curated,reviewer_name,reviewer_email,product_id,"
            "product_handle,reply,reply_date,picture_urls,ip_address,location\n"
            f'Fine,"{ENGLISH}",5,2024-03-02 10:12:00 UTC,web,ok,Ann,a@example.com,1,{product},'
            "Thanks!,2024-03-03 08:00:00 UTC,,,\n"
            f'Buy,"{ENGLISH}",5,2024-03-02 10:12:00 UTC,web,spam,Bot,b@example.com,1,{product},'
            ",,,,\n"
        )
        counts = run(path, rejected=1, preset="judgeme")
        assert (counts["guessed_languages"], counts["made_ids"]) == (1, 1)
        found = only(product)
        assert (found.title, found.author, found.rating, found.language) == ("Fine", "Ann", 5, "en")
        assert found.created.isoformat() == "2024-03-02T10:12:00+00:00"
        assert found.reply is not None
        assert found.reply.text == "Thanks!"

    def test_of_yotpo(self, write, product):
        path = write(
            "Review ID,Review Title,Review Content,Review Score,Date,Product ID,Display Name\n"
            f'{product}-7,Gut,"{GERMAN}",4,2024-03-02,{product},Jo\n'
        )
        assert run(path, preset="yotpo")["languages"] == {"de": 1}
        assert only(product).id == f"{product}-7"

    def test_of_trustpilot(self, write, product):
        path = write(
            "Review Id,Review Created (UTC),Review Username,Review Title,Review Content,"
            "Review Stars,Company Reply Content,Company Reply Date (UTC)\n"
            f'{product}-a,2024-03-02 10:00:00,Jo,Bien,"{SPANISH}",4,Gracias,2024-03-04 09:00:00\n'
        )
        assert run(path, preset="trustpilot", product_id=product)["languages"] == {"es": 1}
        assert only(product).reply is not None

    def test_of_shopify(self, write, product):
        path = write(
            "product_handle,state,rating,title,author,email,location,body,reply,created_at,"
            "replied_at\n"
            f'{product},published,4,Fine,Ann,a@example.com,,"{ENGLISH}",,'
            "2023-06-01T10:00:00-04:00,\n"
            f'{product},unpublished,1,Bad,Bo,b@example.com,,"{ENGLISH}",,2023-06-02 10:00:00,\n'
        )
        run(path, rejected=1, preset="shopify")
        assert only(product).created.isoformat() == "2023-06-01T14:00:00+00:00"

    def test_of_woocommerce(self, write, product):
        review = {
            "id": 7,
            "date_created": "2024-03-02T11:00:00",
            "date_created_gmt": "2024-03-02T10:00:00",
            "product_id": product,
            "status": "approved",
            "reviewer": "Ann",
            "review": f"<p>{ENGLISH}</p>\n<p>A &amp; B</p>",
            "rating": 5,
            "verified": True,
            "reviewer_avatar_urls": {"24": "https://example.com/a.png"},
        }
        held = review | {"id": 8, "status": "hold"}
        path = write(json.dumps([review, held], indent=1), "reviews.json")
        run(path, rejected=1, preset="woocommerce")
        found = only(product)
        assert found.body == f"{ENGLISH}\n\nA & B"
        assert (found.created.hour, listed(product)[0].is_verified) == (10, True)

    def test_of_google(self, write, product):
        path = write(
            f"""<?xml version="1.0" encoding="UTF-8"?>
            <feed><version>2.4</version><reviews><review>
              <review_id>{product}-1</review_id>
              <reviewer><name is_anonymous="false">Ann</name></reviewer>
              <is_verified_purchase>true</is_verified_purchase>
              <review_timestamp>2024-03-02T10:00:00Z</review_timestamp>
              <title>Fine</title><content>It &lt;works&gt;.</content>
              <review_language>en</review_language>
              <ratings><overall min="1" max="10">8</overall></ratings>
              <products><product><product_ids><skus><sku>{product}</sku></skus></product_ids>
              </product></products>
            </review></reviews></feed>""",
            "feed.xml",
        )
        assert run(path, preset="google")["rounded_ratings"] == 1
        found = only(product)
        assert (found.rating, found.body) == (4, "It <works>.")
        assert listed(product)[0].is_verified

    def test_of_trustpilot_json(self, write, product):
        review = {
            "links": [],
            "id": f"{product}-1",
            "consumer": {"id": "c1", "displayName": "Ann", "numberOfReviews": 1},
            "stars": 2,
            "title": "Late",
            "text": "Kom for sent.",
            "language": "da",
            "createdAt": "2023-09-07T13:37:00",
            "companyReply": {"text": "Undskyld.", "createdAt": "2023-09-08T09:00:00"},
            "isVerified": True,
            "status": "active",
        }
        hidden = review | {"id": f"{product}-2", "status": "reported"}
        page = {"links": [{"href": "…", "rel": "next-page"}], "reviews": [review, hidden]}
        path = write(json.dumps(page, indent=2), "reviews.json")
        run(path, rejected=1, preset="trustpilot-json", product_id=product)
        found, entry = only(product), listed(product)[0]
        assert (found.id, found.author, found.rating) == (f"{product}-1", "Ann", 2)
        assert (found.language, found.title, found.body) == ("da", "Late", "Kom for sent.")
        assert found.created.isoformat() == "2023-09-07T13:37:00+00:00"
        assert (found.reply.text, found.reply.replied.day) == ("Undskyld.", 8)
        assert entry.is_verified

    def test_of_olist(self, write, product):
        path = write(
            '"review_id","order_id","review_score","review_comment_title","review_comment_message",'
            '"review_creation_date","review_answer_timestamp"\n'
            f'"{product}","o1","4","","Recebi antes do prazo","2018-01-18 00:00:00",'
            '"2018-01-18 21:46:59"\n'
            f'"{product}","o2","5","","Bom","2018-01-18 00:00:00","2018-01-19 21:46:59"\n'
        )
        assert run(path, preset="olist", product_id=product)["languages"] == {"pt": 2}
        assert len(listed(product)) == 2  # one id of a review belongs to several orders

    def test_has_a_test_here(self):
        tested = {name.removeprefix("test_of_") for name in dir(self) if "test_of_" in name}
        assert tested == {name.replace("-", "_") for name in presets()}

    def test_gives_way_to_options(self, write, product):
        path = write(
            f'product_handle,when,rating,body,id\n{product},02/03/2024,40,"{ENGLISH}",{product}\n'
        )
        run(
            path,
            preset="shopify",
            columns="created_at=when,id=id",
            date_format=["%d/%m/%Y"],
            rating_scale="10..50",
            set=["language=nl", "author=Ann"],
        )
        found = only(product)
        assert (found.id, found.rating, found.author) == (product, 4, "Ann")
        assert found.created.date().isoformat() == "2024-03-02"

    def test_that_does_not_exist_is_refused(self, write):
        with pytest.raises(CommandError, match="judgeme"):
            call_command("import_comments", str(write("")), "--preset=amazon")


class TestSpelling:
    """One row, as different systems spell it."""

    def row(self, write: Callable[..., Path], product: str, **changed: str) -> Path:
        row = {"id": product, "language": "en", "rating": "4", "created_at": "2024-03-02"} | changed
        return write(f"{','.join(row)}\n{','.join(row.values())}\n")

    @pytest.mark.parametrize(
        ("text", "scale", "rating", "rounded"),
        [
            *(("40", "10..50", 4, 0), ("10", "10..50", 1, 0), ("10", "0..10", 5, 0)),
            *(("0", "0..10", 1, 0), ("7", "1..10", 4, 1), ('"4,5"', None, 5, 1)),
        ],
    )
    def test_of_ratings(self, write, product, text, scale, rating, rounded):
        path = self.row(write, product, rating=text)
        counts = run(path, product_id=product, rating_scale=scale)
        assert (only(product).rating, counts["rounded_ratings"]) == (rating, rounded)

    def test_of_nested_fields_and_of_a_column_that_is_switched_off(self, write, product):
        row = {
            "id": product,
            "rating": 4,
            "dates": {"publishedDate": "2024-03-02T10:00:00Z"},
            "reply": {"text": "not this one"},
        }
        run(
            write(json.dumps([row]), "a.json"),
            product_id=product,
            columns="created_at=dates.publishedDate,reply=",
            set=["language=de"],
        )
        found = only(product)
        assert (found.language, found.reply) == ("de", None)

    def test_of_ids_of_products_that_the_shop_does_not_allow(self, write, product):
        foreign = f"SKU/{product} №1"
        path = self.row(write, product, product_id=foreign)
        assert run(path)["mapped_products"] == 1
        assert find_product(identifier_of(foreign)).name == foreign

    def test_of_dates_without_a_day(self, write, product):
        path = self.row(
            write, product, created_at="februari 2023", replied_at="mei 2023", reply="x"
        )
        assert run(path, product_id=product, date_locale="nl")["dated_by_month"] == 1
        assert only(product).created.isoformat() == "2023-02-01T00:00:00+00:00"
        out = StringIO()
        call_command("import_comments", path, product_id=product, date_locale="nl", stdout=out)
        said = "Rows dated to the first of a month, because a date has no day: 1."
        assert said in out.getvalue()

    @pytest.mark.parametrize(
        ("text", "decimal", "rating"),
        [("4.000", ".", 4), ('"4,5"', ",", 4.5), ("4000.0", ".", 4000)],
    )
    def test_of_ratings_with_decimals(self, write, product, text, decimal, rating):
        path = self.row(write, product, rating=text)
        run(path, product_id=product, decimal=decimal, rating_scale="0..5000")
        assert only(product).rating == round(1 + rating * 4 / 5000)

    @pytest.mark.parametrize(("text", "decimal"), [('"4,5"', "."), ("4.5", ","), ("4.000", ",")])
    def test_of_ratings_that_decimals_are_not(self, write, product, text, decimal):
        path = self.row(write, product, rating=text)
        run(path, rejected=1, product_id=product, decimal=decimal)

    def test_of_nothing_of_a_fallback_and_of_rows_that_are_left_out(self, write, product):
        path = write(
            "id,language,rating,created_at,author,nick,reply\n"
            f"{product}1,en,4,2024-03-02,-,annie,NULL\n"
            f"{product}2,en,0,2024-03-02,bob,,NULL\n"
            f"{product}3,en,,2024-03-02,bob,,NULL\n"
        )
        out = StringIO()
        options = {"product_id": product, "columns": "author=author|nick", "null": ["-,NULL"]}
        counts = run(path, rejected=1, skip=["rating=0"], **options)
        assert (counts["rows"], counts["read"], counts["skipped"]) == (3, 1, 1)
        assert (only(product).author, only(product).reply) == ("annie", None)
        with pytest.raises(CommandError, match="1 row was rejected"):
            call_command("import_comments", path, skip=["rating=0"], stdout=out, **options)
        assert out.getvalue().startswith("3 rows: 1 read, 1 rejected, 1 skipped.\n")

    def test_of_rows_in_one_object(self, write, product):
        row = {"id": product, "rating": 4, "created_at": "2024-03-02", "language": "en"}
        path = write(json.dumps({"data": {"reviews": [row]}}), "a.json")
        run(path, product_id=product, rows="data.reviews")
        assert only(product).id == product

    def test_of_ids_with_a_prefix(self, write, product):
        path = write("id,language,rating,created_at\n,en,4,2024-03-02\n7,en,5,2024-03-02\n")
        options = {"product_id": product, "id_prefix": f"{product}-", "id_from": "created_at"}
        assert run(path, **options)["made_ids"] == 1
        assert all(one.id.startswith(f"{product}-") for one in listed(product))
        assert f"{product}-7" in {one.id for one in listed(product)}

    def test_of_standard_input(self, write, product, monkeypatch):
        content = self.row(write, product).read_bytes()
        monkeypatch.setattr("sys.stdin", type("Input", (), {"buffer": BytesIO(content)}))
        run("-", product_id=product)
        assert only(product).id == product


def test_made_ids_are_the_same_in_every_run(write, product):
    path = write(
        "language,rating,created_at,order,line\nen,4,2024-03-02,7,1\nen,4,2024-03-02,7,2\n"
    )
    options = {"id_from": "order,line", "product_id": product}
    assert run(path, **options)["made_ids"] == 2
    assert run(path, **options)["unchanged"] == 2
    assert len(listed(product)) == 2


class TestDetectedLanguages:
    def test_are_those_of_the_texts(self, write, product):
        rows = [
            {"id": f"{product}{n}", "rating": 5, "created_at": "2024-01-01", "body": text}
            for n, text in enumerate([ENGLISH, GERMAN, SPANISH])
        ]
        path = write(json.dumps(rows), "a.json")
        counts = run(path, product_id=product, detect_language=True)
        assert counts["languages"] == {"en": 1, "de": 1, "es": 1}
        assert counts["guessed_languages"] == 3

    def test_need_a_text_or_a_value(self, write, product):
        path = write(f"id,rating,created_at,body\n{product},5,2024-01-01,\n")
        run(path, rejected=1, product_id=product, detect_language=True)
        options = {"detect_language": True, "set": ["language=fr"]}
        assert run(path, product_id=product, **options)["guessed_languages"] == 0
        assert only(product).language == "fr"


class TestCountryCodes:
    @pytest.mark.parametrize(
        ("spelled", "suspects"),
        [
            (["en", "de", "sv", "ar", "ca"], []),
            (["SE", "DE", "FR"], ["SE"]),
            (["se", "br"], ["br", "se"]),
            (["jp", "sv", "ar"], ["sv"]),
            (["AR", "BR", "US"], ["BR"]),
            (["iw", "in", "ji", "sv"], []),
            (["IN", "DE", "MO"], ["IN", "MO"]),
            (["jp", "in"], ["in"]),
        ],
    )
    def test_are_suspected(self, spelled, suspects):
        assert probable_countries(spelled) == suspects

    def test_are_named_in_a_warning_unless_they_are_mapped(self, write, product):
        path = write(f"id,rating,created_at,language\n{product},5,2024-01-01,SE\n")
        out = StringIO()
        call_command("import_comments", path, product_id=product, stdout=out)
        assert "look like codes of countries: SE (Northern Sami)" in out.getvalue()
        assert "--language-map se=sv" in out.getvalue()
        assert run(path, product_id=product, language_map="se=sv")["country_codes"] == []
        assert only(product).language == "sv"


class TestTrial:
    def test_writes_nothing_and_shows_what_there_is(self, write, product, tmp_path):
        rows = "".join(
            f"{product}{n},{n % 7},2024-01-01,{'de' if n % 2 else 'en'}\n" for n in range(40)
        )
        path, out = write(f"id,rating,created_at,language\n{rows}"), StringIO()
        with pytest.raises(CommandError, match="11 rows were rejected"):
            call_command(
                "import_comments",
                path,
                product_id=product,
                dry_run=True,
                rejects=tmp_path / "rejected.csv",
                stdout=out,
            )
        told = out.getvalue()
        assert told.startswith("40 rows: 29 read, 11 rejected. Nothing was written.\n")
        assert told.count("  line ") == 10
        assert f"line 2, {product}0: rating: “0” is no number from 1 to 5" in told
        assert "de German" in told
        assert not is_listed(product)
        assert run(path, product_id=product, limit=7, rejected=2)["rows"] == 7


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"rating_scale": "5"}, "“5” is no scale of ratings such as 0..10"),
            ({"rating_scale": "5..1"}, "is no scale of ratings"),
            ({"date_format": ["DD.MM.YYYY"]}, "is no format of a year, a month and maybe a day"),
            ({"date_locale": "xx"}, "“xx” is no language of dates"),
            ({"encoding": "klingon"}, "“klingon” is no encoding"),
            ({"delimiter": ";;"}, "“;;” is no delimiter"),
            ({"columns": "text=body"}, "There is no field “text”; the fields are: id, product_id"),
            ({"columns": "body=review"}, "the columns are: id, language, rating, created_at"),
            ({"language_map": "us"}, "“us” is no pair such as us=en"),
            ({"language_map": "us=xx"}, "Unknown language “xx”"),
            ({"product_id": "a/b"}, "“a/b”"),
            ({"set": ["lang=de"]}, "There is no field “lang”"),
            ({"set": ["language"]}, "“language” is no pair"),
            ({"id_from": ","}, "--id-from needs names"),
            ({"id_prefix": " a"}, "--id-prefix cannot begin an id: id holds characters"),
            ({"id_prefix": "a" * 128}, "--id-prefix cannot begin an id: id has 129 characters"),
            ({"skip": ["rating"]}, "“rating” is no pair such as rating=0"),
            ({"skip": ["spam=1"]}, "There is no column “spam”; the columns are: id"),
            ({"null": ["spam=1"]}, "There is no column “spam”; the columns are: id"),
            ({"columns": "author=a|b"}, "There is no column “a|b” (for author)"),
            ({"rows": "reviews"}, "--rows names the list in an object of JSON"),
            ({"columns": "language="}, "language has no column: give it one, or a value by --set"),
            ({"delimiter": ";"}, "it seems that columns are separated by “,”, see --delimiter"),
        ],
    )
    def test_are_one_sentence(self, write, options, sentence):
        path = write("id,language,rating,created_at\n1,en,5,2024-01-01\n")
        assert sentence in refusal("import_comments", path, **{"product_id": "p", **options})

    def test_of_a_file_that_does_not_exist(self, tmp_path):
        path = tmp_path / "missing.csv"
        assert refusal("import_comments", path) == f"{path} does not exist."
