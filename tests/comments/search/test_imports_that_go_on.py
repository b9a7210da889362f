"""An interrupted import that goes on finishes the postings of the rows that it passes over."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from comments.data import writer
from comments.data.writer import BulkWriter
from comments.filters import CommentFilter
from comments.items import NewComment
from comments.lists.search_queries import SearchRequest, search_comments
from comments.search.pending import changes_of
from comments.search.words import parse_search
from comments.search.writer import WordWriter
from comments.store.counts import read_counts
from dynapages.lists import PageRequest
from tests.support.importing import run_import
from tests.support.work import forget_what_waits

pytestmark = [pytest.mark.usefixtures("searchable"), pytest.mark.real_engine]
CHUNK = 5
CHUNKS = 3
"""Those of a product, before one of another."""
ROWS = CHUNKS * CHUNK


class Killed(BaseException):
    """The process ends here."""


@pytest.fixture
def product(fresh):
    return fresh("product")


@pytest.fixture
def path(tmp_path, product, fresh, monkeypatch):
    """A file of comments on a product, and of few on another behind them."""
    monkeypatch.setattr(writer, "CHUNK", CHUNK)
    rows = []
    other = fresh("other")
    for number in range(ROWS + CHUNK):
        row = {"id": f"{product}-{number}", "language": "en"}
        row["product_id"] = product if number < ROWS else other
        row |= {"rating": 5, "created_at": "2024-01-01", "body": "A kettle that whistles"}
        rows.append(json.dumps(row))
    path: Path = tmp_path / "comments.jsonl"
    path.write_text("\n".join(rows))
    return path


def run_without_postings(path: Path, *, chunks: int) -> None:
    """Import so many chunks, of which no postings are written, and die."""
    put = BulkWriter.put
    written = 0

    def put_or_die(self: BulkWriter, comments: Sequence[NewComment], **given: Any) -> Any:
        nonlocal written
        if written == chunks:
            raise Killed
        written += 1
        return put(self, comments, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(BulkWriter, "put", put_or_die)
        patch.setattr(WordWriter, "write_or_log", lambda _self: False)
        with pytest.raises(Killed):
            run_import("import_comments", path)
    # The worker of a process that is killed does nothing more.
    forget_what_waits()


def number_found(product_id: str) -> int:
    wanted, counts = SearchRequest(parse_search("kettle")), read_counts(product_id)
    found = search_comments(product_id, wanted, CommentFilter(), PageRequest(50), counts=counts)
    return len(found.comments)


def test_no_row_is_left_without_its_words(path, product):
    run_without_postings(path, chunks=CHUNKS)
    counts = run_import("import_comments", path)
    assert (counts["resumed"], counts["new"], counts["left"]) == (ROWS, CHUNK, 0)
    assert number_found(product) == ROWS
    assert changes_of(product) == []
