"""The page on which a customer chooses a pickup point, and ``explain pickup``."""

import json
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from shop.order_status import Status
from shop.pickup.bulk_writes import put_points, put_zips
from shop.pickup.cells import Coordinates
from shop.pickup.items import ZipLocation
from tests.support.chance import CHANCE, digits
from tests.support.orders.making import START, made_order, put
from tests.support.pickup.stored import made_point
from tests.support.pickup.visiting import ids, near, page_of

pytestmark = pytest.mark.usefixtures("tables")


class TestThePage:
    def test_lists_the_nearest_with_distances_and_hours(self, alice, order, points, spot):
        shown = alice.get(page_of(order) + near(spot))
        assert ids(shown)[:4] == [point.id for point in points]
        row = shown.page.all("li", data_point_id=points[2].id)[0]
        assert row.text == (
            "200 m Kiosk 2 Rua Direita 7, 1100-148 Lisboa "
            "Opening hours: Daily 7-22 Choose (Kiosk 2)"
        )

    def test_begins_where_the_order_goes(self, alice, points, spot, fresh):
        prefix = digits(9)
        put_zips([ZipLocation(prefix, Coordinates.at(*spot), "Kerguelen")])
        order = replace(made_order(alice.username), zip_prefix=prefix)
        put(order)
        shown = alice.get(page_of(order))
        assert shown.page.one("h1").text == f"Pickup points near {prefix} Kerguelen"
        assert ids(shown)[0] == points[0].id
        assert shown.page.one("input", name="near")["value"] == prefix

    def test_begins_where_the_newest_earlier_order_went(self, alice, points, spot):
        zips = [digits(9), digits(9)]
        put_zips(ZipLocation(z, Coordinates.at(*spot), "K") for z in zips)
        for day, zip_prefix in enumerate([zips[0], zips[1], None]):
            order = made_order(alice.username, placed_at=START + timedelta(days=day))
            put(replace(order, zip_prefix=zip_prefix))
        shown = alice.get(page_of(order))
        assert shown.page.one("h1").text == f"Pickup points near {zips[1]} K"
        assert shown.page.one("input", name="near")["value"] == zips[1]
        assert "An earlier order of yours went there" in shown.page.one(class_="lede").text
        assert ids(shown)[0] == points[0].id

    def test_begins_with_the_point_that_an_earlier_order_went_to(self, alice, order, points):
        alice.post(f"{page_of(order)}choose/", {"point": points[2].id})
        put(later := made_order(alice.username, placed_at=START + timedelta(days=1)))
        shown = alice.get(page_of(later))
        assert shown.page.one("h1").text == "Pickup points near Kiosk 2"
        assert ids(shown)[0] == points[2].id

    def test_does_not_guess_by_the_order_of_another(self, alice, bob, points):
        theirs, own = made_order(alice.username), made_order(bob.username)
        put(theirs, own)
        alice.post(f"{page_of(theirs)}choose/", {"point": points[0].id})
        assert ids(bob.get(page_of(own))) == []

    @pytest.mark.parametrize("is_earlier_unknown", [True, False])
    def test_asks_where_to_look_when_nobody_said_or_it_is_not_known(
        self, alice, order, is_earlier_unknown
    ):
        if is_earlier_unknown:
            put(replace(made_order(alice.username), zip_prefix=digits(9)))
        shown = alice.get(page_of(order))
        assert (shown.status, ids(shown)) == (200, [])
        assert "Where would you like to collect your order?" in shown.page.one(class_="empty").text
        assert "needs-script" in shown.page.one(id="near-locate")["class"]

    def test_knows_the_longest_beginning_of_a_zip_code(self, alice, order, spot):
        prefix = digits(6)
        put_zips([ZipLocation(prefix, Coordinates.at(*spot), "Here")])
        for typed in (prefix, f"{prefix}-100", f" {prefix}99 "):
            shown = alice.get(f"{page_of(order)}?near={typed}")
            assert shown.page.one("h1").text == f"Pickup points near {prefix} Here"

    def test_says_when_a_zip_code_is_not_known(self, alice, order):
        shown = alice.get(f"{page_of(order)}?near=ZZZ9ZZZ")
        assert shown.status == 200
        assert "We don't know “ZZZ9ZZZ”." in shown.page.one(class_="empty").text

    @pytest.mark.parametrize(
        "typed", ["91, 0", "0, 181", "Rua Direita 7", "12", "1,2,3", "%00", "é"]
    )
    def test_refuses_what_is_no_place(self, alice, order, typed):
        shown = alice.get(f"{page_of(order)}?near={typed}")
        assert (shown.status, ids(shown)) == (400, [])
        assert shown.page.one(class_="empty").text
        assert shown.page.one(id="near")["value"]

    def test_refuses_what_is_no_place_so_that_the_list_stays(self, alice, order):
        shown = alice.get(f"{page_of(order)}?near=91, 0", htmx=True)
        assert (shown.status, shown.response["HX-Retarget"]) == (400, "#notice")
        assert "Latitudes are from -90 to 90" in shown.page.text

    def test_says_what_was_read_for_what_is_no_place(self, alice, order):
        shown = alice.get(f"{page_of(order)}?near=12&explain=1", htmx=True)
        assert (shown.status, shown.page.elements[0].tag) == (200, "details")

    @pytest.mark.parametrize("count", ["0", "51", "x", "-1", "٣", "00105", "9" * 5_000])
    def test_refuses_a_count_that_it_does_not_show(self, alice, order, count):
        assert alice.get(f"{page_of(order)}?near=1,1&count={count}").status == 400

    def test_shows_more_that_are_farther(self, alice, order, fresh, spot):
        around = [made_point(fresh, (spot[0] + n / 1_000, spot[1])) for n in range(20)]
        put_points(around)
        shown = alice.get(page_of(order) + near(spot))
        assert ids(shown) == [point.id for point in around[:10]]
        more = shown.page.one(class_="pickup-more").one("a")["href"]
        assert ids(alice.get(more)) == [point.id for point in around]

    def test_is_the_list_alone_for_htmx(self, alice, order, points, spot):
        shown = alice.get(page_of(order) + near(spot), htmx=True)
        assert shown.page.elements[0]["id"] == "pickup"
        assert shown.page.all("html") == []

    def test_leads_back_when_the_order_is_closed(self, alice):
        put(order := made_order(alice.username, Status.SHIPPED))
        there = f"/orders/{order.id}/"
        assert alice.get(page_of(order)).response["Location"] == there
        assert "can no longer be changed" in alice.get(there).messages[0]
        assert alice.get(page_of(order), htmx=True).response["HX-Redirect"] == there


def explained(near: str, **options: Any) -> dict[str, Any]:
    out = StringIO()
    call_command("explain", "pickup", near=near, json=True, stdout=out, **options)
    figures: dict[str, Any] = json.loads(out.getvalue())
    return figures


class TestExplainPickup:
    @pytest.mark.real_engine
    def test_meters_what_is_read(self, fresh):
        prefix = digits(9)
        place = Coordinates.at(-16.0 + CHANCE.random(), -5.7)
        put_zips([ZipLocation(prefix, place, "Jamestown")])
        put_points([made_point(fresh, (place.latitude, place.longitude))])
        figures = explained(prefix, count=1)
        assert (figures["plan"], figures["items_returned"]) == ("nearest", 1)
        assert [query["index"].endswith("shop") for query in figures["queries"]] == [True]
        assert figures["capacity_units"] == 0.5
        assert figures["other"] == {
            "postcode": {"calls": 1, "capacity_units": 3.5},
            "directory": {"calls": 1, "capacity_units": 1.0},
        }

    @pytest.mark.parametrize("near", ["nowhere!", "91, 0", "ZZZ9ZZZ"])
    def test_says_in_one_line_what_is_no_place(self, near):
        with pytest.raises(CommandError):
            explained(near)
