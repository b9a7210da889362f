"""Imports that are interrupted and go on, and imports of parts of a file, against the truth.

Chunks are small here, so that few rows have several.
"""

import csv
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from comments.data import checkpoints, run, writer
from comments.items import NewComment
from comments.lists.queries import find_comment
from comments.models import TABLE
from comments.rankings.services import Ranking, stored_ranks
from comments.store.counts import read_counts
from dynapages.calls import clock, metered
from dynapages.engine.fault_proxy import FaultProxy
from dynapages.engine.lag import Lag
from dynapages.files.two_passes import Part, TwoPassImport
from dynapages.process import client
from dynapages.upkeep import every_item
from tests.support.comments.outage import connected, own_engine
from tests.support.importing import newest, refusal, rejected_in, run_import

pytestmark = pytest.mark.usefixtures("tables")

START = datetime(2024, 1, 1, tzinfo=UTC)
CHUNK = 5
"""Comments of a chunk."""

Row = dict[str, Any]


class Killed(BaseException):
    """What ends a run in a test."""


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(writer, "CHUNK", CHUNK)


@pytest.fixture
def products(fresh):
    return [fresh("product") for _ in range(3)]


@pytest.fixture
def rows(products):
    """Sixty rows of forty comments."""
    rng = Random(products[0])
    return [
        {
            "id": f"{products[0]}/{rng.randrange(40)}",
            "product_id": rng.choice(products),
            "language": rng.choice(["en", "de"]),
            "rating": str(rng.randint(1, 5)),
            "created_at": (START + timedelta(seconds=rng.randrange(5))).isoformat(),
            "body": f"Row {number}",
        }
        for number in range(60)
    ]


@pytest.fixture
def path(tmp_path, rows):
    return write_csv(tmp_path / "comments.csv", rows)


def write_csv(path: Path, rows: Sequence[Row]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    return path


def import_file(path: Path, **options: Any) -> dict[str, Any]:
    return run_import("import_comments", path, **options)


def interrupt(path: Path, *, after_chunks: int, **options: Any) -> None:
    """Import a file, and end that when so many chunks are written."""
    put = writer.BulkWriter.put
    chunks = 0

    def put_or_die(self: writer.BulkWriter, comments: Sequence[NewComment], **given: Any) -> Any:
        nonlocal chunks
        if chunks == after_chunks:
            raise Killed
        chunks += 1
        return put(self, comments, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer.BulkWriter, "put", put_or_die)
        with pytest.raises(Killed):
            import_file(path, **options)


def assert_stored(rows: Sequence[Row]) -> None:
    """Compare comments, counts, and ranks by the last comment with the rows of a file."""
    expected = list(newest(rows).values())
    for row in expected:
        found = find_comment(row["id"])
        assert (found.product_id, found.body) == (row["product_id"], row["body"])
    for product in {row["product_id"] for row in rows}:
        of_product = [row for row in expected if row["product_id"] == product]
        cells: dict[tuple[str, int], int] = {}
        for row in of_product:
            cell = row["language"], int(row["rating"])
            cells[cell] = cells.get(cell, 0) + 1
        stored = read_counts(product, consistent=True).cells
        assert {cell: number for cell, number in stored.items() if number} == cells
        last = max((row["created_at"], row["id"]) for row in of_product)
        rank = stored_ranks([(Ranking.COMMENTED, product)])[Ranking.COMMENTED, product]
        assert rank["o"]["S"].endswith(last[1])


def all_checkpoints() -> set[str]:
    partitions = (item["pk"]["S"] for item in every_item(client(), TABLE))
    return {partition for partition in partitions if partition.startswith("IMPORT#")}


@pytest.fixture
def checkpoints_stored():
    """What returns the checkpoints that this test has left."""
    before = all_checkpoints()

    def stored() -> set[str]:
        return all_checkpoints() - before

    return stored


@contextmanager
def failing_ranks() -> Iterator[None]:
    """Have no ranks be derived, as if the database failed there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writer, "refresh_ranks", lambda *_, **__: False)
        yield


class TestAnInterruptedImport:
    @pytest.mark.parametrize("chunks", range(6))
    def test_ends_as_if_it_had_not_been_interrupted(self, checkpoints_stored, path, rows, chunks):
        interrupt(path, after_chunks=chunks)
        counts = import_file(path)
        assert counts["resumed"] == chunks * CHUNK
        assert counts["resumed"] + counts["new"] + counts["unchanged"] == len(newest(rows))
        assert counts["rows"] == len(rows)
        assert_stored(rows)
        assert not checkpoints_stored()

    def test_may_be_interrupted_again_and_again(self, path, rows):
        for chunks in (1, 0, 2, 1):
            interrupt(path, after_chunks=chunks)
        assert import_file(path)["resumed"] == 4 * CHUNK
        assert_stored(rows)

    def test_reads_nothing_of_what_it_has_written(self, path, rows):
        interrupt(path, after_chunks=5)
        with metered() as meter:
            counts = import_file(path)
        derived = ("ranks", "ratings")
        compared = [
            call
            for call in meter.log
            if call.operation == "BatchGetItem" and call.label not in derived
        ]
        left = len(newest(rows)) - counts["resumed"]
        assert counts["resumed"] == 5 * CHUNK
        assert len(compared) <= -(-left // CHUNK) + 3

    def test_says_where_it_goes_on(self, path, capfd):
        interrupt(path, after_chunks=3)
        call_command("import_comments", path, stdout=StringIO())
        assert "Going on behind row " in capfd.readouterr().err

    def test_is_compared_from_its_start_when_that_is_asked_for(
        self, checkpoints_stored, path, rows
    ):
        interrupt(path, after_chunks=4)
        counts = import_file(path, from_start=True)
        assert (counts["resumed"], counts["unchanged"]) == (0, 4 * CHUNK)
        assert_stored(rows)
        assert not checkpoints_stored()

    def test_of_another_file_or_with_other_options_is_not_gone_on_with(self, tmp_path, path, rows):
        interrupt(path, after_chunks=4)
        other = write_csv(tmp_path / "other.csv", [*rows, rows[0] | {"id": f"{rows[0]['id']}x"}])
        assert import_file(other)["resumed"] == 0
        assert import_file(path, id_prefix="x-")["resumed"] == 0

    def test_is_gone_on_with_under_another_name(self, tmp_path, path, rows):
        interrupt(path, after_chunks=4)
        copy = tmp_path / "copy.csv"
        copy.write_bytes(path.read_bytes())
        assert import_file(copy)["resumed"] == 4 * CHUNK

    def test_keeps_its_checkpoint_for_some_days(self, checkpoints_stored, path):
        interrupt(path, after_chunks=2)
        (key,) = checkpoints_stored()
        item = client().get_item(TableName=TABLE, Key={"pk": {"S": key}, "sk": {"S": key}})["Item"]
        seconds = int(item["z"]["N"]) - clock.now().timestamp()
        assert abs(seconds - checkpoints.KEPT.total_seconds()) < 3_600


class TestAFinishedImport:
    def test_is_compared_anew(self, checkpoints_stored, path, rows):
        import_file(path)
        assert not checkpoints_stored()
        counts = import_file(path)
        assert (counts["resumed"], counts["unchanged"]) == (0, len(newest(rows)))

    def test_of_one_chunk_stores_no_checkpoint(self, path, monkeypatch):
        monkeypatch.setattr(writer, "CHUNK", 100)
        saved = []
        monkeypatch.setattr(run, "save_checkpoint", lambda *given: saved.append(given))
        import_file(path)
        assert not saved


class TestWhatWrittenRowsOwe:
    def test_is_finished_by_the_run_that_goes_on(self, checkpoints_stored, path, rows):
        with failing_ranks(), pytest.raises(CommandError, match="not finished"):
            call_command("import_comments", path, json=True, stdout=StringIO())
        assert len(checkpoints_stored()) == 1
        counts = import_file(path)
        assert counts["resumed"] > CHUNK
        assert counts["left"] == 0
        assert_stored(rows)
        assert not checkpoints_stored()

    def test_keeps_the_checkpoint_until_it_is_finished(self, checkpoints_stored, path, rows):
        for _ in range(2):
            with failing_ranks(), pytest.raises(CommandError, match="not finished"):
                call_command("import_comments", path, json=True, stdout=StringIO())
        assert len(checkpoints_stored()) == 1


def import_part(path: Path, part: str, **options: Any) -> dict[str, Any]:
    return run_import("import_comments", path, "--part", part, **options)


class TestParts:
    @pytest.mark.parametrize("of", [1, 2, 4, 9])
    def test_together_import_what_the_file_has(self, checkpoints_stored, tmp_path, path, rows, of):
        bad = [rows[0] | {"rating": "6", "id": str(number)} for number in range(9)]
        write_csv(path, [*rows, *bad])
        listed: list[str] = []
        parts = []
        for number in range(1, of + 1):
            rejects = tmp_path / f"rejected-{number}.csv"
            parts.append(import_part(path, f"{number}/{of}", rejects=rejects))
            listed += [row["id"] for row in rejected_in(rejects)]
        assert_stored(rows)
        assert sorted(listed) == [row["id"] for row in bad]
        assert sum(part["rows"] for part in parts) == len(rows) + len(bad)
        assert sum(part["read"] for part in parts) == len(rows)
        assert sum(part["new"] for part in parts) == len(newest(rows))
        assert sum(part["superseded"] for part in parts) == len(rows) - len(newest(rows))
        assert not checkpoints_stored()

    def test_are_compared_alike_by_a_trial(self, path, rows):
        parts = [import_part(path, f"{number}/3", dry_run=True) for number in (1, 2, 3)]
        assert sum(part["new"] for part in parts) == len(newest(rows))

    def test_have_all_rows_of_a_product_unless_it_is_large(self, tmp_path, fresh, rows):
        small = [fresh("small") for _ in range(20)]
        of_small = []
        for number in range(100):
            row = {"id": f"{small[0]}-{number}", "product_id": small[number % 20]}
            of_small.append(rows[0] | row)
        large = fresh("large")
        of_large = [rows[0] | {"id": f"{large}-{n}", "product_id": large} for n in range(100)]
        path = write_csv(tmp_path / "large.csv", [*of_small, *of_large])
        import_part(path, "1/2")
        stored = [read_counts(product, consistent=True).total for product in small]
        assert set(stored) == {0, 5}
        assert 20 < read_counts(large, consistent=True).total < 80

    def test_go_on_by_themselves(self, checkpoints_stored, path, rows):
        interrupt(path, after_chunks=1, part=Part(1, 2))
        assert import_part(path, "2/2")["resumed"] == 0
        assert import_part(path, "1/2")["resumed"] == CHUNK
        assert_stored(rows)
        assert not checkpoints_stored()

    @pytest.mark.parametrize("part", ["0/2", "3/2", "2", "a/b", "1/0", "/"])
    def test_that_there_are_not_are_refused(self, path, part):
        with pytest.raises(CommandError, match="is no part such as 2/8"):
            call_command("import_comments", path, "--part", part)

    @pytest.mark.real_engine
    def test_that_meet_the_same_product_are_exact(self, tmp_path, fresh, rows):
        product = fresh("product")
        many = []
        for number in range(240):
            row = rows[number % len(rows)]
            many.append(row | {"id": f"{product}/{number % 200}", "product_id": product})
        path = write_csv(tmp_path / "many.csv", many)
        with ThreadPoolExecutor(4) as executor:
            parts = list(executor.map(partial(import_part, path), ["1/4", "2/4", "3/4", "4/4"]))
        assert sum(part["new"] for part in parts) == 200
        assert_stored(many)


class TestAFileThatChangesMeanwhile:
    def test_is_refused_before_anything_is_written(self, path, rows, monkeypatch):
        check = TwoPassImport.check

        def check_and_change(self: Any, *given: Any) -> None:
            check(self, *given)
            write_csv(path, rows[1:])

        monkeypatch.setattr(TwoPassImport, "check", check_and_change)
        before = list(every_item(client(), TABLE))
        assert "changed while it was read" in refusal("import_comments", path)
        assert list(every_item(client(), TABLE)) == before


@pytest.mark.slow
@pytest.mark.real_engine
class TestOnAnEngineThatLagsAndFails:
    @pytest.mark.parametrize("seed", range(3))
    def test_nothing_is_lost_and_nothing_is_doubled(self, path, rows, seed):
        kinds = ("throttled", "conflict", "unprocessed", "partly unprocessed", "reset after")
        lag = Lag(is_drawn=True, seed=seed)
        with (
            own_engine() as engine,
            FaultProxy(engine.endpoint_url, kinds=kinds, seed=seed, rate=0.1, lag=lag) as proxy,
            connected(proxy.endpoint_url),
        ):
            lag.seconds = 1.5
            for chunks in (1, 2):
                interrupt(path, after_chunks=chunks)
            counts = import_file(path)
            assert counts["resumed"] == 3 * CHUNK
            assert counts["left"] == 0
            proxy.rate = 0.0
            lag.seconds = 0.0
            lag.caught_up()
            assert proxy.met.total() > 0
            assert_stored(rows)
            assert all_checkpoints() == set()
