"""`import_rows`: comments from Python, as those of a project's own models."""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from django.db.models import F, TextChoices, Value
from django.utils.translation import gettext_lazy

from comments.data import import_rows
from comments.lists.queries import find_comment
from comments.store.comments import NoSuchComment, load_comment
from comments.store.states import State
from tests.support.chance import unique
from tests.support.documented_code import FENCE
from tests.support.importing import rejected_in
from tests.support.project import PROJECT

pytestmark = pytest.mark.usefixtures("few_items")

NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)


def row(**told: object) -> dict[str, object]:
    return {
        "id": unique("comment"),
        "product_id": unique("product"),
        "language": "en",
        "rating": 4,
        "created_at": NOON,
        **told,
    }


@pytest.fixture
def rejects(tmp_path):
    return tmp_path / "rejected.csv"


class TestRows:
    def test_are_imported_with_all_their_fields(self, rejects):
        one = row(
            author="Ann",
            title="Good",
            body="Two\nlines, “quoted”",
            verified=True,
            helpful=7,
            reply="Thank you.",
            replied_at=NOON,
            pictures=["https://a.example/1.jpg"],
        )
        report = import_rows([one], rejects=rejects)
        assert (report.counts["read"], report.counts["new"]) == (1, 1)
        assert report.counts["rows_with_pictures"] == 1
        found = find_comment(str(one["id"]))
        assert (found.author, found.title, found.body) == ("Ann", "Good", "Two\nlines, “quoted”")
        assert (found.rating, found.created, found.helpful_votes) == (4, NOON, 7)
        assert found.is_verified
        assert found.reply is not None
        assert (found.reply.text, found.reply.replied) == ("Thank you.", NOON)

    @pytest.mark.parametrize(
        ("moment", "stored"),
        [
            (NOON, NOON),
            (datetime(2024, 1, 1, 12), NOON),  # noqa: DTZ001 - as SQLite gives it
            (datetime(2024, 1, 1, 14, tzinfo=timezone(timedelta(hours=2))), NOON),
            (NOON.replace(microsecond=5), NOON.replace(microsecond=5)),
            (dt.date(2024, 1, 1), NOON.replace(hour=0)),
        ],
        ids=["aware", "naive", "offset", "microseconds", "date"],
    )
    def test_have_dates_of_python(self, rejects, moment, stored):
        one = row(created_at=moment)
        import_rows([one], rejects=rejects)
        assert find_comment(str(one["id"])).created == stored

    @pytest.mark.parametrize("rating", [4, 4.0, Decimal("4.0"), "4"], ids=repr)
    def test_have_numbers_of_python(self, rejects, rating):
        one = row(rating=rating)
        import_rows([one], rejects=rejects)
        assert find_comment(str(one["id"])).rating == 4

    def test_have_other_values_of_django(self, rejects):
        class Choice(TextChoices):
            HIDDEN = "hidden"

        number = UUID(int=len(unique("comment")) + 2**100)
        one = row(id=number, title=gettext_lazy("Delete"), state=Choice.HIDDEN, author=None)
        import_rows([one], rejects=rejects)
        stored = load_comment(str(number))
        assert (stored.comment.title, stored.state) == ("Delete", State.HIDDEN)

    def test_are_read_once_and_may_be_none(self, rejects):
        assert import_rows(iter(()), rejects=rejects).counts["rows"] == 0

    def test_again_change_nothing(self, rejects):
        rows = [row(helpful=2, state="hidden"), row()]
        assert import_rows(rows, rejects=rejects).counts["new"] == 2
        report = import_rows(iter(rows), rejects=rejects)
        assert (report.counts["written"], report.counts["unchanged"]) == (0, 2)
        assert "2 rows: 2 read, 0 rejected." in report.sentences

    def test_without_a_language_have_the_one_of_their_text(self, rejects):
        one = row(body="Die Lampe ist hell und leuchtet den ganzen Schreibtisch aus.")
        del one["language"]
        import_rows([one], rejects=rejects, detect_language=True)
        assert find_comment(str(one["id"])).language == "de"

    def test_of_a_trial_are_not_written(self, rejects):
        one = row()
        assert import_rows([one], rejects=rejects, dry_run=True).counts["new"] == 1
        with pytest.raises(NoSuchComment):
            load_comment(str(one["id"]))


class TestBadRow:
    def test_is_listed_with_its_number_and_reason(self, rejects):
        rows = [row(), row(rating=6), row(created_at=None)]
        report = import_rows(rows, rejects=rejects)
        assert (report.counts["read"], report.counts["rejected"]) == (1, 2)
        listed = rejected_in(rejects)
        assert [each["line"] for each in listed] == ["2", "3"]
        assert "“6”" in listed[0]["reason"]
        assert listed[1]["id"] == rows[2]["id"]

    def test_of_an_unknown_field_is_an_error_before_anything_is_written(self, rejects):
        good = row()
        with pytest.raises(ValueError, match="Row 2: “writer” is no field; the fields are: author"):
            import_rows([good, row(writer="Ann")], rejects=rejects)
        with pytest.raises(NoSuchComment):
            load_comment(str(good["id"]))

    def test_of_a_value_that_is_an_object_is_an_error(self, rejects):
        with pytest.raises(TypeError, match="Row 1: author is a SimpleNamespace: use text"):
            import_rows([row(author=SimpleNamespace(name="Ann"))], rejects=rejects)


# The code of docs/installing.md


def documented(mark: str) -> str:
    """The block of code that has these words, with what the document says it begins with."""
    text = (PROJECT / "docs" / "installing.md").read_text()
    beginnings = ["from pathlib import Path", "from comments.data import import_rows"]
    for beginning in beginnings:
        assert f"`{beginning}`" in text
    (code,) = [code for _language, _file, code in FENCE.findall(text) if mark in code]
    assert len([line for line in code.splitlines() if line]) <= 10
    return "\n".join([*beginnings, code])


@dataclass(frozen=True)
class Objects:
    """Stands for the manager of a model, with what the document's code calls."""

    objects: list[Any]
    names: tuple[str, ...] = ()
    expressions: Mapping[str, F | Value] = field(default_factory=dict)

    def select_related(self, *_names: str) -> "Objects":
        return self

    def values(self, *names: str) -> "Objects":
        return replace(self, names=names)

    def annotate(self, **expressions: F | Value) -> "Objects":
        return replace(self, expressions=expressions)

    def iterator(self) -> Iterator[Any]:
        for found in self.objects:
            if self.names:
                yield self._values_of(found)
            else:
                yield found

    def _values_of(self, found: object) -> dict[str, object]:
        values = {name: getattr(found, name) for name in self.names}
        for name, expression in self.expressions.items():
            if isinstance(expression, F):
                values[name] = getattr(found, expression.name)
            else:
                values[name] = expression.value
        return values


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder for the list of rejected rows, which the document's code names."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def followed(code: str, name: str, found: list[Any]) -> None:
    """Run code of the document, where ``name`` is a model of these objects."""
    exec(code, {name: SimpleNamespace(objects=Objects(found))})  # noqa: S102 - the document's


class TestDocument:
    def test_brings_the_reviews_of_any_model(self, here, capsys):
        review = SimpleNamespace(
            id=unique("review"),
            product_id=4711,
            stars=4,
            name="Ann",
            title="Good",
            body="It works.",
            written=NOON,
        )
        followed(documented("Review.objects.values("), "Review", [review])
        found = find_comment(review.id)
        assert (found.product_id, found.rating, found.author) == ("4711", 4, "Ann")
        assert (found.title, found.body, found.created) == ("Good", "It works.", NOON)
        assert "1 rows: 1 read, 0 rejected." in capsys.readouterr().out
        assert not (here / "rejected.csv").exists()

    def test_brings_the_reviews_of_oscar(self, here, capsys):
        number = 10**9
        reviews = [oscar_review(number + status, status) for status in range(3)]
        reviews[1].reviewer_name = "Bob Baker"
        reviews[1].user_id = "bob"
        reviews[1].score = 0
        reviews.append(oscar_review(number + 3, 1, product_id=None))
        followed(documented("ProductReview.objects"), "ProductReview", reviews)
        states = [load_comment(f"oscar-{number + status}").state for status in range(3)]
        assert states == [State.HELD, State.LISTED, State.HIDDEN]
        found = find_comment(f"oscar-{number + 1}")
        assert (found.author, found.user_id, found.rating) == ("Bob Baker", "bob", 1)
        assert (found.created, found.helpful_votes) == (NOON, 5)
        (listed,) = rejected_in(here / "rejected.csv")
        assert (listed["line"], listed["reason"]) == ("4", "product_id is missing")
        assert "4 rows: 3 read, 1 rejected." in capsys.readouterr().out


def oscar_review(number: int, status: int, **told: object) -> SimpleNamespace:
    """A review with the attributes of django-oscar's model that are read."""
    values = {
        "pk": number,
        "product_id": 12,
        "score": 4,
        "title": "Good",
        "body": "It works.",
        "user_id": None,
        "reviewer_name": "Ann",
        "status": status,
        "num_up_votes": 5,
        "date_created": NOON,
    }
    return SimpleNamespace(**{**values, **told})


def test_rejected_rows_are_listed_where_they_are_said_to_be(tmp_path):
    path = Path(tmp_path / "folder" / "rejected.csv")
    import_rows([row(rating=9)], rejects=path)
    assert path.exists()
