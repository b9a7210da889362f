"""docs/api.md: its commands, run in order by a reader with the sample shop, are answered as shown.

And each problem's address leads to what it means.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

import pytest
from django.conf import settings
from django.test import Client
from django.utils.text import slugify

from comments.host import DEFAULTS
from comments.lists import queries, search_queries
from comments.search.words import LONGEST_SEARCH, MOST_WORDS
from config import api as api_limits
from config.api import api
from demo.loading import load_orders, load_reactions, load_users
from demo.management.commands.load_sample import Sample
from demo.sample.catalogue import DEFAULT_SEED
from demo.sample.orders import REGULAR
from dynapages.django.access import SHARED_SECONDS
from dynapages.ninja.keys import LONGEST_KEY
from dynapages.ninja.lists import LARGEST_PAGE
from shop.accounts import rate_limits as order_limits
from shop.api_keys import answers as stored_answers
from shop.catalogue.services import put_catalogue
from shop.orders.items import NewOrder
from tests.support.comments.loading import load
from tests.support.comments.options import comments_set
from tests.support.comments.searched import put_postings, searching
from tests.support.config.documented_calls import Session, examples_in, faults_of_example
from tests.support.markup import read_markup
from tests.support.project import PROJECT

TEXT = (PROJECT / "docs" / "api.md").read_text()
EXAMPLES = examples_in(TEXT)
SHOWN = [example for example in EXAMPLES if example.command.startswith("curl")]
PRODUCT = "enamelled-frying-pan"
SEARCHED = ("the", "colour")
NO_PROSE = re.compile(r"^(```.*?^```|\|.*?|    .*?|<!--.*?)$", re.MULTILINE | re.DOTALL)
"""Blocks, tables, commands and comments."""
MOST_PROSE = 1_500
"""Words of prose: the document is one page."""
pytestmark = pytest.mark.real_engine


def make_sample_shop() -> None:
    """Make the sample shop, but only what the document shows: one product's comments and orders."""
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    sample = Sample.made(DEFAULT_SEED, 6_000, today)
    catalogue = sample.catalogue
    put_catalogue(
        categories=[*catalogue.categories, *catalogue.subcategories], products=catalogue.products
    )
    load_users(sample.sales, now=today, sign_in=True)
    orders = tuple(order for order in sample.sales.orders if is_shown(order))
    load_orders(replace(sample.sales, orders=orders), advance=ignore)
    comments = [comment for comment in sample.comments if comment.product_id == PRODUCT]
    # Postings of all words would take as long as all other tests of the API.
    with comments_set(SEARCH=False):
        load(comments)
        load_reactions(replace(sample.reactions, votes=(), reports=(), picks=()), now=today)
    put_postings(comments, SEARCHED)


def is_shown(order: NewOrder) -> bool:
    """Return whether an order is of the document's user, with its product."""
    bought = {line.product_id for line in order.lines}
    return order.username == REGULAR and PRODUCT in bought


def ignore(_number: int) -> None:
    """Advance nothing."""


@pytest.fixture(scope="module")
def answers(engine_name):
    """The answers to the commands of the document, run in order."""
    session = Session()
    with searching(engine_name):
        make_sample_shop()
        found = [session.run(example.command) for example in EXAMPLES]
        yield [answer for answer in found if answer is not None]


class TestAnExample:
    @pytest.mark.parametrize("number", range(len(SHOWN)))
    def test_is_answered_as_shown(self, answers, number):
        example = SHOWN[number]
        assert faults_of_example(example, answers[number]) == [], example.command


class TestTheAddressOfAProblem:
    @pytest.mark.parametrize("kind", api.problem_types, ids=attrgetter("code"))
    def test_leads_to_what_it_means(self, kind):
        path, _hash, anchor = kind.address.partition("#")
        page = read_markup(Client().get(path).content.decode())
        (row,) = [row for row in page.all("tr") if row.all(id=anchor)]
        # Code in a table may break, which reads as a blank.
        cells = [cell.text.replace(" ", "") for cell in row.all("td")]
        meaning = kind.meaning.replace("`", "").replace(" ", "")
        assert cells == [kind.code, str(kind.status.value), meaning]

    def test_is_an_anchor_where_the_document_is_read_elsewhere(self):
        """As GitHub and other readers of Markdown make anchors: of headings, and ids in HTML."""
        ids = re.findall(r'<a id="([^"]+)"></a>', TEXT)
        headings = [slugify(line) for line in re.findall(r"^#+ (.+)$", TEXT, re.MULTILINE)]
        assert ids == [kind.code for kind in api.problem_types]
        assert {*ids} & {*headings} == set()


def figures() -> list[str]:
    """What the document says of limits and costs, with the figures of the code."""
    reads, writes = api_limits.READ_LIMIT.times, api_limits.WRITE_LIMIT.times
    of_comments = DEFAULTS["WRITES_PER_USER"]
    of_orders = order_limits.ORDERS_OF_A_USER.times
    least, of_item = queries.MOST_UNITS, queries.MOST_UNITS_OF_AN_ITEM
    hours = stored_answers.ANSWERS_LAST // timedelta(hours=1)
    return [
        f"how many items a page has: 1 to {LARGEST_PAGE}, else {settings.PAGE_SIZE}",
        f"spends {least:g} units on a page at most",
        f"or {of_item} for each item of a `limit` above {least / of_item:g}",
        f"({LARGEST_PAGE * of_item:g} for a hundred)",
        f"a search {search_queries.MOST_UNITS}.",
        f"A body has up to {settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes.",
        f"More than {MOST_WORDS} words or {LONGEST_SEARCH} characters",
        f"for {SHARED_SECONDS} seconds",
        f"up to {LONGEST_KEY} characters",
        f"within {hours} hours",
        f"over {stored_answers.LARGEST_BODY:,} bytes",
        f"A key may read {reads} times and write {writes} times a minute.",
        f'`RateLimit-Policy: "writes";q={writes};w=60`',
        f"{of_comments} writes an hour [of comments]",
        f"and {of_orders} [of orders]",
    ]


class TestTheDocument:
    @pytest.mark.parametrize("said", figures())
    def test_has_the_figures_of_the_code(self, said):
        assert said in " ".join(TEXT.split())

    def test_is_one_page(self):
        prose = re.sub(
            r"^(```.*?^```|\|.*?|    .*?|<!--.*?)$", "", TEXT, flags=re.MULTILINE | re.DOTALL
        )
        assert len(prose.split()) <= MOST_PROSE
