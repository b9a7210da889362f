"""Nobody can run up the bill: no list of comments costs more than 8 units, and no page 10.

A page of a list reads one query more than that at the most, where nothing is left for it. A search
of comments costs 12.5 units at the most, which tests/comments/search/test_price.py holds.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import islice, product

import pytest
from django.core.cache import cache
from django.test import Client

from comments.filters import MOST_LANGUAGES
from comments.items import LONGEST_LISTED_TEXT, NewComment, NewReply, items_of
from comments.lists import queries
from comments.models import SHOWN
from comments.posting.forms import LONGEST_TITLE
from config.web import health
from dynapages.calls import Meter, metered
from dynapages.items import item_bytes
from dynapages.lists import LARGEST_ITEM
from shop.accounts.names import LONGEST_USERNAME
from tests.support.chance import unique
from tests.support.comments.browsing import follow, visit, with_explanation
from tests.support.comments.loading import load
from tests.support.comments.truth import START
from tests.support.comments.writers import made_product
from tests.support.config.addresses import address, argument_names, routes

pytestmark = pytest.mark.usefixtures("tables")
MOST_UNITS = 10.0
MOST_OF_A_LIST = 8.5
CODES = ("da", "de", "en", "es", "fr", "is", "it", "ja", "nl", "pt", "ru", "sv")
MANY = ".".join(CODES[:MOST_LANGUAGES])
RARE = ("ko", "pt", "sv", "zh")
BLOCKS_OF = 100
"""Comments of each language, one language after the other."""
IN_BLOCKS = "one language after the other"
HARD = (IN_BLOCKS, "rare languages")
FILTERS = [*product(("~", "en", MANY), ("~", "1", "1.2", "1.2.3.4"))]
OF_A_PRODUCT = [route for route in routes() if argument_names(route) == ["product_id"]]
"""What else reads comments of a product; what the other addresses cost is in test_tour.py."""


def long_comment(product_id: str, language: str, rating: int, number: int) -> NewComment:
    """The most bytes that a list shows of what the forms take in Latin letters."""
    return NewComment(
        id=unique("c"),
        product_id=product_id,
        language=language,
        rating=rating,
        created_at=START + timedelta(minutes=number),
        author="a" * LONGEST_USERNAME,
        title="t" * LONGEST_TITLE,
        body="x" * LONGEST_LISTED_TEXT,
        reply=NewReply("r" * LONGEST_LISTED_TEXT, replied_at=START),
    )


def in_longer_letters(product_id: str, language: str, rating: int, number: int) -> NewComment:
    """The most bytes that a list shows of what the forms take in any letters."""
    return replace(long_comment(product_id, language, rating, number), title="😀" * LONGEST_TITLE)


def longer_than_forms_take(product_id: str, language: str, rating: int, number: int) -> NewComment:
    """More than 8 KB, as imports may bring."""
    return replace(long_comment(product_id, language, rating, number), title="😀" * 2_000)


def with_comments(
    languages: tuple[str, ...],
    *,
    of_each: int,
    comment: Callable[[str, str, int, int], NewComment] = long_comment,
) -> str:
    product_id = made_product()
    cells = enumerate(product(range(of_each), range(1, 6), languages))
    load(comment(product_id, language, rating, n) for n, (_, rating, language) in cells)
    return product_id


def one_language_after_the_other() -> str:
    """Of a filter in several languages, each stretch of time has one: none is mixed in evenly."""
    product_id, ratings = made_product(), (1, 2, 3, 4, 5)
    cells = ((language, n) for language in CODES for n in range(BLOCKS_OF))
    load(
        long_comment(product_id, language, ratings[n % 5], number)
        for number, (language, n) in enumerate(cells)
    )
    return product_id


def rare_languages() -> str:
    """Four languages with a few comments of each rating, between many in English."""
    product_id = made_product()
    load(
        long_comment(product_id, "en" if n % 30 else RARE[n // 30 % 4], n % 5 + 1, n)
        for n in range(1_800)
    )
    return product_id


@pytest.fixture(scope="module")
def products(tables):
    """Products by how many comments they have."""
    return {
        "none": made_product(),
        "one language": with_comments(("en",), of_each=4),
        "few in each language": with_comments(CODES, of_each=1),
        "many in each language": with_comments(CODES, of_each=8),
        IN_BLOCKS: one_language_after_the_other(),
        "rare languages": rare_languages(),
    }


def units_of(path: str, **headers: str) -> float:
    with metered() as meter:
        Client().get(path, headers=headers)
    return meter.units


@pytest.mark.real_engine
class TestAPageForEverybody:
    @pytest.mark.parametrize("route", OF_A_PRODUCT)
    def test_costs_little(self, products, route):
        for product_id in products.values():
            path = address(route, {"product_id": product_id})
            assert units_of(path) <= MOST_UNITS, product_id
            assert units_of(path, **{"Accept-Language": "ru,en"}) <= MOST_UNITS

    @pytest.mark.parametrize(("languages", "ratings"), FILTERS)
    def test_costs_little_by_any_filter(self, products, languages, ratings):
        for comments, product_id in products.items():
            path = f"/products/{product_id}/comments/{languages}/{ratings}/"
            assert units_of(path) <= MOST_OF_A_LIST, comments
            assert units_of(path) <= MOST_OF_A_LIST, comments

    @pytest.mark.parametrize("order", ["oldest", "highest", "lowest"])
    @pytest.mark.parametrize("way", ["", "&before=end", "&month=2026-11"])
    def test_costs_little_in_any_order(self, products, order, way):
        filters = f"{MANY}/~", f"{MANY}/1.2.3.4", f"{'.'.join(RARE)}/~"
        for comments, filtered in product(("many in each language", *HARD), filters):
            path = f"/products/{products[comments]}/comments/{filtered}/?order={order}{way}"
            assert units_of(path) <= MOST_OF_A_LIST, (comments, filtered)


class TestTheLongestEntry:
    def test_has_the_bytes_that_reads_are_bounded_by(self):
        comment, _ = items_of(long_comment("p" * 36, "zh-Hant", 5, 1))
        shown = {"pk", "sk", "o", "b", *SHOWN}
        listed = {name: value for name, value in comment.serialize().items() if name in shown}
        reply = {"M": {"x": {"S": "r" * LONGEST_LISTED_TEXT}, "a": {"S": START.isoformat()}}}
        assert 950 < item_bytes({**listed, "y": reply}) <= LARGEST_ITEM


@pytest.mark.real_engine
class TestAListOfNoComments:
    @pytest.mark.parametrize("filtered", ["~/~", "da.de/~", "da.de.en/~", f"{MANY}/~", f"{MANY}/1"])
    @pytest.mark.parametrize("order", ["", "order=lowest&"])
    def test_ends_on_its_first_page(self, products, filtered, order):
        path = f"/products/{products['none']}/comments/{filtered}/?{order}"
        assert visit(path).older is None


@pytest.mark.real_engine
class TestAListOfLargerEntries:
    @pytest.mark.parametrize("comment", [in_longer_letters, longer_than_forms_take])
    def test_costs_little_as_soon_as_their_size_is_known(self, comment):
        product_id = with_comments(CODES, of_each=2, comment=comment)
        filters = ("~/~", "en/~", f"{MANY}/~", f"{MANY}/1.2.3.4", f"{MANY}/~/?order=lowest")
        units_of(f"/products/{product_id}/comments/{MANY}/1.2.3.4/")
        units = {one: units_of(f"/products/{product_id}/comments/{one}") for one in filters}
        assert max(units.values()) <= MOST_OF_A_LIST, units


@pytest.mark.real_engine
class TestAListWhoseLanguagesFollowEachOther:
    """Counts do not tell when a language was written in: the plans by counts cost too much."""

    @pytest.mark.parametrize(
        ("codes", "ratings", "order"),
        [
            (CODES[-MOST_LANGUAGES:], "1.2.3.4", ""),
            (CODES[-MOST_LANGUAGES:], "1.2", "?order=highest"),
        ],
    )
    def test_is_walked_there_and_back_at_little_cost(self, products, codes, ratings, order):
        url = f"/products/{products[IN_BLOCKS]}/comments/{'.'.join(codes)}/{ratings}/{order}"
        with metered() as meter:
            there = [(shown, _spent(meter)) for shown in follow(url, "older")]
            last = next(page for page, _ in reversed(there) if page.comment_ids)
            walk_back = islice(follow(last.newer, "newer"), 20)
            back = [(shown, _spent(meter)) for shown in walk_back]
        found = [one for page, _ in there for one in page.comment_ids]
        assert len(found) == len({*found}) == BLOCKS_OF * len(codes) * len(ratings.split(".")) // 5
        gone_back = [one for page, _ in reversed(back) for one in page.comment_ids]
        assert gone_back == found[: -len(last.comment_ids)][-len(gone_back) :]
        assert max(units for _, units in there + back) <= MOST_OF_A_LIST

    def test_says_on_a_short_page_that_it_goes_on(self, products, monkeypatch):
        monkeypatch.setattr(queries, "MOST_UNITS", 4)
        monkeypatch.setattr(queries, "MOST_UNITS_OF_AN_ITEM", 0)
        url = f"/products/{products[IN_BLOCKS]}/comments/{MANY}/1.2/"
        pages = follow(url, "older")
        first = next(pages)
        assert "; no match so far." in first.page.one(class_="empty").text
        said = [
            one.text for one in visit(with_explanation(url)).page.all(class_="explanation-turn")
        ]
        assert "the page is short" in " ".join(said)
        some = next(page for page in pages if 0 < len(page.comment_ids) < 20)
        assert f"; {len(some.comment_ids)} match" in some.page.one(class_="reads-on").text


def _spent(meter: Meter) -> float:
    """Return the capacity units since the last time."""
    units = meter.units
    meter.log.clear()
    return units


class TestReadiness:
    def test_is_remembered_for_a_moment(self, monkeypatch):
        assert Client().get("/readyz").content == b"ready\n"
        monkeypatch.setattr(health, "unreadiness", lambda *_: "asked again")
        assert Client().get("/readyz").content == b"ready\n"
        cache.clear()  # as time does
        assert Client().get("/readyz").content == b"asked again\n"
