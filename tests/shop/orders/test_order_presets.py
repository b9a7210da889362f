"""Links to days that are often asked for, in every list that can be narrowed to days."""

from datetime import date

import pytest

from dynapages.calls import clock, metered
from shop.days import ALL_DAYS, Days, presets
from shop.order_status import Status
from tests.support.comments.browsing import Shown, Visitor
from tests.support.orders.making import START, made_order, put


def pairs_of(today: date) -> dict[str, str]:
    links = presets(ALL_DAYS, today, lambda days: "&".join(map("=".join, days.pairs)))
    return {link.name: link.url for link in links}


class TestTheDays:
    def test_are_whole_utc_days(self):
        assert pairs_of(date(2023, 1, 31)) == {
            "today": "from=2023-01-31&to=2023-02-01",
            "week": "from=2023-01-25&to=2023-02-01",
            "month": "from=2023-01-01&to=2023-02-01",
        }

    @pytest.mark.parametrize(
        ("today", "month"),
        [
            (date(2024, 2, 29), "from=2024-02-01&to=2024-03-01"),
            (date(2023, 12, 1), "from=2023-12-01&to=2024-01-01"),
            (date(2023, 4, 30), "from=2023-04-01&to=2023-05-01"),
        ],
    )
    def test_of_a_month_end_with_it(self, today, month):
        assert pairs_of(today)["month"] == month

    def test_that_are_chosen_are_marked(self):
        today = date(2023, 1, 31)
        chosen = Days(today, date(2023, 2, 1))
        links = presets(chosen, today, lambda _days: "")
        assert [link.name for link in links if link.is_current] == ["today"]


@pytest.fixture(
    params=["/orders/", "/staff/customers/{}/orders/", "/staff/orders/", "/staff/activity/"]
)
def asked(request, alice, sam) -> tuple[Visitor, str]:
    """A visitor who may see a list, and the list's address."""
    url = request.param.format(alice.username)
    return (sam if url.startswith("/staff") else alice), url


def marked(shown: Shown) -> list[str]:
    links = shown.page.one(class_="presets").all("a")
    return [link.text for link in links if link.get("aria-current")]


class TestTheLinks:
    def test_lead_to_a_list_that_marks_them(self, asked):
        visitor, url = asked
        shown = visitor.get(url)
        assert marked(shown) == []
        links = shown.page.one(class_="presets").all("a")
        assert [link.text for link in links] == ["Today", "7 days", "This month"]
        for link in links:
            assert marked(visitor.get(link["href"])) == [link.text]

    def test_say_that_days_are_utc(self, asked):
        visitor, url = asked
        assert "(UTC)" in visitor.get(url).page.one(id="dates-title").text

    def test_keep_what_else_is_chosen(self, asked):
        visitor, url = asked
        chosen = "kind=ORDER" if "activity" in url else "status=PLACED"
        for link in visitor.get(f"{url}?{chosen}").page.one(class_="presets").all("a"):
            assert link["href"].startswith(f"{url}?{chosen}&from=")


class TestAPreset:
    def test_shows_the_orders_of_its_days(self, alice):
        put(old := made_order(alice.username))
        put(new := made_order(alice.username, placed_at=clock.now()))
        today = alice.get("/orders/").page.one("a", id="dates-today")["href"]
        assert alice.get("/orders/").order_ids == [new.id, old.id]
        assert alice.get(today).order_ids == [new.id]

    def test_costs_what_the_list_costs(self, alice):
        put(made_order(alice.username, Status.SHIPPED, entered_at=START))
        costs = []
        for url in ("/orders/?status=SHIPPED", "/orders/?status=SHIPPED&from=2023-01-01"):
            with metered() as meter:
                alice.get(url)
            costs.append((meter.calls, meter.rounds))
        assert costs[0] == costs[1]


class TestTheFold:
    def test_stands_before_the_filters_and_counts_what_is_chosen(self, asked):
        visitor, url = asked
        chosen = "kind=ORDER&kind=COMMENT" if "activity" in url else "status=PLACED&status=APPROVED"
        told = [
            visitor.get(f"{url}{query}").page.one(class_="sheet").one("summary").text
            for query in ("", f"?{chosen}", f"?{chosen}&from=2023-01-01&to=2023-02-01")
        ]
        assert told == ["Filter", "Filter (2)", "Filter (3)"]

    def test_counts_the_open_orders(self, alice):
        page = alice.get("/orders/?open=1").page
        assert page.one(class_="sheet").one("summary").text == "Filter (1)"
