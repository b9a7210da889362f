"""``manage.py compare``, from end to end on little data."""

import re
import signal
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import Client

from comments.items import NewComment
from dynapages.engine.server import find_dynoxide
from dynapages.process import client
from lab.bench.data import OrderData
from lab.designs import comments as lab_comments
from lab.designs import run as lab_run
from lab.designs.comments import FILTER
from lab.designs.run import own_engine
from lab.management.commands import compare as command
from lab.reports.page import PUBLISHED, find_stored
from lab.reports.results import RUN, Results
from tests.support.comments.loading import load
from tests.support.lab.labs import NOW, lab_tables, made_figures, small_pages

pytestmark = pytest.mark.usefixtures("tables")

LITTLE = OrderData(of_customer=40, queued=10)
SUBJECTS = {
    "comments": ["scan", "filter", "sets", "rules", "planner"],
    "customer orders": ["scan", "filter", "composite"],
    "open orders": ["scan", "unsharded", "sharded"],
    "long texts": ["inline", "apart"],
}


@pytest.fixture(scope="module")
def little():
    with pytest.MonkeyPatch.context() as patch, small_pages():
        patch.setattr(lab_run, "ORDERS", LITTLE)
        patch.setattr(lab_comments, "LONG_COMMENTS", 20)
        yield


@pytest.fixture
def one_design(little, monkeypatch):
    """Only comments are compared, in a single design."""
    monkeypatch.setattr(lab_comments, "DESIGNS", (FILTER,))
    monkeypatch.setattr(lab_run, "_subjects", lab_comments.compare_comments)


@pytest.fixture(scope="module")
def run(tables, little):
    """What a run printed, and what it had left behind when it ended."""
    out = StringIO()
    call_command("compare", "--here", "--json", "--comments", "40", "--turns", "1", stdout=out)
    return SimpleNamespace(
        printed=Results.of_lines(out.getvalue()),
        kept=find_stored(),
        page=Client().get("/lab/").content.decode(),
        tables=lab_tables(),
    )


@pytest.fixture
def printed(run):
    return run.printed


@pytest.mark.real_engine
class TestTheFigures:
    def test_are_of_every_design(self, printed):
        found = {part: printed.where(part=part).names("reader") for part in SUBJECTS}
        assert found == SUBJECTS
        assert printed.names("part") == [RUN, *SUBJECTS]

    def test_are_kept_for_the_page(self, run):
        assert run.kept == run.printed
        for name in ("comments-scan", "comments-sets", "open-orders-sharded"):
            assert f'data-lab-design="{name}"' in run.page

    def test_leave_no_table_behind(self, run):
        assert run.tables == []


@pytest.mark.real_engine
class TestTheUsersOwnComments:
    def test_are_compared_as_they_are(self, one_design, fresh):
        product = fresh("product")
        long = "A long story. " * 200
        comments = [
            NewComment(
                f"{product}-{n}", product, "en", n % 5 + 1, NOW, body=long if n % 7 else "ok"
            )
            for n in range(30)
        ]
        load(comments)
        out = StringIO()
        call_command(
            "compare",
            *("--here", "--json", "--product", product, "--turns", "1", "--comments", "25"),
            stdout=out,
        )
        data = Results.of_lines(out.getvalue()).value("data")
        assert product in data
        assert data.startswith("25 comments")


@pytest.mark.real_engine
class TestAnEngineOfItsOwn:
    def test_is_used_and_removed(self, one_design, capsys):
        if find_dynoxide(settings.BASE_DIR) is None:
            pytest.skip("dynoxide is not installed")
        call_command("compare", "--comments", "60", "--turns", "1")
        assert "COMMENTS OF A PRODUCT" in capsys.readouterr().out
        kept = find_stored()
        assert kept is not None
        assert kept.value("engine").startswith("dynoxide ")
        assert kept.value("engine").endswith(" in memory")

    @pytest.mark.parametrize(("comments", "files", "where"), [(10, 0, "memory"), (11, 1, "disk")])
    def test_keeps_many_comments_on_a_file_that_is_removed(
        self, monkeypatch, comments, files, where
    ):
        if find_dynoxide(settings.BASE_DIR) is None:
            pytest.skip("dynoxide is not installed")
        monkeypatch.setattr(lab_run, "MOST_IN_MEMORY", 10)
        with own_engine(comments=comments) as name:
            assert len(kept_files()) == files
            assert client().list_tables()["TableNames"] == []
        assert name.endswith(where)
        assert kept_files() == []


def kept_files() -> list[Path]:
    """The files of the engines of labs."""
    return list(Path(settings.VAR_DIR).glob("lab-*/lab.db"))


class TestWhatGoesWrong:
    def test_is_told_when_terminated(self, monkeypatch):
        def terminated(*_: Any, **__: Any) -> Results:
            signal.raise_signal(signal.SIGTERM)
            raise AssertionError

        before = signal.getsignal(signal.SIGTERM)
        monkeypatch.setattr(command, "compare", terminated)
        with pytest.raises(SystemExit) as ended:
            call_command("compare")
        assert ended.value.code == 130
        assert signal.getsignal(signal.SIGTERM) == before

    def test_spoils_no_run_when_the_figures_cannot_be_kept(self, monkeypatch, capsys):
        monkeypatch.setattr(command, "compare", lambda *_, **__: made_figures())
        monkeypatch.setattr("lab.reports.page.keys.LAB", "")  # no key at all
        call_command("compare")
        told = capsys.readouterr()
        assert "4,321 comments of nobody." in told.out
        assert "not kept" in told.err


class TestDrawing:
    def test_brings_the_documents_up_to_date(self, monkeypatch, tmp_path):
        pytest.importorskip("matplotlib")
        page = tmp_path / "lab.md"
        begin, end = "<!-- comments: written by manage.py compare -->", "<!-- end of comments -->"
        page.write_text(f"# The lab\n\n{begin}\nold\n{end}\n\nAfter.\n")
        (tmp_path / "lab").mkdir()
        monkeypatch.setattr(command, "compare", lambda *_, **__: made_figures())
        call_command("compare", "--write-docs", str(tmp_path), "--no-keep", stdout=StringIO())
        document = page.read_text()
        assert "| scan | popular | 138.5 | 138.5 | 4,321 |" in document
        assert "old" not in document
        assert "\n\nAfter.\n" in document
        assert "![Comments of a product" in document
        assert (tmp_path / "lab" / "comments.svg").exists()
        assert Results.of_lines((tmp_path / PUBLISHED).read_text()) == made_figures()

    def test_prints_more_than_documents_have(self, monkeypatch, capsys):
        monkeypatch.setattr(command, "compare", lambda *_, **__: made_figures())
        call_command("compare", "--no-keep")
        (row,) = re.findall(r"^scan +popular +1 of 62.*$", capsys.readouterr().out, re.MULTILINE)
        assert row.split()[-6:] == ["2", "4,321", "138.5", "$17", "2.0", "187.5"]
