"""The log as staff see it."""

import csv
from datetime import UTC, datetime, timedelta

import pytest

from shop.activity import queries
from shop.activity.entries import Kind
from shop.activity.months import Month
from shop.catalogue.content import NewProduct
from shop.catalogue.services import put_catalogue
from tests.support.activity.making import made_entry, newest_first, write_entries
from tests.support.chance import unique
from tests.support.comments.browsing import Shown

URL = "/staff/activity/"
NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture
def history(own_log):
    """Thirty entries, two days apart: of this month and the two before."""
    own_log(*(Month.of(NOW).plus(-back) for back in range(3)))
    entries = [
        made_entry(NOW - timedelta(days=2 * n), list(Kind)[n % 3], subject=f"thing-{n}")
        for n in range(30)
    ]
    write_entries(entries)
    return entries


def subjects(shown: Shown) -> list[str]:
    return [row["data-subject"] for row in shown.page.all("li", data_activity=True)]


class TestThePage:
    def test_leads_through_everything_and_back(self, sam, history, settings):
        settings.PAGE_SIZE = 7
        pages, url = [], URL
        while url:
            pages.append(sam.get(url))
            url = pages[-1].next
        assert [s for page in pages for s in subjects(page)] == [f"thing-{n}" for n in range(30)]
        assert pages[0].previous is None
        for page, before in zip(pages[:0:-1], pages[-2::-1], strict=True):
            assert subjects(sam.get(page.previous or "")) == subjects(before)

    def test_says_what_was_done_by_whom(self, sam, own_log):
        own_log(Month.of(NOW))
        write_entries([made_entry(NOW, subject="01J", was="PLACED", became="APPROVED")])
        (row,) = sam.get(URL).page.all("li", data_activity=True)
        told = " ".join(row.text.split())
        assert told.startswith("sam moved order 01J · Orders of alex Placed → to Approved")
        assert row.one("a", href="/orders/01J/")

    def test_calls_products_by_their_names_and_links_them(self, sam, own_log):
        own_log(Month.of(NOW).plus(-1), Month.of(NOW))
        lamp, gone = unique("lamp"), unique("gone")
        put_catalogue(categories=[], products=[NewProduct(lamp, "Desk lamp", ())])
        write_entries(
            made_entry(NOW - timedelta(seconds=n), Kind.COMMENT, about=about)
            for n, about in enumerate((lamp, gone, lamp))
        )
        shown = sam.get(f"{URL}?explain=1")
        rows = shown.page.all("li", data_activity=True)
        assert rows[0].one("a", href=f"/products/{lamp}/").text == "Desk lamp"
        assert rows[1].one("a", href=f"/products/{gone}/").text == gone
        names = {line.name for line in shown.response.context["explanation"].other}
        assert names == {"user", "shards"}

    def test_of_a_rare_kind_goes_on_behind_a_page_without_any(self, sam, own_log, monkeypatch):
        monkeypatch.setattr(queries, "MOST_UNITS", 0.5)
        own_log(Month.of(NOW).plus(-1), Month.of(NOW))
        kinds = [Kind.ORDER] * 50 + [Kind.COMMENT]
        write_entries(made_entry(NOW - timedelta(seconds=n), kind) for n, kind in enumerate(kinds))
        seen, url = [], f"{URL}?kind=COMMENT"
        for _ in range(9):
            page = sam.get(url).page
            seen.append(page.one("main").text)
            further = [link["href"] for link in page.all("a", rel="next")]
            if not further:
                break
            (url,) = further
        assert "No matches on this page. More may follow." in " ".join(seen[0].split())
        assert "posted a comment" in seen[-1]

    def test_has_toggles_that_add_and_remove_a_kind(self, sam, history):
        toggle = sam.get(f"{URL}?kind=ORDER").toggle
        assert toggle("kind", "ORDER")["aria-pressed"] == "true"
        assert toggle("kind", "ORDER")["href"] == URL
        assert toggle("kind", "COMMENT")["href"] == f"{URL}?kind=ORDER&kind=COMMENT"

    def test_is_narrowed_to_kinds_and_offered_so_as_csv(self, sam, history):
        shown = sam.get(f"{URL}?kind=MODERATION&kind=COMMENT")
        expected = newest_first(history, Kind.MODERATION, Kind.COMMENT)
        assert subjects(shown) == [entry.subject for entry in expected]
        link = shown.page.one(class_="csv").one("a")
        rows = csv.DictReader(sam.browser.get(link["href"]).getvalue().decode().splitlines())
        assert [row["subject"] for row in rows] == subjects(shown)

    def test_is_narrowed_to_days_of_some_kinds_and_turns_their_pages(self, sam, history, settings):
        settings.PAGE_SIZE = 2
        since, until = (NOW - timedelta(days=days) for days in (40, 20))
        url: str | None = f"{URL}?kind=COMMENT&from={since:%Y-%m-%d}&to={until:%Y-%m-%d}"
        found: list[str] = []
        while url:
            shown = sam.get(url)
            found, url = found + subjects(shown), shown.next
        assert found == [
            entry.subject
            for entry in newest_first(history, Kind.COMMENT)
            if f"{since:%Y-%m-%d}" <= f"{entry.moment:%Y-%m-%d}" < f"{until:%Y-%m-%d}"
        ]
        assert len(found) == 3

    def test_keeps_its_days_in_the_form_the_toggles_and_the_csv(self, sam, history):
        day = f"{NOW - timedelta(days=4):%Y-%m-%d}"
        shown = sam.get(f"{URL}?kind=ORDER&from={day}")
        form = shown.page.one("form", class_="dates")
        values = {one["name"]: one["value"] for one in form.all("input")}
        assert values == {"kind": "ORDER", "from": day, "to": ""}
        assert form.one("a", id="dates-clear")["href"] == f"{URL}?kind=ORDER"
        assert (
            shown.toggle("kind", "COMMENT")["href"] == f"{URL}?kind=ORDER&kind=COMMENT&from={day}"
        )
        assert shown.toggle("all-kinds", "~")["href"] == f"{URL}?from={day}"
        link = shown.page.one(class_="csv").one("a")["href"]
        rows = [*csv.DictReader(sam.browser.get(link).getvalue().decode().splitlines())]
        assert [row["subject"] for row in rows] == subjects(shown) == ["thing-0"]

    def test_leaves_empty_fields_of_the_form_out_of_its_address(self, sam, own_log):
        response = sam.browser.get(f"{URL}?kind=ORDER&from=&to=2026-11-20")
        assert response["Location"] == f"{URL}?kind=ORDER&to=2026-11-20"

    def test_says_that_nothing_happened_on_its_days(self, sam, history):
        shown = sam.get(f"{URL}?from=2001-01-01&to=2001-02-01")
        assert "Nothing happened on these days." in shown.page.text

    def test_is_empty_where_nobody_made_a_table(self, sam, own_log):
        shown = sam.get(URL)
        assert (shown.status, subjects(shown)) == (200, [])
        assert "Nothing has happened yet." in shown.page.text


class TestWhatIsRefused:
    def test_is_an_unknown_kind(self, sam):
        shown = sam.get(f"{URL}?kind=WEATHER")
        assert shown.status == 400
        assert "ORDER, COMMENT, MODERATION" in shown.page.text

    @pytest.mark.parametrize(
        ("query", "allowed"),
        [
            ("from=yesterday", "YYYY-MM-DD"),
            ("to=2026-02-30", "YYYY-MM-DD"),
            ("from=2026-11-20&to=2026-11-19", "after the end date"),
        ],
    )
    def test_are_days_that_are_none(self, sam, query, allowed):
        for url in (URL, "/staff/activity.csv"):
            shown = sam.get(f"{url}?{query}")
            assert shown.status == 400
            assert allowed in shown.page.text

    def test_is_a_page_of_other_days(self, sam, history, settings):
        settings.PAGE_SIZE = 2
        onward = sam.get(f"{URL}?from=2020-01-01").next
        assert sam.get(onward.replace("2020-01-01", "2020-01-02")).status == 400
