"""``import_comments``, from a file to the lists, and from the command line to its exit code."""

import csv
import gzip
import signal
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from comments.filters import CommentFilter
from comments.indexes.planner import plan
from comments.items import LONGEST_LISTED_TEXT, excerpt
from comments.lists.entries import CommentEntry, entry_of
from comments.lists.queries import find_comment
from comments.models import TABLE
from comments.store.counts import read_counts
from dynapages.calls import metered
from dynapages.lists import PageRequest
from dynapages.process import read
from shop.catalogue.queries import find_product
from shop.table import TABLE as SHOP
from tests.support.command_line import ended, run_manage, start_manage
from tests.support.comments.outage import own_engine
from tests.support.comments.truth import COUNTRIES, REVIEWS
from tests.support.importing import newest, refusal, rejected_in, run_import
from tests.support.shop.olist_loading import table

pytestmark = pytest.mark.usefixtures("tables")

START = datetime(2024, 1, 1, tzinfo=UTC)
LONG = "A sentence that goes on. " * 60
COLUMNS = (
    "id=review_id,language=store_lang,created_at=review_date,author=user_hash,body=review_text"
)

Row = dict[str, Any]


@pytest.fixture
def product(fresh):
    return fresh("product")


@pytest.fixture
def rows(product):
    """Sixty rows of twenty comments, some of them long, many with equal dates."""
    rng = Random(product)
    return [
        {
            "id": f"{product}/{rng.randrange(20)}",
            "product_id": product,
            "language": rng.choice(["en", "de", "ja"]),
            "rating": str(rng.randint(1, 5)),
            "created_at": (START + timedelta(seconds=rng.randrange(5))).isoformat(),
            "author": rng.choice(["ann", ""]),
            "title": f"Row {number}",
            "body": rng.choice(["", "two\r\nlines", "🎉, “quoted”", LONG + str(number)]),
        }
        for number in range(60)
    ]


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    return path


def run(path: Path | str, *, rejected: int = 0, **options: Any) -> dict[str, Any]:
    """Import a file so many of whose rows are rejected."""
    counts = run_import("import_comments", path, **options)
    assert counts["rejected"] == rejected
    outcomes = ("written", "unchanged", "superseded", "resumed")
    assert sum(counts[outcome] for outcome in outcomes) == counts["read"]
    assert counts["new"] + counts["replaced"] == counts["written"]
    assert sum(counts["languages"].values()) == counts["read"] - counts["superseded"]
    return counts


def listed(product: str, *, languages: Sequence[str] = (), ratings: Sequence[int] = ()) -> Any:
    chosen, request = CommentFilter.of(languages, ratings), PageRequest(500)
    found: list[CommentEntry] = []
    while True:
        page = read(plan(product, chosen).runs, request)
        found += [entry_of(entry.item) for entry in page.entries]
        if not page.has_next:
            return found
        request = PageRequest(500, page.entries[-1].position)


def is_listed(product: str) -> bool:
    """Whether there is any comment on a product."""
    return bool(read(plan(product, CommentFilter()).runs, PageRequest(1)).entries)


def assert_same(product: str, rows: Sequence[Row], *, whole: int = 1) -> None:
    """Compare every index, and each ``whole``-th whole comment, with the rows of a file."""
    expected = list(newest(rows).values())
    for languages in [(), ("en",), ("de", "en", "ja")]:
        for ratings in [(), (5,), (1, 2, 4)]:
            wanted = sorted(
                (r["created_at"], r["id"])
                for r in expected
                if (not languages or r["language"] in languages)
                and (not ratings or int(r["rating"]) in ratings)
            )
            found = listed(product, languages=languages, ratings=ratings)
            assert [(c.created.isoformat(), c.id) for c in found] == wanted[::-1]
    for row in expected[::whole]:
        found = find_comment(row["id"])
        assert (found.body, found.author, found.title) == (row["body"], row["author"], row["title"])


class TestImport:
    @pytest.mark.fallback
    def test_of_rows_in_any_order_keeps_the_newest_of_each(self, tmp_path, product, rows):
        counts = run(write_csv(tmp_path / "a.csv", rows))
        assert counts["new"] == len(newest(rows))
        assert counts["superseded"] == len(rows) - len(newest(rows))
        assert_same(product, rows)

    @pytest.mark.fallback
    def test_again_changes_nothing_and_writes_nothing(self, tmp_path, rows):
        path = write_csv(tmp_path / "a.csv", rows)
        run(path)
        before = table(TABLE)
        with metered() as meter:
            counts = run(path)
        assert table(TABLE) == before
        assert {call.operation for call in meter.log} <= {
            "BatchGetItem",
            "GetItem",
            "Query",
            "Scan",
        }
        assert (counts["written"], counts["unchanged"]) == (0, len(newest(rows)))

    def test_creates_products_once_unless_all_rows_are_of_one(self, tmp_path, product, fresh, rows):
        path = write_csv(tmp_path / "a.csv", rows)
        run(path, product_id=fresh("all"))
        with pytest.raises(LookupError):
            find_product(product)
        assert run(path)["products_created"] == 1
        assert run(path)["products_created"] == 0
        assert find_product(product).name == product


class TestRejectedRows:
    @pytest.fixture
    def path(self, tmp_path, rows):
        rows[3] |= {"body": "two\nlines", "rating": "6"}
        rows[5] |= {"id": rows[5]["id"] + "x", "language": "us"}
        return write_csv(tmp_path / "a.csv", rows)

    def test_are_listed_with_line_and_id_and_do_not_keep_the_others_out(
        self, path, tmp_path, product, rows
    ):
        run(path, rejected=2, rejects=tmp_path / "deep" / "rejected.csv")
        found = rejected_in(tmp_path / "deep" / "rejected.csv")
        lines = path.read_bytes().split(b"\n")
        assert [row["id"] for row in found] == [rows[3]["id"], rows[5]["id"]]
        for row in found:
            assert lines[int(row["line"]) - 1].startswith(row["id"].encode())
        assert_same(product, [row for n, row in enumerate(rows) if n not in {3, 5}])

    def test_of_an_earlier_import_are_forgotten(self, path, tmp_path, rows):
        run(path, rejected=2, rejects=tmp_path / "rejected.csv")
        run(write_csv(path, rows[6:]), rejects=tmp_path / "rejected.csv")
        assert not (tmp_path / "rejected.csv").exists()


class TestASupersededRow:
    @pytest.fixture
    def older(self, tmp_path, rows, fresh):
        """A file whose one row is older than what is stored, about another product."""
        run(write_csv(tmp_path / "a.csv", rows[:1]))
        changed = {"created_at": "2019-01-01", "language": "fr", "product_id": fresh("empty")}
        return write_csv(tmp_path / "b.csv", [rows[0] | changed])

    def test_has_no_effect_at_all(self, older):
        before = table(TABLE), table(SHOP)
        counts = run(older)
        assert (table(TABLE), table(SHOP)) == before
        assert (counts["superseded"], counts["products_created"], counts["languages"]) == (1, 0, {})

    @pytest.mark.parametrize("is_trial", [True, False])
    def test_of_the_same_file_is_not_among_the_languages(self, tmp_path, rows, is_trial):
        older = rows[0] | {"created_at": "2019-01-01", "language": "fr"}
        path = write_csv(tmp_path / "a.csv", [older, rows[0], older])
        counts = run_import("import_comments", path, dry_run=is_trial)
        assert (counts["superseded"], counts["languages"]) == (2, {rows[0]["language"]: 1})

    def test_gives_a_product_no_name(self, tmp_path, rows, fresh):
        newer = rows[0] | {"product_id": fresh("named"), "product_name": "Newer name"}
        older = newer | {"created_at": "2019-01-01", "product_name": "Older name"}
        run(write_csv(tmp_path / "a.csv", [older, newer, older]))
        assert find_product(newer["product_id"]).name == "Newer name"


class TestIdsOfTwoSources:
    @pytest.fixture
    def sources(self, tmp_path, fresh):
        """Two files whose ids are small numbers, of comments by different people."""

        def source(author: str, day: int) -> Path:
            rows = [
                {
                    "id": f"{prefix}{number}",
                    "product_id": f"{prefix}{author}",
                    "language": "en",
                    "rating": "4",
                    "created_at": f"2024-01-{day:02}",
                    "author": author,
                    "body": f"{author} said {number}",
                }
                for number in (1, 2, 3)
            ]
            return write_csv(tmp_path / f"{author}.csv", rows)

        prefix = fresh("source")
        return prefix, source("ann", 5), source("bob", 9)

    @pytest.mark.parametrize("turned", [True, False])
    @pytest.mark.parametrize("product", [None, "one"])
    def test_are_told_of_whichever_comes_first(self, sources, turned, product):
        prefix, *paths = sources
        first, second = paths[::-1] if turned else paths
        options = {"product_id": f"{prefix}one"} if product else {}
        assert run(first, **options)["collided"] == 0
        out = StringIO()
        call_command("import_comments", second, stdout=out, dry_run=True, **options)
        assert "Rows with the id of a comment that is not another version of them: 3. If" in (
            out.getvalue()
        )
        assert "--id-prefix keeps the two apart" in out.getvalue()
        assert run(second, **options)["collided"] == 3

    def test_are_kept_apart_by_a_prefix(self, sources):
        prefix, first, second = sources
        run(first, id_prefix="yotpo-")
        counts = run(second, id_prefix="judge-")
        assert (counts["collided"], counts["new"]) == (0, 3)
        assert find_comment(f"yotpo-{prefix}1").author == "ann"
        assert run(first, id_prefix="yotpo-")["unchanged"] == 3

    @pytest.mark.parametrize(
        "changed",
        [
            {"created_at": "2024-02-01", "body": "edited", "rating": "1"},
            {"created_at": "2024-02-01", "body": "edited", "author": ""},
            {"created_at": "2024-02-01", "product_id": "moved"},
            {"author": "A. N.", "body": ""},
        ],
    )
    def test_are_no_newer_versions_of_one_comment(self, sources, tmp_path, changed):
        _, path, _ = sources
        run(path)
        with path.open(newline="") as file:
            row = next(csv.DictReader(file))
        counts = run(write_csv(tmp_path / "newer.csv", [row | changed]))
        assert (counts["replaced"], counts["collided"]) == (1, 0)


class TestATrial:
    def test_compares_with_what_is_stored_and_writes_nothing(self, tmp_path, rows):
        run(write_csv(tmp_path / "a.csv", rows[:1]))
        before, out = table(TABLE), StringIO()
        newer = rows[0] | {"created_at": "2024-05-01"}
        path = write_csv(tmp_path / "a.csv", [newer, rows[1] | {"id": f"{rows[1]['id']}x"}])
        call_command("import_comments", path, dry_run=True, stdout=out)
        assert "with what is stored: 1 new, 1 to be replaced, 0 unchanged" in out.getvalue()
        assert table(TABLE) == before

    def test_needs_no_database(self, tmp_path, rows):
        path, out = write_csv(tmp_path / "a.csv", rows), StringIO()
        with own_engine(with_tables=False):
            call_command("import_comments", path, dry_run=True, stdout=out)
        assert "60 rows: 60 read" in out.getvalue()
        assert "It was not compared with what is stored" in out.getvalue()


class TestBadUsage:
    def test_names_twenty_of_many_columns(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text(",".join(f"{'c' * 100}{number}" for number in range(1_000)) + "\n")
        said = refusal("import_comments", path)
        assert said.endswith(f"{'c' * 60} and 980 more.")
        assert len(said) < 2_000

    @pytest.mark.parametrize("rejects", ["./a.csv", "a.csv/b"])
    def test_never_overwrites_the_input(self, tmp_path, rows, rejects):
        path = write_csv(tmp_path / "a.csv", [rows[0] | {"rating": ""}])
        before = path.read_bytes()
        refusal("import_comments", path, rejects=tmp_path / rejects)
        assert path.read_bytes() == before

    @pytest.mark.parametrize(
        "content", [b"", gzip.compress(b"id\n1\n" * 99, mtime=0)[:-9]], ids=["empty", "cut short"]
    )
    def test_of_a_file_that_is_no_table(self, tmp_path, content):
        (tmp_path / "a.csv").write_bytes(content)
        refusal("import_comments", tmp_path / "a.csv")


class TestCommandLine:
    def test_exits_with_1_when_rows_were_rejected_and_draws_no_bar_into_a_file(
        self, tmp_path, rows
    ):
        path = write_csv(tmp_path / "a.csv", [*rows, rows[0] | {"rating": "0"}])
        code, out, err = run_manage("import_comments", path)
        assert (code, err.count("\n")) == (1, 1)
        assert out.startswith("61 rows: 60 read, 1 rejected.\n")
        assert "1 row was rejected" in err

    def test_says_in_a_line_that_there_are_no_tables(self, tmp_path, rows):
        path = write_csv(tmp_path / "a.csv", rows)
        with own_engine(with_tables=False):
            code, _, err = run_manage("import_comments", path)
        assert (code, err.count("\n")) == (1, 1)
        assert "create_tables" in err


@pytest.mark.real_engine
class TestInterruptedImport:
    @pytest.fixture
    def many(self, product):
        rng = Random(product)
        return [
            {
                "id": f"{product}/{number}",
                "product_id": product,
                "language": rng.choice(["en", "de"]),
                "rating": str(rng.randint(1, 5)),
                "created_at": (START + timedelta(seconds=rng.randrange(900))).isoformat(),
                "author": "",
                "title": "",
                "body": LONG if rng.random() < 0.1 else "short",
            }
            for number in range(1_200)
        ]

    @pytest.fixture
    def interrupted(self, tmp_path, product, many):
        """An import that has written its first comments and is not at its end."""
        process = start_manage("import_comments", write_csv(tmp_path / "many.csv", many))
        while process.poll() is None and not is_listed(product):
            time.sleep(0.01)
        yield process
        process.kill()
        process.communicate()

    @pytest.mark.slow
    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
    def test_is_finished_by_running_it_again(self, how, tmp_path, product, many, interrupted):
        interrupted.send_signal(how)
        code, _, err = ended(interrupted)
        assert code == (130 if how is signal.SIGINT else -signal.SIGKILL)
        assert "Traceback" not in err
        assert 0 < len(listed(product)) < len(many)
        counts = run(tmp_path / "many.csv")
        assert counts["unchanged"] > 0
        assert counts["unchanged"] + counts["new"] == len(many)
        assert_same(product, many, whole=60)
        expected = Counter((row["language"], int(row["rating"])) for row in newest(many).values())
        assert Counter(read_counts(product, consistent=True).cells) == expected


class TestRealReviews:
    @pytest.mark.slow
    @pytest.mark.real_engine
    def test_are_all_listed_by_the_command_of_the_readme(self, real_data, fresh):
        reviews = real_data / REVIEWS
        with gzip.open(reviews, "rt", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        product = fresh("reviews")
        columns = f"{COLUMNS},reply=reply_text,replied_at=reply_date"
        options = {"columns": columns, "language_map": "us=en,jp=ja,dk=da", "product_id": product}
        # Some texts have references such as &#39;, which are compared as they are.
        options["keep_html"] = True
        assert run(reviews, **options)["read"] == 31_367
        assert run(reviews, **options)["unchanged"] == 31_367
        expected = sorted(
            (r["review_date"], r["review_id"], COUNTRIES.get(r["store_lang"], r["store_lang"]))
            for r in rows
        )
        found = [(f"{c.created:%Y-%m-%d %H:%M:%S}", c.id, c.language) for c in listed(product)]
        assert found == expected[::-1]
        for row in rows[::500]:
            whole = find_comment(row["review_id"])
            assert (whole.body, whole.product_id) == (row["review_text"], product)
        replies = {row["review_id"]: row["reply_text"] for row in rows}
        said = {c.id: c.reply.text for c in listed(product) if c.reply}
        assert said == {
            review: excerpt(text) if len(text.encode()) > LONGEST_LISTED_TEXT else text
            for review, text in replies.items()
            if text
        }
        assert len(said) == 11_296
