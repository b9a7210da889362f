"""The queues of moderation as CSV files, for staff."""

import csv
from typing import Any

import pytest

from comments.items import NewComment
from comments.moderation import listing, views
from comments.moderation.services import hide
from comments.reports.services import Reason, report_comment
from dynamo.calls.meter import metered
from dynamo.lists.runs import timestamp
from tests.support.comments.threads import NOW, made_comment
from tests.support.comments.writers import Writer

pytestmark = pytest.mark.usefixtures("tables")


def report(comment: NewComment, username: str, text: str = "") -> None:
    report_comment(comment_id=comment.id, username=username, reason=Reason.SPAM, text=text, now=NOW)


def rows(sam: Writer, url: str, comment: NewComment) -> list[dict[str, str]]:
    """The rows of one comment."""
    response: Any = sam.browser.get(url)
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    lines = response.getvalue().decode().splitlines()
    return [row for row in csv.DictReader(lines) if row["comment_id"] == comment.id]


def link_on(sam: Writer, url: str) -> str:
    return sam.get(url).page.one(class_="csv").one("a")["href"]


class TestReportedCommentsAsCsv:
    def test_are_a_row_for_each_report(self, sam):
        comment = made_comment()
        report(comment, "bob", "=1+1")
        report(comment, "cat")
        first, second = rows(sam, link_on(sam, "/staff/comments/"), comment)
        assert {name: first[name] for name in ("product_id", "author", "rating", "reports")} == {
            "product_id": comment.product_id,
            "author": comment.author,
            "rating": str(comment.rating),
            "reports": "2",
        }
        assert first["waiting_since"] == first["reported_at"] == timestamp(NOW)
        assert [each["reported_by"] for each in (first, second)] == ["bob", "cat"]
        assert [each["report"] for each in (first, second)] == ["'=1+1", ""]
        assert {each["reason"] for each in (first, second)} == {"spam"}

    def test_are_all_there_in_several_parts(self, sam, monkeypatch):
        monkeypatch.setattr(views, "COMMENTS_AT_A_TIME", 2)
        comments = [made_comment() for _ in range(5)]
        for comment in comments:
            report(comment, "bob")
        assert [len(rows(sam, "/staff/comments.csv", comment)) for comment in comments] == [1] * 5

    @pytest.mark.real_engine
    def test_read_no_more_at_a_time_than_the_first_part(self, sam, monkeypatch):
        monkeypatch.setattr(views, "COMMENTS_AT_A_TIME", 2)
        for _ in range(5):
            report(made_comment(), "bob")
        with metered() as meter:
            sam.browser.get("/staff/comments.csv")
        assert len(meter.labelled("reports")) == 2


class TestHiddenCommentsAsCsv:
    def test_have_a_row_also_without_a_report(self, sam):
        comment = made_comment()
        hide(comment_id=comment.id, now=NOW)
        (row,) = rows(sam, link_on(sam, "/staff/comments/hidden/"), comment)
        assert (row["reports"], row["reported_by"]) == ("0", "")
        assert row.keys() == {*listing.COLUMNS}

    def test_are_not_the_reported_ones(self, sam):
        comment = made_comment()
        report(comment, "bob")
        assert rows(sam, "/staff/comments/hidden.csv", comment) == []
