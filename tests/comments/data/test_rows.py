"""Files of comments made rows, and rows made comments: no DynamoDB."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

import pytest
from django.contrib.auth import get_user_model
from hypothesis import given
from hypothesis import strategies as st

from comments.data.rows import ADDRESS, CommentParser, Findings
from comments.data.run import version_of
from comments.data.shapes import FIELDS, ID_FROM, Shape
from comments.items import NewComment, NewReply
from dynapages.files.columns import BadMapping, columns_among, parse_columns, parse_pairs
from dynapages.files.identifiers import identifier_of
from dynapages.files.records import Record, Rejected
from dynapages.files.winners import Versions
from shop.accounts.names import USERNAME_RULE
from tests.support.comments.options import comments_set

NOW = datetime(2024, 6, 1, tzinfo=UTC)
GOOD: dict[str, object] = {
    "id": "c1",
    "product_id": "42",
    "language": "en",
    "rating": "5",
    "created_at": "2024-01-01T10:00:00Z",
    "author": "ann",
    "title": "Fine",
    "body": "Does what it says.",
}
READING = CommentParser(Shape(languages={"us": "en"}), NOW)


def read(**changed: object) -> NewComment | Rejected:
    return READING.read(Record(7, GOOD | changed))


def reason(**changed: object) -> str:
    rejected = read(**changed)
    assert isinstance(rejected, Rejected)
    assert rejected.line == 7
    return rejected.reason


def comment(**changed: object) -> NewComment:
    accepted = read(**changed)
    assert isinstance(accepted, NewComment), accepted
    return accepted


class TestReading:
    def test_makes_a_comment(self):
        assert comment() == NewComment(
            id="c1",
            product_id="42",
            language="en",
            rating=5,
            created_at=datetime(2024, 1, 1, 10, tzinfo=UTC),
            author="ann",
            title="Fine",
            body="Does what it says.",
        )

    @pytest.mark.parametrize(
        "good", ["x" * 128, "lg:AOqp_-x", "a#b", "a/b", "a b", "日本", "...", 17]
    )
    def test_keeps_ids_as_they_are(self, good):
        assert comment(id=good).id == str(good)

    @pytest.mark.parametrize(
        "bad",
        ["", None, "x" * 129, "a\nb", "a\x07", ".", "..", "a/../b", " a", "a\u200b", True, []],
    )
    def test_rejects_ids_that_no_page_could_have(self, bad):
        assert reason(id=bad).startswith("id ")

    @pytest.mark.parametrize("foreign", ["-a", "a/b", "a b", "ä", "x" * 129, "a#b"])
    def test_maps_ids_that_no_product_could_have(self, foreign):
        findings = Findings()
        reading = replace(READING, findings=findings)
        read = reading.read(Record(7, GOOD | {"product_id": foreign}))
        assert isinstance(read, NewComment)
        assert read.product_id == identifier_of(foreign)
        assert findings.products == {read.product_id: foreign}

    def test_rejects_an_id_of_a_product_that_is_missing_or_too_long_to_be_its_name(self):
        assert reason(product_id=" ") == "product_id is missing"
        found = reason(product_id="x" * 1_001)
        assert found == "product_id has 1,001 characters, more than 1,000"

    @pytest.mark.parametrize("bad", ["", "uk2", "jp", "fil", "US-en", "english", "C", "engl"])
    def test_rejects_what_is_no_language(self, bad):
        assert reason(language=bad).startswith("language: ")

    @pytest.mark.parametrize(
        ("spelled", "rating"), [("1", 1), ("5.0", 5), (3, 3), (4.0, 4), ("4,5", 5), ("2.4", 2)]
    )
    def test_reads_ratings(self, spelled, rating):
        assert comment(rating=spelled).rating == rating

    @pytest.mark.parametrize(
        "bad", ["", "0", "6", "5.1", "six", "-1", "\u0665", "5e0", True, "nan"]
    )
    def test_rejects_other_ratings(self, bad):
        assert reason(rating=bad).startswith("rating")

    def test_takes_comments_of_up_to_a_day_ahead(self):
        assert comment(created_at="2024-06-02").created_at == NOW + timedelta(days=1)
        assert "in the future" in reason(created_at="2024-06-02T00:00:01Z")

    def test_keeps_texts_as_they_are_also_empty_ones(self):
        text = "  emoji 🎉,\r\n\ttabs and ends  "
        assert comment(body=text).body == text
        assert comment(title="", body=None).title == comment(body=None).body == ""

    def test_bounds_texts(self):
        assert comment(body="x" * 100_000)
        assert reason(body="é" * 50_001) == "body has 100,002 bytes, more than 100,000"
        assert reason(title="x" * 1_001) == "title has 1,001 characters, more than 1,000"
        assert reason(author="x" * 1_001).startswith("author ")

    @pytest.mark.parametrize("field", sorted(GOOD))
    @pytest.mark.parametrize("bad", ["a\udcffb", "a\0b", ["a"], {"a": 1}, False])
    def test_rejects_what_is_no_text(self, field, bad):
        assert reason(**{field: bad}).startswith(field)


class TestTheLanguage:
    @pytest.mark.parametrize("spelled", ["en", "EN", " en ", "us", "US", "en-US", "en_GB"])
    def test_may_be_a_code_of_two_letters_with_a_region_or_a_spelling_of_the_map(self, spelled):
        assert comment(language=spelled).language == "en"

    @pytest.mark.parametrize(
        ("spelled", "language"),
        [("iw", "he"), ("in", "id"), ("ji", "yi"), ("jw", "jv"), ("mo", "ro"), ("iw_IL", "he")],
    )
    def test_may_be_a_code_that_was_replaced(self, spelled, language):
        assert comment(language=spelled).language == language

    @pytest.mark.parametrize(
        ("spelled", "language"),
        [("eng", "en"), ("DEU", "de"), ("ger", "de"), ("zho-Hant", "zh"), ("chi", "zh")],
    )
    def test_may_be_a_code_of_three_letters(self, spelled, language):
        assert comment(language=spelled).language == language

    @pytest.mark.parametrize(
        ("spelled", "language"),
        [("en_US.UTF-8", "en"), ("de.UTF-8", "de"), ("ca@valencia", "ca"), ("zh-Hans-CN", "zh")],
    )
    def test_may_be_a_locale(self, spelled, language):
        assert comment(language=spelled).language == language

    def test_is_what_the_map_says_also_of_a_code_that_was_replaced(self):
        reading = CommentParser(Shape(languages={"in": "hi"}), NOW)
        found = reading.read(Record(7, GOOD | {"language": "IN"}))
        assert isinstance(found, NewComment)
        assert found.language == "hi"


class TestTheMarkOfAVerifiedPurchase:
    @pytest.mark.parametrize(
        "yes", ["true", "TRUE", "1", "1.0", 1, 1.0, "Y", "y", "Yes", "t", True]
    )
    def test_is_set_by_all_that_means_yes(self, yes):
        assert comment(verified=yes).verified

    @pytest.mark.parametrize("no", ["false", "0", "0.0", 0, 0.0, "N", "no", "f", False, "", None])
    def test_is_not_by_what_means_no(self, no):
        assert not comment(verified=no).verified

    @pytest.mark.parametrize("unknown", ["maybe", "2", "on", "10"])
    def test_is_neither_by_another_word(self, unknown):
        assert reason(verified=unknown) == f"verified: “{unknown}” is neither true nor false"


class TestHtml:
    HTML = MappingProxyType(
        {
            "author": "Tom &amp; Ann",
            "title": "So<br>good",
            "body": "<p>It holds.</p><p>Still &lt;3 it</p>",
            "reply": "<div>Thanks!</div><div>The shop</div>",
        }
    )

    def read(self, shape: Shape, **changed: object) -> tuple[NewComment, Findings]:
        parser = CommentParser(shape, NOW)
        found = parser.read(Record(7, {**GOOD, **self.HTML, **changed}))
        assert isinstance(found, NewComment), found
        return found, parser.findings

    def test_becomes_text_in_all_fields_that_are_texts_and_its_row_is_counted(self):
        found, findings = self.read(Shape())
        assert (found.author, found.title) == ("Tom & Ann", "So good")
        assert found.body == "It holds.\n\nStill <3 it"
        assert found.reply == NewReply("Thanks!\nThe shop")
        assert findings.html_rows == 1

    def test_is_kept_as_it_is_if_that_is_wished(self):
        found, findings = self.read(Shape(keep_html=True), text_format="html")
        assert (found.author, found.title, found.body) == tuple(self.HTML.values())[:3]
        assert findings.html_rows == 0

    def test_is_kept_where_the_row_says_that_its_texts_are_plain(self):
        found, findings = self.read(Shape(), text_format=" Plain")
        assert (found.author, found.title, found.body) == tuple(self.HTML.values())[:3]
        assert findings.html_rows == 0

    def test_is_read_without_a_tag_where_the_row_says_that_its_texts_are_html(self):
        found, _ = self.read(Shape(constants={"text_format": "html"}), body="one\n \n  line")
        assert found.body == "one\n \n  line"
        found, _ = self.read(Shape(), body="one<!-- not two -->", text_format="HTML")
        assert found.body == "one"

    def test_may_not_be_of_another_format(self):
        assert reason(text_format="markdown") == (
            "text_format: “markdown” is neither plain nor html; it is not read with --columns "
            "text_format="
        )

    def test_is_not_counted_in_a_row_without_any(self):
        plain = dict.fromkeys(self.HTML, "AT&T <3")
        found, findings = self.read(Shape(), **plain)
        assert found.body == "AT&T <3"
        assert findings.html_rows == 0

    def test_does_not_change_an_id_that_is_made(self):
        made = [
            self.read(Shape(id_from=ID_FROM, keep_html=keep_html), id="")[0].id
            for keep_html in (True, False)
        ]
        assert made[0] == made[1]

    def test_does_not_hide_an_address_in_the_name_of_an_author(self):
        found, findings = self.read(Shape(id_from=ID_FROM), id="", author="ann&#64;example.com")
        assert found.author == ""
        assert findings.left_out == {ADDRESS: 1}
        other, _ = self.read(Shape(id_from=ID_FROM), id="", author="bob&#64;example.com")
        assert other.id == found.id


class TestARejectedRow:
    @pytest.mark.parametrize(("found", "shown"), [(901, "901"), ("r1", "r1"), (2.5, "2.5")])
    def test_is_listed_with_its_id(self, found, shown):
        rejected = read(id=found, rating="none")
        assert isinstance(rejected, Rejected)
        assert rejected.id == shown

    @pytest.mark.parametrize("found", [None, True, [1], {"a": 1}])
    def test_is_listed_without_one_where_that_is_no_text_or_number(self, found):
        rejected = read(id=found)
        assert isinstance(rejected, Rejected)
        assert rejected.id == ""


class TestTheIdOfAUser:
    def test_is_spelled_as_the_users_are(self):
        assert comment(username=" Ann.Lee ").user_id == "ann.lee"
        assert comment(username="").user_id == ""

    @pytest.mark.parametrize("bad", ["an", "x" * 65, "a#b", "ann@home", "\uff21nn", "an\nn"])
    def test_is_one_that_a_user_could_have(self, bad):
        assert reason(username=bad) == f"username: {USERNAME_RULE}"

    @pytest.mark.parametrize("address", ["ann@example.com", "Ann <ann@example.com>"])
    def test_is_no_address(self, address):
        assert reason(username=address).startswith("username is an e-mail address")

    def test_is_the_primary_key_of_the_projects_own_users(self, settings):
        settings.AUTH_USER_MODEL = "auth.User"
        assert comment(username=" 17 ").user_id == "17"
        assert "must be an integer" in reason(username="ann")
        assert reason(username="1_7") == "username: “1_7” is not written as ids of users are"

    def test_is_the_field_that_the_project_names(self, settings):
        settings.AUTH_USER_MODEL = "auth.User"
        with comments_set(USER_ID="username"):
            assert comment(username="Ann@home").user_id == "Ann@home"
            assert reason(username="a b").startswith("username: Enter a valid username.")

    def test_has_no_sign_that_separates_the_parts_of_keys(self, settings, monkeypatch):
        settings.AUTH_USER_MODEL = "auth.User"
        field = get_user_model()._meta.get_field("username")
        monkeypatch.setattr(field, "validators", [])
        with comments_set(USER_ID="username"):
            assert reason(username="a#b") == "username holds a “#”"


class TestTheAuthor:
    @pytest.mark.parametrize("author", ["ann@example.com", " Ann <ann@example.com>"])
    def test_is_left_out_and_counted_where_it_is_an_address(self, author):
        parser = CommentParser(Shape(), NOW)
        found = parser.read(Record(7, GOOD | {"author": author}))
        assert isinstance(found, NewComment)
        assert (found.author, found.body) == ("", GOOD["body"])
        assert parser.findings.left_out == {ADDRESS: 1}

    def test_is_in_no_id_that_is_made_then(self):
        parser, ids = CommentParser(Shape(id_from=ID_FROM), NOW), set()
        for author in ("ann@example.com", "bob@example.com"):
            made = parser.read(Record(7, GOOD | {"id": "", "author": author}))
            assert isinstance(made, NewComment)
            ids.add(made.id)
        assert len(ids) == 1


class TestColumns:
    def test_are_named_like_their_fields_unless_told_otherwise(self):
        present = ["review_id", "product_id", "language", "rating", "created_at", "other"]
        shape = Shape(columns={"id": ["review_id"]})
        found = shape.among(present)
        assert found.of("id") == ["review_id"]
        assert found.of("rating") == ["rating"]
        assert found.of("body") == []
        with pytest.raises(BadMapping, match=r"“review_id” \(for id\); the columns are: a, b\."):
            shape.among(["a", "b"])

    def test_of_optional_fields_must_exist_when_they_are_named(self):
        needed = ["id", "language", "rating", "created_at"]
        assert Shape().under("42").among(needed)
        with pytest.raises(BadMapping, match="“text”"):
            Shape(columns={"body": ["text"]}, named=["body"]).under("42").among(needed)
        with pytest.raises(BadMapping, match="2 columns “id”"):
            Shape().under("42").among(["id", *needed])

    @pytest.mark.parametrize("bad", ["x", "=x", "x=", "a=b,a=c"])
    def test_are_given_as_pairs(self, bad):
        with pytest.raises(BadMapping):
            parse_pairs(bad, example="us=en")

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
    def test_that_are_not_utf_8_are_not_spelled_out(self, encoding):
        present = "id,rating".encode(encoding).decode("utf-8", "surrogateescape").split(",")
        with pytest.raises(BadMapping, match="is not UTF-8 text") as refused:
            columns_among(present, {"id": "id"}, needed=["id"])
        assert str(refused.value).isprintable()

    def test_may_have_a_mark_of_equality_in_their_names(self):
        assert parse_columns("id=a, body = b=c,", fields=FIELDS) == {"id": "a", "body": "b=c"}


class TestWinners:
    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-3, 3)), max_size=20))
    def test_are_the_newest_and_of_those_the_last(self, versions):
        rows = [comment(id=name, created_at=f"{1970 + day:04}-01-01") for name, day in versions]
        with Versions() as offered:
            for number, version in enumerate(rows):
                offered.offer(version_of(version), row=number)
            winners = offered.winners()
        won = {number for number in range(len(rows) + 1) if number in winners}
        newest = {
            name: max((d, n) for n, (i, d) in enumerate(versions) if i == name)[1]
            for name in {name for name, _ in versions}
        }
        assert won == set(newest.values())
        assert len(winners) == len(newest)
