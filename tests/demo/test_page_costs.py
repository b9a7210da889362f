"""What the pages of the sample shop read: no more than the table in docs/benchmarks.md says."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from io import StringIO
from itertools import islice

import pytest
from django.core.management import call_command
from django.test import Client

from comments.filters import CommentFilter
from comments.indexes import planner
from comments.indexes.planner import plan
from comments.lists import explain as lists_explain
from comments.lists import queries
from comments.search.models import TABLE, WordItem
from demo.sample.catalogue import sample_catalogue
from demo.sample.comments import sample_comments
from dynapages.calls import metered
from dynapages.lists import RULES, SCAN, MeanSizes, PageRequest
from dynapages.process import client, read
from dynapages.tables import create_missing
from shop.accounts.queries import find_user
from shop.accounts.services import create_profile
from shop.catalogue.also_bought import find_also_bought
from tests.support.chance import unique
from tests.support.comments.browsing import HTMX, follow, with_explanation
from tests.support.comments.options import comments_set
from tests.support.comments.topical import Word, put_topics
from tests.support.costs import Costs
from tests.support.markup import read_markup
from tests.support.project import PROJECT

pytestmark = pytest.mark.real_engine

COMMENTS = 2_000
STAFF = "page-costs-staff"
ROW = re.compile(r"^\| (?P<name>[^|]+) \| (\d+) \| (\d+) \| ([\d.]+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class Visit:
    """A page and who asks for it."""

    path: str
    browser: Client
    headers: Mapping[str, str]
    has_topics: bool = False

    def measured(self) -> Costs:
        """What the page reads when it has been read before, where comments can be searched."""
        with comments_set(SEARCH=True, TOPICS=self.has_topics):
            return self._measured()

    def _measured(self) -> Costs:
        for _ in range(3):
            answer = self.browser.get(self.path, headers=self.headers)
            assert answer.status_code in {200, 302}  # what is found is led to
        with metered() as meter:
            self.browser.get(self.path, headers=self.headers)
        return Costs.of(meter)


def documented() -> dict[str, Costs]:
    text = (PROJECT / "docs" / "benchmarks.md").read_text()
    rows = ROW.findall(text.partition("\n## What each page reads\n")[2].partition("\n## ")[0])
    return {
        name: Costs(int(calls), int(rounds), float(units)) for name, calls, rounds, units in rows
    }


@pytest.fixture(scope="module")
def visits(tables):
    """The pages of the table, in the sample shop."""
    call_command("load_sample", comments=COMMENTS, json=True, stdout=StringIO())
    with comments_set(SEARCH=True):
        create_missing([WordItem], client=client())
        call_command("check_integrity", model="words", repair=True, stdout=StringIO())
    now = datetime.now(UTC)
    create_profile(username=STAFF, password=None, now=now, is_staff=True)
    made = list(sample_comments(sample_catalogue(), count=COMMENTS, now=now))
    ((product, _),) = Counter(comment.product_id for comment in made).most_common(1)
    comment = next(comment.id for comment in made if comment.product_id == product)
    nobody, alex, staff = Client(), signed_in("alex"), signed_in(STAFF)
    page = read_markup(alex.get("/orders/").content.decode())
    listed = page.all(data_order_id=True)[1]
    order = listed["data-order-id"]
    page = read_markup(staff.get("/staff/orders/").content.decode())
    queued = page.all("tr", data_order_id=True)[1]
    put_topics(product, {"en": [Word("handle", 40, 10)]})
    slug = sample_catalogue().categories[0].slug
    lists = f"/products/{product}/comments"
    page = read_markup(nobody.get(f"{lists}/~/~/").content.decode())
    deep = page.one("a", rel="next")["href"]
    english = {"Accept-Language": "en"}
    yield {
        "product page": Visit(f"/products/{product}/", nobody, english),
        "product page, signed in": Visit(f"/products/{product}/", alex, english),
        "product page with topics": Visit(
            f"/products/{product}/", nobody, english, has_topics=True
        ),
        "filtered list": Visit(f"{lists}/de.en/1.2.5/", nobody, {}),
        "filtered list, fragment": Visit(f"{lists}/de.en/1.2.5/", nobody, HTMX),
        "unfiltered list": Visit(f"{lists}/~/~/", nobody, {}),
        "unfiltered list, second page": Visit(deep, nobody, {}),
        "unfiltered list, last page": Visit(f"{lists}/~/~/?before=end", nobody, {}),
        "unfiltered list, oldest first": Visit(f"{lists}/~/~/?order=oldest", nobody, {}),
        "unfiltered list, from a month on": Visit(f"{lists}/~/~/?month={now:%Y-%m}", nobody, {}),
        "filtered list, highest rated first": Visit(
            f"{lists}/de.en/1.2.5/?order=highest", nobody, {}
        ),
        "search of comments, a word in German": Visit(f"{lists}/de/~/?q=griff", nobody, {}),
        "search of comments, two words in German": Visit(
            f"{lists}/de/~/?q=griff+lieferung", nobody, {}
        ),
        "form of a comment": Visit(f"/products/{product}/comments/new/", alex, {}),
        "one comment": Visit(f"/comments/{comment}/", nobody, {}),
        "about these reviews": Visit(f"/products/{product}/comments/about/", nobody, {}),
        "front page": Visit("/", nobody, {}),
        "most loved": Visit("/rankings/most-loved/", nobody, {}),
        "recently commented": Visit("/rankings/recently-commented/", nobody, {}),
        "most helpful": Visit(f"/products/{product}/comments/~/~/?order=helpful", nobody, {}),
        "category": Visit(f"/categories/{slug}/", nobody, {}),
        "category by price": Visit(f"/categories/{slug}/?order=price", nobody, {}),
        "all categories": Visit("/categories/", nobody, {}),
        "all products": Visit("/products/", nobody, {}),
        "search of products": Visit("/search/?q=pan", nobody, {}),
        "suggestions of the search": Visit("/search/suggestions/?q=pan", nobody, HTMX),
        "also bought": Visit(f"/products/{product}/also-bought/", nobody, {}),
        "a user's comments": Visit("/users/alex/", alex, {}),
        "orders": Visit("/orders/", alex, {}),
        "orders in two statuses": Visit("/orders/?status=SHIPPED&status=DELIVERED", alex, {}),
        "one order": Visit(f"/orders/{order}/", alex, {}),
        "one order, from one's orders": Visit(listed.all("a")[0]["href"], alex, {}),
        "one order, from the queue": Visit(queued.all("a")[0]["href"], staff, {}),
        "queue": Visit("/staff/orders/", staff, {}),
        "search for an order's number": Visit(f"/staff/find/?q={order[-8:]}", staff, {}),
        "search without a result": Visit("/staff/find/?q=0000-0000", staff, {}),
        "orders of a product": Visit(f"/staff/products/{product}/orders/", staff, {}),
        "a customer's orders": Visit("/staff/customers/alex/orders/", staff, {}),
        "overview of staff": Visit("/staff/", staff, {}),
        "a customer": Visit("/staff/customers/alex/", staff, {}),
        "reported comments": Visit("/staff/comments/", staff, {}),
        "activity": Visit("/staff/activity/", staff, {}),
        "activity of some days": Visit(f"/staff/activity/?from={now:%Y-%m-01}", staff, {}),
    }
    client().delete_table(TableName=TABLE)


@pytest.fixture(autouse=True)
def sizes_of_a_new_process(monkeypatch):
    """Plan as if no other test had read comments of other sizes."""
    monkeypatch.setattr(planner, "SIZES", sizes := MeanSizes())
    monkeypatch.setattr(queries, "SIZES", sizes)
    monkeypatch.setattr(lists_explain, "SIZES", sizes)


def signed_in(username: str) -> Client:
    browser = Client()
    browser.force_login(find_user(username))
    return browser


class TestAPage:
    @pytest.mark.parametrize("name", documented())
    def test_reads_no_more_than_its_line_says(self, visits, name):
        found, line = visits[name].measured(), documented()[name]
        assert found.calls <= line.calls, found
        assert found.rounds <= line.rounds, found
        assert found.units <= line.units, found

    def test_of_the_table_is_visited(self, visits):
        assert documented().keys() == visits.keys()


@pytest.fixture
def table_of_one_product(visits):
    """A table that holds the comments of the product whose lists are visited."""
    name, product = unique("scanned"), visits["filtered list"].path.split("/")[2]
    key = [("pk", "HASH"), ("sk", "RANGE")]
    client().create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": each, "AttributeType": "S"} for each, _ in key],
        KeySchema=[{"AttributeName": each, "KeyType": kind} for each, kind in key],
    )
    entries = read(plan(product, CommentFilter()).runs, PageRequest(COMMENTS)).entries
    for entry in entries:
        client().put_item(TableName=name, Item=entry.item)
    yield name
    client().delete_table(TableName=name)


class TestADesignThatTheSiteDoesNotHave:
    def computed(self, visits: Mapping[str, Visit]) -> dict[str, float]:
        """What it would cost by the counts, and the sizes of what a few pages have shown."""
        for page in islice(follow(visits["unfiltered list"].path, "older"), 25):
            assert page.status == 200
        visit = visits["filtered list"]
        explanation = visit.browser.get(with_explanation(visit.path)).context["explanation"]
        return {design.design: design.capacity_units for design in explanation.computed}

    def test_scans_for_about_the_units_computed(self, visits, table_of_one_product):
        scan = (
            client()
            .get_paginator("scan")
            .paginate(
                TableName=table_of_one_product,
                ReturnConsumedCapacity="TOTAL",
                FilterExpression="s IN (:one, :two)",
                ExpressionAttributeValues={":one": {"N": "1"}, ":two": {"N": "2"}},
            )
        )
        units = sum(page["ConsumedCapacity"]["CapacityUnits"] for page in scan)
        found = self.computed(visits)[SCAN]
        assert units > 20
        assert found == pytest.approx(units, rel=0.05)

    def test_reads_by_rule_for_about_the_units_computed(self, visits):
        product = visits["filtered list"].path.split("/")[2]
        runs = plan(product, CommentFilter(("de", "en"), (1, 2, 5))).runs
        units = read(runs, PageRequest(20)).capacity_units
        assert self.computed(visits)[RULES] == pytest.approx(units, abs=0.5)


class TestAlsoBought:
    def test_shows_something_on_most_products(self, visits):
        products = [product.id for product in sample_catalogue().products]
        shown = [product_id for product_id in products if find_also_bought(product_id)]
        assert len(shown) >= 0.7 * len(products)

    def test_draws_each_product_as_the_shop_does_elsewhere(self, visits):
        visit = visits["also bought"]
        page = read_markup(visit.browser.get(visit.path).content.decode())
        tiles = page.all(class_="tile")
        assert [len(tile.all("img")) for tile in tiles] == [1] * len(tiles) != []


class TestTheActivity:
    def test_calls_products_by_their_names(self, visits):
        visit = visits["activity"]
        text = read_markup(visit.browser.get(visit.path).content.decode()).one("main").text
        names = {product.name for product in sample_catalogue().products}
        assert any(name in text for name in names)


class TestTheAddressesOfTheReadme:
    @pytest.mark.usefixtures("visits")
    def test_are_pages_of_the_sample_shop(self):
        staff = signed_in(STAFF)
        paths = re.findall(
            r"\(http://127\.0\.0\.1:8000(/[^)]+)\)", (PROJECT / "README.md").read_text()
        )
        assert len(paths) > 3
        assert {path: staff.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)
