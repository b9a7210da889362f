"""What is private in a known export stays private, and what it says of a review is read."""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from comments.data.rows import CommentParser, Findings
from comments.data.shapes import Shape, column_key, preset, presets
from comments.items import NewComment, NewReply
from comments.lists.queries import find_comment
from dynapages.files.columns import BadMapping
from dynapages.files.records import Record, Rejected
from tests.comments.data.test_import_comments import is_listed, listed, run
from tests.support.importing import refusal, rejected_in
from tests.support.project import PROJECT

NOW = datetime(2024, 6, 1, tzinfo=UTC)
TEXT = "It arrived in time and works as described, we are all very happy with it."
PUBLISHED: dict[str, dict[str, object]] = {
    "judgeme": {
        "title": "Fine",
        "body": TEXT,
        "rating": "5",
        "review_date": "2024-03-02 10:12:00 UTC",
        "source": "web",
        "curated": "ok",
        "reviewer_name": "Ann",
        "reviewer_email": "ann@example.com",
        "product_id": "1",
        "product_handle": "steel-pan",
        "reply": "Thanks!",
        "reply_date": "2024-03-03 08:00:00 UTC",
    },
    "yotpo": {
        "Review ID": "9001",
        "Review Creation Date": "2024-03-02",
        "Review Type": "Product Review",
        "Review Status": "published",
        "Status Details": "",
        "Review Score": "5",
        "Review Title": "Fine",
        "Review Content": TEXT,
        "Comment Date": "2024-03-03",
        "Comment Content": "Thanks!",
        "Comment Public": "true",
        "Reviewer Display Name": "Ann",
        "Reviewer Email": "ann@example.com",
        "Reviewer Type": "verified_buyer",
        "Product ID": "4411",
        "Product Title": "Steel pan",
    },
    "trustpilot": {
        "Review Id": "507f",
        "Review Created (UTC)": "2024-03-02 10:00:00",
        "Review Username": "Ann",
        "Review Title": "Fine",
        "Review Content": TEXT,
        "Review Stars": "5",
        "Review Status": "active",
        "Company Reply Content": "Thanks!",
        "Company Reply Date (UTC)": "2024-03-03 08:00:00",
        "Product SKU": "4411",
        "Product Name": "Steel pan",
        "Is Verified": "true",
    },
    "trustpilot-json": {
        "id": "507f",
        "product_id": "our-shop",
        "consumer.displayName": "Ann",
        "stars": 5,
        "title": "Fine",
        "text": TEXT,
        "language": "en",
        "createdAt": "2024-03-02T10:00:00Z",
        "companyReply.text": "Thanks!",
        "companyReply.createdAt": "2024-03-03T08:00:00Z",
        "isVerified": True,
        "status": "active",
    },
    "shopify": {
        "product_handle": "steel-pan",
        "state": "published",
        "rating": "5",
        "title": "Fine",
        "author": "Ann",
        "email": "ann@example.com",
        "body": TEXT,
        "reply": "Thanks!",
        "created_at": "2024-03-02 10:00:00 UTC",
        "replied_at": "2024-03-03 08:00:00 UTC",
    },
    "woocommerce": {
        "comment_ID": "7",
        "comment_post_ID": "4411",
        "product_title": "Steel pan",
        "comment_author": "Ann",
        "comment_author_email": "ann@example.com",
        "comment_date_gmt": "2024-03-02 10:00:00",
        "comment_content": f"<p>{TEXT}</p>",
        "comment_approved": "1",
        "comment_type": "review",
        "comment_parent": "0",
        "rating": "5",
        "verified": "1",
        "title": "Fine",
    },
    "google": {
        "review_id": "14295",
        "reviewer.name": "Ann",
        "reviewer.name@is_anonymous": "false",
        "is_verified_purchase": "true",
        "review_timestamp": "2024-03-02T10:00:00Z",
        "title": "Fine",
        "content": TEXT,
        "review_language": "en",
        "ratings.overall": "5",
        "ratings.overall@min": "1",
        "ratings.overall@max": "5",
        "products.product.product_ids.skus.sku": "4411",
        "products.product.product_name": "Steel pan",
        "is_spam": "false",
    },
    "olist": {
        "review_id": "97ca",
        "order_id": "73fc",
        "product_id": "4411",
        "review_score": "5",
        "review_comment_title": "Fine",
        "review_comment_message": "Recebi bem antes do prazo estipulado.",
        "review_creation_date": "2018-01-18 00:00:00",
        "review_answer_timestamp": "2018-01-18 21:46:59",
    },
}
"""A review of each known export that everybody may read."""

NOT_PUBLISHED = [
    *(("judgeme", "curated", value) for value in ("spam", "not-yet")),
    ("judgeme", "published", "false"),
    ("judgeme", "hidden", "true"),
    *(
        ("yotpo", column, value)
        for column in ("Review Status", "review_status", "Status")
        for value in ("rejected", "unpublished", "pending", "Rejected")
    ),
    *(("yotpo", "Published", value) for value in ("false", "0", "No")),
    ("yotpo", "archived", "true"),
    ("yotpo", "deleted", True),
    *(
        ("trustpilot", column, value)
        for column in ("Review Status", "status")
        for value in ("reported", "flagged", "archived", "under review", "removed")
    ),
    ("trustpilot", "Review Visibility", "hidden"),
    *(
        ("trustpilot-json", "status", value)
        for value in ("reported", "flagged", "archived", "removed")
    ),
    ("trustpilot-json", "reportData.reviewVisibility", "hidden"),
    *(("shopify", "state", value) for value in ("unpublished", "spam")),
    *(("woocommerce", "status", value) for value in ("hold", "spam", "unspam", "trash", "untrash")),
    *(
        ("woocommerce", "comment_approved", value)
        for value in ("0", "spam", "trash", "post-trashed")
    ),
    *(
        ("woocommerce", "comment_type", value)
        for value in ("order_note", "comment", "pingback", "trackback")
    ),
    *(("google", "is_spam", value) for value in ("true", "1")),
]
"""Values by which vendors say that a review is not shown."""

STATUS_COLUMNS = [
    (name, column) for name in presets() for column in presets()[name].get("only", {})
]
READ_OF = {
    "judgeme": ("Ann", False),
    "yotpo": ("Ann", True),
    "trustpilot": ("Ann", True),
    "trustpilot-json": ("Ann", True),
    "shopify": ("Ann", False),
    "woocommerce": ("Ann", True),
    "google": ("Ann", True),
    "olist": ("", False),
}
"""The author, and whether the export calls this a verified purchase."""
HAVE_REPLIES = {"judgeme", "yotpo", "trustpilot", "trustpilot-json", "shopify"}
NAME_PRODUCTS = {"yotpo", "trustpilot", "woocommerce", "google"}


def parse(name: str, findings: Findings | None = None, **changed: object) -> NewComment | Rejected:
    """Parse the published review of an export, some columns of which are changed."""
    parser = CommentParser(preset(name), NOW, findings or Findings())
    return parser.read(Record(2, PUBLISHED[name] | changed))


def reason(name: str, **changed: object) -> str:
    rejected = parse(name, **changed)
    assert isinstance(rejected, Rejected), rejected
    return rejected.reason


def comment(name: str, findings: Findings | None = None, **changed: object) -> NewComment:
    accepted = parse(name, findings, **changed)
    assert isinstance(accepted, NewComment), accepted
    return accepted


def allowed_by(name: str, column: str) -> list[str]:
    values: list[str] = presets()[name]["only"][column]
    return values


@pytest.mark.parametrize("name", presets())
class TestAPublishedReview:
    def test_is_read(self, name):
        findings = Findings()
        found = comment(name, findings)
        assert (found.rating, found.title) == (5, "Fine")
        assert (found.author, found.verified) == READ_OF[name]
        assert findings.left_out.total() == 0

    def test_has_its_reply_and_its_date(self, name):
        replied = datetime(2024, 3, 3, tzinfo=UTC)
        found = comment(name).reply
        if name in HAVE_REPLIES:
            assert isinstance(found, NewReply)
            assert found.replied_at is not None
            assert (found.text, found.replied_at.date()) == ("Thanks!", replied.date())
        else:
            assert not isinstance(found, NewReply)

    def test_names_its_product(self, name):
        findings = Findings()
        comment(name, findings)
        assert findings.product_name == ("Steel pan" if name in NAME_PRODUCTS else "")


@pytest.mark.parametrize(
    ("name", "column"),
    [("yotpo", "Product Name"), ("judgeme", "product_title"), ("woocommerce", "product_name")],
)
def test_the_name_of_a_product_may_be_in_another_column(name, column):
    row = {key: text for key, text in PUBLISHED[name].items() if text != "Steel pan"}
    findings = Findings()
    CommentParser(preset(name), NOW, findings).read(Record(2, row | {column: "Iron pan"}))
    assert findings.product_name == "Iron pan"


class TestAReviewThatIsNotPublished:
    @pytest.mark.parametrize(("name", "column", "value"), NOT_PUBLISHED)
    def test_is_rejected(self, name, column, value):
        assert f"{column} is “{str(value).lower()}”: only " in reason(name, **{column: value})

    def test_has_an_example_for_each_column_of_each_preset(self):
        named = {(name, column_key(column)) for name, column, _ in NOT_PUBLISHED}
        # The CSV of Trustpilot may be made of its API.
        named.add(("trustpilot", column_key("reportData.reviewVisibility")))
        assert named == {(name, column_key(column)) for name, column in STATUS_COLUMNS}

    def test_exists_in_every_export_but_one(self):
        assert set(presets()) - {name for name, _ in STATUS_COLUMNS} == {"olist"}

    @pytest.mark.parametrize(("name", "column"), STATUS_COLUMNS)
    def test_may_have_a_status_that_nobody_knows(self, name, column):
        allowed = " or ".join(allowed_by(name, column))
        expected = f"{column} is “quarantined”: only {allowed} is imported"
        assert reason(name, **{column: "Quarantined"}) == expected

    @pytest.mark.parametrize(("name", "column"), STATUS_COLUMNS)
    @pytest.mark.parametrize("value", ["", "  ", None])
    def test_may_have_an_empty_status(self, name, column, value):
        assert f"{column} is empty: only " in reason(name, **{column: value})

    @pytest.mark.parametrize(("name", "column"), STATUS_COLUMNS)
    def test_is_known_by_columns_in_other_spellings(self, name, column):
        for spelled in (column.upper(), column.title(), re.sub("[ _]", "-", column), f" {column}"):
            assert "“private”" in reason(name, **{spelled: "private"})

    @pytest.mark.parametrize(("name", "column"), STATUS_COLUMNS)
    def test_is_not_one_whose_status_is_written_in_capitals_or_with_blanks(self, name, column):
        for value in allowed_by(name, column):
            for spelled in (value, value.upper(), f" {value.title()} "):
                comment(name, **{column: spelled})

    def test_is_rejected_by_any_of_several_columns(self):
        changed = {"review_status": "published", "Status": "pending"}
        assert "Status is “pending”" in reason("yotpo", **changed)

    def test_needs_no_column_of_a_status_to_be_there(self):
        row = {name: value for name, value in PUBLISHED["yotpo"].items() if "Status" not in name}
        found = CommentParser(preset("yotpo"), NOW).read(Record(2, row))
        assert isinstance(found, NewComment)

    @pytest.mark.parametrize("column", ["Review Status", "Comment Public"])
    def test_is_not_known_by_a_column_that_is_there_twice(self, column):
        present = [*PUBLISHED["yotpo"], column]
        with pytest.raises(BadMapping, match=f"2 columns “{column}”"):
            preset("yotpo").among(present)

    def test_is_rejected_with_a_short_reason(self):
        column = "review status" + " " * 10_000
        text = reason("yotpo", **{column: "x" * 10_000})
        assert len(text) < 200


class TestAReply:
    @pytest.mark.parametrize("value", ["false", "FALSE", "0", "no", "", None, False, "maybe"])
    @pytest.mark.parametrize("column", ["Comment Public", "comment_public"])
    def test_that_is_not_public_is_left_out_and_counted(self, column, value):
        findings = Findings()
        row = {key: text for key, text in PUBLISHED["yotpo"].items() if key != "Comment Public"}
        parser = CommentParser(preset("yotpo"), NOW, findings)
        found = parser.read(Record(2, row | {column: value}))
        assert isinstance(found, NewComment)
        assert (found.body, found.reply) == (TEXT, None)
        assert findings.left_out == {"reply": 1}

    @pytest.mark.parametrize("value", ["true", "TRUE ", "1", "Yes", True])
    def test_that_is_public_is_read(self, value):
        assert isinstance(comment("yotpo", **{"Comment Public": value}).reply, NewReply)

    def test_that_does_not_exist_is_not_counted(self):
        findings = Findings()
        changed = {"Comment Content": " ", "Comment Public": ""}
        assert comment("yotpo", findings, **changed).reply is None
        assert findings.left_out.total() == 0

    def test_is_not_counted_in_a_row_that_is_rejected(self):
        findings = Findings()
        rejected = parse("yotpo", findings, **{"Comment Public": "no", "Review Score": "9"})
        assert isinstance(rejected, Rejected)
        assert findings.left_out.total() == 0

    def test_can_be_private_in_exports_of_yotpo_alone(self):
        assert {name for name in presets() if "reply" in preset(name).public} == {"yotpo"}


class TestAnAnonymousAuthor:
    @pytest.mark.parametrize("value", ["true", "1", "TRUE", "", None, "maybe"])
    def test_has_no_name(self, value):
        findings = Findings()
        found = comment("google", findings, **{"reviewer.name@is_anonymous": value})
        assert found.author == ""
        assert findings.left_out == {"author": 1}

    def test_is_not_in_the_id_that_is_made(self):
        anonymous = {"review_id": "", "reviewer.name@is_anonymous": "true"}
        ann = comment("google", **anonymous)
        bob = comment("google", **anonymous, **{"reviewer.name": "Bob"})
        assert ann.id == bob.id

    def test_is_one_only_if_the_feed_says_so(self):
        row = dict(PUBLISHED["google"])
        del row["reviewer.name@is_anonymous"]
        found = CommentParser(preset("google"), NOW).read(Record(2, row))
        assert isinstance(found, NewComment)
        assert found.author == "Ann"


class TestAVerifiedPurchase:
    @pytest.mark.parametrize(
        ("name", "column", "value", "is_verified"),
        [
            ("yotpo", "Reviewer Type", "Verified_Buyer", True),
            ("yotpo", "Reviewer Type", "verified_reviewer", False),
            ("yotpo", "Reviewer Type", "anonymous_user", False),
            ("yotpo", "Reviewer Type", "", False),
            ("judgeme", "verified", "buyer", True),
            ("judgeme", "verified", "nothing", False),
            ("judgeme", "verified", "email", False),
            ("trustpilot", "Is Verified", "not verified", False),
            ("trustpilot-json", "isVerified", False, False),
            ("google", "is_verified_purchase", "false", False),
        ],
    )
    def test_is_what_the_vendor_calls_one(self, name, column, value, is_verified):
        assert comment(name, **{column: value}).verified == is_verified

    def test_was_called_otherwise_in_older_files(self):
        row = {key: text for key, text in PUBLISHED["yotpo"].items() if key != "Reviewer Type"}
        found = CommentParser(preset("yotpo"), NOW).read(Record(2, row | {"verified_buyer": True}))
        assert isinstance(found, NewComment)
        assert found.verified


class TestRules:
    """They are those of any shape, and hold whatever else is changed."""

    @pytest.mark.parametrize("name", presets())
    def test_are_written_in_lower_case(self, name):
        known = presets()[name]
        values = [
            *known.get("only", {}).values(),
            *known.get("public", {}).get("reply", {}).values(),
        ]
        words = [word for allowed in values for word in allowed] + known.get("bought", [])
        assert words == [word.strip().lower() for word in words]
        assert all(words)

    def test_hold_for_a_file_about_one_product(self):
        shape = preset("yotpo").under("42")
        assert (shape.only, shape.public) == (preset("yotpo").only, preset("yotpo").public)

    def test_hold_after_the_columns_of_a_file_are_known(self):
        shape = preset("yotpo").among(list(PUBLISHED["yotpo"]))
        assert (shape.only, shape.public) == (preset("yotpo").only, preset("yotpo").public)

    def test_are_none_without_a_preset(self):
        assert (Shape().only, Shape().public, Shape().bought) == ({}, {}, ())

    def test_compare_the_start_of_a_name_alone(self):
        assert column_key("Review Status") == column_key("review_status") == "reviewstatus"
        assert len(column_key("x" * 1_000_000)) == 100


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.mark.usefixtures("tables")
class TestImport:
    """The command, with files of Yotpo."""

    @pytest.fixture
    def product(self, fresh):
        return fresh("product")

    @pytest.fixture
    def rows(self, product):
        row = PUBLISHED["yotpo"] | {"Product ID": product}
        return [
            row | {"Review ID": f"{product}-1"},
            row | {"Review ID": f"{product}-2", "Review Status": "rejected"},
            row | {"Review ID": f"{product}-3", "Review Status": "unpublished"},
            row
            | {
                "Review ID": f"{product}-4",
                "Comment Content": "Internal note: ask for his address",
                "Comment Public": "false",
            },
        ]

    def test_publishes_what_is_published_and_says_what_is_not(self, tmp_path, product, rows):
        rejects = tmp_path / "rejected.csv"
        counts = run(write(tmp_path / "a.csv", rows), rejected=2, preset="yotpo", rejects=rejects)
        assert (counts["read"], counts["private_replies"], counts["anonymous_authors"]) == (2, 1, 0)
        assert {one.id for one in listed(product)} == {f"{product}-1", f"{product}-4"}
        assert find_comment(f"{product}-1").reply.text == "Thanks!"
        assert find_comment(f"{product}-4").reply is None
        assert [row["reason"] for row in rejected_in(rejects)] == [
            f"Review Status is “{status}”: only published is imported"
            for status in ("rejected", "unpublished")
        ]

    @pytest.mark.parametrize("dry_run", [True, False])
    def test_says_in_words_how_many_replies_were_left_out(self, tmp_path, rows, dry_run):
        out = StringIO()
        path = write(tmp_path / "a.csv", [rows[0], rows[3]])
        call_command("import_comments", path, preset="yotpo", dry_run=dry_run, stdout=out)
        assert "Replies that are not public, which were left out: 1." in out.getvalue()

    def test_says_nothing_of_replies_where_all_are_public(self, tmp_path, rows):
        out = StringIO()
        path = write(tmp_path / "a.csv", rows[:1])
        call_command("import_comments", path, preset="yotpo", stdout=out)
        assert "left out" not in out.getvalue()

    def test_takes_back_a_reply_that_is_no_longer_public(self, tmp_path, product, rows):
        now_private = rows[0] | {"Comment Public": "false"}
        run(write(tmp_path / "a.csv", rows[:1]), preset="yotpo")
        run(write(tmp_path / "b.csv", [now_private]), preset="yotpo")
        assert find_comment(f"{product}-1").reply is None

    @pytest.mark.parametrize(
        "options",
        [
            {"columns": "body=Review Content,reply=Comment Content,author=Reviewer Email"},
            {"columns": "reply=Status Details|Comment Content"},
            {"product_id": "another"},
            {"set": ["language=en", "reply=Hello"]},
            {"null": ["published,false", "Comment Public=true", "Review Status=rejected"]},
            {"id_from": "Review ID"},
        ],
    )
    def test_keeps_private_what_options_do_not_know_of(self, tmp_path, product, rows, options):
        private = [rows[1], rows[2]]
        path = write(tmp_path / "a.csv", private)
        run(path, rejected=2, preset="yotpo", **options)
        assert not is_listed(product)

    def test_leaves_a_private_reply_out_of_any_column(self, tmp_path, product, rows):
        path = write(tmp_path / "a.csv", rows[3:])
        counts = run(path, preset="yotpo", columns="reply=Status Details|Comment Content")
        assert counts["private_replies"] == 1
        assert find_comment(f"{product}-4").reply is None

    def test_refuses_a_file_with_two_columns_of_one_status(self, tmp_path, rows):
        header, *lines = write(tmp_path / "a.csv", rows).read_text().splitlines()
        path = tmp_path / "b.csv"
        path.write_text("\n".join([f"Review Status,{header}", *(f"published,{x}" for x in lines)]))
        assert "2 columns “Review Status”" in refusal("import_comments", path, preset="yotpo")


@pytest.mark.usefixtures("tables")
def test_an_import_says_how_many_names_were_left_out(tmp_path, fresh):
    path, out = tmp_path / "feed.xml", StringIO()
    product = fresh("product")
    path.write_text(
        f"""<feed><reviews><review>
          <review_id>{product}-1</review_id>
          <reviewer><name is_anonymous="true">Mona Kay</name></reviewer>
          <review_timestamp>2024-03-02T10:00:00Z</review_timestamp>
          <content>{TEXT}</content><review_language>en</review_language>
          <ratings><overall min="1" max="5">5</overall></ratings>
          <products><product><product_ids><skus><sku>{product}</sku></skus></product_ids>
          </product></products></review></reviews></feed>"""
    )
    call_command("import_comments", path, preset="google", stdout=out)
    assert "Names of authors who are anonymous, which were left out: 1." in out.getvalue()
    assert find_comment(f"{product}-1").author == ""


def rows_of_the_document() -> Iterator[tuple[str, str]]:
    """Yield each preset in the table of what presets publish, and its row."""
    text = (PROJECT / "docs" / "importing.md").read_text()
    section = text.split("### What a preset publishes", 1)[1].split("\n## ", 1)[0]
    for line in section.splitlines():
        if found := re.match(r"\| `([a-z-]+)` \|", line):
            yield found[1], line


class TestTheDocument:
    def test_has_a_row_for_each_preset(self):
        assert [name for name, _ in rows_of_the_document()] == list(presets())

    @pytest.mark.parametrize("name", presets())
    def test_says_what_each_preset_publishes(self, name):
        row = dict(rows_of_the_document())[name]
        known = presets()[name]
        rules = dict(known.get("only", {}))
        for fields in known.get("public", {}).values():
            rules |= fields
        for column, allowed in rules.items():
            assert f"`{column}`" in row
            assert f"`{allowed[0]}`" in row
