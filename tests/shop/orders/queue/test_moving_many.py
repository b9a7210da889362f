"""Many orders moved at once: those that were selected, and all of a status in steps."""

from datetime import timedelta

import pytest

from dynapages.calls import metered
from shop.order_status import Status
from tests.support.comments.browsing import Shown
from tests.support.orders.making import made_order, move, put
from tests.support.orders.queueing import LONG_AGO, ids_of, stored_status

URL = "/staff/orders/move/"
ALL = "/staff/orders/all/?status=PROCESSING&to=1980-01-02"
"""All that nobody but the tests of the queue has placed."""


def outcomes(shown: Shown) -> list[str]:
    return [one.text for one in shown.page.all("li", data_outcome=True)]


def next_step(shown: Shown) -> dict[str, str]:
    """The fields of the form that goes on."""
    (form,) = shown.page.one(id="step").all("form")
    fields = {field["name"]: field["value"] for field in form.all("input", type="hidden")}
    return {name: value for name, value in fields.items() if name != "csrfmiddlewaretoken"}


class TestMovingTheSelected:
    @pytest.mark.parametrize(
        ("first", "move", "sentence", "address"),
        [
            (0, "APPROVED", "2 orders were approved.", "/staff/orders/?status=APPROVED"),
            (
                2,
                "PROCESSING",
                "2 orders are now being processed.",
                "/staff/orders/?status=PROCESSING",
            ),
            (4, "SHIPPED", "2 orders were shipped.", "/staff/activity/?kind=ORDER"),
        ],
    )
    def test_moves_them_and_tells_so_in_one_sentence_with_a_link(
        self, sam, opened, first, move, sentence, address
    ):
        some = opened[first : first + 2]
        shown = sam.post(URL, {"move": move, "order": ids_of(some)})
        assert shown.page.one("h1").text == sentence
        moved = shown.page.one("section", id="queue")
        assert moved.all("a")[0]["href"] == address
        for order in some:
            assert order.id not in moved.text
        assert sam.get(address).status == 200
        assert [stored_status(order) for order in some] == [move] * 2

    def test_tells_so_in_german(self, sam, opened):
        fields = {"move": "SHIPPED", "order": ids_of(opened[4:])}
        answer = sam.browser.post(URL, fields, headers={"accept-language": "de"})
        assert "2 Bestellungen wurden versandt." in answer.content.decode()

    def test_tells_of_each_that_changed_meanwhile_and_leaves_it(self, sam, opened):
        orders = [opened[0].id, opened[4].id, "nonsense", opened[4].id]
        shown = sam.post(URL, {"move": "SHIPPED", "order": orders})
        assert shown.page.one("h1").text == "1 order was shipped."
        assert outcomes(shown) == [
            f"Order …{opened[0].id[-8:]} is already placed, so it was not changed.",
            "There is no order nonsense.",
        ]
        assert stored_status(opened[0]) == "PLACED"

    def test_tells_each_of_two_what_they_moved_themselves(self, sam, sign_up, fresh, opened):
        fields = {"move": "SHIPPED", "order": ids_of(opened[4:])}
        for _ in ("once", "sent again"):
            assert sam.post(URL, fields).page.one("h1").text == "2 orders were shipped."
        shown = sign_up(fresh("kim"), is_staff=True).post(URL, fields)
        assert shown.page.one("h1").text == "No order was moved."
        assert "2 of them had been moved by somebody else before." in shown.page.text
        assert outcomes(shown) == [
            f"Order …{order.id[-8:]} was already shipped by somebody else." for order in opened[4:]
        ]

    @pytest.mark.parametrize("owner", ["its own", "another", "nobody", "none", "too long"])
    def test_finds_an_order_whomever_the_form_names(self, sam, bob, opened, owner):
        """The customer in a form is no more than a hint; pages from before have none."""
        one, other = opened[4:]
        owners = {
            "its own": f"/{one.username}",
            "another": f"/{bob.username}",
            "nobody": "/",
            "none": "",
            "too long": f"/{'x' * 3_000}",
        }
        fields = {"move": "SHIPPED", "order": [f"{one.id}{owners[owner]}", other.id, "nonsense/x"]}
        assert outcomes(sam.post(URL, fields)) == ["There is no order nonsense."]
        assert [stored_status(order) for order in (one, other)] == ["SHIPPED"] * 2

    @pytest.mark.real_engine
    def test_reads_all_orders_at_once_as_the_queue_names_the_customers(self, sam, opened):
        for status, target in [("PLACED", "APPROVED"), ("APPROVED", "PROCESSING")]:  # of a minute
            page = sam.get(f"/staff/orders/?status={status}").page
            boxes = page.all("input", name="order")[:2]
            fields = {"move": target, "order": [box["value"] for box in boxes]}
            with metered() as meter:
                shown = sam.post(URL, fields, htmx=True)
            assert shown.page.one("h1").text.startswith("2 orders")
            assert sorted(call.label for call in meter.log[:2]) == ["orders", "user"]
            assert meter.log[2].operation == "TransactWriteItems"
            assert meter.log[3].label == "counts"  # of the navigation
            assert [call.round for call in meter.log] == [1, 1, 2, 3]

    @pytest.mark.real_engine
    def test_looks_up_the_customers_that_no_form_names_in_one_round(self, sam, opened):
        with metered() as meter:
            sam.post(URL, {"move": "SHIPPED", "order": ids_of(opened[4:])}, htmx=True)
        assert sorted(call.round for call in meter.log) == [1, 1, 1, 2, 3, 4]

    def test_takes_the_place_of_the_queue_under_htmx(self, sam, opened):
        fields = {"move": "SHIPPED", "order": [opened[4].id]}
        shown = sam.post(f"{URL}?next=/staff/orders/%3Fstatus=PROCESSING", fields, htmx=True)
        assert not shown.page.all("html")
        link = shown.page.one("section", id="queue").one("a", class_="button")
        assert link["href"] == "/staff/orders/?status=PROCESSING"

    def test_takes_a_page_of_orders_at_most(self, sam, opened, settings):
        settings.PAGE_SIZE = 1
        shown = sam.post(URL, {"move": "SHIPPED", "order": ids_of(opened[4:])})
        assert shown.status == 400
        assert "Select at most 1 orders." in shown.page.text
        assert stored_status(opened[4]) == "PROCESSING"

    @pytest.mark.parametrize("move", ["CANCELED", "DELIVERED", "", "LOST"])
    def test_takes_no_other_move(self, sam, move):
        shown = sam.post(URL, {"move": move, "order": "0" * 26})
        assert shown.status == 400
        assert "choose from APPROVED, PROCESSING, SHIPPED" in shown.page.text

    @pytest.mark.parametrize(
        ("query", "moves"),
        [("", ["APPROVED", "PROCESSING", "SHIPPED"]), ("?status=APPROVED", ["PROCESSING"])],
    )
    def test_is_offered_for_what_the_statuses_allow(self, sam, opened, settings, query, moves):
        settings.PAGE_SIZE = 6
        shown = sam.get(f"/staff/orders/{query}")
        boxes = shown.page.all("input", name="order")
        assert [box["value"].partition("/")[0] for box in boxes] == shown.order_ids
        offered = shown.page.one("form", id="bulk").all("button", name="move")
        assert [button["value"] for button in offered] == moves


@pytest.fixture
def many(opened, settings):
    """Five orders in Processing, on pages of two."""
    more = [
        made_order(opened[0].username, Status.PROCESSING, placed_at=LONG_AGO + timedelta(hours=n))
        for n in (9, 10, 11)
    ]
    put(*more)
    opened += more
    settings.PAGE_SIZE = 2
    return opened[4:]


class TestMovingAllOfAStatus:
    def test_is_offered_where_one_status_is_chosen(self, sam, opened):
        shown = sam.get("/staff/orders/?status=PROCESSING")
        count = shown.toggle("status", "PROCESSING").one(class_="toggle-count").text
        link = shown.page.one("a", class_="bulk-all")
        assert link.text == "Ship all 2 …"
        asked = sam.get(link["href"]).page
        assert f"{count} orders have this status." in asked.one(id="step").text
        assert not sam.get("/staff/orders/").page.all("a", class_="bulk-all")

    def test_asks_first(self, sam, many):
        assert next_step(sam.get(ALL)) == {"count": ""}
        assert {stored_status(order) for order in many} == {"PROCESSING"}

    def test_moves_a_page_at_a_time_to_the_end(self, sam, many):
        shown = sam.get(ALL)
        for done in ("2 done.", "4 done.", "All done. 5 orders were shipped."):
            shown = sam.post(ALL, next_step(shown))
            assert shown.page.one(id="step").one("p").text.startswith(done)
            assert outcomes(shown) == []
        link = shown.page.one(id="step").one("a")
        assert link["href"] == "/staff/activity/?kind=ORDER"
        assert {stored_status(order) for order in many} == {"SHIPPED"}
        assert not shown.page.one(id="step").all("form")

    @pytest.mark.real_engine
    def test_takes_three_rounds_for_a_page(self, sam, many):
        fields = next_step(sam.get(ALL))
        with metered() as meter:
            sam.post(ALL, fields, htmx=True)
        assert (meter.log[-2].round, meter.log[-2].operation) == (3, "TransactWriteItems")
        assert (meter.log[-1].round, meter.log[-1].label) == (4, "counts")  # of the navigation

    def test_tells_at_the_end_how_many_were_moved_by_others(self, sam, many):
        first = sam.post(ALL, next_step(sam.get(ALL)) | {"count": "5"})
        for order in many[2:]:
            move(order, Status.PROCESSING, Status.SHIPPED)
        told = sam.post(ALL, next_step(first)).page.one(id="step").one("p").text
        assert told.startswith(
            "All done. 2 orders were shipped. "
            "The others had been moved or cancelled by somebody else before."
        )

    def test_goes_on_by_itself_under_htmx(self, sam, many):
        shown = sam.post(ALL, next_step(sam.get(ALL)), htmx=True)
        assert not shown.page.all("html")
        (form,) = shown.page.one(id="step").all("form")
        assert form["hx-trigger"] == "load, submit"

    def test_shows_how_far_it_has_come(self, sam, many):
        shown = sam.post(ALL, {"count": "5"})
        bar = shown.page.one("progress")
        assert (bar["value"], bar["max"]) == ("2", "5")
        assert next_step(shown)["count"] == "5"

    @pytest.mark.parametrize("query", ["", "?status=PLACED&status=APPROVED", "?status=SHIPPED"])
    def test_is_for_one_open_status(self, sam, query):
        url = f"/staff/orders/all/{query}"
        assert [sam.get(url).status, sam.post(url, {}).status] == [400, 400]

    def test_refuses_the_place_of_another_list(self, sam, many):
        after = next_step(sam.post(ALL, {}))["after"]
        assert sam.post("/staff/orders/all/?status=PLACED", {"after": after}).status == 400
