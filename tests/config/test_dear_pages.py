"""Nobody can run up the bill: no page that needs no account costs more than ten units."""

from datetime import timedelta
from itertools import product
from urllib.parse import quote

import pytest
from django.core.cache import cache
from django.test import Client

from comments.filters import MOST_LANGUAGES
from comments.items import LONGEST_LISTED_TEXT, NewComment
from config import views
from dynamo.calls.meter import metered
from tests.support.chance import unique
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import made_product, someone
from tests.support.config.addresses import address, argument_names, belongings, routes

pytestmark = pytest.mark.usefixtures("tables")
MOST_UNITS = 10.0
CODES = ("da", "de", "en", "es", "fr", "is", "it", "ja", "nl", "pt", "ru", "sv")
MANY = ".".join(CODES[:MOST_LANGUAGES])
FILTERS = [*product(("~", "en", MANY), ("~", "1", "1.2", "1.2.3.4"))]
LISTS = "products/<id:product_id>/comments/<str:languages>/<str:ratings>/"


def long_comment(product_id: str, language: str, rating: int, number: int) -> NewComment:
    """The longest that a list shows."""
    moment = START + timedelta(minutes=number)
    title, text = "t" * 120, "x" * LONGEST_LISTED_TEXT
    return NewComment(unique("c"), product_id, language, rating, moment, text, title=title)


def with_comments(languages: tuple[str, ...], *, of_each: int) -> str:
    product_id = made_product()
    cells = enumerate(product(range(of_each), range(1, 6), languages))
    load(long_comment(product_id, language, rating, n) for n, (_, rating, language) in cells)
    return product_id


@pytest.fixture(scope="module")
def products(tables: None) -> dict[str, str]:
    """Products by how many comments they have."""
    return {
        "none": made_product(),
        "one language": with_comments(("en",), of_each=4),
        "few in each language": with_comments(CODES, of_each=1),
        "many in each language": with_comments(CODES, of_each=8),
    }


@pytest.fixture(scope="module")
def arguments(tables: None) -> dict[str, str]:
    """Something for each argument of a route."""
    return belongings(someone("owner")).arguments


def units_of(path: str, **headers: str) -> float:
    with metered() as meter:
        Client().get(path, headers=headers)
    return meter.capacity_units()


@pytest.mark.real_engine
class TestAPageForEverybody:
    @pytest.mark.parametrize("route", [route for route in routes() if route != LISTS])
    def test_costs_little(self, products, arguments, route):
        of = products.values() if "product_id" in argument_names(route) else [""]
        for product_id in of:
            known = {**arguments, "product_id": product_id}
            path = address(route, {name: quote(value, safe="") for name, value in known.items()})
            assert units_of(path) <= MOST_UNITS, product_id
            assert units_of(path, **{"Accept-Language": "ru,en"}) <= MOST_UNITS

    @pytest.mark.parametrize(
        "comments", ["none", "one language", "few in each language", "many in each language"]
    )
    @pytest.mark.parametrize(("languages", "ratings"), FILTERS)
    def test_costs_little_by_any_filter(self, products, comments, languages, ratings):
        path = f"/products/{products[comments]}/comments/{languages}/{ratings}/"
        assert units_of(path) <= MOST_UNITS
        assert units_of(path) <= MOST_UNITS


class TestReadiness:
    def test_is_remembered_for_a_moment(self, monkeypatch):
        assert Client().get("/readyz").content == b"ready\n"
        monkeypatch.setattr(views, "unreadiness", lambda _: "asked again")
        assert Client().get("/readyz").content == b"ready\n"
        cache.clear()  # as time does
        assert Client().get("/readyz").content == b"asked again\n"
