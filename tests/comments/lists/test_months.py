"""A list is opened at a month; how many comments each month has is counted exactly."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from comments.lists.orders import CommentOrder
from comments.moderation.services import hide, restore
from comments.posting.services import add_comment, delete_comment, edit_comment
from comments.store.comments import load_comment
from comments.store.counts import counts_of
from tests.support.comments.browsing import Shown, visit
from tests.support.comments.loading import load
from tests.support.comments.truth import Truth, written

pytestmark = pytest.mark.usefixtures("tables")

LISTS = "/products/dated/comments"
FIRST = datetime(2025, 11, 1, tzinfo=UTC)
NOW = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture(scope="module")
def dated(tables):
    """A comment each five days from November 2025 on, by turns in German and English."""
    comments = [
        written(
            "dated",
            id=f"dated-{n:03}",
            language=("de", "en")[n % 2],
            rating=n % 5 + 1,
            created_at=FIRST + timedelta(days=5 * n),
        )
        for n in range(60)
    ]
    load(comments)
    return Truth(comments)


def months_of(truth: Truth) -> dict[str, int]:
    return dict(Counter(f"{comment.created_at:%Y-%m}" for comment in truth.comments))


def offered(shown: Shown) -> list[str]:
    return [option["value"] for option in shown.page.one("select", id="month").all("option")]


class TestAMonth:
    @pytest.mark.parametrize(
        ("order", "begins"), [("newest", "2026-03-31"), ("oldest", "2026-03-01")]
    )
    @pytest.mark.parametrize("filtered", ["~/~", "de/~", "en/1.2.3.4"])
    def test_begins_the_list_in_its_order(self, dated, order, begins, filtered):
        languages, ratings = filtered.split("/")
        chosen = ([] if languages == "~" else [languages], [1, 2, 3, 4] if ratings != "~" else [])
        dates = {comment.id: f"{comment.created_at:%Y-%m-%d}" for comment in dated.comments}
        whole = dated.ids(*chosen, CommentOrder(order))
        first = [one for one in whole if (dates[one] <= begins) is (order == "newest")]
        if order == "oldest":
            first = [one for one in whole if dates[one] >= begins]
        query = {"newest": "?month=2026-03", "oldest": "?order=oldest&month=2026-03"}[order]
        shown = visit(f"{LISTS}/{filtered}/{query}")
        assert shown.comment_ids == first[:20]
        in_front = whole[: len(whole) - len(first)]
        newer = visit(shown.newer)
        if len(in_front) < 20:
            assert newer.response["Location"] == shown.first
        else:
            assert newer.comment_ids == in_front[-20:]

    def test_without_comments_begins_with_the_next_one(self, dated):
        assert visit(f"{LISTS}/~/~/?month=2027-05").comment_ids == dated.ids()[:20]
        assert "No more comments" in visit(f"{LISTS}/~/~/?month=2024-01").page.text

    def test_has_no_numbers_until_the_list_ends(self, dated):
        shown = visit(f"{LISTS}/~/~/?month=2026-03")
        assert shown.page.one(class_="extent").text == "60 in all"
        assert visit(shown.older).page.one(class_="extent").text == "50–60 of 60"  # noqa: RUF001

    @pytest.mark.parametrize(
        "month", ["", "2026", "2026-13", "2026-3", "26-03", "2026-03-01", "٢٠٢٦-٠٣"]
    )
    def test_that_is_none_is_refused(self, dated, month):
        shown = visit(f"{LISTS}/de/~/?month={month}")
        assert shown.status == 400
        assert "write it as 2026-03" in shown.page.one(class_="lede").text
        assert shown.page.one(class_="button")["href"] == f"{LISTS}/de/~/"

    @pytest.mark.parametrize("query", ["order=highest", "before=end"])
    def test_is_refused_in_lists_by_rating_and_on_other_pages(self, dated, query):
        assert visit(f"{LISTS}/~/~/?{query}&month=2026-03").status == 400


class TestTheMonthsOffered:
    def test_are_those_with_comments_in_the_order_of_the_list(self, dated):
        months = sorted(months_of(dated))
        assert offered(visit(f"{LISTS}/~/~/")) == months[::-1]
        assert offered(visit(f"{LISTS}/~/~/?order=oldest")) == months

    def test_are_not_offered_by_rating(self, dated):
        assert visit(f"{LISTS}/~/~/?order=lowest").page.all("select", id="month") == []

    def test_say_how_many_comments_there_are_unless_some_are_left_out(self, dated):
        options = visit(f"{LISTS}/~/~/").page.one("select", id="month").all("option")
        assert options[0].text == "August 2026 (5)"
        options = visit(f"{LISTS}/de/~/").page.one("select", id="month").all("option")
        assert options[0].text == "August 2026"

    def test_lead_to_the_list_shown(self, dated):
        shown = visit(f"{LISTS}/de/4/?order=oldest")
        form = shown.page.one("form", class_="months")
        assert form["action"] == form["hx-get"] == f"{LISTS}/de/4/"
        assert form.one("input", type="hidden")["value"] == "oldest"


class TestTheCounts:
    @pytest.fixture
    def product_id(self, fresh):
        return fresh("counted")

    def counted(self, product_id: str) -> dict[str, int]:
        return dict(counts_of(product_id, consistent=True).months)

    def test_are_by_month_of_utc(self, product_id):
        moments = [
            "2026-03-31T23:59:59.999999+00:00",
            "2026-04-01T01:00:00+02:00",
            "2026-04-01T00:00:00+00:00",
        ]
        for n, moment in enumerate(moments):
            add_comment(
                written(
                    product_id, id=f"{product_id}-{n}", created_at=datetime.fromisoformat(moment)
                )
            )
        assert self.counted(product_id) == {"2026-03": 2, "2026-04": 1}

    def test_change_with_each_way_to_write(self, product_id):
        comment = written(product_id, id=f"{product_id}-1", created_at=FIRST)
        add_comment(comment)
        edit_comment(load_comment(comment.id), now=NOW, rating=1, language="de")
        assert self.counted(product_id) == {"2025-11": 1}
        hide(comment_id=comment.id, now=NOW)
        assert self.counted(product_id) == {}
        restore(comment_id=comment.id)
        assert self.counted(product_id) == {"2025-11": 1}
        delete_comment(comment.id)
        assert self.counted(product_id) == {}

    def test_follow_a_comment_that_an_import_moves(self, product_id, fresh):
        other = fresh("other")
        comment = written(product_id, id=f"{product_id}-1", created_at=FIRST)
        load([comment])
        load([written(other, id=comment.id, created_at=NOW)])
        assert (self.counted(product_id), self.counted(other)) == ({}, {"2026-11": 1})
